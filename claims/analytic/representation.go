package analytic

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/claims/check"
)

// residue returns the initial values of (33): R_0^x, and the values of R_i^x, i ≥ 1, that are in no R_0^y with ⌈d̄(x,
// y)⌉ = i. residue[x][r] is the layer of r, or −1 if r is no initial value at x.
func residue(c tableCase, layer [][]int) [][]int {
	out := make([][]int, len(layer))
	for x := range layer {
		out[x] = slices.Clone(layer[x])
		for y := range layer {
			for r, l := range layer[y] {
				if l == 0 && layer[x][r] > 0 && c.ceil(x, y) == layer[x][r] {
					out[x][r] = -1
				}
			}
		}
	}
	return out
}

// rebuild returns the layers of (34) as printed, layer by layer: R_i^x = R̃_i^x ∪ (∪ R_0^y − A_{i−1}^x) over y with
// ⌈d̄(x, y)⌉ = i.
func rebuild(c tableCase, initial [][]int) [][]int {
	out := make([][]int, len(initial))
	for x := range initial {
		deepest := 0
		for y := range initial {
			deepest = max(deepest, c.ceil(x, y), slices.Max(initial[y]))
		}
		out[x] = make([]int, len(initial[x]))
		for r := range out[x] {
			out[x][r] = -1
			if initial[x][r] == 0 {
				out[x][r] = 0
			}
		}
		for i := 1; i <= deepest; i++ {
			for r := range out[x] {
				if out[x][r] >= 0 {
					continue // in A_{i−1}^x
				}
				given := initial[x][r] == i
				for y := range initial {
					given = given || c.ceil(x, y) == i && initial[y][r] == 0
				}
				if given {
					out[x][r] = i
				}
			}
		}
	}
	return out
}

// represents checks Theorem 3 for one mechanism: rule, in the paper (34), recovers the layers from the initial values.
func represents(rule func(tableCase, [][]int) [][]int) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		if slices.EqualFunc(rule(c, residue(c, layer)), layer, slices.Equal[[]int]) {
			return ""
		}
		return "print([d.layers(x) for x in range(q.size)], d.reconstruct(), len(d.reconstruct()) == 0)"
	}
}

// isBasic reports whether all R̃_i^x, i ≥ 1, are empty (Definition 15).
func isBasic(c tableCase, layer [][]int) bool {
	return !slices.ContainsFunc(residue(c, layer), func(row []int) bool { return slices.Max(row) > 0 })
}

// ofBasic returns the condition says, restricted to basic mechanisms in which every dataset reaches every value.
func ofBasic(says says) says {
	return func(c tableCase, layer [][]int) bool {
		return isBasic(c, layer) && !slices.ContainsFunc(layer, func(row []int) bool { return slices.Min(row) < 0 }) && says(c, layer)
	}
}

// neighborsGive checks Corollary 1 (2), (35): R_i^x consists of the values in layer i − step of the neighbors of x that
// are in no layer of x before i. step is 1 in the paper.
func neighborsGive(step int) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for r, l := range layer[x] {
				if l == 0 {
					continue
				}
				least := -1
				for y := range layer {
					if c.neighbors(x, y) && (least < 0 || layer[y][r] < least) {
						least = layer[y][r]
					}
				}
				if least != l-step {
					return check.Script(check.Vars{"r": r, "x": x, "step": step},
						"near = [d.layer(y, {r}) for y in q.neighbors({x})]",
						"print(m.smallest_epsilon, d.is_basic, d.layer({x}, {r}), near, d.layer({x}, {r}) - {step} in near)")
				}
			}
		}
		return ""
	}
}

// initialGive checks Corollary 1 (3), (36): A_i^x is the union of the R_0^y with d̄(x, y) ≤ i.
func initialGive(round rounding) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for r, l := range layer[x] {
				least := -1
				for y := range layer {
					if i := round(c.distance[x][y]); layer[y][r] == 0 && (least < 0 || i < least) {
						least = i
					}
				}
				if least != l {
					return notNearest(x, r, "m.smallest_epsilon", "d.is_basic")
				}
			}
		}
		return ""
	}
}

// shellsGive checks Corollary 1 (4), (37): R_i^x is the union of the R_0^y with i − 1 < d̄(x, y) ≤ i, without
// A_{i−1}^x.
func shellsGive(round rounding) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for r, l := range layer[x] {
				given, early := l == 0, false
				for y := range layer {
					if layer[y][r] == 0 {
						given = given || round(c.distance[x][y]) == l
						early = early || round(c.distance[x][y]) < l
					}
				}
				if !given || early {
					return notNearest(x, r, "m.smallest_epsilon", "d.is_basic")
				}
			}
		}
		return ""
	}
}

