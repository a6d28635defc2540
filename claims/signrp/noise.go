package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/signrp"
)

// noiseChecks returns the checks of the Gaussian mechanisms of DP-RP and DP-OPORP, and the statements about their
// noise.
func noiseChecks() check.Checks {
	return check.Checks{
		"signrp.theorem3.1":  classicNoise(func(eps, delta float64) float64 { return math.Sqrt(2*(math.Log(1/(2*delta))+eps)) / eps }).Check,
		"signrp.theorem3.2":  analyticNoise(printedProfile).Check,
		"signrp.algorithm9":  projectedNoise(rademacherMove, 1).Check,
		"signrp.algorithm10": projectedNoise(oporpMove, 1).Check,
		"signrp.equation16":  check.WithCorrection(ratioNear(unitLimit, smallTerms).Check, ratioNear(fixedLimit, func(c ratioPoint) *big.Rat { return big.NewRat(c.k, c.p) }).Check),
		"signrp.figure12":    check.WithCorrection(smallNoise(100).Check, smallNoise(96.7).Check),
	}
}

// privacyPoint holds (ε, δ).
type privacyPoint struct{ eps, delta float64 }

// privacyPoints quantifies s over ε in {.1, .5, 1, 2, 10, 50} and δ in {1e-9, 1e-6, 1e-3, .1, .4}. Draws are between
// these.
func privacyPoints(s check.Statement[privacyPoint]) check.Statement[privacyPoint] {
	s.Family = "ε in {.1, .5, 1, 2, 10, 50}, δ in {.4, .1, 1e-3, 1e-6, 1e-9}"
	s.Each = check.Grid(func(c *privacyPoint) []check.Axis {
		return []check.Axis{
			check.Over(&c.eps, 1, 0.5, 0.1, 2, 10, 50),
			check.Over(&c.delta, 0.4, 0.1, 1e-3, 1e-6, 1e-9),
		}
	})
	s.Draw = func(rng *rand.Rand) privacyPoint {
		return privacyPoint{math.Pow(10, 3*rng.Float64()-1), math.Pow(10, -10*rng.Float64()) * 0.49}
	}
	return s
}

// classicNoise states that Gaussian noise of σ(ε, δ) at Δ₂ = 1 is (ε, δ)-private.
func classicNoise(sigma func(eps, delta float64) float64) check.Statement[privacyPoint] {
	spent := func(c privacyPoint) evidence.Certified {
		return check.Must(gaussian.Delta(check.BudgetOf(c.eps), sigma(c.eps, c.delta), 1))
	}
	return privacyPoints(check.Statement[privacyPoint]{
		Holds: func(c privacyPoint) bool { return spent(c).Lo <= c.delta },
	})
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// printedProfile returns the left side of (4) at Δ₂ = 1.
func printedProfile(eps, sigma float64) float64 {
	return normalCDF(1/(2*sigma)-eps*sigma) - math.Exp(eps)*normalCDF(-1/(2*sigma)-eps*sigma)
}

// profileCase holds ε and σ, with Δ₂ = 1.
type profileCase struct{ eps, sigma float64 }

// profileSums returns a lower and an upper sum of ∫ (p − e^ε q)⁺ for the densities p of N(0, σ²) and q of N(1, σ²). p >
// e^ε q on the half-line x < ½ − εσ². There p is monotone on either side of 0, and q increases, so the ends of a cell
// bound both.
func profileSums(c profileCase) (lo, hi float64) {
	const cells = 1000
	end := 0.5 - c.eps*c.sigma*c.sigma
	begin := math.Min(end, 0) - 9*c.sigma
	p := func(x float64) float64 { return math.Exp(-x*x/(2*c.sigma*c.sigma)) / (c.sigma * math.Sqrt(2*math.Pi)) }
	cuts := []float64{begin, end}
	if end > 0 {
		cuts = []float64{begin, 0, end}
	}
	for i := range len(cuts) - 1 {
		h := (cuts[i+1] - cuts[i]) / cells
		for j := range cells {
			a, b := cuts[i]+float64(j)*h, cuts[i]+float64(j+1)*h
			pa, pb, qa, qb := p(a), p(b), math.Exp(c.eps)*p(a-1), math.Exp(c.eps)*p(b-1)
			lo += h * max(0, min(pa, pb)-max(qa, qb))
			hi += h * max(0, max(pa, pb)-min(qa, qb))
		}
	}
	return lo, hi + 1e-18 // left of begin the integral is below Φ(−9) = 1.1e-19
}

// analyticNoise states that a profile is between the lower and the upper sum of ∫ (p − e^ε q)⁺ for N(0, σ²) and N(1,
// σ²). By symmetry this is δ in either direction.
func analyticNoise(profile func(eps, sigma float64) float64) check.Statement[profileCase] {
	return check.Statement[profileCase]{
		Family: "ε in {.5, 1, 2, 4}, σ in {¼, ½, 1, 2}, Δ₂ = 1",
		Each: check.Grid(func(c *profileCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.eps, 1, 0.5, 2, 4),
				check.Over(&c.sigma, 1, 0.5, 0.25, 2),
			}
		}),
		Draw: func(rng *rand.Rand) profileCase { return profileCase{0.1 + 3*rng.Float64(), 0.2 + rng.Float64()} },
		Holds: func(c profileCase) bool {
			lo, hi := profileSums(c)
			d := profile(c.eps, c.sigma)
			// Both terms of (4) are at most Φ(1/2σ − εσ)e^ε and accurate to 16 ulps. The sums have 2000 terms.
			slack := 32*check.Epsilon64*normalCDF(1/(2*c.sigma)-c.eps*c.sigma)*math.Exp(c.eps) + 4000*check.Epsilon64*hi
			return d >= lo-slack && d <= hi+slack
		},
	}
}

