package lp

import "math/big"

// tree is a spanning forest of the tight pairs. The variables of a component have fixed ratios.
type tree struct {
	root   []int32    // component of a variable, −1 if the variable vanishes
	ratio  []*big.Rat // p_j over p at the root
	parent []int32    // constraint between j and its parent, −1 at a root
	order  []int32    // parents before children
}

// grow builds the forest, constraints of higher price first.
func (c *exactCore) grow(f *face) *tree {
	n := len(c.row)
	t := &tree{root: make([]int32, n), ratio: make([]*big.Rat, n), parent: make([]int32, n)}
	links := make([][]int32, n)
	for k, e := range c.pairs {
		for side := range 2 {
			if f.tight[2*k+side] && !f.vanishes(e[0]) && !f.vanishes(e[1]) {
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
			if t.root[j] >= 0 || f.vanishes(int32(j)) {
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

// flows returns prices of the tight constraints with no reduced cost. Off the forest these are the iterate's prices;
// along the forest they are computed from the leaves up. A violated constraint has its share of the price of its
// budget, from budgets.
func (c *exactCore) flows(f *face, t *tree, y, v []*big.Rat, budgets map[int32]*big.Rat) []*big.Rat {
	inForest := make([]bool, len(f.tight))
	for _, link := range t.parent {
		if link >= 0 {
			inForest[link] = true
		}
	}
	need := make([]*big.Rat, len(c.row)) // required values of Aᵀz
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
		if c.budgets > 0 {
			if price := c.offForest(f, t, link, budgets); price != nil && !inForest[link] {
				spend(int32(link), price)
			}
			continue
		}
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
