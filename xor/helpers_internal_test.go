package xor

import "math/big"

// This file has helpers for tests in package xor and in package xor_test.

// ColumnLoss returns the largest log ratio of s bits over p columns of n bits, by trying every split.
func ColumnLoss(n, p, s int, distinct bool, theta, lambda float64) *big.Rat {
	one := make([]*big.Rat, n+1) // exactly t bits of one column
	for bits := range one {
		one[bits] = new(big.Rat)
		for a := range bits + 1 {
			for r := range n - bits + 1 {
				v := sumOf(rat(theta), times(rat(lambda), big.NewRat(int64(2*r+bits-1), 1)))
				v.Mul(v, big.NewRat(int64(bits-2*a), 1)).Abs(v)
				if v.Cmp(one[bits]) > 0 {
					one[bits] = v
				}
			}
		}
	}
	most := n
	if distinct {
		most = 1
	}
	best := make([]*big.Rat, s+1)
	for have := range best {
		best[have] = new(big.Rat)
	}
	for range p {
		for have := s; have > 0; have-- {
			for bits := 1; bits <= min(most, have); bits++ {
				if v := sumOf(best[have-bits], one[bits]); v.Cmp(best[have]) > 0 {
					best[have] = v
				}
			}
		}
	}
	return best[s]
}
