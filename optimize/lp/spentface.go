package lp

import "math/big"

// budgetFace says which variables vanish, which constraints are exceeded and which
// budgets are spent: a constraint has slack s, excess o or neither, and of each number
// and its price one vanishes.
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
		// A variable that vanishes is exceeded by nothing and exceeds nothing; what is
		// compared with one that does is exceeded unless it vanishes too.
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

// vanishes reports whether a variable is 0 by itself.
func (f *face) vanishes(j int32) bool { return f.gone != nil && f.gone[j] }

// budgetEquations calls add with the terms −n(p_a − w p_b) of the constraints that are exceeded,
// for each spent budget's equation and variable that does not vanish, as a multiple of its root.
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

// offForest returns the price of a constraint that the forest does not settle, nil where it is 0:
// its budget's where it is exceeded; the iterate's, as far as the budget's allows, where it is
// tight, which it is between two variables that vanish.
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
