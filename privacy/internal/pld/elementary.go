package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// expm1 returns eˣ − 1, off by 6u of itself for |x| ≤ ½, and by 6u of eˣ + 1 elsewhere.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return elementary.Exp(x) - 1
	}
	// The series to x¹⁸ has a truncation error below 1e-22 of x. A sum 1 + x/n·s rounds by 3u, and at most a quarter of
	// the error of s remains.
	s := 1.0
	for n := 17.0; n >= 2; n-- {
		s = 1 + float64(x/n*s)
	}
	return x * s
}

// log1p returns ln(1 + x), off by 5u of itself for −½ ≤ x ≤ 1, and by 5u of itself and 3u elsewhere, where 1 + x is
// at least ⅛.
func log1p(x float64) float64 {
	if x >= -0.5 && x <= 1 {
		return elementary.Log1p(x)
	}
	return elementary.Log(1 + x)
}
