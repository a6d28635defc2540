package analytic

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// tableCase is a mechanism on a tiny universe with rational probabilities: the laws of Definition 13 before
// discretization.
type tableCase struct {
	distance [][]int   // d̄ between datasets, in halves
	weight   [][]int64 // p^x(r) ∝ weight[x][r]
	value    []int     // f(x), an index into R = {0, 1, …} with the metric |a − b|
	slack    int64     // e^ε is this multiple of the smallest e^ε that the mechanism satisfies
}

func (c tableCase) neighbors(x, y int) bool { return x != y && c.distance[x][y] <= 2 }

// ceil returns ⌈d̄(x, y)⌉.
func (c tableCase) ceil(x, y int) int { return up(c.distance[x][y]) }

// rounding converts a distance in halves to an integer.
type rounding func(halves int) int

func up(halves int) int { return (halves + 1) / 2 }

func (c tableCase) prob(x, r int) *big.Rat {
	sum := int64(0)
	for _, w := range c.weight[x] {
		sum += w
	}
	return big.NewRat(c.weight[x][r], sum)
}

// loss returns e^ε of the mechanism's smallest ε. ok is false if the mechanism is ε-DP for no finite ε.
func (c tableCase) loss() (loss *big.Rat, ok bool) {
	loss = big.NewRat(1, 1)
	for x := range c.weight {
		for y := range c.weight {
			if !c.neighbors(x, y) {
				continue
			}
			for r := range c.weight[x] {
				if c.weight[x][r] == 0 && c.weight[y][r] == 0 {
					continue
				}
				if c.weight[y][r] == 0 {
					return nil, false
				}
				if q := new(big.Rat).Quo(c.prob(x, r), c.prob(y, r)); q.Cmp(loss) > 0 {
					loss = q
				}
			}
		}
	}
	return loss, true
}

// base returns e^ε: slack times e^ε of the smallest ε, or 2 if that would give ε = 0. ok is false if no finite ε
// exists.
func (c tableCase) base() (base *big.Rat, ok bool) {
	base, ok = c.loss()
	if !ok {
		return nil, false
	}
	base = new(big.Rat).Mul(base, big.NewRat(c.slack, 1))
	if base.Cmp(big.NewRat(1, 1)) == 0 {
		base = big.NewRat(2, 1)
	}
	return base, true
}

// layers returns L^x(r) by Definition 13, −1 where p^x(r) = 0.
func (c tableCase) layers(base *big.Rat) [][]int {
	largest := new(big.Rat)
	for x := range c.weight {
		for r := range c.weight[x] {
			if p := c.prob(x, r); p.Cmp(largest) > 0 {
				largest = p
			}
		}
	}
	out := make([][]int, len(c.weight))
	for x := range out {
		out[x] = make([]int, len(c.weight[x]))
		for r := range out[x] {
			if c.weight[x][r] == 0 {
				out[x][r] = -1
				continue
			}
			// The layer is the largest i with p/M ≤ e^{−iε}.
			p := new(big.Rat).Quo(c.prob(x, r), largest)
			for p.Mul(p, base).Cmp(big.NewRat(1, 1)) <= 0 {
				out[x][r]++
			}
		}
	}
	return out
}

// onto reports whether every value is f(x) of some x.
func (c tableCase) onto() bool {
	for r := range c.weight[0] {
		if !slices.Contains(c.value, r) {
			return false
		}
	}
	return true
}

// script returns the lines of a script that define the query q and the mechanism m.
func (c tableCase) script() check.Code {
	laws := make([]string, len(c.weight))
	for x := range c.weight {
		law := lists.Of(len(c.weight[x]), func(r int) string { return c.prob(x, r).RatString() })
		laws[x] = "[" + check.Quoted(law) + "]"
	}
	return check.Code(fmt.Sprintf("q = finite_query(%s, distances=%s, range=%s); m = finite_mechanism(q, [%s])",
		check.List(c.value), check.Halves(c.distance), check.List(check.Counting(len(c.weight[0]))), strings.Join(laws, ", ")))
}

