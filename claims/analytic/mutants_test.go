package analytic

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// stretched returns the closure rule with all distances multiplied by a factor.
func stretched(by int) spreadRule {
	return func(c layerCase) [][]int {
		wide := c
		wide.distance = make([][]int, len(c.distance))
		for x, row := range c.distance {
			for _, d := range row {
				wide.distance[x] = append(wide.distance[x], by*d)
			}
		}
		return spreadBy(layers.Closure)(wide)
	}
}

// local returns the layers of the initial values alone: no value spreads to another dataset.
func local(c layerCase) [][]int {
	out := make([][]int, len(c.f))
	for x := range out {
		out[x] = slices.Repeat([]int{-1}, c.values)
		for i, set := range c.sets[x] {
			for _, r := range set {
				if out[x][r] < 0 || i < out[x][r] {
					out[x][r] = i
				}
			}
		}
	}
	return out
}

// forgetful spreads by the closure. Then it puts value 0 one layer deeper wherever another value shares its layer, so
// that adding another value can also move value 0.
func forgetful(c layerCase) [][]int {
	out := spreadBy(layers.Closure)(c)
	for _, row := range out {
		if slices.Contains(row[1:], row[0]) {
			row[0]++
		}
	}
	return out
}

// swapped reverses the order of the values: the smallest value gets the layer of the largest, and so on.
func swapped(c layerCase) [][]int {
	out := spreadBy(layers.Closure)(c)
	for _, row := range out {
		slices.Reverse(row)
	}
	return out
}

// onLayers returns part with change applied to the layers that it receives.
func onLayers(change func(int) int, part tablePart) tablePart {
	return func(c tableCase, base *big.Rat, layer [][]int) string {
		changed := make([][]int, len(layer))
		for x, row := range layer {
			for _, l := range row {
				if l >= 0 {
					l = change(l)
				}
				changed[x] = append(changed[x], l)
			}
		}
		return part(c, base, changed)
	}
}

func triple(l int) int { return 3 * l }

// withoutExtra returns the layers of (34) without the R̃_i. shifted returns those of (34) with the values that come
// from some R_0^y one layer deeper.
func withoutExtra(c tableCase, initial [][]int) [][]int {
	for _, row := range initial {
		for r := range row {
			if row[r] > 0 {
				row[r] = -1
			}
		}
	}
	return rebuild(c, initial)
}

func shifted(c tableCase, initial [][]int) [][]int {
	out := rebuild(c, initial)
	for x, row := range out {
		for r := range row {
			if row[r] > 0 && initial[x][r] < 0 {
				row[r]++
			}
		}
	}
	return out
}

// narrow computes layers from V without its last interval or point.
func narrow(c lineCase) (*continuous.Sequence, error) {
	if n := len(c.ends); n > 1 {
		c.ends = c.ends[:n-1]
	}
	return layersOf(c)
}

// pointed computes layers with the last interval shrunk to its outer end.
func pointed(c lineCase) (*continuous.Sequence, error) {
	c.ends = slices.Clone(c.ends)
	last := &c.ends[len(c.ends)-1]
	last[0] = last[1]
	return layersOf(c)
}

// down returns ⌊d̄⌋ for a distance in halves.
func down(halves int) int { return halves / 2 }

// farthest returns ⌈d̄(x, y)⌉ for the y farthest from x with f(y) = r, or −1 if there is no such y.
func farthest(distance [][]int, f []int, x, r int) int {
	most := -1
	for y := range f {
		if f[y] == r {
			most = max(most, (distance[x][y]+1)/2)
		}
	}
	return most
}

