package privacy_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// PureDelta is attained by randomized response. No probabilities of an event at two neighbors exceed it.
func TestPureDelta(t *testing.T) {
	for _, top := range []float64{1e-300, 1e-9, 0.1, 1, 5, 40, 700, 1e5} {
		pure := evidence.Certified{Lo: 0, Hi: top, Side: evidence.Up}
		for _, share := range []float64{0, 1e-9, 0.3, 0.999999, 1, 1.5} {
			eps := share * top
			got := privacy.PureDelta(pure, evidencetest.Epsilon(eps), "")
			want := math.Max(0, -math.Expm1(eps-top)/(1+math.Exp(-top)))
			if !(got.Lo == 0 && got.Hi >= want*(1-1e-15) && got.Hi <= want*(1+1e-14)+5e-324) {
				t.Errorf("ε₀ = %g, ε = %g: δ ≤ %g, want %g", top, eps, got.Hi, want)
			}
		}
	}
	ln3 := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	if got := privacy.PureDelta(ln3.Number(), ln3, ""); got.Hi > 1e-15 {
		t.Errorf("at ε = ε₀: δ ≤ %g, want 0", got.Hi)
	}
	if got := privacy.PureDelta(evidence.Claimed{Value: math.Inf(1)}, ln3, ""); got.Hi != 1 {
		t.Errorf("without a finite ε₀: δ ≤ %g, want 1", got.Hi)
	}
}

// profile returns a profile that encloses f up to band on either side.
func profile(f func(eps float64) float64, band float64) func(context.Context, evidence.Epsilon) (evidence.Number, error) {
	return func(_ context.Context, e evidence.Epsilon) (evidence.Number, error) {
		v := f(e.Value())
		return evidence.Certified{Lo: math.Max(0, v-band), Hi: v + band, Side: evidence.Up}, nil
	}
}
