package interval

import "math/big"

// Sqrt returns an enclosure of the roots of the numbers in a that are not negative, and all numbers if there are
// none. It checks the bounds by squaring them exactly and assumes nothing about the rounding of big.Float.Sqrt.
func (a Interval) Sqrt() Interval {
	if a.hi.Sign() < 0 {
		return Whole()
	}
	if a.lo.Sign() < 0 {
		a.lo = zero
	}
	lo := down().Sqrt(a.lo)
	for square(lo).Cmp(a.lo) > 0 {
		lo.Mul(lo, shrink)
	}
	hi := up().Sqrt(a.hi)
	for square(hi).Cmp(a.hi) < 0 {
		hi.Mul(hi, grow)
	}
	return Interval{lo, hi}
}

// square returns v², without rounding.
func square(v *big.Float) *big.Float { return new(big.Float).SetPrec(2*Prec).Mul(v, v) }

// shrink and grow are 1 ∓ 2^(1−Prec).
var shrink, grow = func() (*big.Float, *big.Float) {
	one, unit := big.NewFloat(1), new(big.Float).SetMantExp(big.NewFloat(1), 1-Prec)
	return exact().Sub(one, unit), exact().Add(one, unit)
}()
