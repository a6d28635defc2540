package pld

import (
	"math"
	"testing"
)

// A tilt too large for float64 has no moments, and a law whose masses underflowed has no known tilted masses.
func TestMomentsOfHugeTilts(t *testing.T) {
	for _, m := range []*Mixture{{Mu: 0.05, Rate: 1e-80}, {Mu: 1, Rate: 1e-18, Of: Replacement}} {
		for _, theta := range []float64{1e9, 1e77} {
			if k, mean, variance := m.Moments(theta); !math.IsNaN(k) || !math.IsNaN(mean) || !math.IsNaN(variance) {
				t.Errorf("θ = %g: moments %v, %v and %v, want NaN", theta, k, mean, variance)
			}
		}
	}
	if tilted := (&Law{Step: 1, Log: []float64{math.NaN(), 0}}).tilt(1, false); !math.IsInf(tilted.err, 1) || tilted.sum != 0 {
		t.Errorf("a mass that is NaN has the error %v and the sum %v, want an infinite error", tilted.err, tilted.sum)
	}
}

// Uses at a tiny rate, whose losses are far below the errors of float64, get bounds that hold.
func TestEpsilonAtTinyRates(t *testing.T) {
	m := &Mixture{Mu: 0.05, Rate: 1e-80}
	lo, hi, err := (&Account{Parts: []Part{{m, m, 1}}}).Epsilon(t.Context(), math.Log(1e-5), math.Log(1e-5), 1e-2, math.Inf(-1))
	if err != nil || lo > 1e-70 || hi < 0 {
		t.Errorf("ε in [%v, %v], %v, want 0 in it", lo, hi, err)
	}
}
