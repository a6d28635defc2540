package analytic

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
	"dpworkbench/query"
)

// layerCase is a set of initial values on a tiny universe, with e^ε.
type layerCase struct {
	distance [][]int         // d̄ between datasets, in halves
	values   int             // R = {0, …, values − 1} with the metric |a − b|
	f        []int           // f(x)
	sets     []map[int][]int // R_0^x under the key 0, R̃_i^x under the key i
	base     int64           // e^ε
}

// spreadRule computes the layers L^x(r) from initial values, −1 where x does not reach r. It returns nil if the rule
// does not admit the initial values (see adjacent).
type spreadRule func(c layerCase) [][]int

// spreadBy returns the spreadRule that applies a rule of package layers.
func spreadBy(rule layers.Rule) spreadRule {
	return func(c layerCase) [][]int {
		distance := make([][]float64, len(c.distance))
		f := make([]float64, len(c.f))
		for x, row := range c.distance {
			f[x] = float64(c.f[x])
			for _, d := range row {
				distance[x] = append(distance[x], float64(d)/2)
			}
		}
		space := check.Must(query.NewMatrixSpace(distance))
		rng := lists.Of(c.values, func(r int) float64 { return float64(r) })
		q := check.Must(query.NewNumeric("f", space, f, rng))
		eps := check.Must(evidence.LogEpsilon("eps", big.NewRat(c.base, 1)))
		m := check.Must(layers.NewGeneral(context.Background(), q, eps, layers.Sets{At: c.sets}, rule))
		out := make([][]int, len(c.f))
		for x := range out {
			for r := range c.values {
				out[x] = append(out[x], m.Layer(x, r))
			}
		}
		return out
	}
}

func (c layerCase) neighbors(x, y int) bool { return x != y && c.distance[x][y] <= 2 }

// ceil returns ⌈d̄(x, y)⌉.
func (c layerCase) ceil(x, y int) int { return (c.distance[x][y] + 1) / 2 }

// with returns c with r added to layer i of x.
func (c layerCase) with(x, r, i int) layerCase {
	c.sets = slices.Clone(c.sets)
	c.sets[x] = maps.Clone(c.sets[x])
	if !slices.Contains(c.sets[x][i], r) {
		c.sets[x][i] = append(slices.Clone(c.sets[x][i]), r)
	}
	return c
}

// nearest returns the first layer in which x receives r from some R_0^y: the smallest ⌈d̄(x, y)⌉ of all y with r ∈
// R_0^y, or −1 if no such y exists.
func (c layerCase) nearest(x, r int) int {
	first := -1
	for y, sets := range c.sets {
		if d := c.ceil(x, y); slices.Contains(sets[0], r) && (first < 0 || d < first) {
			first = d
		}
	}
	return first
}

// genuine returns c without the values of R̃_i^x that (33) excludes: those in an earlier layer of x, and those in some
// R_0^y with d̄(x, y) ≤ i.
func (c layerCase) genuine() layerCase {
	out := c
	out.sets = make([]map[int][]int, len(c.sets))
	for x, sets := range c.sets {
		out.sets[x] = map[int][]int{0: sets[0]}
		seen := slices.Clone(sets[0])
		for _, i := range slices.Sorted(maps.Keys(sets)) {
			if i == 0 {
				continue
			}
			for _, r := range sets[i] {
				if first := c.nearest(x, r); !slices.Contains(seen, r) && (first < 0 || first > i) {
					out.sets[x][i] = append(out.sets[x][i], r)
					seen = append(seen, r)
				}
			}
		}
	}
	return out
}

// isGenuine reports whether (33) can give these initial values.
func (c layerCase) isGenuine() bool {
	for x, sets := range c.sets {
		for i, set := range sets {
			for _, r := range set {
				if first := c.nearest(x, r); i > 0 && first >= 0 && first <= i {
					return false
				}
				for j, other := range sets {
					if j != i && slices.Contains(other, r) {
						return false
					}
				}
			}
		}
	}
	return true
}

