package display

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"strings"

	"dpworkbench/internal/parameter"
)

// ErrFormat is wrapped by the error of a format that the program for browsers leaves out.
var ErrFormat = errors.New("the program for browsers does not have this format: save as .svg")

// pngDPI makes a figure 1300 pixels wide: sharp at a column's width on paper and in a notebook on a high-density
// screen.
const pngDPI = 200

// drawing is a picture that can be drawn on a page of its size in points.
type drawing interface {
	size() (w, h float64)
	draw(p *page)
}

// encoded returns an image as PNG. The encoder only fails for an empty image, one with 2³² pixels a side, or a
// failing writer, none of which occurs here.
func encoded(img image.Image) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, img)
	return out.Bytes()
}

// picture adds output formats to a drawing.
type picture struct{ of drawing }

// SVG returns the picture as a scalable vector graphic.
func (p picture) SVG() ([]byte, error) { return renderSVG(p.of) }

// PNG returns the picture as an image of 200 pixels to the inch.
func (p picture) PNG() ([]byte, error) { return renderPNG(p.of) }

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
