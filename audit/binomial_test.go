package audit

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mathext"
)

func TestLogFactorial(t *testing.T) {
	f := big.NewInt(1)
	for n := int64(1); n <= 400; n++ {
		f.Mul(f, big.NewInt(n))
		want := interval.Rat(new(big.Rat).SetInt(f)).Log()
		got := logFactorial(n)
		if got.Less(want) || want.Less(got) {
			t.Fatalf("ln %d! in %v misses %v", n, got, want)
		}
		if lo, hi := got.Bounds(); hi-lo > 2e-10+1e-15*hi {
			t.Fatalf("ln %d! in [%v, %v] is too wide", n, lo, hi)
		}
	}
}

// upperTail is Pr[Bin(n, p) ≥ c] in rationals.
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

// The bound keeps its level exactly, and a slightly larger one would not.
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
					t.Errorf("%d of %d at %g: %v is not the largest bound", c, n, beta, lo)
				}
				// Failures are successes of 1 − p.
				if hi := binomialUpper(n-c, n, beta); math.Abs(hi-(1-lo)) > 1e-8*min(hi, 1-hi)+1e-15 {
					t.Errorf("%d of %d at %g: upper bound %v, want 1 − %v", n-c, n, beta, hi, lo)
				}
			}
		}
	}
	if binomialLower(0, 5, 0.1) != 0 || binomialUpper(5, 5, 0.1) != 1 || binomialLower(0, 0, 0.1) != 0 || binomialUpper(0, 0, 0.1) != 1 {
		t.Error("bounds at the ends are not 0 and 1")
	}
}

// Tails of many trials, summed to 200 bits until nothing is left, are bounded from above, and by little more.
func TestTailsOfManyTrials(t *testing.T) {
	for _, n := range []int64{100, 10_000, 1_000_000} {
		for _, p := range []float64{.5, .125, 1e-3, 1 - 0x1p-10} {
			for _, off := range []float64{.1, 1, 5} {
				away := int64(off * math.Sqrt(float64(n)*p*(1-p)))
				for _, side := range []int64{1, -1} {
					c := int64(float64(n)*p) + side*(1+away)
					if c < 1 || c >= n {
						continue
					}
					long := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
					odds := new(big.Float).Quo(long(p), new(big.Float).Sub(long(1), long(p)))
					sum, term, steps := long(1), long(1), 0
					for k := c; k > 0 && k < n && term.MantExp(nil) > -100; k += side {
						up := new(big.Float).Quo(long(float64(n-k)), long(float64(k+1)))
						up.Mul(up, odds)
						if side < 0 {
							up.Quo(long(float64(k)), new(big.Float).Mul(odds, long(float64(n-k+1))))
						}
						sum.Add(sum, term.Mul(term, up))
						steps++
					}
					got := tailAbove(n, c, p)
					if side < 0 {
						got = tailBelow(n, c, p)
					}
					over, _ := new(big.Float).Quo(new(big.Float).Sub(long(got), sum), sum).Float64()
					if most := float64(6*steps+40) * 0x1p-52; !(over >= 0 && over <= most) {
						t.Errorf("n = %d, p = %g, %d and beyond: %v masses, which is over by %g, want 0 to %g", n, p, c, got, over, most)
					}
				}
			}
		}
	}
}

// One success, or one failure, of few trials or many, at levels down to those that no event needs: the bound is that
// of 1 − (1 − p)ⁿ = β, and no less than nothing.
func TestClopperPearsonOfOne(t *testing.T) {
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

// gonum's inverse of the incomplete beta function is another route, where it
// converges: at c = n it does not, and the bound is β^{1/n}.
func TestClopperPearsonAgainstBeta(t *testing.T) {
	for _, n := range []int64{1000, 100_000, 10_000_000} {
		for _, c := range []int64{1, 3, 50, n / 20, n / 2, n - 40} {
			for _, beta := range []float64{0.01, 2.5e-4, 1e-8} {
				a, b := float64(c), float64(n-c+1)
				want := mathext.InvRegIncBeta(a, b, beta)
				if got := binomialLower(c, n, beta); math.Abs(got-want) > 1e-6*min(want, 1-want) {
					t.Errorf("%d of %d at %g: %v, want %v", c, n, beta, got, want)
				}
				want = mathext.InvRegIncBeta(a+1, b-1, 1-beta)
				if got := binomialUpper(c, n, beta); math.Abs(got-want) > 1e-5*min(want, 1-want) {
					t.Errorf("%d of %d at %g: upper %v, want %v", c, n, beta, got, want)
				}
			}
		}
		if got, want := binomialLower(n, n, 1e-8), -math.Expm1(math.Log(1e-8)/float64(n)); math.Abs(1-got-want) > 1e-8*want {
			t.Errorf("%d of %d: 1 − %v, want 1 − %v", n, n, 1-got, want)
		}
	}
}
