package analytic

import (
	"iter"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
)

// purestCases enumerates the purest mechanisms on every metric whose f takes at most the given number of values 0, 1,
// …. Those with few values come first.
func purestCases(most int) iter.Seq[layerCase] {
	sizes := check.Grid(func(values *int) []check.Axis { return []check.Axis{check.Span(values, 1, most)} })
	return check.Each(sizes, func(values int) iter.Seq[layerCase] {
		reached := check.Keep(labelled(metrics, values), func(l labels) bool { return slices.Max(l.at) == values-1 })
		return check.Map(reached, func(l labels) layerCase { return purestCase(l.distance, l.at) })
	})
}

// purestCase returns the initial values of the purest mechanism, R_0^x = {f(x)} and R̃_I = ∅.
func purestCase(distance [][]int, f []int) layerCase {
	c := layerCase{distance: distance, values: slices.Max(f) + 1, f: f, sets: make([]map[int][]int, len(f)), base: 2}
	for x, v := range f {
		c.sets[x] = map[int][]int{0: {v}}
	}
	return c
}

// purestPart is a statement about the layers of one purest mechanism. It returns "" if the statement holds, and
// otherwise the end of a script, given the query q and the mechanism d.
type purestPart func(c layerCase, level [][]int) (failure string)

// purests states that part holds for purest mechanisms, whose layers (32) computes.
func purests(part purestPart) check.Statement[layerCase] {
	rule := spreadBy(layers.Published)
	return check.Statement[layerCase]{
		Family: "values 0…3 on ten metrics of two to four datasets",
		Each:   purestCases(4),
		Draw: func(rng *rand.Rand) layerCase {
			d := metrics[rng.IntN(len(metrics))]
			f := lists.Of(len(d), func(int) int { return rng.IntN(9) })
			return purestCase(d, f)
		},
		Holds: func(c layerCase) bool { return part(c, rule(c)) == "" },
	}
}

// shellLayers checks (46): the layer of r at x is the one that shell computes.
func shellLayers(shell func(distance [][]int, f []int, x, r int) int) purestPart {
	return func(c layerCase, level [][]int) string {
		for x := range level {
			for r, l := range level[x] {
				if shell(c.distance, c.f, x, r) != l {
					return notNearest(x, r)
				}
			}
		}
		return ""
	}
}

// monotoneLayers states the second half of Proposition 4: R_i^x = {f(y): i−1 < d̄(x, y) ≤ i} if f is monotonic in the
// given sense. All instances have such an f.
func monotoneLayers(monotonic func(c layerCase) bool, round rounding) check.Statement[layerCase] {
	s := purests(func(c layerCase, level [][]int) string {
		if !monotonic(c) {
			return "" // the statement is only about monotonic f
		}
		for x := range level {
			for y := range level {
				if level[x][c.f[y]] != round(c.distance[x][y]) {
					return check.Script(check.Vars{"x": x, "value": c.f[y], "y": y},
						"print(d.layer({x}, {value}), math.ceil(q.distance({x}, {y})), d.layer({x}, {value}) == math.ceil(q.distance({x}, {y})))")
				}
			}
		}
		return ""
	})
	s.Family = "monotonic f with values 0…6 on ten metrics of two to four datasets"
	s.Each = check.Keep(purestCases(7), monotonic)
	// Datasets are points on a line. From one point to the next, f grows by six times the distance plus 0, 1 or 2.
	s.Draw = func(rng *rand.Rand) layerCase {
		for {
			place, f := 0, 0
			places, values := []int{0}, []int{0}
			for range 1 + rng.IntN(5) {
				step := 1 + rng.IntN(4)
				place, f = place+step, f+6*step+rng.IntN(3)
				places, values = append(places, place), append(values, f)
			}
			d := make([][]int, len(places))
			for x, p := range places {
				for _, q := range places {
					d[x] = append(d[x], max(p-q, q-p))
				}
			}
			if c := purestCase(d, values); monotonic(c) {
				return c
			}
		}
	}
	return s
}

// isMonotonic returns the condition of Definition 10: d̄(x, y) > d̄(x, z) implies that d(f(x), f(y)) is at least
// d(f(x), f(z)), or larger if strictly is set.
func isMonotonic(strictly bool) func(c layerCase) bool {
	return func(c layerCase) bool {
		apart := func(x, y int) int { return max(c.f[x]-c.f[y], c.f[y]-c.f[x]) }
		for x := range c.f {
			for y := range c.f {
				for z := range c.f {
					if c.distance[x][y] <= c.distance[x][z] {
						continue
					}
					if near, far := apart(x, z), apart(x, y); far < near || strictly && far == near {
						return false
					}
				}
			}
		}
		return true
	}
}

// purestChecks returns the checks of Propositions 4 and 5.
func purestChecks() check.Checks {
	return check.Checks{
		"analytic.proposition4":             purests(shellLayers(shell(up))).Check,
		"analytic.proposition4.monotonic":   monotoneLayers(isMonotonic(true), up).Check,
		"analytic.proposition4.discretized": check.WithCorrection(basicCount(50, false, isPurest, purestGive(up)), basicCount(50, true, isPurest, purestGive(up))),
		"analytic.proposition5":             applicable(1000, approximation(ownInitial, 1)),
	}
}
