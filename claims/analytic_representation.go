package claims

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
)

// residue is (33): the values of R_i^x, i ≥ 1, that no R_0^y with ⌈d̄(x, y)⌉ = i
// has, together with R_0^x; residue[x][r] is the layer or −1.
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

// rebuild is (34) as it is printed, layer by layer: R_i^x = R̃_i^x ∪ (∪ R_0^y −
// A_{i−1}^x) over y with ⌈d̄(x, y)⌉ = i.
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

// represents is Theorem 3 at one mechanism, for a rule in the place of (34).
func represents(rule func(tableCase, [][]int) [][]int) func(tableCase, *big.Rat, [][]int) bool {
	return func(c tableCase, _ *big.Rat, layer [][]int) bool {
		return slices.EqualFunc(rule(c, residue(c, layer)), layer, slices.Equal[[]int])
	}
}

// isBasic reports whether no R̃_i^x, i ≥ 1, holds a value (Definition 15).
func isBasic(c tableCase, layer [][]int) bool {
	return !slices.ContainsFunc(residue(c, layer), func(row []int) bool { return slices.Max(row) > 0 })
}

// basicCorollary is Corollary 1 (1) to (4) at one mechanism; unmet instances, that
// are not basic, count as true.
func basicCorollary(met *int, needs func(tableCase, [][]int) bool) func(tableCase, *big.Rat, [][]int) bool {
	return func(c tableCase, _ *big.Rat, layer [][]int) bool {
		if !isBasic(c, layer) || slices.ContainsFunc(layer, func(row []int) bool { return slices.Min(row) < 0 }) {
			return true // a general mechanism, or a value never reached
		}
		*met++
		return needs(c, layer)
	}
}

// neighborsGive is Corollary 1 (2): R_i^x is what its neighbors have in layer
// i − 1 and x not before layer i.
func neighborsGive(c tableCase, layer [][]int) bool {
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
			if least != l-1 {
				return false
			}
		}
	}
	return true
}

// initialGive is Corollary 1 (3) and (4): A_i^x is the union of R_0^y, d̄ ≤ i.
func initialGive(c tableCase, layer [][]int) bool {
	for x := range layer {
		for r, l := range layer[x] {
			least := -1
			for y := range layer {
				if layer[y][r] == 0 && (least < 0 || c.ceil(x, y) < least) {
					least = c.ceil(x, y)
				}
			}
			if least != l {
				return false
			}
		}
	}
	return true
}

