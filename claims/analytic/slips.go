package analytic

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
	"dpworkbench/query"
)

// slipChecks returns the checks of steps in proofs, of slips of notation, and of sentences in Sections 3.5 and 5.3.
func slipChecks() check.Checks {
	return check.Checks{
		"analytic.lemma1.proof": check.WithCorrection(slope(func(c mediantCase) int64 { return c.b0*c.x + c.b1 }, "b0 * x + b1").Check,
			slope(func(c mediantCase) int64 { return c.b0 + c.b1*c.x }, "b0 + b1 * x").Check),
		"analytic.theorem1.proof": check.WithCorrection(lawQuotient(-1).Check, lawQuotient(1).Check),
		"analytic.corollary1.printed": check.WithCorrection(basicCheck(true, printedShells),
			basicCheck(true, shellsGive(up))),
		"analytic.proposition5.printed": check.WithCorrection(neighborhoodIn(false).Check, neighborhoodIn(true).Check),
		"analytic.lemma2.proof":         check.WithCorrection(notIn(false), notIn(true)),
		"analytic.proposition6.proof":   check.WithCorrection(gaugeIsDistance().Check, latticeLayers(sumNorm).Check),
		"analytic.section3.5":           check.InTurn(classicNeighbors(false, 2).Check, classicNeighbors(true, 1).Check),
		"analytic.proposition7.assumptions": check.Loose(triangleQueries(triangleCounting,
			func(c sensitivityCase, layer [][]int) bool { return c.applies(layer, itself) }), assumptionShares),
		"analytic.proposition7.nonmonotonic": triangleQueries(triangleCounting,
			func(c sensitivityCase, layer [][]int) bool { return !isBasic(tableCase{distance: c.distance}, layer) }),
		"analytic.figure1.sizes": figure1Sizes(figure1Nodes),
	}
}

// slope states the printed derivative of the g of Lemma 1, (α₁β₀ − α₀β₁)/root², and compares it with the quotient rule.
// written is root in the syntax of scripts.
func slope(root func(mediantCase) int64, written string) check.Statement[mediantCase] {
	return check.Statement[mediantCase]{
		Family: "α in 0 … 2, β in 1 … 2, x in −3 … 3", Size: 3 * 3 * 2 * 2 * 7,
		Each: check.Grid(func(c *mediantCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.x, 0, 1, -1, 2, -2, 3, -3), check.Span(&c.b0, 1, 2), check.Span(&c.b1, 1, 2), check.Span(&c.a0, 0,
					2), check.Span(&c.a1, 0, 2),
			}
		}),
		Applies: func(c mediantCase) bool { return c.b0+c.b1*c.x != 0 && root(c) != 0 },
		Holds: func(c mediantCase) bool {
			top, bottom, r := c.a0+c.a1*c.x, c.b0+c.b1*c.x, root(c)
			if bottom == 0 || r == 0 {
				return true
			}
			return big.NewRat(c.a1*bottom-top*c.b1, bottom*bottom).Cmp(big.NewRat(c.a1*c.b0-c.a0*c.b1, r*r)) == 0
		},
		Witness: func(c mediantCase) *check.Witness {
			return check.NewWitness(check.Named("alpha", fmt.Sprintf("(%d, %d)", c.a0, c.a1), "beta",
				fmt.Sprintf("(%d, %d)", c.b0, c.b1), "x", c.x),
				check.Vars{"a0": c.a0, "a1": c.a1, "b0": c.b0, "b1": c.b1, "x": c.x, "root": check.Code(written)},
				"a0, a1, b0, b1, x = {a0}, {a1}, {b0}, {b1}, {x}",
				"d = (a1 * (b0 + b1 * x) - (a0 + a1 * x) * b1) / math.pow(b0 + b1 * x, 2)",
				"p = (a1 * b0 - a0 * b1) / math.pow({root}, 2); print(d, p, d == p)")
		},
	}
}

// quotientCase holds the layers of two values at two neighbors, and e^ε.
type quotientCase struct {
	own, other [2]int
	base       int64
}

