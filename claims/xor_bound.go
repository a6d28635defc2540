package claims

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorBoundClaims holds Proposition 1 and its use.
func xorBoundClaims() []Claim {
	return []Claim{{
		ID: "xor.proposition1", Paper: xorPaper, Place: "Proposition 1",
		Statement:  "g(Π) = E‖B‖² ≤ U(Π)/L(Π)",
		Hypotheses: "Θ and Λ_ij positive definite with positive entries; checked for semidefinite ones without negative entries too",
		Recorded:   evidence.Confirmed,
		Remark:     "loose", // U bounds λ_max(Π) by twice the sum over pairs, L keeps two terms of a series
		check: measuring("U/L over E‖B‖²", func(r *ratioRange) func(context.Context, *Run) (Outcome, error) {
			return boundsMean(r, (*xor.Bernoulli).Bound).check
		}),
	}, {
		ID: "xor.proposition1.surrogate", Paper: xorPaper, Place: "Section 5.1, (6) in place of (5)", Covers: []string{},
		Statement:  "minimising U/L is not minimising E‖B‖²: of two shares α < β of Algorithm 1, which meet (4) alike, β has the smaller U/L and the larger E‖B‖²",
		Hypotheses: "N ≥ 4, 0 < α < β < 1; the paper calls (6) a heuristic and claims no order",
		Recorded:   evidence.Confirmed,
		Beyond:     true,
		check:      againstOrder(4).check,
	}}
}

// boundsMean says that E‖B‖² is at most a bound.
func boundsMean(r *ratioRange, bound func(*xor.Bernoulli) (evidence.Claimed, bool)) statement[noiseCase] {
	return statement[noiseCase]{
		family: "(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, positive definite blocks of entries in {.1, .2, .3}",
		each: func(yield func(noiseCase) bool) {
			for c := range positiveDefiniteNoise.each {
				if c.s == 1 && !yield(c) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) noiseCase {
			if rng.IntN(2) == 0 {
				return drawGram(rng)
			}
			return positiveDefiniteNoise.draw(rng)
		},
		holds: func(c noiseCase) (bool, error) {
			b := c.law()
			most, covered := bound(b)
			if !covered { // met by none of the family and few at random
				return true, nil
			}
			mean, err := b.MeanOnes(context.Background(), false, xor.Options{})
			if err != nil {
				return false, err
			}
			r.see(evidence.Certified{Lo: most.Value / mean.Hi * (1 - boundRounding), Hi: most.Value / mean.Lo * (1 + boundRounding), Method: "enumeration", Source: "Proposition 1"})
			return mean.Lo <= most.Value*(1+boundRounding), nil
		},
		simpler: among(positiveDefinite),
		witness: func(c noiseCase) *Witness {
			return &Witness{Fields: c.fields(), Script: fmt.Sprintf("b = %s; m = b.error_rate().lo*b.size; u = b.bound().value; print(m, u, m <= u)", c.script())}
		},
	}
}

// againstOrder says that the higher of two shares has the smaller U/L and the
// larger E‖B‖², for at least a number of objects.
func againstOrder(objects int) statement[shareCase] {
	numbers := func(c budgetCase) (bound float64, rate evidence.Certified) {
		b := c.law()
		u, _ := b.Bound()
		return u.Value, flipRate(b.Columns(), false)
	}
	return statement[shareCase]{
		family: fmt.Sprintf("%d ≤ N ≤ 5, P ≤ 3, s_f = 1, ε in {.1, 1, 5}, α < β in {.1, .3, .5, .7, .9}", objects),
		each:   shares(func(c shareCase) bool { return c.n >= objects }),
		draw: func(rng *rand.Rand) shareCase {
			c := drawShares(rng, 20)
			c.n += objects - 1
			c.alpha, c.beta = min(max(c.alpha, 1), 8), min(max(c.beta, 2), 9)
			c.beta = max(c.beta, c.alpha+1)
			return c
		},
		holds: func(c shareCase) (bool, error) {
			u, g := numbers(c.budgetCase)
			v, h := numbers(c.at(c.beta))
			return clearlyBelow(v, u) && g.Hi < h.Lo, nil
		},
		witness: func(c shareCase) *Witness {
			u, g := numbers(c.budgetCase)
			v, h := numbers(c.at(c.beta))
			return &Witness{
				Fields: c.fields(Field{"U/L at alpha", fmt.Sprintf("%.6g", u)}, Field{"U/L at beta", fmt.Sprintf("%.6g", v)},
					Field{"flip rate at alpha", fmt.Sprintf("%.6g", g.Float())}, Field{"flip rate at beta", fmt.Sprintf("%.6g", h.Float())}),
				Script: fmt.Sprintf("a = %s; b = %s; u = a.bound().value; v = b.bound().value; g = a.error_rate(); h = b.error_rate(); print([u, v], [g.value, h.value], v < u and g.lo < h.hi)",
					c.script(), c.at(c.beta).script()),
			}
		},
	}
}

// boundRounding bounds the relative error of U/L: an exponential of less than 700, of
// which the exponent is a sum within 8 ulps, and as much again.
const boundRounding = 2 * 700 * 8 * epsilon64

// clearlyBelow reports whether the first of two values of U/L is below the second
// beyond their rounding.
func clearlyBelow(a, b float64) bool { return a < b*(1-2*boundRounding) }
