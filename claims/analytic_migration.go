package claims

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/layers"
)

// moveCase adds r0 to layer i0 of x0.
type moveCase struct {
	layerCase
	x0, r0, i0 int
}

// moves quantifies over migrations; part says whether the statement holds at one,
// given the layers before and after.
func moves(rule spreadRule, named layers.Rule, pure bool, deep int, part func(c moveCase, before, after [][]int) bool) func(met *int) statement[moveCase] {
	return func(met *int) statement[moveCase] {
		s := statement[moveCase]{
			draw: func(rng *rand.Rand) moveCase {
				c := moveCase{layerCase: drawLayers(rng, pure, deep)}
				c.x0, c.r0 = rng.IntN(len(c.f)), rng.IntN(c.values)
				if deep > 0 {
					c.i0 = rng.IntN(deep + 1)
				}
				return c
			},
			holds: func(c moveCase) (bool, error) {
				if c.r0 == c.f[c.x0] || slices.Contains(c.sets[c.x0][c.i0], c.r0) {
					return true, nil
				}
				before, after := rule(c.layerCase), rule(c.with(c.x0, c.r0, c.i0))
				if before == nil || after == nil {
					return true, nil
				}
				*met++
				return part(c, before, after), nil
			},
			simpler: func(c moveCase) iter.Seq[moveCase] {
				return func(yield func(moveCase) bool) {
					for d := range simplerLayers(c.layerCase) {
						if d.values == c.values && !yield(moveCase{d, c.x0, c.r0, c.i0}) {
							return
						}
					}
					for r := 1; r < c.values && c.values > 2; r++ {
						for to := range r {
							if !yield(moveCase{c.merged(r, to), c.x0, mergedValue(r, to)(c.r0), c.i0}) {
								return
							}
						}
					}
					if c.i0 > 1 {
						yield(moveCase{c.layerCase, c.x0, c.r0, c.i0 - 1})
					}
				}
			},
			witness: func(c moveCase) *Witness {
				w := c.witness(named, Field{"migration", fmt.Sprintf("value %d into layer %d of dataset %d", c.r0, c.i0, c.x0)},
					Field{"layers before", fmt.Sprint(rule(c.layerCase))}, Field{"layers after", fmt.Sprint(rule(c.with(c.x0, c.r0, c.i0)))})
				w.Script += fmt.Sprintf("; n = m.migrate(%d, %d, layer=%d); print(n.layers(0), n.layers(1))", c.x0, c.r0, c.i0)
				return w
			},
		}
		if deep == 0 {
			s.family = "basic mechanisms with two values on ten metrics, every migration"
			s.each = func(yield func(moveCase) bool) {
				for c := range basicCases(pure) {
					for x0 := range c.f {
						for r0 := range c.values {
							if !yield(moveCase{c, x0, r0, 0}) {
								return
							}
						}
					}
				}
			}
		}
		return s
	}
}

// layersMove is Lemma 2, Theorem 4 and Corollary 3: r0 goes to layer
// min{⌈d̄(x0, x)⌉ + i0, L^x(r0)} at every x, and no other value moves.
func layersMove(c moveCase, before, after [][]int) bool {
	for x := range before {
		for r, l := range before[x] {
			want := l
			if r == c.r0 {
				if moved := c.ceil(c.x0, x) + c.i0; l < 0 || moved < l {
					want = moved
				}
			}
			if after[x][r] != want {
				return false
			}
		}
	}
	return true
}

// utilityMoves is Theorem 5: where the mean distortion of the other values, (50),
// is at most d(f(x), r0) the distortion at x does not fall, elsewhere it does not
// grow.
func utilityMoves(c moveCase, before, after [][]int) bool {
	for x := range before {
		count, moment := c.weights(before, x)
		countAfter, momentAfter := c.weights(after, x)
		change := new(big.Rat).Sub(new(big.Rat).Quo(momentAfter, countAfter), new(big.Rat).Quo(moment, count))
		d := big.NewRat(int64(max(c.r0-c.f[x], c.f[x]-c.r0)), 1)
		if l := before[x][c.r0]; l >= 0 {
			w := power(big.NewRat(c.base, 1), -l)
			count.Sub(count, w)
			moment.Sub(moment, w.Mul(w, d))
		}
		if count.Sign() == 0 { // r0 is the only value: nothing changes
			if change.Sign() != 0 {
				return false
			}
			continue
		}
		if grows := moment.Quo(moment, count).Cmp(d) <= 0; grows && change.Sign() < 0 || !grows && change.Sign() > 0 {
			return false
		}
	}
	return true
}

