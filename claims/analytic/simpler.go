package analytic

import (
	"iter"
	"maps"
	"slices"
)

// size orders instances: fewer datasets, then fewer values, then ε the smallest,
// then smaller weights are simpler.
func (c tableCase) size() [4]int64 {
	sum := int64(0)
	for _, row := range c.weight {
		for _, w := range row {
			sum += w
		}
	}
	return [4]int64{int64(len(c.weight)), int64(len(c.weight[0])), c.slack, sum}
}

// simplerTables drops datasets and values and lowers weights, none to 0.
func simplerTables(c tableCase) iter.Seq[tableCase] {
	size := c.size()
	return func(yield func(tableCase) bool) {
		offer := func(d tableCase) bool {
			next := d.size()
			return slices.Compare(next[:], size[:]) >= 0 || yield(d)
		}
		for x := range c.weight {
			if len(c.weight) > 2 && !offer(c.withoutDataset(x)) {
				return
			}
		}
		for r := 1; r < len(c.weight[0]) && len(c.weight[0]) > 2; r++ {
			for to := range r {
				if !offer(c.merged(r, to)) {
					return
				}
			}
		}
		d := c
		if d.slack = 1; !offer(d) || !offer(c.powers()) {
			return
		}
		for x := range c.weight {
			for r, old := range c.weight[x] {
				for _, w := range []int64{1, old / 2, old - 1} {
					if w < 1 {
						continue
					}
					d := c
					d.weight = slices.Clone(c.weight)
					d.weight[x] = slices.Clone(c.weight[x])
					if d.weight[x][r] = w; !offer(d) {
						return
					}
				}
			}
		}
	}
}

func (c tableCase) withoutDataset(x int) tableCase {
	without := func(row []int) []int { return slices.Delete(slices.Clone(row), x, x+1) }
	d := tableCase{value: without(c.value), slack: c.slack}
	for y := range c.weight {
		if y != x {
			d.distance = append(d.distance, without(c.distance[y]))
			d.weight = append(d.weight, slices.Clone(c.weight[y]))
		}
	}
	return d
}

// merged returns c with value r taken for a smaller one.
func (c tableCase) merged(r, to int) tableCase {
	rename := mergedValue(r, to)
	d := tableCase{distance: c.distance, slack: c.slack}
	for x := range c.weight {
		row := make([]int64, len(c.weight[x])-1)
		for v, w := range c.weight[x] {
			row[rename(v)] += w
		}
		d.weight = append(d.weight, row)
		d.value = append(d.value, rename(c.value[x]))
	}
	return d
}

// powers returns c with the weights 2^{−L^x(r)}, up to a factor; c itself where
// some value is never reached or the layers are deep.
func (c tableCase) powers() tableCase {
	base, ok := c.base()
	if !ok {
		return c
	}
	layer := c.layers(base)
	d := c
	d.weight = nil
	for _, row := range layer {
		deepest := slices.Max(row)
		if slices.Min(row) < 0 || deepest > 10 {
			return c
		}
		weight := make([]int64, len(row))
		for r, l := range row {
			weight[r] = 1 << (deepest - l)
		}
		d.weight = append(d.weight, weight)
	}
	return d
}

// simplerLayers drops values, lowers layers and e^ε.
func simplerLayers(c layerCase) iter.Seq[layerCase] {
	return func(yield func(layerCase) bool) {
		for x := range c.sets {
			if len(c.sets) > 2 && !yield(c.without(x)) {
				return
			}
		}
		for x := range c.sets {
			for _, i := range slices.Sorted(maps.Keys(c.sets[x])) {
				for k := range c.sets[x][i] {
					drop := c
					drop.sets = slices.Clone(c.sets)
					drop.sets[x] = maps.Clone(c.sets[x])
					rest := slices.Delete(slices.Clone(c.sets[x][i]), k, k+1)
					if len(rest) > 0 {
						drop.sets[x][i] = rest
					} else if i > 0 {
						delete(drop.sets[x], i)
					} else {
						continue // R_0^x stays as the paper has it, with f(x)
					}
					if !yield(drop) || i > 1 && !yield(drop.with(x, c.sets[x][i][k], i-1)) {
						return
					}
				}
			}
		}
		for r := 1; r < c.values && c.values > 2; r++ {
			for to := range r {
				if !yield(c.merged(r, to)) {
					return
				}
			}
		}
		if c.base > 2 {
			c.base--
			yield(c)
		}
	}
}

// without returns c without a dataset.
func (c layerCase) without(x int) layerCase {
	d := c
	d.f = slices.Delete(slices.Clone(c.f), x, x+1)
	d.sets = slices.Delete(slices.Clone(c.sets), x, x+1)
	d.distance = nil
	for _, row := range slices.Delete(slices.Clone(c.distance), x, x+1) {
		d.distance = append(d.distance, slices.Delete(slices.Clone(row), x, x+1))
	}
	return d
}

// merged returns c with value r renamed to a smaller one and the values above r
// moved down.
func (c layerCase) merged(r, to int) layerCase {
	rename := mergedValue(r, to)
	c.values--
	c.f = slices.Clone(c.f)
	c.sets = slices.Clone(c.sets)
	for x := range c.f {
		c.f[x] = rename(c.f[x])
		sets := make(map[int][]int)
		for i, set := range c.sets[x] {
			for _, v := range set {
				if v = rename(v); !slices.Contains(sets[i], v) {
					sets[i] = append(sets[i], v)
				}
			}
		}
		c.sets[x] = sets
	}
	return c
}

func mergedValue(r, to int) func(v int) int {
	return func(v int) int {
		switch {
		case v == r:
			return to
		case v > r:
			return v - 1
		}
		return v
	}
}
