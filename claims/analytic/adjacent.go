package analytic

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// This file enumerates and draws initial values that satisfy the hypotheses which Corollaries 3 and 4 make about ε-DP
// mechanisms. Random initial values rarely satisfy them.

// hasNeighbors reports whether at least two datasets are neighbors. Without neighbors, every mechanism is private.
func hasNeighbors(d [][]int) bool {
	for x := range d {
		for y := range x {
			if d[x][y] <= 2 {
				return true
			}
		}
	}
	return false
}

// drawNeighboring draws one of the metrics in which at least two datasets are neighbors.
func drawNeighboring(rng *rand.Rand) [][]int {
	for {
		if d := metrics[rng.IntN(len(metrics))]; hasNeighbors(d) {
			return d
		}
	}
}

// pathMetric returns the shortest-path metric of a connected graph, in halves. Such a metric satisfies chained and
// stepwise.
func pathMetric(datasets int, edges [][2]int) [][]int {
	d := make([][]int, datasets)
	for x := range d {
		d[x] = slices.Repeat([]int{2 * datasets}, datasets)
		d[x][x] = 0
	}
	for _, e := range edges {
		d[e[0]][e[1]], d[e[1]][e[0]] = 2, 2
	}
	for z := range d { // Floyd and Warshall
		for x := range d {
			for y := range d {
				d[x][y] = min(d[x][y], d[x][z]+d[z][y])
			}
		}
	}
	return d
}

// drawPaths draws the shortest-path metric of a random tree with some additional edges.
func drawPaths(rng *rand.Rand, datasets int) [][]int {
	var edges [][2]int
	for x := 1; x < datasets; x++ {
		edges = append(edges, [2]int{rng.IntN(x), x})
		for y := range x {
			if rng.IntN(5) == 0 {
				edges = append(edges, [2]int{y, x})
			}
		}
	}
	return pathMetric(datasets, edges)
}

// drawChained draws a chained metric of two to six datasets.
func drawChained(rng *rand.Rand) [][]int {
	if tiny := metricsFor(true); rng.IntN(3) == 0 {
		return tiny[rng.IntN(len(tiny))]
	}
	return drawPaths(rng, 2+rng.IntN(5))
}

// drawLipschitz draws the layer of one value at each dataset. Layers differ by at most 1 between neighbors: at x the
// layer is the minimum over y of ⌈d̄(x, y)⌉ + h_y with random h_y from 0 to deep. All such layers have this form, with
// the layers themselves as h.
func drawLipschitz(rng *rand.Rand, d [][]int, deep int) []int {
	height := lists.Of(len(d), func(int) int { return rng.IntN(deep + 1) })
	out := make([]int, len(d))
	for x := range out {
		out[x] = height[x]
		for y, h := range height {
			out[x] = min(out[x], up(d[x][y])+h)
		}
	}
	return out
}

// fromLayers computes the initial values of (33) from layers level[r][x]: R_0^x, and the values of R_i^x that are in no
// R_0^y with ⌈d̄(x, y)⌉ = i. f(x) is the smallest value in R_0^x, or 0 if R_0^x is empty.
func fromLayers(d [][]int, level [][]int, base int64) layerCase {
	c := layerCase{distance: d, values: len(level), f: make([]int, len(d)), base: base}
	for x := range d {
		sets := map[int][]int{}
		for r, at := range level {
			i := at[x]
			given := slices.ContainsFunc(check.Counting(len(d)), func(y int) bool { return i > 0 && at[y] == 0 && up(d[x][y]) == i })
			if !given {
				sets[i] = append(sets[i], r)
			}
		}
		if len(sets[0]) > 0 {
			c.f[x] = sets[0][0]
		}
		c.sets = append(c.sets, sets)
	}
	return c
}

// drawAdjacent draws initial values whose layers differ by at most 1 between neighbors. There are two to four values,
// and value 0 is in every R_0^x.
func drawAdjacent(rng *rand.Rand, deep int) layerCase {
	d := drawChained(rng)
	level := [][]int{make([]int, len(d))}
	for range 1 + rng.IntN(3) {
		level = append(level, drawLipschitz(rng, d, 1+rng.IntN(deep)))
	}
	return fromLayers(d, level, 2+rng.Int64N(4))
}

// onto returns c with another f, whose values f(x) are all of R, and with f(x0) ≠ r0. ok is false if there are fewer
// than two values, or more values than datasets. Layers do not depend on f.
func (c layerCase) onto(x0, r0 int) (out layerCase, ok bool) {
	if c.values > len(c.f) || c.values < 2 {
		return c, false
	}
	c.f = make([]int, len(c.f))
	for i := range c.f { // x0 gets the value after r0, the other datasets the following ones
		c.f[(x0+i)%len(c.f)] = (r0 + 1 + i) % c.values
	}
	return c, true
}

