package display

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every clipped piece lies on the line and inside the plot. A line inside the plot is unchanged.
func TestClipPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		line := make([]spot, 2+rng.IntN(6))
		inside := true
		for i := range line {
			line[i] = spot{rng.Float64()*3 - 1, rng.Float64()*3 - 1}
			if rng.IntN(3) > 0 {
				line[i] = spot{rng.Float64(), rng.Float64()}
			}
			inside = inside && line[i].within()
		}
		got := pieces(line)
		if inside && (len(got) != 1 || len(got[0]) != len(line)) {
			t.Fatalf("%v is cut into %v", line, got)
		}
		length := 0.0
		for _, piece := range got {
			for i, s := range piece {
				if !s.within() {
					t.Fatalf("the point %v of %v is outside", s, line)
				}
				if i > 0 {
					length += math.Hypot(s.x-piece[i-1].x, s.y-piece[i-1].y)
				}
			}
		}
		want := 0.0 // the length inside the plot, measured by small steps
		const steps = 4000
		for i := range line[1:] {
			a, b := line[i], line[i+1]
			for k := range steps {
				at := (float64(k) + 0.5) / steps
				if (spot{a.x + at*(b.x-a.x), a.y + at*(b.y-a.y)}).within() {
					want += math.Hypot(b.x-a.x, b.y-a.y) / steps
				}
			}
		}
		if math.Abs(length-want) > 0.02 {
			t.Fatalf("the pieces of %v have length %g, want %g", line, length, want)
		}
	}
}

// ^ and _ raise and lower text as in LaTeX, but not inside the names of programs.
func TestSpans(t *testing.T) {
	for label, want := range map[string]string{
		"10^{-3}":                     "10|↑-3",
		"σ_{max} of x_1":              "σ|↓max| of x|↓1",
		"e^-x":                        "e|↑-x",
		"ε_0 and P_max":               "ε|↓0| and P|↓max",
		"delta_at(eps)":               "delta_at(eps)",
		"m.smallest_epsilon, a_value": "m.smallest_epsilon, a_value",
		"10⁻³":                        "10|↑-3",
		"x² P₊ kⱼ":                    "x|↑2| P|↓+| k|↓j",
		"^2 _3 x^ y_ {a} x^{2":        "^2 _3 x^ y_ {a} x^{2",
		"x_i_j":                       "x_i_j",
		"x_123 x_1234 xy_1 2_1":       "x|↓123| x_1234 xy_1 2_1",
		"x^+12a+ x^a_1":               "x|↑+12a|+ x|↑a|↓1",
		"x^{ab}_{c}":                  "x|↑ab|↓c",
		"":                            "",
	} {
		got := ""
		for i, s := range spans(label) {
			if i > 0 {
				got += "|"
			}
			got += map[int]string{1: "↑", 0: "", -1: "↓"}[s.level] + s.text
		}
		if got != want {
			t.Errorf("%q has the spans %q, want %q", label, got, want)
		}
	}
	for label, want := range map[string]string{"10^{-3}": "10⁻³", "σ_{max}": "σ_max", "a_{12} {b}": "a₁₂ {b}", "x^2": "x^2", "x^{2": "x^{2"} {
		if got := flat(label); got != want {
			t.Errorf("%q is %q in a terminal, want %q", label, got, want)
		}
	}
}
