package lp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// ErrUnidentified is wrapped where no optimal face could be read off the
// iterates, so that there is no exact optimum to return.
var ErrUnidentified = errors.New("lp: the optimal constraints could not be identified")

// ExactSolution is an optimum in rational numbers: P is feasible, Z and V are
// feasible prices, and both give Value, so that both are optimal.
type ExactSolution struct {
	P, Z, V []*big.Rat // as in Solution; P_j is the probability itself
	Value   *big.Rat
	Cells   int // as in Solution
}

// SolveExact returns the exact optimum at the rational ratio w. The bounds of
// the program must be nil or all zero. It reads off the iterates of Solve which
// constraints hold with equality, solves these equations in rationals, and
// checks every constraint of p and of its dual.
//
// It returns errors as Solve does, and one wrapping ErrUnidentified where no
// iterate shows the right constraints.
func SolveExact(ctx context.Context, p *Program, w *big.Rat) (*ExactSolution, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for i, b := range p.Bound {
		if _, zero := b.Sign(); !zero {
			return nil, fmt.Errorf("%w: bound %d is %v, want 0 for an exact optimum", ErrProgram, i, b)
		}
	}
	s := newSolver(p.merge())
	best := newBest(s)
	var tried []*face
	for range 200 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if best.value-best.bound < 1e-4*math.Abs(best.value) {
			f := s.face()
			if !slices.ContainsFunc(tried, f.equal) {
				tried = append(tried, f)
				if x := newExactCore(s, p, w).solve(ctx, f); x != nil {
					if err := p.verify(x, w); err == nil {
						x.Cells = len(s.row)
						return x, nil
					}
				}
			}
		}
		if err := s.assemble(ctx); errors.Is(err, ErrPrecision) || err == nil && !s.iterate() {
			break
		} else if err != nil {
			return nil, err
		}
		best.update(s)
	}
	return nil, fmt.Errorf("%w: %d faces tried, the optimum lies near [%v, %v]", ErrUnidentified, len(tried), best.bound, best.value)
}

// face says which constraints an iterate takes to hold with equality at every
// optimum: by strict complementarity the others have slack in the relative
// interior of the optimal face, where interior point methods end.
type face struct {
	zero  []bool // blocks whose variables vanish
	tight []bool // pair constraints, as in Solution.Z
	bound []bool // P_i ≤ t
}

func (f *face) equal(g *face) bool {
	return slices.Equal(f.zero, g.zero) && slices.Equal(f.tight, g.tight) && slices.Equal(f.bound, g.bound)
}

// face compares every slack, relative to its variable, with its price, relative
// to the costs.
func (s *solver) face() *face {
	scale := 0.0
	for j, c := range s.cost {
		scale = max(scale, math.Abs(c))
		if s.bound != nil {
			scale = max(scale, s.v[s.row[j]]*math.Abs(s.loss[j]))
		}
	}
	f := &face{zero: make([]bool, len(s.blocks)), tight: make([]bool, len(s.s)), bound: make([]bool, len(s.u))}
	for k, b := range s.blocks {
		largest, price := 0.0, 0.0
		for j := b.start; j < b.start+b.n; j++ {
			largest, price = max(largest, s.p[j]), max(price, s.q[j])
		}
		f.zero[k] = largest < price/scale
		for _, e := range b.pairs {
			a, c := s.pairs[e][0], s.pairs[e][1]
			f.tight[2*e] = s.s[2*e]/s.p[a] < s.z[2*e]/scale
			f.tight[2*e+1] = s.s[2*e+1]/s.p[c] < s.z[2*e+1]/scale
		}
	}
	top := 0.0
	for _, l := range s.loss {
		top = max(top, math.Abs(l))
	}
	for i, u := range s.u {
		f.bound[i] = u/top < s.v[i]
	}
	return f
}

// exactCore is the core in rationals.
type exactCore struct {
	*solver
	p          *Program
	w          *big.Rat
	exactCost  []*big.Rat
	exactLoss  []*big.Rat
	exactCount []*big.Rat
}

