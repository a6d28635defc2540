package mvg

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// proofChecks returns the checks of intermediate steps of the proofs and of the discussion.
func proofChecks() check.Checks {
	return check.Checks{
		"mvg.theorem3.proof":       check.WithCorrection(combinedTerms(func(norm float64) float64 { return norm }).Check, combinedTerms(func(norm float64) float64 { return norm * norm }).Check),
		"mvg.theorem4.product":     check.WithCorrection(semidefinitePairs(definiteProduct).Check, semidefinitePairs(traceOfProduct).Check),
		"mvg.theorem4.sensitivity": semidefinitePairs(distanceWithin(2)).Check,
		"mvg.section6.precision": check.WithCorrection(inverseVariance(func(sigma *big.Rat) *big.Rat { return new(big.Rat).Mul(sigma, sigma) }).Check,
			inverseVariance(func(sigma *big.Rat) *big.Rat { return sigma }).Check),
	}
}

// matrixScript defines the product, trace and norm of lists of rows.
const matrixScript = "mul = lambda a, b: [[sum([x * y for x, y in zip(r, c)]) for c in zip(*b)] for r in a]; tr = lambda a: sum([a[i][i] for i in range(len(a))]); norm = lambda a: math.sqrt(sum([x * x for r in a for x in r])); "

// termsCase is Σ⁻¹ and two values of the query.
type termsCase struct{ precision, before, after intMatrix }

// smallSemidefinite yields BBᵀ for 1×1 and 2×2 triangular B with entries 0 … 2 on
// the diagonal and −1 … 1 below.
var smallSemidefinite = check.Grid(func(c *intMatrix) []check.Axis {
	var order int
	var a, b, below int64
	return []check.Axis{
		check.Span(&order, 1, 2),
		check.Span(&a, 0, 2),
		check.Span(&b, 0, 2),
		check.Span(&below, -1, 1),
		check.Where(func() bool { return order == 2 || b == 0 && below == 0 }),
		check.Let(func() {
			if *c = (intMatrix{{a * a}}); order == 2 {
				*c = outerProduct(intMatrix{{a, 0}, {below, b}})
			}
		}),
	}
})

// combinedTerms states that tr((Σ⁻¹f₂)²) − tr((Σ⁻¹f₁)²) ≤ 2γ·‖f₂ − f₁‖_F·H_n·power(‖Σ⁻¹‖_F), where γ is the larger norm
// of f₁ and f₂.
func combinedTerms(power func(norm float64) float64) check.Statement[termsCase] {
	norm := func(a intMatrix) float64 { return math.Sqrt(float64(a.square())) }
	return check.Statement[termsCase]{
		Family: "1×1 and 2×2 queries BBᵀ and Σ⁻¹ = BBᵀ, B triangular with 0 … 2 on the diagonal and −1 … 1 below",
		Each: check.Grid(func(c *termsCase) []check.Axis {
			return []check.Axis{
				check.From(&c.precision, check.Keep(smallSemidefinite, func(p intMatrix) bool { return p.det().Sign() != 0 })),
				check.From(&c.before, smallSemidefinite),
				check.From(&c.after, smallSemidefinite),
				check.Where(func() bool { return len(c.before) == len(c.precision) && len(c.after) == len(c.precision) }),
			}
		}),
		Draw: func(rng *rand.Rand) termsCase {
			n := 1 + rng.IntN(4)
			return termsCase{outerProduct(drawInts(rng, n, n, 3)), outerProduct(drawInts(rng, n, n, 3)), outerProduct(drawInts(rng, n, n, 3))}
		},
		Holds: func(c termsCase) bool {
			a, b := c.precision.times(c.after), c.precision.times(c.before)
			difference, h := zeroMatrix(len(a), len(a)), 0.0
			for i := range a {
				h += 1 / float64(i+1)
				for j := range a {
					difference[i][j] = c.after[i][j] - c.before[i][j]
				}
			}
			gamma := math.Max(norm(c.before), norm(c.after))
			bound := 2 * gamma * norm(difference) * h * power(norm(c.precision))
			// The bound takes four roots, a harmonic number of at most four terms and five products.
			return float64(a.times(a).trace()-b.times(b).trace()) <= bound*(1+16*check.Epsilon64)
		},
		Witness: func(c termsCase) *check.Witness {
			return &check.Witness{
				Fields: check.Named("inverse of Σ", c.precision, "f₁", c.before, "f₂", c.after),
				Script: matrixScript + check.Script(check.Vars{"precision": c.precision, "before": c.before, "after": c.after},
					"p, f, g = {precision}, {before}, {after}; n = range(len(p)); a, b = mul(p, g), mul(p, f); t = tr(mul(a, a)) - tr(mul(b, b))",
					"s = norm([[g[i][j] - f[i][j] for j in n] for i in n])",
					"u = 2 * max(norm(f), norm(g)) * s * sum([1 / (i + 1) for i in n]) * norm(p); print(t, u, t <= u)"),
			}
		},
	}
}

