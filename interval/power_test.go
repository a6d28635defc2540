package interval_test

import (
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// A rational power is the product of its factors, 1 and −1 and 0 have any, and what is no number
// or too long is none.
func TestRationalPowers(t *testing.T) {
	for _, q := range []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(2, 1), big.NewRat(-2, 1), big.NewRat(3, 1), big.NewRat(1, 2), big.NewRat(-2, 3), big.NewRat(3, 2), big.NewRat(5, 7), big.NewRat(-9, 8)} {
		for k := int64(-9); k <= 9; k++ {
			got := interval.RationalPower(q, big.NewInt(k))
			if q.Sign() == 0 && k < 0 {
				if got != nil {
					t.Errorf("0^%d is %v", k, got)
				}
				continue
			}
			want := big.NewRat(1, 1)
			for range max(k, -k) {
				want.Mul(want, q)
			}
			if k < 0 {
				want.Inv(want)
			}
			if got == nil || got.Cmp(want) != 0 {
				t.Errorf("%v^%d is %v, want %v", q, k, got, want)
			}
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	odd := new(big.Int).Add(huge, big.NewInt(1))
	for _, c := range []struct {
		q    int64
		k    *big.Int
		want *big.Rat
	}{{0, huge, new(big.Rat)}, {1, huge, big.NewRat(1, 1)}, {1, new(big.Int).Neg(odd), big.NewRat(1, 1)}, {-1, huge, big.NewRat(1, 1)}, {-1, odd, big.NewRat(-1, 1)}, {-1, new(big.Int).Neg(odd), big.NewRat(-1, 1)},
		{2, huge, nil}, {2, new(big.Int).Neg(huge), nil}, {2, big.NewInt(1<<26 + 1), nil}, {1 << 40, big.NewInt(1 << 22), nil}} {
		got := interval.RationalPower(big.NewRat(c.q, 1), c.k)
		if (got == nil) != (c.want == nil) || got != nil && got.Cmp(c.want) != 0 {
			t.Errorf("%d to a power of %d bits is %v, want %v", c.q, c.k.BitLen(), got, c.want)
		}
	}
}
