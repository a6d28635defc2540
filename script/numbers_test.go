package script

import (
	"math/big"
	"testing"
)

// The nearest integer is at most ½ away, and even if two are nearest.
func TestRoundHalfToEven(t *testing.T) {
	half := big.NewRat(1, 2)
	for den := int64(1); den <= 8; den++ {
		for num := int64(-40); num <= 40; num++ {
			q := big.NewRat(num, den)
			got := halfEven(q)
			away := new(big.Rat).Sub(q, new(big.Rat).SetInt(got))
			if c := away.Abs(away).Cmp(half); c > 0 || c == 0 && got.Bit(0) == 1 {
				t.Errorf("%v is rounded to %v", q, got)
			}
		}
	}
}
