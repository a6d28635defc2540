package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

func ExampleProjection_Sensitivity() {
	w, _ := signrp.NewProjection(signrp.Rademacher, 1000, 256, signrp.ProjectionOptions{Seed: 1})
	s, _ := w.Sensitivity(context.Background(), 0.5)
	fmt.Println(s.Float(), s.Kind())
	// Output: 0.5 exact
}

// OPORP's matrix has one ±1 a row and at most ⌈p/k⌉ a column.
func TestOPORPShape(t *testing.T) {
	for _, shape := range [][2]int{{12, 4}, {13, 4}, {7, 7}, {100, 33}} {
		w := must.Be(signrp.NewOPORP(context.Background(), shape[0], shape[1], 3))
		columns := make([]int, w.K())
		for i := range w.P() {
			count := 0
			for j, v := range must.Be(w.Matrix())[i] {
				if v != 0 {
					count++
					columns[j]++
				}
				if v != 0 && math.Abs(v) != 1 {
					t.Errorf("entry %v", v)
				}
			}
			if count != 1 {
				t.Errorf("row %d has %d entries", i, count)
			}
		}
		size := w.Padded() / w.K()
		for j, c := range columns {
			if c > size || w.Padded() == w.P() && c != size {
				t.Errorf("%v: bin %d holds %d of %d", shape, j, c, size)
			}
		}
	}
}

// Empty bins and bins of zeros sum to +0.
func TestBinsOfZerosArePositive(t *testing.T) {
	w := must.Be(signrp.NewOPORP(context.Background(), 5, 4, 1))
	x := must.Be(w.Apply(context.Background(), []float64{0, math.Copysign(0, -1), 0, 0, math.Copysign(0, -1)}))
	for j, v := range x {
		if v != 0 || math.Signbit(v) {
			t.Errorf("x[%d] = %v, want +0", j, v)
		}
	}
}

// Making, applying and measuring a projection poll the context for blocks, vectors and coordinates, and return its
// error.
func TestProjectionsStop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the callers identify the workers
	const p, k = 70, 3
	rng := rand.New(rand.NewPCG(41, 1))
	data := make([][]float64, 7)
	for v := range data {
		data[v] = signrp.RandomVector(rng, p)
	}
	bytes := make([]byte, 7*p)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { return signrp.Discard(signrp.NewOPORP(ctx, 1<<16+2, 2, 1)) })
	for _, kind := range []signrp.Kind{signrp.Rademacher, signrp.Gaussian, signrp.Uniform, signrp.Sparse, signrp.OPORP} {
		for _, streamed := range []bool{false, true} {
			of := func() *signrp.Projection { return signrp.FreshProjection(t, kind, p, k, streamed) }
			stops := func(do func(ctx context.Context) error) { t.Helper(); ctxtest.EachPoll(t, 1, do) }
			stops(func(ctx context.Context) error { return signrp.Discard(of().ApplyAll(ctx, data)) })
			stops(func(ctx context.Context) error { return signrp.Discard(of().ApplyBytes(ctx, bytes, 1./255)) })
			if kind == signrp.OPORP {
				continue // one vector is applied in one pass
			}
			stops(func(ctx context.Context) error { return signrp.Discard(of().Apply(ctx, data[0])) })
			stops(func(ctx context.Context) error { return signrp.Discard(of().Levels(ctx, data[0], 0.5)) })
			if kind == signrp.Rademacher {
				continue // β is its sensitivity
			}
			e, d, o := evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 0.5}
			stops(func(ctx context.Context) error { return signrp.Discard(of().Sensitivity(ctx, 0.5)) })
			stops(func(ctx context.Context) error { return signrp.Discard(signrp.NewRP(ctx, of(), e, d, o)) })
			stops(func(ctx context.Context) error { return signrp.Discard(signrp.NewClassicRP(ctx, of(), e, d, o)) })
			stops(func(ctx context.Context) error {
				return signrp.Discard(signrp.NewSignRP(ctx, of(), e, signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: d, Beta: 0.5}))
			})
		}
	}
}
