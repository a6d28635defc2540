package study_test

import (
	"math"
	"testing"

	"dpworkbench/study"
)

// A scale covers the best values and most others, and counts the values outside.
func TestNewScale(t *testing.T) {
	for name, c := range map[string]struct {
		values   []float64
		maximize bool
		want     study.Scale
	}{
		"few":                     {[]float64{1, 2, 50}, false, study.Scale{Lo: 1, Hi: 50}},
		"none":                    {nil, false, study.Scale{}},
		"one":                     {[]float64{2}, false, study.Scale{Lo: 2, Hi: 2}},
		"decades":                 {[]float64{1e-3, 1, 10}, false, study.Scale{Lo: 1e-3, Hi: 10, Log: true}},
		"a bad value":             {[]float64{1, 2, 3, 4, 5, 6, 7, -1, 90}, false, study.Scale{Lo: -1, Hi: 7, Above: 1}},
		"a good value":            {[]float64{1, 2, 3, 4, 5, 6, 7, -1, 90}, true, study.Scale{Lo: -1, Hi: 90}},
		"a bad value, maximized":  {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -90}, true, study.Scale{Lo: 1, Hi: 8, Below: 1}},
		"very bad values":         {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 1e9, 1e9}, false, study.Scale{Lo: 1, Hi: 8, Above: 2}},
		"mostly the same":         {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 9}, false, study.Scale{Lo: 1, Hi: 9}},
		"from zero":               {[]float64{0, 5}, false, study.Scale{Lo: 0, Hi: 5}},
		"many from zero":          {[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, false, study.Scale{Lo: 0, Hi: 8}},
		"many decades":            {[]float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4}, false, study.Scale{Lo: 1e-3, Hi: 1e4, Log: true}},
		"just inside":             {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 19}, false, study.Scale{Lo: 1, Hi: 19}}, // the middle half is 3 … 7, and 19 is 12 above it
		"just outside":            {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 19.5}, false, study.Scale{Lo: 1, Hi: 8, Above: 1}},
		"just inside, maximized":  {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -10}, true, study.Scale{Lo: -10, Hi: 8}}, // the middle half is 2 … 6
		"just outside, maximized": {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -10.5}, true, study.Scale{Lo: 1, Hi: 8, Below: 1}},
		"no numbers":              {[]float64{1, 2, math.NaN()}, false, study.Scale{Lo: 1, Hi: 2}},
	} {
		if got := study.NewScale(c.values, c.maximize); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Only values outside the scale are drawn at its edges.
func TestBeyondScales(t *testing.T) {
	s := study.Scale{Lo: -1, Hi: 7, Above: 1, Below: 2}
	got := s.Beyond([]float64{-1, 7, 90, 0, -1.5, math.Inf(-1)})
	for i, want := range []float64{math.NaN(), math.NaN(), 7, math.NaN(), -1, -1} {
		if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("value %d is drawn at %v, want %v", i, got[i], want)
		}
	}
}