// projectedCase is a step of β = 1 in coordinate at, under a projection with the given seed, and (ε, δ).
type projectedCase struct {
	privacyPoint
	p, k, at int
	seed     uint64
}

// rademacherMove returns ‖Wᵀ(u − u')‖/√k for a step of β = 1 in coordinate at.
func rademacherMove(c projectedCase) float64 {
	return rowNorm(check.Must(signrp.NewProjection(signrp.Rademacher, c.p, c.k, signrp.ProjectionOptions{Seed: c.seed})), c.at) / math.Sqrt(float64(c.k))
}

// oporpMove returns ‖Wᵀ(u − u')‖ for the same step under OPORP, which has no factor 1/√k.
func oporpMove(c projectedCase) float64 {
	return rowNorm(check.Must(signrp.NewOPORP(context.Background(), c.p, min(c.k, c.p), c.seed)), c.at)
}

func rowNorm(w *signrp.Projection, at int) float64 {
	sum := 0.0
	for _, x := range check.Must(w.Matrix())[at] {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// projectedNoise states that the noise of Theorem 3.2 at Δ₂ = share·β is private for every step to a neighbor.
func projectedNoise(move func(projectedCase) float64, share float64) check.Statement[projectedCase] {
	spent := func(c projectedCase) evidence.Certified {
		sigma := check.Must(gaussian.Sigma(check.BudgetOf(c.eps), check.DeltaOf(c.delta), share))
		return check.Must(gaussian.Delta(check.BudgetOf(c.eps), sigma.Hi, move(c)))
	}
	draw := func(rng *rand.Rand) projectedCase {
		c := projectedCase{privacyPoint: privacyPoint{math.Pow(10, 2*rng.Float64()-1), math.Pow(10, -8*rng.Float64()) * 0.4}, p: 1 + rng.IntN(20), k: 1 + rng.IntN(20), seed: rng.Uint64N(1000)}
		c.at = rng.IntN(c.p)
		return c
	}
	return check.Statement[projectedCase]{
		Family: "ε = 1, δ = 1e-6, p, k ≤ 4, every coordinate, three W",
		Each: check.Grid(func(c *projectedCase) []check.Axis {
			c.privacyPoint = privacyPoint{1, 1e-6}
			return []check.Axis{
				check.Span(&c.p, 1, 4),
				check.Span(&c.k, 1, 4),
				check.Span(&c.at, 0, 3),
				check.Span(&c.seed, 0, 2),
				check.Where(func() bool { return c.at < c.p }),
			}
		}),
		Draw:  draw,
		Holds: func(c projectedCase) bool { return spent(c).Lo <= c.delta },
	}
}

// ratioPoint holds p, k and σ.
type ratioPoint struct {
	p, k  int64
	sigma *big.Rat
}

// terms returns σ², kσ⁴ and 1/k.
func (c ratioPoint) terms() (square, fourth, inverse *big.Rat) {
	square = new(big.Rat).Mul(c.sigma, c.sigma)
	fourth = new(big.Rat).Mul(square, square)
	return square, fourth.Mul(fourth, big.NewRat(c.k, 1)), big.NewRat(1, c.k)
}

// denominator returns 2σ² + kσ⁴ + 1/k.
func (c ratioPoint) denominator() *big.Rat {
	square, fourth, inverse := c.terms()
	sum := new(big.Rat).Add(square, square)
	return sum.Add(sum, fourth).Add(sum, inverse)
}

// relative returns R/(p/k), where R is the ratio of (16).
func (c ratioPoint) relative() *big.Rat {
	square, fourth, _ := c.terms()
	r := new(big.Rat).Mul(square, big.NewRat(2*c.k, c.p))
	return r.Add(r, fourth).Quo(r, c.denominator())
}

func unitLimit(ratioPoint) *big.Rat { return check.One }

// smallTerms returns (2σ² + 1/k)/(kσ⁴).
func smallTerms(c ratioPoint) *big.Rat {
	square, fourth, inverse := c.terms()
	sum := new(big.Rat).Add(square, square)
	return sum.Add(sum, inverse).Quo(sum, fourth)
}

// fixedLimit returns kσ⁴/(2σ² + kσ⁴ + 1/k).
func fixedLimit(c ratioPoint) *big.Rat {
	_, fourth, _ := c.terms()
	return fourth.Quo(fourth, c.denominator())
}

// ratioNear states that R/(p/k) equals a limit up to a tolerance. It also states that the workbench's R, a float64 of
// at most eight operations, equals this R up to rounding.
func ratioNear(limit, within func(ratioPoint) *big.Rat) check.Statement[ratioPoint] {
	return check.Statement[ratioPoint]{
		Family: "p = 1, 100, 10⁴, …, 10⁸, k/p = 1, 1/2, 1/20, 1/100 up to k = 10⁶, and k = 1, 10, σ in {10, 1, 1/10}",
		Each: check.Grid(func(c *ratioPoint) []check.Axis {
			var which int
			return []check.Axis{
				check.Over(&c.p, 1, 100, 1e4, 1e6, 1e8),
				check.Span(&which, 0, 5),
				check.Over(&c.sigma, check.One, big.NewRat(10, 1), big.NewRat(1, 10)),
				check.Where(func() bool {
					counts := []int64{c.p, c.p / 2, c.p / 20, c.p / 100, 1, 10}
					c.k = counts[which]
					return c.k > 0 && c.k <= min(c.p, 1e6) && slices.Index(counts, c.k) == which // each once
				}),
			}
		}),
		Draw: func(rng *rand.Rand) ratioPoint {
			p := 1 + rng.Int64N(1e6)
			return ratioPoint{p, 1 + rng.Int64N(p), big.NewRat(1+rng.Int64N(100), 1+rng.Int64N(100))}
		},
		Holds: func(c ratioPoint) bool {
			got := c.relative()
			sigma, _ := c.sigma.Float64()
			r := check.Must(signrp.VarianceRatio(int(c.p), int(c.k), sigma))
			want, _ := new(big.Rat).Mul(got, big.NewRat(c.p, c.k)).Float64()
			gap := new(big.Rat).Sub(got, limit(c))
			// σ is rounded to a float64, and R has its fourth power.
			return math.Abs(r-want) <= 16*check.Epsilon64*want && gap.Abs(gap).Cmp(within(c)) <= 0
		},
		Witness: func(c ratioPoint) *check.Witness {
			return check.NewWitness(check.Named("p", c.p, "k", c.k, "sigma", c.sigma, "R/(p/k)", c.relative().FloatString(6), "limit", limit(c).FloatString(6)),
				check.Vars{"p": c.p, "k": c.k, "sigma": c.sigma, "limit": limit(c), "within": within(c)},
				"r = variance_ratio({p}, {k}, {sigma}) / ({p} / {k}); print(r, {limit}, abs(r - {limit}) <= {within})")
		},
	}
}

// smallNoise states that the σ of the analytic Gaussian mechanism at Δ₂ = 1, δ = 1e-6 is at least 0.1 for every ε up to
// most.
func smallNoise(most float64) check.Statement[float64] {
	return check.Statement[float64]{
		Family: fmt.Sprintf("ε = 1, 2, … and %g", most),
		Each: func(yield func(float64) bool) {
			for eps := 1.0; eps < most; eps++ {
				if !yield(eps) {
					return
				}
			}
			yield(most)
		},
		Holds: func(eps float64) bool {
			return check.Must(gaussian.Sigma(check.BudgetOf(eps), check.DeltaOf(1e-6), 1)).Hi >= 0.1
		},
		Witness: func(eps float64) *check.Witness {
			return check.NewWitness(check.Named("eps", eps, "delta", "1e-6", "sensitivity", "1"),
				check.Vars{"eps": eps}, "s = gaussian_sigma({eps}, 1e-6); print(s.hi, 0.1, s.hi >= 0.1)")
		},
		Measure: func(float64) []check.Item {
			return []check.Item{{Label: "smallest ε at σ = 0.1", Number: check.Must(gaussian.Epsilon(check.DeltaOf(1e-6), 0.1, 1))}}
		},
	}
}
