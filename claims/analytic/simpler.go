package analytic

import (
	"iter"
	"maps"
	"slices"

	"dpworkbench/claims/check"
)

// The functions below simplify a counterexample. Most counterexamples need no simplification, because families list
// small instances first.

// simplerTables yields copies of c with one weight lowered, but not to 0.
func simplerTables(c tableCase) iter.Seq[tableCase] {
	return func(yield func(tableCase) bool) {
		for x := range c.weight {
			for r, old := range c.weight[x] {
				for _, w := range []int64{1, old / 2, old - 1} {
					if w < 1 || w >= old {
						continue
					}
					d := c
					d.weight = slices.Clone(c.weight)
					d.weight[x] = slices.Clone(c.weight[x])
					if d.weight[x][r] = w; !yield(d) {
						return
					}
				}
			}
		}
	}
}

// simplerMoves yields copies of c without one of the values of a layer, if the layer has other values.
func simplerMoves(c moveCase) iter.Seq[moveCase] {
	return func(yield func(moveCase) bool) {
		for x, sets := range c.sets {
			for _, i := range slices.Sorted(maps.Keys(sets)) {
				for rest := range check.Without(sets[i]) {
					d := c
					d.sets = slices.Clone(c.sets)
					d.sets[x] = maps.Clone(sets)
					if d.sets[x][i] = rest; !yield(d) {
						return
					}
				}
			}
		}
	}
}
