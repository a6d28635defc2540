package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
)

// The size of a character and the margin, in pixels.
const (
	wide, high, margin = 8.4, 17, 12
	baseline           = 13
)

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// draw returns the first columns × lines characters of a screen as SVG. Half
// blocks become rectangles, so that no font leaves seams between them.
func draw(screen string, columns, lines int) []byte {
	var b bytes.Buffer
	width, height := wide*float64(columns)+2*margin, high*float64(lines)+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" rx="8" fill="%v"/>`+"\n", width, height, paper)
	b.WriteString(`<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">` + "\n")
	rows := parse(screen)
	for y, row := range rows[:min(len(rows), lines)] {
		row = row[:min(len(row), columns)]
		for x := 0; x < len(row); {
			n := x + 1
			for n < len(row) && row[n].style == row[x].style && blocks[row[n].text] == blocks[row[x].text] && (blocks[row[x].text] == 0 || row[n].text == row[x].text) {
				n++
			}
			run(&b, x, y, row[x:n])
			x = n
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// blocks are the characters drawn as rectangles: the upper half, the lower, all.
var blocks = map[string]int{"▀": 1, "▄": 2, "█": 3}

// run draws cells of one style.
func run(b *bytes.Buffer, x, y int, cells []cell) {
	fore, back := cells[0].style.colors()
	left, top, width := margin+wide*float64(x), margin+float64(high*y), wide*float64(len(cells))
	rect := func(offset, height float64, c rgb) {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%v" shape-rendering="crispEdges"/>`+"\n", left, top+offset, width+0.2, height, c)
	}
	if back != paper {
		rect(0, high+0.2, back)
	}
	switch blocks[cells[0].text] {
	case 1:
		rect(0, high/2.0, fore)
		return
	case 2:
		rect(high/2.0, high/2.0+0.2, fore)
		return
	case 3:
		rect(0, high+0.2, fore)
		return
	}
	weight := ""
	if cells[0].style.bold {
		weight = ` font-weight="bold"`
	}
	// Word by word: what viewers do with several blanks differs.
	for from := 0; from < len(cells); {
		if cells[from].text == " " {
			from++
			continue
		}
		to := from
		var word strings.Builder
		for ; to < len(cells) && cells[to].text != " "; to++ {
			word.WriteString(cells[to].text)
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%v"%s textLength="%.1f">%s</text>`+"\n",
			left+wide*float64(from), top+baseline, fore, weight, wide*float64(to-from), html.EscapeString(word.String()))
		from = to
	}
}
