package lp

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
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

// Simplex minimises cost·x over a x = b, x ≥ 0, b ≥ 0, by the two-phase tableau method with Bland's rule, in rational
// arithmetic. It returns false if the problem is infeasible.
func Simplex(a [][]*big.Rat, b, cost []*big.Rat) (*big.Rat, bool) {
	rows, cols := len(a), len(cost)
	width := cols + rows + 1
	t := make([][]*big.Rat, rows)
	basis := make([]int, rows)
	for i := range t {
		t[i] = Zeros(width)
		for j, v := range a[i] {
			t[i][j].Set(v)
		}
		t[i][cols+i].SetInt64(1)
		t[i][width-1].Set(b[i])
		basis[i] = cols + i
	}
	pivot := func(row []*big.Rat, i, j int) {
		f := new(big.Rat).Set(row[j])
		if f.Sign() == 0 {
			return
		}
		for k := range row {
			if t[i][k].Sign() != 0 {
				row[k].Sub(row[k], new(big.Rat).Mul(f, t[i][k]))
			}
		}
	}
	run := func(objective []*big.Rat, limit int) *big.Rat {
		z := Zeros(width)
		for j, v := range objective {
			z[j].Set(v)
		}
		for i, j := range basis {
			pivot(z, i, j)
		}
		for {
			enter := -1
			for j := range limit {
				if z[j].Sign() < 0 {
					enter = j
					break
				}
			}
			if enter < 0 {
				return new(big.Rat).Neg(z[width-1])
			}
			leave := -1
			var least *big.Rat
			for i := range t {
				if t[i][enter].Sign() <= 0 {
					continue
				}
				ratio := new(big.Rat).Quo(t[i][width-1], t[i][enter])
				if leave < 0 || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && basis[i] < basis[leave] {
					leave, least = i, ratio
				}
			}
			if leave < 0 {
				panic("unbounded")
			}
			by := new(big.Rat).Inv(t[leave][enter])
			for k := range t[leave] {
				t[leave][k].Mul(t[leave][k], by)
			}
			for i := range t {
				if i != leave {
					pivot(t[i], leave, enter)
				}
			}
			pivot(z, leave, enter)
			basis[leave] = enter
		}
	}
	artificial := Zeros(cols + rows)
	for i := range rows {
		artificial[cols+i].SetInt64(1)
	}
	if run(artificial, cols+rows).Sign() != 0 {
		return nil, false
	}
	return run(cost, cols), true // artificials left in the basis are and stay 0
}

// Standard returns the program in the standard form of Simplex, with its bounds as rationals.
func (p *Program) Standard(w *big.Rat, bounds []*big.Rat) (a [][]*big.Rat, b, cost []*big.Rat) {
	n := len(p.Row)
	cols := n + 2*len(p.Pairs)
	if p.Bound != nil {
		cols += p.Rows
	}
	excess := cols // slack of the constraints, then of the budgets
	if p.Delta != nil {
		cols += 2*len(p.Pairs) + p.Budgets
	}
	level := cols
	if p.Level { // in all tests t ≥ 0, because losses are not negative and bounds are 0
		cols++
	}
	line := func(right *big.Rat) []*big.Rat {
		a, b = append(a, Zeros(cols)), append(b, right)
		return a[len(a)-1]
	}
	for i := range p.Rows {
		l := line(big.NewRat(1, 1))
		for j, r := range p.Row {
			if int(r) == i {
				l[j].SetInt64(1)
			}
		}
	}
	for k, e := range p.Pairs {
		for side := range 2 { // w p_small − p_large − slack = 0
			l := line(new(big.Rat))
			l[e[1-side]].Set(w)
			l[e[side]].SetInt64(-1)
			l[n+2*k+side].SetInt64(-1)
			if p.Delta != nil {
				l[excess+2*k+side].SetInt64(1)
			}
		}
	}
	if p.Delta != nil {
		for g := range p.Budgets {
			l := line(p.Delta)
			for k, own := range p.Budget {
				if int(own) == g {
					l[excess+k].SetInt64(1)
				}
			}
			l[excess+2*len(p.Pairs)+g].SetInt64(1)
		}
	}
	cost = Zeros(cols)
	for j, i := range p.Row {
		cost[j].Mul(ratOf(p.Weight[i]), ratOf(p.Loss[j]))
	}
	for i := range p.Bound { // Σ loss p + slack − t = bound
		l := line(bounds[i])
		for j, r := range p.Row {
			if int(r) == i {
				l[j].Set(ratOf(p.Loss[j]))
			}
		}
		l[n+2*len(p.Pairs)+i].SetInt64(1)
		if p.Level {
			l[level].SetInt64(-1)
		}
	}
	if p.Level {
		cost[level].SetInt64(1)
	}
	return a, b, cost
}

// RandomProgram draws a universe of 2 to 5 datasets and 2 to 4 values.
func RandomProgram(rng *rand.Rand, w *big.Rat) (*Program, int) {
	u := Universe{}
	n := 2 + rng.IntN(4)
	for x := range n {
		u.Values = append(u.Values, rng.IntN(4))
		for y := range x {
			if rng.IntN(3) > 0 {
				u.Edges = append(u.Edges, [2]int{y, x})
			}
		}
	}
	u.Values[0], u.Values[1] = 0, 1+rng.IntN(3)
	p, size := u.Program(interval.Rat(w))
	for x := range p.Weight {
		p.Weight[x] = float64(rng.IntN(4))
	}
	p.Weight[0] = 1
	return p, size
}
