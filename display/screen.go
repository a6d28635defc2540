package display

import (
	"fmt"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Images is the protocol by which a terminal shows images.
type Images int

const (
	NoImages    Images = iota
	KittyImages        // the graphics protocol of kitty (sw.kovidgoyal.net/kitty/graphics-protocol)
	ITermImages        // the inline images of iTerm2 (iterm2.com/documentation-images.html)
	SixelImages        // six rows of pixels at a time, from DEC's printers and terminals (VT330/VT340 manual, ch. 14)
)

// screen is a rectangle of character cells.
type screen struct {
	w, h  int
	caps  Caps
	cells []cell
	codes map[rgb]int // xterm codes found so far
}

// cell holds one character; the cell after a wide one is empty.
type cell struct {
	text   string
	fg, bg *rgb
	bold   bool
}

func newScreen(w, h int, caps Caps) *screen {
	s := &screen{w: w, h: h, caps: caps, cells: make([]cell, w*h), codes: map[rgb]int{}}
	for i := range s.cells {
		s.cells[i].text = " "
	}
	return s
}

// put writes text from column x on, cut at the edges.
func (s *screen) put(x, y int, text string, fg *rgb, bold bool) {
	if y < 0 || y >= s.h {
		return
	}
	g := displaywidth.StringGraphemes(text)
	for g.Next() {
		w := g.Width()
		if w < 1 {
			continue
		}
		if x >= 0 && x+w <= s.w {
			s.cells[y*s.w+x] = cell{text: g.Value(), fg: fg, bold: bold}
			for k := 1; k < w; k++ {
				s.cells[y*s.w+x+k] = cell{}
			}
		}
		x += w
	}
}

// paint sets one cell.
func (s *screen) paint(x, y int, c cell) {
	if x >= 0 && x < s.w && y >= 0 && y < s.h {
		s.cells[y*s.w+x] = c
	}
}

// draw copies another screen into this one.
func (s *screen) draw(x, y int, t *screen) {
	for i := range t.h {
		copy(s.cells[(y+i)*s.w+x:(y+i)*s.w+x+t.w], t.cells[i*t.w:(i+1)*t.w])
	}
}

// String returns the lines, without the blanks that end them and with the
// fewest colour changes.
func (s *screen) String() string {
	var out strings.Builder
	for y := range s.h {
		row := s.cells[y*s.w : (y+1)*s.w]
		for len(row) > 0 && row[len(row)-1].text == " " && row[len(row)-1].bg == nil {
			row = row[:len(row)-1]
		}
		style := ""
		for _, c := range row {
			if c.text == "" {
				continue
			}
			if next := s.style(c); next != style {
				if style != "" {
					out.WriteString("\x1b[0m")
				}
				out.WriteString(next)
				style = next
			}
			out.WriteString(c.text)
		}
		if style != "" {
			out.WriteString("\x1b[0m")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// style returns the escape sequence that cell c needs, if any.
func (s *screen) style(c cell) string {
	if s.caps.Colors == NoColor {
		return ""
	}
	var parts []string
	if c.bold {
		parts = append(parts, "1")
	}
	if c.fg != nil && c.text != " " {
		parts = append(parts, s.colorCode(38, *c.fg))
	}
	if c.bg != nil {
		parts = append(parts, s.colorCode(48, *c.bg))
	}
	if parts == nil {
		return ""
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

func (s *screen) colorCode(ground int, c rgb) string {
	if s.caps.Colors == TrueColor {
		return fmt.Sprintf("%d;2;%d;%d;%d", ground, c.r, c.g, c.b)
	}
	code, ok := s.codes[c]
	if !ok {
		code = nearest256(c)
		s.codes[c] = code
	}
	return fmt.Sprintf("%d;5;%d", ground, code)
}

// xtermColor returns xterm's colour for a code: 16…231 are the colour cube, 232…255 the greys. The first sixteen
// colours are up to the user.
func xtermColor(code int) rgb {
	if code >= 232 {
		v := uint8(8 + 10*(code-232))
		return rgb{v, v, v}
	}
	steps := [6]uint8{0, 95, 135, 175, 215, 255}
	code -= 16
	return rgb{steps[code/36], steps[code/6%6], steps[code%6]}
}

// nearest256 returns the code of the xterm colour nearest to c in Oklab.
func nearest256(c rgb) int {
	want := toOklab(c)
	best, least := 0, math.Inf(1)
	for code := 16; code < 256; code++ {
		have := toOklab(xtermColor(code))
		d := 0.0
		for i := range have {
			d += (have[i] - want[i]) * (have[i] - want[i])
		}
		if d < least {
			best, least = code, d
		}
	}
	return best
}

// Colors is the number of colours of a terminal.
type Colors int

const (
	NoColor   Colors = iota // characters alone
	Color256                // the 6 × 6 × 6 cube and the greys of xterm
	TrueColor               // 24 bits
)

// Caps are the capabilities of a terminal. The zero value is 80 columns of plain ASCII.
type Caps struct {
	Width   int // columns; 0 means 80, and less than 24 is taken as 24
	Height  int // lines for one picture, or one row of a grid; 0 means 20, and less than 10 is taken as 10
	Colors  Colors
	Unicode bool // box-drawing, block and braille characters
	Images  Images

	CellWidth, CellHeight int // pixels of a character, which matter to images; 0 means 10 by 20
}

// DetectCaps returns the capabilities of a stream's terminal, from its environment: NO_COLOR (no-color.org), TERM,
// COLORTERM, and LC_ALL, LC_CTYPE and LANG for the character set. The default is UTF-8 if none of these is set.
// WORKBENCH_IMAGES (kitty, iterm, sixel or none) overrides the protocol for images. A stream that is not a terminal
// has no colour. The caller sets the sizes.
func DetectCaps(lookup func(name string) (value string, ok bool), isTerminal bool) Caps {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.ToLower(v)
	}
	c := Caps{Unicode: true}
	term := get("TERM")
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := get(name); v != "" { // the first variable that is set decides
			c.Unicode = strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
			break
		}
	}
	if term == "dumb" {
		c.Unicode = false
	}
	plain := term == "" || term == "dumb" || strings.HasPrefix(term, "vt")
	if !isTerminal || plain || get("NO_COLOR") != "" {
		return c
	}
	c.Colors, c.Images = Color256, detectImages(get)
	if depth := get("COLORTERM"); depth == "truecolor" || depth == "24bit" || strings.HasSuffix(term, "-direct") {
		c.Colors = TrueColor
	}
	return c
}

// sized fills in the default size.
func (c Caps) sized() Caps {
	if c.Width <= 0 {
		c.Width = 80
	}
	if c.Height <= 0 {
		c.Height = 20
	}
	c.Width, c.Height = max(c.Width, 24), max(c.Height, 10)
	if c.CellWidth <= 0 || c.CellHeight <= 0 {
		c.CellWidth, c.CellHeight = 10, 20
	}
	return c
}
