package display

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The terminal receives the complete picture, nearly undistorted, in whole lines that fit the terminal.
func TestInlineImages(t *testing.T) {
	p, err := NewLinePlot(LineSpec{Series: []Series{{Y: []float64{1, 4, 9}}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	w, h := p.size()
	chunk := regexp.MustCompile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\")
	cells := regexp.MustCompile(`,c=(\d+),r=(\d+),`)
	iterm := regexp.MustCompile("^\x1b]1337;File=inline=1;size=(\\d+);width=(\\d+);height=(\\d+);preserveAspectRatio=1:([^\a]*)\a\n$")
	for _, c := range []Caps{{}, {Width: 100, Height: 30}, {Width: 40, Height: 30}, {Width: 24, Height: 10}, {Width: 200, Height: 30, CellWidth: 9, CellHeight: 17}} {
		c.Images = KittyImages
		var data, keys string
		for i, m := range chunk.FindAllStringSubmatch(p.Terminal(c), -1) {
			if len(m[2]) > 4096 || (i == 0) != strings.HasPrefix(m[1], "a=T,f=100,") {
				t.Errorf("chunk %d has %d bytes and the keys %s", i, len(m[2]), m[1])
			}
			data += m[2]
			keys += m[1]
		}
		c.Images = ITermImages
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
		full := c.sized()
		stretch := float64(rows*full.CellHeight) / float64(columns*full.CellWidth) * w / h
		if columns > min(full.Width, 80) || rows > full.Height || math.Abs(stretch-1) > 0.03 {
			t.Errorf("%+v: %d columns and %d lines stretch the picture by %.3f", c, columns, rows, stretch)
		}
	}
	if strings.Contains(p.Terminal(Caps{Width: 60}), "\x1b") {
		t.Error("a plain terminal receives a picture")
	}
}

// sheet is an empty page with a size in points.
type sheet struct{ w, h float64 }

func (s sheet) size() (w, h float64) { return s.w, s.h }
func (sheet) draw(*page)             {}

// A page is rendered at the resolution rounded down to whole dots per inch, at least 1. A sixel image fills its
// columns up to one dot per inch.
func TestWholeDotsPerInch(t *testing.T) {
	for dpi, whole := range map[float64]int{0.3: 1, 1.9: 1, 72: 72, 72.01: 72, 99.99: 99} {
		if got := renderImage(sheet{720, 360}, dpi).Bounds().Size(); got.X != 10*whole || got.Y != 5*whole {
			t.Errorf("%g dots per inch: %v, want %d", dpi, got, whole)
		}
	}
	for _, c := range []Caps{{Width: 50, CellWidth: 7, CellHeight: 15}, {Width: 37, Height: 12, CellWidth: 11, CellHeight: 23}} {
		c = c.sized()
		c.Images = SixelImages
		for _, s := range []sheet{{468, 306}, {396, 432}} {
			columns, rows := c.cellsFor(s)
			right := 0
			for p := range readSixel(t, inline(s, c)) {
				right = max(right, p.X+1)
			}
			if inch := int(math.Ceil(s.w / 72)); right > columns*c.CellWidth || right <= columns*c.CellWidth-inch-1 {
				t.Errorf("%+v, %v: %d pixels wide, want %d columns up to one dot per inch; %d rows", c, s, right, columns, rows)
			}
		}
	}
}

// Of the eight widest sizes that fit the terminal, cellsFor returns the one with the least distortion in whole lines,
// and the widest if several tie. The reference uses rational arithmetic.
func TestCellsForMinimizesDistortion(t *testing.T) {
	for _, s := range []sheet{{468, 306}, {396, 432}, {900, 150}, {150, 900}, {7200, 108}, {468, 324}} {
		for _, c := range []Caps{{}, {Width: 24, Height: 10}, {Width: 200, Height: 60}, {Width: 71, Height: 33, CellWidth: 9, CellHeight: 17}, {Width: 40, Height: 11, CellWidth: 8, CellHeight: 16}, {Width: 64, Height: 40, CellWidth: 7, CellHeight: 14}} {
			c = c.sized()
			slope := big.NewRat(int64(s.h)*int64(c.CellWidth), int64(s.w)*int64(c.CellHeight)) // lines per column
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
			if columns, rows := c.cellsFor(s); columns != wantColumns || rows != wantRows {
				t.Errorf("%v in %+v takes %d columns and %d lines, want %d and %d", s, c, columns, rows, wantColumns, wantRows)
			}
		}
	}
}
