package lp

import (
	"math"
	"math/big"
	"slices"
)

// budgetFace decides which variables vanish, which constraints are violated and which budgets are spent. A constraint
// has a slack s, a violation o or neither. Each of these numbers vanishes, or its price does.
func (s *solver) budgetFace(f *face, scale float64) {
	if s.budgets == 0 {
		return
	}
	f.gone, f.over, f.spent = make([]bool, len(s.p)), make([]bool, len(s.o)), make([]bool, len(s.h))
	clear(f.zero)
	for j, p := range s.p {
		f.gone[j] = p < s.q[j]/scale
	}
	for k := range s.o {
		large, small := s.ends(int32(k))
		// A vanishing variable p_a violates no constraint p_a ≤ w p_b. If p_b vanishes, p_a violates the constraint
		// unless p_a also vanishes.
		switch {
		case f.gone[large]:
			f.tight[k] = f.gone[small]
		case f.gone[small]:
			f.over[k], f.tight[k] = true, false
		case f.tight[k] && s.o[k]/min(s.p[large], s.delta) > s.f[k]/scale: // o is neither above p nor above delta
			f.over[k], f.tight[k] = true, false
		}
	}
	for g, h := range s.h {
		f.spent[g] = h/s.delta < s.c[g]/scale
	}
}

// vanishes reports whether a program with budgets has variable j at 0.
func (f *face) vanishes(j int32) bool { return f.gone != nil && f.gone[j] }

// budgetEquations calls add for each spent budget's equation, with the terms −n(p_a − w p_b) of its violated
// constraints. Each nonvanishing variable is given as a multiple of its root.
func (c *exactCore) budgetEquations(f *face, t *tree, spent map[int32]int, add func(equation int, j int32, by *big.Rat)) {
	for k, over := range f.over {
		i, ok := spent[c.budget[k]]
		if !over || !ok {
			continue
		}
		large, small := c.ends(int32(k))
		if t.root[large] >= 0 {
			by := new(big.Rat).Mul(c.exactShare[k], t.ratio[large])
			add(i, large, by.Neg(by))
		}
		if t.root[small] >= 0 {
			by := new(big.Rat).Mul(c.exactShare[k], t.ratio[small])
			add(i, small, by.Mul(by, c.w))
		}
	}
}

// offForest returns the price of a constraint that is not on the forest, or nil if the price is 0. A violated
// constraint has the budget's price. A tight one, between two vanishing variables, has the iterate's price, but at most
// the budget's.
func (c *exactCore) offForest(f *face, t *tree, link int, budgets map[int32]*big.Rat) *big.Rat {
	price, ok := budgets[c.budget[link]]
	if !ok {
		return nil
	}
	price = new(big.Rat).Mul(price, c.exactShare[link])
	switch {
	case f.over[link]:
		return price
	case f.tight[link]:
		if own := rounded(c.point.z[link]); own.Cmp(price) < 0 {
			return own
		}
		return price
	}
	return nil
}

// face lists the constraints that hold with equality at every optimum, as an iterate suggests. By strict
// complementarity the others have slack in the relative interior of the optimal face, to which interior point methods
// converge.
type face struct {
	zero  []bool // blocks whose variables vanish
	tight []bool // pair constraints, as in Solution.Z
	bound []bool // P_i ≤ t

	// With budgets: variables that vanish, constraints that are violated (tight then means neither violated nor
	// slack), and budgets that are spent.
	gone, over, spent []bool
}

func (f *face) equal(g *face) bool {
	return slices.Equal(f.zero, g.zero) && slices.Equal(f.tight, g.tight) && slices.Equal(f.bound, g.bound) &&
		slices.Equal(f.gone, g.gone) && slices.Equal(f.over, g.over) && slices.Equal(f.spent, g.spent)
}

// biases are the ratios of slack to price below which a constraint counts as tight: near the end, an iterate has
// constraints of every size.
var biases = [...]float64{1, 1e-2, 1e2, 1e-4, 1e4}

// face compares every slack, relative to its variable, with its price, relative to the costs.
func (s *solver) face(bias float64) *face {
	scale := 0.0
	for j, c := range s.cost {
		scale = max(scale, math.Abs(c))
		if s.bound != nil {
			scale = max(scale, s.v[s.row[j]]*math.Abs(s.loss[j]))
		}
	}
	scale /= bias
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
	s.budgetFace(f, scale)
	top := 0.0
	for _, l := range s.loss {
		top = max(top, math.Abs(l))
	}
	for i, u := range s.u {
		f.bound[i] = u/top < bias*s.v[i]
	}
	return f
}
