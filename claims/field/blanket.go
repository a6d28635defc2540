package field

import (
	"context"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// blanketCase is randomized response at ε₀ by n people whose answers are shuffled, and ε = ε₀·quarters/4.
type blanketCase struct {
	n        int
	local    float64
	quarters int
}

func (c blanketCase) eps() float64 { return c.local * float64(c.quarters) / 4 }

// gamma returns 2/(e^ε₀ + 1), the probability that an answer does not depend on the person's bit.
func (c blanketCase) gamma() interval.Interval {
	return whole(2).Quo(real(c.local).Exp().Add(whole(1)))
}

// exactDelta returns the largest δ at ε over all bits of the other people.
func (c blanketCase) exactDelta(ctx context.Context) evidence.Number {
	truth := whole(1).Sub(c.gamma().Quo(whole(2)))
	lie := whole(1).Sub(truth)
	most := whole(0)
	for ones := range c.n {
		others := convolved(binomial(ones, truth), binomial(c.n-1-ones, lie))
		one, zero := convolved(others, []interval.Interval{lie, truth}), convolved(others, []interval.Interval{truth, lie})
		eps := real(c.eps())
		most = interval.Max(most, interval.Max(hockeyStick(one, zero, eps), hockeyStick(zero, one, eps)))
		check.Must(0, ctx.Err())
	}
	return enclosed(most, "the laws of the number of ones")
}

// hoeffding returns the smaller of 1 and b²/(4aγn)·(1 − γ(1 − e^{−2a²/b²}))ⁿ, where a = e^ε − 1 and b = 2(1 − γ)(e^ε +
// 1).
func (c blanketCase) hoeffding() interval.Interval {
	one, g := whole(1), c.gamma()
	a := real(c.eps()).Expm1()
	b := one.Sub(g).Mul(whole(2)).Mul(a.Add(whole(2)))
	base := one.Add(g.Mul(whole(-2).Mul(a).Mul(a).Quo(b).Quo(b).Expm1()))
	return interval.Min(one, b.Mul(b).Quo(whole(4*c.n).Mul(a).Mul(g)).Mul(base.Pow(c.n)))
}

// bennett returns the smaller of 1 and Σ P(m)·b e^{−m v φ(ab/v)/b²}/(γn ln(1 + ab/v)), where a = e^ε − 1, φ(u) = (1 +
// u) ln(1 + u) − u and m ≥ 1 is the binomial number of answers in the blanket. b and v are the largest value and the
// second moment of the privacy amplification random variable (Balle, Bell, Gascón and Nissim 2019).
func (c blanketCase) bennett() interval.Interval {
	one, two, g := whole(1), whole(2), c.gamma()
	a := real(c.eps()).Expm1()
	e, rest := a.Add(one), one.Sub(g)
	b := two.Mul(rest).Sub(g.Mul(a))
	v := g.Mul(two.Sub(g)).Mul(a).Mul(a).Add(two.Mul(rest).Mul(rest).Mul(e.Mul(e).Add(one)))
	u := a.Mul(b).Quo(v)
	log := u.Log1p()
	phi := one.Add(u).Mul(log).Sub(u)
	each := v.Quo(b).Quo(b).Mul(phi).Neg().Exp()
	sum, law, power := whole(0), binomial(c.n, g), one
	for m := 1; m <= c.n; m++ {
		power = power.Mul(each)
		sum = sum.Add(law[m].Mul(power))
	}
	return interval.Min(one, sum.Mul(b).Quo(log).Quo(g).Quo(whole(c.n)))
}

// blanket states that a bound is at least the δ of the shuffled answers.
func blanket(name string, bound func(c blanketCase) interval.Interval, script string) inequality {
	return inequality{
		family: "n = 10, 5, 2, ε₀ in {.5, 1, 2}, ε = ε₀/4, ε₀/2, 3ε₀/4",
		each: check.Untyped(check.Grid(func(c *blanketCase) []check.Axis {
			return []check.Axis{check.Over(&c.n, 10, 5, 2), check.Over(&c.local, .5, 1, 2), check.Span(&c.quarters, 1, 3)}
		})),
		quantity: computed("δ of the shuffled answers", func(ctx context.Context, c blanketCase) evidence.Number {
			return c.exactDelta(ctx)
		}),
		bound: closely(name, name, bound),
		witness: describing(func(c blanketCase) *check.Witness {
			return check.NewWitness(check.Named("n", c.n, "eps0", c.local, "eps", c.eps()),
				check.Vars{"n": c.n, "l": c.local, "e": c.eps()},
				"g = 2 / (math.exp({l}) + 1); a = math.exp({e}) - 1; "+script+
					"; t = shuffled(krr(2, {l}), {n}).delta_at({e}); print(f, t.hi, f <= t.hi)")
		}),
	}
}

// early states that 12 ε₀ √(ln(1/δ)/n) is at least the ε of shuffled randomized response.
func early() inequality {
	q := shuffled()
	q.family = "n = 2000, ε₀ in {.25, .5}, δ = 1e-6, none of the others holding 1"
	q.each = check.Untyped(check.Grid(func(c *shuffleCase) []check.Axis {
		c.n, c.delta = 2000, 1e-6
		return []check.Axis{check.Over(&c.eps, .25, .5), check.Over(&c.ones, 0)}
	}))
	q.bound = closely("12 ε₀ √(ln(1/δ)/n)", "the formula of the file", func(c shuffleCase) interval.Interval {
		return whole(12).Mul(real(c.eps)).Mul(real(c.delta).Log().Neg().Quo(whole(c.n)).Sqrt())
	})
	q.witness = describing(func(c shuffleCase) *check.Witness {
		return check.NewWitness(check.Named("n", c.n, "others with 1", c.ones, "eps0", c.eps, "delta", c.delta),
			check.Vars{"n": c.n, "e": c.eps, "d": c.delta, "m": c.ones},
			"f = 12 * {e} * math.sqrt(math.log(1 / {d}) / {n}); t = shuffled(krr(2, {e}), {n}, others={m}).epsilon_at({d}); "+
				"print(f, t.hi, f <= t.hi)")
	})
	return q
}

// blanketChecks returns the checks of the privacy-blanket bounds for shuffled answers, and of an earlier bound.
func blanketChecks() check.Checks {
	hoeffding := blanket("Hoeffding's bound", blanketCase.hoeffding,
		"b = 2 * (1 - g) * (a + 2); f = min(1, b * b / (4 * a * g * {n}) * math.pow(1 - g * (1 - "+
			"math.exp(-2 * a * a / b / b)), {n}))")
	bennett := blanket("Bennett's bound", blanketCase.bennett,
		"b = 2 * (1 - g) - g * a; v = g * (2 - g) * a * a + 2 * (1 - g) * (1 - g) * ((a + 1) * (a + 1) + "+
			"1); u = a * b / v; c = v / b / b * ((1 + u) * math.log(1 + u) - u); f = min(1, "+
			"sum([math.gamma({n} + 1) / math.gamma(m + 1) / math.gamma({n} - m + 1) * math.pow(g, m) * "+
			"math.pow(1 - g, {n} - m) * math.exp(-c * m) for m in range(1, {n} + 1)]) * b / math.log(1 + u) "+
			"/ (g * {n}))")
	loose := func(q inequality) check.Checker {
		return swapped(q).shown(check.TakenFor(q.Check, swapped(q).Check), blanketCase{10, 1, 2})
	}
	first := early()
	return check.Checks{
		"field.blanket.hoeffding": loose(hoeffding),
		"field.blanket.bennett":   loose(bennett),
		"field.shuffle.early":     check.TakenFor(first.Check, swapped(first).Check),
	}
}
