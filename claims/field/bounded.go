package field

import (
	"context"
	"math"
	"math/big"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// rangeCase is Laplace noise on a value in [0, 1] that is drawn again until the noisy value is in [0, 1], too.
type rangeCase struct{ sensitivity, eps float64 }

// lossAt encloses the largest loss at the scale b: Δ/b + ln(Z(Δ)/Z(0)), where Z(x) is the probability that x plus a
// draw is in the range.
func (c rangeCase) lossAt(scale float64) interval.Interval {
	b, d, one := real(scale), real(c.sensitivity), whole(1)
	gone := func(x interval.Interval) interval.Interval { return x.Quo(b).Neg().Exp() }
	z := whole(2).Sub(gone(d)).Sub(gone(one.Sub(d))).Quo(one.Sub(gone(one)))
	return d.Quo(b).Add(z.Log())
}

// found returns the scale that diffprivlib finds by bisection.
func (c rangeCase) found() float64 {
	d := c.sensitivity
	step := func(b float64) float64 {
		z := (2 - math.Exp(-d/b) - math.Exp(-(1-d)/b)) / (1 - math.Exp(-1/b))
		return d / (c.eps - math.Log(z))
	}
	lo := d / c.eps
	hi := step(lo)
	for range 100 {
		if mid := lo + (hi-lo)/2; step(mid) >= mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// within states that the largest loss at a scale is at most ε + 1e-12. The slack covers the rounding of the scale.
func within(name string, scale func(c rangeCase) float64) inequality {
	return inequality{
		family: "range [0, 1], Δ in {1/4, 1/2, 3/4}, ε in {.5, 1, 2, 4}",
		each: check.Untyped(check.Grid(func(c *rangeCase) []check.Axis {
			return []check.Axis{check.Over(&c.sensitivity, .25, .5, .75), check.Over(&c.eps, .5, 1, 2, 4)}
		})),
		quantity: computed("loss at "+name, func(_ context.Context, c rangeCase) evidence.Number {
			return enclosed(c.lossAt(scale(c)), "two densities")
		}),
		bound: computed("ε", func(_ context.Context, c rangeCase) evidence.Number {
			return enclosed(real(c.eps).Add(interval.Float(1e-12)), "given, and the rounding of the scale")
		}),
		witness: describing(func(c rangeCase) *check.Witness {
			return check.NewWitness(check.Named("range", "[0, 1]", "sensitivity", c.sensitivity, "eps", c.eps), check.Vars{"d": c.sensitivity, "e": c.eps},
				"b = {d} / {e}; z = (2 - math.exp(-{d} / b) - math.exp(-(1 - {d}) / b)) / (1 - math.exp(-1 / b)); loss = {d} / b + math.log(z); print(loss, {e}, loss <= {e})")
		}),
	}
}

// relaxed states that Laplace noise of scale Δ/(ε − ln(1 − δ)) is (ε, δ)-private.
func relaxed() inequality {
	return inequality{
		family: "ε in {.1, 1, 4}, δ in {1e-9, 1e-5, .01, .5}",
		each: check.Untyped(check.Grid(func(c *pureCase) []check.Axis {
			return []check.Axis{check.Over(&c.eps, .1, 1, 4), check.Over(&c.delta, 1e-9, 1e-5, .01, .5)}
		})),
		quantity: computed("δ of the noise", func(_ context.Context, c pureCase) evidence.Number {
			return enclosed(real(c.delta).Neg().Log1p().Quo(whole(2)).Expm1().Neg(), "1 − e^{(ε − ε′)/2}, ε′ = ε − ln(1 − δ)")
		}),
		bound: computed("δ asked for", func(_ context.Context, c pureCase) evidence.Number { return exact(interval.Decimal(c.delta), "given") }),
		witness: describing(func(c pureCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps, "delta", c.delta), check.Vars{"d": c.delta},
				"t = 1 - math.exp(math.log(1 - {d}) / 2); print({d}, t, {d} <= t)")
		}),
	}
}

// uniformCase is the sensitivity Δ of a number, and δ in hundredths.
type uniformCase struct{ sensitivity, parts int64 }

// uniform states that uniform noise of width widths·Δ/δ and its shift by Δ have a total variation distance of at most
// δ.
func uniform(widths int64) inequality {
	return inequality{
		family: "Δ = 1, 2, 3, δ = .01, .02, …, .5",
		each: check.Untyped(check.Grid(func(c *uniformCase) []check.Axis {
			return []check.Axis{check.Span(&c.sensitivity, 1, 3), check.Span(&c.parts, 1, 50)}
		})),
		quantity: computed("total variation distance", func(_ context.Context, c uniformCase) evidence.Number {
			width := new(big.Rat).Quo(big.NewRat(c.sensitivity*widths, 1), big.NewRat(c.parts, 100))
			return exact(new(big.Rat).Quo(big.NewRat(c.sensitivity, 1), width), "the part of one range outside the other")
		}),
		bound: computed("δ", func(_ context.Context, c uniformCase) evidence.Number {
			return exact(big.NewRat(c.parts, 100), "given")
		}),
	}
}

// sumCase is n records, all of the largest value 1 + 2⁻⁵²·ulps.
type sumCase struct{ n, ulps int }

func (c sumCase) value() float64 { return 1 + float64(c.ulps)*check.Epsilon64 }

// added returns the sum of n such records, computed in float64 one record after another.
func (c sumCase) added(n int) *big.Rat {
	sum := 0.
	for range n {
		sum += c.value()
	}
	return new(big.Rat).SetFloat64(sum)
}

// realSum returns the exact sum of n such records.
func (c sumCase) realSum(n int) *big.Rat {
	return new(big.Rat).Mul(big.NewRat(int64(n), 1), new(big.Rat).SetFloat64(c.value()))
}

// sums states that the sum of numbers in [0, u] changes by at most u if one of them becomes 0.
func sums(name string, sum func(c sumCase, n int) *big.Rat) inequality {
	return inequality{
		family: name + ", 1 to 7 records of the value u = 1, 1 + 2⁻⁵², 1 + 2⁻⁵¹, 1 + 3·2⁻⁵²",
		each: check.Untyped(check.Grid(func(c *sumCase) []check.Axis {
			return []check.Axis{check.Span(&c.n, 1, 7), check.Span(&c.ulps, 0, 3)}
		})),
		quantity: computed("distance of the "+name, func(_ context.Context, c sumCase) evidence.Number {
			return exact(new(big.Rat).Sub(sum(c, c.n), sum(c, c.n-1)), "subtracted exactly")
		}),
		bound: computed("sensitivity", func(_ context.Context, c sumCase) evidence.Number {
			return exact(new(big.Rat).SetFloat64(c.value()), "upper − lower")
		}),
		witness: describing(func(c sumCase) *check.Witness {
			terms := check.Code(strings.TrimSuffix(strings.Repeat("u + ", c.n), " + "))
			less := check.Code(strings.TrimSuffix(strings.Repeat("u + ", c.n-1), " + "))
			return check.NewWitness(check.Named("records", c.n, "u", c.value()), check.Vars{"all": terms, "less": less, "u": c.value()},
				"u = {u}; d = ({all}) - ({less}); print(d, u, d <= u)")
		}),
	}
}

// boundedChecks returns the checks of the statements about noise for values in a range.
func boundedChecks() check.Checks {
	sharp := relaxed()
	return check.Checks{
		"field.laplace.bounded": within("Δ/ε", func(c rangeCase) float64 { return c.sensitivity / c.eps }).shown(
			check.TakenFor(within("the scale found", rangeCase.found).Check, within("Δ/ε", func(c rangeCase) float64 { return c.sensitivity / c.eps }).Check), rangeCase{.5, 1}),
		"field.laplace.relaxed": check.TakenFor(sharp.Check, swapped(sharp).Check),
		"field.uniform":         check.InTurn(uniform(1).Check, reverse(uniform(1)).Check),
		"field.sum.float":       check.TakenFor(sums("sums of real numbers", sumCase.realSum).Check, sums("sums of float64 numbers", sumCase.added).Check),
	}
}