// definiteProduct states that AB is symmetric. If AB is symmetric, A and B commute, so AB is positive semi-definite as
// well.
func definiteProduct(c matrixPair) bool {
	p := c.a.times(c.b)
	for i := range p {
		for j := range i {
			if p[i][j] != p[j][i] {
				return false
			}
		}
	}
	return true
}

func traceOfProduct(c matrixPair) bool { return c.a.times(c.b).trace() >= 0 }

// distanceWithin states that ‖A − B‖² ≤ times·max(‖A‖², ‖B‖²).
func distanceWithin(times int64) func(matrixPair) bool {
	return func(c matrixPair) bool {
		difference := zeroMatrix(len(c.a), len(c.a))
		for i := range c.a {
			for j := range c.a {
				difference[i][j] = c.a[i][j] - c.b[i][j]
			}
		}
		return difference.square() <= times*max(c.a.square(), c.b.square())
	}
}

// semidefinitePairs quantifies a statement over pairs of positive semi-definite matrices.
func semidefinitePairs(holds func(matrixPair) bool) check.Statement[matrixPair] {
	return check.Statement[matrixPair]{
		Family: "pairs of 1×1 and 2×2 matrices BBᵀ, B triangular with 0 … 2 on the diagonal and −1 … 1 below",
		Each: check.Grid(func(c *matrixPair) []check.Axis {
			return []check.Axis{
				check.From(&c.a, smallSemidefinite),
				check.From(&c.b, smallSemidefinite),
				check.Where(func() bool { return len(c.a) == len(c.b) }),
			}
		}),
		Draw: func(rng *rand.Rand) matrixPair {
			n, k := 1+rng.IntN(5), 1+rng.IntN(5)
			return matrixPair{outerProduct(drawInts(rng, n, k, 4)), outerProduct(drawInts(rng, n, k, 4))}
		},
		Holds: func(c matrixPair) bool { return holds(c) },
		Witness: func(c matrixPair) *check.Witness {
			return &check.Witness{
				Fields: matrixFields("AB", c.a, c.b),
				Script: matrixScript + check.Script(check.Vars{"a": c.a, "b": c.b}, "p = mul({a}, {b}); print(p[0][1], p[1][0], p[0][1] == p[1][0])"),
			}
		},
	}
}

// inverseVariance states that the variance in each direction is the given function of σ_i.
func inverseVariance(of func(sigma *big.Rat) *big.Rat) check.Statement[turnCase] {
	return check.Statement[turnCase]{
		Family: "directions of 1/1, 3/5 and 4/5, 5/13 and 12/13, σ_i(Σ) in 1…3",
		Each: check.Grid(func(c *turnCase) []check.Axis {
			var t [3]int64
			return []check.Axis{
				check.Over(&t, [3]int64{1, 0, 1}, [3]int64{0, 1, 1}, [3]int64{3, 4, 5}, [3]int64{5, 12, 13}),
				check.Span(&c.a, 1, 3),
				check.Span(&c.b, 1, 3),
				check.Let(func() { c.x, c.y, c.z = t[0], t[1], t[2] }),
			}
		}),
		Holds: func(c turnCase) bool {
			q, sigmas := c.q(), []*big.Rat{big.NewRat(c.a, 1), big.NewRat(c.b, 1)}
			sigma := untransposed(q, ratDiagonal(sigmas...))
			for i, s := range sigmas {
				w := ratMatrix{{q[0][i]}, {q[1][i]}}
				if w.transpose().times(sigma).times(w)[0][0].Cmp(of(s)) != 0 {
					return false
				}
			}
			return true
		},
		Witness: func(c turnCase) *check.Witness {
			var q []string
			for _, row := range c.q() {
				q = append(q, fmt.Sprintf("[%s, %s]", row[0].RatString(), row[1].RatString()))
			}
			return &check.Witness{
				Fields: check.Named("directions", check.List(q), "singular values of Σ", check.List([]int64{c.a, c.b})),
				Script: matrixScript + check.Script(check.Vars{"q": check.Code(check.List(q)), "ls": []int64{c.a, c.b}},
					"w, s = {q}, {ls}; v = mul(zip(*w), mul(mul(w, [[s[0], 0], [0, s[1]]]), zip(*w)))",
					"v = [1 / mul(v, w)[i][i] for i in range(2)]; u = [1 / (x * x) for x in s]",
					"print(u, v, all([abs(u[i] - v[i]) < 1e-9 for i in range(2)]))"),
			}
		},
	}
}
