package xor

import (
	"math"

	"dpworkbench/interval"
)

// scaledDouble is v·2ᵉ with ½ ≤ v.Hi < 1 and |v.Lo| ≤ u = 2⁻⁵³: about 32 digits, and an exponent that never overflows.
// Every operation errs by a factor of at most 1 ± scaledDoubleUnit, which is 64u².
//
// A product errs absolutely by lo·lo', at most u²; by the roundings of hi·lo' and lo·hi', u² each; of their sum, 2u²; and
// of that sum and what the product of the high parts leaves over, 3u². Together that is 8u² against a product of at least
// ¼. A quotient errs by the roundings of a.lo·x, of its sum with the rest and of the last quotient, 10u² relative. The
// exponential errs by the rounding of its second word.
type scaledDouble struct {
	v interval.DoubleDouble
	e int64
}

const scaledDoubleUnit = 0x1p-100

// newScaledDouble returns (hi + lo)·2ᵉ.
func newScaledDouble(hi, lo float64, e int64) scaledDouble {
	s := hi + lo
	lo -= s - hi
	m, shift := math.Frexp(s)
	return scaledDouble{interval.DoubleDouble{Hi: m, Lo: math.Ldexp(lo, -shift)}, e + int64(shift)}
}

// mul returns a·b.
func (a scaledDouble) mul(b scaledDouble) scaledDouble {
	p := a.v.Hi * b.v.Hi
	err := math.FMA(a.v.Hi, b.v.Hi, -p)
	return newScaledDouble(p, err+(a.v.Hi*b.v.Lo+a.v.Lo*b.v.Hi), a.e+b.e)
}

// mulRatio returns a·n/d for positive whole n and d below 2⁵³.
func (a scaledDouble) mulRatio(n, d int) scaledDouble {
	x, y := float64(n), float64(d)
	p := a.v.Hi * x
	err := math.FMA(a.v.Hi, x, -p) + a.v.Lo*x
	q := p / y
	rest := math.FMA(-q, y, p) + err
	return newScaledDouble(q, rest/y, a.e)
}

// scaledDoubleExp returns eˣ for |x| ≤ 2⁶¹, x known to 2⁻¹¹⁰ relative to 1 or better.
func scaledDoubleExp(x interval.Interval) scaledDouble {
	k := int64(math.Round(x.Mid() / math.Ln2))
	v := x.Sub(interval.Int(k).Mul(interval.Ln2())).Exp().Ball().Mid
	return newScaledDouble(v.Hi, v.Lo, k)
}

// over returns a·2⁻ᵗᵒᵖ, zero where that is below 2⁻⁹⁰⁰.
func (a scaledDouble) over(top int64) interval.DoubleDouble {
	if a.e-top < -900 {
		return interval.DoubleDouble{}
	}
	return a.v.Scale(int(a.e - top))
}

// addTo adds times·a to a sum that is scaled by 2⁻ᵗᵒᵖ, and returns what it added,
// rounded. Terms below 2⁻⁹⁰⁰ of the largest are dropped.
func (a scaledDouble) addTo(to *interval.DoubleDouble, top int64, times int) float64 {
	if a.e-top < -900 {
		return 0
	}
	scale := math.Float64frombits(uint64(1023+a.e-top) << 52) // 2^(a.e−top), exactly
	hi, lo := a.v.Hi*scale, a.v.Lo*scale
	p := hi * float64(times)
	to.Accumulate(p)
	to.Lo += math.FMA(hi, float64(times), -p) + lo*float64(times)
	return p
}