// describe describes the mechanism. replay is the part of the script that follows the mechanism m and its
// discretization d at ε.
func (c tableCase) describe(replay string) *check.Witness {
	base, _ := c.base()
	// The paper assumes R = f(D). Since layers do not depend on f, another f serves as well.
	if n := len(c.weight[0]); len(c.value) >= n && !c.onto() {
		c.value = make([]int, len(c.value))
		for x := range c.value {
			c.value[x] = x % n
		}
	}
	laws := make([]string, len(c.weight))
	for x := range c.weight {
		for r := range c.weight[x] {
			laws[x] += " " + c.prob(x, r).RatString()
		}
	}
	return check.NewWitness(check.Named("distances", check.Halves(c.distance), "f", check.List(c.value), "laws", strings.TrimSpace(strings.Join(laws, ",")), "e^eps", base, "layers", check.Lists(c.layers(base))),
		check.Vars{"mechanism": c.script(), "base": base.RatString()}, "{mechanism}; d = discretize(m, ln({base}))", replay)
}

// metrics are the dataset spaces of the tiny instances, distances in halves.
var metrics = [][][]int{
	{{0, 2}, {2, 0}},
	{{0, 1}, {1, 0}},
	{{0, 4}, {4, 0}}, // two datasets that are not neighbors
	{{0, 2, 4}, {2, 0, 2}, {4, 2, 0}},
	{{0, 2, 2}, {2, 0, 2}, {2, 2, 0}},
	{{0, 2, 3}, {2, 0, 2}, {3, 2, 0}},
	{{0, 4, 4}, {4, 0, 4}, {4, 4, 0}},
	{{0, 4, 6}, {4, 0, 6}, {6, 6, 0}},
	{{0, 2, 4, 6}, {2, 0, 2, 4}, {4, 2, 0, 2}, {6, 4, 2, 0}},
	{{0, 2, 4, 2}, {2, 0, 2, 4}, {4, 2, 0, 2}, {2, 4, 2, 0}},
}

