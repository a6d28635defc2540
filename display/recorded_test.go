package display_test

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
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

var update = flag.Bool("update", false, "write the pictures on record anew")

// oddPictures are extreme cases: one value, few values, axes of both kinds with few or many ticks, names that are too
// long, and too many series.
func oddPictures() map[string]display.Picture {
	one, nan := 1.0, math.NaN()
	out := pictures()
	heat := func(name string, s display.HeatSpec) { out["heat "+name] = must.Be(display.NewHeatMap(s)) }
	heat("one", display.HeatSpec{Values: [][]float64{{3}}})
	heat("holes", display.HeatSpec{Title: "Holes", Values: [][]float64{{nan, nan, 1}, {nan, 2, nan}}})
	heat("places", display.HeatSpec{XLabel: "n", YLabel: "ε", X: []float64{1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5}, Y: []float64{0.1, 1, 10}, Values: ratios(3, 10)})
	heat("small", display.HeatSpec{Values: [][]float64{{1e-9, 2e-7}, {3e-8, -1e-9}}, ValueLabel: "a label that is far too long for any bar of colours that there could be"})
	heat("center", display.HeatSpec{Values: [][]float64{{-3, -1, 0.5}, {2, 1, 7}}, Center: new(float64), Scale: display.ScaleLinear})
	heat("log", display.HeatSpec{Values: [][]float64{{1e-3, 1, 1e6}, {10, 100, 1e9}}, Scale: display.ScaleLog, Y: []float64{2, 3}})
	heat("side", display.HeatSpec{Values: [][]float64{{0.9, 0.5}, {0.25, 0.125}}, Center: &one})
	line := func(name string, s display.LineSpec) { out["line "+name] = must.Be(display.NewLinePlot(s)) }
	y := []float64{1, 4, 2, 8, 5, 7}
	line("one", display.LineSpec{Series: []display.Series{{Y: []float64{2}, Markers: true}}})
	line("flat", display.LineSpec{Title: strings.Repeat("a long title ", 20), XLabel: "x", YLabel: "y", Series: []display.Series{{Name: "flat", Y: []float64{3, 3, 3}}}})
	line("loglog", display.LineSpec{LogX: true, LogY: true, X: []float64{1, 3, 10, 1e3, 1e5, 1e6}, Series: []display.Series{{Name: "up", Y: []float64{1e-9, 1e-5, 1, 10, 1e3, 1e12}}}})
	line("gaps", display.LineSpec{X: []float64{-1e7, -5e6, 0, 2e6, 7e6, 1e7}, Series: []display.Series{{Name: "a", Y: []float64{nan, 1, nan, 2, 3, nan}, Markers: true}, {Name: "b", Y: y}}})
	line("cut", display.LineSpec{X: []float64{0, 1, 2, 3, 4, 5}, Series: []display.Series{{Name: "inf", Y: []float64{1, 2, nan, 4, 1e-5, -2}, Lower: []float64{0, 1, 2, 3, -1, -3}, Upper: []float64{2, 3, 4, 5, 1e6, 0}}}})
	var many []display.Series
	for i := range 14 {
		many = append(many, display.Series{Name: fmt.Sprintf("series of a long name %d", i), Y: []float64{float64(i), float64(i * i), 3, 40 - float64(i), 8, 1}})
	}
	line("many", display.LineSpec{XLabel: "x", Series: many})
	out["panels"] = must.Be(display.NewLinePanels(twoPanels))
	return out
}