// adjacent returns a rule that admits only initial values whose layers differ by at most gap between neighbors and, if
// onlyChained is set, only chained metrics. For others the rule returns nil.
func adjacent(rule spreadRule, gap int, onlyChained bool) spreadRule {
	return func(c layerCase) [][]int {
		if onlyChained && !chained(c.distance) {
			return nil
		}
		level := rule(c)
		for x := range level {
			for y := range level {
				for r, l := range level[x] {
					if c.neighbors(x, y) && ((l < 0) != (level[y][r] < 0) || l > level[y][r]+gap) {
						return nil
					}
				}
			}
		}
		return level
	}
}

// weights returns the sums over r of z^L and of z^L |f(x) − r|, where z = 1/base and L is the layer of r at x.
func (c layerCase) weights(level [][]int, x int) (count, moment *big.Rat) {
	count, moment = new(big.Rat), new(big.Rat)
	for r, l := range level[x] {
		if l < 0 {
			continue
		}
		w := check.Power(big.NewRat(c.base, 1), -l)
		count.Add(count, w)
		moment.Add(moment, new(big.Rat).Mul(w, big.NewRat(int64(max(r-c.f[x], c.f[x]-r)), 1)))
	}
	return count, moment
}

// loss returns e^ε of the smallest ε: the largest ratio of a value's probabilities at two neighbors. It is nil if only
// one of two neighbors can output some value.
func (c layerCase) loss(level [][]int) *big.Rat {
	worst := big.NewRat(1, 1)
	for x := range level {
		for y := range level {
			if !c.neighbors(x, y) {
				continue
			}
			ax, _ := c.weights(level, x)
			ay, _ := c.weights(level, y)
			scale := new(big.Rat).Quo(ay, ax)
			for r := range level[x] {
				lx, ly := level[x][r], level[y][r]
				if (lx < 0) != (ly < 0) {
					return nil
				}
				if lx < 0 {
					continue
				}
				if v := new(big.Rat).Mul(scale, check.Power(big.NewRat(c.base, 1), ly-lx)); v.Cmp(worst) > 0 {
					worst = v
				}
			}
		}
	}
	return worst
}

// within reports whether a loss e^{ε'} has ε' ≤ kε.
func (c layerCase) within(loss *big.Rat, k int) bool {
	return loss != nil && loss.Cmp(check.Power(big.NewRat(c.base, 1), k)) <= 0
}

// query returns the script expression that builds the query.
func (c layerCase) query() string {
	return fmt.Sprintf("finite_query(%s, distances=%s, range=%s)", check.List(c.f), check.Halves(c.distance), check.List(check.Counting(c.values)))
}

// build returns the script expression that builds the mechanism of a rule from the query q.
func (c layerCase) build(rule layers.Rule) string {
	initial, extra := make([][]int, len(c.sets)), make([]string, len(c.sets))
	for x, sets := range c.sets {
		initial[x] = sets[0]
		var more []string
		for _, i := range slices.Sorted(maps.Keys(sets)) {
			if i > 0 {
				more = append(more, fmt.Sprintf("%d: %s", i, check.List(sets[i])))
			}
		}
		extra[x] = "{" + strings.Join(more, ", ") + "}"
	}
	return fmt.Sprintf("general(q, ln(%d), %s, %s, rule=%q)", c.base, check.Lists(initial), check.List(extra), rule)
}

// witness describes the initial values. replay is the part of the script that follows the definitions of the query q
// and the mechanism m.
func (c layerCase) witness(rule layers.Rule, replay string, extra ...any) *check.Witness {
	var sets []string
	for x := range c.sets {
		for _, i := range slices.Sorted(maps.Keys(c.sets[x])) {
			sets = append(sets, fmt.Sprintf("layer %d of dataset %d: %s", i, x, check.List(c.sets[x][i])))
		}
	}
	return check.NewWitness(append(check.Named("distances", check.Halves(c.distance), "f", check.List(c.f), "initial values", strings.Join(sets, "; "), "e^eps", c.base), check.Named(extra...)...),
		check.Vars{"query": check.Code(c.query()), "mechanism": check.Code(c.build(rule))}, "q = {query}; m = {mechanism}", replay)
}

