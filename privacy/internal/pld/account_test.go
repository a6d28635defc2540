package pld_test

import (
	"math"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/privacy/internal/pld"
)

// Removals sampled rarely, whose rare losses are far larger than the others, get narrow bounds around values of a
// convolution of cell probabilities, extrapolated to cells of no width.
func TestDeltaOfRareLargeLosses(t *testing.T) {
	for _, c := range []struct{ mu, rate, eps, want, off, width float64 }{
		{1, 1e-4, 1e-3, 3.80516e-5, 1e-10, 1e-3},
		{0.05, 1e-4, 0, 9.97949961e-6, 1e-13, 1e-4},
		{0.05, 1e-4, 1e-9, 9.97900161e-6, 1e-13, 1e-4},
		{0.05, 1e-4, 1e-5, 5.78491567e-6, 1e-13, 1e-4},
	} {
		m := &pld.Mixture{Mu: c.mu, Rate: c.rate}
		a := &pld.Account{Parts: []pld.Part{{m, m, 25}}}
		lo, hi, err := a.LogDelta(t.Context(), c.eps, c.eps, c.width)
		lo, hi = math.Exp(lo), math.Exp(hi)
		if err != nil || !(lo <= c.want+c.off && c.want-c.off <= hi && hi <= lo*(1+c.width)) {
			t.Errorf("%+v: δ in [%.9g, %.9g], %v", c, lo, hi, err)
		}
	}
}

// At a δ above δ(0), which the central limit theorem tells for small losses, ε is 0, however small the rate.
func TestEpsilonAboveDeltaAtZero(t *testing.T) {
	for i, rate := range []float64{1e-80, 1e-9, 1e-4} {
		for j, of := range []pld.Neighbor{pld.Removal, pld.Addition} {
			if !cases.Every(2, i+j) {
				continue
			}
			m := &pld.Mixture{Mu: 0.05, Rate: rate, Of: of}
			log := math.Log(max(1.001*math.Sqrt(25/(2*math.Pi))*rate*m.Mu, 1e-13))
			lo, hi, err := (&pld.Account{Parts: []pld.Part{{m, m, 25}}}).Epsilon(t.Context(), log, log, 1e-6, math.Inf(-1))
			if err != nil || lo != 0 || hi != 0 {
				t.Errorf("neighbor %v, rate %g: ε in [%v, %v], %v, want 0", of, rate, lo, hi, err)
			}
			many := &pld.Account{Parts: []pld.Part{{m, m, 25}}}
			lo, hi, err = many.Epsilon(t.Context(), log-0.3, log-0.3, 1e-6, math.Inf(-1))
			if rate > 1e-10 && (err != nil || !(lo > 0)) {
				t.Errorf("neighbor %v, rate %g: ε at .74 δ(0) in [%v, %v], %v, want more than 0", of, rate, lo, hi, err)
			}
		}
	}
}
