package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// These tests use wide intervals as parameters. A bound that is rounded the wrong way or taken from the wrong end is
// then visible.

// At the jumps of Laplace noise, the enclosures of tails contain the tails for every loss in the interval. Beyond the
// jumps they are exact.
func TestLaplaceTailsAtJumps(t *testing.T) {
	e := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	p, top, at := Laplace(e).(*closedForm), e.Enclosure(), math.Log(3)
	tails := func(l float64) (p, q float64) {
		switch {
		case l > at:
			return 0, 0
		case l <= -at:
			return 1, 1
		}
		return 1 - math.Exp((l-at)/2)/2, math.Exp(-(l+at)/2) / 2
	}
	const off = 1e-12
	for _, c := range []struct {
		l     interval.Interval
		holds []float64
	}{
		{top, []float64{at - off, at + off}}, {top.Upper(), []float64{at - off, at + off}}, {top.Neg(), []float64{-at - off, -at + off}}, {top.Neg().Upper(), []float64{-at - off, -at + off}},
		{interval.Between(-2, 2), []float64{-2, -1, 0, 1, 2}}, {interval.Between(0, 2), []float64{0, 1, 2}}, {interval.Between(-2, 0), []float64{-2, -1, 0}}, {interval.Between(-1, 1), []float64{-1, 0, 1}},
		{interval.Float(1.25), []float64{1.25}}, {interval.Float(-1.25), []float64{-1.25}},
	} {
		x, y := p.tails(c.l)
		for _, l := range c.holds {
			a, b := tails(l)
			for i, v := range []interval.Interval{x, y} {
				want := []float64{a, b}[i]
				if lo, hi := v.Bounds(); lo > want+off || hi < want-off || math.Abs(l) == 1.25 && lo != hi {
					t.Errorf("tails at %v: %v does not contain %g, the tail at %g", c.l, v, want, l)
				}
			}
		}
	}
}
