package query_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"dpworkbench/query"
)

func ExampleHistograms_Median() {
	h, _ := query.NewHistograms(3, 2, query.Unbounded)
	q, _ := h.Median([]float64{0, 1, 2})
	x, _ := h.Index([]int{0, 1, 1})
	fmt.Println(h.Size(), q.Value(x), q.Value(0), q.Sensitivity().Float())
	// Output: 10 1 0 2
}

// Size, neighbors and distances of every universe against their definitions.
func TestHistogramsAgainstDefinition(t *testing.T) {
	for _, c := range []struct {
		types, records int
		neighbors      query.Neighboring
		size           int
	}{
		{1, 4, query.Unbounded, 5}, {3, 4, query.Unbounded, 35}, {2, 5, query.Unbounded, 21}, {4, 3, query.Unbounded, 35},
		{1, 4, query.Bounded, 1}, {3, 4, query.Bounded, 15}, {4, 3, query.Bounded, 20}, {2, 0, query.Unbounded, 1},
	} {
		h, err := query.NewHistograms(c.types, c.records, c.neighbors)
		if err != nil {
			t.Fatal(err)
		}
		if h.Size() != c.size {
			t.Errorf("%v: %d datasets, want %d", c, h.Size(), c.size)
		}
		norm := func(x, y int) float64 {
			d := 0.0
			for i := range c.types {
				d += math.Abs(float64(h.Dataset(x)[i] - h.Dataset(y)[i]))
			}
			if c.neighbors == query.Bounded {
				d /= 2
			}
			return d
		}
		diameter := 0.0
		for x := range h.Size() {
			if i, err := h.Index(h.Dataset(x)); err != nil || i != x {
				t.Fatalf("%v: index of dataset %d is %d, %v", c, x, i, err)
			}
			if x > 0 && slices.Compare(h.Dataset(x-1), h.Dataset(x)) >= 0 {
				t.Fatalf("%v: datasets %d and %d out of order", c, x-1, x)
			}
			walked := h.Space().Distances(x) // breadth-first, not the closed form
			for y := range h.Size() {
				d := norm(x, y)
				diameter = max(diameter, d)
				if walked[y] != d || h.Space().Distance(x, y) != d {
					t.Fatalf("%v: distance of %v and %v is %v walked, %v closed, want %v", c, h.Dataset(x), h.Dataset(y), walked[y], h.Space().Distance(x, y), d)
				}
				if near := slices.Contains(h.Space().Neighbors(x), int32(y)); near != (d == 1) {
					t.Fatalf("%v: %v and %v neighbors: %v", c, h.Dataset(x), h.Dataset(y), near)
				}
			}
		}
		if h.Space().Diameter() != diameter {
			t.Errorf("%v: diameter %v, want %v", c, h.Space().Diameter(), diameter)
		}
	}
}

func TestHistogramQueries(t *testing.T) {
	h, err := query.NewHistograms(3, 4, query.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	counting, err := h.Counting([]int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	linear, err := h.Linear([]float64{0.1, 0.2, -0.3})
	if err != nil {
		t.Fatal(err)
	}
	median, err := h.Median([]float64{5, -1, 2})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := h.Identity()
	if err != nil {
		t.Fatal(err)
	}
	for x := range h.Size() {
		c := h.Dataset(x)
		if got := float64(counting.Value(x).(query.Number)); got != float64(c[0]+c[2]) {
			t.Errorf("count of %v is %v", c, got)
		}
		if got, want := float64(linear.Value(x).(query.Number)), float64(c[0]+2*c[1]-3*c[2])/10; got != want {
			t.Errorf("linear value of %v is %v, want %v", c, got, want)
		}
		var records []float64
		for i, v := range []float64{5, -1, 2} {
			for range c[i] {
				records = append(records, v)
			}
		}
		slices.Sort(records)
		want := 5.0
		if n := len(records); n > 0 {
			want = records[(n-1)/2]
		}
		if got := float64(median.Value(x).(query.Number)); got != want {
			t.Errorf("median of %v is %v, want %v", records, got, want)
		}
		for y := range h.Size() {
			if got := identity.Metric().Distance(identity.ValueIndex(x), identity.ValueIndex(y)); got != h.Space().Distance(x, y) {
				t.Errorf("identity metric of %v and %v is %v", c, h.Dataset(y), got)
			}
		}
	}
	if s := linear.Sensitivity().Float(); s != 0.3 {
		t.Errorf("sensitivity of the linear query is %v, want 0.3", s)
	}
	if s := identity.Sensitivity().Float(); s != 1 {
		t.Errorf("sensitivity of the identity is %v, want 1", s)
	}
}

func TestHistogramsRefuse(t *testing.T) {
	for name, f := range map[string]func() error{
		"no types":   func() error { _, err := query.NewHistograms(0, 3, query.Unbounded); return err },
		"no records": func() error { _, err := query.NewHistograms(2, -1, query.Unbounded); return err },
		"neighbors":  func() error { _, err := query.NewHistograms(2, 1, "some"); return err },
		"too many":   func() error { _, err := query.NewHistograms(100, 100, query.Unbounded); return err },
		"type outside": func() error {
			return histogram(t, func(h *query.Histograms) error { _, err := h.Counting([]int{3}); return err })
		},
		"no weights": func() error {
			return histogram(t, func(h *query.Histograms) error { _, err := h.Linear(nil); return err })
		},
		"NaN weight": func() error {
			return histogram(t, func(h *query.Histograms) error { _, err := h.Linear([]float64{1, math.NaN(), 0}); return err })
		},
		"median": func() error {
			return histogram(t, func(h *query.Histograms) error { _, err := h.Median([]float64{1, math.Inf(1), 0}); return err })
		},
		"counts": func() error {
			return histogram(t, func(h *query.Histograms) error { _, err := h.Index([]int{1, -1, 0}); return err })
		},
	} {
		if err := f(); !errors.Is(err, query.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
}

func histogram(t *testing.T, f func(*query.Histograms) error) error {
	t.Helper()
	h, err := query.NewHistograms(3, 2, query.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return f(h)
}
