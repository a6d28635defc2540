package query_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// The bit-parallel search equals the minimum over all pairs, also for more than 64 values and for seeds in late
// layers.
func TestDistanceTransformMatchesDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n, values := 2+rng.IntN(20), 1+rng.IntN(150)
		var edges [][2]int
		for x := 1; x < n; x++ {
			if rng.IntN(8) > 0 { // sometimes start a new component
				edges = append(edges, [2]int{x, rng.IntN(x)})
			}
		}
		s := must.For(query.NewPathSpace(n, edges))(t)
		var seeds []query.Seed
		for range rng.IntN(2 * values) {
			seeds = append(seeds, query.Seed{Dataset: rng.IntN(n), Value: rng.IntN(values), Layer: []int{0, 0, 1, 7, 1000}[rng.IntN(5)]})
		}
		got := must.For(s.DistanceTransform(context.Background(), values, seeds))(t)
		want := make([]int32, n*values)
		for i := range want {
			want[i] = query.Unreached
		}
		for _, seed := range seeds {
			for x, d := range s.Distances(seed.Dataset) {
				if math.IsInf(d, 1) {
					continue
				}
				cell := &want[x*values+seed.Value]
				if l := int32(d) + int32(seed.Layer); *cell == query.Unreached || l < *cell {
					*cell = l
				}
			}
		}
		for i := range want {
			if got.Cells()[i] != want[i] {
				t.Fatalf("value %d of dataset %d in layer %d, want %d", i%values, i/values, got.Cells()[i], want[i])
			}
		}
	}
}

func TestDistanceTransformIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := line(t, 9).DistanceTransform(ctx, 1, []query.Seed{{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// Invalid seeds, functions and ended contexts give errors, not panics.
func TestDistanceTransformRejectsBadSeeds(t *testing.T) {
	ctx := context.Background()
	matrix := must.For(query.NewMatrixSpace([][]float64{{0, 1e10}, {1e10, 0}}))(t)
	for _, s := range []*query.Space{line(t, 5), matrix} {
		for _, seed := range []query.Seed{{Dataset: -1}, {Dataset: 5}, {Value: 3}, {Value: -1}, {Layer: -1}, {Layer: math.MaxInt}, {Layer: query.MaxLayer}} {
			if _, err := s.DistanceTransform(ctx, 3, []query.Seed{seed}); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("seed %v gives %v, want ErrParameter", seed, err)
			}
		}
		for _, values := range []int{-1, 1 << 40, math.MaxInt} {
			if _, err := s.DistanceTransform(ctx, values, nil); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%d values give %v, want ErrParameter", values, err)
			}
		}
		for _, f := range [][]float64{nil, {1}, {1, math.NaN()}, {1, 2, 3, math.NaN(), 5}, make([]float64, 6)} {
			if _, err := s.SensitivityAtDistance(ctx, f); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("SensitivityAtDistance of %v gives %v, want ErrParameter", f, err)
			}
		}
	}
	if _, err := matrix.DistanceTransform(ctx, 1, []query.Seed{{}}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer 10¹⁰ gives %v, want ErrParameter", err)
	}
}
