package lp

import (
	"errors"
	"fmt"
	"math/big"

	"dpworkbench/internal/lists"
)

// verify checks every constraint of the program and of its dual in rational arithmetic, and that both objectives
// agree. It sets x.Value.
func (p *Program) verify(x *ExactSolution, w *big.Rat) error {
	one := big.NewRat(1, 1)
	sum, loss := Zeros(p.Rows), Zeros(p.Rows)
	term := new(big.Rat)
	for j, i := range p.Row {
		if x.P[j].Sign() < 0 {
			return fmt.Errorf("p[%d] < 0", j)
		}
		sum[i].Add(sum[i], x.P[j])
		loss[i].Add(loss[i], term.Mul(x.P[j], p.ratLoss(j)))
	}
	value := new(big.Rat)
	var top *big.Rat
	for i := range sum {
		if sum[i].Cmp(one) != 0 {
			return fmt.Errorf("row %d sums to %v", i, sum[i])
		}
		value.Add(value, term.Mul(p.ratWeight(i), loss[i]))
		if top == nil || loss[i].Cmp(top) > 0 {
			top = loss[i]
		}
	}
	if p.Level {
		value.Add(value, top)
	} else if p.Bound != nil && top.Sign() > 0 {
		return errors.New("a bound is exceeded")
	}
	reduced := Zeros(len(p.Row))
	total := new(big.Rat)
	for j, i := range p.Row {
		rate := p.ratWeight(int(i))
		if p.Bound != nil {
			rate.Add(rate, x.V[i])
		}
		reduced[j].Mul(rate, p.ratLoss(j))
	}
	for i := range x.V {
		if x.V[i].Sign() < 0 {
			return fmt.Errorf("v[%d] < 0", i)
		}
		total.Add(total, x.V[i])
	}
	if p.Level && total.Cmp(one) != 0 {
		return fmt.Errorf("the prices of the bounds sum to %v", total)
	}
	over, dearest := Zeros(p.Budgets), Zeros(p.Budgets) // what exceeds each budget's constraints, and their largest price
	for k, e := range p.Pairs {
		for side := range 2 {
			large, small, price := e[side], e[1-side], x.Z[2*k+side]
			if price.Sign() < 0 {
				return fmt.Errorf("z[%d] < 0", 2*k+side)
			}
			if x.P[large].Cmp(term.Mul(w, x.P[small])) > 0 {
				if p.Delta == nil {
					return fmt.Errorf("pair %d is violated", k)
				}
				g := over[p.Budget[2*k+side]]
				g.Add(g, term.Sub(x.P[large], term))
			}
			if p.Delta != nil {
				if g := dearest[p.Budget[2*k+side]]; price.Cmp(g) > 0 {
					g.Set(price)
				}
			}
			reduced[large].Add(reduced[large], price)
			reduced[small].Sub(reduced[small], term.Mul(w, price))
		}
	}
	least := make([]*big.Rat, p.Rows)
	for j, i := range p.Row {
		if least[i] == nil || reduced[j].Cmp(least[i]) < 0 {
			least[i] = reduced[j]
		}
	}
	bound := new(big.Rat)
	for _, l := range least {
		bound.Add(bound, l)
	}
	for g, v := range over {
		if v.Cmp(p.Delta) > 0 {
			return fmt.Errorf("budget %d is exceeded", g)
		}
		bound.Sub(bound, term.Mul(p.Delta, dearest[g]))
	}
	if bound.Cmp(value) != 0 {
		return fmt.Errorf("primal %v, dual %v", value, bound)
	}
	x.Value = value
	return nil
}

// Zeros returns n rational zeros.
func Zeros(n int) []*big.Rat { return lists.Of(n, func(int) *big.Rat { return new(big.Rat) }) }
