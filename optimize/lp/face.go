package lp

import (
	"math"
	"slices"
)

// face says which constraints an iterate takes to hold with equality at every
// optimum: by strict complementarity the others have slack in the relative
// interior of the optimal face, where interior point methods end.
type face struct {
	zero  []bool // blocks whose variables vanish
	tight []bool // pair constraints, as in Solution.Z
	bound []bool // P_i ≤ t

	// With budgets: variables that vanish, constraints that are exceeded (tight then means
	// neither exceeded nor slack), and budgets that are spent.
	gone, over, spent []bool
}

func (f *face) equal(g *face) bool {
	return slices.Equal(f.zero, g.zero) && slices.Equal(f.tight, g.tight) && slices.Equal(f.bound, g.bound) &&
		slices.Equal(f.gone, g.gone) && slices.Equal(f.over, g.over) && slices.Equal(f.spent, g.spent)
}

// biases are the factors by which a slack may exceed its price and count as
// tight: an iterate close to the end shows constraints of every size.
var biases = [...]float64{1, 1e-2, 1e2, 1e-4, 1e4}

// face compares every slack, relative to its variable, with its price, relative
// to the costs.
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
