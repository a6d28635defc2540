package planes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"dpworkbench/internal/symmetric"
)

// telling is a context that has ended when it is asked for the n-th time, and says who asks.
type telling struct {
	context.Context
	asked atomic.Int64
	n     int64
	first map[string]bool // the functions that were at work at the n-th time
}

type told string

func (by told) Error() string        { return "told to " + string(by) }
func (by told) Is(target error) bool { return target == context.Canceled }

func (c *telling) Err() error {
	k := c.asked.Add(1)
	if k < c.n {
		return nil
	}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	by, more := frames.Next()
	if k == c.n {
		c.first = map[string]bool{named(by): true}
		for f := by; more; c.first[named(f)] = true {
			f, more = frames.Next()
		}
	}
	return told(named(by))
}

// named returns the function that a frame is of, or that one that a closure is in.
func named(f runtime.Frame) string {
	name, _, _ := strings.Cut(f.Function, ".func")
	return name
}

// What takes long returns what its context says to one of the functions that were at work
// when it ended: nothing else is begun.
func TestInterrupted(t *testing.T) {
	run := func(name string, f func(ctx context.Context) error) {
		t.Helper()
		whole := &telling{Context: t.Context(), n: math.MaxInt64}
		if err := f(whole); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		last := whole.asked.Load()
		at := []int64{last}
		for n := int64(1); n < last; n += 1 + n/2 {
			if at = append(at, n); last < 600 {
				at = append(at, last-n)
			} else {
				n *= 4 // what is far takes long to reach
			}
		}
		for _, n := range at {
			var by told
			c := &telling{Context: t.Context(), n: n}
			if err := f(c); !errors.As(err, &by) || !c.first[string(by)] {
				t.Errorf("%s, ended at question %d of %d: error %v", name, n, last, err)
			}
		}
	}
	rng := rand.New(rand.NewPCG(107, 1))
	for _, d := range []int{3, 5} {
		p, q := drawn(d, 1, rng), drawn(d, 1, rng)
		at := firstTwo(symmetric.RandomBasis(d, rng))
		run(fmt.Sprintf("a climb of order %d", d), func(ctx context.Context) error {
			return (&ascent{forms: newForms(p, q)}).climbFrom(ctx, at)
		})
		run(fmt.Sprintf("an enclosure of order %d", d), func(ctx context.Context) error {
			_, err := Enclose(ctx, p, q, math.Inf(1))
			return err
		})
		started := func() *search {
			s := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
			if err := s.climbFrom(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			return s
		}
		for name, f := range map[string]func(s *search, ctx context.Context) error{
			"half-planes": (*search).lowerByHalfPlanes, "cuts of frames": (*search).lowerByFrameCuts,
			"the compound": func(s *search, ctx context.Context) error { return s.lowerByCompound(ctx, d) },
			"the lift":     func(s *search, ctx context.Context) error { return s.lowerByLift(ctx, leadingDirections{d, 0}) },
		} {
			run(fmt.Sprintf("%s of order %d", name, d), func(ctx context.Context) error { return f(started(), ctx) })
		}
	}
	floor := precision([]float64{1, 2, 3, 100, 100, 100}, symmetric.Eye(6))
	other := precision([]float64{3, 1, 2, 100, 100, 100}, turnedPairs(6, [][2]int{{0, 1}, {1, 2}}, []float64{20, 40}))
	run("an enclosure above a floor", func(ctx context.Context) error {
		_, err := Enclose(ctx, floor, other, math.Inf(1))
		return err
	})
	// Blocks of two, of which the lift alone is the way.
	first := precision([]float64{1, 2, 5, 9}, symmetric.Eye(4))
	second := precision([]float64{2, 1, 7, 3}, turnedPairs(4, [][2]int{{0, 1}, {2, 3}}, []float64{20, 40}))
	run("shared blocks", func(ctx context.Context) error {
		s := &search{ascent: ascent{forms: newForms(first, second)}, hi: math.Inf(1)}
		if err := s.climbFrom(t.Context(), firstTwo(symmetric.Eye(4))); err != nil {
			return err
		}
		return s.lowerBySharedBlocks(ctx)
	})
	// A pair where no face holds, so that the general method is asked.
	loose := rand.New(rand.NewPCG(1057, 77))
	k, l := loose.IntN(7), loose.IntN(7)
	f := newForms(spectrum(9, k, nil, loose), spectrum(9, l, nil, loose))
	at := firstTwo(symmetric.RandomBasis(9, rng))
	run("a cover where no face holds", func(ctx context.Context) error {
		s := newHalfPlanes(f, at)
		_, escape, err := s.coverLevel(ctx, s.reflectionFormOf([4]float64{1, 0.7, 0.9, 0.5}), at)
		if err == nil && escape == nil {
			t.Error("a face holds; take another plane")
		}
		return err
	})
}
