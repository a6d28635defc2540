package signrp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/parallel"
	"dpworkbench/privacy"
)

// What was once measured, summed or enclosed is kept: whoever asks again is told the same, with a context that has ended too.
func TestAnswersAreKept(t *testing.T) {
	ctx := t.Context()
	over, end := context.WithCancel(ctx)
	end()
	rng := rand.New(rand.NewPCG(49, 1))
	u := randomVector(rng, 5)
	v := slices.Clone(u)
	v[2] = u[2] / 2
	for _, kind := range []Kind{Rademacher, Gaussian, OPORP} {
		w := anew(t, kind, 5, 4, false)
		if kind == Gaussian {
			if err := w.prepare(over); !errors.Is(err, context.Canceled) {
				t.Errorf("%s W is measured after the end: %v", kind, err)
			}
		}
		m := must(w.measure(ctx))
		if again, err := w.measure(over); again != m || err != nil {
			t.Errorf("%s W is measured again: %v", kind, err)
		}
		at := must(w.at(ctx, u, 0.5))
		if first := at.exact(1); at.exact(1) != first {
			t.Errorf("%s W: a sum is made again", kind)
		}
		for _, r := range everyRelease(t, w, eps(t, 1), 0.5) {
			neighbors, ball := r.Neighbors(u), r.Ball(u)
			for name, c := range map[string]privacy.Profile{"neighbors": neighbors, "ball": ball, "pair": r.Pair(u, v)} {
				want := fmt.Sprint(must(c.Epsilon(ctx, evidence.Delta{})))
				if got, err := c.Epsilon(over, evidence.Delta{}); err != nil || fmt.Sprint(got) != want {
					t.Errorf("%s, %s W: ε of %s asked again after the end: %v, %v, want %s", r.name, kind, name, got, err, want)
				}
			}
			s := must(neighbors.sweep(ctx))
			if again := must(neighbors.sweep(over)); again != s {
				t.Errorf("%s: neighbors are swept again", r.name)
			}
			if s.other != nil {
				if first := s.sides(); s.sides() != first {
					t.Errorf("%s: the sides are made again", r.name)
				}
			}
			p := r.Public().(*public)
			if first := must(p.centred(ctx)); must(p.centred(over)) != first {
				t.Errorf("%s: the public pair is made again", r.name)
			}
			pair := &between{r: r, u: u, v: v}
			if first := must(pair.sides(ctx)); must(pair.sides(over)) != first {
				t.Errorf("%s: the sides of a pair are made again", r.name)
			}
		}
	}
	c := newCutNormal(1)
	c.at(3.1)
	if c.centre[6] == nil || &c.centre[6][0] != func() *float64 { c.at(2.9); return &c.centre[6][0] }() {
		t.Error("a polynomial of the cut normal is made again")
	}
}

// heardOf collects what is reported of work.
func heardOf(ctx context.Context, do func(ctx context.Context) error) (steps []string, err error) {
	var guard sync.Mutex
	err = do(parallel.WithProgress(ctx, func(done, total int64, what string) {
		guard.Lock()
		defer guard.Unlock()
		steps = append(steps, fmt.Sprintf("%d of %d %s", done, total, what))
	}))
	return steps, err
}

// onOneProcessor has pieces done in their order.
func onOneProcessor[T any](t *testing.T, do func() (T, error)) T {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	out, err := do()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Long work tells how far it has come: by all that a piece has done, up to all of it.
func TestLongWorkIsHeardOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 2))
	streams := func(n uint64) rand.Source { return draw.Source(49, n) }
	data := numbersLike(rng, 70, 3)
	codes := make([][]int8, 10)
	for i := range codes {
		codes[i] = []int8{1, -1, 1}
	}
	pack := packed(codes)
	raw := must(NewRaw(3, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 1}))
	wide := must(NewSignRP(t.Context(), anew(t, Rademacher, 130, 2, false), eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1}))
	for what, c := range map[string]struct {
		do   func(ctx context.Context) error
		want []string
	}{
		"releases": {func(ctx context.Context) error { return discard(raw.SampleAll(ctx, data, streams)) }, []string{"32 of 70 vectors released", "64 of 70 vectors released", "70 of 70 vectors released"}},
		"codes":    {func(ctx context.Context) error { return discard(pack.nearest(ctx, pack, 2)) }, []string{"4 of 10 queries", "8 of 10 queries", "10 of 10 queries"}},
		"angles":   {func(ctx context.Context) error { return discard(NearestByCosine(ctx, data, data[:9], 2)) }, []string{"4 of 9 queries", "8 of 9 queries", "9 of 9 queries"}},
		"draws": {func(ctx context.Context) error {
			return discard(EstimatePPlus(ctx, Column{Kind: Gaussian, U: []float64{1}, Beta: 1}, 5000, streams))
		}, []string{"4096 of 5000 draws", "5000 of 5000 draws"}},
		"neighbors": {func(ctx context.Context) error { return discard(wide.Neighbors(make([]float64, 130)).Worst(ctx)) },
			[]string{"0 of 130 entries of the vector", "64 of 130 entries of the vector", "128 of 130 entries of the vector"}},
	} {
		one := onOneProcessor(t, func() ([]string, error) { return heardOf(t.Context(), c.do) })
		if !slices.Equal(one, c.want) {
			t.Errorf("%s: heard %q, want %q", what, one, c.want)
		}
	}
}

// Products go into rows whatever these held.
func TestRowsHoldTheProductAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 3))
	for _, n := range []int{1, 2, 3, 7} {
		data := make([][]float64, n)
		for v := range data {
			data[v] = randomVector(rng, 70)
		}
		for _, kind := range []Kind{Rademacher, Gaussian, Sparse, OPORP} {
			for _, streamed := range []bool{false, true} {
				w := anew(t, kind, 70, 3, streamed)
				want := must(w.ApplyAll(t.Context(), data))
				rows := make([][]float64, n)
				for v := range rows {
					rows[v] = []float64{7, -1e9, 3}
				}
				if err := w.ApplyInto(t.Context(), rows, data); err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
					t.Errorf("%s W, %d vectors: %v, %v, want %v", kind, n, rows, err, want)
				}
			}
		}
	}
}
