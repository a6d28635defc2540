package display_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

// ratios returns a matrix of values between 0.05 and 5.
func ratios(rows, columns int) [][]float64 {
	v := make([][]float64, rows)
	for i := range v {
		for j := range columns {
			v[i] = append(v[i], 0.05*math.Pow(100, 0.5+0.5*math.Sin(float64(j)/100+float64(i)/9)))
		}
	}
	return v
}

// pictures returns pictures of every kind, with every feature.
func pictures() map[string]display.Picture {
	one, nan := 1.0, math.NaN()
	panel := display.HeatSpec{Title: "Δf/Vol = 2 < 3 & more", XLabel: "radius δ", YLabel: "ε (nats)", Values: ratios(9, 12)}
	panel.Title += " Δ∆ µμ" // pairs of characters with the same glyph
	gap := panel
	gap.Values = ratios(9, 12)
	gap.Values[3][4] = nan
	return map[string]display.Picture{
		"figure": must.Be(display.NewHeatMap(display.HeatSpec{Title: "Ratio", XLabel: "graph", YLabel: "ε (nats)", ValueLabel: "P/P_S", Values: ratios(40, 1044), Center: &one})),
		"grid":   must.Be(display.NewGrid(display.GridSpec{Title: "Four", Panels: []display.HeatSpec{panel, gap, panel, panel}, Center: &one})),
		"lines": must.Be(display.NewLinePlot(display.LineSpec{
			Title: "Privacy", XLabel: "ε (nats)", YLabel: "δ", LogY: true, X: []float64{1, 2, 3, 4},
			Series: []display.Series{
				{Name: "δ-neighborhood", Y: []float64{1e-3, nan, 1e-6, 1e-7}, Markers: true},
				{Name: "Ladder <b>", Y: []float64{1e-2, 1e-3, 1e-4, 1e-5}, Lower: []float64{1e-3, 1e-4, 1e-5, 1e-6}, Upper: []float64{1e-1, 1e-2, nan, 1e-4}},
			},
		})),
	}
}

// The same picture gives the same bytes when drawn again, drawn concurrently, or built again.
func TestPicturesRepeatByteForByte(t *testing.T) {
	render := map[string]func(display.Picture) ([]byte, error){"svg": display.Picture.SVG, "png": display.Picture.PNG, "pdf": display.Picture.PDF}
	again := pictures()
	for name, p := range pictures() {
		for format, f := range render {
			want, err := f(p)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					if got, err := f(again[name]); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s.%s differs on a repeat (error %v)", name, format, err)
					}
				})
			}
			wg.Wait()
		}
	}
}

func TestSVGIsXMLWithItsText(t *testing.T) {
	for name, p := range pictures() {
		data := must.Be(p.SVG())
		var text strings.Builder
		images := 0
		d := xml.NewDecoder(bytes.NewReader(data))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch e := token.(type) {
			case xml.CharData:
				text.Write(e)
			case xml.StartElement:
				if e.Name.Local == "image" {
					images++
				}
			}
		}
		for _, want := range map[string][]string{
			"figure": {"Ratio", "graph", "ε (nats)", "P/P", "S", "0.05", "1000"},
			"grid":   {"Four", "Δf/Vol = 2 < 3 & more Δ∆ µμ", "radius δ", "no value"},
			"lines":  {"Privacy", "δ-neighborhood", "Ladder <b>", "−7"},
		}[name] {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no text %q", name, want)
			}
		}
		if want := map[string]int{"figure": 2, "grid": 6, "lines": 0}[name]; images != want {
			t.Errorf("%s: %d images, want %d", name, images, want)
		}
		if len(data) > 1<<20 {
			t.Errorf("%s: %d bytes of SVG", name, len(data))
		}
	}
}

// Text stays on the page: the outermost pixels of every picture are blank.
func TestMarginsAreEmpty(t *testing.T) {
	all := map[string]display.Picture{"figure": pictures()["figure"]}
	long := strings.Repeat("a very long label indeed, ", 30)
	var many []display.Series
	for k := range 60 {
		many = append(many, display.Series{Name: fmt.Sprintf("mechanism %d", k), Y: []float64{1e6, 2e6 + float64(k)}})
	}
	all["long"] = must.Be(display.NewLinePlot(display.LineSpec{Title: long, XLabel: long, YLabel: long, Series: many}))
	all["long map"] = must.Be(display.NewHeatMap(display.HeatSpec{Title: long, XLabel: long, YLabel: long, ValueLabel: long, Values: [][]float64{{1e-9, 123456}}}))
	panel := display.HeatSpec{Title: long, XLabel: long, YLabel: long, Values: ratios(2, 2)}
	all["long grid"] = must.Be(display.NewGrid(display.GridSpec{Title: long, Columns: 3, Panels: []display.HeatSpec{panel, panel, panel, panel}}))
	wordy := display.LineSpec{Title: long, XLabel: long, YLabel: long, Series: many}
	all["long panels"] = must.Be(display.NewLinePanels(display.PanelsSpec{Title: long, Panels: []display.LineSpec{wordy, wordy, wordy}}))
	for name, p := range all {
		img := must.Be(png.Decode(bytes.NewReader(must.Be(p.PNG()))))
		b := img.Bounds()
		white := func(r image.Rectangle) bool {
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					if r, g, b, _ := img.At(x, y).RGBA(); r+g+b != 3*0xffff {
						return false
					}
				}
			}
			return true
		}
		const edge = 5
		for _, r := range []image.Rectangle{
			image.Rect(0, 0, b.Dx(), edge), image.Rect(0, b.Dy()-edge, b.Dx(), b.Dy()),
			image.Rect(0, 0, edge, b.Dy()), image.Rect(b.Dx()-edge, 0, b.Dx(), b.Dy()),
		} {
			if !white(r) {
				t.Errorf("%s: something is drawn within %v", name, r)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	l := pictures()["lines"]
	for name, start := range map[string]string{"a.svg": "<svg", "b.PNG": "\x89PNG", "c.pdf": "%PDF"} {
		if data := must.Be(l.Encode(name)); !strings.HasPrefix(string(data), start) {
			t.Errorf("%s starts with %q", name, data[:4])
		}
	}
	for _, name := range []string{"a.jpg", "plain", "x.csv"} {
		_, err := l.Encode(name)
		if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), ".svg, .png or .pdf") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
