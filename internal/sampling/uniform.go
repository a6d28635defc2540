package sampling

import (
	"math/big"
	"math/rand/v2"
)

// MostBits is as closely as a comparison is followed before it is given up, with an
// error wrapping ErrUndecided: that a uniform number agrees with another one so far has
// a probability of 2^−MostBits.
const MostBits = mostBits

// UniformAfter is a number between 0 and 1 whose first digits were drawn already, 64 in
// each word; those behind come from src, where they are asked for.
func UniformAfter(src rand.Source, first uint64, more ...uint64) *Real {
	return &Real{fraction: fraction{first: first, more: more}, src: src}
}

// Logistic is 1/(1 + e⁻ˣ).
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