// migrations yields the migrations of c. Each adds a value to R_0^x or to a nonempty R̃_i^x of a dataset x, R_0^x
// first.
func (c layerCase) migrations(yield func(moveCase) bool) {
	for x0 := range c.f {
		for _, i0 := range slices.Sorted(maps.Keys(c.sets[x0])) {
			for r0 := range c.values {
				if d, ok := c.onto(x0, r0); ok && !slices.Contains(c.sets[x0][i0], r0) && !yield(moveCase{d, x0, r0, i0}) {
					return
				}
			}
		}
	}
}

// circulant returns the shortest-path metric of the graph on ℤ_n that joins x and x + s for every s such that bit s − 1
// of steps is set. ok is false if the graph is not connected.
func circulant(n, steps int) (d [][]int, ok bool) {
	var edges [][2]int
	for x := range n {
		for s := 1; s <= n/2; s++ {
			if steps>>(s-1)&1 == 1 && s%n != 0 {
				edges = append(edges, [2]int{x, (x + s) % n})
			}
		}
	}
	d = pathMetric(n, edges)
	return d, !slices.ContainsFunc(d, func(row []int) bool { return slices.Max(row) >= 2*n })
}

// turnedTable returns the purest mechanism of f(x) = x mod len(name) on a circulant graph: p^x(r) ∝ base^{−i} for the
// values r in layer i of x. name renames the values. Rotating the graph permutes the values, so all datasets have the
// same normaliser. Hence the mechanism is ε-DP at e^ε = base, and Definition 13 gives it the same layers.
func turnedTable(d [][]int, name []int, base int64) tableCase {
	c := tableCase{distance: d, slack: 1}
	deepest := 0
	for _, row := range d {
		deepest = max(deepest, up(slices.Max(row)))
	}
	for x := range d {
		row := make([]int64, len(name))
		for r := range name {
			i := deepest
			for y := range d {
				if y%len(name) == r {
					i = min(i, up(d[x][y]))
				}
			}
			row[name[r]] = 1
			for range deepest - i {
				row[name[r]] *= base
			}
		}
		c.weight, c.value = append(c.weight, row), append(c.value, name[x%len(name)])
	}
	return c
}

// turnedTables enumerates the tables of turnedTable on ℤ_2 … ℤ_6.
func turnedTables() iter.Seq[tableCase] {
	return check.Grid(func(c *tableCase) []check.Axis {
		var n, steps, values int
		var base int64
		return []check.Axis{
			check.Span(&n, 2, 6),
			check.Span(&steps, 0, 7),
			check.Span(&values, 2, 6),
			check.Span(&base, 2, 3),
			check.Where(func() bool { return steps < 1<<(n/2) && values <= n && n%values == 0 }),
			check.Where(func() bool {
				d, ok := circulant(n, steps)
				if ok {
					*c = turnedTable(d, check.Counting(values), base)
				}
				return ok
			}),
		}
	})
}

// drawTurned draws a table of turnedTable on ℤ_3 … ℤ_8.
func drawTurned(rng *rand.Rand) tableCase {
	for {
		n := 3 + rng.IntN(6)
		d, ok := circulant(n, rng.IntN(1<<(n/2)))
		if values := 2 + rng.IntN(n-1); ok && n%values == 0 {
			return turnedTable(d, rng.Perm(values), 2+rng.Int64N(4))
		}
	}
}

// widerSpaces are the shortest-path metrics, in halves, of the path, the cycle and the star on five datasets. The
// spaces in metrics have at most four.
var widerSpaces = [][][]int{
	pathMetric(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}),
	pathMetric(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}),
	pathMetric(5, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}),
}

// adjacentCases enumerates initial values whose layers differ by at most 1 between neighbors. Value 0 is in every
// R_0^x, and value 1 in one of the layers 0…5 of each dataset.
func adjacentCases() iter.Seq[layerCase] {
	return check.Map(adjacentLabels(5), func(l labels) layerCase { return fromLayers(l.distance, [][]int{make([]int, len(l.at)), l.at}, 2) })
}

// adjacentMoves enumerates migrations of value 1. Before a migration, layers differ by at most 1 between neighbors:
// value 0 is in every R_0^x, value 1 in one of the layers 0…3 of each dataset, and value 2 in layer 1 of all datasets
// or in layer 2 of all.
func adjacentMoves() iter.Seq[moveCase] {
	moves := check.Each(adjacentLabels(3), func(l labels) iter.Seq[moveCase] {
		return check.Each(slices.Values([]int{1, 2}), func(layer int) iter.Seq[moveCase] {
			return fromLayers(l.distance, [][]int{make([]int, len(l.at)), l.at, slices.Repeat([]int{layer}, len(l.at))}, 2).migrations
		})
	})
	return check.Keep(moves, func(m moveCase) bool { return m.r0 == 1 })
}