func newExactCore(s *solver, p *Program, w *big.Rat) *exactCore {
	n := len(s.row)
	c := &exactCore{solver: s, p: p, w: w, exactCost: make([]*big.Rat, n), exactLoss: make([]*big.Rat, n), exactCount: make([]*big.Rat, n)}
	for j, k := range s.cell {
		if c.exactCost[k] != nil {
			continue
		}
		count := ratOf(s.count[k])
		loss := new(big.Rat).Mul(count, ratOf(p.Loss[j]))
		cost := new(big.Rat).Mul(loss, ratOf(p.Weight[p.Row[j]]))
		c.exactCount[k], c.exactLoss[k] = count, loss
		c.exactCost[k] = cost.Mul(cost, ratOf(s.rowSize[s.row[k]]))
	}
	return c
}

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// rounded returns v to 32 bits, a rational near the float64 value of a number
// that the equations leave free.
func rounded(v float64) *big.Rat {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return new(big.Rat)
	}
	frac, exp := math.Frexp(v)
	return ratOf(math.Ldexp(math.Round(frac*0x1p32), exp-32))
}

// tree is a spanning forest of the tight pairs: where the variables of a
// component stand in fixed ratios.
type tree struct {
	root   []int32    // component of a variable, −1 where it vanishes
	ratio  []*big.Rat // p_j over p at the root
	parent []int32    // constraint that ties j to its parent, −1 at a root
	order  []int32    // parents before children
}

// grow builds the forest, taking constraints of higher price first.
func (c *exactCore) grow(f *face) *tree {
	n := len(c.row)
	t := &tree{root: make([]int32, n), ratio: make([]*big.Rat, n), parent: make([]int32, n)}
	links := make([][]int32, n)
	for k, e := range c.pairs {
		for side := range 2 {
			if f.tight[2*k+side] {
				links[e[0]] = append(links[e[0]], int32(2*k+side))
				links[e[1]] = append(links[e[1]], int32(2*k+side))
			}
		}
	}
	inverse := new(big.Rat).Inv(c.w)
	for j := range t.root {
		t.root[j], t.parent[j] = -1, -1
	}
	for k, b := range c.blocks {
		if f.zero[k] {
			continue
		}
		for j := b.start; j < b.start+b.n; j++ {
			if t.root[j] >= 0 {
				continue
			}
			t.root[j], t.ratio[j] = int32(j), big.NewRat(1, 1)
			queue := []int32{int32(j)}
			for len(queue) > 0 {
				v := queue[0]
				queue = queue[1:]
				t.order = append(t.order, v)
				for _, link := range links[v] {
					large, small := c.ends(link)
					other, by := large, c.w
					if v == large {
						other, by = small, inverse
					}
					if t.root[other] < 0 {
						t.root[other], t.parent[other] = int32(j), link
						t.ratio[other] = new(big.Rat).Mul(t.ratio[v], by)
						queue = append(queue, other)
					}
				}
			}
		}
	}
	return t
}

// ends returns the variables of constraint p_large ≤ w p_small.
func (s *solver) ends(link int32) (large, small int32) {
	e := s.pairs[link/2]
	if link%2 == 0 {
		return e[0], e[1]
	}
	return e[1], e[0]
}

// solve returns the exact optimum on the face, nil where there is none. Nothing
// that it returns has been checked.
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
	// The unknowns are the value at each root and the level; the equations the
	// row sums and the active bounds. The dual's unknowns y, v are the
	// equations, and its equations the unknowns.
	rows, cols := c.rows+len(active), len(roots)
	if c.core.level {
		cols++
	}
	m := make([][]*big.Rat, rows)
	for i := range m {
		m[i] = make([]*big.Rat, cols)
		for k := range m[i] {
			m[i][k] = new(big.Rat)
		}
	}
	cost := make([]*big.Rat, cols)
	for k := range cost {
		cost[k] = new(big.Rat)
	}
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
	right := make([]*big.Rat, rows)
	for i := range right {
		right[i] = new(big.Rat)
		if i < c.rows {
			right[i].SetInt64(1)
		}
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
	guess = append(slices.Clone(c.point.y), make([]float64, len(active))...)
	for k, i := range active {
		guess[c.rows+k] = c.point.v[i]
	}
	lambda := solveRational(ctx, transpose(m), cost, guess)
	if lambda == nil {
		return nil
	}
	p := make([]*big.Rat, len(c.row))
	for j := range p {
		p[j] = new(big.Rat)
		if t.root[j] >= 0 {
			p[j].Mul(t.ratio[j], theta[column[t.root[j]]])
		}
	}
	v := make([]*big.Rat, len(c.u))
	for i := range v {
		v[i] = new(big.Rat)
	}
	for k, i := range active {
		v[i] = lambda[c.rows+k]
	}
	z := c.flows(f, t, lambda[:c.rows], v)
	return c.liftExact(p, z, v)
}

