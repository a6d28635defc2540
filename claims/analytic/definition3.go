package analytic

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// scoreCase is a score s^x(r) ≤ 0 for each dataset and value, with e^ε = base^{2Δs}.
type scoreCase struct {
	distance [][]int
	score    [][]int
	base     int64
}

// sensitivity returns Δs, the largest change of a value's score between neighbors.
func (c scoreCase) sensitivity() int {
	out := 0
	for x := range c.score {
		for y := range c.score {
			for r := range c.score[x] {
				if c.distance[x][y] <= 2 {
					out = max(out, c.score[x][r]-c.score[y][r])
				}
			}
		}
	}
	return out
}

// exponentialPrivacy states that the exponential mechanism of Definition 3, p^x(r) ∝ e^{ε s^x(r)/(2Δs)}, is ε-DP. At
// e^ε = base^{2Δs} the weights are base^{s^x(r)}. The loss must be at most base^{times·Δs}; times is 2 in the paper.
func exponentialPrivacy(times int) check.Statement[scoreCase] {
	table := func(c scoreCase) tableCase {
		t := tableCase{distance: c.distance, value: make([]int, len(c.score)), slack: 1}
		for _, row := range c.score {
			least := slices.Min(row)
			weights := lists.Of(len(row), func(r int) int64 { return check.Power(big.NewRat(c.base, 1), row[r]-least).Num().Int64() })
			t.weight = append(t.weight, weights)
		}
		return t
	}
	return check.Statement[scoreCase]{
		Family: "two datasets, three values, scores −2…0, e^{ε/(2Δs)} = 2",
		Each: check.Grid(func(c *scoreCase) []check.Axis {
			var v []int
			c.distance = metrics[0]
			c.base = 2
			return []check.Axis{
				check.From(&v, check.Words(3, 6)),
				check.Let(func() { c.score = [][]int{{-v[0], -v[1], -v[2]}, {-v[3], -v[4], -v[5]}} }),
			}
		}),
		Draw: func(rng *rand.Rand) scoreCase {
			c := scoreCase{distance: drawNeighboring(rng), base: 2 + rng.Int64N(3)}
			size := 2 + rng.IntN(4)
			for range c.distance {
				row := lists.Of(size, func(int) int { return -rng.IntN(7) })
				c.score = append(c.score, row)
			}
			return c
		},
		Holds: func(c scoreCase) bool {
			loss, _ := table(c).loss()
			return loss.Cmp(check.Power(big.NewRat(c.base, 1), times*c.sensitivity())) <= 0
		},
	}
}

// laplaceCase is a pair of values f = f(x) and g = f(x') in ℤᵏ, an output r, and a sensitivity Δf of at least ‖f − g‖₁.
type laplaceCase struct {
	f, g, r []int
	delta   int
}

// laplacePrivacy states that the Laplace mechanism of Definition 3 is ε-DP: its densities at neighbors differ by a
// factor of at most e^ε, or (‖r − f(x')‖₁ − ‖r − f(x)‖₁)/Δf ≤ 1. norm is the norm that defines Δf, ‖·‖₁ in the paper.
func laplacePrivacy(norm func(a, b []int) int) check.Statement[laplaceCase] {
	return check.Statement[laplaceCase]{
		Family: "f(x), f(x'), r in {0, 1, 2}²",
		Each:   check.Map(check.Words(3, 6), func(v []int) laplaceCase { return laplaceCase{v[:2], v[2:4], v[4:], norm(v[:2], v[2:4])} }),
		Draw: func(rng *rand.Rand) laplaceCase {
			k := 1 + rng.IntN(4)
			c := laplaceCase{make([]int, k), make([]int, k), make([]int, k), 0}
			for i := range k {
				c.f[i], c.g[i], c.r[i] = rng.IntN(50), rng.IntN(50), rng.IntN(50)
			}
			c.delta = norm(c.f, c.g) + rng.IntN(3)
			return c
		},
		Holds: func(c laplaceCase) bool { return sumDistance(c.r, c.g)-sumDistance(c.r, c.f) <= c.delta },
	}
}

// sumDistance returns ‖a − b‖₁.
func sumDistance(a, b []int) int {
	sum := 0
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum
}

// densityCase is a dimension k and a scale b = Δf/ε, in quarters.
type densityCase struct {
	k        int
	quarters int64
}

// halfWidth returns 1/(2b).
func (c densityCase) halfWidth() *big.Rat { return big.NewRat(2, c.quarters) }

// printedFactor returns the factor of the printed density, ε/(2Δf) = 1/(2b) for every k.
func printedFactor(c densityCase) *big.Rat { return c.halfWidth() }

