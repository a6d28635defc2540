//go:build !js

package display

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

func renderPDF(d drawing) ([]byte, error) {
	w, h := d.size()
	c := newPDFCanvas(w, h)
	d.draw(newPage(c, w, h, 0))
	var out bytes.Buffer
	err := c.doc.Output(&out)
	return out.Bytes(), err
}

// pdfCanvas draws on a PDF page. gonum's own canvas adds a time stamp and supports only Windows code page 1252, which
// lacks ε. pdfCanvas embeds the used glyphs of any font.
type pdfCanvas struct {
	transform
	doc    *fpdf.Fpdf
	fonts  map[string]bool
	widths map[int]bool // widths in pixels of the images so far
}

func newPDFCanvas(w, h float64) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w, Ht: h}})
	epoch := time.Unix(0, 0).UTC()
	doc.SetCreationDate(epoch)
	doc.SetModificationDate(epoch)
	doc.SetCatalogSort(true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	c := &pdfCanvas{transform: transform{height: h}, doc: doc, fonts: map[string]bool{}, widths: map[int]bool{}}
	vg.Initialize(c)
	return c
}

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.doc.SetLineWidth(w.Points()) }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	d := make([]float64, len(pattern))
	for i, l := range pattern {
		d[i] = l.Points()
	}
	c.doc.SetDashPattern(d, offset.Points())
}

func (c *pdfCanvas) SetColor(clr color.Color) {
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	c.trace(p, c.doc)
	c.doc.DrawPath("D")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	c.trace(p, c.doc)
	c.doc.DrawPath("F")
}

func (c *pdfCanvas) FillString(face font.Face, p vg.Point, s string) {
	style := ""
	if face.Font.Weight == stdfont.WeightBold {
		style = "B"
	}
	if !c.fonts[style] {
		c.fonts[style] = true
		var data bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &data); err != nil {
			c.doc.SetError(err)
			return
		}
		c.doc.AddUTF8FontFromBytes("house", style, data.Bytes())
	}
	c.doc.SetFont("house", style, face.Font.Size.Points())
	x, y := c.at(p)
	c.doc.TransformBegin()
	c.doc.TransformRotate(c.turn*180/math.Pi, x, y)
	c.doc.Text(x, y, s)
	c.doc.TransformEnd()
}

// DrawImage draws a paletted image. fpdf sorts images by their width in pixels, and equal ones in random order. So
// each image gets a distinct width, by extra columns beyond its right edge that are clipped on the page.
func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	own := widened{PalettedImage: img.(image.PalettedImage)}
	for c.widths[own.Bounds().Dx()] {
		own.extra++
	}
	width := own.Bounds().Dx()
	c.widths[width] = true
	name, options := fmt.Sprint("image", width), fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, options, bytes.NewReader(encoded(own)))
	x, y := c.at(vg.Point{X: r.Min.X, Y: r.Max.Y})
	w, h := r.Size().X.Points(), r.Size().Y.Points()
	c.doc.ClipRect(x, y, w, h, false)
	c.doc.ImageOptions(name, x, y, w*float64(width)/float64(img.Bounds().Dx()), h, false, options, 0, "")
	c.doc.ClipEnd()
}

// widened repeats the last column of an image that starts at the origin.
type widened struct {
	image.PalettedImage
	extra int
}

func (w widened) Bounds() image.Rectangle {
	b := w.PalettedImage.Bounds()
	b.Max.X += w.extra
	return b
}

func (w widened) inside(x int) int { return min(x, w.PalettedImage.Bounds().Max.X-1) }

func (w widened) ColorIndexAt(x, y int) uint8 { return w.PalettedImage.ColorIndexAt(w.inside(x), y) }
func (w widened) At(x, y int) color.Color     { return w.PalettedImage.At(w.inside(x), y) }
