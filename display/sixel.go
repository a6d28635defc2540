package display

import (
	"fmt"
	"image"
	"strings"
)

// maxSixelColors is the number of colour registers that terminals have.
const maxSixelColors = 256

// sixel writes a picture, pixel for pixel, as a terminal's device control string.
func sixel(img image.Image) string {
	size := img.Bounds().Size()
	pixels, palette := index(img)
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", size.X, size.Y)
	for n, c := range palette {
		percent := func(v uint8) int { return (int(v)*100 + 127) / 255 }
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", n, percent(c.r), percent(c.g), percent(c.b))
	}
	const band = 6 // rows of pixels
	line := make([]byte, size.X)
	for top := 0; top < size.Y; top += band {
		if top > 0 {
			b.WriteByte('-') // the next band
		}
		height := min(band, size.Y-top)
		var used [maxSixelColors]bool
		for _, n := range pixels[top*size.X : (top+height)*size.X] {
			used[n] = true
		}
		first := true
		for n := range palette {
			if !used[n] {
				continue
			}
			if !first {
				b.WriteByte('$') // back to the start of the band
			}
			first = false
			fmt.Fprintf(&b, "#%d", n)
			for x := range line {
				line[x] = '?'
				for y := range height {
					if int(pixels[(top+y)*size.X+x]) == n {
						line[x] += 1 << y
					}
				}
			}
			writeRuns(&b, line)
		}
	}
	b.WriteString("\x1b\\\n")
	return b.String()
}

// writeRuns writes a line of sixels with its repetitions counted, and without
// the empty ones at its end.
func writeRuns(b *strings.Builder, line []byte) {
	end := len(line)
	for end > 0 && line[end-1] == '?' {
		end--
	}
	for x := 0; x < end; {
		n := 1
		for x+n < end && line[x+n] == line[x] {
			n++
		}
		if n > 3 {
			fmt.Fprintf(b, "!%d%c", n, line[x])
		} else {
			b.Write(line[x : x+n])
		}
		x += n
	}
}

// index returns the colour of every pixel, row by row, as a place in a palette
// of at most maxSixelColors colours. Where there are more, the last bits of each
// channel are dropped until they suffice: curves and letters keep their colours,
// and a heat map its order.
func index(img image.Image) (pixels []uint8, palette []rgb) {
	r := img.Bounds()
	for drop := 0; ; drop++ {
		known := make(map[rgb]uint8)
		pixels, palette = pixels[:0], palette[:0]
		for y := r.Min.Y; y < r.Max.Y && len(palette) <= maxSixelColors; y++ {
			for x := r.Min.X; x < r.Max.X && len(palette) <= maxSixelColors; x++ {
				red, green, blue, _ := img.At(x, y).RGBA()
				c := rgb{coarse(red, drop), coarse(green, drop), coarse(blue, drop)}
				n, ok := known[c]
				if !ok {
					n = uint8(len(palette))
					known[c] = n
					palette = append(palette, c)
				}
				pixels = append(pixels, n)
			}
		}
		if len(palette) <= maxSixelColors {
			return pixels, palette
		}
	}
}

// coarse returns a channel of 16 bits as one of 8, of which the last are the
// first again, so that black and white stay what they are.
func coarse(v uint32, drop int) uint8 {
	kept := uint8(v>>8) >> drop
	steps := 255 >> drop
	return uint8(int(kept) * 255 / steps)
}