// chained reports whether for every x, y at a distance in (k, k+1], with an integer k ≥ 1, there is an x' with d̄(x,
// x') ≤ 1 and d̄(x', y) ≤ k. Theorem 2 (3), (4) need this property of the metric.
func chained(d [][]int) bool {
	for x := range d {
		for y := range d {
			if d[x][y] <= 2 {
				continue
			}
			k := 2 * ((d[x][y]+1)/2 - 1)
			found := false
			for z := range d {
				found = found || z != x && d[x][z] <= 2 && d[z][y] <= k
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// metricsFor returns the metrics, or only the chained ones.
func metricsFor(onlyChained bool) [][][]int {
	if !onlyChained {
		return metrics
	}
	var out [][][]int
	for _, d := range metrics {
		if chained(d) {
			out = append(out, d)
		}
	}
	return out
}

// tablePart is a statement about one mechanism with its layers at e^ε = base. It returns "" if the statement holds.
// Otherwise it returns the end of a script that shows the failure, given the query q, the mechanism m and its
// discretization d.
type tablePart func(c tableCase, base *big.Rat, layer [][]int) (failure string)

// tables states that part holds for mechanisms on tiny universes that have a finite ε and that says accepts. If
// onlyChained is set, the metrics are chained.
func tables(onlyChained bool, says says, part tablePart) check.Statement[tableCase] {
	allowed := metricsFor(onlyChained)
	fails := func(c tableCase) (failure string, applies bool) {
		base, ok := c.base()
		if !ok || onlyChained && !chained(c.distance) {
			return "", false
		}
		layer := c.layers(base)
		if !says(c, layer) {
			return "", false
		}
		return part(c, base, layer), true
	}
	return check.Statement[tableCase]{
		Family: "two datasets, two values, weights 0, 1, 2, 3, 5, 8, ε the smallest and that plus ln 2; " + ratioFamily,
		Each: check.Chain(check.Grid(func(c *tableCase) []check.Axis {
			c.value = []int{0, 1}
			return []check.Axis{
				check.Over(&c.weight, tinyWeights()...),
				check.Over(&c.distance, allowed...),
				check.Span(&c.slack, 1, 2),
				check.Where(func() bool { return len(c.distance) == 2 }),
			}
		}), ratioTables(allowed)),
		Draw: func(rng *rand.Rand) tableCase {
			d := allowed[rng.IntN(len(allowed))]
			c := tableCase{distance: d, weight: make([][]int64, len(d)), value: make([]int, len(d)), slack: 1 + rng.Int64N(2)}
			size := 2 + rng.IntN(4)
			scale := []int64{3, 10, 100}[rng.IntN(3)]
			for x := range d {
				c.value[x] = rng.IntN(size)
				c.weight[x] = make([]int64, size)
				for r := range size {
					c.weight[x][r] = 1 + rng.Int64N(scale)
				}
			}
			return c
		},
		Decide:  byFailure(fails),
		Simpler: simplerTables,
		Witness: func(c tableCase) *check.Witness {
			failure, _ := fails(c)
			return c.describe(failure)
		},
	}
}

// ratioFamily describes the family of ratioTables.
const ratioFamily = "two or three datasets, two values, p^x(0)/p^x(1) from 1/8 to 8 in powers of 2"

// ratioTables enumerates the mechanisms of ratioFamily. f(x) is a most probable value.
func ratioTables(allowed [][][]int) iter.Seq[tableCase] {
	few := check.Keep(labelled(allowed, 7), func(l labels) bool { return len(l.at) <= 3 })
	return check.Map(few, func(l labels) tableCase {
		c := tableCase{distance: l.distance, value: make([]int, len(l.at)), slack: 1}
		for x, k := range l.at {
			if k <= 3 {
				c.value[x] = 1
			}
			c.weight = append(c.weight, []int64{1 << max(0, k-3), 1 << max(0, 3-k)})
		}
		return c
	})
}

// tinyWeights lists the laws of two values at two datasets with weights 0, 1, 2, 3, 5 and 8. Laws without a weight 0
// come first, and small sums before large ones.
func tinyWeights() [][][]int64 {
	var out [][][]int64
	entries := []int64{0, 1, 2, 3, 5, 8}
	for code := range 6 * 6 * 6 * 6 {
		w := check.Digits(code, 6, 4)
		weight := [][]int64{{entries[w[0]], entries[w[1]]}, {entries[w[2]], entries[w[3]]}}
		if weight[0][0]+weight[0][1] > 0 && weight[1][0]+weight[1][1] > 0 {
			out = append(out, weight)
		}
	}
	rank := func(weight [][]int64) (total int64) {
		for _, row := range weight {
			for _, w := range row {
				total += w
				if w == 0 {
					total += 100
				}
			}
		}
		return total
	}
	slices.SortStableFunc(out, func(a, b [][]int64) int { return int(rank(a) - rank(b)) })
	return out
}

// tableCheck returns the check of a part on tables. Every mechanism with a finite ε counts.
func tableCheck(onlyChained bool, part tablePart) check.Checker {
	return tableCount(onlyChained, everyTable, part)
}

// says reports whether a statement is not vacuous at a mechanism, given its layers.
type says func(c tableCase, layer [][]int) bool

func everyTable(tableCase, [][]int) bool { return true }

// adjoining reports whether there are neighbors.
func adjoining(c tableCase, _ [][]int) bool { return hasNeighbors(c.distance) }

// tableCount is tableCheck for a part that is vacuous at the mechanisms that says rejects.
func tableCount(onlyChained bool, says says, part tablePart) check.Checker {
	return applicable(1000, tables(onlyChained, says, part))
}
