package gaussian_test

import (
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// Whatever μ is known to be, the answers are numbers in order or an error.
func TestAnyMu(t *testing.T) {
	ends := []float64{math.Inf(-1), -1, 0, 5e-324, 1e-200, 1e-9, 1, 40, 1e10, 1e153, 1e300, math.Inf(1), math.NaN()}
	inOrder := func(what string, c evidence.Certified) {
		if !(c.Lo <= c.Hi) {
			t.Errorf("%s is in [%v, %v]", what, c.Lo, c.Hi)
		}
	}
	for _, lo := range ends {
		for _, hi := range ends {
			mu := interval.Float(hi)
			if lo < hi {
				mu = interval.Between(lo, hi)
			}
			for _, eps := range []float64{0, 1e-300, 1, 700, 1e20, 1e300} {
				inOrder("δ", gaussian.DeltaAt(at(eps), mu))
			}
			for _, delta := range []float64{0, 1e-307, 1e-5, 0.5, 1 - 1e-16} {
				if e, err := gaussian.EpsilonAt(evidencetest.Delta(delta), mu); err == nil {
					inOrder("ε", e)
				}
			}
		}
	}
}

// At ε = 0 the least δ is the total variation distance erf(μ/√8), and at δ = 0 no ε
// will do where there is a difference.
func TestEndsOfTheCurve(t *testing.T) {
	for _, c := range []struct{ mu, want float64 }{ // erf(μ/√8) to 20 digits
		{1, 0.38292492254802620728}, {0.5, 0.19741265136584744848}, {1e-12, 3.9894228040143267793e-13}, {8, 0.99993665751633376016},
	} {
		d, err := gaussian.Delta(evidence.Epsilon{}, 1, c.mu)
		if err != nil || !(d.Lo <= c.want && c.want <= d.Hi && d.Hi-d.Lo <= 1e-15*c.want) {
			t.Errorf("μ = %g: δ(0) in [%v, %v], %v, want %v", c.mu, d.Lo, d.Hi, err, c.want)
		}
		e, err := gaussian.Epsilon(evidence.Delta{}, 1, c.mu)
		if err != nil || !math.IsInf(e.Lo, 1) || !math.IsInf(e.Hi, 1) {
			t.Errorf("μ = %g: ε(0) in [%v, %v], %v, want +Inf", c.mu, e.Lo, e.Hi, err)
		}
	}
	if e, err := gaussian.EpsilonAt(evidence.Delta{}, interval.Int(0)); err != nil || e.Hi != 0 {
		t.Errorf("no difference: ε(0) = %v, %v", e, err)
	}
}
