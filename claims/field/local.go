package field

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// shuffleCase is randomized response at ε₀ by n people whose answers are shuffled, and δ. ones is the number of people
// who hold 1 among the n − 1 others.
type shuffleCase struct {
	n, ones    int
	eps, delta float64
}

// exactEpsilon returns the ε at δ of the number of ones among the answers, between one person holding 1 and holding 0.
func (c shuffleCase) exactEpsilon(ctx context.Context) evidence.Number {
	e := real(c.eps).Exp()
	truth := e.Quo(e.Add(whole(1)))
	lie := whole(1).Sub(truth)
	others := convolved(binomial(c.ones, truth), binomial(c.n-1-c.ones, lie))
	one, zero := convolved(others, []interval.Interval{lie, truth}), convolved(others, []interval.Interval{truth, lie})
	check.Must(0, ctx.Err())
	forth := epsilonAt(one, zero, real(c.delta), c.eps)
	back := epsilonAt(zero, one, real(c.delta), c.eps)
	return enclosed(interval.Max(forth, back), "the laws of the number of ones")
}

// closedForm returns ln(1 + (1 − e^{−ε₀})/(1 + e^{−ε₀−s})·(e^s − 1)), where e^s = 1 + 8√(e^{ε₀} ln(4/δ)/n) + 8e^{ε₀}/n.
func closedForm(_ context.Context, c shuffleCase) evidence.Number {
	eps, n, one := real(c.eps), whole(c.n), whole(1)
	e := eps.Exp()
	sum := whole(8).Mul(e.Mul(whole(4).Quo(real(c.delta)).Log()).Quo(n).Sqrt()).Add(whole(8).Mul(e).Quo(n))
	s := sum.Log1p()
	factor := one.Sub(eps.Neg().Exp()).Quo(one.Add(eps.Add(s).Neg().Exp()))
	return enclosed(factor.Mul(sum).Log1p(), "the closed form of the file")
}

// shuffled states that the closed form is at least the ε of shuffled randomized response.
func shuffled() inequality {
	return inequality{
		family: "n = 1000, ε₀ in {.25, 1}, δ = 1e-6, none, half or all of the others holding 1",
		each: check.Untyped(check.Grid(func(c *shuffleCase) []check.Axis {
			c.n = 1000
			return []check.Axis{check.Over(&c.eps, .25, 1), check.Over(&c.delta, 1e-6), check.Over(&c.ones, 0, 500, 999)}
		})),
		quantity: computed("ε of the shuffled answers", func(ctx context.Context, c shuffleCase) evidence.Number { return c.exactEpsilon(ctx) }),
		bound:    computed("ε of the closed form", closedForm),
		witness: describing(func(c shuffleCase) *check.Witness {
			return check.NewWitness(check.Named("n", c.n, "others with 1", c.ones, "eps0", c.eps, "delta", c.delta),
				check.Vars{"n": c.n, "e": c.eps, "d": c.delta, "m": c.ones},
				"a = 8 * math.sqrt(math.exp({e}) * math.log(4 / {d}) / {n}) + 8 * math.exp({e}) / {n}; f = math.log(1 + (1 - math.exp(-{e})) / (1 + math.exp(-{e}) / (1 + a)) * a); t = shuffled(krr(2, {e}), {n}, others={m}).epsilon_at({d}); print(f, t.hi, f <= t.hi)")
		}),
	}
}

// filterCase is two Bloom filters a and b of width bits, each with 1 to hashes bits set, and f in tenths.
type filterCase struct {
	hashes, width int
	a, b          uint
	tenths        int64
}

// odds returns (1 − f/2)/(f/2).
func (c filterCase) odds() *big.Rat { return big.NewRat(20-c.tenths, c.tenths) }

// largest returns the largest ratio of the probabilities of an answer at the two filters. It is a product with one
// factor for each bit.
func (c filterCase) largest() *big.Rat {
	f, most := big.NewRat(c.tenths, 20), new(big.Rat)
	chance := func(bit, answer uint) *big.Rat {
		if bit == answer {
			return new(big.Rat).Sub(check.One, f)
		}
		return f
	}
	for answer := range uint(1) << c.width {
		ratio := big.NewRat(1, 1)
		for k := range c.width {
			at := answer >> k & 1
			ratio.Mul(ratio, chance(c.a>>k&1, at))
			ratio.Quo(ratio, chance(c.b>>k&1, at))
		}
		if ratio.Cmp(most) > 0 {
			most = ratio
		}
	}
	return most
}

