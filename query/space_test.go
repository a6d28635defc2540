package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// A matrix is a metric without tolerance, and layers count distances as given.
func TestMatrixSpacesAreExact(t *testing.T) {
	over := math.Nextafter(3, 4)
	if _, err := query.NewMatrixSpace([][]float64{{0, 1, 2, over}, {1, 0, 1, 2}, {2, 1, 0, 1}, {over, 2, 1, 0}}); err == nil || !strings.Contains(err.Error(), "distances[0][3] = 3.0000000000000004 exceeds the path through") {
		t.Errorf("a distance of 3 and an ulp over three steps of 1: %v", err)
	}
	if _, err := query.NewMatrixSpace([][]float64{{0, 0.1, 0.3}, {0.1, 0, 0.2}, {0.3, 0.2, 0}}); err != nil {
		t.Errorf("0.3 is 0.1 + 0.2 in decimals: %v", err)
	}
	third := big.NewRat(1, 3)
	two := new(big.Rat).Add(big.NewRat(2, 1), new(big.Rat).SetFrac64(1, 1<<62))
	s, err := query.NewRationalSpace(context.Background(), [][]*big.Rat{{new(big.Rat), third, two}, {third, new(big.Rat), two}, {two, two, new(big.Rat)}})
	if err != nil {
		t.Fatal(err)
	}
	layers, err := s.DistanceTransform(context.Background(), 1, []query.Seed{{}})
	if err != nil || !slices.Equal(layers.Cells(), []int32{0, 1, 3}) {
		t.Errorf("distances 1/3 and 2 + 2⁻⁶² give layers %v, %v, want 0, 1, 3", layers, err)
	}
}

func TestSpacesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		f    func() error
		want string
	}{
		"empty":     {func() error { _, err := query.NewPathSpace(0, nil); return err }, "datasets = 0"},
		"outside":   {func() error { _, err := query.NewPathSpace(2, [][2]int{{0, 2}}); return err }, "edges[0] = (0, 2)"},
		"loop":      {func() error { _, err := query.NewPathSpace(2, [][2]int{{1, 1}}); return err }, "itself"},
		"no matrix": {func() error { _, err := query.NewMatrixSpace(nil); return err }, "empty"},
		"ragged":    {func() error { _, err := query.NewMatrixSpace([][]float64{{0}, {1, 0}}); return err }, "distances[0] has 1"},
		"diagonal":  {func() error { _, err := query.NewMatrixSpace([][]float64{{1}}); return err }, "distances[0][0] = 1"},
		"zero":      {func() error { _, err := query.NewMatrixSpace([][]float64{{0, 0}, {0, 0}}); return err }, "positive"},
		"NaN": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, math.NaN()}, {math.NaN(), 0}})
			return err
		}, "positive"},
		"triangle": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, 1, 5}, {1, 0, 1}, {5, 1, 0}})
			return err
		}, "distances[0][2] = 5 exceeds the path through 1"},
	} {
		if err := c.f(); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func FuzzMatrixSpace(f *testing.F) {
	f.Add(2, 1.0, 1.0, 0.5)
	f.Add(3, 2.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, n int, a, b, c float64) {
		if n < 0 || n > 12 {
			return
		}
		d := make([][]float64, n)
		for x := range d {
			d[x] = make([]float64, n)
			for y := range d[x] {
				if x != y {
					d[x][y] = []float64{a, b, c}[(x+y)%3]
				}
			}
		}
		s, err := query.NewMatrixSpace(d)
		if err != nil {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		if s.Size() != n || s.Diameter() < 0 {
			t.Fatalf("size %d, diameter %v", s.Size(), s.Diameter())
		}
	})
}
