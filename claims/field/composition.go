package field

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// useCase is k uses of an ε-private mechanism, and the δ at which their total ε is computed.
type useCase struct {
	eps   float64
	k     int
	delta float64
}

// optimal returns the ε at δ of the optimal composition theorem (Kairouz, Oh and Viswanath 2015).
func (c useCase) optimal(ctx context.Context) evidence.Number {
	f := check.Must(privacy.ApproxDP(check.BudgetOf(c.eps), new(big.Rat)))
	all := check.Must(privacy.New(f).Compose(c.k))
	return check.Must(all.Epsilon(ctx, check.DeltaOf(c.delta)))
}

// drift returns kε tanh(ε/2), the sum of the expected losses of k uses of randomized response.
func (c useCase) drift() interval.Interval {
	return real(c.eps).Mul(tanh(real(c.eps).Quo(whole(2)))).Mul(whole(c.k))
}

// spread returns √(2kε² v).
func (c useCase) spread(v interval.Interval) interval.Interval {
	return whole(2 * c.k).Mul(v).Sqrt().Mul(real(c.eps))
}

func (c useCase) logarithm() interval.Interval { return whole(1).Quo(real(c.delta)).Log() }

// leastOfThree returns the least ε of three formulas: kε, the drift plus the spread with v = ln(1/δ), and the drift
// plus the spread with v = ln(e + √k ε/δ).
func leastOfThree(_ context.Context, c useCase) evidence.Number {
	root := whole(c.k).Sqrt().Mul(real(c.eps)).Quo(real(c.delta))
	second := whole(1).Exp().Add(root).Log()
	least := interval.Min(real(c.eps).Mul(whole(c.k)), c.drift().Add(c.spread(c.logarithm())))
	return enclosed(interval.Min(least, c.drift().Add(c.spread(second))), "the least of three formulas")
}

// twiceTheSpread returns 2ε√(2k ln(1/δ)).
func twiceTheSpread(_ context.Context, c useCase) evidence.Number {
	return enclosed(c.spread(c.logarithm()).Mul(whole(2)), "2ε√(2k ln(1/δ))")
}

// composed states that a formula is at least the optimal ε of the composition.
func composed(family string, axes func(c *useCase) []check.Axis, formula func(context.Context, useCase) evidence.Number) inequality {
	return inequality{
		family: family, each: check.Untyped(check.Grid(axes)),
		quantity: computed("ε of the composition", func(ctx context.Context, c useCase) evidence.Number { return c.optimal(ctx) }),
		bound:    computed("ε of the formula", formula),
		witness: describing(func(c useCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps, "k", c.k, "delta", c.delta), check.Vars{"e": c.eps, "k": c.k, "d": c.delta},
				"c = compose(known({e}), {k}).epsilon_at({d}); f = 2 * {e} * math.sqrt(2 * {k} * math.log(1 / {d})); print(c.lo, f, c.lo <= f)")
		}),
	}
}

// advancedUses returns the axes of a family with 1 to 100 uses.
func advancedUses(c *useCase) []check.Axis {
	return []check.Axis{check.Over(&c.k, 1, 2, 10, 100), check.Over(&c.eps, .01, .1, 1), check.Over(&c.delta, 1e-9, 1e-6, .01)}
}

// spentCase is k uses of an (ε, δ)-private mechanism, with δ in ten-thousandths.
type spentCase struct {
	k     int
	parts int64
}

func (c spentCase) delta() *big.Rat { return big.NewRat(c.parts, 10000) }

// lost returns 1 − (1 − δ)ᵏ, the δ of k uses of the mechanism that reveals everything with probability δ.
func (c spentCase) lost() *big.Rat {
	return new(big.Rat).Sub(check.One, check.Power(new(big.Rat).Sub(check.One, c.delta()), c.k))
}

