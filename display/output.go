package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"path/filepath"
	"strings"

	"dpworkbench/internal/parameter"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngDPI makes a figure 1300 pixels wide: sharp at a column's width on paper and in a notebook on a high-density
// screen.
const pngDPI = 200

// drawing is a picture that can be drawn on a page of its size in points.
type drawing interface {
	size() (w, h float64)
	draw(p *page)
}

func renderPNG(d drawing) []byte { return encoded(renderImage(d, pngDPI)) }

// encoded returns an image as PNG. The encoder only fails for an empty image, one with 2³² pixels a side, or a
// failing writer, none of which occurs here.
func encoded(img image.Image) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, img)
	return out.Bytes()
}

// renderImage draws a picture at the given resolution, rounded down to whole pixels.
func renderImage(d drawing, dpi float64) image.Image {
	w, h := d.size()
	dots := max(1, math.Floor(dpi))
	c := rasterCanvas{vgimg.NewWith(vgimg.UseWH(vg.Length(w), vg.Length(h)), vgimg.UseDPI(int(dots))), dots}
	d.draw(newPage(c, w, h, dots))
	return c.Image()
}

// rasterCanvas draws images pixel by pixel, because the base would smooth them.
type rasterCanvas struct {
	*vgimg.Canvas
	dpi float64
}

func (c rasterCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	dst := c.Image()
	dots := func(l vg.Length) int { return int(math.Round(l.Points() * c.dpi / 72)) }
	height := dst.Bounds().Dy()
	at := image.Rect(dots(r.Min.X), height-dots(r.Max.Y), dots(r.Max.X), height-dots(r.Min.Y))
	xdraw.NearestNeighbor.Scale(dst, at, img, img.Bounds(), xdraw.Src, nil)
}

// picture adds output formats to a drawing.
type picture struct{ of drawing }

// SVG returns the picture as a scalable vector graphic.
func (p picture) SVG() ([]byte, error) { return renderSVG(p.of) }

// PNG returns the picture as an image of 200 pixels to the inch.
func (p picture) PNG() ([]byte, error) { return renderPNG(p.of), nil }

// PDF returns the picture as one page of its size.
func (p picture) PDF() ([]byte, error) { return renderPDF(p.of) }

// Encode returns the picture as a file that ends in .svg, .png or .pdf.
func (p picture) Encode(path string) ([]byte, error) {
	return inFormat(path, []format{{".svg", p.SVG}, {".png", p.PNG}, {".pdf", p.PDF}})
}

// format is a way to write a figure to a file.
type format struct {
	extension string
	render    func() ([]byte, error)
}

// inFormat renders by the extension of path.
func inFormat(path string, formats []format) ([]byte, error) {
	extension := strings.ToLower(filepath.Ext(path))
	var known []string
	for _, f := range formats {
		known = append(known, f.extension)
		if f.extension != extension {
			continue
		}
		data, err := f.render()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return data, nil
	}
	return nil, parameter.Bad("path", path, "one that ends in %s", words(known))
}
