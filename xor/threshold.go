package xor

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/ehmc"
)

// over returns p/z for 0 ≤ p ≤ z in double-word arithmetic as a 128-bit fraction,
// rounded down; 1 is the largest.
func (p pair) over(z pair) ehmc.Threshold {
	q := p.hi / z.hi
	rest := (math.FMA(-q, z.hi, p.hi) + p.lo - q*z.lo) / z.hi
	top := math.Ldexp(q, 64)
	whole := math.Floor(top)
	part := (top - whole) + math.Ldexp(rest, 64)
	for part < 0 {
		whole, part = whole-1, part+1
	}
	for part >= 1 {
		whole, part = whole+1, part-1
	}
	switch {
	case whole >= 0x1p64:
		return ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	case whole < 0:
		return ehmc.Threshold{}
	}
	return ehmc.Threshold{Hi: uint64(whole), Lo: uint64(math.Ldexp(part, 64))}
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
