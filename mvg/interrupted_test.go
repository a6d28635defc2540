package mvg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"
)

// telling is a context that has ended when it is asked for the n-th time, and says who asks.
type telling struct {
	context.Context
	asked int
	n     int
	first map[string]bool // the functions that were at work at the n-th time
}

type told string

func (by told) Error() string        { return "told to " + string(by) }
func (by told) Is(target error) bool { return target == context.Canceled }

func (c *telling) Err() error {
	c.asked++
	if c.asked < c.n {
		return nil
	}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	by, more := frames.Next()
	if c.asked == c.n {
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

func (c *telling) Done() <-chan struct{} { return nil }

// What takes long returns what its context says to one of the functions that were at work
// when it ended, and nothing besides: nothing else is begun.
func TestInterrupted(t *testing.T) {
	run := func(name string, f func(ctx context.Context) (result any, err error)) {
		t.Helper()
		whole := &telling{Context: t.Context(), n: 1 << 40}
		if _, err := f(whole); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if whole.asked == 0 {
			t.Errorf("%s asks nothing", name)
		}
		at := []int{whole.asked}
		for n := 1; n < whole.asked; n += 1 + n/2 {
			if at = append(at, n); whole.asked < 600 {
				at = append(at, whole.asked-n)
			} else {
				n *= 4 // what is far takes long to reach
			}
		}
		for _, n := range at {
			c := &telling{Context: t.Context(), n: n}
			v, err := f(c)
			var by told
			if !errors.As(err, &by) || !c.first[string(by)] || fmt.Sprint(v) != "<nil>" {
				t.Errorf("%s, ended at question %d of %d: %v, error %v", name, n, whole.asked, v, err)
			}
		}
	}
	routes(func(name string, s Sensitivity, goal Goal, r Recipe) {
		if _, list := s.(Differences); goal.Objective == MostInformation && r.Mode != Unimodal && (r.Directions != nil) != list {
			return // of those that take long, one of each
		}
		whole := &telling{Context: t.Context(), n: 1 << 40}
		if _, err := solveAt(whole, s, goal, r, 1, 1); err != nil || whole.asked == 0 {
			return
		}
		run(name, func(ctx context.Context) (any, error) { return solveAt(ctx, s, goal, r, 1, 1) })
	})

	rng := rand.New(rand.NewPCG(6, 1))
	eps := ok(evidence.NewEpsilon("eps", 1))
	list := setsOf(rng)["list"]
	r := Recipe{Epsilon: eps, Delta: 1e-3}
	run("a tight design", func(ctx context.Context) (any, error) { return NewTight(ctx, list, r) })
	dense := func(n int) Covariance { return drawCovariance(t, n, 1, rng) }
	two, other := dense(2), dense(2)
	run("a design", func(ctx context.Context) (any, error) { return NewDesign(ctx, list, two, other) })
	design := ok(NewDesign(t.Context(), list, two, other))
	run("δ of a design", func(ctx context.Context) (any, error) { return design.Privacy().Delta(ctx, eps) })
	run("ε of a design", func(ctx context.Context) (any, error) { return design.Privacy().Epsilon(ctx, 0.1) })
	added := ok(NewGram(2, 1, false, 1))
	run("a design for a record added", func(ctx context.Context) (any, error) { return NewDesign(ctx, added, two, other) })

	many, unit := dense(14), ok(NewIsotropic(1, 1))
	box := ok(NewBox(1, uniform(14, 1)))
	run("a box of 2^13 vertices", func(ctx context.Context) (any, error) { return NewDesign(ctx, box, many, unit) })
	goal := Goal{LeastError, uniform(14, 1)}
	run("the optimum for it", func(ctx context.Context) (any, error) {
		return solveAt(ctx, box, goal, Recipe{Directions: symmetric.RandomBasis(14, rand.NewPCG(6, 2))}, 1, 1)
	})

	noise := ok(NewRankOne(10, 1, eps, 1e-5)).Privacy(0.1)
	run("δ of the rank-one noise", func(ctx context.Context) (any, error) { return noise.Delta(ctx, eps) })
	problem := KroneckerProblem{[]float64{1, 3}, []float64{1, 2, 0.5}, 2, L1, 3}
	run("a Kronecker filling", func(ctx context.Context) (any, error) { return FillKronecker(ctx, problem, rand.NewPCG(1, 1)) })
}

func says(err error, what string) bool { return err != nil && strings.Contains(err.Error(), what) }
