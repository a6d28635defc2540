package analytic

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/layers"
)

// moveCase is a migration: r0 is added to layer i0 of x0.
type moveCase struct {
	layerCase
	x0, r0, i0 int
}

// movePart is a statement about one migration, given the layers before and after. It returns "" if the statement
// holds. Otherwise it returns the end of a script that shows the failure, given the query q and the mechanisms m
// before and n after.
type movePart func(c moveCase, before, after [][]int) (failure string)

// moves states that part holds for migrations. rule computes the layers, and named is its name in scripts. If pure is
// set, the mechanisms are purest mechanisms. If deep > 0, they are general mechanisms, and random ones have layers up
// to deep.
func moves(rule spreadRule, named layers.Rule, pure bool, deep int, part movePart) check.Statement[moveCase] {
	fails := func(c moveCase) (failure string, met bool) {
		if c.r0 == c.f[c.x0] || slices.Contains(c.sets[c.x0][c.i0], c.r0) || deep > 0 && !c.general() {
			return "", false
		}
		before, after := rule(c.layerCase), rule(c.with(c.x0, c.r0, c.i0))
		if before == nil || after == nil || deep > 0 && !complete(before) {
			return "", false
		}
		return part(c, before, after), true
	}
	s := check.Statement[moveCase]{
		Family: "basic mechanisms with two values on ten metrics, every migration", Each: basicMoves(pure),
		Draw: func(rng *rand.Rand) moveCase {
			return drawApplicable(func() moveCase { return drawMove(rng, pure, deep) }, func(c moveCase) bool { _, applies := fails(c); return applies })
		},
		Decide:  byFailure(fails),
		Simpler: simplerMoves,
		Witness: func(c moveCase) *check.Witness {
			failure, _ := fails(c)
			after := c.with(c.x0, c.r0, c.i0)
			return c.witness(named, fmt.Sprintf("n = %s; %s", after.build(named), failure),
				"migration", fmt.Sprintf("value %d into layer %d of dataset %d", c.r0, c.i0, c.x0),
				"layers before", check.Lists(rule(c.layerCase)), "layers after", check.Lists(rule(after)))
		},
	}
	if deep > 0 {
		s.Family = "three to five datasets, e^ε = 2, the initial values those of (33), every migration of one value, another in layer 1 or 2 of all: in layer 0…4 or none of each dataset, or in layers 0…3 that differ by at most 1 at neighbors"
		s.Each = check.Chain(generalMoves(), adjacentMoves())
	}
	return s
}

// onlyAdjacent restricts the enumerated migrations to mechanisms whose layers differ by at most 1 between neighbors.
func onlyAdjacent(s check.Statement[moveCase]) check.Statement[moveCase] {
	s.Family = "three to five datasets, e^ε = 2, every migration of one value in layers 0…3 that differ by at most 1 at neighbors, another in layer 1 or 2 of all"
	s.Each = adjacentMoves()
	return s
}

// drawMove draws a migration. Half of the general mechanisms have layers that differ by at most 1 between neighbors.
func drawMove(rng *rand.Rand, pure bool, deep int) moveCase {
	if deep > 0 && rng.IntN(2) == 0 {
		var all []moveCase
		for c := range drawAdjacent(rng, deep).migrations {
			all = append(all, c)
		}
		if len(all) > 0 {
			return all[rng.IntN(len(all))]
		}
	}
	c := moveCase{layerCase: drawLayers(rng, pure, deep).genuine()}
	c.x0, c.r0 = rng.IntN(len(c.f)), rng.IntN(c.values)
	into := slices.Sorted(maps.Keys(c.sets[c.x0]))
	c.i0 = into[rng.IntN(len(into))]
	return c
}

// basicMoves enumerates migrations into R_0 of basic mechanisms.
func basicMoves(pure bool) iter.Seq[moveCase] {
	return check.Each(basicCases(pure), func(c layerCase) iter.Seq[moveCase] {
		return check.Grid(func(m *moveCase) []check.Axis {
			m.layerCase = c
			return []check.Axis{check.Span(&m.x0, 0, len(c.f)-1), check.Span(&m.r0, 0, c.values-1)}
		})
	})
}

// generalMoves enumerates migrations of value 0 in general mechanisms with f(x0) = 1 and f(D) = {0, 1, 2}.
func generalMoves() iter.Seq[moveCase] {
	// Value 1 is in every R_0^x, value 0 in the layer that the label of x names (5 for none), and value 2 in layer i0.
	at := check.Each(labelled(threeOrMore(metrics), 6), func(l labels) iter.Seq[moveCase] {
		return check.Grid(func(m *moveCase) []check.Axis {
			m.distance, m.values, m.base = l.distance, 3, 2
			return []check.Axis{check.Span(&m.i0, 1, 2), check.Let(func() {
				for _, i := range l.at {
					sets := map[int][]int{0: {1}, m.i0: {2}}
					if i < 5 {
						sets[i] = append(sets[i], 0)
					}
					m.sets = append(m.sets, sets)
				}
			})}
		})
	})
	genuine := check.Keep(at, func(m moveCase) bool { return m.isGenuine() })
	return check.Each(genuine, func(of moveCase) iter.Seq[moveCase] {
		return check.Grid(func(m *moveCase) []check.Axis {
			m.layerCase = of.layerCase
			return []check.Axis{
				check.Span(&m.x0, 0, len(of.sets)-1),
				check.Over(&m.i0, 0, of.i0),
				check.Let(func() { m.f = slices.Insert([]int{0, 2, 1}[:len(of.sets)-1], m.x0, 1) }),
			}
		})
	})
}