// lawQuotient states (14): q^x(r)/q^{x'}(r) is e^{(j − i)ε} times a power of α^{x'}/α^x, for r in layer i of x and
// layer j of x'.
func lawQuotient(power int) check.Statement[quotientCase] {
	return check.Statement[quotientCase]{
		Family: "layers 0 … 2 of two values at two neighbors, at most 1 apart, e^ε in {2, 3}", Size: 7 * 7 * 2,
		Each: check.Grid(func(c *quotientCase) []check.Axis {
			axes := []check.Axis{check.Over(&c.base, 2, 3)}
			for r := range 2 {
				axes = append(axes, check.Span(&c.own[r], 0, 2), check.Span(&c.other[r], 0, 2))
			}
			return append(axes, check.Where(func() bool {
				return check.Abs(c.own[0]-c.other[0]) <= 1 && check.Abs(c.own[1]-c.other[1]) <= 1
			}))
		}),
		Holds: func(c quotientCase) bool {
			weight := func(i int) *big.Rat { return check.Power(big.NewRat(c.base, 1), -i) }
			sum := func(at [2]int) *big.Rat { return new(big.Rat).Add(weight(at[0]), weight(at[1])) }
			law := func(at [2]int) *big.Rat { return new(big.Rat).Quo(weight(at[0]), sum(at)) }
			printed := check.Power(new(big.Rat).Quo(sum(c.other), sum(c.own)), power)
			return new(big.Rat).Quo(law(c.own), law(c.other)).Cmp(printed.Mul(printed, weight(c.own[0]-c.other[0]))) == 0
		},
		Witness: func(c quotientCase) *check.Witness {
			return check.NewWitness(check.Named("layers at x", check.List(c.own[:]), "layers at x'", check.List(c.other[:]),
				"e^eps", c.base),
				check.Vars{"own": c.own[:], "other": c.other[:], "e": c.base},
				"a, b, w = {own}, {other}, lambda i: math.pow({e}, -i); s, t = w(a[0]) + w(a[1]), w(b[0]) + w(b[1])",
				"q = (w(a[0]) / s) / (w(b[0]) / t); p = (w(a[0]) / w(b[0])) / (t / s); print(q, p, abs(q - p) <= 1e-9)")
		},
	}
}

// printedShells checks Corollary 1 (4) with the printed i − 1 < d̄(x, y) < i: every value in layer i ≥ 1 of x is in
// R_0^y of some y at such a distance.
func printedShells(c tableCase, _ *big.Rat, layer [][]int) string {
	for x := range layer {
		for r, l := range layer[x] {
			given := l == 0
			for y := range layer {
				given = given || layer[y][r] == 0 && 2*(l-1) < c.distance[x][y] && c.distance[x][y] < 2*l
			}
			if !given {
				return check.Script(check.Vars{"x": x, "r": r},
					"l = d.layer({x}, {r})",
					"near = [y for y in range(q.size) if d.layer(y, {r}) == 0 and l - 1 < q.distance({x}, y) and q.distance({x}, y) < l]",
					"print(m.smallest_epsilon, d.is_basic, l, near, len(near) > 0)")
			}
		}
	}
	return ""
}

// neighborhoodCase is a radius and one of the values 0 … most, all of which are in R_0^x.
type neighborhoodCase struct{ most, value, radius int }

// neighborhoodIn states that the neighborhood N_δ^v, a set of values, is an element of R_0^x or, if part is set, a
// subset. R_0^x is the set of all values.
func neighborhoodIn(part bool) check.Statement[neighborhoodCase] {
	return check.Statement[neighborhoodCase]{
		Family: "R_0^x = R = {0, …, n}, n = 1 … 3, every value, δ = 1 … 3", Size: (2 + 3 + 4) * 3,
		Each: check.Grid(func(c *neighborhoodCase) []check.Axis {
			return []check.Axis{check.Span(&c.most, 1, 3), check.Span(&c.value, 0, 3),
				check.Where(func() bool { return c.value <= c.most }), check.Span(&c.radius, 1, 3)}
		}),
		Holds: func(c neighborhoodCase) bool {
			var initial, near []any
			for r := range c.most + 1 {
				if initial = append(initial, r); check.Abs(r-c.value) <= c.radius {
					near = append(near, r)
				}
			}
			contains := func(v any) bool {
				return slices.ContainsFunc(initial, func(r any) bool { return fmt.Sprint(r) == fmt.Sprint(v) })
			}
			if part {
				return !slices.ContainsFunc(near, func(v any) bool { return !contains(v) })
			}
			return contains(near)
		},
		Witness: func(c neighborhoodCase) *check.Witness {
			return check.NewWitness(check.Named("R_0^x", fmt.Sprintf("{0, …, %d}", c.most), "f(x')", c.value, "δ", c.radius),
				check.Vars{"most": c.most, "value": c.value, "radius": c.radius},
				"r = [v for v in range({most} + 1)]; n = [v for v in r if abs(v - {value}) <= {radius}]; print(n, r, n in r)")
		},
	}
}

