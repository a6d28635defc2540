package field

import (
	"context"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// convertedCase is Gaussian noise of deviation σ, or randomized response at ε if σ is 0, and the δ at which its ε is
// computed.
type convertedCase struct{ sigma, eps, delta float64 }

// exactEpsilon returns the smallest ε of the mechanism at δ.
func (c convertedCase) exactEpsilon() evidence.Number {
	if c.sigma > 0 {
		return check.Must(gaussian.EpsilonAt(check.DeltaOf(c.delta), whole(1).Quo(real(c.sigma))))
	}
	e := real(c.eps).Exp()
	return enclosed(e.Sub(real(c.delta).Mul(e.Add(whole(1)))).Log(), "ln(e^ε − δ(e^ε + 1))")
}

// conversion returns the ε at δ that follows from the Rényi divergence of one order.
type conversion func(divergence, order, delta interval.Interval) interval.Interval

// convertedTo returns the smallest ε that a conversion gives over all orders of defaultOrders.
func (c convertedCase) convertedTo(of conversion) evidence.Number {
	least := whole(1 << 20)
	for _, a := range defaultOrders() {
		alpha := interval.Rat(a)
		var d interval.Interval
		if c.sigma > 0 {
			d = alpha.Quo(whole(2).Mul(real(c.sigma)).Mul(real(c.sigma)))
		} else {
			d = evidence.Enclosure(pureRenyi(context.Background(), orderCase{c.eps, a}))
		}
		least = interval.Min(least, of(d, alpha, real(c.delta)))
	}
	return enclosed(least, "the formula, least over orders from 1.1 to 1024")
}

// toEpsilon states that the ε of a conversion is at least the exact ε at δ.
func toEpsilon(of conversion, script string) inequality {
	return inequality{
		family: "Gaussian noise with σ = 1, 5, randomized response with ε = 1, δ in {1e-9, 1e-5, .01}",
		each: check.Untyped(check.Grid(func(c *convertedCase) []check.Axis {
			return []check.Axis{check.Over(&c.sigma, 1, 5, 0), check.Let(func() {
				if c.sigma == 0 {
					c.eps = 1
				}
			}), check.Over(&c.delta, .01, 1e-5, 1e-9)}
		})),
		quantity: computed("ε at δ", func(_ context.Context, c convertedCase) evidence.Number {
			return c.exactEpsilon()
		}),
		bound: computed("ε of the conversion", func(_ context.Context, c convertedCase) evidence.Number {
			return c.convertedTo(of)
		}),
		witness: describing(func(c convertedCase) *check.Witness {
			return check.NewWitness(check.Named("sigma", c.sigma, "delta", c.delta), check.Vars{"s": c.sigma, "d": c.delta},
				"orders = [1 + k / 10 for k in range(1, 100)] + list(range(11, 64)) + [128, 256, 512, 1024]; f = "+
					"min(["+script+" for a in orders]); t = gaussian_epsilon({d}, {s}); print(f, t.hi, f <= t.hi)")
		}),
	}
}

// renyiChecks returns the checks of the statements that convert Rényi divergences to an ε at δ.
func renyiChecks() check.Checks {
	first := toEpsilon(func(d, a, delta interval.Interval) interval.Interval {
		return d.Sub(delta.Log().Quo(a.Sub(whole(1))))
	}, "a / (2 * {s} * {s}) + math.log(1 / {d}) / (a - 1)")
	second := toEpsilon(func(d, a, delta interval.Interval) interval.Interval {
		less := a.Sub(whole(1))
		return interval.Max(whole(0), d.Add(less.Quo(a).Log()).Sub(delta.Log().Add(a.Log()).Quo(less)))
	}, "a / (2 * {s} * {s}) + math.log((a - 1) / a) - (math.log({d}) + math.log(a)) / (a - 1)")
	loose := func(q inequality) check.Checker {
		return swapped(q).shown(check.TakenFor(q.Check, swapped(q).Check), convertedCase{1, 0, 1e-5})
	}
	return check.Checks{"field.renyi.simple": loose(first), "field.renyi.better": loose(second)}
}
