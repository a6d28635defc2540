// Package elementary has float64 functions with proven error bounds, derived from the rounding of +, −, ·, / and
// math.FMA only. The errors of package math's functions are only measured, which is not enough for certified
// results.
//
// u = 2⁻⁵³ is the rounding unit: a result x known to n·u has an error of at most n·u·|x|. Tables are rounded from
// 256-bit enclosures.
package elementary

import (
	"math/big"

	"dpworkbench/interval"
)

// ExpError bounds the relative error of Exp, unless the value is subnormal, and LogError that of Log.
const (
	ExpError = 2 * 0x1p-53
	LogError = 5 * 0x1p-53
)

// parts returns x as hi + lo, where hi is a multiple of 2^−bits.
func parts(x interval.Interval, bits int) (hi, lo float64) {
	m := x.MidFloat(interval.Prec)
	n, _ := new(big.Float).SetMantExp(m, bits).Int(nil)
	h := new(big.Float).SetMantExp(new(big.Float).SetInt(n), -bits)
	hi, _ = h.Float64()
	lo = x.Sub(interval.Float(hi)).Mid()
	return hi, lo
}
