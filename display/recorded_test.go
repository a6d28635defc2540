package display

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/must"
)

var update = flag.Bool("update", false, "write the pictures on record anew")

// oddPictures are those of corners: one value, few, axes of either kind and of few or
// many places, names that are too long and series that are too many.
func oddPictures() map[string]Picture {
	one, nan := 1.0, math.NaN()
	out := pictures()
	heat := func(name string, s HeatSpec) { out["heat "+name] = must.Be(NewHeatMap(s)) }
	heat("one", HeatSpec{Values: [][]float64{{3}}})
	heat("holes", HeatSpec{Title: "Holes", Values: [][]float64{{nan, nan, 1}, {nan, 2, nan}}})
	heat("places", HeatSpec{XLabel: "n", YLabel: "ε", X: []float64{1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5}, Y: []float64{0.1, 1, 10}, Values: ratios(3, 10)})
	heat("small", HeatSpec{Values: [][]float64{{1e-9, 2e-7}, {3e-8, -1e-9}}, ValueLabel: "a label that is far too long for any bar of colours that there could be"})
	heat("center", HeatSpec{Values: [][]float64{{-3, -1, 0.5}, {2, 1, 7}}, Center: new(float64), Scale: ScaleLinear})
	heat("log", HeatSpec{Values: [][]float64{{1e-3, 1, 1e6}, {10, 100, 1e9}}, Scale: ScaleLog, Y: []float64{2, 3}})
	heat("side", HeatSpec{Values: [][]float64{{0.9, 0.5}, {0.25, 0.125}}, Center: &one})
	line := func(name string, s LineSpec) { out["line "+name] = must.Be(NewLinePlot(s)) }
	y := []float64{1, 4, 2, 8, 5, 7}
	line("one", LineSpec{Series: []Series{{Y: []float64{2}, Markers: true}}})
	line("flat", LineSpec{Title: strings.Repeat("a long title ", 20), XLabel: "x", YLabel: "y", Series: []Series{{Name: "flat", Y: []float64{3, 3, 3}}}})
	line("loglog", LineSpec{LogX: true, LogY: true, X: []float64{1, 3, 10, 1e3, 1e5, 1e6}, Series: []Series{{Name: "up", Y: []float64{1e-9, 1e-5, 1, 10, 1e3, 1e12}}}})
	line("gaps", LineSpec{X: []float64{-1e7, -5e6, 0, 2e6, 7e6, 1e7}, Series: []Series{{Name: "a", Y: []float64{nan, 1, nan, 2, 3, nan}, Markers: true}, {Name: "b", Y: y}}})
	line("cut", LineSpec{X: []float64{0, 1, 2, 3, 4, 5}, Series: []Series{{Name: "inf", Y: []float64{1, 2, nan, 4, 1e-5, -2}, Lower: []float64{0, 1, 2, 3, -1, -3}, Upper: []float64{2, 3, 4, 5, 1e6, 0}}}})
	var many []Series
	for i := range 14 {
		many = append(many, Series{Name: fmt.Sprintf("series of a long name %d", i), Y: []float64{float64(i), float64(i * i), 3, 40 - float64(i), 8, 1}})
	}
	line("many", LineSpec{XLabel: "x", Series: many})
	return out
}

var embedded = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]*)`)

// colors is a PNG without what the version of the encoder decides.
func colors(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := []byte(fmt.Sprint(img.Bounds()))
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			out = append(out, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
		}
	}
	return out
}

// streams are the contents of a PDF, inflated.
func streams(data []byte) (out []byte) {
	for _, part := range bytes.Split(data, []byte("stream\n")) {
		r, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(part, "\r\n")))
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(r)
		out = append(out, text...)
	}
	return out
}

// Every picture is drawn as it is on record, on paper and in terminals of several sizes:
// go test ./display -run Recorded -update, after a look at what has changed.
func TestRecordedPictures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere products and sums may be rounded once")
	}
	var got strings.Builder
	all := oddPictures()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		record := func(variant string, data []byte) {
			fmt.Fprintf(&got, "%s, %s: %x\n", name, variant, sha256.Sum256(data))
		}
		p := all[name]
		record("svg", embedded.ReplaceAllFunc(must.Be(p.SVG()), func(m []byte) []byte {
			image, err := base64.StdEncoding.DecodeString(string(embedded.FindSubmatch(m)[1]))
			if err != nil {
				t.Fatal(err)
			}
			return colors(t, image)
		}))
		record("png", colors(t, must.Be(p.PNG())))
		record("pdf", streams(must.Be(p.PDF())))
		for _, caps := range []Caps{
			{}, {Width: 24, Height: 10}, {Width: 200, Height: 60}, {Width: 47, Height: 23, Unicode: true}, {Width: 80, Height: 24, Unicode: true, Colors: Color256},
			{Width: 132, Height: 43, Unicode: true, Colors: TrueColor}, {Width: 60, Height: 20, Colors: TrueColor},
		} {
			record(fmt.Sprintf("%d columns of %d lines, %d colours, unicode %v", caps.Width, caps.Height, caps.Colors, caps.Unicode), []byte(p.Terminal(caps)))
		}
	}
	path := filepath.Join("testdata", "pictures.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(lines) || line != lines[i] {
			name, _, _ := strings.Cut(line, ": ")
			t.Errorf("%s is drawn otherwise", name)
		}
	}
}
