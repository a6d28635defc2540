package field

import (
	"context"
	"math"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// binomialCase is the sum of n fair bits as noise on a count, and the δ at which its ε is computed.
type binomialCase struct {
	n     int
	delta float64
}

// exactEpsilon returns the ε at δ between the law of the sum and its shift by 1.
func (c binomialCase) exactEpsilon(ctx context.Context) evidence.Number {
	p := append(binomial(c.n, ratio(1, 2)), whole(0))
	q := append([]interval.Interval{whole(0)}, p[:c.n+1]...)
	check.Must(0, ctx.Err())
	return enclosed(epsilonAt(p, q, real(c.delta), 10), "the law of the sum")
}

// published returns the ε of the theorem (Agarwal and others, arXiv:1805.10559, Theorem 1) at p = ½ and sensitivities
// 1. Its constants are then b = 1/3, c = 7√2/4 and d = 2/3.
func (c binomialCase) published(context.Context) evidence.Number {
	log := func(v float64) interval.Interval { return real(v).Quo(real(c.delta)).Log() }
	quarter := ratio(int64(c.n), 4)
	first := whole(2).Mul(log(1.25)).Sqrt().Quo(quarter.Sqrt())
	second := whole(2).Sqrt().Mul(ratio(7, 4)).Mul(log(10).Sqrt()).Add(ratio(1, 3)).Quo(quarter.Mul(whole(1).Sub(real(c.delta).Quo(whole(10)))))
	third := ratio(2, 3).Mul(log(1.25)).Add(ratio(2, 3).Mul(log(20)).Mul(log(10))).Quo(quarter)
	return enclosed(first.Add(second).Add(third), "the three terms of the theorem")
}

// binomialNoise states that the ε of the theorem suffices for binomial noise.
func binomialNoise() inequality {
	return inequality{
		family: "n/4 ≥ 23 ln(10/δ): n = 1300, 1483, 2000, δ in {1e-6, 1e-5, .001}",
		each: check.Untyped(check.Grid(func(c *binomialCase) []check.Axis {
			return []check.Axis{check.Over(&c.n, 1300, 1483, 2000), check.Over(&c.delta, 1e-6, 1e-5, .001), check.Where(func() bool {
				return float64(c.n)/4 >= 23*math.Log(10/c.delta)
			})}
		})),
		quantity: computed("ε of the noise", func(ctx context.Context, c binomialCase) evidence.Number { return c.exactEpsilon(ctx) }),
		bound:    computed("ε of the theorem", func(ctx context.Context, c binomialCase) evidence.Number { return c.published(ctx) }),
		witness: describing(func(c binomialCase) *check.Witness {
			return check.NewWitness(check.Named("n", c.n, "delta", c.delta), check.Vars{"n": c.n, "d": c.delta},
				"v = {n} / 4; f = math.sqrt(2 * math.log(1.25 / {d}) / v) + (1.75 * math.sqrt(2 * math.log(10 / {d})) + 1 / 3) / (v * (1 - {d} / 10)) + (2 / 3 * math.log(1.25 / {d}) + 2 / 3 * math.log(20 / {d}) * math.log(10 / {d})) / v; t = binomial_noise({n}).epsilon_at({d}); print(f, t.hi, f <= t.hi)")
		}),
	}
}

// skellamCase is an integer order and Skellam noise, the difference of two Poisson numbers, of variance μ.
type skellamCase struct{ mu, order int }

// bessel encloses I_m(x) e^{−x} for m = 0 … most.
func bessel(x, most int) []interval.Interval {
	half := ratio(int64(x), 2)
	out := make([]interval.Interval, most+1)
	start := whole(x).Neg().Exp() // (x/2)^m/m! e^{−x}
	for m := range out {
		if m > 0 {
			start = start.Mul(half).Quo(whole(m))
		}
		term, sum := start, start
		for j := 1; ; j++ {
			term = term.Mul(half).Mul(half).Quo(whole(j)).Quo(whole(j + m))
			sum = sum.Add(term)
			// For j > x each term is at most a quarter of the previous one.
			if _, hi := term.Quo(sum).Bounds(); j > x && hi < 1e-40 {
				break
			}
		}
		out[m] = interval.Hull(sum, sum.Add(term))
	}
	return out
}

// divergence encloses the Rényi divergence between the law of the noise and its shift by 1.
func (c skellamCase) divergence(context.Context) evidence.Number {
	// Below k = −2α(μ + 2) the term of each k is at most half of the term of k + 1. Above k = 0 each term is at most
	// the probability of k.
	end := 2*c.order*(c.mu+2) + 40
	law := bessel(c.mu, end+1)
	at := func(k int) interval.Interval { return law[check.Abs(k)] }
	sum := whole(0)
	for k := -end; k <= end; k++ {
		sum = sum.Add(at(k).Pow(c.order).Quo(at(k - 1).Pow(c.order - 1)))
	}
	last := at(end).Pow(c.order).Quo(at(end + 1).Pow(c.order - 1))
	tail := at(end).Mul(whole(4)).Add(last.Mul(whole(2)))
	sum = interval.Hull(sum, sum.Add(tail))
	return enclosed(sum.Log().Quo(whole(c.order-1)), "Bessel series and their tails")
}

// skellam states that the divergence is at most α/2μ plus a remainder.
func skellam(remainder func(c skellamCase) interval.Interval) inequality {
	return inequality{
		family: "μ = 1, 2, 4, 8, α = 2, 3, 4",
		each: check.Untyped(check.Grid(func(c *skellamCase) []check.Axis {
			return []check.Axis{check.Over(&c.mu, 1, 2, 4, 8), check.Over(&c.order, 2, 3, 4)}
		})),
		quantity: computed("Rényi divergence", func(ctx context.Context, c skellamCase) evidence.Number { return c.divergence(ctx) }),
		bound: computed("the formula", func(_ context.Context, c skellamCase) evidence.Number {
			return enclosed(ratio(int64(c.order), int64(2*c.mu)).Add(remainder(c)), "the formula of the file")
		}),
		witness: describing(func(c skellamCase) *check.Witness {
			return check.NewWitness(check.Named("mu", c.mu, "order", c.order), check.Vars{"m": c.mu, "a": c.order},
				"f = {a} / (2 * {m}) + min((2 * {a} + 5) / (4 * {m} * {m}), 3 / (2 * {m})); bessel = lambda k: sum([math.pow({m} / 2, 2 * j + abs(k)) / math.gamma(j + 1) / math.gamma(j + abs(k) + 1) for j in range(40)]); t = (math.log(sum([math.pow(bessel(k), {a}) / math.pow(bessel(k - 1), {a} - 1) for k in range(-30, 31)])) - {m}) / ({a} - 1); print(f, t, f <= t)")
		}),
	}
}

// publishedRemainder returns the smaller of (2α + 5)/4μ² and 3/2μ, the remainder at sensitivities 1.
func publishedRemainder(c skellamCase) interval.Interval {
	return interval.Min(ratio(int64(2*c.order+5), int64(4*c.mu*c.mu)), ratio(3, int64(2*c.mu)))
}

// integerChecks returns the checks of the statements about noise of integers.
func integerChecks() check.Checks {
	noise, difference := binomialNoise(), skellam(publishedRemainder)
	return check.Checks{
		"field.binomial": swapped(noise).shown(check.TakenFor(noise.Check, swapped(noise).Check), binomialCase{1000, 1e-5}, binomialCase{1483, 1e-6}),
		"field.skellam":  check.TakenFor(difference.Check, swapped(difference).Check),
	}
}
