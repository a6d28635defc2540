package display

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/plot/vg"
)

func TestLinePlotRejects(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	y := []float64{1, 2}
	one := func(s Series) LineSpec { return LineSpec{Series: []Series{s}} }
	for _, test := range []struct {
		spec LineSpec
		want string
	}{
		{LineSpec{}, "series is empty"},
		{one(Series{Name: "a"}), "series[0] (a): y is empty"},
		{one(Series{Y: y, X: []float64{1}}), "series[0]: x has 1 values and y 2"},
		{LineSpec{X: []float64{1, 2, 3}, Series: []Series{{Y: y}}}, "x has 3 values and y 2"},
		{one(Series{Y: y, X: []float64{1, nan}}), "x[1] = nan"},
		{one(Series{Y: y, X: []float64{1, inf}}), "x[1] = inf"},
		{one(Series{Y: []float64{1, -inf}}), "y[1] = -inf"},
		{one(Series{Y: []float64{nan, nan}}), "only nan"},
		{one(Series{Y: y, Lower: y}), "want both or neither"},
		{one(Series{Y: y, Lower: y, Upper: y[:1]}), "upper 1"},
		{one(Series{Y: y, Lower: []float64{1, 3}, Upper: []float64{2, 2}}), "lower[1] = 3 exceeds upper[1] = 2"},
		{one(Series{Y: y, Lower: y, Upper: []float64{2, inf}}), "upper[1] = inf"},
		{LineSpec{LogY: true, Series: []Series{{Y: []float64{-1, 1}}}}, "y[0] = -1, want a positive number"},
		{LineSpec{LogY: true, Series: []Series{{Y: []float64{0, 0}}}}, "no point has two positive numbers"},
		{LineSpec{XLimits: &[2]float64{2, 1}, Series: []Series{{Y: y}}}, "xlim = (2, 1), want two finite numbers, the smaller one first"},
		{LineSpec{YLimits: &[2]float64{0, 1}, LogY: true, Series: []Series{{Y: y}}}, "ylim = (0, 1), want positive numbers"},
		{LineSpec{YLimits: &[2]float64{0, 1}, Equal: true, Series: []Series{{Y: y}}}, "equal axes take their range from the curves"},
		{LineSpec{Width: 50, Series: []Series{{Y: y}}}, "size = 50 points by 0, want from 108"},
		{LineSpec{LogX: true, Series: []Series{{X: []float64{-1, 2}, Y: y}}}, "x[0] = -1, want a positive number"},
		{LineSpec{LogY: true, Series: []Series{{Y: y, Lower: []float64{-1, 1}, Upper: y}}}, "lower[0] = -1"},
	} {
		_, err := NewLinePlot(test.spec)
		if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one about %q", test.spec, err, test.want)
		}
	}
}

func TestRunsSkipGaps(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		y    []float64
		want [][2]int
	}{
		{[]float64{1, 2, 3}, [][2]int{{0, 3}}},
		{[]float64{nan, 1, nan, nan, 2, 3}, [][2]int{{1, 2}, {4, 6}}},
		{[]float64{nan}, nil},
	} {
		if got := runs(test.y); !slices.Equal(got, test.want) {
			t.Errorf("runs(%v) = %v, want %v", test.y, got, test.want)
		}
	}
}

