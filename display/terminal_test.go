package display

import (
	"fmt"
	"math"
	"math/bits"
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

func TestHeatMapInASCII(t *testing.T) {
	one := 1.0
	h := must.Be(NewHeatMap(HeatSpec{
		Title: "Ratio", XLabel: "graph", YLabel: "eps", ValueLabel: "P/P_S", Center: &one,
		X: []float64{10, 20, 30, 40}, Values: [][]float64{{0.25, 0.5, 1, 2}, {0.5, 1, 2, math.NaN()}, {1, 2, 4, 4}},
	}))
	checkGolden(t, h.Terminal(Caps{Width: 30, Height: 14}), `
Ratio
eps
2 +......bbbbbbdddddddddddd
1 +222222......bbbbbb??????
0 +444444222222......bbbbbb
  +---+-----+-----+-----+--
     10    20    30    40
            graph

   P/P_S   ? no value
   43332222111..aaabbbbcccd
 0.25   0.5    1     2    4
`)
}

func TestHeatMapInColor(t *testing.T) {
	h := must.Be(NewHeatMap(HeatSpec{Values: [][]float64{{0, 1}, {2, 3}}}))
	many := must.Be(NewHeatMap(HeatSpec{Values: ratios(40, 2)}))
	if s := many.Terminal(Caps{Colors: TrueColor, Unicode: true}); !strings.Contains(s, "▀") {
		t.Errorf("no half blocks in\n%s", s)
	}
	got := h.Terminal(Caps{Width: 24, Height: 10, Colors: TrueColor, Unicode: true})
	m := sequentialMap()
	first := strings.Split(got, "\n")[0]
	c := m.full[levels*2/3]
	if want := fmt.Sprintf("\x1b[48;2;%d;%d;%dm ", c.r, c.g, c.b); !strings.Contains(first, want) {
		t.Errorf("the upper left cell of %q is not %q", first, want)
	}
	got = h.Terminal(Caps{Colors: Color256, Unicode: true})
	if strings.Contains(got, "8;2;") || !strings.Contains(got, "48;5;53m") {
		t.Errorf("not in 256 colours:\n%q", got)
	}
}

func TestLinePlotInASCII(t *testing.T) {
	l := must.Be(NewLinePlot(LineSpec{
		Title: "Lines", XLabel: "x", YLabel: "y",
		Series: []Series{
			{Name: "up", Y: []float64{0, 1, 2, 3, 4}},
			{Name: "gap", Y: []float64{4, 3, math.NaN(), 1, 0}},
		},
	}))
	checkGolden(t, l.Terminal(Caps{Width: 30, Height: 12}), `
Lines
a  up   b  gap
y
4 +bbbb                  aaaa
  |    bbb           aaaa
2 +             aaaaa
  |        aaaaa
  |    aaaa           bbb
0 +aaaa                  bbbb
  ++-----+------+-----+-----+
   0     1      2     3     4
               x
`)
}

func TestLinePlotInBraille(t *testing.T) {
	l := must.Be(NewLinePlot(LineSpec{Series: []Series{{Name: "diagonal", Y: []float64{0, 1}}}}))
	got := l.Terminal(Caps{Width: 24, Height: 10, Colors: TrueColor, Unicode: true})
	c := termColors[0]
	if want := fmt.Sprintf("\x1b[38;2;%d;%d;%dm━━\x1b[0m diagonal", c.r, c.g, c.b); !strings.Contains(got, want) {
		t.Errorf("no legend %q in\n%s", want, got)
	}
	checkGolden(t, escapes.ReplaceAllString(got, ""), `
━━ diagonal
1.0 ┤                ⡠⠔
    │             ⣀⠔⠉
    │          ⢀⠔⠊
0.5 ┤       ⢀⡠⠊⠁
    │     ⡠⠒⠁
    │  ⣀⠔⠉
0.0 ┤⠔⠊
    └┬────────┬───────┬
    0.0      0.5     1.0
`)
}

// Where two curves share a cell, the dots of both remain.
func TestBrailleKeepsEarlierDots(t *testing.T) {
	dots := func(series ...Series) int {
		l := must.Be(NewLinePlot(LineSpec{Series: series}))
		n := 0
		for _, r := range l.Terminal(Caps{Width: 24, Height: 10, Colors: TrueColor, Unicode: true}) {
			if r >= blankBraille && r < blankBraille+256 {
				n += bits.OnesCount8(uint8(r - blankBraille))
			}
		}
		return n
	}
	corners := Series{Y: []float64{0, 1}, NoLine: true} // one range for all
	steep, flat := Series{Y: []float64{0, 1}}, Series{Y: []float64{0.2, 0.8}}
	both, apart := dots(corners, steep, flat), dots(corners, steep)+dots(corners, flat)-dots(corners)
	if both < apart-4 { // they cross in four dots at most
		t.Errorf("%d dots together, %d apart", both, apart)
	}
}

// drawText draws strings that are awkward to lay out.
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
		t.Errorf("the last line does not end")
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
