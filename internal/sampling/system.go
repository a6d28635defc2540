package sampling

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
)

// System draws from the operating system's cryptographic generator: the source for
// what is really released. Whoever can guess the noise undoes the mechanism. The zero
// value is ready. It is not safe for concurrent use.
type System struct {
	buffer [4096]byte
	left   int
}

// Uint64 implements rand.Source.
func (s *System) Uint64() uint64 {
	if s.left < 8 {
		cryptorand.Read(s.buffer[:]) // never fails: it crashes the program instead
		s.left = len(s.buffer)
	}
	at := len(s.buffer) - s.left
	v := binary.LittleEndian.Uint64(s.buffer[at:])
	clear(s.buffer[at : at+8]) // a used draw does not stay in memory
	s.left -= 8
	return v
}

// Or returns src, or a new System where it is nil.
func Or(src rand.Source) rand.Source {
	if src == nil {
		return new(System)
	}
	return src
}

// Uniform returns a whole number from 0 to n − 1, n > 0, each as likely: the high word
// of a product with n, of words that leave every one the same number of low ones
// (Lemire 2019).
func Uniform(src rand.Source, n uint64) uint64 {
	return rand.New(src).Uint64N(n)
}