var embedded = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]*)`)

// colors returns the pixels of a PNG, without details that depend on the encoder's version.
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

// streams returns the decompressed contents of a PDF.
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

// Pictures match the record, on paper and in terminals of several sizes. To update it after a look at the changes: go
// test ./display -run Recorded -update.
func TestRecordedPictures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may fuse products and sums")
	}
	var got strings.Builder
	all := oddPictures()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if !*update && !cases.Every(2, i) {
			continue
		}
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
		for _, caps := range []display.Caps{
			{}, {Width: 24, Height: 10}, {Width: 200, Height: 60}, {Width: 47, Height: 23, Unicode: true}, {Width: 80, Height: 24, Unicode: true, Colors: display.Color256},
			{Width: 132, Height: 43, Unicode: true, Colors: display.TrueColor}, {Width: 60, Height: 20, Colors: display.TrueColor},
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
	for _, line := range strings.Split(got.String(), "\n") {
		if !slices.Contains(lines, line) {
			name, _, _ := strings.Cut(line, ": ")
			t.Errorf("%s is drawn differently", name)
		}
	}
}

// randomPicture combines contents at random: values, limits, gaps, bands, labels and sizes of all kinds.
func randomPicture(rng *rand.Rand) display.Picture {
	yes := func() bool { return rng.IntN(2) == 0 }
	label := func() string {
		return []string{"", "ε", "a label", "x_{max} of 10^{-3}", "Δf/Vol ratio of a long label that goes on and on", "日本語"}[rng.IntN(6)]
	}
	size := func() float64 { return []float64{0, 0, 150, 420.5, 900}[rng.IntN(5)] }
	value := func(positive bool) float64 {
		v := math.Exp(4 * rng.NormFloat64())
		if !positive && yes() {
			v = -v
		}
		return v
	}
	ascending := func(n int, positive bool) []float64 {
		if rng.IntN(3) == 0 {
			return nil
		}
		x := make([]float64, n)
		at := value(positive)
		for i := range x {
			x[i] = at
			at += math.Exp(rng.NormFloat64()) * math.Abs(at)
			if rng.IntN(3) > 0 {
				at = x[i] + math.Abs(x[0])
			}
		}
		return x
	}
	for {
		if yes() {
			positive := yes()
			g := display.GridSpec{Title: label(), ValueLabel: label(), Columns: rng.IntN(4), Width: size(), Height: size(), Scale: display.Scale(rng.IntN(3))}
			if yes() {
				c := value(positive)
				g.Center = &c
			}
			for range 1 + rng.IntN(5)*rng.IntN(2) {
				rows, columns := 1+rng.IntN(9), 1+rng.IntN(40)
				p := display.HeatSpec{Title: label(), XLabel: label(), YLabel: label(), X: ascending(columns, true), Y: ascending(rows, true)}
				p.LogX, p.LogY = p.X != nil && yes(), p.Y != nil && yes()
				holes := rng.IntN(3) == 0
				for range rows {
					row := make([]float64, columns)
					for j := range row {
						if row[j] = value(positive); holes && rng.IntN(6) == 0 {
							row[j] = math.NaN()
						}
					}
					p.Values = append(p.Values, row)
				}
				g.Panels = append(g.Panels, p)
			}
			if p, err := display.NewGrid(g); err == nil {
				return p
			}
			continue
		}
		n := 1 + rng.IntN(12)
		l := display.LineSpec{Title: label(), XLabel: label(), YLabel: label(), Width: size(), Height: size(), LogX: yes(), LogY: yes(), Equal: rng.IntN(4) == 0}
		l.X = ascending(n, l.LogX)
		for range 1 + rng.IntN(9)*rng.IntN(2) {
			s := display.Series{Name: label(), Markers: yes(), NoLine: rng.IntN(4) == 0}
			banded := rng.IntN(3) == 0
			for range n {
				y := value(l.LogY)
				if rng.IntN(7) == 0 {
					y = math.NaN()
				}
				s.Y = append(s.Y, y)
				if banded {
					s.Lower, s.Upper = append(s.Lower, y-math.Abs(y)*0.7), append(s.Upper, y+math.Abs(y))
				}
			}
			l.Series = append(l.Series, s)
		}
		for _, limits := range []**[2]float64{&l.XLimits, &l.YLimits} {
			if rng.IntN(4) == 0 && !l.Equal {
				a := math.Abs(value(true))
				*limits = &[2]float64{a, a * (1 + 20*rng.Float64())}
			}
		}
		if p, err := display.NewLinePlot(l); err == nil {
			return p
		}
	}
}

// Random pictures match the record, on paper and in terminals; see TestRecordedPictures.
func TestRandomPicturesOnRecord(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may fuse products and sums")
	}
	var got strings.Builder
	seeds := cases.Of(uint64(5), 40)
	if *update {
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 20))
		p := randomPicture(rng)
		svg := embedded.ReplaceAllFunc(must.Be(p.SVG()), func(m []byte) []byte {
			return colors(t, must.Be(base64.StdEncoding.DecodeString(string(embedded.FindSubmatch(m)[1]))))
		})
		fmt.Fprintf(&got, "%d, svg: %x\n", seed, sha256.Sum256(svg))
		for range 3 {
			caps := display.Caps{Width: 20 + rng.IntN(150), Height: rng.IntN(50), Unicode: rng.IntN(2) == 0, Colors: display.Colors(rng.IntN(3))}
			fmt.Fprintf(&got, "%d, %+v: %x\n", seed, caps, sha256.Sum256([]byte(p.Terminal(caps))))
		}
		if seed%8 == 0 {
			fmt.Fprintf(&got, "%d, png: %x\n", seed, sha256.Sum256(colors(t, must.Be(p.PNG()))))
			fmt.Fprintf(&got, "%d, pdf: %x\n", seed, sha256.Sum256(streams(must.Be(p.PDF()))))
		}
	}
	path := filepath.Join("testdata", "random.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := bytes.Split(must.Be(os.ReadFile(path)), []byte("\n"))
	for i, line := range strings.Split(strings.TrimSuffix(got.String(), "\n"), "\n") {
		if i >= len(want) || line != string(want[i]) {
			name, _, _ := strings.Cut(line, ": ")
			t.Errorf("%s is drawn differently", name)
		}
	}
}
