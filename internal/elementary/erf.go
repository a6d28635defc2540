package elementary

import (
	"math"
	"math/big"
	"sync"
	"sync/atomic"

	"dpworkbench/interval"
)

// Erfc is e^{−x²}·g(x), where g is a Taylor polynomial with erfTerms coefficients about the middle of the cell of x.
// [0, farErf] has perUnit cells per unit.
const (
	farErf   = 27 // erfc there is below 1e-318
	perUnit  = 16
	erfTerms = 12
)

// twoOverRootPi encloses 2/√π.
var twoOverRootPi = sync.OnceValue(func() interval.Interval { return interval.Int(2).Quo(interval.Pi().Sqrt()) })

// cells caches the polynomials that were computed.
var cells [farErf * perUnit]atomic.Pointer[[erfTerms]float64]

// cell returns the coefficients of g about c = (n + ½)/perUnit. As g' = 2xg − 2/√π, (m + 1)a_{m+1} = 2c·a_m + 2a_{m−1}
// for m ≥ 1, and a_1 = 2c·a_0 − 2/√π.
func cell(n int) *[erfTerms]float64 {
	if t := cells[n].Load(); t != nil {
		return t
	}
	t := new([erfTerms]float64)
	c := interval.Rat(big.NewRat(int64(2*n+1), 2*perUnit))
	a, before := erfcx(c), interval.Int(0)
	for m := range t {
		t[m] = a.Mid()
		next := c.Mul(a).Add(before).Mul(interval.Int(2))
		if m == 0 {
			next = next.Sub(twoOverRootPi())
		}
		before, a = a, next.Quo(interval.Int(int64(m+1)))
	}
	cells[n].Store(t)
	return t
}

// erfcx encloses e^{x²} erfc x for a point x > 0. Below 7 it uses the series erf x = (2/√π) e^{−x²} Σ 2ᵐ
// x^{2m+1}/(2m+1)!!, whose terms at least halve from m = 2x² on. Above, it uses the continued fraction erfc x =
// e^{−x²}/√π · 1/(x + ½/(x + 1/(x + 3/2/(x + …)))), whose successive values are on alternating sides.
func erfcx(x interval.Interval) interval.Interval {
	one := interval.Int(1)
	if x.Less(interval.Int(7)) {
		square := x.Mul(x)
		term, sum := x, x
		for m := int64(1); ; m++ {
			term = term.Mul(square).Mul(interval.Int(2)).Quo(interval.Int(2*m + 1))
			sum = sum.Add(term)
			if term.Less(interval.Float(0x1p-240)) { // terms with m ≤ 2x² are larger
				break
			}
		}
		sum = interval.Hull(sum, sum.Add(term)) // the remainder is below the last term
		return square.Exp().Sub(twoOverRootPi().Mul(sum))
	}
	value := func(depth int64) interval.Interval {
		v := x
		for m := depth; m > 0; m-- {
			v = x.Add(interval.Int(m).Quo(interval.Int(2)).Quo(v))
		}
		return one.Quo(v).Mul(twoOverRootPi()).Quo(interval.Int(2))
	}
	for depth := int64(32); ; depth *= 2 {
		v := interval.Hull(value(depth), value(depth+1))
		if v.Upper().Sub(v.Lower()).Less(v.Mul(interval.Float(0x1p-180))) { // coefficients lose up to 110 of these bits
			return v
		}
	}
}

// Erfc returns erfc x to 9u for 0 ≤ x < 26, and to 2⁻¹⁰⁰⁰ beyond.
//
// x² = s + l exactly, and e^{−x²} = e^{−s}(1 − l) up to l². The exponential errs by 2u, the factor and the products by
// 3u. In the polynomial, the terms after a₀ are below 0.04a₀ in all, since |a₁| ≤ 2/√π and g ≥ 1/(1 + 2x), and round by
// 6u of that. With the rounding of a₀ and of the last sum, the polynomial errs by 2.3u. The terms left out are below
// 32⁻¹² of the coefficient of the first of them, which is below g.
func Erfc(x float64) float64 {
	if x >= farErf {
		return 0
	}
	n := int(x * perUnit)
	a := cell(n)
	d := x - (float64(n)+0.5)/perUnit // exact
	g := a[erfTerms-1]
	for m := erfTerms - 2; m >= 0; m-- {
		g = g*d + a[m]
	}
	s := x * x
	l := math.FMA(x, x, -s)
	return Exp(-s) * (1 - l) * g
}

// erfSeries holds (2/√π)(−1)ⁿ/(n!(2n + 1)).
var erfSeries = sync.OnceValue(func() [14]float64 {
	var out [14]float64
	factorial := interval.Int(1)
	for n := range out {
		if n > 0 {
			factorial = factorial.Mul(interval.Int(int64(n)))
		}
		v := twoOverRootPi().Quo(factorial.Mul(interval.Int(int64(2*n + 1)))).Mid()
		if n%2 == 1 {
			v = -v
		}
		out[n] = v
	}
	return out
})

// Erf returns erf x to 10u for x of either sign. From ½ on it is 1 − erfc, where erfc is at most 0.48 and has an error
// below 9u·0.48. Below ½ it is Taylor's series, in which the terms after the first are at most 0.09 of the first.
func Erf(x float64) float64 {
	y := math.Abs(x)
	v := 1.0
	switch {
	case y < 0.5:
		a := erfSeries()
		s := y * y
		v = a[len(a)-1]
		for n := len(a) - 2; n >= 0; n-- {
			v = v*s + a[n]
		}
		v *= y
	case y < 6:
		v = 1 - Erfc(y)
	}
	return math.Copysign(v, x)
}
