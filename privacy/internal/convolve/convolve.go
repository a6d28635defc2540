// Package convolve convolves sequences of non-negative integers exactly.
package convolve

import (
	"math/big"
	"math/bits"
)

// Rows returns the convolution Σ_i a_i b_{j−i} of two sequences of non-negative integers. The caller may change the
// returned numbers.
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

// sumBits returns an upper bound on the bits of a number in the convolution.
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

// fewWords is the size of the shorter sequence, in words, above which transforms are faster.
const fewWords = 2048

// fast reports whether to convolve by transforms, for sequences of lengths a and b whose convolution has numbers of
// size bits.
func fast(a, b, size int) bool {
	return min(a, b)*(size/bits.UintSize+1) >= fewWords && a+b <= mostPoints
}

// kronecker packs each sequence into one integer and multiplies the two integers (Kronecker's substitution). size is
// the number of bits of a number in the convolution.
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
