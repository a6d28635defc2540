package signrp

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/gaussian"
)

// appendixChecks returns the checks of sentences, formulas and figures of the appendix.
func appendixChecks() check.Checks {
	return check.Checks{
		"signrp.sensitivity": check.WithCorrection(oneSensitivity(8, 1).Check, oneSensitivity(4, 1).Check),
		"signrp.step2": check.WithCorrection(stepTwo(func(c stepCase) *big.Rat {
			return big.NewRat(c.signs,
				1)
		}, "n").Check, stepTwo(func(c stepCase) *big.Rat { return big.NewRat(c.signs, c.k) }, "n / k").Check),
		"signrp.algorithm8.budget": check.WithCorrection(flipBudget(func(e float64) float64 { return e }, "e / n").Check,
			flipBudget(math.Exp, "math.exp(e / n)").Check),
		"signrp.lemmaE1.boundary": check.WithCorrection(atBoundary(4, 0).Check, atBoundary(1, 0).Check),
		"signrp.equation17": normalIntegral(false,
			func(a, b float64) float64 { return (math.Pi/2 + math.Atan(b/a)) / (2 * math.Pi * a) }, "").Check,
		"signrp.equation18": check.WithCorrection(normalIntegral(true, printedMoment,
			"(1 + b / math.sqrt(1 + b * b))").Check,
			normalIntegral(true, rightMoment, "(1 + b / math.sqrt(a * a + b * b)) / (a * a)").Check),
		"signrp.equation16.hundred": someRatio("p = 10,000, k = 100",
			func(c ratioPoint) bool { return inHundred(c.variances(), 99, 101) }, ratioPoint{p: 10000, k: 100}).Check,
		"signrp.figure11.below": someRatio("p = 1000, k/p = .01, .05, .1, .5",
			func(c ratioPoint) bool { return inHundred(c.variances(), 0, 1) }, ratioPoint{p: 1000, k: 10}, ratioPoint{p: 1000,
				k: 50}, ratioPoint{p: 1000, k: 100}, ratioPoint{p: 1000, k: 500}).Check,
		"signrp.figure11.common":  commonRegimes(1).Check,
		"signrp.projections.unit": unitVariance(1).Check,
		"signrp.figure7":          smallestRow(10).Check,
		"signrp.figure8":          figureWithin(0.02),
		"signrp.figure9": fewestFlips("p = 10, 20, 50 and 100, β = 1 and .1", []int{10, 20, 50, 100},
			[]float64{1, 0.1}, 1),
		"signrp.figure10": fewestFlips("p = 100, β = 1, levels up to 1 … 6", []int{100},
			[]float64{1, 2, 3, 4, 5, 6}, 1),
	}
}

// oneCase is one coordinate of u and β, both in quarters.
type oneCase struct{ u, beta int }

// oneSensitivity checks, for β up to most quarters, that the largest change of a coordinate to a neighbor in [−1, 1] is
// the same for every u. This is enough, because the rows of Rademacher W have equal length. reach scales the range.
func oneSensitivity(most, reach int) check.Statement[oneCase] {
	move := func(u, beta int) (largest int) {
		for v := -4 * reach; v <= 4*reach; v++ {
			if check.Abs(v-u) <= beta {
				largest = max(largest, check.Abs(v-u))
			}
		}
		return largest
	}
	return check.Statement[oneCase]{
		Family: fmt.Sprintf("u and β ≤ %g in quarters", float64(most)/4), Size: 9 * most,
		Each: check.Grid(func(c *oneCase) []check.Axis {
			return []check.Axis{check.Span(&c.beta, 1, most), check.Over(&c.u, 0, 1, -1, 2, -2, 3, -3, 4, -4)}
		}),
		Holds: func(c oneCase) bool {
			global := 0
			for u := -4; u <= 4; u++ {
				global = max(global, move(u, c.beta))
			}
			return move(c.u, c.beta) == global
		},
		Witness: func(c oneCase) *check.Witness {
			return check.NewWitness(check.Named("u", float64(c.u)/4, "beta", float64(c.beta)/4),
				check.Vars{"u": float64(c.u) / 4, "b": float64(c.beta) / 4},
				"u, b = {u}, {b}; local = min(b, 1 + abs(u)); worst = min(b, 2); print(local, worst, local == worst)")
		},
	}
}

