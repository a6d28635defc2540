package display

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

func renderSVG(d drawing) ([]byte, error) {
	w, h := d.size()
	c := &svgCanvas{transform: transform{height: h}}
	fmt.Fprintf(&c.out, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%spt" height="%[2]spt" viewBox="0 0 %[1]s %s">`+"\n", coordinate(w), coordinate(h))
	vg.Initialize(c)
	d.draw(newPage(c, w, h, 0))
	c.out.WriteString("</svg>\n")
	return c.out.Bytes(), c.err
}

// svgCanvas writes an SVG document that looks the same in every viewer. gonum's own canvas depends on the viewer's
// fonts, or embeds 400 kB that many viewers ignore, and labels its PNG images as JPEG. Here letters are outlines,
// with invisible text above them for searching and copying.
type svgCanvas struct {
	transform
	out   bytes.Buffer
	err   error
	paint color.NRGBA
	width float64
	dash  []vg.Length
	line  svgPath
	buf   sfnt.Buffer
}

func (c *svgCanvas) SetLineWidth(w vg.Length)                     { c.width = w.Points() }
func (c *svgCanvas) SetLineDash(pattern []vg.Length, _ vg.Length) { c.dash = pattern }

func (c *svgCanvas) SetColor(clr color.Color) { c.paint = color.NRGBAModel.Convert(clr).(color.NRGBA) }

// colors returns the attributes that fill or stroke in the present colour.
func (c *svgCanvas) colors(attribute string) string {
	s := fmt.Sprintf(`%s="#%02x%02x%02x"`, attribute, c.paint.R, c.paint.G, c.paint.B)
	if c.paint.A < 255 {
		s += fmt.Sprintf(` %s-opacity="%s"`, attribute, coordinate(float64(c.paint.A)/255))
	}
	return s
}

func (c *svgCanvas) Stroke(p vg.Path) {
	c.line.data.Reset()
	c.trace(p, &c.line)
	dash := ""
	for i, d := range c.dash {
		if i > 0 {
			dash += " "
		}
		dash += coordinate(d.Points())
	}
	if dash != "" {
		dash = ` stroke-dasharray="` + dash + `"`
	}
	fmt.Fprintf(&c.out, `<path d="%s" fill="none" %s stroke-width="%s"%s/>`+"\n", c.line.data.String(), c.colors("stroke"), coordinate(c.width), dash)
}

func (c *svgCanvas) Fill(p vg.Path) {
	c.line.data.Reset()
	c.trace(p, &c.line)
	fmt.Fprintf(&c.out, `<path d="%s" %s/>`+"\n", c.line.data.String(), c.colors("fill"))
}

func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	x, y := c.at(vg.Point{X: r.Min.X, Y: r.Max.Y})
	size := r.Size()
	fmt.Fprintf(&c.out, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" xlink:href="data:image/png;base64,%s"/>`+"\n",
		coordinate(x), coordinate(y), coordinate(size.X.Points()), coordinate(size.Y.Points()),
		base64.StdEncoding.EncodeToString(encoded(img)))
}

func (c *svgCanvas) FillString(face font.Face, p vg.Point, s string) {
	x, y := c.at(p)
	size := face.Font.Size.Points()
	scale := size / float64(face.Face.UnitsPerEm())
	turn := ""
	if c.turn != 0 {
		turn = fmt.Sprintf(" rotate(%s)", coordinate(-c.turn*180/math.Pi))
	}
	outline, err := outlines(&c.buf, face.Face, s)
	if err != nil {
		c.err = err
		return
	}
	fmt.Fprintf(&c.out, `<g transform="translate(%s %s)%s"><path transform="scale(%s)" d="%s" %s/>`,
		coordinate(x), coordinate(y), turn, strconv.FormatFloat(scale, 'g', 5, 64), outline, c.colors("fill"))
	weight := ""
	if face.Font.Weight == stdfont.WeightBold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.out, `<text fill="none" font-family="Liberation Sans, Arial, sans-serif" font-size="%s"%s textLength="%s">%s</text></g>`+"\n",
		coordinate(size), weight, coordinate(face.Width(s).Points()), html.EscapeString(s))
}

// outlines returns the outlines of the glyphs of s, which start at the origin and run to the right, in font units.
func outlines(buf *sfnt.Buffer, f *sfnt.Font, s string) (string, error) {
	em := fixed.Int26_6(f.UnitsPerEm())
	var path svgPath
	var x fixed.Int26_6
	var last sfnt.GlyphIndex
	for i, r := range s {
		glyph, err := f.GlyphIndex(buf, r)
		if err != nil {
			return "", err
		}
		if i > 0 {
			kern, err := f.Kern(buf, last, glyph, em, stdfont.HintingNone)
			if err != nil && !errors.Is(err, sfnt.ErrNotFound) {
				return "", err
			}
			x += kern // kern is 0 if the pair has no kerning
		}
		segments, err := f.LoadGlyph(buf, glyph, em, nil)
		if err != nil {
			return "", err
		}
		at := func(p fixed.Point26_6) (float64, float64) { return float64(x + p.X), float64(p.Y) }
		open := false
		for _, g := range segments {
			ax, ay := at(g.Args[0])
			bx, by := at(g.Args[1])
			switch g.Op {
			case sfnt.SegmentOpMoveTo:
				if open {
					path.ClosePath()
				}
				path.MoveTo(ax, ay)
				open = true
			case sfnt.SegmentOpLineTo:
				path.LineTo(ax, ay)
			case sfnt.SegmentOpQuadTo:
				path.command('Q', ax, ay, bx, by)
			case sfnt.SegmentOpCubeTo:
				ex, ey := at(g.Args[2])
				path.CurveBezierCubicTo(ax, ay, bx, by, ex, ey)
			}
		}
		if open {
			path.ClosePath()
		}
		advance, err := f.GlyphAdvance(buf, glyph, em, stdfont.HintingNone)
		if err != nil {
			return "", err
		}
		x += advance
		last = glyph
	}
	return path.data.String(), nil
}

// svgPath is a pen that writes the d attribute of a path.
type svgPath struct{ data strings.Builder }

func (p *svgPath) command(name byte, args ...float64) {
	p.data.WriteByte(name)
	for i, v := range args {
		s := coordinate(v)
		if i > 0 && s[0] != '-' {
			p.data.WriteByte(' ')
		}
		p.data.WriteString(s)
	}
}

func (p *svgPath) MoveTo(x, y float64) { p.command('M', x, y) }
func (p *svgPath) LineTo(x, y float64) { p.command('L', x, y) }
func (p *svgPath) ClosePath()          { p.data.WriteByte('Z') }
func (p *svgPath) CurveBezierCubicTo(x1, y1, x2, y2, x3, y3 float64) {
	p.command('C', x1, y1, x2, y2, x3, y3)
}

// coordinate writes points to the hundredth.
func coordinate(v float64) string {
	s := trimZeros(strconv.FormatFloat(v, 'f', 2, 64))
	if s == "-0" {
		return "0"
	}
	return s
}
