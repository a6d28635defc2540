package interval_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// RationalPower matches repeated products, and simple powers with huge exponents.
func TestRationalPowerMultiplies(t *testing.T) {
	for _, q := range []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(3, 7), big.NewRat(-5, 2), big.NewRat(4, 1)} {
		want := big.NewRat(1, 1)
		for k := int64(0); k < 9; k++ {
			if got := interval.RationalPower(q, big.NewInt(k)); got.Cmp(want) != 0 {
				t.Errorf("(%s)^%d = %s, want %s", q.RatString(), k, got.RatString(), want.RatString())
			}
			if q.Sign() != 0 {
				if got := interval.RationalPower(q, big.NewInt(-k)); got.Cmp(new(big.Rat).Inv(want)) != 0 {
					t.Errorf("(%s)^%d = %s", q.RatString(), -k, got.RatString())
				}
			}
			want = new(big.Rat).Mul(want, q)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	odd := new(big.Int).Add(huge, big.NewInt(1))
	for _, c := range []struct {
		q    int64
		k    *big.Int
		want int64
	}{{0, huge, 0}, {1, huge, 1}, {-1, huge, 1}, {-1, odd, -1}, {-1, new(big.Int).Neg(odd), -1}, {1, new(big.Int).Neg(huge), 1}} {
		if got := interval.RationalPower(big.NewRat(c.q, 1), c.k); got == nil || got.Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%d^%v = %v, want %d", c.q, c.k, got, c.want)
		}
	}
	for _, c := range []struct {
		q *big.Rat
		k *big.Int
	}{{new(big.Rat), big.NewInt(-1)}, {big.NewRat(1, 4), huge}, {big.NewRat(4, 1), new(big.Int).Neg(huge)}, {big.NewRat(2, 1), big.NewInt(1 << 27)}} {
		if got := interval.RationalPower(c.q, c.k); got != nil {
			t.Errorf("(%s)^%v has %d bits", c.q.RatString(), c.k, got.Num().BitLen())
		}
	}
	// RationalPower limits the bits of the power, computed as the bits of the base times the exponent.
	for bits, ok := range map[uint]bool{1 << 27: true, 1<<27 + 1: false} {
		q := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits-1))
		if got := interval.RationalPower(q, big.NewInt(1)); (got != nil) != ok || ok && got.Cmp(q) != 0 {
			t.Errorf("a number of %d bits to the power of 1: %t, want %t", bits, got != nil, ok)
		}
	}
	for q, want := range map[*big.Rat]int64{big.NewRat(7, 2): 3, big.NewRat(-7, 2): -4, big.NewRat(6, 2): 3, big.NewRat(-6, 2): -3, big.NewRat(1, 9): 0} {
		if got := interval.RationalFloor(q); got.Int64() != want {
			t.Errorf("floor of %s is %v, want %d", q.RatString(), got, want)
		}
	}
}

// RationalLog returns an enclosure of small relative width that satisfies ln 10^−k = −k ln 10, t − t²/2 ≤ ln(1 + t) ≤ t
// and ln(1/q) = −ln q.
func TestRationalLog(t *testing.T) {
	one, tenth := big.NewRat(1, 1), interval.RationalLog(big.NewRat(1, 10))
	for k := int64(1); k < 5000; k += 1 + k/2 {
		small := interval.RationalPower(big.NewRat(1, 10), big.NewInt(k))
		down, near := interval.RationalLog(small), interval.RationalLog(new(big.Rat).Add(one, small))
		low := new(big.Rat).Mul(small, small)
		low.Sub(small, low.Quo(low, big.NewRat(2, 1)))
		both, _ := interval.RationalLog(new(big.Rat).Inv(small)).Add(down).Sign()
		for what, ok := range map[string]bool{
			"10^−k is k times that of 1/10": !down.Less(tenth.Mul(interval.Int(k))) && !tenth.Mul(interval.Int(k)).Less(down) && down.Narrow(200),
			"1 + 10^−k lies below 10^−k":    !interval.Rat(small).Less(near) && !near.Less(interval.Rat(low)) && near.Narrow(200),
			"an inverse is the negative":    both == 0,
		} {
			if !ok {
				t.Errorf("k = %d: the logarithm of %s: %v and %v", k, what, down, near)
			}
		}
	}
}

// Bernoulli matches the published numbers (OEIS A027641 over A027642), and is nil for orders out of range.
func TestBernoulli(t *testing.T) {
	got := interval.Bernoulli(14)
	for n, want := range []string{"1", "-1/2", "1/6", "0", "-1/30", "0", "1/42", "0", "-1/30", "0", "5/66", "0", "-691/2730", "0", "7/6"} {
		if got[n].RatString() != want {
			t.Errorf("B_%d = %s, want %s", n, got[n].RatString(), want)
		}
	}
	if len(got) != 15 || len(interval.Bernoulli(-1)) != 0 || len(interval.Bernoulli(1001)) != 0 {
		t.Errorf("%d numbers up to B_14, %d and %d for orders out of range", len(got), len(interval.Bernoulli(-1)), len(interval.Bernoulli(1001)))
	}
}

// Readings is the hull of a float64 and its shortest decimal.
func TestReadings(t *testing.T) {
	for _, v := range []float64{0, 0.1, -0.3, 0.25, 5e-324, 1e300} {
		a, q := interval.Readings(v), interval.Decimal(v)
		lo, hi := interval.Float(v), interval.Rat(q)
		if hi.Less(lo) {
			lo, hi = hi, lo
		}
		if a.CmpLo(lo) != 0 || a.CmpHi(hi) != 0 {
			t.Errorf("readings of %v are %v, want %v to %v", v, a, lo, hi)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if lo, hi := interval.Readings(v).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			t.Errorf("readings of %v are %v", v, interval.Readings(v))
		}
	}
}

func TestDecimal(t *testing.T) {
	if got := interval.Decimal(0.1); got.Cmp(big.NewRat(1, 10)) != 0 {
		t.Errorf("Decimal(0.1) = %v, want 1/10", got)
	}
	if got := interval.Decimal(-2.5e-7); got.Cmp(big.NewRat(-25, 1e8)) != 0 {
		t.Errorf("Decimal(-2.5e-7) = %v", got)
	}
	rng := rand.New(rand.NewPCG(1, 5))
	for range 20000 {
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(50)-25))
		if rng.IntN(3) == 0 {
			v = math.Float64frombits(rng.Uint64()) // of any size
		} else if rng.IntN(2) == 0 {
			v = math.Round(v)
		}
		want, ok := new(big.Rat).SetString(fmt.Sprint(v))
		if got := interval.Decimal(v); ok != (got != nil) || ok && got.Cmp(want) != 0 {
			t.Fatalf("Decimal(%v) = %v, want %v", v, got, want)
		}
	}
}
