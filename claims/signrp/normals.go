package signrp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/signrp"
)

// normalChecks returns the checks of Lemma E.1 on a pair of centred normals.
func normalChecks() check.Checks {
	return check.Checks{
		"signrp.lemmaE1":         normalPair(printedNormals).Check,
		"signrp.lemmaE1.printed": check.WithCorrection(extremeAtZero(-1).Check, extremeAtZero(1).Check),
	}
}

// normalParts holds the three quantities of Lemma E.1 as functions of the pair.
type normalParts struct {
	exceeds func(n signrp.Normals) (float64, error)
	mean    func(n signrp.Normals) (float64, error)
	bound   func(t float64) float64
}

var printedNormals = normalParts{
	exceeds: signrp.Normals.Exceeds,
	mean:    signrp.Normals.MeanExceeding,
	bound:   func(t float64) float64 { return math.Exp(-t * t / 2) },
}

// simpsonError bounds the error of an integral of exceedingMoments: h⁴/2880 ∫|f⁗| on cells of h = 1/200, doubled. f is
// φ or zφ, whose derivatives up to the fourth have integrals below 4, times Φ(az) − Φ(−bz). The slopes are a, b ≤ c =
// (r + |ρ|)/√(1−ρ²) ≤ 19 for r ≤ 5, |ρ| ≤ .95. The k-th derivative of the difference is at most 2·1.5·c^{k−1}, so ∫|f⁗|
// ≤ 4 + 12(4 + 6c + 4c² + c³) < 10⁵. The tail beyond 10 and the rounding are below 1e-12.
const simpsonError = 5e-8

// exceedingMoments returns Pr(|X| > |Y|), the mean of |X|/σ_x restricted to that event (not conditional on it), and the
// probabilities of the event together with |X| > tσ_x. It integrates the law of Y given X over z = x/σ_x by Simpson's
// rule.
func exceedingMoments(n signrp.Normals, ts ...float64) (p, mean float64, tails []float64) {
	root := math.Sqrt(1 - n.Rho*n.Rho)
	inside := func(z float64) float64 { // φ(z)·Pr(|Y| < |X| given X = zσ_x)
		x := n.Ratio * math.Abs(z)
		return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * (normalCDF((x-n.Rho*z)/root) - normalCDF((-x-n.Rho*z)/root))
	}
	simpson := func(from float64, f func(z float64) float64) float64 {
		cells := int(200 * (10 - from))
		h := (10 - from) / float64(cells)
		sum, before := 0.0, f(from)
		for i := range cells {
			a := from + float64(i)*h
			after := f(a + h)
			sum += h / 6 * (before + 4*f(a+h/2) + after)
			before = after
		}
		return 2 * sum // the integrands are even
	}
	p = simpson(0, inside)
	mean = simpson(0, func(z float64) float64 { return z * inside(z) })
	for _, t := range ts {
		tails = append(tails, simpson(t, inside))
	}
	return p, mean, tails
}

func normalPair(stated normalParts) check.Statement[signrp.Normals] {
	return check.Statement[signrp.Normals]{
		Family: "r in {¼, ½, 1, 2}, ρ in {0, ±.3, ±.6, ±.9}",
		Each: check.Grid(func(c *signrp.Normals) []check.Axis {
			return []check.Axis{
				check.Over(&c.Ratio, 1, 0.5, 0.25, 2),
				check.Over(&c.Rho, 0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9),
			}
		}),
		Draw: func(rng *rand.Rand) signrp.Normals {
			return signrp.Normals{Ratio: math.Pow(5, 2*rng.Float64()-1), Rho: 1.9*rng.Float64() - 0.95}
		},
		Holds: func(n signrp.Normals) bool {
			got := check.Must(stated.exceeds(n))
			centred := check.Must(stated.exceeds(signrp.Normals{Ratio: n.Ratio}))
			conditional := check.Must(stated.mean(n))
			ts := []float64{0.25, 1, 2}
			p, mean, tails := exceedingMoments(n, ts...)
			for i, t := range ts {
				if tails[i] > stated.bound(t)*p+2*simpsonError {
					return false
				}
			}
			return math.Abs(got-p) <= simpsonError && math.Abs(conditional*p-mean) <= (1+conditional)*simpsonError &&
				(n.Ratio > 1 || got <= centred+8*check.Epsilon64)
		},
	}
}

// extremeAtZero states that sign·Pr(|X| > |Y|) is largest at ρ = 0.
func extremeAtZero(sign float64) check.Statement[signrp.Normals] {
	written := map[bool]string{true: "a >= b", false: "a <= b"}[sign > 0]
	return check.Statement[signrp.Normals]{
		Family: "r in {1, ½, ¼}, ρ in {.3, .6, .9}",
		Each: check.Grid(func(c *signrp.Normals) []check.Axis {
			return []check.Axis{
				check.Over(&c.Ratio, 1, 0.5, 0.25),
				check.Over(&c.Rho, 0.3, 0.6, 0.9),
			}
		}),
		Draw: func(rng *rand.Rand) signrp.Normals {
			return signrp.Normals{Ratio: 0.05 + 0.95*rng.Float64(), Rho: 1.9*rng.Float64() - 0.95}
		},
		Holds: func(n signrp.Normals) bool {
			got, _, _ := exceedingMoments(n)
			centred, _, _ := exceedingMoments(signrp.Normals{Ratio: n.Ratio})
			return sign*got <= sign*centred+2*simpsonError
		},
		Witness: func(n signrp.Normals) *check.Witness {
			got, _, _ := exceedingMoments(n)
			centred, _, _ := exceedingMoments(signrp.Normals{Ratio: n.Ratio})
			return check.NewWitness(check.Named("r", n.Ratio, "rho", n.Rho, "Pr(|X| > |Y|) at rho = 0", fmt.Sprintf("%.9f", centred), "at rho", fmt.Sprintf("%.9f", got)),
				check.Vars{"r": n.Ratio, "rho": n.Rho},
				"at = lambda rho: (math.atan(({r} - rho) / math.sqrt(1 - rho * rho)) + math.atan(({r} + rho) / math.sqrt(1 - rho * rho))) / math.pi",
				"a, b = at(0), at({rho}); print(a, b, "+written+")")
		},
	}
}
