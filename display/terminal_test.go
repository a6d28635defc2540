package display

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/internal/must"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func checkGolden(t *testing.T, got, want string) {
	t.Helper()
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), got); d != "" {
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

func drawCaps(t *rapid.T) Caps {
	return Caps{
		Width: rapid.IntRange(0, 130).Draw(t, "width"), Height: rapid.IntRange(0, 40).Draw(t, "height"),
		Colors: Colors(rapid.IntRange(0, 2).Draw(t, "colors")), Unicode: rapid.Bool().Draw(t, "unicode"),
	}
}

func checkLines(t *rapid.T, s string, c Caps) {
	if !strings.HasSuffix(s, "\n") {
		t.Errorf("the last line has no newline")
	}
	if c.Colors == NoColor && strings.Contains(s, "\x1b") {
		t.Errorf("an escape without colour")
	}
	plain := escapes.ReplaceAllString(s, "")
	if strings.ContainsAny(plain, "\x1b\t\r\a") {
		t.Errorf("a control character in %q", plain)
	}
	for line := range strings.Lines(plain) {
		if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > c.sized().Width {
			t.Errorf("a line of %d columns, want at most %d: %q", w, c.sized().Width, line)
		}
	}
}

func drawValue(t *rapid.T, name string) float64 {
	return rapid.OneOf(rapid.Float64Range(0.01, 10), rapid.SampledFrom([]float64{0, 1, -1, 1e-300, 1e300, math.NaN(), 5e-324, -math.MaxFloat64})).Draw(t, name)
}

func TestPicturesFitTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCaps(t)
		g := GridSpec{Title: drawText(t, "title"), ValueLabel: drawText(t, "values"), Columns: rapid.IntRange(0, 3).Draw(t, "columns")}
		for range rapid.IntRange(1, 4).Draw(t, "panels") {
			rows, columns := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 200).Draw(t, "columns")
			p := HeatSpec{Title: drawText(t, "panel"), XLabel: drawText(t, "x"), YLabel: drawText(t, "y")}
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
		if h, err := NewGrid(g); err == nil {
			checkLines(t, h.Terminal(c), c)
		}
		l := LineSpec{Title: drawText(t, "title"), XLabel: drawText(t, "x"), YLabel: drawText(t, "y"), LogY: rapid.Bool().Draw(t, "log")}
		for range rapid.IntRange(1, 9).Draw(t, "series") {
			s := Series{Name: drawText(t, "name"), NoLine: rapid.Bool().Draw(t, "scatter")}
			for range rapid.IntRange(1, 6).Draw(t, "points") {
				s.Y = append(s.Y, drawValue(t, "y"))
			}
			l.Series = append(l.Series, s)
		}
		if p, err := NewLinePlot(l); err == nil {
			checkLines(t, p.Terminal(c), c)
			three := must.Be(NewLinePanels(PanelsSpec{Title: drawText(t, "title"), Panels: []LineSpec{l, l, l}}))
			checkLines(t, three.Terminal(c), c)
		}
	})
}

func TestDetectCaps(t *testing.T) {
	for _, test := range []struct {
		env      string
		terminal bool
		want     Caps
	}{
		{"TERM=xterm-256color LANG=en_US.UTF-8", true, Caps{Colors: Color256, Unicode: true}},
		{"TERM=xterm-256color COLORTERM=truecolor", true, Caps{Colors: TrueColor, Unicode: true}},
		{"TERM=xterm-direct", true, Caps{Colors: TrueColor, Unicode: true}},
		{"TERM=xterm-256color COLORTERM=truecolor", false, Caps{Unicode: true}},
		{"TERM=xterm NO_COLOR=1 COLORTERM=24bit", true, Caps{Unicode: true}},
		{"TERM=dumb LANG=en_US.UTF-8", true, Caps{}},
		{"TERM=vt100", true, Caps{Unicode: true}},
		{"", true, Caps{Unicode: true}},
		{"TERM=screen LANG=C", true, Caps{Colors: Color256}},
		{"TERM=screen LC_ALL=C LANG=en_US.UTF-8", true, Caps{Colors: Color256}},
		{"TERM=screen LC_CTYPE=C.utf8 LANG=C", true, Caps{Colors: Color256, Unicode: true}},
	} {
		lookup := func(name string) (string, bool) {
			for _, pair := range strings.Fields(test.env) {
				if k, v, _ := strings.Cut(pair, "="); k == name {
					return v, true
				}
			}
			return "", false
		}
		if got := DetectCaps(lookup, test.terminal); got != test.want {
			t.Errorf("DetectCaps(%s, %t) = %+v, want %+v", test.env, test.terminal, got, test.want)
		}
	}
}
