package interval

import "math/big"

// smallExponent bounds the numbers 2^smallExponent and below for which Expm1 and
// Log1p sum their series: above it eˣ − 1 and ln(1 + x) keep at least
// Prec + smallExponent − 4 bits.
const smallExponent = -64

// Expm1 returns an enclosure of eᵃ − 1, narrow relative to itself however small a
// is.
func (a Interval) Expm1() Interval { return increasing(a, expm1Point) }

// Log1p returns an enclosure of ln(1 + a), narrow relative to itself however small
// a is. It panics where a reaches down to −1.
func (a Interval) Log1p() Interval { return increasing(a, log1pPoint) }

// increasing returns the values of an increasing function on a.
func increasing(a Interval, point func(Interval) Interval) Interval {
	lo := point(Interval{a.lo, a.lo})
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, point(Interval{a.hi, a.hi}).hi}
}

// isSmall reports whether |x| < 2^smallExponent.
func isSmall(x Interval) bool { return !x.lo.IsInf() && x.lo.MantExp(nil) <= smallExponent }

// expm1Point is Expm1 at one number: x + x²/2 + … + x⁴/24 and a rest below
// |x|⁵/120·e^{|x|} ≤ |x|⁵/100 where x is small.
func expm1Point(x Interval) Interval {
	switch {
	case x.lo.Sign() == 0:
		return Int(0)
	case x.lo.IsInf() && x.lo.Signbit():
		return Interval{Int(-1).lo, Int(-1).scale(-1).hi} // below every end, e^x is below 1/2
	case x.lo.IsInf():
		return Interval{highest, x.lo}
	case !isSmall(x):
		return x.Exp().Sub(Int(1))
	}
	sum := inverseFactorial[4]
	for i := 3; i >= 1; i-- {
		sum = sum.Mul(x).Add(inverseFactorial[i])
	}
	return sum.Add(within(x)).Mul(x)
}

// log1pPoint is Log1p at one number: x − x²/2 + x³/3 − x⁴/4 and a rest below |x|⁵/4
// where x is small.
func log1pPoint(x Interval) Interval {
	switch {
	case x.lo.Sign() == 0:
		return Int(0)
	case x.lo.IsInf():
		return Interval{logPoint(highest).lo, x.lo}
	case !isSmall(x):
		return x.Add(Int(1)).Log()
	}
	sum := reciprocal[4].Neg()
	for i := 3; i >= 1; i-- {
		sum = sum.Mul(x)
		if i%2 == 1 {
			sum = sum.Add(reciprocal[i])
		} else {
			sum = sum.Sub(reciprocal[i])
		}
	}
	return sum.Add(within(x)).Mul(x)
}

// within returns ±x⁴, which bounds what either series leaves out, over x.
func within(x Interval) Interval {
	rest := new(big.Float).SetMantExp(big.NewFloat(1), 4*max(x.lo.MantExp(nil), -1<<20))
	return Interval{new(big.Float).Neg(rest), rest}
}
