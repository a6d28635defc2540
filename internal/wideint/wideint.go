// Package wideint has integers of 128 and of 256 bits in two's complement. A sum that overflows wraps around.
package wideint

import (
	"math"
	"math/big"
	"math/bits"
)

// Int128 is the number Hi·2⁶⁴ + Lo.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Of returns v as an Int128. v must have at most 127 bits.
func Of(v *big.Int) Int128 {
	lo := new(big.Int).And(v, low).Uint64()
	return Int128{new(big.Int).Rsh(v, 64).Int64(), lo}
}

var low = new(big.Int).SetUint64(math.MaxUint64)

// Add returns a + b.
func (a Int128) Add(b Int128) Int128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	return Int128{int64(hi), lo}
}

// Sub returns a − b.
func (a Int128) Sub(b Int128) Int128 {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), borrow)
	return Int128{int64(hi), lo}
}

// Less reports whether a < b.
func (a Int128) Less(b Int128) bool { return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo }

// Int256 is a number as four words, the lowest first.
type Int256 [4]uint64

// Dot returns Σ a_k b_k; b must not be shorter than a.
//
// It multiplies the words as unsigned numbers. Then a negative factor counts as too large by 2¹²⁸, and Dot subtracts
// the excess from the upper half of the product.
func Dot(a, b []Int128) Int256 {
	var s0, s1, s2, s3, c uint64
	b = b[:len(a)]
	for k, x := range a {
		y := b[k]
		xh, yh := uint64(x.Hi), uint64(y.Hi)
		h, l := bits.Mul64(x.Lo, y.Lo)
		top, mid := bits.Mul64(xh, yh)
		s0, c = bits.Add64(s0, l, 0)
		s1, c = bits.Add64(s1, h, c)
		s2, c = bits.Add64(s2, mid, c)
		s3, _ = bits.Add64(s3, top, c)
		h, l = bits.Mul64(x.Lo, yh)
		s1, c = bits.Add64(s1, l, 0)
		s2, c = bits.Add64(s2, h, c)
		s3 += c
		h, l = bits.Mul64(xh, y.Lo)
		s1, c = bits.Add64(s1, l, 0)
		s2, c = bits.Add64(s2, h, c)
		s3 += c
		below, under := uint64(x.Hi>>63), uint64(y.Hi>>63)
		s2, c = bits.Sub64(s2, y.Lo&below, 0)
		s3 -= yh&below + c
		s2, c = bits.Sub64(s2, x.Lo&under, 0)
		s3 -= xh&under + c
	}
	return Int256{s0, s1, s2, s3}
}

// Shift returns ⌊a·2^−by⌋ for 0 ≤ by < 192. The result must have at most 127 bits.
func (a Int256) Shift(by int) Int128 {
	sign := uint64(int64(a[3]) >> 63)
	for ; by >= 64; by -= 64 {
		a = Int256{a[1], a[2], a[3], sign}
	}
	if by == 0 {
		return Int128{int64(a[1]), a[0]}
	}
	return Int128{int64(a[1]>>by | a[2]<<(64-by)), a[0]>>by | a[1]<<(64-by)}
}

// Big sets v to a, and returns v.
func (a Int256) Big(v *big.Int) *big.Int {
	negative := int64(a[3]) < 0
	if negative {
		c := uint64(1)
		for i := range a {
			a[i], c = bits.Add64(^a[i], 0, c)
		}
	}
	words := v.Bits()[:0]
	for _, w := range a {
		words = append(words, big.Word(w))
	}
	if v.SetBits(words); negative {
		v.Neg(v)
	}
	return v
}
