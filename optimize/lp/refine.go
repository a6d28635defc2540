package lp

import (
	"cmp"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"
)

// core is a program after merging. Each variable represents a cell of equivalent variables of the program, each row
// a cell of equivalent rows. Its variables are numbered by block and level (see levels.go).
type core struct {
	rows  int
	row   []int32   // row cell of a variable
	count []float64 // members of the cell in each row of its row cell
	cost  []float64 // Σ over members of weight × loss
	loss  []float64 // Σ over the members in one row of the loss
	bound []float64 // nil without bounds
	level bool
	pairs [][2]int32
	w     float64

	cell    []int32   // cell[j] is the core variable of program variable j
	rowCell []int32   // likewise for rows
	pairOf  []int32   // core pair of a program pair, −1 within a cell
	flip    []bool    // whether the program pair has the opposite direction of its core pair
	members []float64 // program pairs of a core pair
	rowSize []float64 // rows of a row cell

	delta   float64
	budgets int       // budget cells, 0 if there are none
	budget  []int32   // budget cell of a constraint of the core
	share   []float64 // number of constraints of one budget that it represents

	blocks []*block
}

// mix scrambles the bits of x (the finaliser of SplitMix64), so that sums of mixed colors identify multisets. A
// collision merges too much. That can only widen the certified interval, which is computed on the original program.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// number renames keys 0, 1, … in ascending order and returns how many there are.
func number[K cmp.Ordered](keys []K) (colors []int32, n int) {
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	rank := make(map[K]int32, len(sorted))
	for i, k := range sorted {
		rank[k] = int32(i)
	}
	return lists.Each(keys, func(k K) int32 { return rank[k] }), len(sorted)
}

// coloring gives equivalent variables, rows and budgets the same number.
type coloring struct {
	cell, rowCell, budgetCell    []int32
	cells, rowCells, budgetCells int
}

// refine returns the coarsest equitable coloring of the variables and rows that respects losses, weights and
// bounds. Variables of one color have equally many neighbors of each color, and rows of one color equally many
// variables of each. Budgets of one color have equally many constraints between variables of two colors, and a
// variable equally many constraints of each color of budgets.
func (p *Program) refine() coloring {
	weight, _ := number(p.Weight)
	rowKey := lists.Each(weight, func(w int32) uint64 { return mix(uint64(w)) })
	if p.Bound != nil {
		colors, _ := number(lists.Each(p.Bound, interval.Interval.Mid))
		for i, c := range colors {
			rowKey[i] = mix(rowKey[i] + uint64(c))
		}
	}
	var c coloring
	c.rowCell, c.rowCells = number(rowKey)
	c.cell, c.cells = number(p.Loss)
	p.settle(&c)
	if p.Delta != nil {
		c.budgetCell, c.budgetCells = make([]int32, p.Budgets), 1
		p.settle(&c)
	}
	return c
}

// settle splits colors until they are equitable.
func (p *Program) settle(c *coloring) {
	key, rowKey, budgetKey := make([]uint64, len(p.Row)), make([]uint64, p.Rows), make([]uint64, len(c.budgetCell))
	for {
		for j := range key {
			key[j] = mix(uint64(c.cell[j])<<32 | uint64(c.rowCell[p.Row[j]]))
		}
		for g := range budgetKey {
			budgetKey[g] = mix(uint64(c.budgetCell[g]) ^ 0x2545f4914f6cdd1d)
		}
		sum, total := slices.Clone(key), slices.Clone(budgetKey)
		for k, e := range p.Pairs {
			for side := range 2 {
				a, b := e[side], e[1-side]
				if c.budgetCells == 0 {
					sum[a] += mix(key[b])
					continue
				}
				own, other := budgetKey[p.Budget[2*k+side]], budgetKey[p.Budget[2*k+1-side]]
				sum[a] += mix(key[b] + mix(own+mix(other)))
				total[p.Budget[2*k+side]] += mix(key[a] + mix(key[b]+mix(other)))
			}
		}
		for i := range rowKey {
			rowKey[i] = mix(uint64(c.rowCell[i]))
		}
		for j, i := range p.Row {
			rowKey[i] += mix(key[j] ^ 0x5bd1e995)
		}
		var next coloring
		next.cell, next.cells = number(sum)
		next.rowCell, next.rowCells = number(rowKey)
		next.budgetCell, next.budgetCells = number(total)
		if next.cells == c.cells && next.rowCells == c.rowCells && next.budgetCells == c.budgetCells {
			return
		}
		*c = next
	}
}

