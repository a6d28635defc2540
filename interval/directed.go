package interval

import "math/big"

// This file has the arithmetic of bounds, rounded down and up.
//
// A big.Float beyond the range of exponents becomes 0 or infinite whatever its rounding mode, and its accuracy says
// on which side of the exact result it lies. A result rounded down is above the exact one in two cases: a negative
// number underflows, or a positive one overflows. Rounding up is symmetric. Lower bounds are never +∞ and upper
// bounds never −∞, so no sum is ∞ − ∞.

// least is the least positive big.Float, highest the largest finite one, and lowest its negative.
var least, highest, lowest = func() (l, h, n *big.Float) {
	l = new(big.Float).SetMantExp(big.NewFloat(0.5), big.MinExp)
	h = exact().Sub(big.NewFloat(1), new(big.Float).SetMantExp(big.NewFloat(1), -Prec))
	h.SetMantExp(h, big.MaxExp)
	return l, h, new(big.Float).Neg(h)
}()

// lower corrects v, a result rounded down, to lie at or below the exact result.
func lower(v *big.Float) *big.Float {
	switch {
	case v.Acc() != big.Above:
		return v
	case v.IsInf():
		return highest
	}
	return exact().Neg(least)
}

// upper corrects v, a result rounded up, to lie at or above the exact result.
func upper(v *big.Float) *big.Float {
	switch {
	case v.Acc() != big.Below:
		return v
	case v.IsInf():
		return lowest
	}
	return least
}

// aligned returns x and y for a sum. If their exponents differ by more than gap, it replaces the smaller number by one
// of the same sign that is still far below the last bit of the larger, so the sum rounds as before. big.Float would
// shift by the whole difference, up to 2³² bits.
func aligned(x, y *big.Float, gap int) (*big.Float, *big.Float) {
	d := x.MantExp(nil) - y.MantExp(nil)
	if d <= gap && d >= -gap || x.Sign() == 0 || y.Sign() == 0 || x.IsInf() || y.IsInf() {
		return x, y
	}
	tiny := func(v *big.Float, exponent int) *big.Float {
		return new(big.Float).SetMantExp(big.NewFloat(float64(v.Sign())/2), exponent)
	}
	if d > 0 {
		return x, tiny(y, x.MantExp(nil)-gap)
	}
	return tiny(x, y.MantExp(nil)-gap), y
}

// sumGap is the gap of aligned for bounds of Prec bits. It is larger than necessary.
const sumGap = 3 * Prec

func addDown(x, y *big.Float) *big.Float {
	x, y = aligned(x, y, sumGap)
	return lower(down().Add(x, y))
}

func addUp(x, y *big.Float) *big.Float {
	x, y = aligned(x, y, sumGap)
	return upper(up().Add(x, y))
}

func subDown(x, y *big.Float) *big.Float {
	x, y = aligned(x, y, sumGap)
	return lower(down().Sub(x, y))
}

func subUp(x, y *big.Float) *big.Float {
	x, y = aligned(x, y, sumGap)
	return upper(up().Sub(x, y))
}

// zero is the constant 0. No operation writes its result to it.
var zero = exact()

// vanishes reports whether x·y is 0·∞. That product is 0 here, because an infinite bound stands for numbers that are
// finite.
func vanishes(x, y *big.Float) bool {
	return (x.IsInf() || y.IsInf()) && (x.Sign() == 0 || y.Sign() == 0)
}

func mulDown(x, y *big.Float) *big.Float {
	if vanishes(x, y) {
		return zero
	}
	return lower(down().Mul(x, y))
}

func mulUp(x, y *big.Float) *big.Float {
	if vanishes(x, y) {
		return zero
	}
	return upper(up().Mul(x, y))
}

// quoDown returns x/y rounded down, where y ≥ 0 is a bound of the divisor. For y = 0 it returns unbounded(x).
func quoDown(x, y *big.Float) *big.Float {
	if y.Sign() == 0 {
		return unbounded(x)
	}
	return lower(down().Quo(x, y))
}

func quoUp(x, y *big.Float) *big.Float {
	if y.Sign() == 0 {
		return unbounded(x)
	}
	return upper(up().Quo(x, y))
}

// unbounded returns x times infinity, and 0 for x = 0.
func unbounded(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zero
	}
	return new(big.Float).SetInf(x.Sign() < 0)
}

// float returns the float64 nearest to v and its accuracy. It works around big.Float.Float64, which handles exponents
// near the least as if they were the largest.
func float(v *big.Float) (float64, big.Accuracy) {
	switch {
	case v.MantExp(nil) > -1100 || v.Sign() == 0:
		return v.Float64()
	case v.Sign() > 0:
		return 0, big.Below
	}
	return 0, big.Above
}
