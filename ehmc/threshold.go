package ehmc

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sort"

	"dpworkbench/interval"
)

// Threshold is a probability as a 128-bit fraction, Hi·2⁻⁶⁴ + Lo·2⁻¹²⁸: a draw is 1 if a uniform 128-bit integer is
// below it. The draw uses no floating point, so its law is known exactly.
type Threshold struct{ Hi, Lo uint64 }

// LogitThreshold returns 1/(1 + e⁻ˣ) at the lower end of x, rounded down by less than 2⁻¹²⁷.
func LogitThreshold(x interval.Interval) Threshold {
	const far = 1000 // beyond, the fraction is 0 or 1 to 128 bits
	x, one := x.Lower(), interval.Int(1)
	switch {
	case x.Less(interval.Int(-far)):
		return Threshold{}
	case interval.Int(far).Less(x):
		return Threshold{math.MaxUint64, math.MaxUint64}
	}
	e := interval.Max(x, x.Neg()).Neg().Exp()
	p := e.Quo(one.Add(e)) // at most ½
	if sign, _ := x.Sign(); sign > 0 {
		p = one.Sub(p)
	}
	return fractionOf(p.Lower().MidFloat(interval.Prec))
}

// fractionOf returns v ≥ 0, rounded down and at most 1 − 2⁻¹²⁸.
func fractionOf(v *big.Float) Threshold {
	whole, _ := new(big.Float).SetMantExp(v, 128).Int(nil)
	if whole.BitLen() > 128 {
		return Threshold{math.MaxUint64, math.MaxUint64}
	}
	var buf [16]byte
	whole.FillBytes(buf[:])
	var t Threshold
	for i, b := range buf {
		if i < 8 {
			t.Hi = t.Hi<<8 | uint64(b)
		} else {
			t.Lo = t.Lo<<8 | uint64(b)
		}
	}
	return t
}

// Sample returns true with the threshold's probability.
func (t Threshold) Sample(src rand.Source) bool {
	u := src.Uint64()
	if u != t.Hi {
		return u < t.Hi
	}
	return src.Uint64() < t.Lo
}

// Thresholds is a cumulative distribution function: [i] is Pr[an outcome of at most i], nondecreasing.
type Thresholds []Threshold

// Draw returns an outcome, by inversion at 128 random bits, two words of src. Outcome i has exactly the probability [i]
// − [i−1], and the last outcome the remainder.
func (t Thresholds) Draw(src rand.Source) int {
	u := Threshold{src.Uint64(), src.Uint64()}
	return sort.Search(len(t)-1, func(i int) bool { return u.Less(t[i]) })
}

// At returns the outcome of a uniform number whose first 128 digits are u; the thresholds have an error below off −
// 2⁻¹²⁸. sure is false if a threshold is so near to u that these digits and this precision do not decide.
func (t Thresholds) At(u, off Threshold) (i int, sure bool) {
	last := len(t) - 1
	i = sort.Search(last, func(i int) bool { return u.Less(t[i]) })
	return i, (i == 0 || t[i-1].apart(u, off)) && (i >= last || u.apart(t[i], off))
}

// apart reports whether t + off ≤ o.
func (t Threshold) apart(o, off Threshold) bool {
	lo, carry := bits.Add64(t.Lo, off.Lo, 0)
	hi, over := bits.Add64(t.Hi, off.Hi, carry)
	return over == 0 && !o.Less(Threshold{hi, lo})
}

// Less reports whether t is the smaller fraction.
func (t Threshold) Less(o Threshold) bool { return t.Hi < o.Hi || t.Hi == o.Hi && t.Lo < o.Lo }
