package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorPrivacyClaims holds Theorem 1, the allocation's choice of α, and blocks.
func xorPrivacyClaims() []Claim {
	return []Claim{{
		ID: "xor.theorem1", Paper: xorPaper, Place: "Theorem 1",
		Statement:  "s_f (‖λ(Θ)‖₂ + Σ_{i<j} ‖λ(Λ_ij)‖₂) ≤ ε suffices for ε-differential privacy",
		Hypotheses: "queries of neighbors differ in at most s_f bits",
		Recorded:   evidence.Refuted,
		check:      theorem1.check,
	}, {
		ID: "xor.allocation", Paper: xorPaper, Place: "Section 5.3",
		Statement:  "with 1/2 < α < 1 more structure survives: the noise of Algorithm 1's form with Λ > 0 flips fewer bits than with α = 1",
		Hypotheses: "N ≥ 2; the same smallest ε for at most s_f ≤ P bits; the complement of B as noise",
		Corrected:  "α = 1 flips fewest: every conditional logit is at most θ + 2λ(N−1) = ε/s_f, the logit of independent bits at that ε",
		Recorded:   evidence.Refuted,
		check:      withCorrection(sharing(true).check, sharing(false).check),
	}, {
		ID: "xor.blocks", Paper: xorPaper, Place: "Section 5.2",
		Statement: "noise drawn block by block spends at most the sum of what its blocks spend",
		Recorded:  evidence.Confirmed,
		check:     blocks.check,
	}}
}

// theorem1 draws from the family that Section 5.1 supposes (positive entries),
// from Algorithm 1's own allocations, and from symmetric blocks of any sign.
var theorem1 = statement[noiseCase]{
	draw: func(rng *rand.Rand) noiseCase {
		switch rng.IntN(3) {
		case 0:
			return drawNoise(rng, 1)
		case 1:
			return drawNoise(rng, -20)
		}
		c := drawNoise(rng, 0)
		theta, lambda := c.theta[0][0], 0
		if c.n > 1 {
			lambda = c.lambda[0][0][0]
		}
		for k, m := range c.blocks() {
			for i := range *m {
				clear((*m)[i])
				(*m)[i][i] = lambda
				if k == 0 {
					(*m)[i][i] = theta
				}
			}
		}
		return c
	},
	holds: func(c noiseCase) (bool, error) {
		b := c.law()
		loss, err := b.SmallestEpsilon(context.Background(), xor.FlipBits(c.s), xor.LossOptions{General: true})
		if err != nil {
			return false, err
		}
		return loss.Lo <= b.ClaimedEpsilon(c.s).Value*(1+1e-12), nil
	},
	simpler: noiseCase.simpler,
	witness: func(c noiseCase) *Witness {
		b := c.law()
		loss, err := b.SmallestEpsilon(context.Background(), xor.FlipBits(c.s), xor.LossOptions{General: true})
		if err != nil {
			panic(err)
		}
		return &Witness{
			Fields: c.fields(Field{"s_f", fmt.Sprint(c.s)},
				Field{"condition (4)", fmt.Sprintf("%.6g", b.ClaimedEpsilon(c.s).Value)},
				Field{"smallest eps", fmt.Sprintf("%.6g", loss.Float())},
				Field{"noise bits on", fmt.Sprint(loss.Worst.On)}, Field{"bits that differ", fmt.Sprint(loss.Worst.Bits)}),
			Script: fmt.Sprintf("b = %s; print(b.claimed_epsilon(%d), b.smallest_epsilon(%d))", c.script(), c.s, c.s),
		}
	},
	measure: func(c noiseCase) []Item {
		b := c.law()
		loss, err := b.SmallestEpsilon(context.Background(), xor.FlipBits(c.s), xor.LossOptions{General: true})
		if err != nil {
			return nil
		}
		return []Item{{"condition (4)", b.ClaimedEpsilon(c.s)}, {"smallest ε", loss.Certified}}
	},
}

// exactlySpent returns the law of Algorithm 1's form with share α whose smallest
// ε is the budget's, and its flip rate complemented.
func (c budgetCase) exactlySpent(alpha float64) (rate evidence.Certified, err error) {
	u := c.budget()
	u.Alpha = alpha
	b, err := xor.Allocate(u)
	if err != nil {
		return rate, err
	}
	theta, lambda := b.Columns().Parameters()
	scale := u.Epsilon / b.Columns().LossAnywhere(c.s).Hi
	if b, err = xor.NewUniform(c.n, c.p, theta*scale, lambda*scale); err != nil {
		return rate, err
	}
	return b.Columns().FlipRate(true), nil
}

// sharing compares α with 1 at equal smallest ε: below says that α flips fewer
// bits, otherwise that it does not.
func sharing(below bool) statement[budgetCase] {
	return statement[budgetCase]{
		family: budgetFamily,
		each: func(yield func(budgetCase) bool) {
			budgets(func(c budgetCase) bool {
				if c.n < 2 || below && c.alpha <= 5 {
					return true
				}
				return yield(c)
			})
		},
		draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 12)
			c.n++
			if below {
				c.alpha = 6 + rng.IntN(4)
			}
			return c
		},
		holds: func(c budgetCase) (bool, error) {
			rate, err := c.exactlySpent(float64(c.alpha) / 10)
			if err != nil {
				return false, err
			}
			independent, err := c.exactlySpent(1)
			if err != nil {
				return false, err
			}
			if below {
				return rate.Hi < independent.Lo, nil
			}
			return rate.Hi*(1+1e-12) >= independent.Lo, nil // ε is met up to rounding
		},
		witness: func(c budgetCase) *Witness {
			rate, _ := c.exactlySpent(float64(c.alpha) / 10)
			independent, _ := c.exactlySpent(1)
			return &Witness{
				Fields: c.fields(Field{"flip rate", fmt.Sprintf("%.6g", rate.Float())}, Field{"flip rate at alpha = 1", fmt.Sprintf("%.6g", independent.Float())}),
				Script: fmt.Sprintf("print(optimize_alpha(%d, %d, %g, %d, privacy=\"exact\", complement=True).alpha)", c.n, c.p, float64(c.eps)/10, c.s),
			}
		},
	}
}

// tileCase is a partition.
type tileCase struct {
	budgetCase
	rows, columns int
}

// blocks: exact loss over tiles against the sum of each tile's own.
var blocks = statement[tileCase]{
	draw: func(rng *rand.Rand) tileCase {
		c := tileCase{drawBudget(rng, 6), 1 + rng.IntN(3), 1 + rng.IntN(3)}
		return c
	},
	holds: func(c tileCase) (bool, error) {
		q, err := xor.Divide(c.budget(), c.rows, c.columns)
		if err != nil {
			return false, err
		}
		whole, err := q.SmallestEpsilon(c.s)
		if err != nil {
			return false, err
		}
		var sum float64
		for _, t := range q.Tiles {
			sum += t.Law.Columns().LossAnywhere(c.s).Hi
		}
		return whole.Lo <= math.Nextafter(sum*(1+1e-15), math.Inf(1)), nil
	},
	witness: func(c tileCase) *Witness {
		return &Witness{Fields: c.fields(Field{"tile", fmt.Sprintf("%d × %d", c.rows, c.columns)}), Script: "print(" + c.script() + ")"}
	},
}
