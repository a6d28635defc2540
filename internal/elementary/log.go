package elementary

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/interval"
)

// logTable holds ln(1 + i/128) = hi + lo for i = −38, …, 54, and ln 2 likewise.
type logTable struct {
	hi, lo     [93]float64
	ln2, ln2Lo float64
}

var logOf = sync.OnceValue(func() *logTable {
	t := &logTable{}
	for n := range t.hi {
		t.hi[n], t.lo[n] = parts(interval.Rat(big.NewRat(int64(128+n-38), 128)).Log(), 40)
	}
	t.ln2, t.ln2Lo = parts(interval.Ln2(), 40)
	return t
})

// Log returns ln x to 5u for a positive finite x, no subnormal.
func Log(x float64) float64 { return logSum(x, 0) }

// Log1p returns ln(1 + x) to 5u for −½ ≤ x ≤ 1.
func Log1p(x float64) float64 {
	s := 1 + x
	return logSum(s, x-(s-1)) // exactly 1 + x
}

// logSum returns ln(x + y), |y| ≤ u·x.
//
// x + y = 2ᵉ(F + d) with F = 1 + i/128 next to the mantissa and |d| ≤ 1/256: the high
// part of d is exact, a difference of close numbers, and r = d/F, |r| ≤ 1/180, has two
// roundings. ln(1 + r) is r with terms that are below 0.003r and round by 5u of that,
// what is left out being below r¹⁰/10. e·ln2 + ln F is exact in the high parts, which
// have 40 places. Where it is 0 the result is that of r, with 3.1u. Where F alone is
// not 1, the result is at least 0.0039 in size, no less than the terms of r, which
// err by 3.1u, and the sum rounds by u; where e ≠ 0 it is at least 0.34.
func logSum(x, y float64) float64 {
	t := logOf()
	const root = 0x3fe6a09e667f3bcd // of √½: the mantissa m is taken from [√½, √2)
	e := int64(math.Float64bits(x)-root) >> 52
	m := math.Float64frombits(math.Float64bits(x) - uint64(e)<<52)
	n := int((m-1)*128+64.5) - 64
	f := 1 + float64(n)/128
	r := m - f
	if y != 0 {
		r += math.Ldexp(y, int(-e))
	}
	r /= f
	s := r * r
	p := r + s*(-1.0/2+r*(1.0/3+r*(-1.0/4+r*(1.0/5+r*(-1.0/6+r*(1.0/7+r*(-1.0/8+r*(1.0/9))))))))
	k := float64(e)
	return (float64(k*t.ln2) + t.hi[n+38]) + (p + (float64(k*t.ln2Lo) + t.lo[n+38]))
}
