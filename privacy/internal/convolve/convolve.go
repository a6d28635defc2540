// Package convolve multiplies rows of whole numbers as polynomials, exactly.
package convolve

import (
	"math/big"
	"math/bits"
)

// Rows returns the sums Σ_i a_i b_{j−i} of two rows of numbers that are not negative. The numbers
// returned share memory of their own and may be changed.
func Rows(a, b []*big.Int) []*big.Int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	size := sumBits(a, b)
	if fast(len(a), len(b), size) {
		return transformed(a, b, size)
	}
	return kronecker(a, b, size)
}

// sumBits returns how many bits a sum has at most, or a few more.
func sumBits(a, b []*big.Int) int {
	longest := func(row []*big.Int) int {
		n := 0
		for _, m := range row {
			n = max(n, m.BitLen())
		}
		return n
	}
	return longest(a) + longest(b) + bits.Len(uint(min(len(a), len(b))))
}

// fewWords is how many words the shorter row fills from which on transforms are the faster.
const fewWords = 2048

// fast reports whether rows of so many numbers, with sums of size bits, go by transforms, which take rows up to mostPoints.
func fast(a, b, size int) bool {
	return min(a, b)*(size/bits.UintSize+1) >= fewWords && a+b <= mostPoints
}

// kronecker makes each row one whole number (Kronecker's substitution), so that one product
// does it. size is the bits of a sum.
func kronecker(a, b []*big.Int, size int) []*big.Int {
	slot := size/bits.UintSize + 1
	pack := func(row []*big.Int) *big.Int {
		words := make([]big.Word, slot*len(row))
		for i, m := range row {
			copy(words[i*slot:], m.Bits())
		}
		return new(big.Int).SetBits(words)
	}
	x := pack(a)
	y := x
	if len(a) != len(b) || &a[0] != &b[0] {
		y = pack(b)
	}
	words := new(big.Int).Mul(x, y).Bits()
	out := make([]*big.Int, len(a)+len(b)-1)
	for i := range out {
		from, to := min(i*slot, len(words)), min((i+1)*slot, len(words))
		out[i] = new(big.Int).SetBits(words[from:to:to])
	}
	return out
}
