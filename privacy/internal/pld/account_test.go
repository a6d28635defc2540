package pld_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/privacy/internal/pld"
)

// Removals sampled at a low rate have rare losses far larger than the others. Their bounds are narrow and contain
// values from a convolution of cell probabilities, extrapolated to cells of width 0.
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

// At a δ above δ(0), which the central limit theorem gives for small losses, ε is 0, however small the rate.
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

// For two uses of Laplace noise with ε = a and b, δ(a + b − g) is 1 − (1 + g/4)e^{−g/2} if g ≤ 2·min(a, b). The tilt is
// large there, and the tilted law has an atom and a tail that decreases slowly.
func TestSumsNearTheLargestLoss(t *testing.T) {
	for _, ab := range cases.Of([][2]float64{{1. / 3, 2. / 3}}, [][2]float64{{1. / 3, 2. / 3}, {2, 0.01}, {0.1, 0.17}}) {
		for _, g := range cases.Of([]float64{4e-5}, []float64{1e-3, 4e-5, 1e-8}) {
			var parts []pld.Part
			for _, eps := range ab {
				m := &pld.Mixture{Eps: eps, Rate: 1}
				parts = append(parts, pld.Part{m, m, 1})
			}
			eps := ab[0] + ab[1] - g
			gap := new(big.Rat)
			for i, v := range []float64{ab[0], ab[1], eps} {
				q := new(big.Rat).SetFloat64(v)
				if i == 2 {
					q.Neg(q)
				}
				gap.Add(gap, q)
			}
			x, _ := gap.Float64()
			want := math.Log(x/4 - x*x*x/96 + x*x*x*x/384) // series of the closed form, with a relative error below g⁴
			for _, step := range []string{"ε", "δ"} {
				a := &pld.Account{Parts: parts}
				lo, hi, err := 0.0, 0.0, error(nil)
				truth := eps
				if step == "ε" {
					lo, hi, err = a.Epsilon(t.Context(), want, want, 1e-6, 0)
				} else {
					lo, hi, err = a.LogDelta(t.Context(), eps, eps, 1e-4)
					truth = want
				}
				if slack := 1e-12 + x*x*x*x; err != nil || lo > truth+slack || hi < truth-slack || math.IsInf(hi-lo, 0) {
					t.Errorf("uses %v, ε below the sum by %g: %s in [%.15g, %.15g], %v, want %.15g", ab, g, step, lo, hi, err, truth)
				}
			}
		}
	}
}
