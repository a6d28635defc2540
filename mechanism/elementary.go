package mechanism

import (
	"math"

	"dpworkbench/interval"
)

// The float64 filters of this package decide nothing unless their errors are
// bounded, and the standard library promises "less than 1 ulp" of its exponential
// and logarithm at best. expNeg is therefore written down here, with its
// proof, and a logarithm is checked by it.

// expError bounds the relative error of expNeg.
const expError = 0x1p-50

// logError bounds the error of logOf where its answer is y.
func logError(y float64) float64 { return 0x1p-46 + 0x1p-51*math.Abs(y) }

// ln2High has 33 bits, so that its products with whole numbers below 2²⁰ are
// exact; ln2High + ln2Low is ln 2 within 2⁻⁸⁵.
const (
	ln2High = 0x1.62e42fefp-1
	ln2Low  = 0x1.473de6af278edp-34
)

// expNeg returns e^{−t} for t ≥ 0 with a relative error of at most expError, and 0
// where it is below 2⁻¹⁰²² or so.
//
// With k the whole number nearest to t/ln 2, e^{−t} = 2^{−k} e^{s}, s = k ln 2 − t.
// k·ln2High is exact, t − k·ln2High is exact too, since the two are within a
// factor 2 of each other where k > 0 (Sterbenz), and so s is off by no more than
// two roundings of numbers below 0.35 (t < 746 makes k·ln2Low less than 10⁻⁷):
// 2⁻⁵⁴. The terms of e^{s} that are left out add up to less than
// 0.35¹⁵/15!·1.1 < 2⁻⁶². Horner's rule on the 14 others errs by at most 2·2⁻⁵³·Σ_i
// i·0.35ⁱ/i! < 2⁻⁵², over e^{s} > 0.7 less than 2⁻⁵¹. Together they stay below
// 2⁻⁵⁰; fused multiplications only take roundings away.
func expNeg(t float64) float64 {
	if !(t <= 708) { // e^{−708} > 2⁻¹⁰²²: Ldexp rounds nothing
		return 0
	}
	k := math.Floor(t/math.Ln2 + 0.5)
	s := k*ln2Low - (t - k*ln2High)
	v := reciprocalFactorial[len(reciprocalFactorial)-1]
	for i := len(reciprocalFactorial) - 2; i >= 0; i-- {
		v = v*s + reciprocalFactorial[i]
	}
	return math.Ldexp(v, -int(k))
}

// reciprocalFactorial[i] is 1/i!, rounded.
var reciprocalFactorial = func() (r [15]float64) {
	factorial := 1.0 // exact to 18!
	for i := range r {
		if i > 0 {
			factorial *= float64(i)
		}
		r[i] = 1 / factorial
	}
	return r
}()

// logOf returns ln v with an error of at most logError, v being positive and
// within 10^±300. It takes nothing of math.Log on trust: with y the answer,
// v e^{−y} lies within a third of the bound of 1 as computed, two roundings and
// expError more, and ln v − y is its logarithm.
func logOf(v float64) float64 {
	y := math.Log(v)
	ratio := v * expNeg(y)
	if y < 0 {
		ratio = v / expNeg(-y)
	}
	if math.Abs(ratio-1) <= logError(y)/3 {
		return y
	}
	return interval.Float(v).Log().Mid() // off by half an ulp
}
