//go:build !js

package display

import (
	"image"
	"math"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

func renderPNG(d drawing) ([]byte, error) { return encoded(renderImage(d, pngDPI)), nil }

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
