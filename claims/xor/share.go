package xor

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// xorShareChecks returns the checks of the statements about the share α and about the toy example.
func xorShareChecks() check.Checks {
	return check.Checks{
		"xor.allocation":   sharing(budgetCase.exactlySpent).Check,
		"xor.figure1":      check.WithCorrection(check.Surveyed(publishedShares()), higherShare(true, 4).Check),
		"xor.figure1.same": check.WithCorrection(sameImage.Check, leavesAlone(1).Check),
	}
}

// exactlySpent returns the flip rate of the complement at share α. The law of Algorithm 1 is scaled so that its
// smallest ε is the budget's.
func (c budgetCase) exactlySpent(alpha int) evidence.Certified {
	b := c.at(alpha).law()
	b = check.Must(b.Scale(float64(c.eps) / 10 / b.Columns().LossAnywhere(c.s).Hi))
	return flipRate(b.Columns(), true)
}

// sharing states that no share has a lower flip rate than α = 1, up to the rounding of ε.
func sharing(flips func(c budgetCase, alpha int) evidence.Certified) check.Statement[budgetCase] {
	return check.Statement[budgetCase]{
		Family: budgetFamily + ", N ≥ 2",
		Each:   budgets(several),
		Draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 12)
			c.n++
			c.alpha = rng.IntN(10)
			return c
		},
		Holds: func(c budgetCase) bool {
			rate, independent := flips(c, c.alpha), flips(c, 10)
			// ε is accurate to four ulps, and so are the logits, which are at most 50 in total
			return rate.Hi*(1+400*check.Epsilon64) >= independent.Lo
		},
	}
}

// higherShare states that the complement of B (or B itself, if complement is false) flips fewer bits at the higher
// share.
func higherShare(complement bool, objects int) check.Statement[shareCase] {
	allowed := func(c shareCase) bool { return c.n >= objects }
	rates := func(c shareCase) (low, high evidence.Certified) {
		return flipRate(c.law().Columns(), complement), flipRate(c.at(c.beta).law().Columns(), complement)
	}
	return check.Statement[shareCase]{
		Family: fmt.Sprintf("%d ≤ N ≤ 5, P ≤ 3, s_f = 1, ε in {.1, 1, 5}, α < β in {.1, .3, .5, .7, .9}", objects),
		Each:   shares(allowed),
		Draw: func(rng *rand.Rand) shareCase {
			c := drawShares(rng, 20)
			c.n += objects - 1
			return c
		},
		Holds: func(c shareCase) bool {
			low, high := rates(c)
			return high.Hi < low.Lo
		},
		Witness: func(c shareCase) *check.Witness {
			low, high := rates(c)
			return check.NewWitness(c.fields("flip rate at alpha", fmt.Sprintf("%.6g", low), "flip rate at beta", fmt.Sprintf("%.6g", high)),
				check.Vars{"law": c.script(), "complement": complement, "other": c.at(c.beta).script()},
				"p = {law}.error_rate(complement={complement}); q = {other}.error_rate(complement={complement}); print(q, p, q.lo < p.hi)")
		},
	}
}

// publishedShares states that B flips fewer bits at the higher of the two shares of Figure 1, at its three budgets.
func publishedShares() check.Statement[shareCase] {
	s := higherShare(false, 5)
	s.Family = "α = .3 and β = .7, ε in {.7, .5, .3}, 5 × 5 to 28 × 28 pixels"
	s.Draw = nil
	s.Each = check.Grid(func(c *shareCase) []check.Axis {
		c.s = 1
		c.alpha = 3
		c.beta = 7
		return []check.Axis{
			check.Span(&c.n, 5, 28),
			check.Over(&c.eps, 7, 5, 3),
			check.Let(func() { c.p = c.n }),
		}
	})
	return s
}

// imageCase is a published release of an image of side × side pixels.
type imageCase struct{ side, eps int }

// sameImage states that the bound of leavesAlone at d = side² bits is at least .001.
var sameImage = check.Statement[imageCase]{
	Family: "ε = .7, 5 × 5 to 8 × 8 pixels",
	Each: check.Grid(func(c *imageCase) []check.Axis {
		c.eps = 7
		return []check.Axis{
			check.Span(&c.side, 5, 8),
		}
	}),
	Holds: func(c imageCase) bool {
		return !unchanged(float64(c.eps)/10, c.side*c.side).Less(interval.Rat(check.Ratio(1, 1000)))
	},
	Witness: func(c imageCase) *check.Witness {
		return check.NewWitness(check.Named("pixels", fmt.Sprintf("%d x %d", c.side, c.side), "eps", float64(c.eps)/10, "probability at most", fmt.Sprintf("%.3g", evidence.EnclosedLoss(unchanged(float64(c.eps)/10, c.side*c.side), "", ""))),
			check.Vars{"eps": float64(c.eps) / 10, "side": c.side * c.side}, "p = math.pow(1 + math.exp(-{eps}), -{side}); print(p, 0.001, p >= 0.001)")
	},
}

// unchanged encloses (1 + e^{−ε})^{−d}.
func unchanged(eps float64, d int) interval.Interval {
	one := interval.Int(1)
	return one.Quo(one.Add(interval.Float(eps).Neg().Exp()).Pow(d))
}

// leavesAlone states that Pr[B = 0] ≤ (1 + e^{−ε})^{−power·d}, where ε is the smallest for neighbors that differ in one
// bit.
func leavesAlone(power int) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10), Draw: drawCoins,
		Holds: func(c noiseCase) bool {
			e := c.exponents()
			none := distribution(e)[0]
			return none <= unchanged(float64(greatestLoss(e, 1))/10, power*c.n*c.p).Mid()*(1+1024*check.Epsilon64) // a sum of at most 512 weights
		},
	}
}
