package xor

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
	mrand "math/rand/v2"

	"dpworkbench/internal/interval"
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

// Threshold is a probability as a 128-bit fraction: a draw is one when a
// uniform 128-bit integer lies below it. No floating point takes part in the
// draw, so that its law is known exactly: it differs from the wanted one by
// less than 2⁻¹²⁷.
type Threshold struct{ hi, lo uint64 }

// LogitThreshold returns 1/(1 + e⁻ˣ), correct to 128 bits. It panics where x
// is not a number.
func LogitThreshold(x float64) Threshold {
	if math.IsNaN(x) {
		panic("xor: logit is not a number")
	}
	x = math.Max(-1000, math.Min(1000, x)) // beyond, the fraction is 0 or 1 to 128 bits
	e := interval.Float(-math.Abs(x)).Exp()
	p := e.Quo(e.Add(interval.Int(1))) // at most ½
	if x > 0 {
		p = interval.Int(1).Sub(p)
	}
	var words [4]uint64
	for i := range words {
		p = p.Mul(interval.Int(1 << 32))
		lo, _ := p.Bounds()
		digit := math.Min(math.Max(math.Floor(lo), 0), 1<<32-1)
		words[i] = uint64(digit)
		p = p.Sub(interval.Int(int64(digit)))
	}
	return Threshold{words[0]<<32 | words[1], words[2]<<32 | words[3]}
}

// Draw returns true with the threshold's probability.
func (t Threshold) Draw(src mrand.Source) bool {
	u := src.Uint64()
	if u != t.hi {
		return u < t.hi
	}
	return src.Uint64() < t.lo
}

// less reports whether t is the smaller fraction.
func (t Threshold) less(o Threshold) bool {
	return t.hi < o.hi || t.hi == o.hi && t.lo < o.lo
}

// fraction returns hi + lo in [0, 1] as a 128-bit fraction, rounded down; 1 is
// the largest fraction.
func fraction(v pair) Threshold {
	top := math.Ldexp(v.hi, 64)
	whole := math.Floor(top)
	rest := (top - whole) + math.Ldexp(v.lo, 64)
	for rest < 0 {
		whole, rest = whole-1, rest+1
	}
	for rest >= 1 {
		whole, rest = whole+1, rest-1
	}
	switch {
	case whole >= 0x1p64:
		return Threshold{math.MaxUint64, math.MaxUint64}
	case whole < 0:
		return Threshold{}
	}
	return Threshold{uint64(whole), uint64(math.Ldexp(rest, 64))}
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
