package elementary

import (
	"math"
	"sync"

	"dpworkbench/interval"
)

// quarter is π/2 = a + b + c, where a and b have at most 32 bits.
type quarter struct{ a, b, c float64 }

var halfPi = sync.OnceValue(func() quarter {
	x := interval.Pi().Quo(interval.Int(2))
	var q quarter
	q.a, _ = parts(x, 31)
	x = x.Sub(interval.Float(q.a))
	q.b, q.c = parts(x, 62)
	return q
})

// MaxAngle bounds the arguments of Sincos.
const MaxAngle = 1 << 20

// Sincos returns sin x and cos x with errors of at most 3u, for |x| ≤ MaxAngle.
//
// x = nπ/2 + r, |r| ≤ 0.786, and π/2 = a + b + c. na and nb are exact, and so is x − na, a number below 1 of at most 53
// places. x − na − nb is kept in two words; nc is below 2⁻⁴² and its rounding below 2⁻⁹⁵. So r = hi + lo to 2⁻⁹⁰. The
// polynomials leave out less than 1e-17. Roundings are below 4u of 0.081 = 0.786³/6 and 3u of 0.31 = 0.786²/2, and u
// for the last sum.
func Sincos(x float64) (sin, cos float64) {
	q := halfPi()
	n := math.Round(x * (2 / math.Pi))
	t := x - n*q.a // exact
	w := n * q.b
	hi, lo := interval.TwoSum(t, -w)
	lo -= n * q.c
	hi, lo = hi+lo, lo-((hi+lo)-hi)

	s := hi * hi
	// sin(hi + lo) = sin hi + lo cos hi and cos(hi + lo) = cos hi − lo sin hi, up to lo².
	sin = hi + (hi*s*(-1.0/6+s*(1.0/120+s*(-1.0/5040+s*(1.0/362880+s*(-1.0/39916800+s*(1.0/6227020800+s*(-1.0/1307674368000+s*(1.0/355687428096000)))))))) + lo*(1-s/2))
	cos = 1 + (s*(-1.0/2+s*(1.0/24+s*(-1.0/720+s*(1.0/40320+s*(-1.0/3628800+s*(1.0/479001600+s*(-1.0/87178291200+s*(1.0/20922789888000)))))))) - lo*hi)
	switch int(n) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}
