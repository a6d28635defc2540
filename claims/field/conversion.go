package field

import (
	"context"

	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// orderCase is the ε of a mechanism and a Rényi order α.
type orderCase struct {
	eps   float64
	order *big.Rat
}

// orders returns the axes ε and α for the statements about Rényi divergences.
func orders(c *orderCase) []check.Axis {
	return []check.Axis{
		check.Over(&c.eps, .1, .5, 1, 2, 5),
		check.Over(&c.order, big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(10, 1)),
	}
}

const ordersTried = "ε in {.1, .5, 1, 2, 5}, α in {3/2, 2, 3, 10}"

// sinh encloses sinh of a positive number.
func sinh(x interval.Interval) interval.Interval {
	e := x.Expm1()
	return e.Add(e.Quo(e.Add(whole(1)))).Quo(whole(2))
}

// pureRenyi returns ln((sinh αε − sinh (α−1)ε)/sinh ε)/(α − 1).
func pureRenyi(_ context.Context, c orderCase) evidence.Number {
	eps, a := real(c.eps), interval.Rat(c.order)
	less := a.Sub(whole(1))
	top := sinh(a.Mul(eps)).Sub(sinh(less.Mul(eps)))
	return enclosed(top.Quo(sinh(eps)).Log().Quo(less), "ln((sinh αε − sinh (α−1)ε)/sinh ε)/(α − 1)")
}

// laplaceRenyi returns ε + ln(1 + (α−1)(e^{(1−2α)ε} − 1)/(2α−1))/(α−1).
func laplaceRenyi(_ context.Context, c orderCase) evidence.Number {
	eps, a := real(c.eps), interval.Rat(c.order)
	less, twice := a.Sub(whole(1)), a.Mul(whole(2)).Sub(whole(1))
	inner := less.Mul(twice.Neg().Mul(eps).Expm1()).Quo(twice)
	return enclosed(eps.Add(inner.Log1p().Quo(less)), "the closed form")
}

// renyiOf states that the Rényi divergence of a mechanism is at most a formula.
func renyiOf(name string, of func(ctx context.Context, eps evidence.Epsilon) *privacy.Account, formula func(context.Context, orderCase) evidence.Number, script string) inequality {
	return inequality{
		family: ordersTried, each: check.Untyped(check.Grid(orders)),
		quantity: computed("Rényi divergence of "+name, func(ctx context.Context, c orderCase) evidence.Number {
			return check.Must(of(ctx, check.BudgetOf(c.eps)).Renyi(ctx, c.order))
		}),
		bound: computed("the formula", formula),
		witness: describing(func(c orderCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps, "order", c.order), check.Vars{"e": c.eps, "a": c.order}, script)
		}),
	}
}

// response returns the account of binary randomized response, the extremal ε-private mechanism.
func response(ctx context.Context, eps evidence.Epsilon) *privacy.Account {
	m := check.Must(mechanism.NewRandomizedResponse(ctx, 2, eps))
	return check.Must(privacy.Of(ctx, m))
}

// laplaceNoise returns the account of Laplace noise of scale 1/ε at sensitivity 1.
func laplaceNoise(_ context.Context, eps evidence.Epsilon) *privacy.Account {
	return privacy.New(privacy.LaplacePairs("Laplace noise", "Laplace noise", eps))
}

// halfSquare returns ε²/2.
func halfSquare(_ context.Context, c orderCase) evidence.Number {
	return enclosed(real(c.eps).Mul(real(c.eps)).Quo(whole(2)), "ε²/2")
}

// profileCase is the probability p with which randomized response gives the true answer, and δ, both in hundredths.
type profileCase struct{ truth, delta int64 }

func (c profileCase) excess() *big.Rat { // p − δ
	return big.NewRat(c.truth-c.delta, 100)
}

