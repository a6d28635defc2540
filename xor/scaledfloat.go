package xor

import (
	"math"
	"math/big"

	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// unit is the rounding unit of float64: the relative error of one operation is at most unit.
const unit = interval.Unit

// scaledFloat is m·2ᵉ with ½ ≤ m < 1, a positive number whose exponent never overflows.
type scaledFloat struct {
	m float64
	e int64
}

var scaledOne = scaledFloat{.5, 1}

// newScaledFloat returns v ≥ 0 as a scaledFloat, which is zero for v = 0.
func newScaledFloat(v float64) scaledFloat {
	m, e := math.Frexp(v)
	return scaledFloat{m, int64(e)}
}

// mul returns a·b, rounded once.
func (a scaledFloat) mul(b scaledFloat) scaledFloat {
	m, e := a.m*b.m, a.e+b.e
	if m < .5 {
		m, e = 2*m, e-1
	}
	return scaledFloat{m, e}
}

// quo returns a/b for b > 0, rounded once.
func (a scaledFloat) quo(b scaledFloat) scaledFloat {
	w := newScaledFloat(a.m / b.m)
	w.e += a.e - b.e
	return w
}

// times returns a·n, rounded once.
func (a scaledFloat) times(n float64) scaledFloat { return a.mul(newScaledFloat(n)) }

// float returns the value; ok reports whether it is a normal float64 well within range.
func (a scaledFloat) float() (v float64, ok bool) {
	if a.e < -1000 || a.e > 1000 {
		return 0, false
	}
	return math.Ldexp(a.m, int(a.e)), true
}

// bounds encloses a·(1 ± rel) in float64, rounding outward. This includes subnormal numbers, so that a positive
// number never has the upper end zero.
func (a scaledFloat) bounds(rel float64) (lo, hi float64) {
	if a.m == 0 {
		return 0, 0
	}
	e := int(min(max(a.e, -3000), 3000))
	// The factor and the product round by half a unit each.
	lo, hi = math.Ldexp(a.m*((1-rel)*(1-2*unit)), e), math.Ldexp(a.m*((1+rel)*(1+2*unit)), e)
	if e < -1000 { // Ldexp may have rounded
		lo, hi = math.Nextafter(lo, 0), interval.Up(hi)
	}
	return math.Max(0, lo), hi
}

// log encloses ln(a·(1 ± rel)).
func (a scaledFloat) log(rel float64) (lo, hi float64) {
	slack := interval.Between(1-rel, 1+rel)
	return interval.Float(a.m).Mul(slack).Log().Add(interval.Int(a.e).Mul(interval.Ln2())).Bounds()
}

// expCache caches exponentials, each with a relative error of at most unit. Laws repeat their exponents.
type expCache map[float64]scaledFloat

func (s expCache) of(x float64) scaledFloat {
	if w, ok := s[x]; ok {
		return w
	}
	k := int64(math.Round(x / math.Ln2))
	// |x − k ln 2| is at most about 0.35, however k was rounded.
	v := interval.Float(x).Sub(interval.Int(k).Mul(interval.Ln2())).Exp().Mid()
	w := newScaledFloat(v)
	w.e += k
	s[x] = w
	return w
}

// scaledDouble is v·2ᵉ with ½ ≤ v.Hi < 1 and |v.Lo| ≤ u = 2⁻⁵³: about 32 digits, and an exponent that never overflows.
// Every operation has an error of at most a factor 1 ± scaledDoubleUnit, which is 64u².
//
// A product of hi + lo and hi' + lo' has these absolute errors: lo·lo', at most u²; the roundings of hi·lo' and lo·hi',
// u² each; of their sum, 2u²; and of that sum plus the low part of hi·hi', 3u². Together they are at most 8u², and a
// product is at least ¼. A quotient has the roundings of a.lo·x, of its sum with the remainder and of the last
// quotient, 10u² relative. The exponential has the rounding of its second word.
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

// mulRatio returns a·n/d for positive integers n and d below 2⁵³.
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

// over returns a·2⁻ᵗᵒᵖ, or zero if that is below 2⁻⁹⁰⁰.
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

// scaledBigFloat is m·2ᵉ with ½ ≤ m < 1, a positive number of any precision whose exponent never overflows. An
// operation on numbers of prec bits has an error of at most a factor 1 ± 2^−prec.
type scaledBigFloat struct {
	m *big.Float
	e int64
}

// normal brings m back to [½, 1).
func (a scaledBigFloat) normal() scaledBigFloat {
	e := a.m.MantExp(a.m)
	return scaledBigFloat{a.m, a.e + int64(e)}
}

func (a scaledBigFloat) mul(b scaledBigFloat) scaledBigFloat {
	return scaledBigFloat{new(big.Float).Mul(a.m, b.m), a.e + b.e}.normal()
}

// mulRatio returns a·n/d for positive n and d, rounded twice.
func (a scaledBigFloat) mulRatio(n, d int) scaledBigFloat {
	m := new(big.Float).SetPrec(a.m.Prec()).Mul(a.m, new(big.Float).SetInt64(int64(n)))
	return scaledBigFloat{m.Quo(m, new(big.Float).SetInt64(int64(d))), a.e}.normal()
}

// fixed returns ⌊a·2^shift⌋.
func (a scaledBigFloat) fixed(shift int64) *big.Int {
	if a.e+shift <= 0 {
		return new(big.Int)
	}
	v, _ := new(big.Float).SetMantExp(a.m, int(a.e+shift)).Int(nil)
	return v
}

// scaledBigOne returns 1 with a precision of prec bits.
func scaledBigOne(prec uint) scaledBigFloat {
	return scaledBigFloat{new(big.Float).SetPrec(prec).SetFloat64(.5), 1}
}

// scaledBigExp returns eˣ for |x| < 2⁶², to within a factor 1 ± 2^(1−prec). It squares e^{x/2^j} j times, where |x/2^j|
// < 1. Each squaring doubles the relative error and rounds once. With j + 8 extra bits the total is below 2^−prec. The
// last rounding is below 2^−prec as well.
func scaledBigExp(x *big.Rat, prec uint) scaledBigFloat {
	j := max(0, x.Num().BitLen()-x.Denom().BitLen()+1)
	more := prec + uint(j) + 8
	small := new(big.Rat).SetFrac(x.Num(), new(big.Int).Lsh(x.Denom(), uint(j)))
	places := int(more) + 8
	least, _ := sampling.Exp(sampling.Rat(small))(places) // has an absolute error of 16·2^−places and is above ¼
	a := scaledBigFloat{new(big.Float).SetPrec(more).SetInt(least), int64(-places)}.normal()
	for range j {
		a = a.mul(a)
	}
	a.m.SetPrec(prec)
	return a.normal()
}

// scaledBigExps caches exponentials at one precision.
type scaledBigExps struct {
	prec uint
	seen map[float64]scaledBigFloat
}

// of returns e^{nx} for n = 1 or 2.
func (s scaledBigExps) of(n int64, x float64) scaledBigFloat {
	key := float64(n) * x // exact: callers' products do not overflow
	v, ok := s.seen[key]
	if !ok {
		v = scaledBigExp(new(big.Rat).SetFloat64(key), s.prec)
		s.seen[key] = v
	}
	return v
}
