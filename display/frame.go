package display

import "fmt"

// frame is a pair of axes around a plotting area.
type frame struct {
	xlabel, ylabel string
	x, y           axis
	grid           bool
	xticks, yticks []tick
}

// space returns the room that axis, ticks and labels need left of, below and
// right of a plotting area that is about w × h points.
func (f *frame) space(p *page, w, h float64) (left, below, right float64) {
	tickWidth := p.measure(tickSize, false)
	below = tickLen + tickGap + tickSize + margin/2
	if f.xlabel != "" {
		n := len(wrapAtMost(f.xlabel, 2, w, p.measure(labelSize, false)))
		below += labelGap + float64(n)*labelSize*leading - margin/2
	}
	f.yticks = f.y.powers(f.y.fit(h-below, tickSize*0.9, 9, true, func(string) float64 { return tickSize }))
	widest := 0.0
	for _, t := range f.yticks {
		widest = max(widest, tickWidth(t.label))
	}
	left = tickLen + tickGap + widest
	if f.ylabel != "" {
		n := len(wrapAtMost(f.ylabel, 2, h-below, p.measure(labelSize, false)))
		left += labelGap + float64(n)*labelSize*leading
	}
	f.xticks = f.x.powers(f.x.fit(w-left, tickSize, 10, true, tickWidth))
	for _, t := range f.xticks {
		if t.label != "" {
			right = max(right, tickWidth(t.label)/2-(1-f.x.at(t.value))*(w-left))
		}
	}
	return left, below, right
}

// draw draws the axes around b. space must have been called before.
func (f *frame) draw(p *page, b box) {
	tickWidth := p.measure(tickSize, false)
	widest := 0.0
	for _, t := range f.xticks {
		x := b.x0 + f.x.at(t.value)*b.w()
		if t.label == "" {
			p.line(frameInk, hairline, point(x, b.y0), point(x, b.y0-tickLen/2))
			continue
		}
		if f.grid {
			p.line(gridInk, hairline, point(x, b.y0), point(x, b.y1))
		}
		p.line(frameInk, hairline, point(x, b.y0), point(x, b.y0-tickLen))
		p.write(t.label, x, b.y0-tickLen-tickGap-0.75*tickSize, 0.5, tickSize, false, ink)
	}
	for _, t := range f.yticks {
		y := b.y0 + f.y.at(t.value)*b.h()
		if t.label == "" {
			p.line(frameInk, hairline, point(b.x0, y), point(b.x0-tickLen/2, y))
			continue
		}
		if f.grid {
			p.line(gridInk, hairline, point(b.x0, y), point(b.x1, y))
		}
		p.line(frameInk, hairline, point(b.x0, y), point(b.x0-tickLen, y))
		p.write(t.label, b.x0-tickLen-tickGap, y-0.35*tickSize, 1, tickSize, false, ink)
		widest = max(widest, tickWidth(t.label))
	}
	y := b.y0 - tickLen - tickGap - tickSize - labelGap
	if f.xlabel != "" {
		for _, line := range wrapAtMost(f.xlabel, 2, b.w(), p.measure(labelSize, false)) {
			p.write(line, (b.x0+b.x1)/2, y-0.75*labelSize, 0.5, labelSize, false, ink)
			y -= labelSize * leading
		}
	}
	if f.ylabel != "" {
		lines := wrapAtMost(f.ylabel, 2, b.h(), p.measure(labelSize, false))
		x := b.x0 - tickLen - tickGap - widest - labelGap - 0.25*labelSize
		for i := range lines {
			line := lines[len(lines)-1-i]
			p.writeUp(line, x-float64(i)*labelSize*leading, (b.y0+b.y1)/2, labelSize)
		}
	}
}

// legendEntry is a piece of a legend: the name of a series, or a further line of a name that is wrapped. Positions are
// measured from the upper left corner: x in columns or points, y in lines.
type legendEntry[L int | float64] struct {
	x     L
	line  int
	k     int  // the series
	first bool // a sample of the series precedes the text
	text  string
}

// legend arranges the names of the series in lines of the given width, with a sample before each name and a gap
// after it. It uses at most the given number of lines, and counts the series that do not fit. A series without a
// name has no entry.
func legend[L int | float64](series []Series, width, sample, gap L, lines int, measure func(string) L) (out []legendEntry[L], used int) {
	var x L
	line := 0
	for k, s := range series {
		if s.Name == "" {
			continue
		}
		start := len(out)
		for i, text := range wrapAtMost(s.Name, 2, width-sample, measure) {
			w := sample + measure(text)
			if x > 0 && (x+w > width || i > 0) {
				x, line = 0, line+1
			}
			out = append(out, legendEntry[L]{x, line, k, i == 0, text})
			x += w + gap
		}
		if line >= lines {
			out = out[:start]
			rest := len(series) - k
			for len(out) > 0 && out[len(out)-1].line == lines-1 { // the last line is for the count
				if out[len(out)-1].first {
					rest++
				}
				out = out[:len(out)-1]
			}
			out = append(out, legendEntry[L]{0, lines - 1, -1, false, fmt.Sprintf("… and %d more", rest)})
			return out, lines
		}
	}
	if len(out) == 0 {
		return nil, 0
	}
	return out, line + 1
}