// stepCase is k and the number of signs in A.
type stepCase struct{ k, signs int64 }

// stepTwo checks Δ₂² for β = 1: the square of the largest change of x_A, where x = Wᵀu/√k and W has entries ±1.
func stepTwo(square func(stepCase) *big.Rat, written string) check.Statement[stepCase] {
	return check.Statement[stepCase]{
		Family: "k = 1 … 8, |A| = 1 … k", Size: 8 * 9 / 2,
		Each: check.Grid(func(c *stepCase) []check.Axis {
			return []check.Axis{check.Span(&c.k, 1, 8), check.Span(&c.signs, 1, 8),
				check.Where(func() bool { return c.signs <= c.k })}
		}),
		Holds: func(c stepCase) bool {
			moved := new(big.Rat)
			for range c.signs { // each sign's entry changes by ±1/√k
				moved.Add(moved, big.NewRat(1, c.k))
			}
			return moved.Cmp(square(c)) == 0
		},
		Witness: func(c stepCase) *check.Witness {
			return check.NewWitness(check.Named("k", c.k, "|A|", c.signs, "beta", 1),
				check.Vars{"k": c.k, "n": c.signs, "square": check.Code(written)},
				"k, n = {k}, {n}; a, b = sum([1 / k for j in range(n)]), {square}; print(a, b, abs(a - b) <= 1e-9)")
		},
	}
}

// flipBudget checks that power(ε′) is e^{ε′} at the ε′ = ε/Ñ of Algorithm 8, line 6.
func flipBudget(power func(e float64) float64, written string) check.Statement[[2]float64] {
	return check.Statement[[2]float64]{
		Family: "ε in {.1, 1, 10}, Ñ in {1, 2, 8}", Size: 3 * 3,
		Each: check.Grid(func(c *[2]float64) []check.Axis {
			return []check.Axis{check.Over(&c[0], 1, 0.1, 10), check.Over(&c[1], 1, 2, 8)}
		}),
		Holds: func(c [2]float64) bool {
			series, term := 0.0, 1.0 // the series of e^{ε/Ñ}, ε/Ñ ≤ 10
			for n := 1; n < 80; n++ {
				series, term = series+term, term*c[0]/c[1]/float64(n)
			}
			return math.Abs(power(c[0]/c[1])-series) <= 1e-9*series
		},
		Witness: func(c [2]float64) *check.Witness {
			return check.NewWitness(check.Named("eps", c[0], "Ñ", c[1]),
				check.Vars{"e": c[0], "n": c[1], "printed": check.Code(written)},
				"e, n = {e}, {n}; a, b = math.exp(e / n), {printed}; print(a, b, abs(a - b) <= 1e-9 * a)")
		},
	}
}

// atBoundary checks that Pr(|X| > |Y|) is the printed value at ρ = 1 and −1, where X = ±rY, for r in quarters up to
// most.
func atBoundary(most, printed int) check.Statement[[2]int] {
	return check.Statement[[2]int]{
		Family: fmt.Sprintf("r up to %d in quarters, ρ = 1 and −1", most), Size: 4 * most * 2,
		Each: check.Grid(func(c *[2]int) []check.Axis {
			return []check.Axis{check.Span(&c[0], 1, 4*most), check.Over(&c[1], 1, -1)}
		}),
		Holds: func(c [2]int) bool {
			exceeds := 0
			for y := 1; y <= 3; y++ { // the comparison does not depend on y, as |X| = r|Y|
				if check.Abs(c[1]*c[0]*y) > 4*y {
					exceeds = 1
				}
			}
			return exceeds == printed
		},
		Witness: func(c [2]int) *check.Witness {
			return check.NewWitness(check.Named("r", float64(c[0])/4, "rho", c[1]),
				check.Vars{"r": float64(c[0]) / 4, "rho": c[1]},
				"p = 1 if abs({rho} * {r}) > 1 else 0; print(p, 0, p == 0)")
		},
	}
}

// printedMoment returns (18) as printed. rightMoment includes the missing a.
func printedMoment(_, b float64) float64 {
	return (1 + b/math.Sqrt(1+b*b)) / (2 * math.Sqrt(2*math.Pi))
}

