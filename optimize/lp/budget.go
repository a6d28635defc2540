package lp

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/interval"
)

// Constraints with budgets may be violated by a variable o ≥ 0 each:
//
//	p_a ≤ w p_b + o,   Σ_{constraints of a budget} o ≤ Delta.
//
// The price of a budget is implied: the best price is the largest price z of its constraints. The bound decreases by
// Delta times the price of each budget (see floor).

// checkBudgets returns an error wrapping ErrProgram if Delta or the budgets are not well formed.
func (p *Program) checkBudgets() error {
	if p.Delta == nil {
		if p.Budget != nil {
			return fmt.Errorf("%w: budgets without delta", ErrProgram)
		}
		return nil
	}
	if p.Delta.Sign() <= 0 || p.Delta.Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("%w: delta = %v, want above 0 and below 1", ErrProgram, p.Delta)
	}
	if len(p.Budget) != 2*len(p.Pairs) {
		return fmt.Errorf("%w: %d budgets for %d constraints", ErrProgram, len(p.Budget), 2*len(p.Pairs))
	}
	for k, g := range p.Budget {
		if g < 0 || int(g) >= p.Budgets {
			return fmt.Errorf("%w: constraint %d has budget %d of %d", ErrProgram, k, g, p.Budgets)
		}
	}
	return nil
}

// equated returns the words for what equations counts.
func (c *core) equated() string {
	if c.budgets > 0 {
		return "rows, bounds and budgets"
	}
	return "rows and bounds"
}

// charge encloses the decrease of the bound due to budgets, for the given prices of the constraints.
func (p *Program) charge(z []float64) interval.Interval {
	total := interval.Int(0)
	if p.Delta == nil {
		return total
	}
	top := make([]float64, p.Budgets)
	for k, g := range p.Budget {
		top[g] = max(top[g], z[k])
	}
	for _, v := range top {
		total = total.Add(interval.Float(v))
	}
	return total.Mul(interval.Rat(p.Delta))
}

// affords reports whether the weights, divided by their row sums, certainly satisfy every budget, with the margin.
// It returns false if ctx ends.
func (p *Program) affords(ctx context.Context, weights []float64, sum []interval.Interval) bool {
	inverse, rough := make([]interval.Interval, p.Rows), make([]float64, p.Rows)
	for i, s := range sum {
		inverse[i] = interval.Int(1).Quo(s)
		rough[i] = inverse[i].Mid()
	}
	// A float64 filter. Each side is a product of at most three numbers, each rounded once, so the difference has
	// an error below 2⁻⁴⁹ of their sum.
	w, _ := p.Ratio.Bounds()
	above := make([]float64, p.Budgets)
	var close []int32 // constraints that may be violated
	for k, e := range p.Pairs {
		for side := range 2 {
			a, b := e[side], e[1-side]
			large, small := weights[a]*rough[p.Row[a]], w*(weights[b]*rough[p.Row[b]])
			if over := large - small + 0x1p-49*(large+small) + 1e-300; over > 0 {
				above[p.Budget[2*k+side]] += over
				close = append(close, int32(2*k+side))
			}
		}
	}
	limit := interval.Rat(p.Delta).Mul(interval.Float(1 - margin))
	least, _ := limit.Bounds()
	exact := slices.Repeat([]interval.Interval{interval.Int(0)}, p.Budgets)
	sure := least * (1 - 0x1p-30) // sums of fewer than 2²² numbers
	for at, k := range close {
		if at%(1<<12) == 0 && ctx.Err() != nil {
			return false
		}
		g := p.Budget[k]
		if above[g] < sure {
			continue
		}
		e := p.Pairs[k/2]
		a, b := e[k%2], e[1-k%2]
		over := interval.Float(weights[a]).Mul(inverse[p.Row[a]]).Sub(interval.Float(weights[b]).Mul(inverse[p.Row[b]]).Mul(p.Ratio))
		exact[g] = exact[g].Add(interval.Max(over, interval.Int(0)))
		if !exact[g].Less(limit) {
			return false
		}
	}
	return ctx.Err() == nil
}
