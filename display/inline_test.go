package display_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

var cells = regexp.MustCompile(`,c=(\d+),r=(\d+),`)

// sheet returns a plot of the given size in points.
func sheet(t *testing.T, w, h float64) *display.LinePlot {
	t.Helper()
	p := must.For(display.NewLinePlot(display.LineSpec{Series: []display.Series{{Y: []float64{1, 4, 9}}}, Width: w, Height: h}))(t)
	return p
}

// sized fills in the default sizes.
func sized(c display.Caps) display.Caps {
	if c.Width == 0 {
		c.Width, c.Height = 80, 20
	}
	if c.CellWidth == 0 {
		c.CellWidth, c.CellHeight = 10, 20
	}
	return c
}

// cellsFor returns the columns and lines that a picture takes on a terminal.
func cellsFor(p display.Picture, c display.Caps) (columns, rows int) {
	c.Images = display.KittyImages
	size := cells.FindStringSubmatch(p.Terminal(c))
	columns, _ = strconv.Atoi(size[1])
	rows, _ = strconv.Atoi(size[2])
	return columns, rows
}

// The terminal receives the complete picture, nearly undistorted, in whole lines that fit the terminal.
func TestInlineImages(t *testing.T) {
	const w, h = 468.0, 306.0
	p := sheet(t, w, h)
	want := must.For(p.PNG())(t)
	chunk := regexp.MustCompile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\")
	iterm := regexp.MustCompile("^\x1b]1337;File=inline=1;size=(\\d+);width=(\\d+);height=(\\d+);preserveAspectRatio=1:([^\a]*)\a\n$")
	for _, c := range []display.Caps{{}, {Width: 100, Height: 30}, {Width: 40, Height: 30}, {Width: 24, Height: 10}, {Width: 200, Height: 30, CellWidth: 9, CellHeight: 17}} {
		c.Images = display.KittyImages
		var data, keys string
		for i, m := range chunk.FindAllStringSubmatch(p.Terminal(c), -1) {
			if len(m[2]) > 4096 || (i == 0) != strings.HasPrefix(m[1], "a=T,f=100,") {
				t.Errorf("chunk %d has %d bytes and the keys %s", i, len(m[2]), m[1])
			}
			data += m[2]
			keys += m[1]
		}
		c.Images = display.ITermImages
		m := iterm.FindStringSubmatch(p.Terminal(c))
		size := cells.FindStringSubmatch(keys)
		if m == nil || size == nil || m[1] != strconv.Itoa(len(want)) || m[2] != size[1] || m[3] != size[2] {
			t.Fatalf("%+v: the keys %s and %q", c, keys, m[:min(len(m), 4)])
		}
		for _, text := range []string{data, m[4]} {
			got, err := base64.StdEncoding.DecodeString(text)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes arrive, %v, want the picture of %d bytes", len(got), err, len(want))
			}
		}
		columns, _ := strconv.Atoi(m[2])
		rows, _ := strconv.Atoi(m[3])
		full := sized(c)
		stretch := float64(rows*full.CellHeight) / float64(columns*full.CellWidth) * w / h
		if columns > min(full.Width, 80) || rows > full.Height || math.Abs(stretch-1) > 0.03 {
			t.Errorf("%+v: %d columns and %d lines stretch the picture by %.3f", c, columns, rows, stretch)
		}
	}
	if strings.Contains(p.Terminal(display.Caps{Width: 60}), "\x1b") {
		t.Error("a plain terminal receives a picture")
	}
}

// A sixel image has the largest whole number of dots per inch at which it fits its columns, at least 1.
func TestWholeDotsPerInch(t *testing.T) {
	for _, inches := range cases.Of([][2]int{{6, 4}}, [][2]int{{6, 4}, {10, 2}, {100, 2}}) {
		p := sheet(t, float64(72*inches[0]), float64(72*inches[1]))
		for _, c := range []display.Caps{{Width: 50, CellWidth: 7, CellHeight: 15}, {Width: 37, Height: 12, CellWidth: 11, CellHeight: 23}, {Width: 72, Height: 40}, {Width: 24, Height: 40, CellWidth: 3, CellHeight: 6}} {
			columns, _ := cellsFor(p, c)
			whole := max(columns*sized(c).CellWidth/inches[0], 1)
			c.Images = display.SixelImages
			var corner image.Point
			for at := range readSixel(t, p.Terminal(c)) {
				corner.X, corner.Y = max(corner.X, at.X+1), max(corner.Y, at.Y+1)
			}
			if want := image.Pt(inches[0]*whole, inches[1]*whole); corner != want {
				t.Errorf("%+v, %v inches: %v pixels, want %v", c, inches, corner, want)
			}
		}
	}
}

// Of the eight widest sizes that fit the terminal, a picture takes the one with the least distortion in whole lines,
// and the widest if several tie. The reference uses rational arithmetic.
func TestCellsForMinimizesDistortion(t *testing.T) {
	sizes := [][2]float64{{234, 153}, {120, 720}, {110, 120}, {7200, 108}, {720, 120}, {156, 108}}
	for _, s := range cases.Of(sizes[:3], sizes) {
		p := sheet(t, s[0], s[1])
		for _, c := range []display.Caps{{}, {Width: 24, Height: 10}, {Width: 200, Height: 60}, {Width: 71, Height: 33, CellWidth: 9, CellHeight: 17}, {Width: 40, Height: 11, CellWidth: 8, CellHeight: 16}, {Width: 64, Height: 40, CellWidth: 7, CellHeight: 14}} {
			c = sized(c)
			slope := big.NewRat(int64(s[1])*int64(c.CellWidth), int64(s[0])*int64(c.CellHeight)) // lines per column
			exact := func(columns int) *big.Rat { return new(big.Rat).Mul(slope, big.NewRat(int64(columns), 1)) }
			widest := min(c.Width, 80)
			for widest > 0 && exact(widest).Cmp(big.NewRat(int64(c.Height), 1)) > 0 {
				widest--
			}
			wantColumns, wantRows := 1, 1
			var least *big.Rat
			for n := widest; n > widest-8 && n > 0; n-- {
				for rows := 1; rows <= c.Height; rows++ {
					gap := new(big.Rat).Quo(big.NewRat(int64(rows), 1), exact(n))
					gap.Abs(gap.Sub(gap, big.NewRat(1, 1)))
					if least == nil || gap.Cmp(least) < 0 {
						wantColumns, wantRows, least = n, rows, gap
					}
				}
			}
			if columns, rows := cellsFor(p, c); columns != wantColumns || rows != wantRows {
				t.Errorf("%v in %+v takes %d columns and %d lines, want %d and %d", s, c, columns, rows, wantColumns, wantRows)
			}
		}
	}
}