// responseEpsilon states that the ε of randomized response at δ is at most ln((p − δ)/(1 − p)).
func responseEpsilon() inequality {
	return inequality{
		family: "p = .55, .6, …, .95, δ = .01, .05, .1, .2, .4 below 2p − 1",
		each: check.Untyped(check.Grid(func(c *profileCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.truth, 55, 60, 65, 70, 75, 80, 85, 90, 95),
				check.Over(&c.delta, 1, 5, 10, 20, 40),
				check.Where(func() bool { return c.delta < 2*c.truth-100 }),
			}
		})),
		quantity: computed("ε of randomized response", func(ctx context.Context, c profileCase) evidence.Number {
			p, q := big.NewRat(c.truth, 100), big.NewRat(100-c.truth, 100)
			pair := check.Must(privacy.NewRationalPair([]*big.Rat{p, q}, []*big.Rat{q, p}))
			return check.Must(privacy.New(privacy.SymmetricPair("randomized response", "two laws", pair)).Epsilon(ctx, check.DeltaOf(float64(c.delta)/100)))
		}),
		bound: computed("ln((p − δ)/(1 − p))", func(_ context.Context, c profileCase) evidence.Number {
			return enclosed(interval.RationalLog(new(big.Rat).Quo(c.excess(), big.NewRat(100-c.truth, 100))), "the formula")
		}),
	}
}

// pureCase is the ε of a mechanism, and a δ.
type pureCase struct{ eps, delta float64 }

// pureAt states that ln(e^ε − δ) is at least the ε at δ of randomized response, the extremal ε-private mechanism.
func pureAt() inequality {
	return inequality{
		family: "ε in {.1, .5, 1, 2, 5}, δ in {1e-9, 1e-5, .001, .01, .04}",
		each: check.Untyped(check.Grid(func(c *pureCase) []check.Axis {
			return []check.Axis{check.Over(&c.eps, .1, .5, 1, 2, 5), check.Over(&c.delta, 1e-9, 1e-5, .001, .01, .04)}
		})),
		quantity: computed("ε at δ of randomized response", func(_ context.Context, c pureCase) evidence.Number {
			e := real(c.eps).Exp()
			return enclosed(e.Sub(real(c.delta).Mul(e.Add(whole(1)))).Log(), "ln(e^ε − δ(e^ε + 1))")
		}),
		bound: computed("ln(e^ε − δ)", func(_ context.Context, c pureCase) evidence.Number {
			return enclosed(real(c.eps).Exp().Sub(real(c.delta)).Log(), "ln(e^ε − δ)")
		}),
		witness: describing(func(c pureCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps, "delta", c.delta), check.Vars{"e": c.eps, "d": c.delta},
				"f = math.log(math.exp({e}) - {d}); t = math.log(math.exp({e}) - {d} * (math.exp({e}) + 1)); print(f, t, f <= t)")
		}),
	}
}

// deltaCase is Gaussian noise with deviation σ, and the ε at which its δ is computed.
type deltaCase struct{ sigma, eps float64 }

// converted states that a conversion gives at least the δ of Gaussian noise. The conversion is the minimum over the
// orders α of e^{(α−1)(D−ε)} (1 − 1/α)^α/(α − 1) and √(1 − e^{−D}), where D = α/2σ².
func converted() inequality {
	return inequality{
		family: "σ in {1/2, 1, 2, 5}, ε in {.1, .5, 1, 4}",
		each: check.Untyped(check.Grid(func(c *deltaCase) []check.Axis {
			return []check.Axis{check.Over(&c.sigma, .5, 1, 2, 5), check.Over(&c.eps, .1, .5, 1, 4)}
		})),
		quantity: computed("δ of Gaussian noise", func(_ context.Context, c deltaCase) evidence.Number {
			return classicalDelta(c.sigma, c.eps)
		}),
		bound: computed("δ of the conversion", func(_ context.Context, c deltaCase) evidence.Number {
			least := whole(1)
			for _, a := range defaultOrders() {
				one, alpha := whole(1), interval.Rat(a)
				d := alpha.Quo(whole(2).Mul(real(c.sigma)).Mul(real(c.sigma)))
				less := alpha.Sub(one)
				log := less.Mul(d.Sub(real(c.eps)).Add(one.Quo(alpha).Neg().Log1p())).Sub(alpha.Log())
				least = interval.Min(least, log.Exp())
				least = interval.Min(least, one.Sub(d.Neg().Exp()).Sqrt())
			}
			return enclosed(least, "the formula over the orders of the file")
		}),
		witness: describing(func(c deltaCase) *check.Witness {
			return check.NewWitness(check.Named("sigma", c.sigma, "eps", c.eps), check.Vars{"s": c.sigma, "e": c.eps},
				"orders = [1 + k / 10 for k in range(1, 100)] + list(range(11, 64)) + [128, 256, 512, 1024]; f = min([math.exp((a - 1) * (a / (2 * {s} * {s}) - {e} + math.log(1 - 1 / a)) - math.log(a)) for a in orders]); d = gaussian_delta({e}, {s}); print(f, d.hi, f <= d.hi)")
		}),
	}
}

