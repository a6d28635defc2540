package interval

// Helpers of the tests inside and outside the package.

import (
	"math/big"
	"testing"
)

// Nearest fails unless the ends of the interval are lo and hi rounded outward to Prec bits.
func Nearest(t *testing.T, what string, got Interval, lo, hi *big.Rat) {
	t.Helper()
	l, _ := got.lo.Rat(nil)
	h, _ := got.hi.Rat(nil)
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), Prec-1))
	within := func(a, b *big.Rat) bool {
		gap, size := new(big.Rat).Sub(a, b), new(big.Rat).Abs(b)
		return gap.Sign() >= 0 && gap.Cmp(size.Mul(size, unit)) <= 0
	}
	if !within(new(big.Rat).Neg(l), new(big.Rat).Neg(lo)) || !within(h, hi) {
		t.Fatalf("%s = %v, want the numbers next to %v and %v", what, got, lo.FloatString(30), hi.FloatString(30))
	}
}
