// Package lp solves the linear programs of private mechanisms: probability rows whose variables may differ from
// certain others by a factor of at most w = e^ε. The result is a certified interval. Its ends are the value of a
// feasible point, rounded up, and the bound from a dual point, rounded down.
//
// The method is a primal-dual interior point method. Its normal equations decompose into one sparse block per
// column (output value), coupled only through the row sums; see docs/optimum.md.
package lp

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/interval"
)

// Errors that callers distinguish.
var (
	// ErrProgram is wrapped if a program is not well formed.
	ErrProgram = errors.New("bad program")
	// ErrPrecision is wrapped if the arithmetic cannot reach the requested width. The solution returned with it is
	// still certified.
	ErrPrecision = errors.New("the requested width was not reached")
)

// A Program minimises Σ_i Weight_i P_i + t over p ≥ 0 with
//
//	Σ_{j in row i} p_j = 1            every row i
//	p_a ≤ w p_b and p_b ≤ w p_a       every pair {a, b}
//	P_i = Σ_{j in row i} Loss_j p_j
//	P_i ≤ Bound_i + t                 every row i, if Bound is not nil
//
// If Delta is not nil, the pairs need not satisfy the second line. Instead Σ max(0, p_a − w p_b) ≤ Delta over the
// constraints p_a ≤ w p_b of every budget. Without Level, t is the number 0. With Level, t is free, so that zero
// weights and bounds ask for the least largest P_i.
//
// The uniform point p_j = 1/(variables in the row) must satisfy all pairs: a pair joins rows of equal length.
type Program struct {
	Rows   int
	Row    []int32 // Row[j] is the row of variable j
	Loss   []float64
	Weight []float64 // one per row, not negative
	Pairs  [][2]int32
	Ratio  interval.Interval // encloses w > 1
	Bound  []interval.Interval
	Level  bool

	// Delta is the largest total violation of the constraints of one budget, above 0 and below 1; nil if none may
	// be violated. Budget[2k] is the budget of p_a ≤ w p_b, pair k = {a, b}, Budget[2k+1] that of p_b ≤ w p_a, from
	// 0 to Budgets − 1.
	Delta   *big.Rat
	Budget  []int32
	Budgets int

	// ExactWeight and ExactLoss are the exact values that Weight and Loss round, ExactLoss within a relative 2⁻⁵². They
	// are nil if Weight and Loss are exact. Solutions are certified for the exact values; the floats only guide the
	// search.
	ExactWeight []*big.Rat
	ExactLoss   func(j int) *big.Rat
}

// Limits of programs solved in float64.
const (
	minGrowth = 1e-9 // lower bound of w − 1
	maxGrowth = 1e60
	maxOrder  = 5000 // number of rows, bounds and budgets after merging
)

// weight encloses the weight of a row.
func (p *Program) weight(i int) interval.Interval {
	if p.ExactWeight != nil {
		return interval.Rat(p.ExactWeight[i])
	}
	return interval.Float(p.Weight[i])
}

// ratWeight returns the weight of a row.
func (p *Program) ratWeight(i int) *big.Rat {
	if p.ExactWeight != nil {
		return new(big.Rat).Set(p.ExactWeight[i])
	}
	return ratOf(p.Weight[i])
}

// loss encloses the loss of a variable.
func (p *Program) loss(j int) interval.Interval {
	if p.ExactLoss != nil {
		return interval.Rat(p.ExactLoss(j))
	}
	return interval.Float(p.Loss[j])
}

// ratLoss returns the loss of a variable.
func (p *Program) ratLoss(j int) *big.Rat {
	if p.ExactLoss != nil {
		return p.ExactLoss(j)
	}
	return ratOf(p.Loss[j])
}

// Size returns the number of variables.
func (p *Program) Size() int { return len(p.Row) }

// check returns an error wrapping ErrProgram if p is not well formed.
func (p *Program) check() error {
	n := len(p.Row)
	switch {
	case p.Rows < 1 || n < p.Rows:
		return fmt.Errorf("%w: %d rows of %d variables, want at least one row, and a variable in each", ErrProgram, p.Rows, n)
	case len(p.Loss) != n:
		return fmt.Errorf("%w: %d losses for %d variables", ErrProgram, len(p.Loss), n)
	case len(p.Weight) != p.Rows || p.ExactWeight != nil && len(p.ExactWeight) != p.Rows:
		return fmt.Errorf("%w: %d weights for %d rows", ErrProgram, len(p.Weight), p.Rows)
	case p.Bound != nil && len(p.Bound) != p.Rows:
		return fmt.Errorf("%w: %d bounds for %d rows", ErrProgram, len(p.Bound), p.Rows)
	case p.Level && p.Bound == nil:
		return fmt.Errorf("%w: a free level with no bounds is unbounded below", ErrProgram)
	}
	// Slacks are differences w p_b − p_a, which must be representable in float64.
	if w := p.Ratio.Mid(); !(w-1 >= minGrowth && w <= maxGrowth) {
		return fmt.Errorf("%w: e^ε − 1 = %.3g, want %g to %g", ErrPrecision, p.Ratio.Sub(interval.Int(1)).Mid(), minGrowth, maxGrowth)
	}
	length := make([]int, p.Rows)
	for j, i := range p.Row {
		if i < 0 || int(i) >= p.Rows {
			return fmt.Errorf("%w: variable %d in row %d of %d", ErrProgram, j, i, p.Rows)
		}
		if !(math.Abs(p.Loss[j]) <= math.MaxFloat64) {
			return fmt.Errorf("%w: loss[%d] = %g makes the program unbounded, want a finite number", ErrProgram, j, p.Loss[j])
		}
		length[i]++
	}
	for i, l := range length {
		if l == 0 {
			return fmt.Errorf("%w: row %d has no variable, so its sum cannot be 1 (infeasible)", ErrProgram, i)
		}
		if w := p.Weight[i]; !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%w: weight[%d] = %g, want a number of at least 0", ErrProgram, i, w)
		}
	}
	if err := p.checkBudgets(); err != nil {
		return err
	}
	for k, e := range p.Pairs {
		a, b := e[0], e[1]
		if a < 0 || b < 0 || int(a) >= n || int(b) >= n || a == b {
			return fmt.Errorf("%w: pair %d joins variables %d and %d of %d", ErrProgram, k, a, b, n)
		}
		if length[p.Row[a]] != length[p.Row[b]] {
			return fmt.Errorf("%w: pair %d joins rows of %d and %d variables", ErrProgram, k, length[p.Row[a]], length[p.Row[b]])
		}
	}
	return nil
}

// Solution is a certified answer.
type Solution struct {
	// P holds positive weights. The feasible point is exactly P_j divided by the sum of its row.
	P []float64
	// Z holds the dual point, not negative: Z[2k] prices p_a ≤ w p_b of pair k = {a, b}, Z[2k+1] prices p_b ≤ w p_a. V
	// prices the bounds, one per row.
	Z, V []float64
	// Lo ≤ optimum ≤ Hi. Hi is +Inf if P exceeds a bound and the program has no level.
	Lo, Hi float64
	// Cells is the number of variables after merging those that color refinement does not distinguish.
	Cells      int
	Iterations int
}