// notIn checks a step in the proof of Lemma 2: after r0 = f(y0) is added to x0, r0 is not in layer j0 =
// ⌈d̄(y0, x)⌉ of x. It checks every y0 and x or, if strictly is set, those with k0 < j0, where k0 is the
// layer of r0 at x before the addition.
func notIn(strictly bool) check.Checker {
	return moves(spreadBy(layers.Published), layers.Published, true, 0, func(c moveCase, before, after [][]int) string {
		for y0, v := range c.f {
			for x := range c.f {
				j0 := c.ceil(y0, x)
				if v == c.r0 && after[x][c.r0] == j0 && (!strictly || before[x][c.r0] < j0) {
					return check.Script(check.Vars{"x": x, "y": y0, "r": c.r0},
						"j = math.ceil(q.distance({y}, {x})); print(n.layer({x}, {r}), j, n.layer({x}, {r}) != j)")
				}
			}
		}
		return ""
	}).Check
}

// gaugeCase is a linear F: ℝ² → ℝ with integer coefficients, and a difference z = y − x.
type gaugeCase struct{ f, z []int }

// gaugeIsDistance states (54): i ≤ ‖z‖₁ < i + 1 implies i ≤ ‖F(z)‖_K < i + 1, where K = F B₁ⁿ = [−max|f_i|, max|f_i|].
func gaugeIsDistance() check.Statement[gaugeCase] {
	words := func(letters int) iter.Seq[[]int] { // pairs of the first letters of 0, 1, −1, 2, −2
		return check.Map(check.Words(letters, 2), func(word []int) []int {
			return lists.Of(len(word), func(i int) int { return (word[i] + 1) / 2 * (1 - 2*((word[i]+1)%2)) })
		})
	}
	return check.Statement[gaugeCase]{
		Family: "F with two coefficients −1 … 1, not both 0, z with entries −2 … 2", Size: (9 - 1) * 25,
		Each: check.Grid(func(c *gaugeCase) []check.Axis {
			nonzero := func(f []int) bool { return f[0] != 0 || f[1] != 0 }
			return []check.Axis{check.From(&c.f, check.Keep(words(3), nonzero)), check.From(&c.z, words(5))}
		}),
		Holds: func(c gaugeCase) bool {
			image, widest, distance := 0, 0, 0
			for i, v := range c.f {
				image, widest, distance = image+v*c.z[i], max(widest, check.Abs(v)), distance+check.Abs(c.z[i])
			}
			return check.Abs(image)/widest == distance
		},
		Witness: func(c gaugeCase) *check.Witness {
			return check.NewWitness(check.Named("F", check.List(c.f), "y - x", check.List(c.z)), check.Vars{"f": c.f, "z": c.z},
				"f, z = {f}, {z}",
				"g = abs(sum([a * b for a, b in zip(f, z)])) / max([abs(a) for a in f])",
				"d = sum([abs(b) for b in z]); print(g, d, math.floor(g) == math.floor(d))")
		},
	}
}

