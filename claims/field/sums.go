package field

import (
	"dpworkbench/claims/check"
	"dpworkbench/interval"
)

// twoNoises is the sum of two discrete Gaussian numbers as noise on a count, and an integer order. σ is in hundredths.
type twoNoises struct {
	hundredths int64
	order      int
}

func (c twoNoises) square() interval.Interval { return ratio(c.hundredths*c.hundredths, 10000) }

// thetas encloses Σ e^{−k²/σ²} over the integers k and over the half-integers k. The law of the sum is that of a
// discrete Gaussian number of variance parameter 2σ², reweighted by even at even numbers and by odd at odd numbers.
func (c twoNoises) thetas() (even, odd interval.Interval) {
	const far = 30
	term := func(twice int64) interval.Interval { return ratio(twice*twice, 4).Quo(c.square()).Neg().Exp() }
	sum := func(shift int64) interval.Interval {
		all := whole(0)
		for k := int64(-far); k <= far; k++ {
			all = all.Add(term(2*k + shift))
		}
		return interval.Hull(all, all.Add(term(2*far).Mul(whole(4)))) // each term beyond is at most 1/e of the one before
	}
	return sum(0), sum(1)
}

// divergence encloses the Rényi divergence between the law of the sum and its shift by 1.
func (c twoNoises) divergence() interval.Interval {
	even, odd := c.thetas()
	up, down := even.Mul(odd), even.Mul(odd) // for an even order the shift exchanges even and odd numbers
	if c.order%2 == 1 {
		up, down = even.Mul(even), odd.Mul(odd)
	}
	power := even.Quo(odd).Pow(c.order - 1)
	sum := up.Mul(power).Add(down.Quo(power)).Quo(even.Mul(even).Add(odd.Mul(odd)))
	return whole(c.order).Quo(whole(4).Mul(c.square())).Add(sum.Log().Quo(whole(c.order - 1)))
}

// published returns the smaller of α l²/2 + τ and α(l + τ)²/2, the published bound for two people, one number and a
// shift by 1.
func (c twoNoises) published() interval.Interval {
	tau := interval.Pi().Mul(interval.Pi()).Mul(c.square()).Neg().Exp().Mul(whole(10))
	l := whole(1).Quo(whole(2).Mul(c.square()).Sqrt())
	half := ratio(int64(c.order), 2)
	sum := l.Add(tau)
	return interval.Min(half.Mul(l).Mul(l).Add(tau), half.Mul(sum).Mul(sum))
}

// shared states that the Rényi divergence of the sum is at most a formula.
func shared(family string, sigmas []int64, orders []int) inequality {
	return inequality{
		family: family,
		each: check.Untyped(check.Grid(func(c *twoNoises) []check.Axis {
			return []check.Axis{check.Over(&c.hundredths, sigmas...), check.Over(&c.order, orders...)}
		})),
		quantity: closely("Rényi divergence of the sum", "theta series", twoNoises.divergence),
		bound:    closely("bound of the file", "the least of its terms, τ = 10 e^{−π²σ²}", twoNoises.published),
		witness: describing(func(c twoNoises) *check.Witness {
			return check.NewWitness(check.Named("people", 2, "sigma", float64(c.hundredths)/100, "order", c.order),
				check.Vars{"s": float64(c.hundredths) / 100, "a": c.order},
				"p = lambda x: sum([math.exp(-(y * y + (x - y) * (x - y)) / (2 * {s} * {s})) for y in range(-8, "+
					"9)]); z = sum([p(x) for x in range(-6, 7)]); t = math.log(sum([math.pow(p(x), {a}) / "+
					"math.pow(p(x - 1), {a} - 1) for x in range(-5, 3)]) / z) / ({a} - 1); tau = 10 * "+
					"math.exp(-math.pi * math.pi * {s} * {s}); l = 1 / (math.sqrt(2) * {s}); f = min({a} / 2 * l * l "+
					"+ tau, {a} / 2 * (l + tau) * (l + tau)); print(t, f, t <= f)")
		}),
	}
}

// sumChecks returns the checks of the statement about noise that several people share.
func sumChecks() check.Checks {
	var small []int64
	for k := int64(49); k >= 10; k-- {
		small = append(small, k)
	}
	within := shared("two people, σ = .5, .7, 1, 2, α = 2, 3, 4, 9", []int64{50, 70, 100, 200}, []int{2, 3, 4, 9})
	beyond := shared("two people, σ = .49, .48, …, .1, α = 2, 3, 4", small, []int{2, 3, 4})
	alone := within
	alone.bound = closely("α/4σ², of a discrete Gaussian number with 2σ²", "α/4σ²", func(c twoNoises) interval.Interval {
		return whole(c.order).Quo(whole(4).Mul(c.square()))
	})
	holds := beyond.shown(check.TakenFor(within.Check, beyond.Check), twoNoises{18, 3})
	return check.Checks{
		"field.discrete.sum": alone.shown(holds, twoNoises{50, 3}),
	}
}
