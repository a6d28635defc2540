package elementary

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/interval"
)

// expTable holds 2^{j/32} = hi + lo, and ln2/32 split into a high and a low part.
type expTable struct {
	hi, lo         [32]float64
	stepHi, stepLo float64
}

var expOf = sync.OnceValue(func() *expTable {
	t := &expTable{}
	for j := range t.hi {
		v := interval.Ln2().Mul(interval.Rat(big.NewRat(int64(j), 32))).Exp()
		t.hi[j] = v.Mid()
		t.lo[j] = v.Sub(interval.Float(t.hi[j])).Mid()
	}
	t.stepHi, t.stepLo = parts(interval.Ln2().Quo(interval.Int(32)), 40) // k·stepHi is exact for |k| < 2¹⁶
	return t
})

// Exp returns eˣ to 2u, or to 2⁻¹⁰⁷⁰ if that is more, and +Inf above 709.
//
// x = k·ln2/32 + r, |r| ≤ 0.0109. k·stepHi is exact; k·stepLo is below 2⁻²⁴ and its rounding below 2⁻⁷⁶; the two
// differences round by u·0.0109 each. The polynomial leaves out r⁷/5040 and higher terms, below 4e-18·r, and its
// roundings are at most 4u of 0.0109. Multiplied by the table entry, all these errors stay below 0.1u. Only the last
// sum rounds by u of the result.
func Exp(x float64) float64 {
	switch {
	case x > 709:
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	t := expOf()
	n := int(x*(32/math.Ln2)+(1<<20)+0.5) - 1<<20
	k := float64(n)
	r := (x - float64(k*t.stepHi)) - float64(k*t.stepLo)
	p := r + float64(r*r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	j := n & 31
	v := t.hi[j] + (t.lo[j] + float64(t.hi[j]*p))
	if x < -700 {
		return math.Ldexp(v, (n-j)/32)
	}
	return v * math.Float64frombits(uint64(1023+(n-j)/32)<<52)
}

// logTable holds ln(1 + i/128) = hi + lo for i = −38, …, 54, and ln 2 in the same form.
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

// Log returns ln x to 5u for positive finite x, and to 6u for subnormal x. It is −Inf at 0, +Inf at +Inf and NaN
// elsewhere.
func Log(x float64) float64 {
	switch {
	case x >= 0x1p-1022 && x <= math.MaxFloat64:
		return logSum(x, 0)
	case x > 0 && x < 1:
		return logSum(x*0x1p52, 0) - 52*math.Ln2
	}
	return math.Log(x)
}

// Log1p returns ln(1 + x) to 5u for −½ ≤ x ≤ 1.
func Log1p(x float64) float64 {
	s := 1 + x
	return logSum(s, x-(s-1)) // the sum of both is exactly 1 + x
}

// logSum returns ln(x + y), |y| ≤ u·x.
//
// x + y = 2ᵉ(F + d) with F = 1 + i/128 next to the mantissa and |d| ≤ 1/256. The high part of d is exact, a difference
// of close numbers, and r = d/F, |r| ≤ 1/180, has two roundings. ln(1 + r) is r with terms that are below 0.003r and
// round by 5u of that; the terms left out are below r¹⁰/10. e·ln2 + ln F is exact in the high parts, which have 40
// binary places. If it is 0, the result is ln(1 + r), with an error of 3.1u. If e = 0 and F is not 1, the result is at
// least 0.0039 in size, no less than the terms of r, which err by 3.1u, and the sum rounds by u. If e ≠ 0, the result
// is at least 0.34.
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