// lossReplay returns a script that shows that the smallest ε is more than k times the decay.
func (c layerCase) lossReplay(k int) string {
	return check.Script(check.Vars{"k": k, "base": c.base}, "bound = {k} * ln({base}); print(m.smallest_epsilon, bound, m.smallest_epsilon.lo <= bound.hi)")
}

// basicCases enumerates basic mechanisms with two values on every metric: R_0^x contains one or both values, and f(x)
// is in R_0^x. pure restricts R_0^x to {f(x)}.
func basicCases(pure bool) iter.Seq[layerCase] {
	choices := [][]int{{0}, {1}, {0, 1}}
	if pure {
		choices = choices[:2]
	}
	return check.Map(labelled(metrics, len(choices)), func(l labels) layerCase {
		c := layerCase{distance: l.distance, values: 2, base: 2}
		for _, choice := range l.at {
			set := choices[choice]
			c.f, c.sets = append(c.f, set[0]), append(c.sets, map[int][]int{0: set})
		}
		return c
	})
}

// generalCases enumerates initial values of two datasets with f = 0 and f = 1. Value 0 is in every R_0^x, and value 1
// in one of the layers 0…deep of each dataset. Small layers come first.
func generalCases(deep int) iter.Seq[layerCase] {
	return check.Grid(func(c *layerCase) []check.Axis {
		var most, i, j int
		return []check.Axis{
			check.Span(&most, 0, deep),
			check.Span(&i, 0, deep),
			check.Span(&j, 0, deep),
			check.Over(&c.distance, metrics...),
			check.Span(&c.base, 2, 3),
			check.Where(func() bool { return max(i, j) == most && len(c.distance) == 2 }),
			check.Let(func() {
				c.values, c.f, c.sets = 2, []int{0, 1}, []map[int][]int{{0: {0}}, {0: {0}}}
				*c = c.with(0, 1, i).with(1, 1, j)
			}),
		}
	})
}

// drawLayers draws initial values. R_0^x contains f(x) and, unless pure is set, random other values. If deep > 0, there
// are also R̃_i^x with i ≤ deep.
func drawLayers(rng *rand.Rand, pure bool, deep int) layerCase {
	d := metrics[rng.IntN(len(metrics))]
	c := layerCase{distance: d, values: 2 + rng.IntN(3), f: make([]int, len(d)), sets: make([]map[int][]int, len(d)), base: 2 + rng.Int64N(4)}
	for x := range d {
		c.f[x] = rng.IntN(c.values)
		c.sets[x] = map[int][]int{0: {c.f[x]}}
		for r := range c.values {
			switch {
			case r != c.f[x] && !pure && rng.IntN(4) == 0:
				c.sets[x][0] = append(c.sets[x][0], r)
			case deep > 0 && rng.IntN(2) == 0:
				i := 1 + rng.IntN(deep)
				c.sets[x][i] = append(c.sets[x][i], r)
			}
		}
	}
	return c
}

// applicable returns the check of a statement whose confirmation needs at least the given number of non-vacuous
// instances.
func applicable[I any](least int, s check.Statement[I]) check.Checker {
	s.Least = least
	return s.Check
}

// byFailure returns the Decide function of a statement. An instance counts if applies is true, and the statement holds
// there if failure is "".
func byFailure[I any](fails func(i I) (failure string, applies bool)) func(i I) (holds, counts bool) {
	return func(i I) (bool, bool) {
		failure, applies := fails(i)
		return failure == "", applies
	}
}

// drawApplicable repeats draw until an instance is not vacuous, at most 30 times.
func drawApplicable[I any](draw func() I, applies func(i I) bool) (out I) {
	for range 30 {
		if out = draw(); applies(out) {
			break
		}
	}
	return out
}