// classicNeighbors states Section 3.5: two histograms satisfy 0 < ‖x − y‖₁/unit ≤ 1 exactly if they differ by one
// record, which is added or removed if added is set, and replaced otherwise. The paper has the unit 1 for additions and
// removals and 2 for replacements. The triangle inequality is checked with the empty histogram.
func classicNeighbors(added bool, unit int) check.Statement[[2][3]int] {
	records := func(h [3]int) int { return h[0] + h[1] + h[2] }
	changed := func(x, y [3]int) bool {
		for i := range x {
			more, fewer := x, y
			more[i]++
			fewer[i]++
			if added && (more == y || fewer == x) {
				return true
			}
			for j := range x {
				if replaced := more; !added && i != j && x[j] > 0 {
					if replaced[j]--; replaced == y {
						return true
					}
				}
			}
		}
		return false
	}
	apart := func(x, y [3]int) (sum int) {
		for i := range x {
			sum += check.Abs(x[i] - y[i])
		}
		return sum
	}
	family := "pairs of histograms of up to 3 records of three types"
	if !added {
		family = "pairs of histograms of equally many records, up to 3, of three types"
	}
	return check.Statement[[2][3]int]{
		Family: family, Size: map[bool]int{true: 20 * 20, false: 1 + 3*3 + 6*6 + 10*10}[added],
		Each: check.Grid(func(c *[2][3]int) []check.Axis {
			var axes []check.Axis
			for i := range c {
				for j := range c[i] {
					axes = append(axes, check.Span(&c[i][j], 0, 3))
				}
			}
			return append(axes, check.Where(func() bool {
				a, b := records(c[0]), records(c[1])
				return a <= 3 && b <= 3 && (added || a == b)
			}))
		}),
		Draw: func(rng *rand.Rand) (c [2][3]int) {
			for j := range c[0] {
				c[0][j] = rng.IntN(5)
				c[1][j] = max(0, c[0][j]+rng.IntN(3)-1)
			}
			for !added && records(c[1]) < records(c[0]) {
				c[1][rng.IntN(3)]++
			}
			for !added && records(c[0]) < records(c[1]) {
				c[0][rng.IntN(3)]++
			}
			return c
		},
		Holds: func(c [2][3]int) bool {
			d := apart(c[0], c[1])
			return (0 < d && d <= unit) == changed(c[0], c[1]) && d <= apart(c[0], [3]int{})+apart([3]int{}, c[1])
		},
	}
}

// triangleCounting returns the query of Figure 1 for the given number of nodes.
func triangleCounting(ctx context.Context, nodes int) sensitivityCase {
	q := triangleCounts(ctx, nodes)
	c := sensitivityCase{distance: make([][]int, q.Size()), f: make([]int, q.Size())}
	for x := range c.f {
		c.f[x] = int(q.Value(x).(query.Number))
		for _, d := range q.Space().Distances(x) {
			c.distance[x] = append(c.distance[x], int(2*d))
		}
	}
	return c
}

// triangleQueries checks a statement about non-monotonic queries on triangle counts. A number of nodes with monotonic
// counts is a vacuous instance.
func triangleQueries(build func(ctx context.Context, nodes int) sensitivityCase,
	holds func(c sensitivityCase, layer [][]int) bool) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		s := check.Listed("triangles in the unlabeled graphs of 4, 5 and 6 nodes", nil, func(nodes int) *check.Witness {
			return &check.Witness{Fields: check.Named("nodes", nodes)}
		}, 4, 5, 6)
		s.Decide = func(nodes int) (bool, bool) {
			c := build(ctx, nodes)
			layer, ok := c.layers()
			if !ok || isMonotonic(false)(layerCase{distance: c.distance, f: c.f}) {
				return true, false
			}
			return holds(c, layer), true
		}
		return s.Check(ctx, run)
	}
}

// assumptionShares returns the share of the non-monotonic queries with values 0…3 on tiny universes that satisfy the
// assumptions of Proposition 7.
func assumptionShares(context.Context) []check.Item {
	var all, met int64
	for c := range sensitivityCases() {
		if layer, ok := c.layers(); ok && !isMonotonic(false)(layerCase{distance: c.distance, f: c.f}) {
			if all++; c.applies(layer, itself) {
				met++
			}
		}
	}
	return []check.Item{{
		Label:  "share of all non-monotonic queries with values 0…3 on ten metrics of two to four datasets",
		Number: evidence.Exact{Value: big.NewRat(met, all), Cases: uint64(all), Provenance: evidence.From("counted")},
	}}
}

// figure1Sizes checks the printed |D| = 1044 and |R| = 28 on graphs with the given number of nodes.
func figure1Sizes(nodes int) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		return check.Listed("the unlabeled graphs of seven nodes, and their numbers of triangles", func(printed [2]int) bool {
			q := triangleCounts(ctx, nodes)
			return printed == [2]int{q.Size(), len(q.Range())}
		}, func(printed [2]int) *check.Witness {
			return &check.Witness{Fields: check.Named("printed", fmt.Sprint(printed))}
		}, [2]int{1044, 28}).Check(ctx, run)
	}
}
