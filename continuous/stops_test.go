package continuous_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// Every function returns its context's error, whichever poll finds it.
func TestFunctionsStop(t *testing.T) {
	line, lattice, one := queryOf(t, "0", "1/7", "1", "3/2"), queryOf(t, "2", "2", "6", "6"), evidencetest.Epsilon(1)
	radius, largest := big.NewRat(1, 3), big.NewRat(1, 1)
	k := plane(t, one, [2]int64{2, 0}, [2]int64{0, 1})
	staircase := must.For(continuous.NewStaircase(line, one, nil))(t)
	layered := must.For(continuous.NewDeltaNeighborhood(context.Background(), line, one, radius))(t)
	laplace := must.For(continuous.NewLaplace(line, one))(t)
	for _, c := range []struct {
		what  string
		least int
		do    func(ctx context.Context) error
	}{
		{"layers of a line", 1, func(ctx context.Context) error { _, err := continuous.NewSequence(ctx, line, radius); return err }},
		{"layers of points", 1, func(ctx context.Context) error {
			_, err := continuous.NewSequence(ctx, lattice, new(big.Rat))
			return err
		}},
		{"a neighborhood", 1, func(ctx context.Context) error {
			_, err := continuous.NewDeltaNeighborhood(ctx, line, one, radius)
			return err
		}},
		{"a cache", 1, func(ctx context.Context) error {
			var cache continuous.Cache
			_, err := cache.Sequence(ctx, line, radius)
			return err
		}},
		{"a grid", 2, func(ctx context.Context) error {
			_, err := continuous.Grid(ctx, line, []*big.Rat{radius, largest}, []evidence.Epsilon{one})
			return err
		}},
		{"best radii", 3, func(ctx context.Context) error {
			_, err := continuous.BestRadii(ctx, line, []evidence.Epsilon{one}, largest, 2)
			return err
		}},
		{"a basic check", 1, func(ctx context.Context) error { _, _, err := k.CheckBasic(ctx, 2); return err }},
		{"a gap", 2, func(ctx context.Context) error { _, _, err := k.FindLatticeGap(ctx, 2, 1); return err }},
		{"steps", 1, func(ctx context.Context) error { _, err := staircase.Layers(ctx, 2); return err }},
		{"Laplace's steps", 1, func(ctx context.Context) error { _, err := laplace.Layers(ctx, 2); return err }},
		{"sets", 1, func(ctx context.Context) error { _, err := layered.Layers(ctx, 2); return err }},
		{"a worst shift", 2, func(ctx context.Context) error {
			fresh, err := continuous.NewLayered(layered.Sequence, one)
			if err != nil {
				return err
			}
			_, err = fresh.Privacy().Delta(ctx, one.Ratio(1, 2))
			return err
		}},
		{"draws", 1, func(ctx context.Context) error {
			_, err := continuous.Draw(ctx, 3, rand.NewPCG(1, 1), laplace.Noise)
			return err
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			ctxtest.EachPoll(t, c.least, c.do)
			if c.what == "a grid" || c.what == "best radii" {
				return // several goroutines poll, and only one sees the cancellation
			}
			whole := ctxtest.CancelAfter(t.Context(), math.MaxInt)
			if err := c.do(whole); err != nil {
				t.Fatal(err)
			}
			for n := range whole.Polls() { // a function must return the error of a single poll
				if err := c.do(ctxtest.CancelOnce(t.Context(), n)); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled only at poll %d of %d: error %v", n, whole.Polls(), err)
				}
			}
		})
	}
}

// Several goroutines may request cached results at once.
func TestConcurrentCacheRequests(t *testing.T) {
	line, one := queryOf(t, "0", "1/7", "1", "3/2"), evidencetest.Epsilon(1)
	var cache continuous.Cache
	layered := must.For(continuous.NewPurest(context.Background(), line, one))(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := cache.Sequence(context.Background(), line, big.NewRat(int64(i%4), 7)); err != nil {
				t.Error(err)
			}
			if _, err := layered.Noise(1, rand.NewPCG(1, 1)); err != nil {
				t.Error(err)
			}
			if _, err := layered.Curve([]evidence.Epsilon{one}); err != nil {
				t.Error(err)
			}
			if _, err := layered.Privacy().Delta(context.Background(), one.Ratio(1, 2)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
