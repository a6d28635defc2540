package display

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"dpworkbench/internal/must"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

var errPen = errors.New("the pen is dry")

// If a picture cannot be drawn, Encode and Save return the error for their file.
func TestPicturesThatFail(t *testing.T) {
	dry := func() ([]byte, error) { return nil, errPen }
	for _, path := range []string{"a.svg", "a.PDF"} {
		if data, err := inFormat(path, []format{{".svg", dry}, {".pdf", dry}}); !errors.Is(err, errPen) || !strings.Contains(err.Error(), path) || data != nil {
			t.Errorf("%s: %d bytes, %v", path, len(data), err)
		}
	}
}

// failingFont is a font file whose reads fail after a number of reads, or fail once.
type failingFont struct {
	data  []byte
	reads int
	once  bool
}

func (f *failingFont) ReadAt(p []byte, at int64) (int, error) {
	if f.reads--; f.reads == -1 || f.reads < 0 && !f.once {
		return 0, errPen
	}
	return bytes.NewReader(f.data).ReadAt(p, at)
}

// table returns the position of a table in a font file.
func table(data []byte, tag string) (entry, start int) {
	entry = bytes.Index(data, []byte(tag))
	return entry, int(binary.BigEndian.Uint32(data[entry+8:]))
}

// kerned is a font without the table for kerning, so that the older table is used.
func kerned(data []byte) []byte {
	data = bytes.Clone(data)
	entry, _ := table(data, "GPOS")
	copy(data[entry:], "GPOT")
	return data
}

// listed is a font with only the letters A to Z, whose glyphs are looked up in a list (OpenType, cmap, format 4).
func listed(data []byte) []byte {
	font := must.Be(sfnt.Parse(data))
	words := []uint16{0, 1, 3, 1, 0, 12, // one table, Windows Unicode, at byte 12
		4, 2 * (16 + 26), 0, 4, 4, 1, 0, // two segments
		'Z', 0xffff, 0, 'A', 0xffff, 0, 1, 4, 0} // ends, starts, deltas, and offset of the list
	for r := 'A'; r <= 'Z'; r++ {
		words = append(words, uint16(must.Be(font.GlyphIndex(nil, r))))
	}
	data = bytes.Clone(data)
	_, start := table(data, "cmap")
	for i, w := range words {
		binary.BigEndian.PutUint16(data[start+2*i:], w)
	}
	return data
}

// If a font file cannot be read at some point, drawing text returns an error. It never returns a part of the text or
// other outlines.
func TestUnreadableFonts(t *testing.T) {
	var standard bytes.Buffer
	if _, err := newPage(&svgCanvas{}, 100, 100, 0).face(10, false).Face.WriteSourceTo(nil, &standard); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		text string
	}{
		"the default": {standard.Bytes(), "ε and µ"}, "Go": {goregular.TTF, "ε and µ"}, "a kerned": {kerned(standard.Bytes()), "AVATAR"}, "a listed": {listed(goregular.TTF), "WAVES"},
	} {
		data, text := c.data, c.text
		whole, err := outlines(new(sfnt.Buffer), must.Be(sfnt.Parse(data)), text)
		if err != nil || whole == "" {
			t.Fatal(err)
		}
		if usual := must.Be(outlines(new(sfnt.Buffer), must.Be(sfnt.Parse(goregular.TTF)), text)); name == "a listed" && whole != usual {
			t.Errorf("%s font has other letters", name)
		}
		for _, once := range []bool{false, true} {
			failed := 0
			for more := 0; ; more++ {
				file := &failingFont{data: data, reads: 1 << 30}
				f, err := sfnt.ParseReaderAt(file)
				if err != nil {
					t.Fatal(err)
				}
				file.reads, file.once = more, once
				got, err := outlines(new(sfnt.Buffer), f, text)
				if file.reads >= 0 { // no read failed
					if err != nil || got != whole {
						t.Errorf("%s font after %d reads: another outline, %v", name, more, err)
					}
					break
				}
				if failed++; (!errors.Is(err, errPen) || got != "") && !(once && err == nil && got == whole) { // the parser can do without some tables
					t.Errorf("%s font after %d reads, once %t: %.20q, %v", name, more, once, got, err)
				}
			}
			if failed < 10 {
				t.Errorf("%s font: only %d reads can fail", name, failed)
			}
		}
	}
}

// illegible is a picture with text in an unreadable font.
type illegible struct{ face font.Face }

func (illegible) size() (w, h float64) { return 100, 100 }

func (i illegible) draw(p *page) { p.FillString(i.face, vg.Point{}, "a") }

// A PDF or SVG page with an unreadable font is an error, not a page without text.
func TestRenderWithUnreadableFont(t *testing.T) {
	file := &failingFont{data: goregular.TTF, reads: 1 << 30}
	f, err := sfnt.ParseReaderAt(file)
	if err != nil {
		t.Fatal(err)
	}
	file.reads = 0
	page := illegible{font.Face{Font: font.Font{Size: 10}, Face: f}}
	if _, err := renderPDF(page); !errors.Is(err, errPen) {
		t.Errorf("PDF: %v", err)
	}
	if _, err := renderSVG(page); !errors.Is(err, errPen) {
		t.Errorf("SVG: %v", err)
	}
}
