package signrp_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// Chernoff's count is at least the binomial quantile, which is the smallest valid count.
func TestBinomialCounts(t *testing.T) {
	for _, k := range []int{1, 5, 64, 512} {
		for _, p := range []float64{0, 0.01, 0.3, 0.9, 1} {
			for _, delta := range []float64{1e-9, 1e-3, 0.3} {
				chernoff := must.Be(signrp.ChernoffCount(p, k, evidencetest.Delta(delta)))
				exact := must.Be(signrp.BinomialCount(p, k, evidencetest.Delta(delta)))
				if exact > chernoff || chernoff > k {
					t.Errorf("k = %d, P = %g, delta = %g: Chernoff %d, binomial %d", k, p, delta, chernoff, exact)
				}
				over, _ := signrp.RandomWDelta(interval.Decimal(p), k, exact)
				if over.Hi > delta*(1+1e-9) {
					t.Errorf("k = %d, P = %g: more than %d with probability %v > %g", k, p, exact, over, delta)
				}
				if exact > 1 {
					if less, _ := signrp.RandomWDelta(interval.Decimal(p), k, exact-1); less.Lo <= delta*(1-1e-9) {
						t.Errorf("k = %d, P = %g: count %d is already valid for %g: %v", k, p, exact-1, delta, less)
					}
				}
			}
		}
	}
	for _, p := range []float64{0.999999, math.Nextafter(1, 0), 1} { // some event occurs almost surely
		if d, err := signrp.RandomWDelta(interval.Decimal(p), 1000, 0); err != nil || d.Hi != 1 || d.Lo > 1 || d.Lo < 1-1e-15 {
			t.Errorf("P = %v: a delta from %v to %v, %v", p, d.Lo, d.Hi, err)
		}
	}
	if d, _ := signrp.RandomWDelta(big.NewRat(1, 2), 4, 2); d.Lo > 0.3125 || d.Hi < 0.3125 {
		t.Errorf("Pr(Bin(4, 1/2) > 2) = %v, want 5/16", d)
	}
}
