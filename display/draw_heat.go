package display

import (
	"cmp"
	"image"
	"image/color"
	"math"
)

// The measures of a heat map, in points.
const (
	panelGap = 14.0
	barGap   = 14.0 // between the panels and the colour bar
	barWidth = 12.0
)

// size returns the page in points: 6.5 inches wide, which is a text column, and
// as high as the panels need.
func (h *HeatMap) size() (w, height float64) {
	rows := (len(h.panels) + h.columns - 1) / h.columns
	if h.columns == 1 && rows == 1 {
		return cmp.Or(h.width, 468), cmp.Or(h.height, 324)
	}
	w = cmp.Or(h.width, max(468, 180*float64(h.columns)+80))
	return w, cmp.Or(h.height, 40+float64(rows)*(w-80)/float64(h.columns)*0.86)
}

func (h *HeatMap) draw(p *page) {
	area := box{margin, margin, p.w - margin, p.h - margin}
	title, each := h.headings()
	area.y1 = p.heading(title, area.x0, area.y1, area.w(), titleSize)
	if each && title != "" {
		area.y1 -= 4
	}
	bar := h.barSpace(p, 0.6*area.h())
	area.x1 -= bar

	columns := h.columns
	rows := (len(h.panels) + columns - 1) / columns
	cellW := (area.w() - panelGap*float64(columns-1)) / float64(columns)
	cellH := (area.h() - panelGap*float64(rows-1)) / float64(rows)
	heads, titleW := 4.0, 0.75*cellW
	if each {
		for _, q := range h.panels {
			n := len(wrapAtMost(q.title, 3, titleW, p.measure(panelSize, true)))
			if q.title != "" {
				heads = max(heads, float64(n)*panelSize*leading+0.3*panelSize)
			}
		}
	}
	// All panels leave the same room around their cells, so that they align.
	frames := make([]*frame, len(h.panels))
	left, below, right := 0.0, 0.0, 0.0
	for k, q := range h.panels {
		frames[k] = &frame{xlabel: q.xlabel, ylabel: q.ylabel, x: q.x, y: q.y}
		l, b, r := frames[k].space(p, cellW, cellH-heads)
		left, below, right = max(left, l), max(below, b), max(right, r)
	}
	var extent box // from the first panel down
	for k, q := range h.panels {
		x := area.x0 + float64(k%columns)*(cellW+panelGap)
		y := area.y1 - float64(k/columns)*(cellH+panelGap)
		b := p.snap(box{x + left, y - cellH + below, x + cellW - right, y - heads})
		if each {
			p.heading(q.title, b.x0, y, titleW, panelSize)
		}
		h.drawCells(p, q, b)
		frames[k].draw(p, b)
		p.outline(b, frameInk)
		if k == 0 {
			extent = b
		}
		extent.y0 = min(extent.y0, b.y0)
	}
	h.drawBar(p, box{area.x1 + barGap, extent.y0, area.x1 + barGap + barWidth, extent.y1})
}

// drawCells draws a panel as one image: separate rectangles would show seams,
// and a viewer would blur an image with one pixel a cell.
func (h *HeatMap) drawCells(p *page, q *panel, b box) {
	w, exact := p.pixelSize(b.w())
	height, _ := p.pixelSize(b.h())
	if !exact {
		w, height = resolution(q.xs, w), resolution(q.ys, height)
	}
	img := image.NewPaletted(image.Rect(0, 0, w, height), h.palette())
	stripe := max(2, w/150)
	for i, level := range q.sample(h.scale, w, height) {
		if level < 0 {
			x, y := i%w, i/w
			level = levels
			if (x+y)/stripe%3 == 0 {
				level++
			}
		}
		img.Pix[i] = uint8(level)
	}
	p.picture(b, img)
}

// palette returns the colours of the map, followed by the two colours of a missing value.
func (h *HeatMap) palette() color.Palette {
	out := make(color.Palette, 0, levels+2)
	for _, c := range h.scale.colors.full {
		out = append(out, color.RGBA{c.r, c.g, c.b, 255})
	}
	for _, c := range missing {
		out = append(out, color.RGBA{c.r, c.g, c.b, 255})
	}
	return out
}

func (h *HeatMap) barTicks(height float64) []tick {
	return h.scale.powers(h.scale.barTicks(height, tickSize*0.7, 9, func(string) float64 { return tickSize }))
}

// barSpace returns the width of a colour bar that is about height points high, including the gap to the panels.
func (h *HeatMap) barSpace(p *page, height float64) float64 {
	width := p.measure(tickSize, false)
	w := 0.0
	for _, t := range h.barTicks(height) {
		w = max(w, width(t.label))
	}
	if h.valueLabel != "" {
		lines := wrapAtMost(h.valueLabel, 2, height, p.measure(labelSize, false))
		w += labelGap + float64(len(lines))*labelSize*leading
	}
	if h.gaps {
		w = max(w, width(noValue))
	}
	return barGap + barWidth + tickLen + tickGap + w
}

func (h *HeatMap) drawBar(p *page, b box) {
	if h.gaps {
		swatch := p.snap(box{b.x0, b.y0, b.x1, b.y0 + barWidth})
		h.drawMissing(p, swatch)
		p.write(noValue, b.x1+tickLen+tickGap, b.y0+barWidth/2-0.35*tickSize, 0, tickSize, false, ink)
		b.y0 += 2 * barWidth
	}
	b = p.snap(b)
	n, _ := p.pixelSize(b.h())
	img := image.NewPaletted(image.Rect(0, 0, 1, n), h.palette())
	for i := range n {
		img.Pix[i] = uint8(math.Round(h.scale.barLevel((float64(n-1-i) + 0.5) / float64(n))))
	}
	p.picture(b, img)
	p.outline(b, frameInk)
	widest := 0.0
	for _, t := range h.barTicks(b.h()) {
		y := b.y0 + h.scale.at(t.value)*b.h()
		p.line(frameInk, hairline, point(b.x1, y), point(b.x1+tickLen, y))
		p.write(t.label, b.x1+tickLen+tickGap, y-0.35*tickSize, 0, tickSize, false, ink)
		widest = max(widest, p.measure(tickSize, false)(t.label))
	}
	lines := wrapAtMost(h.valueLabel, 2, b.h(), p.measure(labelSize, false))
	for i, line := range lines {
		x := b.x1 + tickLen + tickGap + widest + labelGap + (0.75+leading*float64(i))*labelSize
		p.writeUp(line, x, (b.y0+b.y1)/2, labelSize)
	}
}

func (h *HeatMap) drawMissing(p *page, b box) {
	w, _ := p.pixelSize(b.w())
	height, _ := p.pixelSize(b.h())
	img := image.NewPaletted(image.Rect(0, 0, w, height), h.palette())
	stripe := max(2, w/9)
	for i := range img.Pix {
		img.Pix[i] = levels
		if (i%w+i/w)/stripe%3 == 0 {
			img.Pix[i]++
		}
	}
	p.picture(b, img)
	p.outline(b, frameInk)
}
