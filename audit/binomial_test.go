package audit

import (
	"math"
	"math/big"
	"testing"
)

// upperTail returns Pr[Bin(n, p) ≥ c] in rational arithmetic.
func upperTail(n, c int64, p *big.Rat) *big.Rat {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	total := new(big.Rat)
	for k := c; k <= n; k++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		for range k {
			term.Mul(term, p)
		}
		for range n - k {
			term.Mul(term, q)
		}
		total.Add(total, term)
	}
	return total
}

// The lower bound keeps its level in exact arithmetic, and a slightly larger bound would not.
func TestClopperPearsonInRationals(t *testing.T) {
	for _, n := range []int64{1, 2, 7, 20} {
		for c := int64(1); c <= n; c++ {
			for _, beta := range []float64{0.25, 1e-3, 1e-9} {
				level := new(big.Rat).SetFloat64(beta)
				lo := binomialLower(c, n, beta)
				if v := upperTail(n, c, new(big.Rat).SetFloat64(lo)); v.Cmp(level) > 0 {
					t.Errorf("%d of %d at %g: %v has tail %v", c, n, beta, lo, v.FloatString(20))
				}
				more := lo + 1e-6*min(lo, 1-lo)
				if v := upperTail(n, c, new(big.Rat).SetFloat64(more)); v.Cmp(level) <= 0 {
					t.Errorf("%d of %d at %g: %v is smaller than needed", c, n, beta, lo)
				}
				// The upper bound is 1 minus the lower bound of the failures.
				if hi := binomialUpper(n-c, n, beta); math.Abs(hi-(1-lo)) > 1e-8*min(hi, 1-hi)+1e-15 {
					t.Errorf("%d of %d at %g: upper bound %v, want 1 − %v", n-c, n, beta, hi, lo)
				}
			}
		}
	}
	if binomialLower(0, 5, 0.1) != 0 || binomialUpper(5, 5, 0.1) != 1 || binomialLower(0, 0, 0.1) != 0 || binomialUpper(0, 0, 0.1) != 1 {
		t.Error("trivial bounds are not 0 and 1")
	}
}

// With one success or one failure, the bound solves 1 − (1 − p)ⁿ = β. The levels include ones so small that the bound
// is almost 0.
func TestClopperPearsonOfOneSuccess(t *testing.T) {
	for _, n := range []int64{1, 2, 9, 1000, 1 << 34} {
		for _, beta := range []float64{.25, 1e-3, 1e-12, 1e-16, 1e-22, 1e-30, 1e-100} {
			want := -math.Expm1(math.Log1p(-beta) / float64(n))
			if got := binomialLower(1, n, beta); !(got <= want*(1+1e-15) && got >= want*(1-1e-9)) {
				t.Errorf("1 of %d at %g: %v, want %v", n, beta, got, want)
			}
			if got := binomialUpper(n-1, n, beta); !(1-got <= want*(1+1e-15)+1e-15 && 1-got >= want*(1-1e-9)-0x1p-52) {
				t.Errorf("%d of %d at %g: 1 − %v, want 1 − %v", n-1, n, beta, 1-got, want)
			}
		}
	}
}
