package display

import (
	"image"
	"math"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// The measures of all figures, in points.
const (
	margin    = 10.0
	titleSize = 12.0
	panelSize = 10.5
	labelSize = 10.0
	tickSize  = 8.5
	tickLen   = 3.5
	tickGap   = 2.5 // between a tick and its label
	labelGap  = 5.0 // between tick labels and the axis label
	lineWidth = 1.4
	hairline  = 0.6
	leading   = 1.2 // line distance over font size
)

// page is a drawing surface in points, origin at the lower left.
type page struct {
	vg.Canvas
	w, h  float64
	dpi   float64 // pixels per inch of a raster surface, 0 for a vector one
	fonts *font.Cache
}

// box is a rectangle in points.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) w() float64 { return b.x1 - b.x0 }
func (b box) h() float64 { return b.y1 - b.y0 }

func (b box) rectangle() vg.Rectangle {
	return vg.Rectangle{Min: point(b.x0, b.y0), Max: point(b.x1, b.y1)}
}

func point(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(y)} }

func newPage(c vg.Canvas, w, h, dpi float64) *page {
	p := &page{Canvas: c, w: w, h: h, dpi: dpi, fonts: font.NewCache(fonts())}
	p.fill(box{0, 0, w, h}, paper)
	return p
}

// face returns the typeface at a size in points.
func (p *page) face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: typeface, Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return p.fonts.Lookup(f, f.Size)
}

// measure returns a function that measures text of the given size in points.
func (p *page) measure(size float64, bold bool) func(string) float64 {
	return func(s string) float64 { return p.set(s, 0, 0, size, bold, false) }
}

// has returns a function that reports whether the typeface has a character.
func (p *page) has() func(rune) bool {
	var buf sfnt.Buffer
	face := p.face(tickSize, false).Face // bold has the same characters
	return func(r rune) bool {
		glyph, _ := face.GlyphIndex(&buf, r) // 0 with an error
		return glyph != 0
	}
}

// legible returns a text in characters that the typeface has.
func (p *page) legible(s string) string { return legible(s, p.has()) }

// write draws s with its baseline at y; align is the part of its width that
// lies left of x: 0, 0.5 or 1.
func (p *page) write(s string, x, y, align, size float64, bold bool, c rgb) {
	if s == "" {
		return
	}
	p.SetColor(c)
	p.set(s, x-align*p.set(s, 0, 0, size, bold, false), y, size, bold, true)
}

// writeUp draws s reading upwards, its middle at y and its baseline at x.
func (p *page) writeUp(s string, x, y, size float64) {
	if s == "" {
		return
	}
	p.SetColor(ink)
	p.Push()
	p.Translate(point(x, y))
	p.Rotate(math.Pi / 2)
	p.set(s, -p.set(s, 0, 0, size, false, false)/2, 0, size, false, true)
	p.Pop()
}

func (p *page) line(c rgb, width float64, points ...vg.Point) {
	p.SetColor(c)
	p.SetLineWidth(vg.Length(width))
	p.Stroke(path(points))
}

func path(points []vg.Point) vg.Path {
	var out vg.Path
	for i, pt := range points {
		if i == 0 {
			out.Move(pt)
		} else {
			out.Line(pt)
		}
	}
	return out
}

func (p *page) fill(b box, c rgb) {
	p.SetColor(c)
	p.Fill(b.rectangle().Path())
}

func (p *page) outline(b box, c rgb) {
	p.SetColor(c)
	p.SetLineWidth(hairline)
	p.Stroke(b.rectangle().Path())
}

// picture draws the image over b. pixelSize gives the image's size in pixels.
func (p *page) picture(b box, img image.Image) { p.DrawImage(b.rectangle(), img) }

// pixelSize returns how many pixels a length in points takes: exactly on a
// raster surface, at 300 to the inch on a vector one.
func (p *page) pixelSize(length float64) (n int, exact bool) {
	if p.dpi > 0 {
		return max(1, int(math.Round(length*p.dpi/72))), true
	}
	return max(1, int(math.Round(length*300/72))), false
}

// snap moves b to whole pixels of a raster surface.
func (p *page) snap(b box) box {
	if p.dpi == 0 {
		return b
	}
	f := func(v float64) float64 { return math.Round(v*p.dpi/72) * 72 / p.dpi }
	return box{f(b.x0), f(b.y0), f(b.x1), f(b.y1)}
}

// heading draws a title across the page below top and returns its lower end.
func (p *page) heading(s string, x, top, width, size float64) float64 {
	if s == "" {
		return top
	}
	for _, line := range wrapAtMost(s, 3, width, p.measure(size, true)) {
		top -= size * leading
		p.write(line, x, top+0.25*size, 0, size, true, ink)
	}
	return top - 0.3*size
}
