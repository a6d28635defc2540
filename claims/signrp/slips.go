package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// slipChecks returns the checks of intermediate steps of proofs and of the text.
func slipChecks() check.Checks {
	return check.Checks{
		"signrp.lemmaE1.derivative": check.WithCorrection(derivative(printedDerivative, "1").Check, derivative(overPi, "math.pi").Check),
		"signrp.lemma4.2.proof":     check.WithCorrection(density(1).Check, density(2).Check),
		"signrp.rademacher":         check.WithCorrection(superior(fewNumbers).Check, superior(uniformNumbers(16)).Check),
	}
}

// printedDerivative returns ∂P/∂ρ as printed.
func printedDerivative(n signrp.Normals) float64 {
	r, rho := n.Ratio, n.Rho
	return 2 * r * rho * (r*r - 1) / ((1 + r*r - 2*r*rho) * (1 + r*r + 2*r*rho) * math.Sqrt(1-rho*rho))
}

func overPi(n signrp.Normals) float64 { return printedDerivative(n) / math.Pi }

// derivative states that a formula is ∂P/∂ρ, approximated by (P(ρ + h) − P(ρ − h))/2h. In the disc of radius R = (1 −
// |ρ|)/2 about ρ, |1 + r² ± 2rz| ≥ (1 − r)² + 2rR and |1 − z²| ≥ R, so |P'| ≤ M = 2r|r² − 1|/(((1 − r)² + 2rR)²√R). By
// Cauchy's integral |P‴| ≤ 2M/(R − h)² along the step, so the difference quotient is off by at most h²/6 times this. An
// arctangent and its argument are accurate to 16 ulps.
func derivative(formula func(n signrp.Normals) float64, divisor string) check.Statement[signrp.Normals] {
	step := func(n signrp.Normals) float64 { return (1 - math.Abs(n.Rho)) / 4096 }
	difference := func(n signrp.Normals) (slope, off float64) {
		h, radius := step(n), (1-math.Abs(n.Rho))/2
		at := func(rho float64) float64 { return check.Must(signrp.Normals{Ratio: n.Ratio, Rho: rho}.Exceeds()) }
		least := (1-n.Ratio)*(1-n.Ratio) + 2*n.Ratio*radius
		most := 2 * n.Ratio * math.Abs(n.Ratio*n.Ratio-1) / (least * least * math.Sqrt(radius))
		return (at(n.Rho+h) - at(n.Rho-h)) / (2 * h), h*h/3*most/((radius-h)*(radius-h)) + 16*check.Epsilon64/h
	}
	return check.Statement[signrp.Normals]{
		Family: "r in {½, ¼, 2, 4}, ρ in {±.3, ±.6, ±.9}",
		Each: check.Grid(func(c *signrp.Normals) []check.Axis {
			return []check.Axis{
				check.Over(&c.Ratio, 0.5, 0.25, 2, 4),
				check.Over(&c.Rho, 0.6, -0.6, 0.3, -0.3, 0.9, -0.9),
			}
		}),
		Draw: func(rng *rand.Rand) signrp.Normals {
			return signrp.Normals{Ratio: math.Pow(5, 2*rng.Float64()-1), Rho: 1.9*rng.Float64() - 0.95}
		},
		Holds: func(n signrp.Normals) bool {
			slope, off := difference(n)
			return math.Abs(slope-formula(n)) <= off
		},
		Witness: func(n signrp.Normals) *check.Witness {
			slope, _ := difference(n)
			return &check.Witness{
				Fields: check.Named("r", n.Ratio, "rho", n.Rho, "∂P/∂ρ", fmt.Sprintf("%.6f", slope), "the formula", fmt.Sprintf("%.6f", formula(n))),
				Script: check.Script(check.Vars{"r": n.Ratio, "rho": n.Rho, "h": step(n), "divisor": check.Code(divisor)},
					"r, rho, h = {r}, {rho}, {h}; d = (exceeds(r, rho + h)[\"probability\"] - exceeds(r, rho - h)[\"probability\"]) / (2 * h)",
					"f = 2 * r * rho * (r * r - 1) / ((1 + r * r - 2 * r * rho) * (1 + r * r + 2 * r * rho) * math.sqrt(1 - rho * rho)) / {divisor}",
					"print(d, f, abs(d - f) <= 1e-4 * abs(f))"),
				Approximates: "the derivative of Pr(|X| > |Y|) at ρ, by a difference",
			}
		},
	}
}

