package query_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// DistanceTransform returns the minimum over all seeds, also for more than 64 values and for seeds in late layers.
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

// Invalid seeds, failing seed functions and ended contexts give errors, not panics.
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

// Seeds from a function give the same layers as listed seeds, for fewer and for more than 64 values. Cancellation
// works.
func TestDistanceTransformFromMatchesSeeds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	rng := rand.New(rand.NewPCG(14, 2))
	for _, values := range []int{1, 3, 64, 65, 256, 300} {
		n := 2 + rng.IntN(30)
		var edges [][2]int
		for x := 1; x < n; x++ {
			if x%7 > 0 {
				edges = append(edges, [2]int{x, x - 1})
			}
		}
		s := must.For(query.NewPathSpace(n, edges))(t)
		seeds := make([][]query.Seed, n)
		want := make([]int32, n*values)
		for i := range want {
			want[i] = query.Unreached
		}
		for range 2 * values {
			seed := query.Seed{rng.IntN(n), rng.IntN(values), rng.IntN(3) * rng.IntN(50)}
			seeds[seed.Dataset] = append(seeds[seed.Dataset], seed)
			for x, d := range s.CeilDistances(seed.Dataset) {
				if cell := &want[x*values+seed.Value]; d >= 0 && (*cell == query.Unreached || int(*cell) > d+seed.Layer) {
					*cell = int32(d + seed.Layer)
				}
			}
		}
		from := func(ctx context.Context) (*query.LayerTable, error) {
			return s.DistanceTransformFrom(ctx, values, 100, func(x int, put func(value, layer int)) {
				for _, seed := range seeds[x] {
					put(seed.Value, seed.Layer)
				}
			})
		}
		if got := must.For(from(t.Context()))(t); !slices.Equal(got.Cells(), want) {
			t.Errorf("%d values: %v, want %v", values, got.Cells(), want)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if got, err := from(ended); got != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%d values, ended: %v, %v", values, got, err)
		}
	}
	// If a seed is in the last layer, MaxLayer, its neighbors would be beyond MaxLayer, which is an error. One case
	// seeds a single dataset, the other several.
	for _, seeds := range [][]query.Seed{{{0, 0, query.MaxLayer}}, {{0, 0, query.MaxLayer}, {1, 0, query.MaxLayer}, {2, 0, query.MaxLayer}, {3, 0, query.MaxLayer}}} {
		var edges [][2]int
		for x := 1; x < 9; x++ {
			edges = append(edges, [2]int{x, x - 1})
		}
		if got, err := must.For(query.NewPathSpace(9, edges))(t).DistanceTransform(t.Context(), 1, seeds); got != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v, %v", seeds, got, err)
		}
	}
}

// A table that exceeds the memory limit is rejected at once.
func TestDistanceTransformBeyondMemory(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(1 << 28))
	space := must.For(query.NewPathSpace(1000, nil))(t)
	if table, err := space.DistanceTransform(context.Background(), 1<<19, nil); table != nil || !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), "a table of 1000 datasets and 524288 values") {
		t.Errorf("a table above the limit: %v, %v, want memory.Err", table, err)
	}
	if table, err := space.DistanceTransform(context.Background(), 10, nil); err != nil || len(table.Cells()) != 10_000 {
		t.Errorf("a table below the limit: %v, %v", table, err)
	}
	wide := make([]float64, 1<<12)
	for i := range wide {
		wide[i] = float64(i)
	}
	few := must.For(query.NewNumeric("few", must.For(query.NewPathSpace(2, nil))(t), []float64{0, 1}, wide))(t)
	if p, err := query.Product(context.Background(), []*query.Query{few, few}, query.SumNorm, nil); p != nil || !errors.Is(err, memory.Err) {
		t.Errorf("a product above the limit: %v, %v", p, err)
	}
}
