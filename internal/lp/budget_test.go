package lp

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
)

// spend lets the constraints of every ordered pair of rows that pairs join be exceeded by delta in all.
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

// Optima found by an independent solver, to ten decimals.
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

// Solve and SolveExact against the tableau, with budgets of every size: merged, disconnected, with
// weights 0 and with optima of 0.
func TestBudgetsAgainstSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 3))
	found, tried := 0, 0
	for trial := range 60 {
		w := big.NewRat(int64(5+rng.IntN(20)), 4)
		p, _ := randomProgram(rng, w)
		p.spend([]*big.Rat{big.NewRat(1, 100), big.NewRat(1, 7), big.NewRat(1, 3), big.NewRat(2, 3), big.NewRat(1, 1000000)}[trial%5])
		var bounds []*big.Rat
		if trial%3 == 2 {
			p.worst()
			bounds = ratSlice(p.Rows)
		}
		a, b, cost := p.standard(w, bounds)
		want, _ := simplex(a, b, cost)
		s, err := Solve(context.Background(), p, Options{Width: 1e-5})
		if want.Sign() == 0 {
			if s.Hi > 1e-6 || s.Lo > 0 {
				t.Errorf("trial %d: [%v, %v], want 0", trial, s.Lo, s.Hi)
			}
			continue
		}
		if err != nil {
			t.Errorf("trial %d: %v, want %v", trial, err, want)
		}
		if s == nil || ratOf(s.Lo).Cmp(want) > 0 || ratOf(s.Hi).Cmp(want) < 0 {
			t.Errorf("trial %d: [%v, %v] misses %v", trial, s.Lo, s.Hi, want)
		}
		tried++
		x, err := SolveExact(context.Background(), p, w, 100)
		if errors.Is(err, ErrUnidentified) {
			t.Logf("trial %d: %v", trial, err)
			continue
		}
		if err != nil {
			t.Errorf("trial %d: %v", trial, err)
		} else if found++; x.Value.Cmp(want) != 0 {
			t.Errorf("trial %d: exact %v, want %v", trial, x.Value, want)
		}
	}
	t.Logf("%d of %d exact", found, tried)
}