// The axes take in every bound of every series.
func TestAxesCoverBands(t *testing.T) {
	l, err := NewLinePlot(LineSpec{Series: []Series{
		{Y: []float64{1, 2}, Lower: []float64{-5, 1}, Upper: []float64{1, 9}},
		{X: []float64{-3}, Y: []float64{0}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !(l.x.lo < -3 && l.x.hi > 1 && l.y.lo < -5 && l.y.hi > 9) {
		t.Errorf("axes %+v, %+v", l.x, l.y)
	}
}

func TestLegendCountsWhatDoesNotFit(t *testing.T) {
	var series []Series
	for range 100 {
		series = append(series, Series{Name: "a long name", Y: []float64{1}})
	}
	entries, lines := legend(series, 40, 3, 3, 3, columns) // two entries of 14 + 3 columns a line
	if lines != 3 || len(entries) != 5 || entries[4].text != "… and 96 more" {
		t.Errorf("%d lines, entries %+v", lines, entries)
	}
}

// With equal axes a unit is as long on either, whatever shape the values have.
func TestEqualAxes(t *testing.T) {
	for _, width := range []float64{1e-3, 1, 50} {
		l, err := NewLinePlot(LineSpec{Equal: true, Title: "Ellipse", XLabel: "x", YLabel: "y", Series: []Series{
			{Name: "ellipse", X: []float64{-width, 0, width, 0, -width}, Y: []float64{0, 2, 0, -2, 0}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		c := &svgCanvas{pose: pose{height: 432}}
		vg.Initialize(c)
		b := l.frameBox(newPage(c, 396, 432, 0), &frame{xlabel: l.xlabel, ylabel: l.ylabel, x: l.x, y: l.y}, box{margin, margin, 396 - margin, 400})
		if math.Abs(b.w()-b.h()) > 1e-9 || b.w() < 250 {
			t.Errorf("width %g: the frame is %g × %g points, want a large square", width, b.w(), b.h())
		}
		origin, right, up := b.place(l.spot(0, 0)), b.place(l.spot(width, 0)), b.place(l.spot(0, width))
		if dx, dy := (right.X - origin.X).Points(), (up.Y - origin.Y).Points(); !(dx > 0) || math.Abs(dx/dy-1) > 1e-9 {
			t.Errorf("width %g: it is %g points long across and %g up", width, dx, dy)
		}
	}
	if _, err := NewLinePlot(LineSpec{Equal: true, LogY: true, Series: []Series{{Y: []float64{1}}}}); !errors.Is(err, parameter.Err) {
		t.Errorf("equal logarithmic axes give %v", err)
	}
}

// Ticks of a square frame are as far apart as their labels want, however much longer one side of the page is.
func TestTicksOfSquares(t *testing.T) {
	for _, size := range [][2]float64{{7200, 108}, {108, 7200}, {900, 150}, {150, 900}, {396, 432}} {
		l, err := NewLinePlot(LineSpec{Equal: true, Width: size[0], Height: size[1], Series: []Series{{X: []float64{-1, 0, 1, 0}, Y: []float64{0, 1, 0, -1}}}})
		if err != nil {
			t.Fatal(err)
		}
		c := &svgCanvas{pose: pose{height: size[1]}}
		vg.Initialize(c)
		p := newPage(c, size[0], size[1], 0)
		f := &frame{x: l.x, y: l.y}
		b := l.frameBox(p, f, box{margin, margin, size[0] - margin, size[1] - margin})
		if math.Abs(b.w()-b.h()) > 1e-9 {
			t.Errorf("%v: the frame is %g × %g points, want a square", size, b.w(), b.h())
		}
		for _, side := range []struct {
			a     axis
			ticks []tick
			width func(string) float64
		}{{f.x, f.xticks, p.measure(tickSize, false)}, {f.y, f.yticks, func(string) float64 { return tickSize }}} {
			end, named := math.Inf(-1), 0
			for _, k := range side.ticks {
				if k.label == "" {
					continue
				}
				middle, half := side.a.at(k.value)*b.w(), side.width(k.label)/2
				if middle-half < end+tickSize/2 {
					t.Errorf("%v: the label %s begins at %g, the one before ends at %g", size, k.label, middle-half, end)
				}
				end = middle + half
				named++
			}
			if named == 0 {
				t.Errorf("%v: a side of %g points without a label", size, b.w())
			}
		}
	}
}

// A band has a gap where either bound is none: the picture is that of neither.
func TestBandsLeaveGaps(t *testing.T) {
	nan := math.NaN()
	draw := func(lower, upper float64) []byte {
		l, err := NewLinePlot(LineSpec{Series: []Series{{Y: []float64{1, 1, 1, 1, 1}, Lower: []float64{0, 0, lower, 0, 0}, Upper: []float64{2, 2, upper, 2, 2}}}})
		if err != nil {
			t.Fatal(err)
		}
		return must.Be(l.SVG())
	}
	want := draw(nan, nan)
	if bytes.Equal(want, draw(0, 2)) {
		t.Error("a band without a gap is the same picture")
	}
	if !bytes.Equal(draw(nan, 2), want) || !bytes.Equal(draw(0, nan), want) {
		t.Error("a bound is drawn without the other")
	}
}