// eightfold returns Ladder at 8ε.
func eightfold(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism {
	return ladderContender(ctx, q, eps.Times(4))
}

// halfBounds checks the utility bounds of Theorem 1 with e^{ε/2} in place of e^ε: E_p² ≤ e^ε E_q² and E_q² ≤ e^ε E_p².
func halfBounds(c tableCase, base *big.Rat, layer [][]int) string {
	q := discretized(base, layer)
	for x := range q {
		eq, ep := new(big.Rat), new(big.Rat)
		for r := range q[x] {
			d := big.NewRat(int64(max(r-c.value[x], c.value[x]-r)), 1)
			eq.Add(eq, new(big.Rat).Mul(d, q[x][r]))
			ep.Add(ep, new(big.Rat).Mul(d, c.prob(x, r)))
		}
		if eq.Mul(eq, eq); ep.Mul(ep, ep).Cmp(new(big.Rat).Mul(base, eq)) > 0 || eq.Cmp(new(big.Rat).Mul(base, ep)) > 0 {
			return "print(d.theorem1())"
		}
	}
	return ""
}

// anyMetric accepts every metric.
func anyMetric([][]int) bool { return true }

func analyticMutants() map[checktest.Mutant]check.Checker {
	never := func(tableCase, [][]int) bool { return true }
	printed := spreadBy(layers.Published)
	return map[checktest.Mutant]check.Checker{
		{"analytic.lemma1.proof", "not squared"}:               slope(func(c mediantCase) int64 { return 1 }, "1").Check,
		{"analytic.theorem1.proof", "without the normalisers"}: lawQuotient(0).Check,
		{"analytic.corollary1.printed", "as printed"}:          basicCheck(true, printedShells),
		{"analytic.proposition5.printed", "as an element"}:     neighborhoodIn(false).Check,
		{"analytic.lemma2.proof", "k0 = j0 too"}:               notIn(false),
		{"analytic.proposition6.proof", "the largest coordinate"}: latticeLayers(func(y [2]int64) int64 {
			return max(y[0],
				-y[0], y[1], -y[1])
		}).Check,
		{"analytic.section3.5", "half of it for additions"}: classicNeighbors(true, 2).Check,
		{"analytic.proposition7.assumptions", "all datasets cover"}: triangleQueries(triangleCounting,
			func(c sensitivityCase, layer [][]int) bool { return c.applies(layer, func(int) int { return 99 }) }),
		{"analytic.proposition7.nonmonotonic", "basic"}: triangleQueries(triangleCounting,
			func(c sensitivityCase, layer [][]int) bool { return isBasic(tableCase{distance: c.distance}, layer) }),
		{"analytic.figure1.sizes", "six nodes"}: figure1Sizes(6),
		{"analytic.lemma1", "α and β exchanged"}: mediant(true, func(c mediantCase, x int64) (*big.Rat, bool) {
			return mediantCase{a0: c.b0, a1: c.b1, b0: c.a0 + 1, b1: c.a1 + 1}.g(x)
		}).Check,
		{"analytic.lemma1", "α₁ without its x"}: mediant(true, func(c mediantCase, x int64) (*big.Rat, bool) {
			return big.NewRat(c.a0+c.a1, c.b0+c.b1*x), true
		}).Check,
		{"analytic.definition3.laplace", "Δf in ‖·‖_∞"}: laplacePrivacy(func(a, b []int) int {
			most := 0
			for i := range a {
				most = max(most, a[i]-b[i], b[i]-a[i])
			}
			return most
		}).Check,
		{"analytic.definition3.exponential", "Δs for 2Δs"}: exponentialPrivacy(1).Check,
		{"analytic.definition6", "any norm"}:               productMetric(anyNorm).Check,
		{"analytic.definition6", "α at most 2β"}:           productMetric(func(c normProductCase) bool { return c.alpha <= 2*c.beta }).Check,
		{"analytic.definition3.density", "k times the factor"}: unitMass(func(c densityCase) *big.Rat {
			return new(big.Rat).Mul(big.NewRat(int64(c.k), 1), c.halfWidth())
		}).Check,
		{"analytic.definition3.density", "one coordinate less"}: unitMass(func(c densityCase) *big.Rat { return check.Power(c.halfWidth(), max(c.k-1, 1)) }).Check,
		{"analytic.definition9", "any metric"}:                  applicable(1, sameNeighboringSet(func(linearCase) bool { return true })),
		{"analytic.definition9", "d̄(0, y) only"}:               applicable(1, sameNeighboringSet(func(c linearCase) bool { return c.neighbors(0, 1) == c.neighbors(0, c.p-1) })),
		{"analytic.staircase", "e^{ε/2} for e^ε"}: staircaseLeast(func(root *big.Rat) *big.Rat {
			return new(big.Rat).Quo(root, new(big.Rat).Sub(root, big.NewRat(1, 1)))
		}).Check,
		{"analytic.staircase", "e^ε + 1"}: staircaseLeast(func(root *big.Rat) *big.Rat {
			square := new(big.Rat).Mul(root, root)
			return square.Quo(root, square.Add(square, big.NewRat(1, 1)))
		}).Check,
		{"analytic.proposition1", "the largest ε in the place of the sum"}: tableComposition(func(parts []*big.Rat) *big.Rat {
			return slices.MaxFunc(parts, (*big.Rat).Cmp)
		}, new(int)).Check,
		{"analytic.proposition1", "the sum without its last term"}: tableComposition(func(parts []*big.Rat) *big.Rat {
			return product(parts[:len(parts)-1])
		}, new(int)).Check,
		{"analytic.proposition2", "any metric"}:                        groupTables(anyMetric, itself),
		{"analytic.proposition2", "(i − 1)ε"}:                          groupTables(stepwise, func(i int) int { return i - 1 }),
		{"analytic.proposition4", "⌊d̄⌋"}:                              purests(shellLayers(shell(down))).Check,
		{"analytic.proposition4", "farthest"}:                          purests(shellLayers(farthest)).Check,
		{"analytic.proposition4.monotonic", "monotonic, not strictly"}: monotoneLayers(isMonotonic(false), up).Check,
		{"analytic.proposition4.monotonic", "⌊d̄⌋"}:                    monotoneLayers(isMonotonic(true), down).Check,
		{"analytic.proposition4.discretized", "⌊d̄⌋"}:                  basicCheck(true, purestGive(down)),
		{"analytic.proposition5", "x' of another dataset"}:             applicable(1, approximation(func(x, datasets int) int { return (x + 1) % datasets }, 1)),
		{"analytic.proposition5", "δ = 1 for some δ > 0"}:              applicable(1, approximation(ownInitial, 2)),
		{"analytic.corollary2", "into layer 1"}: origin(true, func(ctx context.Context, m *layers.Mechanism, x, r int) *layers.Mechanism {
			return check.Must(m.Migrate(ctx, layers.Move{Dataset: x, Value: r, Layer: 1}))
		}),
		{"analytic.corollary2", "into another dataset"}: origin(true, func(ctx context.Context, m *layers.Mechanism, x, r int) *layers.Mechanism {
			return check.Must(m.Migrate(ctx, layers.Move{Dataset: (x + 1) % m.Query().Size(), Value: r, Layer: 0}))
		}),
		{"analytic.theorem1", "decay 3ε a layer"}:                     tableCheck(false, onLayers(triple, discretizationBounds)),
		{"analytic.theorem1", "e^{ε/2} in the place of e^ε"}:          tableCheck(false, halfBounds),
		{"analytic.theorem2.layers", "differ by 0"}:                   tableCheck(false, layersWithin(0)),
		{"analytic.theorem2.layers", "R_i^{x'} in (25)"}:              tableCheck(false, neighborsWithin(0)),
		{"analytic.theorem2.distance", "⌊d̄⌋"}:                        tableCheck(true, initialWithin(down)),
		{"analytic.theorem2.distance", "⌊d̄⌋ in (27)"}:                tableCheck(true, initialInShell(down)),
		{"analytic.theorem2.distance", "a layer too early"}:           tableCheck(true, initialWithin(func(halves int) int { return max(up(halves)-1, 0) })),
		{"analytic.theorem3", "R̃ forgotten"}:                         tableCheck(true, represents(withoutExtra)),
		{"analytic.theorem3", "R_0 a layer late"}:                     tableCheck(true, represents(shifted)),
		{"analytic.corollary1.layers", "differ by 0"}:                 basicCheck(true, layersWithin(0)),
		{"analytic.corollary1.neighbors", "R_{i−2}"}:                  basicCheck(true, neighborsGive(2)),
		{"analytic.corollary1.neighbors", "R_i"}:                      basicCheck(true, neighborsGive(0)),
		{"analytic.corollary1.distance", "⌊d̄⌋"}:                      basicCheck(true, initialGive(down)),
		{"analytic.corollary1.distance", "⌊d̄⌋ in (37)"}:              basicCheck(true, shellsGive(down)),
		{"analytic.universe.contains", "⌊d̄⌋"}:                        tableCheck(true, both(represents(rebuild), initialInShell(down))),
		{"analytic.universe.contains", "R̃ forgotten"}:                tableCheck(true, both(represents(withoutExtra), initialInShell(up))),
		{"analytic.universe", "closure 3 times as far"}:               applicable(1, discretizable(stretched(3), layers.Closure)),
		{"analytic.universe", "no spreading"}:                         applicable(1, discretizable(local, layers.Closure)),
		{"analytic.proposition3", "closure 3 times as far"}:           applicable(1, doublePrivacy(stretched(3), layers.Closure, false)),
		{"analytic.proposition3", "the printed rule for the closure"}: applicable(1, doublePrivacy(printed, layers.Published, false)),
		{"analytic.proposition3.basic", "3 times as far"}:             applicable(1, doublePrivacy(stretched(3), layers.Closure, true)),
		{"analytic.lemma2", "no spreading"}:                           applicable(1, moves(local, layers.Closure, true, 0, layersMove)),
		{"analytic.lemma2", "twice as far"}:                           applicable(1, moves(stretched(2), layers.Closure, true, 0, layersMove)),
		{"analytic.theorem4", "no spreading"}:                         applicable(1, moves(local, layers.Closure, false, 0, layersMove)),
		{"analytic.theorem4", "others move"}:                          applicable(1, moves(forgetful, layers.Closure, false, 0, layersMove)),
		{"analytic.theorem5", "others move"}:                          applicable(1, moves(forgetful, layers.Closure, false, 0, utilityMoves)),
		{"analytic.theorem5", "values mixed up"}:                      applicable(1, moves(swapped, layers.Closure, false, 0, utilityMoves)),
		{"analytic.theorem5.general", "values mixed up"}:              applicable(1, moves(swapped, layers.Closure, false, 6, utilityMoves)),
		{"analytic.corollary3", "twice as far"}:                       applicable(1, moves(stretched(2), layers.Closure, false, 6, layersMove)),
		{"analytic.corollary3", "the printed rule for the closure"}:   applicable(1, moves(printed, layers.Published, false, 6, layersMove)),
		{"analytic.corollary3.private", "a layer late"}: applicable(1, moves(adjacent(printed, 1, true), layers.Published, false, 6, func(c moveCase, before, after [][]int) string {
			c.i0++
			return layersMove(c, before, after)
		})),
		{"analytic.corollary3.private", "layers differ by 2"}:     applicable(1, moves(adjacent(printed, 2, true), layers.Published, false, 6, layersMove)),
		{"analytic.corollary4.private", "any metric"}:             applicable(1, generalOrigin(adjacent(printed, 1, false), layers.Published)),
		{"analytic.corollary4.private", "layers differ by 2"}:     applicable(1, generalOrigin(adjacent(printed, 2, true), layers.Published)),
		{"analytic.corollary4", "a layer late"}:                   applicable(1, derivation(printed, func(p placed) placed { return placed{p.x, p.r, p.i + 1} })),
		{"analytic.corollary4", "others move"}:                    applicable(1, derivation(forgetful, where)),
		{"analytic.corollary5", "V too small"}:                    onLines(narrow, shiftedLayers).Check,
		{"analytic.corollary5.truncated", "ε in the place of 2ε"}: truncatedCounting(1).Check,
		{"analytic.definition20", "V too small"}:                  onLines(narrow, grownLayers).Check,
		{"analytic.definition20.printed", "[b, c] a point"}:       twoIntervals(onLines(pointed, converges)).Check,
		{"analytic.proposition8", "[b, c] a point"}:               twoIntervals(onLines(pointed, converges)).Check,
		{"analytic.proposition6", "D a lattice"}:                  norms(latticeCovers).Check,
		{"analytic.proposition6.lattice", "‖y‖_∞"}: latticeLayers(func(y [2]int64) int64 {
			return max(y[0], -y[0], y[1], -y[1])
		}).Check,
		{"analytic.proposition6.lattice", "a factor 2"}:  latticeLayers(func(y [2]int64) int64 { return 2 * sumNorm(y) }).Check,
		{"analytic.figure1", "P_L/P for P/P_L"}:          figure1Check(figure1Nodes, ladderContender, purestContender),
		{"analytic.figure1", "Ladder at 8ε"}:             figure1Check(figure1Nodes, purestContender, eightfold),
		{"analytic.ladder", "2ε for ε in the mechanism"}: ladderPrivacy(context.Background(), func(e evidence.Epsilon) evidence.Epsilon { return e.Times(2) }).Check,
		{"analytic.figure2", "purest in the place of the radii"}: figure2Order(func(c panelCase) []evidence.Certified {
			return staircaseShares()(panelCase{c.eps, 0})
		}).Check,
		{"analytic.figure2.volumes", "V_f on both sides of 0"}:        figure2Volumes(func(v continuous.Set) continuous.Set { return v }).Check,
		{"analytic.figure2.everywhere", "the purest mechanism at 2ε"}: everywhereBetter(func(eps float64) float64 { return 2 * eps }).Check,
		{"analytic.proposition7", "every mechanism basic"}:            applicable(1, globalSensitivity(never, itself)),
		{"analytic.proposition7", "in no R_0^y within 0"}:             applicable(1, globalSensitivity(isBasic, func(int) int { return 0 })),
		{"analytic.sensitivity.smooth", "claims 40ε"}:                 smoothWorse(context.Background(), 40).Check,
		{"analytic.sensitivity.extension", "claims 40ε"}:              extensionWorse(context.Background(), 40, 20, 30, 40).Check,
		{"analytic.theorem5.general", "before and after exchanged"}: applicable(1, moves(spreadBy(layers.Closure), layers.Closure, false, 6, func(c moveCase, before, after [][]int) string {
			return utilityMoves(c, after, before)
		})),
	}
}

func TestMutants(t *testing.T) { checktest.Mutants(t, Claims(), analyticMutants()) }