// reported returns the δ that the odometer reports: d(1 − d) + δ/2 with d = 1 − (1 − δ)ᵏ.
func (c spentCase) reported() *big.Rat {
	d := c.lost()
	d.Mul(d, new(big.Rat).Sub(check.One, d))
	return d.Add(d, new(big.Rat).Mul(c.delta(), big.NewRat(1, 2)))
}

// odometer states that the given total δ is at least lost, a δ that k uses of an (ε, δ)-private mechanism can have.
func odometer(written string, total func(c spentCase) *big.Rat) inequality {
	return inequality{
		family: "k ≤ 300 uses, δ = 1/10000, 1/1000, 1/100, 1/10",
		each: check.Untyped(check.Grid(func(c *spentCase) []check.Axis {
			return []check.Axis{check.Span(&c.k, 1, 300), check.Over(&c.parts, 1, 10, 100, 1000)}
		})),
		quantity: computed("δ of an infinite loss", func(_ context.Context, c spentCase) evidence.Number { return exact(c.lost(), "1 − (1 − δ)ᵏ") }),
		bound:    computed("δ of the odometer", func(_ context.Context, c spentCase) evidence.Number { return exact(total(c), written) }),
		witness: describing(func(c spentCase) *check.Witness {
			return check.NewWitness(check.Named("k", c.k, "delta", c.delta()), check.Vars{"n": c.parts, "k": c.k},
				"d = {n} / 10000; lost = 1 - math.pow(1 - d, {k}); spent = lost * (1 - lost) + d / 2; print(lost, spent, lost <= spent)")
		}),
	}
}

// groupCase is a group of k records and an (ε, δ)-private mechanism, with ratio = e^ε.
type groupCase struct {
	ratio *big.Rat
	k     int
	delta *big.Rat
}

// geometricSum returns δ(e^{kε} − 1)/(e^ε − 1).
func (c groupCase) geometricSum() *big.Rat {
	sum := new(big.Rat)
	for j := range c.k {
		sum.Add(sum, check.Power(c.ratio, j))
	}
	return sum.Mul(sum, c.delta)
}

// attained returns the largest δ at kε between the first and the last of k + 1 laws on two outputs, each (ε, δ)-close
// to the next.
func (c groupCase) attained() *big.Rat {
	p := new(big.Rat)
	for range c.k {
		// The next law gives the output the largest probability that (ε, δ)-closeness allows. Closeness bounds the
		// probabilities of this output (most) and of the other one (rest).
		most := new(big.Rat).Mul(c.ratio, p)
		most.Add(most, c.delta)
		rest := new(big.Rat).Sub(check.One, p)
		rest.Sub(rest, c.delta)
		rest.Quo(rest, c.ratio)
		if rest.Sub(check.One, rest); rest.Cmp(most) < 0 {
			most = rest
		}
		p = most
	}
	return p // the first law gives this output the probability 0
}

// grouped states that a formula for the δ of a group is at least the δ that attained returns.
func grouped(name string, formula func(c groupCase) *big.Rat) inequality {
	return inequality{
		family: "groups of 1 to 5, e^ε in {11/10, 2, 3}, δ in {1e-6, 1/1000}",
		each: check.Untyped(check.Grid(func(c *groupCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.k, 1, 5),
				check.Over(&c.ratio, big.NewRat(11, 10), big.NewRat(2, 1), big.NewRat(3, 1)),
				check.Over(&c.delta, big.NewRat(1, 1000000), big.NewRat(1, 1000)),
			}
		})),
		quantity: computed("δ that is attained", func(_ context.Context, c groupCase) evidence.Number { return exact(c.attained(), "two outputs") }),
		bound:    computed(name, func(_ context.Context, c groupCase) evidence.Number { return exact(formula(c), "the formula") }),
		witness: describing(func(c groupCase) *check.Witness {
			return check.NewWitness(check.Named("k", c.k, "e^eps", c.ratio, "delta", c.delta), check.Vars{"k": c.k, "r": c.ratio, "d": c.delta},
				"loose = {k} * math.pow({r}, {k} - 1) * {d}; sharp = {d} * (math.pow({r}, {k}) - 1) / ({r} - 1); print(loose, sharp, loose <= sharp)")
		}),
	}
}

