package interval

import "math/big"

// This file has the arithmetic of ends, rounded down and up.
//
// A big.Float that leaves its range of exponents becomes 0 or infinite, whatever its rounding mode. Its accuracy tells on
// which side of the truth it is. Rounded down, it lies above the truth in two cases: a negative number too small, and a
// positive one too large. Rounded up, it lies below the truth in the mirror images of these. Lower ends are never +∞ and
// upper ends never −∞, so that no sum is ∞ − ∞.

// least is the least positive big.Float, highest and lowest are the largest and
// its negative.
var least, highest, lowest = func() (l, h, n *big.Float) {
	l = new(big.Float).SetMantExp(big.NewFloat(0.5), big.MinExp)
	h = exact().Sub(big.NewFloat(1), new(big.Float).SetMantExp(big.NewFloat(1), -Prec))
	h.SetMantExp(h, big.MaxExp)
	return l, h, new(big.Float).Neg(h)
}()

// lower returns v, the result of rounding down, at or below the truth.
func lower(v *big.Float) *big.Float {
	switch {
	case v.Acc() != big.Above:
		return v
	case v.IsInf():
		return highest
	}
	return exact().Neg(least)
}

// upper returns v, the result of rounding up, at or above the truth.
func upper(v *big.Float) *big.Float {
	switch {
	case v.Acc() != big.Below:
		return v
	case v.IsInf():
		return lowest
	}
	return least
}

// aligned returns x and y. Where the exponent of one lies more than gap below the other's, it replaces that one by a number
// of the same sign which is still far below the other's last bit: their sum rounds as before. big.Float would shift one
// against the other by the whole difference, up to 2³² bits.
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

// sumGap is more than enough for ends of Prec bits.
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

// zero is 0, an end that nothing is rounded into.
var zero = exact()

// vanishes reports whether x·y is 0 times ∞, which is 0 here: an infinite end bounds finite numbers.
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

// quoDown returns a lower bound of x over the numbers of an interval that has y ≥ 0 as an end. Where y is 0 the quotients
// have no bound: see Quo.
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

// unbounded returns x times infinity.
func unbounded(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zero
	}
	return new(big.Float).SetInf(x.Sign() < 0)
}

// float returns the float64 nearest to v, and on which side of v it lies. It exists because big.Float.Float64 mistakes the
// least exponents for the largest.
func float(v *big.Float) (float64, big.Accuracy) {
	switch {
	case v.MantExp(nil) > -1100 || v.Sign() == 0:
		return v.Float64()
	case v.Sign() > 0:
		return 0, big.Below
	}
	return 0, big.Above
}
