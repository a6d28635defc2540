package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/signrp"
)

// normalisedChecks returns the checks of the statements of Appendix C about normalised estimators.
func normalisedChecks() check.Checks {
	return check.Checks{
		"signrp.normalised":         halvedVariance(.5).Check,
		"signrp.normalised.always":  check.WithCorrection(lessVariance(signrp.Rademacher).Check, lessVariance(signrp.Gaussian).Check),
		"signrp.normalised.formula": formulaVariance(func(f, _ float64) float64 { return f }).Check,
	}
}

// normalisedCase holds two vectors whose entries are multiples of 1/4, and the kind and k of W.
type normalisedCase struct {
	kind signrp.Kind
	k    int
	u, v []float64
}

func (c normalisedCase) projection() *signrp.Projection {
	return check.Must(signrp.NewProjection(c.kind, len(c.u), c.k, signrp.ProjectionOptions{Seed: 1}))
}

// variances returns the variances of the normalised and the plain estimator of the cosine.
func (c normalisedCase) variances() (normalised, plain evidence.Number) {
	w := c.projection()
	m := check.Must(signrp.NormalizedMoments(context.Background(), w, c.u, c.v, new(big.Rat)))
	// InnerVariance returns no error, because NormalizedMoments has accepted these vectors.
	inner := check.Must(signrp.InnerVariance(w, c.u, c.v, new(big.Rat)))
	uu, vv := 0.0, 0.0
	for i := range c.u { // sums of sixteenths: exact
		uu, vv = uu+c.u[i]*c.u[i], vv+c.v[i]*c.v[i]
	}
	scaled := inner
	scaled.Lo, scaled.Hi = inner.Lo/uu/vv*(1-4*check.Epsilon64), inner.Hi/uu/vv*(1+4*check.Epsilon64)
	return m.Variance, scaled
}

// drawQuarters draws a vector that is not all zeros.
func drawQuarters(rng *rand.Rand, p int) []float64 {
	u := lists.Of(p, func(int) float64 { return float64(rng.IntN(9)-4) / 4 })
	u[rng.IntN(p)] = float64(1+rng.IntN(4)) / 4
	return u
}

// lessVariance states that the normalised estimator has at most the variance of the plain one.
func lessVariance(kind signrp.Kind) check.Statement[normalisedCase] {
	return check.Statement[normalisedCase]{
		Family: "k = 2, two numbers each, halves from −1 to 1, the first 1",
		Each: check.Grid(func(c *normalisedCase) []check.Axis {
			c.kind, c.k = kind, 2
			var a, b int
			return []check.Axis{
				check.Span(&a, -2, 2),
				check.Span(&b, -2, 2),
				check.Let(func() { c.u, c.v = []float64{1, float64(a) / 2}, []float64{1, float64(b) / 2} }),
			}
		}),
		Draw: func(rng *rand.Rand) normalisedCase {
			p := 1 + rng.IntN(4)
			return normalisedCase{kind, 1 + rng.IntN(4), drawQuarters(rng, p), drawQuarters(rng, p)}
		},
		Holds: func(c normalisedCase) bool {
			normalised, plain := c.variances()
			return check.Least(normalised) <= check.Most(plain)
		},
		Witness: func(c normalisedCase) *check.Witness {
			normalised, plain := c.variances()
			return check.NewWitness(check.Named("u", vector(c.u), "v", vector(c.v), "k", c.k, "variance, normalised", evidence.FormatNumber(normalised, 6), "plain", evidence.FormatNumber(plain, 6)),
				check.Vars{"u": c.u, "v": c.v, "k": c.k, "p": len(c.u), "kind": string(c.kind)},
				"u, v, w = {u}, {v}, projection({p}, {k}, kind={kind}); n = cosine_moments(w, u, v)[\"variance\"].lo",
				"s = inner_variance(w, u, v, 0).hi / sum([x * x for x in u]) / sum([x * x for x in v]); print(n, s, n <= s)")
		},
		Measure: func(c normalisedCase) []check.Item {
			normalised, plain := c.variances()
			return []check.Item{{Label: "variance of the normalised estimator", Number: normalised}, {Label: "of the plain one", Number: plain}}
		},
	}
}

// halvedVariance states that for equal vectors the variance of the normalised estimator is at most share times that of
// the plain one. Instances are enough, because the text says that normalisation can reduce the variance.
func halvedVariance(share float64) check.Statement[normalisedCase] {
	return check.Statement[normalisedCase]{
		Family: "u = v = (1, b), b in {1, ½, −½, −1}, Gaussian and Rademacher W, k = 2, 4, 8",
		Each: check.Grid(func(c *normalisedCase) []check.Axis {
			var b float64
			return []check.Axis{
				check.Over(&c.kind, signrp.Rademacher, signrp.Gaussian), check.Over(&c.k, 2, 4, 8), check.Over(&b, 1, .5, -.5, -1),
				check.Let(func() { c.u, c.v = []float64{1, b}, []float64{1, b} }),
			}
		}),
		Holds: func(c normalisedCase) bool {
			normalised, plain := c.variances()
			return check.Most(normalised) <= share*check.Least(plain)
		},
	}
}

// formulaVariance states that k times the variance differs from k times the formula's value by at most 4/k. become maps
// this value and ρ to the value that is checked.
func formulaVariance(become func(formula, rho float64) float64) check.Statement[normalisedCase] {
	sides := func(c normalisedCase) (variance evidence.Number, formula float64) {
		variance, _ = c.variances()
		f, angle := check.Must(signrp.NormalizedFormula(c.projection(), c.u, c.v)), check.Must(signrp.Angle(c.u, c.v))
		return variance, become(f.Value*float64(c.k), math.Cos(angle))
	}
	return check.Statement[normalisedCase]{
		Family: "Gaussian and Rademacher W, k = 8 and 16, three numbers each, halves from −1 to 1, u = (1, ½, ·), v = (·, ½, 1)",
		Each: check.Grid(func(c *normalisedCase) []check.Axis {
			var a, b int
			return []check.Axis{
				check.Over(&c.kind, signrp.Gaussian, signrp.Rademacher),
				check.Over(&c.k, 8, 16),
				check.Span(&a, -2, 2),
				check.Span(&b, -2, 2),
				check.Let(func() { c.u, c.v = []float64{1, 0.5, float64(a) / 2}, []float64{float64(b) / 2, 0.5, 1} }),
			}
		}),
		Draw: func(rng *rand.Rand) normalisedCase {
			if rng.IntN(2) == 0 {
				p := 1 + rng.IntN(10)
				return normalisedCase{signrp.Gaussian, 8 << rng.IntN(8), drawQuarters(rng, p), drawQuarters(rng, p)}
			}
			p := 1 + rng.IntN(3)
			return normalisedCase{signrp.Rademacher, 8 + rng.IntN(8), drawQuarters(rng, p), drawQuarters(rng, p)}
		},
		Holds: func(c normalisedCase) bool {
			variance, formula := sides(c)
			lo, hi := variance.Bounds()
			k := float64(c.k)
			const slack = 64 * check.Epsilon64 // rounding of the formula
			return hi*k <= formula+4/k+slack && lo*k >= formula-4/k-slack
		},
	}
}
