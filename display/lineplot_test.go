package display

import (
	"errors"
	"math"
	"strings"
	"testing"

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
		{one(Series{Y: []float64{nan, nan}}), "every entry of y is nan"},
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
			t.Errorf("%+v: error %v, want one that contains %q", test.spec, err, test.want)
		}
	}
}

// With equal axes, a unit has the same length on both axes, whatever the values.
func TestEqualAxes(t *testing.T) {
	for _, width := range []float64{1e-3, 1, 50} {
		l, err := NewLinePlot(LineSpec{Equal: true, Title: "Ellipse", XLabel: "x", YLabel: "y", Series: []Series{
			{Name: "ellipse", X: []float64{-width, 0, width, 0, -width}, Y: []float64{0, 2, 0, -2, 0}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		c := &svgCanvas{transform: transform{height: 432}}
		vg.Initialize(c)
		b := l.frameBox(newPage(c, 396, 432, 0), &frame{xlabel: l.xlabel, ylabel: l.ylabel, x: l.x, y: l.y}, box{margin, margin, 396 - margin, 400})
		if math.Abs(b.w()-b.h()) > 1e-9 || b.w() < 250 {
			t.Errorf("width %g: the frame is %g × %g points, want a large square", width, b.w(), b.h())
		}
		origin, right, up := b.place(l.spot(0, 0)), b.place(l.spot(width, 0)), b.place(l.spot(0, width))
		if dx, dy := (right.X - origin.X).Points(), (up.Y - origin.Y).Points(); !(dx > 0) || math.Abs(dx/dy-1) > 1e-9 {
			t.Errorf("width %g: a unit is %g points on x and %g on y", width, dx, dy)
		}
	}
	if _, err := NewLinePlot(LineSpec{Equal: true, LogY: true, Series: []Series{{Y: []float64{1}}}}); !errors.Is(err, parameter.Err) {
		t.Errorf("equal logarithmic axes give %v", err)
	}
}
