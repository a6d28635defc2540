package matrices

import (
	"context"

	"dpworkbench/interval"
)

// clamp keeps an enclosure of a probability between 0 and 1.
func clamp(a interval.Interval) interval.Interval {
	zero, one := interval.Int(0), interval.Int(1)
	if a.CmpLo(zero) < 0 {
		a = interval.Max(a, zero)
	}
	if one.CmpHi(a) < 0 {
		lo := a
		if one.CmpLo(a) < 0 {
			lo = one
		}
		a = interval.Hull(lo.Lower(), one)
	}
	return a
}

// positivePart returns max(a, 0).
func positivePart(a interval.Interval) interval.Interval { return interval.Max(a, interval.Int(0)) }

// scaled encloses the hockey-stick divergence of order e^eps, for eps of any sign, from r standard normal numbers to r
// normal numbers of variance λ.
//
// With S the sum of their squares, of law χ²_r, the loss is (r/2) ln λ + ½(1/λ − 1)S. It decreases in S for λ > 1 and
// increases for λ < 1. So the worst event is S on one side of x = (2ε − r ln λ)/(1/λ − 1), with probability F(x) under
// the first law and F(x/λ) under the second.
func (c *chiSquare) scaled(eps, lambda interval.Interval) interval.Interval {
	one := interval.Int(1)
	grow := eps.Exp()
	slope := one.Quo(lambda).Sub(one)
	switch sign, exact := slope.Sign(); {
	case exact && sign == 0:
		return positivePart(one.Sub(grow))
	case sign == 0: // λ may be 1; this bounds how much the probabilities of any event differ
		return interval.Hull(interval.Int(0), one)
	}
	r := interval.Int(int64(c.r))
	x := interval.Int(2).Mul(eps).Sub(r.Mul(lambda.Log())).Quo(slope)
	here, there := c.at(x), c.at(x.Quo(lambda))
	if lambda.Less(one) {
		return clamp(here.above.Sub(grow.Mul(there.above)))
	}
	return clamp(here.below.Sub(grow.Mul(there.below)))
}

// twoScales encloses the divergence from r standard normal vectors of the plane to r with variances up ≥ 1 and down ≤
// 1. It sums over cells of the first coordinate's squares. The loss decreases in that sum, and so does the divergence
// that remains for the second coordinate.
func (c *chiSquare) twoScales(ctx context.Context, eps, up, down interval.Interval, enough func(lo, hi float64) bool) (interval.Interval, error) {
	one := interval.Int(1)
	level := interval.Int(int64(c.r)).Mul(up.Log()).Quo(interval.Int(2))
	slope := one.Sub(one.Quo(up)).Quo(interval.Int(2))
	return expected{
		law: c,
		value: func(s float64) interval.Interval {
			loss := level.Sub(slope.Mul(interval.Float(s)))
			return c.scaled(eps.Sub(loss), down)
		},
		within: func(a, b point, _, _ interval.Interval) (least, most interval.Interval) { return b.value, a.value },
		beyond: func(last point) (least, most interval.Interval) { return interval.Int(0), last.value },
	}.sum(ctx, enough)
}
