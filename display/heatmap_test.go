package display_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

func TestHeatMapRejects(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := [][]float64{{1, 2}, {3, 4}}
	bad := func(v float64) *float64 { return &v }
	for _, test := range []struct {
		spec display.HeatSpec
		want string
	}{
		{display.HeatSpec{}, "values is empty"},
		{display.HeatSpec{Values: [][]float64{{}}}, "values is empty"},
		{display.HeatSpec{Values: [][]float64{{1, 2}, {3}}}, "values[1] has 1 columns, want 2"},
		{display.HeatSpec{Values: [][]float64{{1, inf}}}, "values[0][1] = inf"},
		{display.HeatSpec{Values: [][]float64{{nan, nan}}}, "every entry of values is nan"},
		{display.HeatSpec{Values: two, X: []float64{1}}, "x has 1 coordinates, values has 2"},
		{display.HeatSpec{Values: two, Y: []float64{1, 2, 3}}, "y has 3 coordinates, values has 2"},
		{display.HeatSpec{Values: two, X: []float64{1, nan}}, "x holds nan"},
		{display.HeatSpec{Values: two, X: []float64{1, 1}}, "x holds 1 beside 1"},
		{display.HeatSpec{Values: two, Y: []float64{0, 1}, LogY: true}, "y holds 0, want positive"},
		{display.HeatSpec{Values: two, Y: []float64{1, 1 + 1e-15}}, "too narrow"},
		{display.HeatSpec{Values: two, Y: []float64{-math.MaxFloat64, math.MaxFloat64}}, "too wide"},
		{display.HeatSpec{Values: two, X: []float64{-math.MaxFloat64 / 3, math.MaxFloat64 / 3}}, "too wide"}, // finite edges, but the width overflows float64
		{display.HeatSpec{Values: two, Center: bad(nan)}, "center = nan"},
		{display.HeatSpec{Values: two, Center: bad(-1), Scale: display.ScaleLog}, "center = -1"},
		{display.HeatSpec{Values: [][]float64{{0, 1}}, Scale: display.ScaleLog}, "values holds 0"},
		{display.HeatSpec{Values: two, Scale: 7}, "scale = 7"},
	} {
		_, err := display.NewHeatMap(test.spec)
		if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one that contains %q", test.spec, err, test.want)
		}
	}
	if _, err := display.NewGrid(display.GridSpec{}); !errors.Is(err, parameter.Err) {
		t.Errorf("empty grid: %v", err)
	}
	if _, err := display.NewGrid(display.GridSpec{Panels: []display.HeatSpec{{Values: two}}, Columns: -1}); !errors.Is(err, parameter.Err) {
		t.Errorf("negative columns: %v", err)
	}
	_, err := display.NewGrid(display.GridSpec{Panels: []display.HeatSpec{{Values: two}, {Values: two, X: []float64{3}}}})
	if err == nil || !strings.Contains(err.Error(), "panels[1].x has 1") {
		t.Errorf("error %v does not name the panel", err)
	}
}

// A heat map copies its arguments.
func TestHeatMapCopies(t *testing.T) {
	values := [][]float64{{1, 2}, {3, 4}}
	h, err := display.NewHeatMap(display.HeatSpec{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	before := h.Terminal(display.Caps{})
	values[0][0] = 1e9
	if h.Terminal(display.Caps{}) != before {
		t.Error("changing an argument changes the heat map")
	}
}

// A heat map is encoded in every format by the file name. A negative number of columns is rejected.
func TestHeatMapIsEncoded(t *testing.T) {
	spec := display.GridSpec{Panels: []display.HeatSpec{{Values: [][]float64{{1, 2}, {3, 4}}}}}
	h, err := display.NewGrid(spec)
	if err != nil {
		t.Fatal(err)
	}
	for end, magic := range map[string]string{".svg": "<svg", ".png": "\x89PNG", ".pdf": "%PDF"} {
		got, err := h.Encode("a" + end)
		if err != nil || !bytes.HasPrefix(got, []byte(magic)) {
			t.Fatalf("%s: %.20q, %v", end, got, err)
		}
	}
	if pdf, err := h.PDF(); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("a PDF: %v", err)
	}
	spec.Width = 1
	if h, err := display.NewGrid(spec); !errors.Is(err, evidence.ErrParameter) || h != nil {
		t.Errorf("a page of one point: %v", err)
	}
	spec.Width, spec.Columns = 0, -1
	if h, err := display.NewGrid(spec); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "columns = -1") || h != nil {
		t.Errorf("columns = -1: %v", err)
	}
}
