package xor

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorUtilityChecks returns the checks of the statements about the error rate.
func xorUtilityChecks() check.Checks {
	return check.Checks{
		"xor.theorem2":     meanError(weightedOnes).Check,
		"xor.remark2":      check.WithCorrection(check.Surveyed(budgetHelps(false, anyParameters)), budgetHelps(true, noneNegative).Check),
		"xor.remark2.zero": check.WithCorrection(check.Surveyed(uniformIsWorst(false, anyParameters)), uniformIsWorst(true, noneNegative).Check),
	}
}

// answerCase is a noise law and a query's answer f(D). Bit k of answer is entry k of f(D).
type answerCase struct {
	noiseCase
	answer int
}

// weightedOnes returns the right side of Theorem 2, which package xor computes by enumeration.
func weightedOnes(c answerCase) evidence.Certified {
	return check.Must(c.law().ErrorRate(context.Background(), bits.OnesCount(uint(c.answer)), xor.Plain))
}

// meanError states that the given error rate is the mean error of Definition 6 over all noise matrices B,
// weighted by their probabilities of Definition 4.
func meanError(stated func(answerCase) evidence.Certified) check.Statement[answerCase] {
	mean := func(c answerCase) float64 {
		var sum, norm float64
		for k := range c.n * c.p {
			norm += float64(c.answer >> k & 1)
		}
		for state, p := range distribution(c.exponents()) {
			for k := range c.n * c.p {
				released := (c.answer ^ state) >> k & 1
				d := float64(released - c.answer>>k&1)
				sum += p * d * d
			}
		}
		return sum / norm
	}
	return check.Statement[answerCase]{
		Family: "N, P ≤ 2, NP ≤ 2, entries in {−1, 0, 1}, every f(D) ≠ 0",
		Each: check.Grid(func(c *answerCase) []check.Axis {
			return []check.Axis{
				check.From(&c.noiseCase, noiseGrid([][2]int{{1, 1}, {1, 2}, {2, 1}}, 0, 10, -10)),
				check.Span(&c.answer, 1, 3),
				check.Where(func() bool { return c.answer < 1<<(c.n*c.p) }),
			}
		}),
		Draw: func(rng *rand.Rand) answerCase {
			c := drawNoise(rng, -20)
			return answerCase{c, 1 + rng.IntN(1<<(c.n*c.p)-1)}
		},
		Holds: func(c answerCase) bool {
			got, m := stated(c), mean(c)
			// m is a sum of at most 512·9 numbers ≥ 0, so its relative rounding error is below 1e-12.
			return got.Lo*(1-1e-12) <= m && m <= got.Hi*(1+1e-12)
		},
	}
}

// parameterKind is a set of noise laws with Π ≠ 0.
type parameterKind struct {
	family string
	values []int
	least  int // smallest random entry, in tenths
}

var (
	anyParameters = parameterKind{"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, entries in {−1, 0, 1}, Π ≠ 0", []int{0, -10, 10}, -20}
	noneNegative  = parameterKind{"(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, entries in {0, 1}, Π ≠ 0", []int{0, 10}, 0}
)

func (k parameterKind) each(yield func(noiseCase) bool) {
	check.Keep(noiseGrid([][2]int{{1, 1}, {1, 2}, {2, 1}, {3, 1}}, k.values...), func(c noiseCase) bool { return !c.zero() })(yield)
}

func (k parameterKind) draw(rng *rand.Rand) noiseCase {
	for {
		if c := drawNoise(rng, k.least); !c.zero() {
			return c
		}
	}
}

// meanOnes returns E‖B‖² at factor·Π, or E‖1 − B‖² if complement is set.
func (c noiseCase) meanOnes(factor float64, complement bool) evidence.Certified {
	return check.Must(check.Must(c.law().Scale(factor)).MeanOnes(context.Background(), xor.Variant(complement)))
}

// budgetHelps states that E‖B‖² (or E‖1 − B‖², if complement is set) is smaller at 2Π than at Π.
func budgetHelps(complement bool, kind parameterKind) check.Statement[noiseCase] {
	means := func(c noiseCase) (small, large evidence.Certified) {
		return c.meanOnes(1, complement), c.meanOnes(2, complement)
	}
	return check.Statement[noiseCase]{
		Family: kind.family, Each: kind.each, Draw: kind.draw,
		Holds: func(c noiseCase) bool {
			small, large := means(c)
			return large.Hi < small.Lo
		},
		Witness: func(c noiseCase) *check.Witness {
			small, large := means(c)
			return check.NewWitness(c.fields("E|B|^2 at Pi", fmt.Sprintf("%.4f", small), "E|B|^2 at 2 Pi", fmt.Sprintf("%.4f", large)),
				check.Vars{"law": c.script(), "complement": complement},
				"b = {law}; p = b.error_rate(complement={complement}); q = b.scaled(2).error_rate(complement={complement})",
				"print(q, p, q.lo < p.hi)")
		},
		Measure: func(c noiseCase) []check.Item {
			small, large := means(c)
			return []check.Item{{Label: "E‖B‖² at Π", Number: small}, {Label: "E‖B‖² at 2Π", Number: large}}
		},
	}
}

// uniformIsWorst states that E‖B‖² ≤ NP/2 for all Π ≠ 0, or that E‖1 − B‖² < NP/2 if complement is set.
func uniformIsWorst(complement bool, kind parameterKind) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: kind.family, Each: kind.each, Draw: kind.draw,
		Holds: func(c noiseCase) bool {
			mean := c.meanOnes(1, complement)
			return mean.Hi < float64(c.n*c.p)/2 || !complement && mean.Lo <= float64(c.n*c.p)/2
		},
		Witness: func(c noiseCase) *check.Witness {
			mean := c.meanOnes(1, complement)
			return check.NewWitness(c.fields("E|B|^2", fmt.Sprintf("%.4f", mean), "NP/2", float64(c.n*c.p)/2),
				check.Vars{"law": c.script(), "complement": complement, "n": c.n, "p": c.p},
				"p = {law}.error_rate(complement={complement}).lo; q = bernoulli_uniform({n}, {p}, 0, 0).error_rate().hi; print(p, q, p <= q)")
		},
	}
}
