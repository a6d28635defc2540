package lp

import (
	"context"
	"math"
	"testing"
)

// A solve that is cancelled or runs out of steps returns a certified answer and an error. The aim and the default width
// are respected.
func TestSolveInterrupted(t *testing.T) {
	p, _ := line(6).program(exp(0.8))
	want, err := Solve(t.Context(), p, Options{})
	if err != nil || want.Hi-want.Lo > 1e-6*want.Hi {
		t.Fatalf("default width: %+v, %v", want, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := Solve(ended, p, Options{Outer: t.Context()})
	if x == nil || x.Iterations != 0 || err != ended.Err() || !(x.Lo <= want.Hi && x.Hi >= want.Lo) || math.IsInf(x.Hi, 1) {
		t.Errorf("cancelled: %+v, %v", x, err)
	}
	for _, steps := range []int{1, 3} {
		x, err := Solve(t.Context(), p, Options{Iterations: steps})
		if x == nil || x.Iterations != steps || err == nil || !(x.Lo <= want.Hi && x.Hi >= want.Lo) {
			t.Errorf("%d steps: %+v, %v", steps, x, err)
		}
	}
	wide, err := Solve(t.Context(), p, Options{Width: 0.5, Aim: 0.3})
	if err != nil || wide.Iterations >= want.Iterations || wide.Hi-wide.Lo > 0.5*wide.Hi {
		t.Errorf("width 0.5: %+v, %v, the default width takes %d steps", wide, err, want.Iterations)
	}
}