// generalOrigin is Corollary 4: adding the values of R̃_I one at a time to the
// basic mechanism with the same R_0 gives the general one.
func generalOrigin(rule spreadRule, named layers.Rule) func(met *int) statement[layerCase] {
	return func(met *int) statement[layerCase] {
		return statement[layerCase]{
			draw: func(rng *rand.Rand) layerCase { return drawLayers(rng, false, 6) },
			holds: func(c layerCase) (bool, error) {
				grown := c
				grown.sets = make([]map[int][]int, len(c.sets))
				for x := range grown.sets {
					grown.sets[x] = map[int][]int{0: c.sets[x][0]}
				}
				level := rule(grown)
				want := rule(c)
				if level == nil || want == nil {
					return true, nil
				}
				*met++
				for x := range c.sets {
					for _, i := range slices.Sorted(maps.Keys(c.sets[x])) {
						if i == 0 {
							continue
						}
						for _, r := range c.sets[x][i] {
							// as in Corollary 3: only layers of r change, to the smaller one
							for y := range level {
								if moved := c.ceil(x, y) + i; level[y][r] < 0 || moved < level[y][r] {
									level[y][r] = moved
								}
							}
						}
					}
				}
				return slices.EqualFunc(level, want, slices.Equal[[]int]), nil
			},
			simpler: simplerLayers,
			witness: func(c layerCase) *Witness { return c.witness(named) },
		}
	}
}

// migrationClaims holds Lemma 2, Theorems 4 and 5, Corollaries 3 and 4.
func migrationClaims() []Claim {
	printed, closure := spreadBy(layers.Printed), spreadBy(layers.Closure)
	const deep = 6
	return []Claim{{
		ID: "analytic.lemma2", Paper: analyticPaper, Place: "Lemma 2",
		Statement:  "adding r0 to R_0^{x0} of the purest mechanism moves r0 to layer min{⌈d̄(x0, x)⌉, L^x(r0)} of every x and no other value",
		Hypotheses: "r0 ≠ f(x0)",
		Recorded:   evidence.Confirmed,
		check:      applicable(moves(printed, layers.Printed, true, 0, layersMove)),
	}, {
		ID: "analytic.theorem4", Paper: analyticPaper, Place: "Theorem 4",
		Statement:  "the same for every basic mechanism",
		Hypotheses: "r0 ∉ R_0^{x0}",
		Recorded:   evidence.Confirmed,
		check:      applicable(moves(printed, layers.Printed, false, 0, layersMove)),
	}, {
		ID: "analytic.theorem5", Paper: analyticPaper, Place: "Theorem 5",
		Statement:  "after that move the expected distortion at x does not fall where the mean distortion of the other values is at most d(f(x), r0), (50), and does not grow elsewhere",
		Hypotheses: "basic mechanisms",
		Recorded:   evidence.Confirmed,
		check:      applicable(moves(printed, layers.Printed, false, 0, utilityMoves)),
	}, {
		ID: "analytic.theorem5.general", Paper: analyticPaper, Place: "Theorem 5, remark after Corollary 3",
		Statement:  "the same for general mechanisms and a move into any layer i0",
		Hypotheses: "layers by the min-plus closure",
		Recorded:   evidence.Confirmed,
		check:      applicable(moves(closure, layers.Closure, false, deep, utilityMoves)),
	}, {
		ID: "analytic.corollary3", Paper: analyticPaper, Place: "Corollary 3",
		Statement:  "adding r0 to layer i0 of x0 of a general mechanism moves r0 to layer min{⌈d̄(x0, x)⌉ + i0, L^x(r0)} of every x and no other value",
		Hypotheses: "layers by (34)",
		Corrected:  "the same with the min-plus closure in place of (34)",
		Recorded:   evidence.Refuted,
		check:      withCorrection(applicable(moves(printed, layers.Printed, false, deep, layersMove)), applicable(moves(closure, layers.Closure, false, deep, layersMove))),
	}, {
		ID: "analytic.corollary4", Paper: analyticPaper, Place: "Corollary 4",
		Statement:  "every general mechanism is reached from the basic mechanism with the same R_0 by moves as in Corollary 3",
		Hypotheses: "layers by (34)",
		Corrected:  "the same with the min-plus closure in place of (34)",
		Recorded:   evidence.Refuted,
		check:      withCorrection(applicable(generalOrigin(printed, layers.Printed)), applicable(generalOrigin(closure, layers.Closure))),
	}}
}
