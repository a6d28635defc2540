package xor

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/interval"
)

// thresholdOf returns p/z for 0 ≤ p ≤ z, computed in double-word arithmetic, as a 128-bit fraction of at most 1 −
// 2⁻¹²⁸. The quotient's two words are added as integers, because their sum has more digits than a float64.
func thresholdOf(p, z interval.DoubleDouble) ehmc.Threshold {
	q := p.Hi / z.Hi
	rest := (math.FMA(-q, z.Hi, p.Hi) + p.Lo - q*z.Lo) / z.Hi
	if q >= 1 {
		if rest += q - 1; rest >= 0 {
			return ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
		}
		q = 0 // 1 + rest with rest < 0: in 128 bits, 1 wraps to 0
	} else if q+rest <= 0 {
		return ehmc.Threshold{}
	}
	a, b := fraction(q), fraction(math.Abs(rest))
	if rest < 0 {
		lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
		hi, _ := bits.Sub64(a.Hi, b.Hi, borrow)
		return ehmc.Threshold{Hi: hi, Lo: lo}
	}
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, over := bits.Add64(a.Hi, b.Hi, carry)
	if over > 0 {
		return ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	}
	return ehmc.Threshold{Hi: hi, Lo: lo}
}

// fraction returns v in [0, 1) as a 128-bit fraction, rounded down.
func fraction(v float64) ehmc.Threshold {
	top := math.Ldexp(v, 64)
	whole := math.Floor(top)
	return ehmc.Threshold{Hi: uint64(whole), Lo: uint64(math.Ldexp(top-whole, 64))}
}

// below draws a uniform integer below n, without bias (Lemire, ACM TOMACS 29,
// 2019, "Fast random integer generation in an interval").
type below struct {
	src   rand.Source
	spare uint32
	have  bool
}

func (b *below) word() uint32 {
	if b.have {
		b.have = false
		return b.spare
	}
	v := b.src.Uint64()
	b.spare, b.have = uint32(v>>32), true
	return uint32(v)
}

// draw returns a uniform integer below n ≥ 1; reject is 2³² mod n.
func (b *below) draw(n, reject uint32) uint32 {
	for {
		hi, lo := bits.Mul32(b.word(), n)
		if lo >= reject {
			return hi
		}
	}
}
