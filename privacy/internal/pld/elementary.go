package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// expm1 returns eˣ − 1. The error is at most 6u of the result for |x| ≤ ½, and 6u(eˣ + 1) for other x.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return elementary.Exp(x) - 1
	}
	// The series to x¹⁸ has a truncation error below 1e-22 of x. Each step 1 + x/n·s has a rounding error of 3u, and at
	// most a quarter of the error of s remains.
	s := 1.0
	for n := 17.0; n >= 2; n-- {
		s = 1 + float64(x/n*s)
	}
	return x * s
}

// log1p returns ln(1 + x) with a relative error of 5u for −½ ≤ x ≤ 1. For other x, 1 + x is at least ⅛, and the error
// is 5u of the result plus 3u.
func log1p(x float64) float64 {
	if x >= -0.5 && x <= 1 {
		return elementary.Log1p(x)
	}
	return elementary.Log(1 + x)
}