// unitMass states that factor · e^{−‖r‖₁/b} integrates to 1 over ℝᵏ. The integral without the factor is (2b)ᵏ.
func unitMass(factor func(densityCase) *big.Rat) check.Statement[densityCase] {
	mass := func(c densityCase) *big.Rat { return new(big.Rat).Quo(factor(c), check.Power(c.halfWidth(), c.k)) }
	return check.Statement[densityCase]{
		Family: "k ≤ 6, Δf/ε = 1, 1/4, 1/2, …, 4",
		Each: check.Grid(func(c *densityCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.k, 1, 6),
				check.Over(&c.quarters, 4, 1, 2, 3, 5, 6, 7, 8, 12, 16),
			}
		}),
		Draw:  func(rng *rand.Rand) densityCase { return densityCase{1 + rng.IntN(12), 1 + rng.Int64N(1000)} },
		Holds: func(c densityCase) bool { return mass(c).Cmp(big.NewRat(1, 1)) == 0 },
		Witness: func(c densityCase) *check.Witness {
			return check.NewWitness(check.Named("k", c.k, "sensitivity / eps", big.NewRat(c.quarters, 4), "integral of the density", mass(c)),
				check.Vars{"k": c.k, "b": big.NewRat(c.quarters, 4), "factor": factor(c)},
				"k, b = {k}, {b}; mass = {factor} * math.pow(2 * b, k); print(mass, 1, mass == 1)")
		},
	}
}

// definitionChecks returns the checks of Definitions 3, 6 and 9.
func definitionChecks() check.Checks {
	return check.Checks{
		"analytic.definition3.laplace":     laplacePrivacy(sumDistance).Check,
		"analytic.definition3.density":     check.WithCorrection(unitMass(printedFactor).Check, unitMass(func(c densityCase) *big.Rat { return check.Power(c.halfWidth(), c.k) }).Check),
		"analytic.definition3.exponential": exponentialPrivacy(2).Check,
		"analytic.definition6":             check.WithCorrection(productMetric(anyNorm).Check, productMetric(monotoneNorm).Check),
		"analytic.definition9":             check.WithCorrection(sameRealSet().Check, applicable(100, sameNeighboringSet(linearCase.invariant))),
	}
}

// normProductCase is a norm N(a, b) = α|a − b| + β|a + b| on ℝ² and three points of a
// product of two lines.
type normProductCase struct {
	alpha, beta int
	points      [3][2]int
}

// norm returns N(d_1, d_2), where d_1 and d_2 are the distances of two points in their coordinates.
func (c normProductCase) norm(p, q [2]int) int {
	a, b := max(p[0]-q[0], q[0]-p[0]), max(p[1]-q[1], q[1]-p[1])
	return c.alpha*max(a-b, b-a) + c.beta*(a+b)
}

// productMetric states Definition 6: N(d_1, d_2) satisfies the triangle inequality on the product of two lines. allowed
// restricts the norms N.
func productMetric(allowed func(c normProductCase) bool) check.Statement[normProductCase] {
	return check.Statement[normProductCase]{
		Family: "N = α|a − b| + β|a + b| with α in 0…3 and β in 1…3, points of {0, 1, 2}²",
		Each: check.Grid(func(c *normProductCase) []check.Axis {
			var v []int
			return []check.Axis{
				check.Span(&c.beta, 1, 3),
				check.Span(&c.alpha, 0, 3),
				check.From(&v, check.Words(3, 6)),
				check.Let(func() { c.points = [3][2]int{{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}} }),
			}
		}),
		Draw: func(rng *rand.Rand) normProductCase {
			c := normProductCase{alpha: rng.IntN(20), beta: 1 + rng.IntN(20)}
			for i := range c.points {
				c.points[i] = [2]int{rng.IntN(9), rng.IntN(9)}
			}
			return c
		},
		Holds: func(c normProductCase) bool {
			p := c.points
			return !allowed(c) || c.norm(p[0], p[2]) <= c.norm(p[0], p[1])+c.norm(p[1], p[2])
		},
		Witness: func(c normProductCase) *check.Witness {
			p := c.points
			return check.NewWitness(check.Named("N(a, b)", fmt.Sprintf("%d|a - b| + %d|a + b|", c.alpha, c.beta), "points", check.Pairs(p[:])),
				check.Vars{"alpha": c.alpha, "beta": c.beta, "p": p[:]},
				"n = lambda p, q: {alpha} * abs(abs(p[0] - q[0]) - abs(p[1] - q[1])) + {beta} * (abs(p[0] - q[0]) + abs(p[1] - q[1]))",
				"x, y, z = {p}; print(n(x, z), n(x, y) + n(y, z), n(x, z) <= n(x, y) + n(y, z))")
		},
	}
}

// anyNorm accepts all norms, and monotoneNorm those that do not decrease as |a| or |b| grows.
func anyNorm(normProductCase) bool        { return true }
func monotoneNorm(c normProductCase) bool { return c.alpha <= c.beta }
