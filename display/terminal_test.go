package display_test

import (
	"cmp"
	"math"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"

	"github.com/clipperhouse/displaywidth"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func checkGolden(t *testing.T, got, want string) {
	t.Helper()
	if d := gocmp.Diff(strings.TrimPrefix(want, "\n"), got); d != "" {
		t.Errorf("unexpected text (-want +got):\n%s", d)
	}
}

// drawText draws strings that are hard to lay out.
func drawText(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "ε (nats)", "日本語のラベル", "P/P_S", "x̄", "👩‍👩‍👧 family", "tab\tnew\nline", "\x1b[31mred", "bad\xff"}),
		rapid.StringN(0, 120, -1),
	).Draw(t, name)
}

func drawCaps(t *rapid.T) display.Caps {
	return display.Caps{
		Width: rapid.IntRange(0, 130).Draw(t, "width"), Height: rapid.IntRange(0, 40).Draw(t, "height"),
		Colors: display.Colors(rapid.IntRange(0, 2).Draw(t, "colors")), Unicode: rapid.Bool().Draw(t, "unicode"),
	}
}

func checkLines(t *rapid.T, s string, c display.Caps) {
	if !strings.HasSuffix(s, "\n") {
		t.Errorf("the last line has no newline")
	}
	if c.Colors == display.NoColor && strings.Contains(s, "\x1b") {
		t.Errorf("an escape without colour")
	}
	plain := escapes.ReplaceAllString(s, "")
	if strings.ContainsAny(plain, "\x1b\t\r\a") {
		t.Errorf("a control character in %q", plain)
	}
	for line := range strings.Lines(plain) {
		if w, most := displaywidth.String(strings.TrimSuffix(line, "\n")), max(24, cmp.Or(c.Width, 80)); w > most {
			t.Errorf("a line of %d columns, want at most %d: %q", w, most, line)
		}
	}
}

func drawValue(t *rapid.T, name string) float64 {
	return rapid.OneOf(rapid.Float64Range(0.01, 10), rapid.SampledFrom([]float64{0, 1, -1, 1e-300, 1e300, math.NaN(), 5e-324, -math.MaxFloat64})).Draw(t, name)
}

func TestPicturesFitTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCaps(t)
		g := display.GridSpec{Title: drawText(t, "title"), ValueLabel: drawText(t, "values"), Columns: rapid.IntRange(0, 3).Draw(t, "columns")}
		for range rapid.IntRange(1, 4).Draw(t, "panels") {
			rows, columns := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 200).Draw(t, "columns")
			p := display.HeatSpec{Title: drawText(t, "panel"), XLabel: drawText(t, "x"), YLabel: drawText(t, "y")}
			for range rows {
				row := make([]float64, columns)
				for j := range row {
					row[j] = float64(j)
				}
				row[0] = drawValue(t, "value")
				p.Values = append(p.Values, row)
			}
			g.Panels = append(g.Panels, p)
		}
		if rapid.Bool().Draw(t, "centered") {
			v := rapid.Float64Range(-1, 2).Draw(t, "center")
			g.Center = &v
		}
		if h, err := display.NewGrid(g); err == nil {
			checkLines(t, h.Terminal(c), c)
		}
		l := display.LineSpec{Title: drawText(t, "title"), XLabel: drawText(t, "x"), YLabel: drawText(t, "y"), LogY: rapid.Bool().Draw(t, "log")}
		for range rapid.IntRange(1, 9).Draw(t, "series") {
			s := display.Series{Name: drawText(t, "name"), NoLine: rapid.Bool().Draw(t, "scatter")}
			for range rapid.IntRange(1, 6).Draw(t, "points") {
				s.Y = append(s.Y, drawValue(t, "y"))
			}
			l.Series = append(l.Series, s)
		}
		if p, err := display.NewLinePlot(l); err == nil {
			checkLines(t, p.Terminal(c), c)
			three := must.Be(display.NewLinePanels(display.PanelsSpec{Title: drawText(t, "title"), Panels: []display.LineSpec{l, l, l}}))
			checkLines(t, three.Terminal(c), c)
		}
	})
}

func TestDetectCaps(t *testing.T) {
	for _, test := range []struct {
		env      string
		terminal bool
		want     display.Caps
	}{
		{"TERM=xterm-256color LANG=en_US.UTF-8", true, display.Caps{Colors: display.Color256, Unicode: true}},
		{"TERM=xterm-256color COLORTERM=truecolor", true, display.Caps{Colors: display.TrueColor, Unicode: true}},
		{"TERM=xterm-direct", true, display.Caps{Colors: display.TrueColor, Unicode: true}},
		{"TERM=xterm-256color COLORTERM=truecolor", false, display.Caps{Unicode: true}},
		{"TERM=xterm NO_COLOR=1 COLORTERM=24bit", true, display.Caps{Unicode: true}},
		{"TERM=dumb LANG=en_US.UTF-8", true, display.Caps{}},
		{"TERM=vt100", true, display.Caps{Unicode: true}},
		{"", true, display.Caps{Unicode: true}},
		{"TERM=screen LANG=C", true, display.Caps{Colors: display.Color256}},
		{"TERM=screen LC_ALL=C LANG=en_US.UTF-8", true, display.Caps{Colors: display.Color256}},
		{"TERM=screen LC_CTYPE=C.utf8 LANG=C", true, display.Caps{Colors: display.Color256, Unicode: true}},
	} {
		lookup := func(name string) (string, bool) {
			for _, pair := range strings.Fields(test.env) {
				if k, v, _ := strings.Cut(pair, "="); k == name {
					return v, true
				}
			}
			return "", false
		}
		if got := display.DetectCaps(lookup, test.terminal); got != test.want {
			t.Errorf("DetectCaps(%s, %t) = %+v, want %+v", test.env, test.terminal, got, test.want)
		}
	}
}

func TestDetectImages(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		terminal    bool
		want        display.Images
	}{
		{map[string]string{"TERM": "xterm-kitty"}, true, display.KittyImages},
		{map[string]string{"TERM": "xterm-ghostty"}, true, display.KittyImages},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, true, display.ITermImages},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, true, display.ITermImages},
		{map[string]string{"TERM": "foot"}, true, display.SixelImages},
		{map[string]string{"TERM": "xterm-256color"}, true, display.NoImages},
		{map[string]string{"TERM": "xterm-256color", "WORKBENCH_IMAGES": "sixel"}, true, display.SixelImages},
		{map[string]string{"TERM": "xterm-kitty", "WORKBENCH_IMAGES": "none"}, true, display.NoImages},
		{map[string]string{"TERM": "xterm-kitty"}, false, display.NoImages},
		{map[string]string{"TERM": "xterm-kitty", "NO_COLOR": "1"}, true, display.NoImages},
		{map[string]string{"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app", "TMUX": "x"}, true, display.NoImages},
	} {
		lookup := func(name string) (string, bool) { v, ok := c.environment[name]; return v, ok }
		if got := display.DetectCaps(lookup, c.terminal).Images; got != c.want {
			t.Errorf("%v, terminal %v: %v, want %v", c.environment, c.terminal, got, c.want)
		}
	}
}