// looseGroup returns k e^{(k−1)ε} δ.
func looseGroup(c groupCase) *big.Rat {
	out := new(big.Rat).Mul(big.NewRat(int64(c.k), 1), c.delta)
	return out.Mul(out, check.Power(c.ratio, c.k-1))
}

// compositionChecks returns the checks of the statements about compositions and groups.
func compositionChecks() check.Checks {
	advanced := composed("1, 2, 10 and 100 uses, ε in {.01, .1, 1}, δ in {1e-9, 1e-6, .01}", advancedUses, leastOfThree)
	sharp := advanced
	sharp.quantity, sharp.bound = advanced.bound, advanced.quantity
	sharp.witness = describing(func(c useCase) *check.Witness {
		return check.NewWitness(check.Named("eps", c.eps, "k", c.k, "delta", c.delta), check.Vars{"e": c.eps, "k": c.k, "d": c.delta},
			"f = min({k} * {e}, {k} * {e} * (math.exp({e}) - 1) / (math.exp({e}) + 1) + {e} * math.sqrt(2 * {k} * math.log(1 / {d}))); c = compose(known({e}), {k}).epsilon_at({d}); print(f, c.hi, f <= c.hi)")
	})
	textbook := composed("k = 1, 2, …, 400 uses, ε = 1, δ = 1e-5", func(c *useCase) []check.Axis {
		c.eps, c.delta = 1, 1e-5
		return []check.Axis{check.Span(&c.k, 1, 400)}
	}, twiceTheSpread)
	small := composed("1, 10, 100 and 300 uses with √k tanh(ε/2) ≤ √(2 ln(1/δ)), ε in {.01, .1, .5, 1}, δ in {1e-6, 1e-4}", func(c *useCase) []check.Axis {
		return []check.Axis{check.Over(&c.k, 1, 10, 100, 300), check.Over(&c.eps, .01, .1, .5, 1), check.Over(&c.delta, 1e-6, 1e-4), check.Where(func() bool {
			return math.Sqrt(float64(c.k))*math.Tanh(c.eps/2) <= math.Sqrt(-2*math.Log(c.delta))
		})}
	}, twiceTheSpread)
	group := grouped("δ of the formula", groupCase.geometricSum)
	loose := group
	loose.quantity, loose.bound = computed("k e^{(k−1)ε} δ", func(_ context.Context, c groupCase) evidence.Number { return exact(looseGroup(c), "the formula") }), group.bound
	return check.Checks{
		"field.composition.advanced": sharp.shown(check.TakenFor(advanced.Check, sharp.Check), useCase{.1, 100, 1e-6}),
		"field.composition.textbook": textbook.shown(check.WithCorrection(textbook.Check, small.Check), useCase{1, 500, 1e-5}),
		"field.odometer": check.WithCorrection(check.Surveyed(odometer("δ(1 − δ) + δ/2 of the total", spentCase.reported).statement(context.Background())),
			odometer("1 − (1 − δ)ᵏ(1 − δ/2)", func(c spentCase) *big.Rat {
				rest := new(big.Rat).Sub(check.One, c.lost())
				rest.Mul(rest, new(big.Rat).Sub(check.One, new(big.Rat).Mul(c.delta(), big.NewRat(1, 2))))
				return rest.Sub(check.One, rest)
			}).Check),
		"field.group": check.TakenFor(check.InTurn(group.Check, reverse(group).Check), loose.Check),
	}
}

// reverse returns the inequality in the other direction. An inequality and its reverse state that both sides are equal.
func reverse(q inequality) inequality {
	q.quantity, q.bound = q.bound, q.quantity
	q.family = fmt.Sprintf("the same, at least: %s", q.family)
	return q
}
