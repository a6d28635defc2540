package interval_test

import (
	"math/big"
	"testing"

	"dpworkbench/interval"
)

func TestRationalPower(t *testing.T) {
	for _, c := range []struct {
		q    *big.Rat
		k    int64
		want *big.Rat
	}{
		{big.NewRat(-2, 3), 3, big.NewRat(-8, 27)},
		{big.NewRat(-2, 3), -3, big.NewRat(-27, 8)},
		{new(big.Rat), 0, big.NewRat(1, 1)},
		{new(big.Rat), 2, new(big.Rat)},
	} {
		if got := interval.RationalPower(c.q, big.NewInt(c.k)); got.Cmp(c.want) != 0 {
			t.Errorf("(%v)^%d = %v, want %v", c.q, c.k, got, c.want)
		}
	}
}