func rightMoment(a, b float64) float64 {
	return (1 + b/math.Sqrt(a*a+b*b)) / (2 * math.Sqrt(2*math.Pi) * a * a)
}

// normalIntegral compares a formula for ∫ φ(ax)Φ(bx) dx over x > 0 (or for ∫ x φ(ax)Φ(bx) dx, if moment is set) with
// Simpson's rule on 8000 cells of [0, 40]. For a ≥ ½ the tail is below e^{−200} and the fourth derivative of the
// integrand is below 500. So the error is at most 40·h⁴·500/2880 < 1e-8 at h = 1/200.
func normalIntegral(moment bool, formula func(a, b float64) float64, written string) check.Statement[[2]float64] {
	integral := func(c [2]float64) (sum float64) {
		f := func(x float64) float64 {
			v := math.Exp(-c[0]*c[0]*x*x/2) / math.Sqrt(2*math.Pi) * normalCDF(c[1]*x)
			if moment {
				v *= x
			}
			return v
		}
		const h = 1.0 / 200
		for i := range 8000 {
			x := float64(i) * h
			sum += h / 6 * (f(x) + 4*f(x+h/2) + f(x+h))
		}
		return sum
	}
	return check.Statement[[2]float64]{
		Family: "a in {½, 1, 2}, b in {−1, 0, ½, 2}", Size: 3 * 4,
		Each: check.Grid(func(c *[2]float64) []check.Axis {
			return []check.Axis{check.Over(&c[0], 1, 2, 0.5), check.Over(&c[1], 0, 0.5, -1, 2)}
		}),
		Holds: func(c [2]float64) bool { return math.Abs(integral(c)-formula(c[0], c[1])) <= 1e-7 },
		Witness: func(c [2]float64) *check.Witness {
			return &check.Witness{
				Fields: check.Named("a", c[0], "b", c[1], "the integral", fmt.Sprintf("%.6f", integral(c))),
				Script: check.Script(check.Vars{"a": c[0], "b": c[1], "formula": check.Code(written)},
					"a, b, h = {a}, {b}, 1/100",
					"erf = lambda t: t / 25 / math.sqrt(math.pi) * sum([math.exp(-t * t * (j + 1/2) * (j + 1/2) / 2500) for j in range(50)])",
					"f = lambda x: x * math.exp(-a * a * x * x / 2) / math.sqrt(2 * math.pi) * (1 + erf(b * x / math.sqrt(2))) / 2",
					"s = sum([h * f((i + 1/2) * h) for i in range(2000)])",
					"p = {formula} / (2 * math.sqrt(2 * math.pi)); print(s, p, abs(s - p) <= 1e-3)"),
				Approximates: "the integral, by midpoints",
			}
		},
	}
}

// variances returns the ratio R of (16).
func (c ratioPoint) variances() *big.Rat {
	r := c.relative()
	return r.Mul(r, big.NewRat(c.p, c.k))
}

// inHundred reports whether v is strictly between lo and hi.
func inHundred(v *big.Rat, lo, hi int64) bool {
	return v.Cmp(big.NewRat(lo, 1)) > 0 && v.Cmp(big.NewRat(hi, 1)) < 0
}

// someRatio checks that at each p and k some σ in .01 … .09 or 10 satisfies a condition on R. One σ is enough, because
// the text says that the condition can hold.
func someRatio(family string, meets func(ratioPoint) bool, points ...ratioPoint) check.Statement[ratioPoint] {
	return check.Listed(family, func(c ratioPoint) bool {
		for _, hundredth := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1000} {
			if c.sigma = big.NewRat(hundredth, 100); meets(c) {
				return true
			}
		}
		return false
	}, nil, points...)
}

// regime holds p and k of (16), and ε.
type regime struct {
	p, k int64
	eps  float64
}