// merge builds the core of p.
func (p *Program) merge() *core { return p.mergeBy(p.refine()) }

// mergeBy builds the core of p for an equitable coloring.
func (p *Program) mergeBy(by coloring) *core {
	c := &core{
		rows: by.rowCells, level: p.Level, w: p.Ratio.Mid(),
		row: make([]int32, by.cells), count: make([]float64, by.cells),
		cost: make([]float64, by.cells), loss: make([]float64, by.cells),
		cell: by.cell, rowCell: by.rowCell, rowSize: make([]float64, by.rowCells),
	}
	for _, i := range by.rowCell {
		c.rowSize[i]++
	}
	for j, k := range by.cell {
		i := p.Row[j]
		c.row[k] = by.rowCell[i]
		c.count[k]++
		c.cost[k] += p.Weight[i] * p.Loss[j]
		c.loss[k] += p.Loss[j]
	}
	for k, i := range c.row {
		c.count[k] /= c.rowSize[i]
		c.loss[k] /= c.rowSize[i]
	}
	if p.Bound != nil {
		c.bound = make([]float64, by.rowCells)
		for i, b := range p.Bound {
			c.bound[by.rowCell[i]] = b.Mid()
		}
	}
	c.join(p, by.budgetCell, by.budgetCells)
	c.order()
	return c
}

// join merges those pairs of p whose constraints have the same budgets.
func (c *core) join(p *Program, budgetCell []int32, budgetCells int) {
	c.pairOf, c.flip = make([]int32, len(p.Pairs)), make([]bool, len(p.Pairs))
	seen := make(map[[4]int32]int32)
	for k, e := range p.Pairs {
		a, b := c.cell[e[0]], c.cell[e[1]]
		if a == b {
			c.pairOf[k] = -1
			continue
		}
		if c.flip[k] = a > b; a > b {
			a, b = b, a
		}
		key := [4]int32{a, b}
		if budgetCells > 0 {
			first, second := budgetCell[p.Budget[2*k]], budgetCell[p.Budget[2*k+1]]
			if c.flip[k] {
				first, second = second, first
			}
			key[2], key[3] = first, second
		}
		at, ok := seen[key]
		if !ok {
			at = int32(len(c.pairs))
			seen[key] = at
			if budgetCells > 0 {
				c.budget = append(c.budget, key[2], key[3])
			}
			c.pairs = append(c.pairs, [2]int32{a, b})
			c.members = append(c.members, 0)
		}
		c.pairOf[k] = at
		c.members[at]++
	}
	if budgetCells == 0 {
		return
	}
	size := make([]float64, budgetCells)
	for _, g := range budgetCell {
		size[g]++
	}
	c.delta, _ = p.Delta.Float64()
	c.budgets, c.share = budgetCells, make([]float64, len(c.budget))
	for k, g := range c.budget {
		c.share[k] = c.members[k/2] / size[g]
	}
}

// lift extends a point of the core to the program: equal values for equivalent variables, and prices divided
// equally among the merged constraints. over divides a price, and returns 0 for the zero value.
func lift[T any](c *core, p, z, v []T, over func(x T, by float64) T) (fullP, fullZ, fullV []T) {
	fullP, fullZ = lists.Each(c.cell, func(k int32) T { return p[k] }), make([]T, 2*len(c.pairOf))
	for k, at := range c.pairOf {
		first, second := 2*k, 2*k+1
		if at < 0 {
			var none T
			fullZ[first], fullZ[second] = over(none, 1), over(none, 1)
			continue
		}
		if c.flip[k] {
			first, second = second, first
		}
		fullZ[first], fullZ[second] = over(z[2*at], c.members[at]), over(z[2*at+1], c.members[at])
	}
	if len(v) > 0 {
		fullV = lists.Each(c.rowCell, func(k int32) T { return over(v[k], c.rowSize[k]) })
	}
	return fullP, fullZ, fullV
}

// lift extends a point of the core to the program in float64, by the function lift.
func (c *core) lift(p, z, v []float64) (fullP, fullZ, fullV []float64) {
	return lift(c, p, z, v, func(x, by float64) float64 { return x / by })
}
