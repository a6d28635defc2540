package field

import (
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/interval"
)

// thresholdCase is a histogram that releases a bin if its noisy count is above a threshold. A person is in at most
// the given number of bins.
type thresholdCase struct {
	bins       int
	eps, delta float64
}

// passes states that a histogram with Laplace noise releases some bin with only one person in it with probability at
// most δ.
func passes(family string, bins []int, scale, threshold func(thresholdCase) interval.Interval, script string) inequality {
	told := func(c thresholdCase) interval.Interval {
		one := threshold(c).Sub(whole(1)).Quo(scale(c)).Neg().Exp().Quo(whole(2))
		return one.Neg().Log1p().Mul(whole(c.bins)).Expm1().Neg()
	}
	return inequality{
		family: family,
		each: check.Untyped(check.Grid(func(c *thresholdCase) []check.Axis {
			eps, delta := check.Over(&c.eps, .1, 1, 4), check.Over(&c.delta, 1e-9, 1e-6, .01)
			return []check.Axis{check.Over(&c.bins, bins...), eps, delta}
		})),
		quantity: closely("chance that a bin of one person is told", "tails of Laplace noise", told),
		bound:    exactly("δ", "given", func(c thresholdCase) *big.Rat { return interval.Decimal(c.delta) }),
		witness: describing(func(c thresholdCase) *check.Witness {
			return check.NewWitness(check.Named("bins", c.bins, "eps", c.eps, "delta", c.delta),
				check.Vars{"k": c.bins, "e": c.eps, "d": c.delta}, script)
		}),
	}
}

// rangeBin is a single bin that reaches from the smallest to the largest of n numbers. Its name reveals both.
type rangeBin struct {
	n          int
	eps, delta float64
}

// told encloses the probability that the bin's count plus Laplace noise of scale 2/ε is above 1 + 2 ln(2/δ)/ε.
func (c rangeBin) told() interval.Interval {
	excess := whole(c.n - 1).Mul(real(c.eps)).Quo(whole(2)).Sub(whole(2).Quo(real(c.delta)).Log())
	if hi := excess.Mid(); hi > 0 {
		return whole(1).Sub(excess.Neg().Exp().Quo(whole(2)))
	}
	return excess.Exp().Quo(whole(2))
}

// ranged states that the probability of releasing the bin is at most δ. Otherwise the bin's name tells datasets with
// different largest numbers apart.
func ranged() inequality {
	return inequality{
		family: "2 to 60 numbers, ε in {.1, 1}, δ = 1e-6, below 1/n²",
		each: check.Untyped(check.Grid(func(c *rangeBin) []check.Axis {
			c.delta = 1e-6
			return []check.Axis{check.Over(&c.eps, 1, .1), check.Span(&c.n, 2, 60)}
		})),
		quantity: closely("chance that the range is told", "the tail of Laplace noise", rangeBin.told),
		bound:    exactly("δ", "given", func(c rangeBin) *big.Rat { return interval.Decimal(c.delta) }),
		witness: describing(func(c rangeBin) *check.Witness {
			return check.NewWitness(check.Named("numbers", c.n, "bins", 1, "eps", c.eps, "delta", c.delta),
				check.Vars{"n": c.n, "e": c.eps, "d": c.delta},
				"x = (1 + 2 * math.log(2 / {d}) / {e} - {n}) * {e} / 2; t = math.exp(-x) / 2 if x > 0 else 1 - math.exp(x) / 2; "+
					"print(t, {d}, t <= {d})")
		}),
	}
}

// medianCase is a list of numbers from 0 to 4, in quarters, and a neighbor in which the last number is
// replaced by by. r is e^{ε/2}.
type medianCase struct {
	numbers []int
	by      int
	r       *big.Rat
}

