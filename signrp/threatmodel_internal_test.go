package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// covers is false for every ε below the loss, however close. The logarithm of the first terms of the series of e^½ is
// such an ε.
func TestCoversIsExact(t *testing.T) {
	base, term := new(big.Rat), big.NewRat(1, 1)
	for n := range int64(70) {
		base.Add(base, term)
		term.Mul(term, big.NewRat(1, 2*(n+1)))
	}
	less := must.Be(evidence.LogEpsilon("eps", base))
	half := evidence.Certified{Lo: 0.4, Hi: 0.5}
	if covers(less, half) || !covers(evidencetest.Epsilon(0.5), half) || covers(evidencetest.Epsilon(math.Nextafter(0.5, 0)), half) || !covers(evidencetest.Epsilon(math.Nextafter(0.5, 1)), half) {
		t.Error("1/2 is covered by less, or not by itself")
	}
}

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
