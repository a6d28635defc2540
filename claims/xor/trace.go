package xor

import (
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// xorTraceChecks returns the checks of the steps of Theorem 1's proof about one row of the noise.
func xorTraceChecks() check.Checks {
	return check.Checks{
		"xor.theorem1.rows": check.WithCorrection(check.Surveyed(rowTrace(func(_, trace int) bool { return trace == 0 })), rowTrace(positiveUnlessZero).Check),
	}
}

func positiveUnlessZero(row, trace int) bool { return (trace > 0) == (row != 0) }

// rowTrace states a property, asks, of each row b of bits and of 10·Tr[Λ b bᵀ]. Λ is the Θ of a law of one
// object. Bit k of the number row is entry k of b.
func rowTrace(asks func(row, trace int) bool) check.Statement[answerCase] {
	trace := func(c answerCase) int { return c.exponents()[c.answer] }
	return check.Statement[answerCase]{
		Family: "P ≤ 2, Λ positive definite with entries in {.1, .2, .3}, every row",
		Each: check.Grid(func(c *answerCase) []check.Axis {
			return []check.Axis{
				check.From(&c.noiseCase, check.Keep(noiseGrid([][2]int{{1, 1}, {1, 2}}, 1, 2, 3), positiveDefinite)),
				check.Span(&c.answer, 0, 3),
				check.Where(func() bool { return c.answer < 1<<c.p }),
			}
		}),
		Draw: func(rng *rand.Rand) answerCase {
			c := positiveDefiniteNoise.draw(rng)
			return answerCase{noiseCase{n: 1, p: c.p, s: 1, theta: c.theta}, rng.IntN(1 << c.p)}
		},
		Holds: func(c answerCase) bool { return asks(c.answer, trace(c)) },
		Witness: func(c answerCase) *check.Witness {
			var row []int
			for k := range c.p {
				row = append(row, c.answer>>k&1)
			}
			return check.NewWitness(check.Named("Lambda", check.Lists(tenths(c.theta)), "row", check.List(row), "trace", float64(trace(c))/10),
				check.Vars{"theta": tenths(c.theta), "row": row},
				"m = {theta}; b = {row}; r = range(len(b)); t = sum([b[i]*m[i][j]*b[j] for i in r for j in r]); print(t, 0, t == 0)")
		},
	}
}
