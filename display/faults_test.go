package display

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

var errPen = errors.New("the pen is dry")

// dry is a picture that cannot be drawn.
type dry struct{ Picture }

func (dry) SVG() ([]byte, error) { return nil, errPen }
func (dry) PNG() ([]byte, error) { return nil, errPen }
func (dry) PDF() ([]byte, error) { return nil, errPen }

// A picture that cannot be drawn is an error of the file that it was to stand in.
func TestPicturesThatFail(t *testing.T) {
	for _, path := range []string{"a.svg", "a.png", "a.PDF"} {
		if data, err := encodePicture(path, dry{}); !errors.Is(err, errPen) || !strings.Contains(err.Error(), path) || data != nil {
			t.Errorf("%s: %d bytes, %v", path, len(data), err)
		}
	}
}

// A heat map is saved as a picture, in every format by its own name, and refuses a negative number of columns.
func TestHeatMapIsSaved(t *testing.T) {
	spec := GridSpec{Panels: []HeatSpec{{Values: [][]float64{{1, 2}, {3, 4}}}}}
	h, err := NewGrid(spec)
	if err != nil {
		t.Fatal(err)
	}
	for end, magic := range map[string]string{".svg": "<svg", ".png": "\x89PNG", ".pdf": "%PDF"} {
		path := filepath.Join(t.TempDir(), "a"+end)
		want, err := h.Encode(path)
		if err != nil || !bytes.HasPrefix(want, []byte(magic)) {
			t.Fatalf("%s: %.20q, %v", end, want, err)
		}
		if err := h.Save(path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", end, len(got), len(want), err)
		}
	}
	if pdf, err := h.PDF(); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("%v", err)
	}
	spec.Width = 1
	if h, err := NewGrid(spec); !errors.Is(err, evidence.ErrParameter) || h != nil {
		t.Errorf("a page of one point: %v", err)
	}
	spec.Width, spec.Columns = 0, -1
	if h, err := NewGrid(spec); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "columns = -1") || h != nil {
		t.Errorf("columns = -1: %v", err)
	}
}

// torn is a font's file of which the reads after some fail.
type torn struct {
	data  []byte
	reads int
}

func (f *torn) ReadAt(p []byte, at int64) (int, error) {
	if f.reads--; f.reads < 0 {
		return 0, errPen
	}
	return bytes.NewReader(f.data).ReadAt(p, at)
}

// Letters of a font whose file cannot be read further are an error, at whatever place it ends, and never half a word.
func TestTornFonts(t *testing.T) {
	whole, err := outlines(new(sfnt.Buffer), must.Be(sfnt.Parse(goregular.TTF)), "ε and µ")
	if err != nil || whole == "" {
		t.Fatal(err)
	}
	failed := 0
	for more := 0; ; more++ {
		file := &torn{data: goregular.TTF, reads: 1 << 30}
		f, err := sfnt.ParseReaderAt(file)
		if err != nil {
			t.Fatal(err)
		}
		file.reads = more
		got, err := outlines(new(sfnt.Buffer), f, "ε and µ")
		if err == nil {
			if got != whole {
				t.Errorf("after %d reads the outline is another", more)
			}
			break
		}
		if failed++; !errors.Is(err, errPen) || got != "" {
			t.Errorf("after %d reads: %q, %v", more, got, err)
		}
	}
	if failed < 10 {
		t.Errorf("%d reads can fail", failed)
	}
}

// illegible is a picture with a word in a font that cannot be read.
type illegible struct{ face font.Face }

func (illegible) size() (w, h float64) { return 100, 100 }

func (i illegible) draw(p *page) { p.FillString(i.face, vg.Point{}, "a") }

// A page of PDF in a font that cannot be embedded is an error, not a page without words.
func TestPDFOfTornFonts(t *testing.T) {
	file := &torn{data: goregular.TTF, reads: 1 << 30}
	f, err := sfnt.ParseReaderAt(file)
	if err != nil {
		t.Fatal(err)
	}
	file.reads = 0
	if _, err := renderPDF(illegible{font.Face{Font: font.Font{Size: 10}, Face: f}}); !errors.Is(err, errPen) {
		t.Errorf("%v", err)
	}
}
