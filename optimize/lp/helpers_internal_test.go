package lp

// Helpers of the tests inside and outside the package.

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/interval"
)

// Universe is a neighbor graph with integer values.
type Universe struct {
	Values []int
	Edges  [][2]int
}

// GraphUniverse enumerates the unlabeled graphs on n nodes by brute force over labelings. The canonical form is the
// least edge mask over all permutations.
func GraphUniverse(n int) Universe {
	pairs := [][2]int{}
	index := map[[2]int]int{}
	for i := range n {
		for j := i + 1; j < n; j++ {
			index[[2]int{i, j}] = len(pairs)
			pairs = append(pairs, [2]int{i, j})
		}
	}
	var maps [][]int
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			m := make([]int, len(pairs))
			for e, p := range pairs {
				a, b := perm[p[0]], perm[p[1]]
				m[e] = index[[2]int{min(a, b), max(a, b)}]
			}
			maps = append(maps, m)
			return
		}
		for i := k; i < n; i++ {
			perm[k], perm[i] = perm[i], perm[k]
			permute(k + 1)
			perm[k], perm[i] = perm[i], perm[k]
		}
	}
	permute(0)
	canon := make([]int, 1<<len(pairs))
	for i := range canon {
		canon[i] = -1
	}
	var u Universe
	for mask := range canon {
		if canon[mask] >= 0 {
			continue
		}
		id := len(u.Values)
		for _, m := range maps {
			image := 0
			for rest := mask; rest != 0; rest &= rest - 1 {
				image |= 1 << m[bits.TrailingZeros(uint(rest))]
			}
			canon[image] = id
		}
		count := 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				for k := j + 1; k < n; k++ {
					t := 1<<index[[2]int{i, j}] | 1<<index[[2]int{j, k}] | 1<<index[[2]int{i, k}]
					if mask&t == t {
						count++
					}
				}
			}
		}
		u.Values = append(u.Values, count)
	}
	seen := map[[2]int]bool{}
	for mask, a := range canon {
		for e := range pairs {
			b := canon[mask^1<<e]
			if a < b && !seen[[2]int{a, b}] {
				seen[[2]int{a, b}] = true
				u.Edges = append(u.Edges, [2]int{a, b})
			}
		}
	}
	return u
}

// Line returns the path of n + 1 datasets with values 0 to n.
func Line(n int) Universe {
	var u Universe
	for i := range n + 1 {
		u.Values = append(u.Values, i)
		if i > 0 {
			u.Edges = append(u.Edges, [2]int{i - 1, i})
		}
	}
	return u
}

// Program returns the program of the universe. Its variables are numbered x·R + r.
func (u Universe) Program(w interval.Interval) (*Program, int) {
	rng := slices.Clone(u.Values)
	slices.Sort(rng)
	rng = slices.Compact(rng)
	p := &Program{Rows: len(u.Values), Ratio: w, Weight: make([]float64, len(u.Values))}
	for x, v := range u.Values {
		p.Weight[x] = 1
		for _, r := range rng {
			p.Row = append(p.Row, int32(x))
			p.Loss = append(p.Loss, math.Abs(float64(r-v)))
		}
	}
	for _, e := range u.Edges {
		for r := range rng {
			p.Pairs = append(p.Pairs, [2]int32{int32(e[0]*len(rng) + r), int32(e[1]*len(rng) + r)})
		}
	}
	return p, len(rng)
}

// Worst makes the largest loss of a row the objective.
func (p *Program) Worst() *Program {
	p.Level = true
	p.Weight = make([]float64, p.Rows)
	p.Bound = make([]interval.Interval, p.Rows)
	for i := range p.Bound {
		p.Bound[i] = interval.Int(0)
	}
	return p
}

// Exp encloses e^eps.
func Exp(eps float64) interval.Interval { return interval.Float(eps).Exp() }

// Spend allows the constraints of every ordered pair of rows to be exceeded by delta in total.
func (p *Program) Spend(delta *big.Rat) *Program {
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
