package query_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/query"
)

// Wherever a context is looked at, its end is the end of what was asked for.
func TestEverythingStops(t *testing.T) {
	distances := [][]float64{{0, 1.5, 3}, {1.5, 0, 1.5}, {3, 1.5, 0}}
	matrix, err := query.NewMatrixSpace(distances)
	if err != nil {
		t.Fatal(err)
	}
	exact := make([][]*big.Rat, 3)
	for x, row := range distances {
		for _, v := range row {
			exact[x] = append(exact[x], new(big.Rat).SetFloat64(v))
		}
	}
	seeds := []query.Seed{{Dataset: 0, Value: 1}, {Dataset: 1, Value: 0, Layer: 2}}
	for _, c := range []struct {
		what string
		do   func(ctx context.Context) error
	}{
		{"spread on a path", func(ctx context.Context) error { _, err := line(t, 3).Spread(ctx, 2, seeds); return err }},
		{"spread", func(ctx context.Context) error { _, err := matrix.Spread(ctx, 2, seeds); return err }},
		{"maxima on a path", func(ctx context.Context) error {
			_, err := line(t, 3).GrowingMax(ctx, []float64{0, 1, 2})
			return err
		}},
		{"maxima", func(ctx context.Context) error { _, err := matrix.GrowingMax(ctx, []float64{0, 1, 2}); return err }},
		{"diameter", func(ctx context.Context) error { _, err := line(t, 3).FindDiameter(ctx); return err }},
		{"matrix", func(ctx context.Context) error { _, err := query.NewRationalSpace(ctx, exact); return err }},
		{"histograms", func(ctx context.Context) error {
			_, err := query.NewHistograms(ctx, 2, 2, query.Bounded)
			return err
		}},
		{"one histogram", func(ctx context.Context) error {
			_, err := query.NewHistograms(ctx, 1, 0, query.Unbounded)
			return err
		}},
		{"graphs", func(ctx context.Context) error { _, err := query.NewGraphs(ctx, 6); return err }},
	} {
		t.Run(c.what, func(t *testing.T) { looks.Each(t, 1, c.do) })
	}
}
