package display

import (
	"cmp"
	"image/color"
	"math"

	"dpworkbench/internal/lists"

	"gonum.org/v1/plot/vg"
)

// dashes distinguish curves after all colours have been used, in points.
var dashes = [][]vg.Length{nil, {5, 2.5}, {1.5, 2}, {6, 2, 1.5, 2}}

func (l *LinePlot) size() (w, h float64) {
	w, h = 468, 306
	if l.equal {
		w, h = 396, 432
	}
	return cmp.Or(l.width, w), cmp.Or(l.height, h)
}

func (l *LinePlot) draw(p *page) {
	area := l.drawHead(p, box{margin, margin, p.w - margin, p.h - margin}, titleSize)
	f := l.frame()
	l.drawBody(p, f, l.frameBox(p, f, area))
}

// frame returns the axes of the plot.
func (l *LinePlot) frame() *frame {
	return &frame{xlabel: l.xlabel, ylabel: l.ylabel, x: l.x, y: l.y, grid: true}
}

// drawHead draws title and legend and returns the area below them.
func (l *LinePlot) drawHead(p *page, area box, size float64) box {
	area.y1 = p.heading(l.title, area.x0, area.y1, area.w(), size)
	area.y1 = l.drawLegend(p, area) - 4
	return area
}

// drawBody draws axes and curves, with the plotting area b.
func (l *LinePlot) drawBody(p *page, f *frame, b box) {
	f.draw(p, b)
	for k := range l.series {
		l.drawBand(p, b, k)
	}
	for k := range l.series {
		l.drawSeries(p, b, k)
	}
	p.line(frameInk, hairline, point(b.x0, b.y1), point(b.x0, b.y0), point(b.x1, b.y0))
}

// frameBox returns the plotting area inside title and legend: square if the axes are equal.
func (l *LinePlot) frameBox(p *page, f *frame, area box) box {
	left, below, right := f.space(p, area.w(), area.h())
	if !l.equal {
		return box{area.x0 + left, area.y0 + below, area.x1 - right, area.y1}
	}
	side := min(area.w()-left-right, area.h()-below)
	left, below, right = f.space(p, left+side+right, below+side) // with the ticks that fit this size
	side = min(side, area.w()-left-right, area.h()-below)
	x0 := area.x0 + left + (area.w()-left-right-side)/2
	return box{x0, area.y1 - side, x0 + side, area.y1}
}

// drawLegend draws the names in rows below the title and returns its lower end.
func (l *LinePlot) drawLegend(p *page, area box) float64 {
	const sample, gap, space, size = 22.0, 5.0, 16.0, tickSize + 0.5
	entries, lines := legend(l.series, area.w(), sample+gap, space, 8, p.measure(size, false))
	for _, e := range entries {
		x, y := area.x0+e.x, area.y1-float64(e.line+1)*labelSize*leading
		if e.first {
			s, mid := l.series[e.k], y+0.3*labelSize
			if s.banded() {
				p.SetColor(translucent(e.k))
				p.Fill(box{x, mid - 4, x + sample, mid + 4}.rectangle().Path())
			}
			if !s.NoLine {
				p.stroke(e.k, []vg.Point{point(x, mid), point(x+sample, mid)})
			}
			if s.Markers {
				p.mark(e.k, x+sample/2, mid)
			}
		}
		p.write(e.text, x+sample+gap, y, 0, size, false, ink)
	}
	if lines == 0 {
		return area.y1
	}
	return area.y1 - float64(lines)*labelSize*leading - 0.3*labelSize
}

// spot returns the position of a point on the plot.
func (l *LinePlot) spot(x, y float64) spot { return spot{l.x.at(x), l.y.at(y)} }

// place returns the position on the page of a spot of the plot.
func (b box) place(s spot) vg.Point { return point(b.x0+s.x*b.w(), b.y0+s.y*b.h()) }

// places returns the positions of several spots.
func (b box) places(spots []spot) []vg.Point {
	return lists.Of(len(spots), func(i int) vg.Point { return b.place(spots[i]) })
}

func (l *LinePlot) drawBand(p *page, b box, k int) {
	s := l.series[k]
	if !s.banded() {
		return
	}
	for _, r := range runs(s.Lower, s.Upper) {
		var outline []spot
		for i := r[0]; i < r[1]; i++ {
			outline = append(outline, l.spot(s.X[i], s.Upper[i]))
		}
		for i := r[1] - 1; i >= r[0]; i-- {
			outline = append(outline, l.spot(s.X[i], s.Lower[i]))
		}
		if r[1]-r[0] == 1 { // a bar
			for _, piece := range pieces(outline) {
				p.line(lineColors[k%len(lineColors)], 0.8, b.places(piece)...)
			}
			continue
		}
		if outline = cutArea(outline); len(outline) == 0 {
			continue
		}
		area := path(b.places(outline))
		area.Close()
		p.SetColor(translucent(k))
		p.Fill(area)
	}
}

func (l *LinePlot) drawSeries(p *page, b box, k int) {
	s := l.series[k]
	for _, r := range runs(s.Y) {
		points := make([]spot, 0, r[1]-r[0])
		for i := r[0]; i < r[1]; i++ {
			points = append(points, l.spot(s.X[i], s.Y[i]))
		}
		if !s.NoLine {
			for _, piece := range pieces(points) {
				p.stroke(k, thin(b.places(piece)))
			}
		}
		if s.Markers || len(points) == 1 { // a point between gaps would vanish
			for _, at := range points {
				if at.within() {
					pt := b.place(at)
					p.mark(k, pt.X.Points(), pt.Y.Points())
				}
			}
		}
	}
}

// thin drops points within 0.05 pt of the last one kept, which is below any resolution, so that a curve of a
// million points stays a small file.
func thin(points []vg.Point) []vg.Point {
	const least = 0.05
	out := points[:1:1]
	for i, pt := range points[1:] {
		d := pt.Sub(out[len(out)-1])
		if math.Hypot(d.X.Points(), d.Y.Points()) >= least || i == len(points)-2 {
			out = append(out, pt)
		}
	}
	return out
}

func translucent(k int) color.Color {
	c := lineColors[k%len(lineColors)]
	return color.NRGBA{c.r, c.g, c.b, 56}
}

// stroke draws a curve in the style of series k.
func (p *page) stroke(k int, points []vg.Point) {
	p.SetLineDash(dashes[k/len(lineColors)%len(dashes)], 0)
	p.line(lineColors[k%len(lineColors)], lineWidth, points...)
	p.SetLineDash(nil, 0)
}

// mark draws the marker of series k: a disc, square, triangle or diamond.
func (p *page) mark(k int, x, y float64) {
	const r = 2.4
	var shape vg.Path
	switch k % 4 {
	case 0:
		shape.Move(point(x+r, y))
		shape.Arc(point(x, y), r, 0, 2*math.Pi)
	case 1:
		shape = path([]vg.Point{point(x-r, y-r), point(x+r, y-r), point(x+r, y+r), point(x-r, y+r)})
	case 2:
		shape = path([]vg.Point{point(x-1.2*r, y-r), point(x+1.2*r, y-r), point(x, y+1.3*r)})
	case 3:
		shape = path([]vg.Point{point(x-1.3*r, y), point(x, y-1.3*r), point(x+1.3*r, y), point(x, y+1.3*r)})
	}
	shape.Close()
	p.SetColor(lineColors[k%len(lineColors)])
	p.Fill(shape)
}
