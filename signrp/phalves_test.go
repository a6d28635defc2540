package signrp

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/wideint"
)

// The sums of all subsets come in their order, each as often as there are subsets; of these as many lie between two
// numbers, both of them counted, as by one and one.
func TestSubsetsBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 2))
	for trial := range 300 {
		sizes := make([]*big.Int, rng.IntN(9))
		for i := range sizes {
			sizes[i] = big.NewInt(int64(1 + rng.IntN(9)))
			if trial%3 == 0 {
				sizes[i].Lsh(sizes[i], uint(rng.IntN(70)))
			}
		}
		var all []*big.Int
		for subset := range 1 << len(sizes) {
			sum := new(big.Int)
			for i, n := range sizes {
				if subset>>i&1 == 1 {
					sum.Add(sum, n)
				}
			}
			all = append(all, sum)
		}
		slices.SortFunc(all, (*big.Int).Cmp)
		if sums := subsetSums(sizes, wideint.Of); !slices.EqualFunc(sums, all, func(a wideint.Int128, b *big.Int) bool { return a == wideint.Of(b) }) {
			t.Fatalf("%v: sums %v, want %v", sizes, sums, all)
		}
		for range 20 {
			low, high := new(big.Int).Set(all[rng.IntN(len(all))]), new(big.Int).Set(all[rng.IntN(len(all))])
			low.Add(low, big.NewInt(int64(rng.IntN(3)-1)))
			high.Add(high, big.NewInt(int64(rng.IntN(3)-1)))
			if low.Sign() < 0 || high.Sign() < 0 || low.Cmp(high) > 0 {
				continue
			}
			want := uint64(0)
			for _, v := range all {
				if v.Cmp(low) >= 0 && v.Cmp(high) <= 0 {
					want++
				}
			}
			asWide, err := countBetween(t.Context(), sizes, low, high, wideint.Of)
			if err != nil || asWide != want {
				t.Fatalf("%v between %v and %v: %d (%v), want %d", sizes, low, high, asWide, err, want)
			}
			asLong, err := countBetween(t.Context(), sizes, low, high, func(n *big.Int) bigWhole { return bigWhole{n} })
			if err != nil || asLong != want {
				t.Fatalf("%v between %v and %v: %d long (%v), want %d", sizes, low, high, asLong, err, want)
			}
		}
	}
}

// Halves are counted in 128 bits up to sums of 126, beyond in any size up to 32 coordinates, and not at all for more.
func TestHalvesUpToTheirSize(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		n, bits int
		ok      bool
	}{{8, 120, true}, {8, 123, true}, {8, 124, true}, {8, 300, true}, {33, 100, true}, {33, 130, false}} {
		if c.n == 33 && c.ok {
			continue // 2¹⁷ sums a half take long; the smaller cases have the way
		}
		sizes := make([]*big.Int, c.n)
		for i := range sizes {
			sizes[i] = new(big.Int).Lsh(big.NewInt(1), uint(c.bits))
		}
		// Of n signs of one size the sum is 0 where half of them are +: within a limit of 1.
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
	// Where the limit is all there is, at the sum itself, one case tells; below it the two extremes are out.
	for limit, want := range map[int64]*big.Rat{6: big.NewRat(1, 1), 7: big.NewRat(1, 1), 5: big.NewRat(6, 8)} {
		n, ok, err := exactByHalves(ctx, []*big.Int{big.NewInt(1), big.NewInt(2), big.NewInt(3)}, big.NewInt(limit))
		if e, exact := n.(evidence.Exact); err != nil || !ok || !exact || e.Value.Cmp(want) != 0 {
			t.Errorf("1, 2 and 3 within %d: %v, %v", limit, n, err)
		}
	}
}
