package xor

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// budgetCase is an input of Algorithm 1, with ε and α in tenths.
type budgetCase struct {
	n, p, s    int
	eps, alpha int
}

func (c budgetCase) budget() xor.Budget {
	eps, _ := evidence.NewEpsilon("eps", float64(c.eps)/10) // 0 if the case is malformed; Allocate refuses it
	return xor.Budget{N: c.n, P: c.p, Epsilon: eps, Alpha: float64(c.alpha) / 10, Sensitivity: float64(c.s)}
}

// law runs Algorithm 1. It panics if the case is malformed.
func (c budgetCase) law() *xor.Bernoulli { return check.Must(xor.Allocate(c.budget())) }

// smallestEpsilon returns the smallest ε of the noise for the given neighbors.
func smallestEpsilon(b *xor.Bernoulli, nb xor.Neighbors, opts xor.LossOptions) xor.Loss {
	return check.Must(check.Must(b.Under(nb, opts)).Loss(context.Background()))
}

// flipRate returns the probability that a bit is flipped. It fails only if its context ends.
func flipRate(c *xor.Columns, complement bool) evidence.Certified {
	return check.Must(c.FlipRate(context.Background(), xor.Variant(complement)))
}

// at returns the case with share α.
func (c budgetCase) at(alpha int) budgetCase {
	c.alpha = alpha
	return c
}

func (c budgetCase) script() check.Code {
	return check.Code(fmt.Sprintf("xor_allocation(%d, %d, %g, %g, %d)", c.n, c.p, float64(c.eps)/10, float64(c.alpha)/10, c.s))
}

func (c budgetCase) fields(extra ...any) []check.Field {
	return append(check.Named("N", c.n, "P", c.p, "s_f", c.s, "eps", float64(c.eps)/10, "alpha", float64(c.alpha)/10), check.Named(extra...)...)
}

// drawBudget draws an input with n ≤ most objects and s ≤ P.
func drawBudget(rng *rand.Rand, most int) budgetCase {
	c := budgetCase{n: 1 + rng.IntN(most), p: 1 + rng.IntN(4), eps: 1 + rng.IntN(50), alpha: rng.IntN(11)}
	c.s = 1 + rng.IntN(c.p)
	return c
}

func several(c budgetCase) bool { return c.n >= 2 }

// budgets yields small inputs of Algorithm 1 that satisfy a hypothesis.
func budgets(allowed func(budgetCase) bool) iter.Seq[budgetCase] {
	return check.Grid(func(c *budgetCase) []check.Axis {
		return []check.Axis{
			check.Span(&c.n, 1, 5),
			check.Span(&c.p, 1, 3),
			check.Span(&c.s, 1, 3),
			check.Over(&c.eps, 10, 1, 50),
			check.Over(&c.alpha, 5, 7, 9, 3, 1),
			check.Where(func() bool { return c.s <= c.p && allowed(*c) }),
		}
	})
}

const budgetFamily = "N ≤ 5, s_f ≤ P ≤ 3, ε in {.1, 1, 5}, α in {.1, .3, .5, .7, .9}"

// shareCase compares two shares α < β of Algorithm 1.
type shareCase struct {
	budgetCase
	beta int // in tenths
}

func (c shareCase) fields(extra ...any) []check.Field {
	return c.budgetCase.fields(append([]any{"beta", float64(c.beta) / 10}, extra...)...)
}

// shares yields pairs of shares for small inputs that satisfy a hypothesis. s_f is 1, because s_f only divides ε.
func shares(allowed func(shareCase) bool) iter.Seq[shareCase] {
	return check.Grid(func(c *shareCase) []check.Axis {
		return []check.Axis{
			check.From(&c.budgetCase, budgets(func(b budgetCase) bool { return b.s == 1 })),
			check.Over(&c.beta, 7, 9, 5, 3),
			check.Where(func() bool { return c.alpha < c.beta && allowed(*c) }),
		}
	})
}

// drawShares draws two shares of an input with n ≤ most objects.
func drawShares(rng *rand.Rand, most int) shareCase {
	c := shareCase{drawBudget(rng, most), 0}
	c.alpha = rng.IntN(10)
	c.beta = c.alpha + 1 + rng.IntN(10-c.alpha)
	return c
}