// densities returns the density on each quarter of [0, 1], proportional to r^{−|i − n/2|} if i numbers are below the
// quarter.
func (c medianCase) densities(numbers []int) []*big.Rat {
	n, sum := len(numbers), new(big.Rat)
	out := make([]*big.Rat, 4)
	for cell := range out {
		below := 0
		for _, v := range numbers {
			if v <= cell {
				below++
			}
		}
		out[cell] = check.Power(c.r, -check.Abs(2*below-n)/2) // for odd n the division multiplies all densities by r^{½}
		sum.Add(sum, out[cell])
	}
	for _, p := range out {
		p.Quo(p, sum)
	}
	return out
}

// medians states that the loss of the median by the exponential mechanism is at most ε·parts/2.
func medians(parts int) inequality {
	return inequality{
		family: "1 to 3 numbers of 0, 1/4, …, 1, one replaced, e^{ε/2} in {3/2, 3}",
		each: check.Untyped(func(yield func(medianCase) bool) {
			for n := 1; n <= 3; n++ {
				for numbers := range check.Words(5, n) {
					for by := range 5 {
						for _, r := range []*big.Rat{big.NewRat(3, 2), big.NewRat(3, 1)} {
							if by != numbers[n-1] && !yield(medianCase{numbers, by, r}) {
								return
							}
						}
					}
				}
			}
		}),
		quantity: exactly("e to the loss", "every quarter", func(c medianCase) *big.Rat {
			other := slices.Clone(c.numbers)
			other[len(other)-1] = c.by
			most, q := new(big.Rat), c.densities(other)
			for i, p := range c.densities(c.numbers) {
				if p.Quo(p, q[i]); p.Cmp(most) > 0 {
					most = p
				}
			}
			return most
		}),
		bound: exactly("e^ε", "given", func(c medianCase) *big.Rat { return check.Power(c.r, parts) }),
		witness: describing(func(c medianCase) *check.Witness {
			return check.NewWitness(
				check.Named("quarters", check.List(c.numbers), "the last one becomes", c.by, "e^{eps/2}", c.r),
				check.Vars{"x": c.numbers, "b": c.by, "r": c.r, "p": parts},
				"w = lambda x: [math.pow({r}, -abs(len([1 for v in x if v <= t]) - len(x) / 2)) for t in "+
					"range(4)]; x = {x}; y = x[:-1] + [{b}]; t = max([u / sum(w(x)) / (v / sum(w(y))) for u, v in "+
					"zip(w(x), w(y))]); f = math.pow({r}, {p}); print(t, f, t <= f)")
		}),
	}
}

// histogramChecks returns the checks of the statements about histograms with a threshold, and about medians.
func histogramChecks() check.Checks {
	perBin := func(c thresholdCase) interval.Interval { return whole(c.bins).Quo(real(c.eps)) }
	logarithm := func(c thresholdCase) interval.Interval { return whole(2).Mul(real(c.delta)).Quo(whole(c.bins)).Log() }
	censored := func(family string, bins ...int) inequality {
		return passes(family, bins, perBin, func(c thresholdCase) interval.Interval {
			return whole(c.bins).Mul(whole(1).Sub(logarithm(c).Quo(real(c.eps))))
		}, "")
	}
	all := censored("1, 2 and 3 bins, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}", 1, 2, 3)
	single := reverse(censored("1 bin, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}", 1))
	doubled := passes("1 bin, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}", []int{1},
		func(c thresholdCase) interval.Interval { return whole(2).Quo(real(c.eps)) },
		func(c thresholdCase) interval.Interval {
			return whole(1).Add(whole(2).Mul(whole(2).Quo(real(c.delta)).Log()).Quo(real(c.eps)))
		}, "t = math.exp(-2 * math.log(2 / {d}) / {e} * {e} / 2) / 2; print({d}, t, {d} <= t)")
	ranges := ranged()
	return check.Checks{
		"field.stability.threshold": check.InTurn(all.times(1+1e-12).Check, single.times(1+1e-12).Check),
		"field.stability.doubled":   check.TakenFor(doubled.Check, swapped(doubled).Check),
		"field.stability.range":     ranges.shown(check.WithCorrection(surveyed(ranges), doubled.Check), rangeBin{50, 1, 1e-6}),
		"field.median.exponential":  check.TakenFor(medians(2).Check, medians(1).Check),
	}
}
