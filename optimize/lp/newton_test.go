package lp_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/optimize/lp"
)

// A solve that is cancelled or runs out of steps returns a certified answer and an error. It stops at the requested
// aim, and at the default width if none is given.
func TestSolveInterrupted(t *testing.T) {
	p, _ := lp.Line(6).Program(lp.Exp(0.8))
	want, err := lp.Solve(t.Context(), p, lp.Options{})
	if err != nil || want.Hi-want.Lo > 1e-6*want.Hi {
		t.Fatalf("default width: %+v, %v", want, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := lp.Solve(ended, p, lp.Options{Outer: t.Context()})
	if x == nil || x.Iterations != 0 || err != ended.Err() || !(x.Lo <= want.Hi && x.Hi >= want.Lo) || math.IsInf(x.Hi, 1) {
		t.Errorf("cancelled: %+v, %v", x, err)
	}
	for _, steps := range []int{1, 3} {
		x, err := lp.Solve(t.Context(), p, lp.Options{Iterations: steps})
		if x == nil || x.Iterations != steps || err == nil || !(x.Lo <= want.Hi && x.Hi >= want.Lo) {
			t.Errorf("%d steps: %+v, %v", steps, x, err)
		}
	}
	wide, err := lp.Solve(t.Context(), p, lp.Options{Width: 0.5, Aim: 0.3})
	if err != nil || wide.Iterations >= want.Iterations || wide.Hi-wide.Lo > 0.5*wide.Hi {
		t.Errorf("width 0.5: %+v, %v, the default width takes %d steps", wide, err, want.Iterations)
	}
}
