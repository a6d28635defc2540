package interval

import (
	"math/big"
	"slices"
)

// Expm1 returns an enclosure of eᵃ − 1 that stays narrow relative to its size near 0.
func (a Interval) Expm1() Interval {
	lo := expm1Point(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, expm1Point(a.hi).hi} // eˣ − 1 increases
}

// nearZero is the largest binary exponent of arguments for which the series is summed. Above it, cancellation loses at
// most 16 bits.
const nearZero = -16

// expm1Point encloses eˣ − 1, near 0 by x Σ xⁱ/(i+1)!.
func expm1Point(x *big.Float) Interval {
	if x.Sign() == 0 {
		return Int(0)
	}
	if x.MantExp(nil) > nearZero || x.IsInf() {
		return expPoint(x).Sub(Int(1))
	}
	at := Interval{x, x}
	sum := rest
	for _, c := range slices.Backward(inverseFactorial[1:]) {
		sum = sum.Mul(at).Add(c)
	}
	return sum.Mul(at)
}

// Log1p returns an enclosure of ln(1 + a) that stays narrow relative to its size near 0. Away from 0 it returns the Log
// of 1 + a.
func (a Interval) Log1p() Interval {
	lo := log1pPoint(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, log1pPoint(a.hi).hi} // ln(1 + x) increases
}

// log1pPoint encloses ln(1 + x), near 0 by x Σ (−x)ⁱ/(i+1).
func log1pPoint(x *big.Float) Interval {
	if x.Sign() == 0 {
		return Int(0)
	}
	at := Interval{x, x}
	if x.MantExp(nil) > nearZero || x.IsInf() {
		return at.Add(Int(1)).Log()
	}
	sum := rest
	for _, c := range slices.Backward(reciprocal[1:]) {
		sum = c.Sub(sum.Mul(at))
	}
	return sum.Mul(at)
}
