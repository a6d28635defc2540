package xor

import (
	"crypto/rand"
	"encoding/binary"
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
