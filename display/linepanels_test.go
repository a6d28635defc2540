package display

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

// twoPanels have nothing in common: a title and a legend of several lines beside none, and axes of either kind.
var twoPanels = PanelsSpec{Title: "Both", Panels: []LineSpec{
	{Title: strings.Repeat("wide ", 20), XLabel: "α", YLabel: "β", Series: []Series{{Name: "trade-off", Y: []float64{1, 0.2, 0}}, {Name: "a name that fills a line of the legend", Y: []float64{1, 0.5, 0}}}},
	{XLabel: "ε (nats)", YLabel: "δ", LogY: true, Series: []Series{{Y: []float64{1e-2, 1e-5, 1e-9}}}},
}}

// Both panels have their labels, on paper and in a terminal, where they share lines only if there is room.
func TestLinePanels(t *testing.T) {
	g := must.Be(NewLinePanels(twoPanels))
	svg := string(must.Be(g.SVG()))
	for _, label := range []string{">α<", ">β<", ">ε (nats)<", ">δ<", ">trade-off<"} {
		if !strings.Contains(svg, label) {
			t.Errorf("no label %s", label)
		}
	}
	for width, together := range map[int]bool{80: true, 70: true, 69: false, 40: false} {
		text := g.Terminal(Caps{Width: width, Height: 20, Unicode: true})
		lines := 0
		for line := range strings.Lines(text) {
			if strings.Contains(line, " α") {
				lines++
				if strings.Contains(line, "ε (nats)") != together {
					t.Errorf("at %d columns the labels of x share a line: %t\n%s", width, !together, text)
				}
			}
		}
		if lines != 1 {
			t.Errorf("at %d columns α stands in %d lines", width, lines)
		}
	}
	bad := twoPanels
	bad.Panels = []LineSpec{twoPanels.Panels[0], {Series: []Series{{Y: []float64{math.Inf(1)}}}}}
	for _, s := range []PanelsSpec{bad, {}, {Panels: twoPanels.Panels, Width: 9}} {
		if _, err := NewLinePanels(s); !errors.Is(err, parameter.Err) || len(s.Panels) == 2 && s.Width == 0 && !strings.Contains(err.Error(), "panels[1]: ") {
			t.Errorf("error %v", err)
		}
	}
}

// Pages have powers of ten where a terminal has e, on all of a logarithmic axis from 1000 on.
func TestPowers(t *testing.T) {
	for _, c := range []struct {
		a    axis
		want string
	}{
		{axis{lo: 1e-5, hi: 1e7, log: true}, "10^{−4} 0.01 1 100 10^{4} 10^{6}"},
		{axis{lo: 1, hi: 1e5, log: true}, "1 10 100 1000 10000 100000"},
		{axis{lo: 0, hi: 4e-7}, "0 10^{−7} 2·10^{−7} 3·10^{−7} 4·10^{−7}"},
		{axis{lo: 0, hi: 4}, "0 1 2 3 4"},
	} {
		var got []string
		for _, tick := range c.a.powers(c.a.ticks(7, false)) {
			got = append(got, tick.label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, want %q", c.a, got, c.want)
		}
	}
}
