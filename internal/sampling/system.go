package sampling

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
)

// System draws from the operating system's cryptographic generator, as real releases must. Whoever can predict the
// noise can remove it. The zero value is ready for use. It is not safe for concurrent use.
type System struct {
	buffer [4096]byte
	left   int
}

// Uint64 implements rand.Source.
func (s *System) Uint64() uint64 {
	if s.left < 8 {
		cryptorand.Read(s.buffer[:]) // never returns an error: it ends the program instead
		s.left = len(s.buffer)
	}
	at := len(s.buffer) - s.left
	v := binary.LittleEndian.Uint64(s.buffer[at:])
	clear(s.buffer[at : at+8]) // do not leave used randomness in memory
	s.left -= 8
	return v
}

// Or returns src, or a new System if src is nil.
func Or(src rand.Source) rand.Source {
	if src == nil {
		return new(System)
	}
	return src
}

// Uniform returns a uniform integer from 0 to n − 1, n > 0, by multiplication with rejection (Lemire 2019).
func Uniform(src rand.Source, n uint64) uint64 { return rand.New(src).Uint64N(n) }

// MostBits is the number of binary digits after which an undecided comparison returns an error wrapping ErrUndecided. A
// uniform number agrees with a given number in so many digits with probability 2^−MostBits.
const MostBits = mostBits

// UniformAfter returns a uniform number in [0, 1] whose first digits are given, 64 in each word. It draws further
// digits from src on demand.
func UniformAfter(src rand.Source, first uint64, more ...uint64) *Real {
	return &Real{fraction: fraction{first: first, more: more}, src: src}
}

// Logistic returns 1/(1 + e⁻ˣ).
func Logistic(x *big.Rat) Number {
	if x.Sign() == 0 {
		return Rat(big.NewRat(1, 2))
	}
	e := Exp(Rat(new(big.Rat).Neg(new(big.Rat).Abs(x)))).Known() // at most 1
	large := Sum(Int(1), e).Inverse()
	if x.Sign() > 0 {
		return large
	}
	return e.Mul(large)
}
