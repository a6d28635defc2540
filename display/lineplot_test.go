package display_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/parameter"
)

func TestLinePlotRejects(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	y := []float64{1, 2}
	one := func(s display.Series) display.LineSpec { return display.LineSpec{Series: []display.Series{s}} }
	for _, test := range []struct {
		spec display.LineSpec
		want string
	}{
		{display.LineSpec{}, "series is empty"},
		{one(display.Series{Name: "a"}), "series[0] (a): y is empty"},
		{one(display.Series{Y: y, X: []float64{1}}), "series[0]: x has 1 values and y 2"},
		{display.LineSpec{X: []float64{1, 2, 3}, Series: []display.Series{{Y: y}}}, "x has 3 values and y 2"},
		{one(display.Series{Y: y, X: []float64{1, nan}}), "x[1] = nan"},
		{one(display.Series{Y: y, X: []float64{1, inf}}), "x[1] = inf"},
		{one(display.Series{Y: []float64{1, -inf}}), "y[1] = -inf"},
		{one(display.Series{Y: []float64{nan, nan}}), "every entry of y is nan"},
		{one(display.Series{Y: y, Lower: y}), "want both or neither"},
		{one(display.Series{Y: y, Lower: y, Upper: y[:1]}), "upper 1"},
		{one(display.Series{Y: y, Lower: []float64{1, 3}, Upper: []float64{2, 2}}), "lower[1] = 3 exceeds upper[1] = 2"},
		{one(display.Series{Y: y, Lower: y, Upper: []float64{2, inf}}), "upper[1] = inf"},
		{display.LineSpec{LogY: true, Series: []display.Series{{Y: []float64{-1, 1}}}}, "y[0] = -1, want a positive number"},
		{display.LineSpec{LogY: true, Series: []display.Series{{Y: []float64{0, 0}}}}, "no point has two positive numbers"},
		{display.LineSpec{XLimits: &[2]float64{2, 1}, Series: []display.Series{{Y: y}}}, "xlim = (2, 1), want two finite numbers, the smaller one first"},
		{display.LineSpec{YLimits: &[2]float64{0, 1}, LogY: true, Series: []display.Series{{Y: y}}}, "ylim = (0, 1), want positive numbers"},
		{display.LineSpec{YLimits: &[2]float64{0, 1}, Equal: true, Series: []display.Series{{Y: y}}}, "equal axes take their range from the curves"},
		{display.LineSpec{Width: 50, Series: []display.Series{{Y: y}}}, "size = 50 points by 0, want from 108"},
		{display.LineSpec{LogX: true, Series: []display.Series{{X: []float64{-1, 2}, Y: y}}}, "x[0] = -1, want a positive number"},
		{display.LineSpec{LogY: true, Series: []display.Series{{Y: y, Lower: []float64{-1, 1}, Upper: y}}}, "lower[0] = -1"},
	} {
		_, err := display.NewLinePlot(test.spec)
		if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one that contains %q", test.spec, err, test.want)
		}
	}
	if _, err := display.NewLinePlot(display.LineSpec{Equal: true, LogY: true, Series: []display.Series{{Y: []float64{1}}}}); !errors.Is(err, parameter.Err) {
		t.Errorf("equal logarithmic axes give %v", err)
	}
}
