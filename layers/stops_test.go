package layers_test

import (
	"context"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Wherever a context is looked at, its end is the end of what was asked for.
func TestEverythingStops(t *testing.T) {
	path, err := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := query.NewMatrixSpace([][]float64{{0, 1.5, 3}, {1.5, 0, 1.5}, {3, 1.5, 0}})
	if err != nil {
		t.Fatal(err)
	}
	one := epsilon(t, 1)
	for _, space := range []*query.Space{path, matrix} {
		q, err := query.NewNumeric("f", space, []float64{0, 1, 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := layers.NewPurest(context.Background(), q, one)
		if err != nil {
			t.Fatal(err)
		}
		looks.Each(t, 2, func(ctx context.Context) error { _, err := layers.NewPurest(ctx, q, one); return err })
		looks.Each(t, 2, func(ctx context.Context) error {
			_, err := m.Migrate(ctx, layers.Move{Dataset: 0, Value: 1, Layer: 0})
			return err
		})
		looks.Each(t, 2, func(ctx context.Context) error {
			_, err := layers.NewGiven(ctx, mechanism.Info{Query: q}, one, make([]int32, 9))
			return err
		})
	}
}
