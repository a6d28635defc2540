package lp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/lists"
)

// ErrUnidentified is wrapped if the iterates did not identify an optimal face, so that there is no exact optimum.
var ErrUnidentified = errors.New("the optimal constraints could not be identified")

// ExactSolution is an optimum in rational numbers. P is feasible, Z and V are feasible prices, and both have the
// objective Value, so both are optimal.
type ExactSolution struct {
	P, Z, V []*big.Rat // as in Solution; P_j is the probability itself
	Value   *big.Rat
	Cells   int // as in Solution
}

// SolveExact returns the exact optimum at the rational ratio w. The bounds of the program must be nil or all zero. It
// guesses from the iterates of Solve which constraints hold with equality, solves these equations in rationals, and
// checks every constraint of the program and its dual. It makes at most the given number of guesses (faces).
//
// It returns the errors of Solve, and one wrapping ErrUnidentified if no iterate identifies the right constraints.
func SolveExact(ctx context.Context, p *Program, w *big.Rat, faces int) (*ExactSolution, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for i, b := range p.Bound {
		if sign, exact := b.Sign(); sign != 0 || !exact {
			return nil, fmt.Errorf("%w: bound %d is %v, want 0 for an exact optimum", ErrProgram, i, b)
		}
	}
	s := newSolver(p.merge())
	best := newBest(s)
	var tried []*face
	for range 200 {
		if len(tried) == faces {
			break
		}
		if best.value-best.bound < 1e-5*math.Abs(best.value) {
			for _, bias := range biases {
				f := s.face(bias)
				if len(tried) == faces || slices.ContainsFunc(tried, f.equal) {
					continue
				}
				tried = append(tried, f)
				if x := newExactCore(s, p, w).solve(ctx, f); x != nil && p.verify(x, w) == nil {
					x.Cells = len(s.row)
					return x, nil
				}
			}
		}
		moved, err := s.advance(ctx)
		if err != nil {
			return nil, err
		}
		if !moved {
			break
		}
		best.update(s)
	}
	return nil, fmt.Errorf("%w: %d faces tried, the optimum lies near [%v, %v]", ErrUnidentified, len(tried), best.bound, best.value)
}

// exactCore is the core in rationals.
type exactCore struct {
	*solver
	p          *Program
	w          *big.Rat
	exactCost  []*big.Rat
	exactLoss  []*big.Rat
	exactCount []*big.Rat
	exactShare []*big.Rat // of a constraint in its budget
}

func newExactCore(s *solver, p *Program, w *big.Rat) *exactCore {
	n := len(s.row)
	c := &exactCore{solver: s, p: p, w: w, exactCost: make([]*big.Rat, n), exactLoss: make([]*big.Rat, n), exactCount: make([]*big.Rat, n)}
	for j, k := range s.cell {
		if c.exactCost[k] != nil {
			continue
		}
		count := ratOf(s.count[k])
		loss := new(big.Rat).Mul(count, p.ratLoss(j))
		cost := new(big.Rat).Mul(loss, p.ratWeight(int(p.Row[j])))
		c.exactCount[k], c.exactLoss[k] = count, loss
		c.exactCost[k] = cost.Mul(cost, ratOf(s.rowSize[s.row[k]]))
	}
	c.exactShare = lists.Each(s.share, ratOf)
	return c
}

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// rounded returns v rounded to 32 bits, as the rational value of an unknown that the equations leave free.
func rounded(v float64) *big.Rat {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return new(big.Rat)
	}
	frac, exp := math.Frexp(v)
	return ratOf(math.Ldexp(math.Round(frac*0x1p32), exp-32))
}

// solve returns the exact optimum on the face, or nil if there is none. The result is not yet verified.
func (c *exactCore) solve(ctx context.Context, f *face) *ExactSolution {
	t := c.grow(f)
	column := make(map[int32]int) // root → unknown
	var roots []int32
	for _, j := range t.order {
		if t.root[j] == j {
			column[j] = len(roots)
			roots = append(roots, j)
		}
	}
	var active []int
	for i, on := range f.bound {
		if on {
			active = append(active, i)
		}
	}
	// The unknowns are the value at each root and the level. The equations are the row sums, the active bounds and
	// the spent budgets. The dual has the unknowns y, v and c and the transposed equations.
	spent := make(map[int32]int)
	for g, on := range f.spent {
		if on {
			spent[int32(g)] = c.rows + len(active) + len(spent)
		}
	}
	rows, cols := c.rows+len(active)+len(spent), len(roots)
	if c.core.level {
		cols++
	}
	m := lists.Of(rows, func(int) []*big.Rat { return Zeros(cols) })
	cost := Zeros(cols)
	at := make(map[int]int)
	for k, i := range active {
		at[i] = c.rows + k
		if c.core.level {
			m[c.rows+k][cols-1].SetInt64(1)
		}
	}
	term := new(big.Rat)
	for _, j := range t.order {
		k, i := column[t.root[j]], int(c.row[j])
		m[i][k].Add(m[i][k], term.Mul(t.ratio[j], c.exactCount[j]))
		if b, ok := at[i]; ok {
			m[b][k].Sub(m[b][k], term.Mul(t.ratio[j], c.exactLoss[j]))
		}
		cost[k].Add(cost[k], term.Mul(t.ratio[j], c.exactCost[j]))
	}
	if c.core.level {
		cost[cols-1].SetInt64(1)
	}
	c.budgetEquations(f, t, spent, func(g int, j int32, by *big.Rat) {
		entry := m[g][column[t.root[j]]]
		entry.Add(entry, by)
	})
	right := Zeros(rows)
	for _, v := range right[:c.rows] {
		v.SetInt64(1)
	}
	for _, i := range spent {
		right[i].Neg(c.p.Delta)
	}
	guess := make([]float64, cols)
	for k, j := range roots {
		guess[k] = c.point.p[j]
	}
	if c.core.level {
		guess[cols-1] = c.point.t
	}
	theta := solveRational(ctx, m, right, guess)
	if theta == nil {
		return nil
	}
	guess = append(slices.Clone(c.point.y), make([]float64, len(active)+len(spent))...)
	for k, i := range active {
		guess[c.rows+k] = c.point.v[i]
	}
	for g, i := range spent {
		guess[i] = c.point.c[g]
	}
	lambda := solveRational(ctx, transpose(m), cost, guess)
	if lambda == nil {
		return nil
	}
	p := Zeros(len(c.row))
	for j := range p {
		if t.root[j] >= 0 {
			p[j].Mul(t.ratio[j], theta[column[t.root[j]]])
		}
	}
	v := Zeros(len(c.u))
	for k, i := range active {
		v[i] = lambda[c.rows+k]
	}
	budgets := make(map[int32]*big.Rat, len(spent))
	for g, i := range spent {
		budgets[g] = lambda[i]
	}
	z := c.flows(f, t, lambda[:c.rows], v, budgets)
	x := new(ExactSolution)
	x.P, x.Z, x.V = lift(c.core, p, z, v, func(x *big.Rat, by float64) *big.Rat {
		if x == nil {
			return new(big.Rat)
		}
		return new(big.Rat).Quo(x, ratOf(by))
	})
	return x
}
