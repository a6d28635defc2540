package display

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
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
	if err := c.doc.Output(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pdfCanvas draws on a PDF page. gonum's own canvas stamps the time of day and
// knows only the characters of Windows code page 1252, so no ε; this one embeds
// the glyphs in use of whatever font it is given.
type pdfCanvas struct {
	pose
	doc    *fpdf.Fpdf
	fonts  map[string]bool
	images int
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
	c := &pdfCanvas{pose: pose{height: h}, doc: doc, fonts: map[string]bool{}}
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

func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		c.doc.SetError(err)
		return
	}
	c.images++
	name := fmt.Sprint("image", c.images)
	options := fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, options, &data)
	x, y := c.at(vg.Point{X: r.Min.X, Y: r.Max.Y})
	size := r.Size()
	c.doc.ImageOptions(name, x, y, size.X.Points(), size.Y.Points(), false, options, 0, "")
}