// flows returns prices of the tight constraints that leave no reduced cost: the
// iterate's own off the forest, and from the leaves up along it.
func (c *exactCore) flows(f *face, t *tree, y, v []*big.Rat) []*big.Rat {
	inForest := make([]bool, len(f.tight))
	for _, link := range t.parent {
		if link >= 0 {
			inForest[link] = true
		}
	}
	need := make([]*big.Rat, len(c.row)) // what Aᵀz has to be
	term := new(big.Rat)
	for j, i := range c.row {
		need[j] = new(big.Rat).Sub(c.exactCost[j], term.Mul(c.exactCount[j], y[i]))
		if len(v) > 0 {
			need[j].Add(need[j], term.Mul(v[i], c.exactLoss[j]))
		}
	}
	z := make([]*big.Rat, len(f.tight))
	spend := func(link int32, price *big.Rat) {
		z[link] = price
		large, small := c.ends(link)
		need[large].Add(need[large], price)
		need[small].Sub(need[small], term.Mul(c.w, price))
	}
	for link := range z {
		z[link] = new(big.Rat)
		if large, _ := c.ends(int32(link)); !inForest[link] && (f.tight[link] || t.root[large] < 0) {
			spend(int32(link), rounded(c.point.z[link]))
		}
	}
	for k := len(t.order) - 1; k >= 0; k-- {
		j := t.order[k]
		link := t.parent[j]
		if link < 0 {
			continue
		}
		if large, _ := c.ends(link); large == j {
			spend(link, new(big.Rat).Neg(need[j]))
		} else {
			spend(link, new(big.Rat).Quo(need[j], c.w))
		}
	}
	return z
}

// liftExact is lift in rationals.
func (c *exactCore) liftExact(p, z, v []*big.Rat) *ExactSolution {
	x := &ExactSolution{P: make([]*big.Rat, len(c.cell)), Z: make([]*big.Rat, 2*len(c.pairOf))}
	for j, k := range c.cell {
		x.P[j] = p[k]
	}
	for k, at := range c.pairOf {
		x.Z[2*k], x.Z[2*k+1] = new(big.Rat), new(big.Rat)
		if at < 0 {
			continue
		}
		first, second := 2*k, 2*k+1
		if c.flip[k] {
			first, second = second, first
		}
		members := ratOf(c.members[at])
		x.Z[first].Quo(z[2*at], members)
		x.Z[second].Quo(z[2*at+1], members)
	}
	for i := range c.rowCell {
		if len(v) > 0 {
			k := c.rowCell[i]
			x.V = append(x.V, new(big.Rat).Quo(v[k], ratOf(c.rowSize[k])))
		}
	}
	return x
}

// verify verifies every constraint of the program and of its dual in rational
// arithmetic, and that both objectives agree; it sets x.Value.
func (p *Program) verify(x *ExactSolution, w *big.Rat) error {
	one := big.NewRat(1, 1)
	sum, loss := ratSlice(p.Rows), ratSlice(p.Rows)
	term := new(big.Rat)
	for j, i := range p.Row {
		if x.P[j].Sign() < 0 {
			return fmt.Errorf("p[%d] < 0", j)
		}
		sum[i].Add(sum[i], x.P[j])
		loss[i].Add(loss[i], term.Mul(x.P[j], ratOf(p.Loss[j])))
	}
	value := new(big.Rat)
	var top *big.Rat
	for i := range sum {
		if sum[i].Cmp(one) != 0 {
			return fmt.Errorf("row %d sums to %v", i, sum[i])
		}
		value.Add(value, term.Mul(ratOf(p.Weight[i]), loss[i]))
		if top == nil || loss[i].Cmp(top) > 0 {
			top = loss[i]
		}
	}
	if p.Level {
		value.Add(value, top)
	} else if p.Bound != nil && top.Sign() > 0 {
		return errors.New("a bound is exceeded")
	}
	reduced := ratSlice(len(p.Row))
	total := new(big.Rat)
	for j, i := range p.Row {
		rate := ratOf(p.Weight[i])
		if p.Bound != nil {
			rate.Add(rate, x.V[i])
		}
		reduced[j].Mul(rate, ratOf(p.Loss[j]))
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
	for k, e := range p.Pairs {
		for side := range 2 {
			large, small, price := e[side], e[1-side], x.Z[2*k+side]
			if price.Sign() < 0 {
				return fmt.Errorf("z[%d] < 0", 2*k+side)
			}
			if x.P[large].Cmp(term.Mul(w, x.P[small])) > 0 {
				return fmt.Errorf("pair %d is violated", k)
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
	if bound.Cmp(value) != 0 {
		return fmt.Errorf("primal %v, dual %v", value, bound)
	}
	x.Value = value
	return nil
}

func ratSlice(n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	return out
}