// density states that ∫ 2p(slope·s − 1)^{p−1} ds over [½, 1] is 1. The integral is computed term by term.
func density(slope int64) check.Statement[int] {
	mass := func(p int) *big.Rat {
		sum, half := new(big.Rat), big.NewRat(1, 2)
		for k := range p { // C(p−1, k) slope^k s^k (−1)^{p−1−k}
			term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(p-1), int64(k)))
			term.Mul(term, check.Power(big.NewRat(slope, 1), k))
			term.Mul(term, check.Power(big.NewRat(-1, 1), p-1-k))
			term.Mul(term, new(big.Rat).Sub(check.One, check.Power(half, k+1)))
			sum.Add(sum, term.Mul(term, check.Ratio(2*p, k+1)))
		}
		return sum
	}
	return check.Statement[int]{
		Family: "p = 2, …, 40",
		Each:   check.Grid(func(p *int) []check.Axis { return []check.Axis{check.Span(p, 2, 40)} }),
		Holds:  func(p int) bool { return mass(p).Cmp(check.One) == 0 },
		Witness: func(p int) *check.Witness {
			return check.NewWitness(check.Named("p", p, "the integral", mass(p)),
				check.Vars{"p": p, "slope": slope}, // the script uses the antiderivative at 1 and at ½
				"p, a = {p}, {slope}; m = 2 / a * (math.pow(a - 1, p) - math.pow(a / 2 - 1, p)); print(m, 1, abs(m - 1) <= 1e-9)")
		},
	}
}

// superiorCase holds a vector u and β.
type superiorCase struct {
	u    []float64
	beta float64
}

// superior states that P₊ is no larger for Rademacher w than for Gaussian w.
func superior(s check.Statement[superiorCase]) check.Statement[superiorCase] {
	both := func(c superiorCase) (signs, normal evidence.Number) {
		return check.Must(signrp.RademacherPPlus(context.Background(), c.u, c.beta)), check.Must(signrp.GaussianPPlus(context.Background(), c.u, c.beta))
	}
	s.Holds = func(c superiorCase) bool {
		signs, normal := both(c)
		return check.Least(signs) <= check.Most(normal)
	}
	s.Witness = func(c superiorCase) *check.Witness {
		signs, normal := both(c)
		return check.NewWitness(check.Named("u", vector(c.u), "beta", c.beta, "P₊, Rademacher", evidence.FormatNumber(signs, 6), "P₊, Gaussian", evidence.FormatNumber(normal, 6)),
			check.Vars{"u": c.u, "beta": c.beta},
			`r, g = p_plus({u}, beta={beta}), p_plus({u}, beta={beta}, kind="gaussian"); print(r, g, r.lo <= g.hi)`)
	}
	s.Measure = func(c superiorCase) []check.Item {
		signs, normal := both(c)
		return []check.Item{{Label: "P₊, Rademacher w", Number: signs}, {Label: "P₊, Gaussian w", Number: normal}}
	}
	return s
}

var fewNumbers = check.Statement[superiorCase]{
	Family: "up to three numbers in {½, 1}, β in {.1, .5, 1}",
	Each: check.Grid(func(c *superiorCase) []check.Axis {
		var n int
		var u [3]float64
		return []check.Axis{
			check.Over(&c.beta, 0.1, 0.5, 1),
			check.Span(&n, 1, 3),
			check.Over(&u[0], 1, 0.5),
			check.Over(&u[1], 1, 0.5),
			check.Over(&u[2], 1, 0.5),
			check.Where(func() bool { return (n > 1 || u[1] == 1) && (n > 2 || u[2] == 1) }),
			check.Let(func() { c.u = append([]float64(nil), u[:n]...) }),
		}
	}),
}

// uniformNumbers draws least to twice least numbers in thousandths. Their sums often coincide, so P₊ of Rademacher w is
// computed exactly.
func uniformNumbers(least int) check.Statement[superiorCase] {
	return check.Statement[superiorCase]{
		Draw: func(rng *rand.Rand) superiorCase {
			c := superiorCase{u: make([]float64, least+rng.IntN(least+1)), beta: []float64{0.1, 1}[rng.IntN(2)]}
			for i := range c.u {
				c.u[i] = float64(rng.IntN(2001)-1000) / 1000
			}
			return c
		},
	}
}
