package analytic

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// mediantCase is a fraction g(x) = (a0 + a1·x)/(b0 + b1·x) and two points x < y.
type mediantCase struct {
	a0, a1, b0, b1, x, y int64
}

func (c mediantCase) g(x int64) (*big.Rat, bool) {
	den := c.b0 + c.b1*x
	if den == 0 {
		return nil, false
	}
	return big.NewRat(c.a0+c.a1*x, den), true
}

// mediant states Lemma 1 for a fraction g at integers x < y: g increases if α₀/β₀ < α₁/β₁, and decreases otherwise. If
// nonnegative is set, only x ≥ 0 are visited.
func mediant(nonnegative bool, g func(c mediantCase, x int64) (*big.Rat, bool)) check.Statement[mediantCase] {
	least := int64(-3)
	if nonnegative {
		least = 0
	}
	return check.Statement[mediantCase]{
		Family: fmt.Sprintf("α in 0…2, β in 1…2, x < y in %d…3", least),
		Each: check.Grid(func(c *mediantCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.a0, 0, 2),
				check.Span(&c.a1, 0, 2),
				check.Span(&c.b0, 1, 2),
				check.Span(&c.b1, 1, 2),
				check.Span(&c.x, least, 3),
				check.Span(&c.y, least, 3),
				check.Where(func() bool { return c.x < c.y }),
			}
		}),
		Draw: func(rng *rand.Rand) mediantCase {
			c := mediantCase{a0: rng.Int64N(50), a1: rng.Int64N(50), b0: 1 + rng.Int64N(50), b1: 1 + rng.Int64N(50)}
			c.x = least * 10
			c.x += rng.Int64N(60)
			c.y = c.x + 1 + rng.Int64N(60)
			return c
		},
		Applies: func(c mediantCase) bool { // where g is defined
			_, okx := g(c, c.x)
			_, oky := g(c, c.y)
			return okx && oky
		},
		Holds: func(c mediantCase) bool {
			gx, okx := g(c, c.x)
			gy, oky := g(c, c.y)
			if !okx || !oky {
				return true
			}
			if c.a0*c.b1 < c.a1*c.b0 {
				return gx.Cmp(gy) <= 0
			}
			return gx.Cmp(gy) >= 0
		},
		Simpler: func(c mediantCase) iter.Seq[mediantCase] {
			return func(yield func(mediantCase) bool) {
				c.x++
				_ = c.x < c.y && yield(c)
			}
		},
		Witness: func(c mediantCase) *check.Witness {
			gx, _ := c.g(c.x)
			gy, _ := c.g(c.y)
			return check.NewWitness(check.Named("alpha", fmt.Sprintf("(%d, %d)", c.a0, c.a1), "beta", fmt.Sprintf("(%d, %d)", c.b0, c.b1), "x", c.x, "y", c.y, "g(x)", gx, "g(y)", gy),
				check.Vars{"a0": c.a0, "a1": c.a1, "b0": c.b0, "b1": c.b1, "x": c.x, "y": c.y},
				"g = lambda x: ({a0} + {a1}*x) / ({b0} + {b1}*x); print(g({x}), g({y}), (g({x}) < g({y})) == ({a0} / {b0} < {a1} / {b1}))")
		},
	}
}

// mediantChecks returns the checks of Lemma 1, from which the paper derives how migrations change the utility.
func mediantChecks() check.Checks {
	return check.Checks{
		"analytic.lemma1": check.WithCorrection(mediant(false, mediantCase.g).Check, mediant(true, mediantCase.g).Check),
	}
}
