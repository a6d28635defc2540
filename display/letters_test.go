package display

import (
	"strings"
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
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	l, err := NewLinePlot(LineSpec{Series: []Series{{Name: "P₊", Y: []float64{1, 2}}}, Title: "10⁻³", XLabel: "x⁻", YLabel: "y₋"})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := l.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">P<", ">+<", ">10<", ">-3<", ">x<", ">y<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
}
