package lp_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/optimize/lp"
)

// The expected optima are from an independent solver, to ten decimals.
func TestBudgetGoldens(t *testing.T) {
	for _, c := range []struct {
		name  string
		u     lp.Universe
		eps   float64
		delta *big.Rat
		worst bool
		want  float64
	}{
		{"G_4", lp.GraphUniverse(4), 1, big.NewRat(1, 100), false, .4639274240319},
		{"G_5", lp.GraphUniverse(5), 1, big.NewRat(1, 100), false, .8249495597},
		{"G_5", lp.GraphUniverse(5), .5, big.NewRat(1, 20), false, 1.0441563190},
		{"G_4", lp.GraphUniverse(4), 1, big.NewRat(1, 100), true, .9103951960},
		{"line", lp.Line(20), 1, big.NewRat(1, 100), false, .7433836093},
		{"line", lp.Line(20), 1, big.NewRat(1, 100), true, .7955807499},
	} {
		p, _ := c.u.Program(lp.Exp(c.eps))
		p.Spend(c.delta)
		scale := float64(len(c.u.Values))
		if c.worst {
			p.Worst()
			scale = 1
		}
		s, err := lp.Solve(context.Background(), p, lp.Options{})
		if err != nil {
			t.Fatalf("%s, ε = %g, worst %v: %v", c.name, c.eps, c.worst, err)
		}
		if s.Hi/scale < c.want-6e-11 || s.Lo/scale > c.want+6e-11 || !(s.Hi-s.Lo <= 1e-9*s.Hi) {
			t.Errorf("%s, ε = %g, worst %v: [%v, %v], want %v", c.name, c.eps, c.worst, s.Lo/scale, s.Hi/scale, c.want)
		}
	}
}

// A budget must be between 0 and 1.
func TestBudgetRange(t *testing.T) {
	for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2), big.NewRat(1, 1), big.NewRat(3, 2)} {
		p, _ := lp.Line(3).Program(lp.Exp(1))
		if x, err := lp.Solve(t.Context(), p.Spend(delta), lp.Options{}); x != nil || !errors.Is(err, lp.ErrProgram) || !strings.Contains(err.Error(), "delta") {
			t.Errorf("delta = %v: %v, %v", delta, x, err)
		}
	}
	for want, spoil := range map[string]func(p *lp.Program){
		"budgets without delta":      func(p *lp.Program) { p.Delta = nil },
		"budgets for":                func(p *lp.Program) { p.Budget = p.Budget[1:] },
		"constraint 2 has budget -1": func(p *lp.Program) { p.Budget[2] = -1 },
		"constraint 1 has budget":    func(p *lp.Program) { p.Budget[1] = int32(p.Budgets) },
	} {
		p, _ := lp.Line(3).Program(lp.Exp(1))
		spoil(p.Spend(big.NewRat(1, 10)))
		if x, err := lp.Solve(t.Context(), p, lp.Options{}); x != nil || !errors.Is(err, lp.ErrProgram) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %s", x, err, want)
		}
	}
}

// A program with small budgets stops with its context at each poll, and returns the bounds it has by then.
func TestSmallBudgetsStop(t *testing.T) {
	p, _ := lp.Line(4).Program(lp.Exp(1))
	p.Spend(big.NewRat(9, 10_000_000_000))
	whole := must.For(lp.Solve(t.Context(), p, lp.Options{}))(t)
	for _, width := range []float64{1e-6, 2e-9} { // without budgets the gap is 2.5e-9
		for n := range 400 {
			x, err := lp.Solve(ctxtest.CancelAfter(t.Context(), n), p, lp.Options{Width: width})
			if x != nil && (x.Lo > whole.Hi || x.Hi < whole.Lo) {
				t.Fatalf("after %d polls: optimum in [%g, %g], want an overlap with [%g, %g]", n, x.Lo, x.Hi, whole.Lo, whole.Hi)
			}
			if err == nil {
				if n < 4 || x == nil || !(x.Hi-x.Lo <= width*x.Hi) {
					t.Errorf("to %g after %d polls: %+v", width, n, x)
				}
				break
			}
			if errors.Is(err, lp.ErrPrecision) && width < 1e-8 { // the limit of the arithmetic with such budgets
				break
			}
			if !errors.Is(err, context.Canceled) || n == 399 {
				t.Fatalf("after %d polls: %v", n, err)
			}
		}
	}
}