// defaultOrders returns the default orders of dp_accounting: tenths from 1.1 to 10.9, whole numbers from 11 to 63 and
// four powers of two.
func defaultOrders() (out []*big.Rat) {
	for k := int64(1); k < 100; k++ {
		out = append(out, big.NewRat(10+k, 10))
	}
	for k := int64(11); k < 64; k++ {
		out = append(out, big.NewRat(k, 1))
	}
	for _, k := range []int64{128, 256, 512, 1024} {
		out = append(out, big.NewRat(k, 1))
	}
	return out
}

// conversionChecks returns the checks of the statements that convert one privacy measure to another.
func conversionChecks() check.Checks {
	pure := renyiOf("randomized response", response, pureRenyi, "m = krr(2, {e}); d = m.renyi({a}); f = math.log((math.sinh({a} * {e}) - math.sinh(({a} - 1) * {e})) / math.sinh({e})) / ({a} - 1); print(d, f, d.lo <= f)")
	line := renyiOf("Laplace noise", laplaceNoise, laplaceRenyi, "")
	concentrated := inequality{
		family: "ε in {.1, .5, 1, 2, 5}",
		each: check.Untyped(check.Grid(func(c *orderCase) []check.Axis {
			c.order = check.One
			return []check.Axis{check.Over(&c.eps, .1, .5, 1, 2, 5)}
		})),
		quantity: computed("ρ of randomized response", func(ctx context.Context, c orderCase) evidence.Number {
			return check.Must(response(ctx, check.BudgetOf(c.eps)).ZCDP(ctx))
		}),
		bound: computed("ε²/2", halfSquare),
		witness: describing(func(c orderCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps), check.Vars{"e": c.eps},
				"f = {e} * {e} / 2; r = krr(2, {e}).zcdp; print(f, r.hi, f <= r.hi)")
		}),
	}
	gauss := converted()
	pureDelta := pureAt()
	return check.Checks{
		"field.puredp.renyi":     check.InTurn(pure.plus(1e-9).Check, reverse(pure.times(1-1e-9)).Check),
		"field.laplace.renyi":    check.InTurn(line.plus(1e-9).Check, reverse(line.times(1-1e-9)).Check),
		"field.puredp.zcdp":      check.TakenFor(concentrated.Check, swapped(concentrated).Check),
		"field.response.profile": check.InTurn(responseEpsilon().plus(1e-9).Check, reverse(responseEpsilon().plus(-1e-9)).Check),
		"field.puredp.delta":     check.TakenFor(pureDelta.Check, swapped(pureDelta).Check),
		"field.renyi.delta":      swapped(gauss).shown(check.TakenFor(gauss.Check, swapped(gauss).Check), deltaCase{1, 1}),
	}
}

// swapped returns the inequality in the other direction, at the same instances.
func swapped(q inequality) inequality {
	q.quantity, q.bound = q.bound, q.quantity
	return q
}
