package matrices

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// Rational parses a decimal number.
func Rational(t testing.TB, decimal string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(decimal)
	if !ok {
		t.Fatalf("%q is no number", decimal)
	}
	return q
}

func RatOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// CheckDecimal fails unless [lo, hi] contains the decimal number, without tolerance, and is at most share of it wide.
func CheckDecimal(t testing.TB, what string, lo, hi float64, decimal string, share float64) {
	t.Helper()
	q := Rational(t, decimal)
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || RatOf(lo).Cmp(q) > 0 || RatOf(hi).Cmp(q) < 0 {
		t.Errorf("%s in [%v, %v], which does not contain %s", what, lo, hi, decimal)
		return
	}
	if v, _ := q.Float64(); hi-lo > share*math.Abs(v) {
		t.Errorf("%s in [%v, %v] of width %.2g, want at most %.2g of %s", what, lo, hi, hi-lo, share, decimal)
	}
}

// CheckEnclosure is CheckDecimal for an enclosure.
func CheckEnclosure(t testing.TB, what string, a interval.Interval, decimal string, share float64) {
	t.Helper()
	lo, hi := a.Bounds()
	CheckDecimal(t, what, lo, hi, decimal, share)
}

// CheckContains fails unless a contains b.
func CheckContains(t testing.TB, what string, a, b interval.Interval) {
	t.Helper()
	if a.CmpLo(b) > 0 || a.CmpHi(b) < 0 {
		t.Errorf("%s is %v, which does not contain %v", what, a, b)
	}
}
