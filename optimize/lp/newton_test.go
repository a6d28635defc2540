package lp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Whatever the iterate is, what its gap says is on either side of the optimum; the bound
// is the floor of its prices.
func TestGapsOfAnyIterate(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for trial := range 60 {
		w := big.NewRat(rng.Int64N(40)+11, 10)
		p, _ := randomProgram(rng, w)
		var bounds []*big.Rat
		if trial%2 == 1 {
			p.worst()
			bounds = Zeros(p.Rows)
		}
		a, b, cost := p.standard(w, bounds)
		optimum, _ := simplex(a, b, cost)
		want, _ := optimum.Float64()
		s := newSolver(p.merge())
		for range 5 {
			for _, x := range [][]float64{s.p, s.z, s.v} {
				for i := range x {
					x[i] = rng.ExpFloat64()
				}
			}
			value, bound := s.gap()
			if !(value >= want-1e-12*(1+want) && bound <= want+1e-12*(1+want)) {
				t.Fatalf("trial %d: gap from %v to %v, the optimum is %v", trial, bound, value, want)
			}
			_, z, v := s.lift(s.p, s.z, s.v)
			if lo, _ := p.floor(z, v).Bounds(); math.Abs(lo-bound) > 1e-10*(1+math.Abs(lo)) {
				t.Fatalf("trial %d: bound %v, the floor of the prices is %v", trial, bound, lo)
			}
			for j := range s.p { // now feasible: the uniform point and a little
				s.p[j] = (1 + 0.01*rng.Float64()) / float64(len(p.Row)/p.Rows)
			}
			weights, _, _ := s.lift(s.p, s.z, s.v)
			value, _ = s.gap()
			if _, hi := p.value(weights).Bounds(); math.Abs(value-hi) > 1e-12*(1+hi) {
				t.Fatalf("trial %d: value %v of a feasible point, want %v", trial, value, hi)
			}
		}
	}
}

// An interrupted solve has a certified answer and its context's error, and so has one that
// runs out of steps; the aim and the default width are kept.
func TestSolveEnds(t *testing.T) {
	p, _ := line(6).program(exp(0.8))
	want, err := Solve(t.Context(), p, Options{})
	if err != nil || want.Hi-want.Lo > 1e-6*want.Hi {
		t.Fatalf("%+v, %v", want, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := Solve(ended, p, Options{Outer: t.Context()})
	if x == nil || x.Iterations != 0 || err != ended.Err() || !(x.Lo <= want.Hi && x.Hi >= want.Lo) || math.IsInf(x.Hi, 1) {
		t.Errorf("ended: %+v, %v", x, err)
	}
	for _, steps := range []int{1, 3} {
		x, err := Solve(t.Context(), p, Options{Iterations: steps})
		if x == nil || x.Iterations != steps || err == nil || !(x.Lo <= want.Hi && x.Hi >= want.Lo) {
			t.Errorf("%d steps: %+v, %v", steps, x, err)
		}
	}
	wide, err := Solve(t.Context(), p, Options{Width: 0.5, Aim: 0.3})
	if err != nil || wide.Iterations >= want.Iterations || wide.Hi-wide.Lo > 0.5*wide.Hi {
		t.Errorf("to a half: %+v, %v, all the way takes %d steps", wide, err, want.Iterations)
	}
}
