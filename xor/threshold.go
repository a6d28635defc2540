package xor

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
	mrand "math/rand/v2"

	"dpworkbench/ehmc"
)

// CryptoSource draws from the operating system's cryptographic generator: the
// source for noise that is really released. Whoever can guess the noise undoes
// the mechanism, so that seeded sources are for research only. It is not safe
// for concurrent use.
type CryptoSource struct {
	buffer [4096]byte
	left   int
}

// NewCryptoSource returns a source.
func NewCryptoSource() *CryptoSource { return new(CryptoSource) }

// Uint64 implements rand.Source.
func (c *CryptoSource) Uint64() uint64 {
	if c.left < 8 {
		rand.Read(c.buffer[:]) // never fails: it crashes the program instead
		c.left = len(c.buffer)
	}
	at := len(c.buffer) - c.left
	v := binary.LittleEndian.Uint64(c.buffer[at:])
	clear(c.buffer[at : at+8]) // a used draw does not stay in memory
	c.left -= 8
	return v
}

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
	src   mrand.Source
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
