package display

import "strings"

// Colors says how many colours a terminal shows.
type Colors int

const (
	NoColor   Colors = iota // characters alone
	Color256                // the 6 × 6 × 6 cube and the greys of xterm
	TrueColor               // 24 bits
)

// Caps says what a terminal can show. The zero value is 80 columns of plain
// ASCII.
type Caps struct {
	Width   int // columns; 0 means 80, and less than 24 is taken as 24
	Height  int // lines for one picture, or one row of a grid; 0 means 20, and less than 10 is taken as 10
	Colors  Colors
	Unicode bool // box-drawing, block and braille characters
	Images  Images

	CellWidth, CellHeight int // pixels of a character, which matter to images; 0 means 10 by 20
}

// DetectCaps returns what the terminal behind a stream can show, from its
// environment: NO_COLOR (no-color.org), TERM, COLORTERM, and LC_ALL, LC_CTYPE
// and LANG for the character set, which is taken for UTF-8 where none is set.
// WORKBENCH_IMAGES (kitty, iterm, sixel or none) says what it takes for images
// where TERM and TERM_PROGRAM do not. A stream that is no terminal gets no
// colour. The caller sets the sizes.
func DetectCaps(lookup func(name string) (value string, ok bool), isTerminal bool) Caps {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.ToLower(v)
	}
	c := Caps{Unicode: true}
	term := get("TERM")
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := get(name); v != "" { // the first that is set decides
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
