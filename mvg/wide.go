package mvg

import (
	"math"
	"math/big"
	"math/bits"
)

// wide is a number of 128 bits in two's complement.
type wide struct {
	hi int64
	lo uint64
}

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	return wide{int64(hi), lo}
}

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(uint64(a.hi), uint64(b.hi), borrow)
	return wide{int64(hi), lo}
}

// wideOf returns v, of at most 127 bits.
func wideOf(v *big.Int) wide {
	lo := new(big.Int).And(v, low).Uint64()
	return wide{new(big.Int).Rsh(v, 64).Int64(), lo}
}

var low = new(big.Int).SetUint64(math.MaxUint64)

// wider is a number of 256 bits in two's complement, its lowest word first.
type wider [4]uint64

// dotWide returns ⟨a, b⟩, a no longer than b, modulo 2²⁵⁶. As numbers without a sign, a negative
// one is 2¹²⁸ more, which is taken away from the upper half of the product.
func dotWide(a, b []wide) wider {
	var s0, s1, s2, s3, c uint64
	b = b[:len(a)]
	for k, x := range a {
		y := b[k]
		xh, yh := uint64(x.hi), uint64(y.hi)
		h, l := bits.Mul64(x.lo, y.lo)
		top, mid := bits.Mul64(xh, yh)
		s0, c = bits.Add64(s0, l, 0)
		s1, c = bits.Add64(s1, h, c)
		s2, c = bits.Add64(s2, mid, c)
		s3, _ = bits.Add64(s3, top, c)
		h, l = bits.Mul64(x.lo, yh)
		s1, c = bits.Add64(s1, l, 0)
		s2, c = bits.Add64(s2, h, c)
		s3 += c
		h, l = bits.Mul64(xh, y.lo)
		s1, c = bits.Add64(s1, l, 0)
		s2, c = bits.Add64(s2, h, c)
		s3 += c
		below, under := uint64(x.hi>>63), uint64(y.hi>>63)
		s2, c = bits.Sub64(s2, y.lo&below, 0)
		s3 -= yh&below + c
		s2, c = bits.Sub64(s2, x.lo&under, 0)
		s3 -= xh&under + c
	}
	return wider{s0, s1, s2, s3}
}

// cut returns ⌊a·2^−by⌋, which has at most 127 bits, 0 ≤ by < 192.
func (a wider) cut(by int) wide {
	sign := uint64(int64(a[3]) >> 63)
	for ; by >= 64; by -= 64 {
		a = wider{a[1], a[2], a[3], sign}
	}
	if by == 0 {
		return wide{int64(a[1]), a[0]}
	}
	return wide{int64(a[1]>>by | a[2]<<(64-by)), a[0]>>by | a[1]<<(64-by)}
}

// integer writes the number to v.
func (a wider) integer(v *big.Int) *big.Int {
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
