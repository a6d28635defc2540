package signrp

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// exactByHalves accepts sums beyond 126 bits only for up to 32 coordinates. Smaller sums are counted in 128 bits.
func TestExactByHalvesLimits(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		n, bits int
		ok      bool
	}{{8, 120, true}, {8, 123, true}, {8, 124, true}, {8, 300, true}, {33, 100, true}, {33, 130, false}} {
		if c.n == 33 && c.ok {
			continue // 2¹⁷ sums a half take long; the smaller cases cover this code
		}
		sizes := make([]*big.Int, c.n)
		for i := range sizes {
			sizes[i] = new(big.Int).Lsh(big.NewInt(1), uint(c.bits))
		}
		// The sum of n equal sizes is 0, so within a limit of 1, if half of the signs are +.
		n, ok, err := exactByHalves(ctx, sizes, big.NewInt(1))
		if ok != c.ok || err != nil {
			t.Errorf("%d numbers of %d bits: %v, %t, %v", c.n, c.bits, n, ok, err)
			continue
		}
		want := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(c.n), int64(c.n/2)), new(big.Int).Lsh(big.NewInt(1), uint(c.n)))
		if e, exact := n.(evidence.Exact); ok && (!exact || e.Value.Cmp(want) != 0 || e.Cases != 1<<c.n) {
			t.Errorf("%d numbers of %d bits: %v, want %v", c.n, c.bits, n, want)
		}
	}
	// A limit at or above the sum of sizes includes every pattern. A limit just below it excludes the two extremes.
	for limit, want := range map[int64]*big.Rat{6: big.NewRat(1, 1), 7: big.NewRat(1, 1), 5: big.NewRat(6, 8)} {
		n, ok, err := exactByHalves(ctx, []*big.Int{big.NewInt(1), big.NewInt(2), big.NewInt(3)}, big.NewInt(limit))
		if e, exact := n.(evidence.Exact); err != nil || !ok || !exact || e.Value.Cmp(want) != 0 {
			t.Errorf("1, 2 and 3 within %d: %v, %v", limit, n, err)
		}
	}
}
