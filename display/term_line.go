package display

import (
	"math"
	"slices"
)

// Terminal renders the curves in character cells: in colours as braille dots, 2 × 4 per cell, or without colour as
// letters a, b, c, … in the order of the legend. Bounds of a band are dotted.
func (l *LinePlot) Terminal(c Caps) string {
	c = c.sized()
	if c.Images != NoImages {
		return inline(l, c)
	}
	return l.flattened().screen(c).String()
}

// screen draws the curves over the terminal's columns and lines.
func (l *LinePlot) screen(c Caps) *screen {
	legend := l.termLegend(c)
	top := headingLines(l.title, c.Width)
	above, below := termOverhead(l.xlabel, l.ylabel)
	rows := max(4, c.Height-top-legend.h-above-below)
	f := newTermFrame(l.xlabel, l.ylabel, l.x, l.y, rows)
	w := c.Width - f.gutter - 1

	s := newScreen(c.Width, top+legend.h+above+rows+below, c)
	y := s.heading(l.title, 0)
	s.draw(0, y, legend)
	y += legend.h + above
	f.draw(s, f.gutter, y, w, rows)
	for k := range l.series {
		l.termSeries(s, k, f.gutter, y, w, rows)
	}
	return s
}

// flattened returns the plot with labels as a terminal shows them.
func (l *LinePlot) flattened() *LinePlot {
	out := *l
	out.title, out.xlabel, out.ylabel = flat(l.title), flat(l.xlabel), flat(l.ylabel)
	out.series = slices.Clone(l.series)
	for k := range out.series {
		out.series[k].Name = flat(l.series[k].Name)
	}
	return &out
}

// dotted reports whether curves are drawn in braille.
func dotted(c Caps) bool { return c.Colors != NoColor && c.Unicode }

// letter returns the mark of series k.
func letter(k int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return string(letters[k%len(letters)])
}

func (l *LinePlot) termLegend(c Caps) *screen {
	entries, lines := legend(l.series, c.Width, 3, 3, max(1, c.Height/4), columns)
	s := newScreen(c.Width, lines, c)
	for _, e := range entries {
		if e.first {
			mark := letter(e.k)
			if dotted(c) {
				mark = "━━"
			}
			s.put(e.x, e.line, mark, &termColors[e.k%len(termColors)], false)
		}
		s.put(e.x+3, e.line, e.text, nil, false)
	}
	return s
}

// termSeries draws one series into the w × h area at (x0, y0).
func (l *LinePlot) termSeries(s *screen, k, x0, y0, w, h int) {
	fine := dotted(s.caps)
	dw, dh := w, h
	if fine {
		dw, dh = 2*w, 4*h
	}
	color := &termColors[k%len(termColors)]
	dots := make(map[int]rune)
	dot := func(x, y float64) {
		px, py := place(x, dw), dh-1-place(y, dh)
		if !fine {
			s.paint(x0+px, y0+py, cell{text: letter(k), fg: color})
			return
		}
		at := py/4*w + px/2
		dots[at] |= brailleDot(px%2, py%4)
	}
	series := &l.series[k]
	l.trace(series.X, series.Lower, dw, dh, 4, dot)
	l.trace(series.X, series.Upper, dw, dh, 4, dot)
	step := 1
	if series.NoLine {
		step = 0
	}
	l.trace(series.X, series.Y, dw, dh, step, dot)
	for at, pattern := range dots {
		x, y := x0+at%w, y0+at/w
		for _, r := range s.cells[y*s.w+x].text { // the cell keeps the dots of earlier curves
			if r > blankBraille {
				pattern |= r - blankBraille
			}
		}
		s.paint(x, y, cell{text: string(blankBraille + pattern), fg: color})
	}
}

// blankBraille is the braille pattern without dots; those with dots follow it.
const blankBraille = 0x2800

// brailleDot returns the bit of the dot in column x of 2 and row y of 4.
func brailleDot(x, y int) rune {
	return [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}[x][y]
}

// trace calls dot along a curve, in fractions of the axes, every step-th dot of
// a dw × dh raster, or at the points alone for step 0.
func (l *LinePlot) trace(xs, ys []float64, dw, dh, step int, dot func(x, y float64)) {
	if ys == nil {
		return
	}
	for _, r := range runs(ys) {
		var spots []spot
		for i := r[0]; i < r[1]; i++ {
			spots = append(spots, l.spot(xs[i], ys[i]))
		}
		if step == 0 {
			for _, s := range spots {
				if s.within() {
					dot(s.x, s.y)
				}
			}
			continue
		}
		for _, piece := range pieces(spots) {
			for i, s := range piece {
				if step == 1 || i == 0 {
					dot(s.x, s.y)
				}
				if i+1 == len(piece) {
					continue
				}
				next := piece[i+1]
				n := int(math.Ceil(max(math.Abs(next.x-s.x)*float64(dw), math.Abs(next.y-s.y)*float64(dh))))
				for j := step; j < n; j += step {
					t := float64(j) / float64(n)
					dot(s.x+t*(next.x-s.x), s.y+t*(next.y-s.y))
				}
			}
		}
	}
}
