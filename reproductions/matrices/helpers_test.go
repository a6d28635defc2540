package matrices

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// rational parses a decimal number.
func rational(t testing.TB, decimal string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(decimal)
	if !ok {
		t.Fatalf("%q is no number", decimal)
	}
	return q
}

func ratOf(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// checkDecimal fails unless [lo, hi] contains the decimal number, without tolerance, and is at most share of it wide.
func checkDecimal(t testing.TB, what string, lo, hi float64, decimal string, share float64) {
	t.Helper()
	q := rational(t, decimal)
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || ratOf(lo).Cmp(q) > 0 || ratOf(hi).Cmp(q) < 0 {
		t.Errorf("%s in [%v, %v], which does not contain %s", what, lo, hi, decimal)
		return
	}
	if v, _ := q.Float64(); hi-lo > share*math.Abs(v) {
		t.Errorf("%s in [%v, %v] of width %.2g, want at most %.2g of %s", what, lo, hi, hi-lo, share, decimal)
	}
}

// checkEnclosure is checkDecimal for an enclosure.
func checkEnclosure(t testing.TB, what string, a interval.Interval, decimal string, share float64) {
	t.Helper()
	lo, hi := a.Bounds()
	checkDecimal(t, what, lo, hi, decimal, share)
}

// checkOutward fails unless lo and hi are the float64 next to q on both sides, or both equal to q.
func checkOutward(t testing.TB, what string, lo, hi float64, q *big.Rat) {
	t.Helper()
	below, exact := q.Float64()
	above := below
	if !exact {
		if ratOf(below).Cmp(q) > 0 {
			below = math.Nextafter(below, math.Inf(-1))
		} else {
			above = math.Nextafter(above, math.Inf(1))
		}
	}
	if lo != below || hi != above {
		t.Errorf("%s in [%v, %v], want [%v, %v]", what, lo, hi, below, above)
	}
}

// checkContains fails unless a contains b.
func checkContains(t testing.TB, what string, a, b interval.Interval) {
	t.Helper()
	if a.CmpLo(b) > 0 || a.CmpHi(b) < 0 {
		t.Errorf("%s is %v, which does not contain %v", what, a, b)
	}
}