// filters states that largest is at most odds to the power multiple·hashes.
func filters(multiple int) inequality {
	return inequality{
		family: "filters of 1 to h of 4 bits, h = 1, 2, f = .1, .2, …, 1",
		each: check.Untyped(func(yield func(filterCase) bool) {
			for h := 1; h <= 2; h++ {
				for a := range uint(16) {
					for b := range uint(16) {
						for tenths := int64(1); tenths <= 10; tenths++ {
							fits := func(v uint) bool { n := bits.OnesCount(v); return n >= 1 && n <= h }
							if fits(a) && fits(b) && !yield(filterCase{h, 4, a, b, tenths}) {
								return
							}
						}
					}
				}
			}
		}),
		quantity: computed("e^ε of the answers", func(_ context.Context, c filterCase) evidence.Number { return exact(c.largest(), "every answer") }),
		bound: computed("the power of the odds", func(_ context.Context, c filterCase) evidence.Number {
			return exact(check.Power(c.odds(), multiple*c.hashes), "the formula")
		}),
	}
}

// promised states that RAPPOR with one hash function and the parameter f(ε) is (ε + rounding)-private, for each ε in
// tenths up to 10.
func promised(name string, f func(eps float64) interval.Interval, rounding float64) inequality {
	var tenths []float64
	for k := 1; k <= 100; k++ {
		tenths = append(tenths, float64(k)/10)
	}
	return inequality{
		family: "one hash function, ε = .1, .2, …, 10", each: check.Untyped(slices.Values(tenths)),
		quantity: computed("ε at f, "+name, func(_ context.Context, eps float64) evidence.Number {
			half := f(eps).Quo(whole(2))
			return enclosed(whole(2).Mul(whole(1).Sub(half).Quo(half).Log()), "2 ln((1 − f/2)/(f/2))")
		}),
		bound: computed("ε asked for", func(_ context.Context, eps float64) evidence.Number {
			return enclosed(real(eps).Add(interval.Float(rounding)), "given")
		}),
		witness: describing(func(eps float64) *check.Witness {
			return check.NewWitness(check.Named("hash functions", 1, "eps", eps), check.Vars{"e": eps},
				"f = math.floor(100 / (0.5 * math.exp({e} / 2) + 0.5) + 0.5) / 100; loss = 2 * math.log((1 - f / 2) / (f / 2)); print(loss, {e}, loss <= {e})")
		}),
	}
}

// unrounded returns 2/(e^{ε/2} + 1).
func unrounded(eps float64) interval.Interval {
	return whole(2).Quo(real(eps).Quo(whole(2)).Exp().Add(whole(1)))
}

// twoPlaces returns unrounded(eps), rounded to hundredths.
func twoPlaces(eps float64) interval.Interval {
	v := 100 * unrounded(eps).Mid()
	if math.Abs(v-math.Floor(v)-.5) < 1e-9 {
		check.Refuse("f is %v hundredths, halfway between two hundredths, want a value with one nearest hundredth", v)
	}
	return ratio(int64(math.Round(v)), 100)
}

// localChecks returns the checks of the statements about local randomisers.
func localChecks() check.Checks {
	clones := shuffled()
	advantage := inequality{
		family: "ε in {.1, .5, 1, 2, 4}", each: check.Untyped(slices.Values([]float64{.1, .5, 1, 2, 4})),
		quantity: computed("e^ε − 1", func(_ context.Context, eps float64) evidence.Number {
			return enclosed(real(eps).Expm1(), "the bound that is quoted")
		}),
		bound: computed("largest advantage", func(_ context.Context, eps float64) evidence.Number {
			return enclosed(tanh(real(eps).Quo(whole(2))), "tanh(ε/2), the total variation of randomized response")
		}),
		witness: describing(func(eps float64) *check.Witness {
			return check.NewWitness(check.Named("eps", eps), check.Vars{"e": eps}, "f = math.exp({e}) - 1; t = krr(2, {e}).delta_at(0); print(f, t.hi, f <= t.hi)")
		}),
	}
	return check.Checks{
		"field.shuffle.closed": swapped(clones).shown(check.TakenFor(clones.Check, swapped(clones).Check), shuffleCase{1000, 0, 1, 1e-6}),
		"field.rappor.filter":  filters(2).Check,
		"field.rappor.rounded": check.WithCorrection(promised("rounded", twoPlaces, 0).Check, promised("not rounded", unrounded, 1e-12).Check),
		"field.advantage":      quoted(advantage.Check),
	}
}