// basicTables is tables, drawing laws that are proportional to the powers e^{−iε}
// of basic layers, so that basic mechanisms are common: r stands at x in layer
// ⌈d̄(x, y)⌉ for the nearest y with r ∈ R_0^y, or for any one of them.
func basicTables(onlyChained bool, part func(tableCase, *big.Rat, [][]int) bool) statement[tableCase] {
	s := tables(onlyChained, part)
	s.draw = func(rng *rand.Rand) tableCase {
		l := drawLayers(rng, false, 0)
		for onlyChained && !chained(l.distance) {
			l = drawLayers(rng, false, 0)
		}
		if rng.IntN(2) == 0 {
			l.base = 2
		}
		nearest := rng.IntN(2) == 0
		c := tableCase{distance: l.distance, weight: make([][]int64, len(l.f)), value: l.f}
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

// representationClaims holds Theorem 3 and Corollary 1.
func representationClaims() []Claim {
	corollary := func(onlyChained bool, needs func(tableCase, [][]int) bool) func(met *int) statement[tableCase] {
		return func(met *int) statement[tableCase] { return basicTables(onlyChained, basicCorollary(met, needs)) }
	}
	theorem2 := func(c tableCase, layer [][]int) bool { return layersWithinOne(c, nil, layer) }
	return []Claim{{
		ID: "analytic.theorem3", Paper: analyticPaper, Place: "Theorem 3",
		Statement:  "the initial values {R_0, R̃_I} of (33) give the layers back by (34)",
		Hypotheses: "p is ε-DP; layers by Definition 13; any metric d̄",
		Corrected:  "the same where every pair at distance ≤ k+1 has an x' with d̄(x, x') ≤ 1 and d̄(x', y) ≤ k",
		Recorded:   evidence.Refuted,
		check:      withCorrection(tables(false, represents(rebuild)).check, tables(true, represents(rebuild)).check),
	}, {
		ID: "analytic.corollary1.layers", Paper: analyticPaper, Place: "Corollary 1 (1)",
		Statement:  "layers of one value at two neighbors of a basic mechanism differ by at most 1",
		Hypotheses: "p is basic and ε-DP; layers by Definition 13",
		Recorded:   evidence.Confirmed,
		check:      applicable(corollary(false, theorem2)),
	}, {
		ID: "analytic.corollary1.neighbors", Paper: analyticPaper, Place: "Corollary 1 (2)",
		Statement:  "R_i^x of a basic mechanism is ∪ R_{i−1}^{x'} − A_{i−1}^x over the neighbors x' of x",
		Hypotheses: "p is basic and ε-DP; layers by Definition 13; any metric d̄",
		Corrected:  "the same where every pair at distance ≤ k+1 has an x' with d̄(x, x') ≤ 1 and d̄(x', y) ≤ k",
		Recorded:   evidence.Refuted,
		check:      withCorrection(applicable(corollary(false, neighborsGive)), applicable(corollary(true, neighborsGive))),
	}, {
		ID: "analytic.corollary1.distance", Paper: analyticPaper, Place: "Corollary 1 (3), (4)",
		Statement:  "A_i^x of a basic mechanism is ∪ R_0^y over the y with d̄(x, y) ≤ i",
		Hypotheses: "p is basic and ε-DP; layers by Definition 13; any metric d̄",
		Corrected:  "the same where every pair at distance ≤ k+1 has an x' with d̄(x, x') ≤ 1 and d̄(x', y) ≤ k",
		Recorded:   evidence.Refuted,
		check:      withCorrection(applicable(corollary(false, initialGive)), applicable(corollary(true, initialGive))),
	}}
}

// sensitivityCase is a query with numbers as values on a tiny universe.
type sensitivityCase struct {
	distance [][]int // halves
	f        []int
}

// globalSensitivity is Proposition 7 for the law p^x(r) ∝ e^{−ε|r − f(x)|/Δf} with one
// normaliser: where f(z0) lies in layer i0 = ⌈d̄(x0, y0)⌉ of x0 but in no R_0^y with
// d̄(x0, y) ≤ i0, and d̄(x0, z0) > i0, the mechanism is not basic. basic decides
// that from the layers.
func globalSensitivity(met *int, basic func(tableCase, [][]int) bool) statement[sensitivityCase] {
	return statement[sensitivityCase]{
		family: "two to four datasets on ten metrics, values 0…3",
		each: func(yield func(sensitivityCase) bool) {
			for _, d := range metrics {
				for code := range 1 << (2 * len(d)) {
					c := sensitivityCase{d, make([]int, len(d))}
					for x := range d {
						c.f[x] = code >> (2 * x) & 3
					}
					if !yield(c) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) sensitivityCase {
			d := metrics[rng.IntN(len(metrics))]
			c := sensitivityCase{d, make([]int, len(d))}
			for x := range d {
				c.f[x] = rng.IntN(12)
			}
			return c
		},
		holds: func(c sensitivityCase) (bool, error) {
			t := tableCase{distance: c.distance}
			delta := 0
			for x := range c.f {
				for y := range c.f {
					if t.neighbors(x, y) {
						delta = max(delta, c.f[x]-c.f[y])
					}
				}
			}
			if delta == 0 {
				return true, nil
			}
			layer := make([][]int, len(c.f)) // R_i = {iΔ ≤ |r − f(x)| < (i+1)Δ}, R = f(D)
			for x := range c.f {
				for _, r := range c.f {
					layer[x] = append(layer[x], max(r-c.f[x], c.f[x]-r)/delta)
				}
			}
			for x0 := range c.f {
				for y0 := range c.f {
					i0 := t.ceil(x0, y0)
					for z0 := range c.f {
						if i0 == 0 || c.distance[x0][z0] <= 2*i0 || layer[x0][z0] != i0 {
							continue
						}
						covered := false
						for y := range c.f {
							covered = covered || c.distance[x0][y] <= 2*i0 && layer[y][z0] == 0
						}
						if covered {
							continue
						}
						*met++
						if basic(t, layer) {
							return false, nil
						}
					}
				}
			}
			return true, nil
		},
		witness: func(c sensitivityCase) *Witness {
			return &Witness{
				Fields: []Field{{"distances in halves", fmt.Sprint(c.distance)}, {"f", fmt.Sprint(c.f)}},
				Script: fmt.Sprintf("print(%q)", "d̄ in halves "+lists(c.distance)+", f = "+list(c.f)),
			}
		},
	}
}

// sensitivityClaims holds Proposition 7.
func sensitivityClaims() []Claim {
	return []Claim{{
		ID: "analytic.proposition7", Paper: analyticPaper, Place: "Proposition 7",
		Statement:  "the global sensitivity mechanism is not basic where some f(z0) lies in layer i0 of x0, farther than i0 from x0, but in R_0 of no dataset within i0",
		Hypotheses: "p^x(r) ∝ e^{−ε d(r, f(x))/Δf} with one normaliser for all datasets; i0 = ⌈d̄(x0, y0)⌉ ≥ 1",
		Recorded:   evidence.Confirmed,
		check: applicable(func(met *int) statement[sensitivityCase] {
			return globalSensitivity(met, isBasic)
		}),
	}}
}
