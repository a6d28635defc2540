package query_test

import (
	"context"
	"math/big"
	"runtime"
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
	numeric, err := query.NewNumeric("numbers", line(t, 3), []float64{0, 1, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	product := func(norm query.Norm) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := query.Product(ctx, []*query.Query{numeric, numeric}, norm, nil)
			return err
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		what  string
		least int // places that look
		do    func(ctx context.Context) error
	}{
		{"spread on a path", 2, func(ctx context.Context) error { _, err := line(t, 3).DistanceTransform(ctx, 2, seeds); return err }},
		{"spread", 1, func(ctx context.Context) error { _, err := matrix.DistanceTransform(ctx, 2, seeds); return err }},
		{"maxima on a path", 1, func(ctx context.Context) error {
			_, err := line(t, 3).SensitivityAtDistance(ctx, []float64{0, 1, 2})
			return err
		}},
		{"maxima", 1, func(ctx context.Context) error {
			_, err := matrix.SensitivityAtDistance(ctx, []float64{0, 1, 2})
			return err
		}},
		{"diameter", 1, func(ctx context.Context) error { _, err := line(t, 3).FindDiameter(ctx); return err }},
		{"matrix", 1, func(ctx context.Context) error { _, err := query.NewRationalSpace(ctx, exact); return err }},
		{"histograms", 1, func(ctx context.Context) error {
			_, err := query.NewHistograms(ctx, 2, 2, query.Replace)
			return err
		}},
		{"one histogram", 1, func(ctx context.Context) error {
			_, err := query.NewHistograms(ctx, 1, 0, query.AddRemove)
			return err
		}},
		{"graphs", 15, func(ctx context.Context) error { _, err := query.NewGraphs(ctx, 6); return err }},
		{"monotonic", 1, func(ctx context.Context) error { _, err := numeric.Monotonic(ctx); return err }},
		{"a product of sums", 1, product(query.SumNorm)},
		{"a Euclidean product", 2, product(query.EuclideanNorm)},
	} {
		t.Run(c.what, func(t *testing.T) {
			runtime.GOMAXPROCS(1) // which tells callers apart
			looks.Each(t, 1, c.do)
			runtime.GOMAXPROCS(2) // which look in more places
			looks.Each(t, c.least, c.do)
		})
	}
}