// notNearest writes a script that shows that the layer of r at x is not the distance, rounded up, of the
// nearest dataset with r in R_0. The script prints the values of first before the layers.
func notNearest(x, r int, first ...string) string {
	at := fmt.Sprintf("d.layer(%d, %d)", x, r)
	return check.Script(check.Vars{"x": x, "r": r, "shown": check.Code(strings.Join(append(first, at, "near"), ", ")), "at": check.Code(at)},
		"near = math.ceil(min([q.distance({x}, y) for y in range(q.size) if d.layer(y, {r}) == 0])); print({shown}, {at} == near)")
}

// isPurest reports whether R_0^x = {f(x)} for each x.
func isPurest(c tableCase, layer [][]int) bool {
	for x, row := range layer {
		if f := slices.Index(row, 0); f != c.value[x] || slices.Contains(row[f+1:], 0) {
			return false
		}
	}
	return true
}

// purestGive checks Proposition 4, (46), for a discretized mechanism with R_0^x = {f(x)} at each x.
func purestGive(round rounding) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		if !isPurest(c, layer) {
			return ""
		}
		for x := range layer {
			for r, l := range layer[x] {
				if shell(round)(c.distance, c.value, x, r) != l {
					return notNearest(x, r, "m.smallest_epsilon", "d.is_basic")
				}
			}
		}
		return ""
	}
}

// shell returns a function that computes the layer of r at x by (46): the i with r in {f(y): i−1 < d̄(x, y) ≤ i} −
// {f(y): d̄(x, y) ≤ i−1}, or −1 if there is none.
func shell(round rounding) func(distance [][]int, f []int, x, r int) int {
	return func(distance [][]int, f []int, x, r int) int {
		least := -1
		for y := range f {
			if i := round(distance[x][y]); f[y] == r && (least < 0 || i < least) {
				least = i
			}
		}
		return least
	}
}

// basicTables returns the statement of tables with another family: laws on two or three datasets whose two values are
// in a ratio of powers of 2, and laws on circulant graphs. Random laws are proportional to e^{−iε}, where the layers i
// make basic mechanisms common. Half of them are laws on circulant graphs. In the others, the layer of r at x is ⌈d̄(x,
// y)⌉, either for the nearest y with r ∈ R_0^y or for a random such y.
func basicTables(onlyChained bool, says says, part tablePart) check.Statement[tableCase] {
	s := tables(onlyChained, says, part)
	s.Family = ratioFamily + "; laws ∝ e^{−iε} of purest layers on circulant graphs of at most six datasets, f(x) = x mod 2 … 6, e^ε in {2, 3}"
	s.Each = check.Chain(ratioTables(metricsFor(onlyChained)), turnedTables())
	s.Draw = func(rng *rand.Rand) tableCase {
		if rng.IntN(2) == 0 {
			return drawTurned(rng)
		}
		l := drawLayers(rng, false, 0)
		for onlyChained && !chained(l.distance) {
			l = drawLayers(rng, false, 0)
		}
		if rng.IntN(2) == 0 {
			l.base = 2
		}
		nearest := rng.IntN(2) == 0
		c := tableCase{distance: l.distance, weight: make([][]int64, len(l.f)), value: l.f, slack: 1}
		const deepest = 4
		for x := range l.f {
			for r := range l.values {
				layer := deepest + 1
				for y := range l.f {
					if d := l.ceil(x, y); slices.Contains(l.sets[y][0], r) && (d < layer || !nearest && layer > 0 && d > 0 && rng.IntN(2) == 0) {
						layer = d
					}
				}
				w := int64(0)
				if layer <= deepest {
					w = 1
					for range deepest - layer {
						w *= l.base
					}
				}
				c.weight[x] = append(c.weight[x], w)
			}
		}
		return c
	}
	return s
}

// basicCheck returns the check of a part on basic mechanisms.
func basicCheck(onlyChained bool, part tablePart) check.Checker {
	return basicCount(500, onlyChained, everyTable, part)
}

// basicCount is basicCheck for a part that is vacuous at the mechanisms that says rejects. A confirmation needs at
// least the given number of instances that are not.
func basicCount(least int, onlyChained bool, says says, part tablePart) check.Checker {
	return applicable(least, basicTables(onlyChained, ofBasic(says), part))
}

// representationChecks returns the checks of Theorem 3 and Corollary 1.
func representationChecks() check.Checks {
	distance := both(initialGive(up), shellsGive(up))
	return check.Checks{
		"analytic.theorem3":             check.WithCorrection(tableCheck(false, represents(rebuild)), tableCheck(true, represents(rebuild))),
		"analytic.corollary1.layers":    basicCount(500, false, adjoining, layersWithin(1)),
		"analytic.corollary1.neighbors": check.WithCorrection(basicCheck(false, neighborsGive(1)), basicCheck(true, neighborsGive(1))),
		"analytic.corollary1.distance":  check.WithCorrection(basicCheck(false, distance), basicCheck(true, distance)),
	}
}
