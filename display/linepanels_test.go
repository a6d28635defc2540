package display_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

// twoPanels have different features: a title and a legend of several lines, or none, and axes of both kinds.
var twoPanels = display.PanelsSpec{Title: "Both", Panels: []display.LineSpec{
	{Title: strings.Repeat("wide ", 20), XLabel: "α", YLabel: "β", Series: []display.Series{{Name: "trade-off", Y: []float64{1, 0.2, 0}}, {Name: "a name that fills a line of the legend", Y: []float64{1, 0.5, 0}}}},
	{XLabel: "ε (nats)", YLabel: "δ", LogY: true, Series: []display.Series{{Y: []float64{1e-2, 1e-5, 1e-9}}}},
}}

// Both panels have their labels, in SVG and in a terminal. Terminal labels share lines only if there is room.
func TestLinePanels(t *testing.T) {
	g := must.Be(display.NewLinePanels(twoPanels))
	svg := string(must.Be(g.SVG()))
	for _, label := range []string{">α<", ">β<", ">ε (nats)<", ">δ<", ">trade-off<"} {
		if !strings.Contains(svg, label) {
			t.Errorf("no label %s", label)
		}
	}
	for width, together := range map[int]bool{80: true, 70: true, 69: false, 40: false} {
		text := g.Terminal(display.Caps{Width: width, Height: 20, Unicode: true})
		lines := 0
		for line := range strings.Lines(text) {
			if strings.Contains(line, " α") {
				lines++
				if strings.Contains(line, "ε (nats)") != together {
					t.Errorf("at %d columns the x labels share a line: %t\n%s", width, !together, text)
				}
			}
		}
		if lines != 1 {
			t.Errorf("at %d columns α is in %d lines", width, lines)
		}
	}
	bad := twoPanels
	bad.Panels = []display.LineSpec{twoPanels.Panels[0], {Series: []display.Series{{Y: []float64{math.Inf(1)}}}}}
	for _, s := range []display.PanelsSpec{bad, {}, {Panels: twoPanels.Panels, Width: 9}} {
		if _, err := display.NewLinePanels(s); !errors.Is(err, parameter.Err) || len(s.Panels) == 2 && s.Width == 0 && !strings.Contains(err.Error(), "panels[1]: ") {
			t.Errorf("error %v", err)
		}
	}
}
