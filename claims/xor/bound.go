package xor

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorBoundChecks returns the checks of Proposition 1 and its application.
func xorBoundChecks() check.Checks {
	return check.Checks{
		// The bound is loose: U bounds λ_max(Π) by twice the sum over pairs, and L keeps only two terms of a series.
		"xor.proposition1": check.Measuring("U/L over E‖B‖²", func(r *check.RatioRange) check.Checker {
			return boundsMean(r, (*xor.Bernoulli).Bound).Check
		}),
		"xor.proposition1.surrogate": againstOrder(4).Check,
	}
}

// boundsMean states that E‖B‖² is at most bound, for laws that satisfy its hypothesis.
func boundsMean(r *check.RatioRange, bound func(*xor.Bernoulli) (evidence.Claimed, bool)) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: "(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, positive definite blocks of entries in {.1, .2, .3}",
		Each:   check.Keep(positiveDefiniteNoise.each, func(c noiseCase) bool { return c.s == 1 }),
		Draw: func(rng *rand.Rand) noiseCase {
			if rng.IntN(2) == 0 {
				return drawGram(rng)
			}
			return positiveDefiniteNoise.draw(rng)
		},
		Holds: func(c noiseCase) bool {
			b := c.law()
			most, covered := bound(b)
			if !covered { // every instance of the family satisfies the hypothesis, and so do most random ones
				return true
			}
			mean := check.Must(b.MeanOnes(context.Background(), xor.Plain))
			r.See(evidence.Certified{Lo: most.Value / mean.Hi * (1 - boundRounding), Hi: most.Value / mean.Lo * (1 + boundRounding), Provenance: evidence.From("Proposition 1").By("enumeration")})
			return mean.Lo <= most.Value*(1+boundRounding)
		},
	}
}

// againstOrder states that the higher of two shares has the smaller U/L and the larger E‖B‖², if there are at least the
// given number of objects.
func againstOrder(objects int) check.Statement[shareCase] {
	numbers := func(c budgetCase) (bound float64, rate evidence.Certified) {
		b := c.law()
		u, _ := b.Bound()
		return u.Value, flipRate(b.Columns(), false)
	}
	return check.Statement[shareCase]{
		Family: fmt.Sprintf("%d ≤ N ≤ 5, P ≤ 3, s_f = 1, ε in {.1, 1, 5}, α < β in {.1, .3, .5, .7, .9}", objects),
		Each:   shares(func(c shareCase) bool { return c.n >= objects }),
		Draw: func(rng *rand.Rand) shareCase {
			c := drawShares(rng, 20)
			c.n += objects - 1
			c.alpha, c.beta = min(max(c.alpha, 1), 8), min(max(c.beta, 2), 9)
			c.beta = max(c.beta, c.alpha+1)
			return c
		},
		Holds: func(c shareCase) bool {
			u, g := numbers(c.budgetCase)
			v, h := numbers(c.at(c.beta))
			return clearlyBelow(v, u) && g.Hi < h.Lo
		},
	}
}

// boundRounding bounds the relative error of U/L: an exponential whose exponent is a sum below 700 within 8 ulps,
// doubled for the other operations.
const boundRounding = 2 * 700 * 8 * check.Epsilon64

// clearlyBelow reports whether one value of U/L is below another by more than their rounding.
func clearlyBelow(a, b float64) bool { return a < b*(1-2*boundRounding) }
