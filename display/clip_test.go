package display

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is left of a line lies on the plot and on the line, and a line on the plot stays
// as it is.
func TestPieces(t *testing.T) {
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
					t.Fatalf("%v of %v lies outside", s, line)
				}
				if i > 0 {
					length += math.Hypot(s.x-piece[i-1].x, s.y-piece[i-1].y)
				}
			}
		}
		want := 0.0 // by steps
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
			t.Fatalf("%v keeps a length of %g, want %g", line, length, want)
		}
	}
}

// A triangle's part of the plot has the area that it has.
func TestCutArea(t *testing.T) {
	for _, c := range []struct {
		area []spot
		want float64
	}{
		{[]spot{{-1, -1}, {3, -1}, {3, 3}, {-1, 3}}, 1},
		{[]spot{{0.2, 0.2}, {0.4, 0.2}, {0.4, 0.4}, {0.2, 0.4}}, 0.04},
		{[]spot{{0, 0}, {2, 0}, {0, 2}}, 1},
		{[]spot{{0, 0}, {1, 0}, {0, 1}}, 0.5},
		{[]spot{{0.5, -1}, {2, 0.5}, {0.5, 2}}, 0.5},
		{[]spot{{2, 2}, {3, 2}, {3, 3}}, 0},
	} {
		got, cut := 0.0, cutArea(c.area)
		for i, p := range cut {
			next := cut[(i+1)%len(cut)]
			got += (p.x*next.y - next.x*p.y) / 2
		}
		if math.Abs(math.Abs(got)-c.want) > 1e-12 {
			t.Errorf("%v has %g on the plot, want %g", c.area, got, c.want)
		}
	}
}

// On a logarithmic axis 0 leaves a gap, a band that begins at 0 reaches the foot, and
// limits are where the axes end.
func TestGapsAndLimits(t *testing.T) {
	p, err := NewLinePlot(LineSpec{LogX: true, LogY: true, X: []float64{0, 1, 10, 100}, Series: []Series{
		{Y: []float64{5, 1, 0, 10}, Lower: []float64{1, 0, 0, 2}, Upper: []float64{9, 3, 0, 20}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := p.series[0]
	if !math.IsNaN(s.Y[0]) || s.Y[1] != 1 || !math.IsNaN(s.Y[2]) || s.Y[3] != 10 {
		t.Errorf("y is %v", s.Y)
	}
	if s.Lower[1] != p.y.lo || !math.IsNaN(s.Upper[2]) || s.Lower[3] != 2 || p.y.lo > 1 || p.y.hi > 30 || p.x.lo < 0.5 {
		t.Errorf("the band is %v to %v on axes %v, %v", s.Lower, s.Upper, p.x, p.y)
	}
	for _, caps := range []Caps{{}, {Unicode: true, Colors: Color256}} {
		if text := p.Terminal(caps); text == "" {
			t.Error("nothing is drawn")
		}
	}
	limits := LineSpec{X: []float64{0, 1, 2, 3, 1e9}, XLimits: &[2]float64{0.5, 2.5}, Series: []Series{{Y: []float64{-1e12, 4, 5, 1e15, 7}, NoLine: true}}}
	p, err = NewLinePlot(limits)
	if err != nil {
		t.Fatal(err)
	}
	if p.x.lo != 0.5 || p.x.hi != 2.5 || p.y.lo < 3.5 || p.y.hi > 5.5 {
		t.Errorf("axes are %v, %v", p.x, p.y)
	}
	if n := strings.Count(p.Terminal(Caps{}), "a"); n != 2 {
		t.Errorf("%d of 2 points are drawn", n)
	}
	limits.Series[0].NoLine = false
	if p, err = NewLinePlot(limits); err != nil {
		t.Fatal(err)
	}
	if text := p.Terminal(Caps{Unicode: true, Colors: Color256}); len(text) > 20000 {
		t.Errorf("%d bytes", len(text))
	}
	if _, err := p.SVG(); err != nil {
		t.Error(err)
	}
	for _, size := range [][2]float64{{108, 108}, {234, 150}, {1000, 200}} {
		p, err := NewLinePlot(LineSpec{Width: size[0], Height: size[1], Title: "A title", YLabel: "y", XLabel: "x", Series: []Series{{Name: "a", Y: []float64{1, 2}}}})
		if err != nil {
			t.Fatal(err)
		}
		if w, h := p.size(); w != size[0] || h != size[1] {
			t.Errorf("%g × %g points, want %v", w, h, size)
		}
		if _, err := p.PNG(); err != nil {
			t.Error(err)
		}
	}
}

// ^ and _ raise and lower what LaTeX does, and leave the names of programs alone.
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
			t.Errorf("%q is set %q, want %q", label, got, want)
		}
	}
	for label, want := range map[string]string{"10^{-3}": "10⁻³", "σ_{max}": "σ_max", "a_{12} {b}": "a₁₂ {b}", "x^2": "x^2", "x^{2": "x^{2"} {
		if got := flat(label); got != want {
			t.Errorf("%q is %q in a terminal, want %q", label, got, want)
		}
	}
}
