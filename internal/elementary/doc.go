// Package elementary has float64 functions whose error is proven here, from the
// rounding of +, −, ·, / and math.FMA alone. The error of the functions of package
// math is known from tests; what is certified cannot lean on it.
//
// u = 2⁻⁵³ is the rounding unit: a result x known to n·u is off by at most n·u·|x|.
// Tables are rounded from 256-bit enclosures.
package elementary

import (
	"math/big"

	"dpworkbench/interval"
)

// TwoSum returns a + b rounded, and what rounding took away (Knuth): their sum is a + b,
// where nothing overflows.
func TwoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

// Relative errors of Exp where its value is no subnormal, and of Log.
const (
	ExpError = 2 * 0x1p-53
	LogError = 5 * 0x1p-53
)

// ln2 encloses ln 2.
var ln2 = interval.Int(2).Log()

// pi encloses π by its first hundred decimal places (OEIS A000796).
var pi = func() interval.Interval {
	const digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
	q, _ := new(big.Rat).SetString(digits)
	unit, _ := new(big.Rat).SetString("1e-100")
	return interval.Hull(interval.Rat(q), interval.Rat(new(big.Rat).Add(q, unit)))
}()

// Pi returns an enclosure of π, a hundred digits narrow.
func Pi() interval.Interval { return pi }

// parts returns x as hi + lo, hi being a whole multiple of 2^−bits and both next to
// what they stand for.
func parts(x interval.Interval, bits int) (hi, lo float64) {
	m := x.MidFloat(interval.Prec)
	n, _ := new(big.Float).SetMantExp(m, bits).Int(nil)
	h := new(big.Float).SetMantExp(new(big.Float).SetInt(n), -bits)
	hi, _ = h.Float64()
	lo = x.Sub(interval.Float(hi)).Mid()
	return hi, lo
}
