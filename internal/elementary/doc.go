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

// Relative errors of Exp where its value is no subnormal, and of Log.
const (
	ExpError = 2 * 0x1p-53
	LogError = 5 * 0x1p-53
)

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
