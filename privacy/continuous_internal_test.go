package privacy

import (
	"math"
	"testing"

	"dpworkbench/interval"
)

// Masses contradict an interval of losses only if the logarithm of their ratio is certainly outside it.
func TestOutputCellContradicts(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		p, q, lo, hi float64
		want         bool
	}{
		{0.5, 0.25, 0.69, 0.7, false}, {0.5, 0.25, 0.7, 1, true}, {0.5, 0.25, 0, 0.69, true}, {0.5, 0.25, -inf, inf, false},
		{0.5, 0.25, -inf, 0, true}, {0.5, 0.25, 1, inf, true}, {0.5, 0.25, inf, inf, true},
		{0.5, 0, inf, inf, false}, {0, 0.5, -inf, -inf, false},
	} {
		x := outputCell{p: interval.Float(c.p), q: interval.Float(c.q)}
		if got := x.contradicts(c.lo, c.hi); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
