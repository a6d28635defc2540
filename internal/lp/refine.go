package lp

import (
	"cmp"
	"slices"
)

// core is a program after merging: each variable stands for a cell of equal
// variables of the program, each row for a cell of equal rows. Its variables
// are numbered block by block, level by level (see levels.go).
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
	flip    []bool    // whether the program pair runs against its core pair
	members []float64 // program pairs of a core pair
	rowSize []float64 // rows of a row cell

	delta   float64
	budgets int       // budget cells, 0 where there are none
	budget  []int32   // budget cell of a constraint of the core
	share   []float64 // how many constraints that it stands for one budget has

	blocks []*block
}

// mix spreads the bits of x (the finaliser of SplitMix64), so that sums of
// mixed colors tell multisets apart. A collision merges too much: it can widen
// the certified interval, which is computed on the program itself, never
// falsify it.
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
	colors = make([]int32, len(keys))
	for j, k := range keys {
		colors[j] = rank[k]
	}
	return colors, len(sorted)
}

// refine returns the coarsest equitable coloring of the variables and rows that
// respects losses, weights and bounds: variables of one color have equally many
// neighbors of each color, and rows of one color equally many variables of each.
func (p *Program) refine() (cell []int32, cells int, rowCell []int32, rowCells int) {
	n := len(p.Row)
	weight, _ := number(p.Weight)
	rowKey := make([]uint64, p.Rows)
	for i := range rowKey {
		rowKey[i] = mix(uint64(weight[i]))
	}
	if p.Bound != nil {
		bounds := make([]float64, p.Rows)
		for i, b := range p.Bound {
			bounds[i] = b.Mid()
		}
		colors, _ := number(bounds)
		for i, c := range colors {
			rowKey[i] = mix(rowKey[i] + uint64(c))
		}
	}
	rowCell, rowCells = number(rowKey)
	cell, cells = number(p.Loss)

	key := make([]uint64, n)
	for {
		for j := range key {
			key[j] = mix(uint64(cell[j])<<32 | uint64(rowCell[p.Row[j]]))
		}
		sum := slices.Clone(key)
		for _, e := range p.Pairs {
			sum[e[0]] += mix(key[e[1]])
			sum[e[1]] += mix(key[e[0]])
		}
		for i := range rowKey {
			rowKey[i] = mix(uint64(rowCell[i]))
		}
		for j, i := range p.Row {
			rowKey[i] += mix(key[j] ^ 0x5bd1e995)
		}
		nextCell, nextCells := number(sum)
		nextRow, nextRows := number(rowKey)
		if nextCells == cells && nextRows == rowCells {
			return cell, cells, rowCell, rowCells
		}
		cell, cells, rowCell, rowCells = nextCell, nextCells, nextRow, nextRows
	}
}

// merge builds the core of p.
func (p *Program) merge() *core {
	if p.Delta != nil {
		cell, cells, rowCell, rowCells, budgetCell, budgetCells := p.refineBudgets()
		return p.mergeBudgets(cell, cells, rowCell, rowCells, budgetCell, budgetCells)
	}
	return p.mergeBy(p.refine())
}

// mergeBy builds the core of p, which has no budgets, for an equitable coloring.
func (p *Program) mergeBy(cell []int32, cells int, rowCell []int32, rowCells int) *core {
	return p.mergeBudgets(cell, cells, rowCell, rowCells, nil, 0)
}

// mergeBudgets builds the core of p for an equitable coloring that budgets have a part in.
func (p *Program) mergeBudgets(cell []int32, cells int, rowCell []int32, rowCells int, budgetCell []int32, budgetCells int) *core {
	c := &core{
		rows: rowCells, level: p.Level, w: p.Ratio.Mid(),
		row: make([]int32, cells), count: make([]float64, cells),
		cost: make([]float64, cells), loss: make([]float64, cells),
		cell: cell, rowCell: rowCell, rowSize: make([]float64, rowCells),
	}
	for _, i := range rowCell {
		c.rowSize[i]++
	}
	for j, k := range cell {
		i := p.Row[j]
		c.row[k] = rowCell[i]
		c.count[k]++
		c.cost[k] += p.Weight[i] * p.Loss[j]
		c.loss[k] += p.Loss[j]
	}
	for k, i := range c.row {
		c.count[k] /= c.rowSize[i]
		c.loss[k] /= c.rowSize[i]
	}
	if p.Bound != nil {
		c.bound = make([]float64, rowCells)
		for i, b := range p.Bound {
			c.bound[rowCell[i]] = b.Mid()
		}
	}
	c.join(p, budgetCell, budgetCells)
	c.order()
	return c
}

// join merges the pairs of p, those whose constraints have the same budgets.
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

// lift spreads a point of the core over the program: equal values for equal
// variables, and prices shared equally by the merged constraints.
func (c *core) lift(p, z, v []float64) (fullP, fullZ, fullV []float64) {
	fullP, fullZ = make([]float64, len(c.cell)), make([]float64, 2*len(c.pairOf))
	for j, k := range c.cell {
		fullP[j] = p[k]
	}
	for k, at := range c.pairOf {
		if at < 0 {
			continue
		}
		first, second := 2*k, 2*k+1
		if c.flip[k] {
			first, second = second, first
		}
		fullZ[first] = z[2*at] / c.members[at]
		fullZ[second] = z[2*at+1] / c.members[at]
	}
	if v != nil {
		fullV = make([]float64, len(c.rowCell))
		for i, k := range c.rowCell {
			fullV[i] = v[k] / c.rowSize[k]
		}
	}
	return fullP, fullZ, fullV
}
