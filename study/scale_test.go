package study

import (
	"context"
	"errors"
	"math"
	"testing"
)

// A picture shows the best values and most others, and says how many it leaves out.
func TestScales(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		values   []float64
		maximize bool
		log      *bool
		want     Scale
	}{
		"few":                      {[]float64{1, 2, 50}, false, nil, Scale{Lo: 1, Hi: 50}},
		"none":                     {nil, false, nil, Scale{}},
		"one":                      {[]float64{2}, false, nil, Scale{Lo: 2, Hi: 2}},
		"decades":                  {[]float64{1e-3, 1, 10}, false, nil, Scale{Lo: 1e-3, Hi: 10, Log: true}},
		"decades, asked otherwise": {[]float64{1e-3, 1, 10}, false, &no, Scale{Lo: 1e-3, Hi: 10}},
		"asked":                    {[]float64{1, 2}, false, &yes, Scale{Lo: 1, Hi: 2, Log: true}},
		"asked of negative ones":   {[]float64{-1, 2}, false, &yes, Scale{Lo: -1, Hi: 2}},
		"a bad one":                {[]float64{1, 2, 3, 4, 5, 6, 7, -1, 90}, false, nil, Scale{Lo: -1, Hi: 7, Above: 1}},
		"a good one":               {[]float64{1, 2, 3, 4, 5, 6, 7, -1, 90}, true, nil, Scale{Lo: -1, Hi: 90}},
		"a bad one, maximized":     {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -90}, true, nil, Scale{Lo: 1, Hi: 8, Below: 1}},
		"a very bad one":           {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 1e9, 1e9}, false, nil, Scale{Lo: 1, Hi: 8, Above: 2}},
		"mostly the same":          {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 9}, false, nil, Scale{Lo: 1, Hi: 9}},
		"from zero":                {[]float64{0, 5}, false, nil, Scale{Lo: 0, Hi: 5}},
		"many from zero":           {[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, false, nil, Scale{Lo: 0, Hi: 8}},
		"many decades":             {[]float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4}, false, nil, Scale{Lo: 1e-3, Hi: 1e4, Log: true}},
		"just near":                {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 19}, false, nil, Scale{Lo: 1, Hi: 19}}, // the middle half is 3 … 7: 12 beyond it
		"just far":                 {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 19.5}, false, nil, Scale{Lo: 1, Hi: 8, Above: 1}},
		"just near, maximized":     {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -10}, true, nil, Scale{Lo: -10, Hi: 8}}, // the middle half is 2 … 6
		"just far, maximized":      {[]float64{1, 2, 3, 4, 5, 6, 7, 8, -10.5}, true, nil, Scale{Lo: 1, Hi: 8, Below: 1}},
		"no numbers":               {[]float64{1, 2, math.NaN()}, false, nil, Scale{Lo: 1, Hi: 2}},
	} {
		if got := NewScale(c.values, c.maximize, c.log); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	s := Scale{Lo: 1, Hi: 100, Log: true}
	for v, want := range map[float64]float64{0.1: 0, 1: 0, 10: 0.5, 100: 1, 1e9: 1} {
		if got := s.At(v); math.Abs(got-want) > 1e-15 || s.Shows(v) != (v >= 1 && v <= 100) {
			t.Errorf("%v stands at %v, want %v", v, got, want)
		}
	}
}

// On a scale without a width, or with one that is no number, all stand in the middle.
func TestScalesWithoutWidth(t *testing.T) {
	for _, s := range []Scale{{}, {Lo: 2, Hi: 2}, {Lo: math.Inf(-1), Hi: 5}, {Lo: 1, Hi: math.Inf(1)}, {Lo: 0, Hi: 5, Log: true}, {Lo: math.Inf(-1), Hi: math.Inf(1)}, {Lo: math.NaN(), Hi: 5}, {Lo: 5, Hi: 1}} {
		if got := s.At(3); got != 0.5 {
			t.Errorf("%+v: 3 stands at %v", s, got)
		}
	}
	if s := (Scale{Lo: -math.MaxFloat64, Hi: math.MaxFloat64}); s.At(0) != 0.5 || s.At(s.Lo) != 0 || s.At(s.Hi) != 1 {
		t.Errorf("the widest scale has %v, %v and %v", s.At(s.Lo), s.At(0), s.At(s.Hi))
	}
}

// What is beyond a scale is drawn at the edge on its side, and nothing else is.
func TestBeyondScales(t *testing.T) {
	s := Scale{Lo: -1, Hi: 7, Above: 1, Below: 2}
	got := s.Beyond([]float64{-1, 7, 90, 0, -1.5, math.Inf(-1)})
	for i, want := range []float64{math.NaN(), math.NaN(), 7, math.NaN(), -1, -1} {
		if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("value %d is drawn at %v, want %v", i, got[i], want)
		}
	}
}

// Ranges place values where their trials have their coordinates.
func TestRangesPlaceValues(t *testing.T) {
	ctx := t.Context()
	storage, err := Open(ctx, "", StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := New(ctx, storage, "a", Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int]map[string]float64)
	labels := []string{"x", "y", "z"}
	err = s.Optimize(ctx, func(_ context.Context, _ int, tr *Trial) (float64, error) {
		a, err1 := tr.Float("a", -1, 3, false)
		b, err2 := tr.Float("b", 0.1, 1000, true)
		n, err3 := tr.Int("n", 2, 9)
		k, err4 := tr.Choice("k", labels)
		seen[tr.Number()] = map[string]float64{"a": a, "b": b, "n": float64(n), "k": float64(k)}
		return a, errors.Join(err1, err2, err3, err4)
	}, Run{Trials: 20})
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Results(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		for name, v := range seen[r.Number] {
			if got := r.Ranges[name].At(v); math.Abs(got-r.Coordinates[name]) > 1e-12 {
				t.Errorf("trial %d: %s = %v stands at %v, its coordinate is %v", r.Number, name, v, got, r.Coordinates[name])
			}
		}
		if len(r.Ranges) != 4 || len(r.Ranges["k"].Choices) != 3 || !r.Ranges["b"].Log || !r.Ranges["n"].Whole || r.Ranges["n"].High != 9 {
			t.Errorf("the ranges are %+v", r.Ranges)
		}
	}
}
