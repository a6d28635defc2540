package signrp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

// What is said to be the work of counting on a lattice is no less than the additions that it takes, each of so many words as a count has, and no more than four
// times that and a little for every coordinate; groups come with the one that reaches farthest at last.
func TestWorkOnTheLattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 1))
	for range 400 {
		var sizes []*big.Int
		counts := map[int]int{}
		total := 0
		for range 1 + rng.IntN(4) {
			size := 1 + rng.IntN(200)
			for range 1 + rng.IntN(60) {
				sizes = append(sizes, big.NewInt(int64(size)))
				counts[size]++
				total += size
			}
		}
		groups, reach, ok := smallGroups(sizes)
		if !ok || reach != total || len(groups) != len(counts) {
			t.Fatalf("%v: groups %v, reach %d", sizes, groups, reach)
		}
		for i, g := range groups {
			if counts[g.size] != g.count || i > 0 && g.size*g.count < groups[i-1].size*groups[i-1].count {
				t.Fatalf("%v: groups %v", counts, groups)
			}
		}
		last := groups[len(groups)-1]
		words := float64(len(sizes)+63) / 64
		least, points := float64(last.count)*words/2, 1
		for _, g := range groups[:len(groups)-1] {
			for range g.count {
				points += g.size
				least += words * float64(points) / 2 // of the points half are reached, at the least, each by one addition or two
			}
		}
		most := 8*least + (words+1)*float64(2*points*16+4*len(sizes)+8)
		if got := exactWork(groups, reach); got < least/2 || got > 4*most {
			t.Errorf("%v: work %g, want it from %g to %g", counts, got, least/2, 4*most)
		}
	}
	if exactWork(nil, 0) != 0 {
		t.Error("of nothing there is work")
	}
	// Sizes up to 2⁴⁰ are groups, and reaches below 2³⁰.
	for _, c := range []struct {
		sizes []int64
		ok    bool
	}{{[]int64{1<<30 - 1}, true}, {[]int64{1<<30 - 2, 1}, true}, {[]int64{1 << 30}, false}, {[]int64{1<<30 - 1, 1}, false}, {[]int64{1<<40 + 1}, false}, {nil, true}} {
		var sizes []*big.Int
		for _, n := range c.sizes {
			sizes = append(sizes, big.NewInt(n))
		}
		if _, _, ok := smallGroups(sizes); ok != c.ok {
			t.Errorf("groups of %v: %t", c.sizes, ok)
		}
	}
	if _, _, ok := smallGroups([]*big.Int{new(big.Int).Lsh(big.NewInt(1), 64)}); ok {
		t.Error("a size beyond int64 is a group")
	}
}

// Counted on a lattice, with the cases that were visited, and beyond all limits.
func TestCountsOnTheLattice(t *testing.T) {
	ctx := t.Context()
	// 1 + 1 + 3 within 1: of the eight patterns ±(1 + 1 − 3) are.
	for limit, inside := range map[int64]int64{0: 0, 1: 2, 2: 2, 3: 6, 4: 6, 5: 8, math.MaxInt64: 8} {
		n, err := exactOnLattice(ctx, []group{{1, 2}, {3, 1}}, big.NewInt(limit))
		if e, ok := n.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(inside, 8)) != 0 || e.Cases != 3*2 {
			t.Errorf("1, 1 and 3 within %d: %v of %v, %v, want %d of 8", limit, n, e.Cases, err, inside)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	if n, err := exactOnLattice(ctx, []group{{5, 3}}, huge); err != nil || n.Float() != 1 {
		t.Errorf("within 2⁷⁰: %v, %v", n, err)
	}
	if n, err := exactOnLattice(ctx, nil, big.NewInt(0)); err != nil || n.Float() != 1 || n.(evidence.Exact).Cases != 1 {
		t.Errorf("of no numbers: %v, %v", n, err)
	}
}
