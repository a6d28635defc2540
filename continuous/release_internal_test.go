package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// If the probability that the layer grows is only enclosed, family uses the upper end. If that leaves no outcome with
// loss 0, it uses the smallest ε instead.
func TestFamilyOfBoundedGrowth(t *testing.T) {
	m := must.For(NewPurest(context.Background(), linearOf(t, rats(t, "0", "1")...), evidencetest.Epsilon(1)))(t)
	most := interval.Int(1).Quo(interval.Int(1).Add(rateOf(m.decay).z))
	for _, c := range []struct {
		hi    interval.Interval
		steps bool
	}{{interval.Float(0.3), true}, {most.Mul(interval.Float(1 - 0x1p-40)), true}, {most, false}, {interval.Float(0.9), false}} {
		f := m.family(evidence.RatOrInterval{Enclosure: interval.Hull(interval.Float(0.1), c.hi)})
		if !f.Bound || (f.Source == corollary5) != c.steps {
			t.Errorf("growth of up to %v: bound %v, source %q", c.hi, f.Bound, f.Source)
		}
		if !c.steps {
			continue
		}
		want := privacy.ThreePointPairs("", corollary5, m.decay, evidence.RatOrInterval{Enclosure: c.hi.Upper()})
		for _, e := range []float64{0, 0.5} {
			eps := evidence.Epsilon{}
			if e > 0 {
				eps = evidencetest.Epsilon(e)
			}
			delta := func(f *privacy.DominatingPairs) float64 {
				p := must.For(f.Pair(context.Background(), 0))(t)
				_, hi := must.For(p.Delta(context.Background(), eps))(t).Enclosure.Bounds()
				return hi
			}
			if got, want := delta(f), delta(want); got != want {
				t.Errorf("δ(%v) = %v, want %v", e, got, want)
			}
		}
	}
	exact := m.family(evidence.ExactRat(rat(t, "1/3")))
	if exact.Bound || exact.Source != corollary5 {
		t.Errorf("exact growth: bound %v, source %q", exact.Bound, exact.Source)
	}
	d := must.For(NewDiscreteGaussian(linearOf(t, rats(t, "1", "1")...), big.NewRat(2, 1)))(t)
	if lo, hi := must.For(d.Privacy().Epsilon(context.Background(), evidence.Delta{}))(t).Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("the discrete Gaussian has an ε in [%v, %v]", lo, hi)
	}
}

// If γ is known only by bounds, Release fails before drawing.
func TestReleaseNeedsExactGamma(t *testing.T) {
	bound := must.For(NewOptimalStaircase(linearOf(t, rats(t, "0", "1")...), evidencetest.Epsilon(1), CostAbs))(t)
	bound.cost = "cube"
	if out, err := Release(t.Context(), bound, new(big.Rat), 1, big.NewRat(1, 1), nil); out != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("γ known only by bounds: %v, error %v", out, err)
	}
}
