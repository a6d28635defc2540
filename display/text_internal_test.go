package display

import (
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

func TestLegible(t *testing.T) {
	p := &page{fonts: font.NewCache(liberation.Collection())}
	for text, want := range map[string]string{
		"P/P_L of δ = 1": "P/P_L of δ = 1",
		"x₁² ≤ ‖Σ⁴‖₂ √3": "x₁² ≤ ‖Σ⁴‖₂ √3",
		"∇f ∝ 𝒳":         "?f ~ ?",
		"":               "",
	} {
		if got := p.legible(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
