package signrp

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The ratio of an interval that contains 0 has lower bound 0, for every upper bound.
func TestRatioFromZero(t *testing.T) {
	r := must.Be(NewRP(context.Background(), must.Be(NewProjection(Rademacher, 2, 1, ProjectionOptions{Seed: 1})), evidencetest.Epsilon(1), evidencetest.Delta(1e-6), RPOptions{Beta: 1}))
	for _, d := range []interval.Interval{interval.Between(0, 1e-9), interval.Between(-1e-300, 3), interval.Between(0, 1e300), interval.Int(0)} {
		lo, hi := r.ratio(d).Bounds()
		if _, most := d.Bounds(); lo != 0 || hi < most/r.sigma.Hi*(1-1e-15) {
			t.Errorf("ratio of %v: [%g, %g]", d, lo, hi)
		}
	}
	if lo, hi := r.ratio(interval.Rat(big.NewRat(1, 3))).Bounds(); !(lo > 0 && lo <= hi) {
		t.Errorf("ratio of 1/3: %s", fmt.Sprint(lo, hi))
	}
}
