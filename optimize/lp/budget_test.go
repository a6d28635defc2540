package lp

import (
	"context"
	"math/big"
	"testing"
)

// spend allows the constraints of every ordered pair of rows to be exceeded by delta in total.
func (p *Program) spend(delta *big.Rat) *Program {
	p.Delta, p.Budget, p.Budgets = delta, nil, 0
	at := make(map[[2]int32]int32)
	for _, e := range p.Pairs {
		for side := range 2 {
			key := [2]int32{p.Row[e[side]], p.Row[e[1-side]]}
			g, ok := at[key]
			if !ok {
				g = int32(p.Budgets)
				at[key] = g
				p.Budgets++
			}
			p.Budget = append(p.Budget, g)
		}
	}
	return p
}

// The expected optima are from an independent solver, to ten decimals.
func TestBudgetGoldens(t *testing.T) {
	for _, c := range []struct {
		name  string
		u     universe
		eps   float64
		delta *big.Rat
		worst bool
		want  float64
	}{
		{"G_4", graphUniverse(4), 1, big.NewRat(1, 100), false, .4639274240319},
		{"G_5", graphUniverse(5), 1, big.NewRat(1, 100), false, .8249495597},
		{"G_5", graphUniverse(5), .5, big.NewRat(1, 20), false, 1.0441563190},
		{"G_4", graphUniverse(4), 1, big.NewRat(1, 100), true, .9103951960},
		{"line", line(20), 1, big.NewRat(1, 100), false, .7433836093},
		{"line", line(20), 1, big.NewRat(1, 100), true, .7955807499},
	} {
		p, _ := c.u.program(exp(c.eps))
		p.spend(c.delta)
		scale := float64(len(c.u.values))
		if c.worst {
			p.worst()
			scale = 1
		}
		s, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatalf("%s, ε = %g, worst %v: %v", c.name, c.eps, c.worst, err)
		}
		if s.Hi/scale < c.want-6e-11 || s.Lo/scale > c.want+6e-11 || !(s.Hi-s.Lo <= 1e-9*s.Hi) {
			t.Errorf("%s, ε = %g, worst %v: [%v, %v], want %v", c.name, c.eps, c.worst, s.Lo/scale, s.Hi/scale, c.want)
		}
	}
}