// general reports whether the hypotheses of Corollary 3 hold: (33) gives the initial values before and after, i0 ∈
// I^{x0} ∪ {0}, and R = f(D).
func (c moveCase) general() bool {
	if c.i0 > 0 && len(c.sets[c.x0][c.i0]) == 0 || !c.isGenuine() || !c.with(c.x0, c.r0, c.i0).isGenuine() {
		return false
	}
	for r := range c.values {
		if !slices.Contains(c.f, r) {
			return false
		}
	}
	return true
}

// layersMove checks Lemma 2, Theorem 4 and Corollary 3: r0 moves to layer min{⌈d̄(x0, x)⌉ + i0, L^x(r0)} at every x,
// and no other value moves.
func layersMove(c moveCase, before, after [][]int) string {
	for x := range before {
		for r, l := range before[x] {
			want, predicted := l, fmt.Sprintf("m.layer(%d, %d)", x, r)
			if moved := c.ceil(c.x0, x) + c.i0; r == c.r0 && (l < 0 || moved < l) {
				want, predicted = moved, fmt.Sprintf("math.ceil(q.distance(%d, %d)) + %d", c.x0, x, c.i0)
			}
			if after[x][r] != want {
				return check.Script(check.Vars{"x": x, "r": r, "predicted": check.Code(predicted)}, "print(n.layer({x}, {r}), {predicted}, n.layer({x}, {r}) == {predicted})")
			}
		}
	}
	return ""
}

// utilityMoves checks Theorem 5. If the mean distortion of the values other than r0, (50), is at most d(f(x), r0), then
// the distortion at x does not decrease. Otherwise it does not increase.
func utilityMoves(c moveCase, before, after [][]int) string {
	for x := range before {
		failure := check.Script(check.Vars{"x": x, "r0": c.r0},
			"p = m.prob({x})",
			"rest = sum([w * abs(r - q.values[{x}]) for r, w in p.items() if r != {r0}]) / sum([w for r, w in p.items() if r != {r0}])",
			"print(rest, m.distortion({x}), n.distortion({x}), (rest <= abs({r0} - q.values[{x}])) == (m.distortion({x}) <= n.distortion({x})))")
		count, moment := c.weights(before, x)
		countAfter, momentAfter := c.weights(after, x)
		change := new(big.Rat).Sub(new(big.Rat).Quo(momentAfter, countAfter), new(big.Rat).Quo(moment, count))
		d := big.NewRat(int64(max(c.r0-c.f[x], c.f[x]-c.r0)), 1)
		if l := before[x][c.r0]; l >= 0 {
			w := check.Power(big.NewRat(c.base, 1), -l)
			count.Sub(count, w)
			moment.Sub(moment, w.Mul(w, d))
		}
		if count.Sign() == 0 { // r0 is the only value, so nothing changes
			if change.Sign() != 0 {
				return failure
			}
			continue
		}
		if grows := moment.Quo(moment, count).Cmp(d) <= 0; grows && change.Sign() < 0 || !grows && change.Sign() > 0 {
			return failure
		}
	}
	return ""
}

// migrationChecks returns the checks of Lemma 2, Theorems 4 and 5, and Corollaries 3 and 4.
func migrationChecks() check.Checks {
	printed, closure := spreadBy(layers.Published), spreadBy(layers.Closure)
	private := adjacent(printed, 1, true)
	const deep = 6
	return check.Checks{
		"analytic.lemma2":   applicable(200, moves(printed, layers.Published, true, 0, layersMove)),
		"analytic.theorem4": applicable(700, moves(printed, layers.Published, false, 0, layersMove)),
		"analytic.theorem5": applicable(700, moves(printed, layers.Published, false, 0, utilityMoves)),
		"analytic.theorem5.general": check.InTurn(applicable(1000, moves(printed, layers.Published, false, deep, utilityMoves)),
			applicable(3000, moves(closure, layers.Closure, false, deep, utilityMoves))),
		"analytic.corollary3":         check.WithCorrection(applicable(1, moves(printed, layers.Published, false, deep, layersMove)), applicable(3000, moves(closure, layers.Closure, false, deep, layersMove))),
		"analytic.corollary3.private": applicable(900, onlyAdjacent(moves(private, layers.Published, false, deep, layersMove))),
		"analytic.corollary4":         applicable(200, derivation(printed, where)),
		"analytic.corollary4.private": applicable(1000, generalOrigin(private, layers.Published)),
	}
}