// commonRegimes checks that R > least for the σ of the analytic Gaussian mechanism at Δ₂ = 1, δ = 1e-6.
func commonRegimes(least int64) check.Statement[regime] {
	return check.Statement[regime]{
		Family: "p = 1000 and 10,000, k/p = .01, .05, .1, .5, ε = .1, 1, 5, 10, 20", Size: 2 * 4 * 5,
		Each: check.Grid(func(c *regime) []check.Axis {
			var part int64
			return []check.Axis{
				check.Over(&c.p, 1000, 10000), check.Over(&part, 100, 20, 10, 2),
				check.Over(&c.eps, 20, 10, 5, 1, 0.1), check.Let(func() { c.k = c.p / part }),
			}
		}),
		Holds: func(c regime) bool {
			s := check.Must(gaussian.Sigma(check.BudgetOf(c.eps), check.DeltaOf(1e-6), 1))
			for _, end := range []float64{s.Lo, s.Hi} {
				r := ratioPoint{c.p, c.k, new(big.Rat).SetFloat64(end)}.variances()
				if r.Cmp(big.NewRat(least, 1)) <= 0 {
					return false
				}
			}
			return true
		},
		Witness: func(c regime) *check.Witness {
			return &check.Witness{Fields: check.Named("p", c.p, "k", c.k, "eps", c.eps)}
		},
	}
}

// columnKind is a law of the entries of W: "uniform", "gaussian", or "sparse" with parameter s.
type columnKind struct {
	name string
	s    int64
}

var columnKinds = []columnKind{{"uniform", 0}, {"gaussian", 0}, {"sparse", 3}, {"sparse", 10}}

// moment returns E w^{2j}.
func (k columnKind) moment(j int) *big.Rat {
	switch k.name {
	case "uniform": // √3 times uniform on [−1, 1]
		return new(big.Rat).Quo(check.Power(big.NewRat(3, 1), j), big.NewRat(int64(2*j+1), 1))
	case "gaussian":
		v := big.NewRat(1, 1)
		for i := 1; i < 2*j; i += 2 {
			v.Mul(v, big.NewRat(int64(i), 1))
		}
		return v
	}
	return check.Power(big.NewRat(k.s, 1), j-1)
}

// unitVariance checks E w^{2j} = 1 for the laws of Appendix B. At j = 1 this is the unit variance.
func unitVariance(j int) check.Statement[columnKind] {
	return check.Listed("√3·uniform, Gaussian and sparse with s = 1, 3 and 10", func(k columnKind) bool {
		return k.moment(j).Cmp(check.One) == 0
	}, func(k columnKind) *check.Witness { return &check.Witness{Fields: check.Named("law", k.name, "s", k.s)} },
		append(slices.Clone(columnKinds), columnKind{"sparse", 1})...)
}

// rowCase holds a law of the entries of W, p and k.
type rowCase struct {
	kind columnKind
	p, k int
}

// smallestRow checks that Δ₂ = β max_i ‖W_i‖/√k exceeds β, its value for Rademacher W, with probability at least .99. A
// row has ‖W_i‖² ≤ k with probability at most ½ + .4748√(κ/k), where κ is the kurtosis of w² (Berry-Esseen, with
// Shevtsova's constant of 2011 and E|y|³ ≤ √(E y² E y⁴)). The p rows are independent.
func smallestRow(least int) check.Statement[rowCase] {
	return check.Statement[rowCase]{
		Family: fmt.Sprintf("uniform, Gaussian and sparse entries, p = %d, 100, 1000, k = 256 and 512",
			least), Size: 4 * 3 * 2,
		Each: check.Grid(func(c *rowCase) []check.Axis {
			return []check.Axis{check.Over(&c.kind, columnKinds...), check.Over(&c.p, least, 100, 1000),
				check.Over(&c.k, 256, 512)}
		}),
		Holds: func(c rowCase) bool {
			// E(y − 1)² and E(y − 1)⁴ for y = w².
			var m [5]float64
			for j := range 4 {
				m[j+1], _ = c.kind.moment(j + 1).Float64()
			}
			second, fourth := m[2]-1, m[4]-4*m[3]+6*m[2]-3
			below := 0.5 + 0.4748*math.Sqrt(fourth/(second*second)/float64(c.k))
			return math.Pow(below, float64(c.p)) <= 0.01*(1-1e-9)
		},
		Witness: func(c rowCase) *check.Witness {
			return &check.Witness{Fields: check.Named("law", c.kind.name, "p", c.p, "k", c.k)}
		},
	}
}
