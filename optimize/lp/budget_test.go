package lp_test

import (
	"context"
	"math/big"
	"testing"

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
