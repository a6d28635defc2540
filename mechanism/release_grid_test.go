package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/mechanism"
)

// grid is a source whose words run through a grid instead of being random: every first word of a draw with every second one, where there are
// second words. What reads digits of uniform numbers gives each value as often as its law says, but for the places at its ends: no chance is involved.
type grid struct{ first, second, at uint64 }

func (g *grid) Uint64() uint64 {
	at := g.at
	g.at++
	if g.second == 0 {
		return uint64((float64(at) + 0.5) / float64(g.first) * 0x1p64)
	}
	i, j := at/2/g.second, at/2%g.second
	if at%2 == 0 {
		return uint64((float64(i) + 0.5) / float64(g.first) * 0x1p64)
	}
	return uint64((float64(j)+0.5)/float64(g.second)*0x1p64)&^3 | j&3 // of which the first digits or the last are read
}

// Releases give every value as often as its probability says, to a part in two thousand and better, for certain.
func TestReleasesOnAGrid(t *testing.T) {
	ctx, q := context.Background(), pathQuery(t, 5)
	all := map[string]mechanism.Mechanism{}
	for _, name := range names {
		all[name] = build(t, name, q, eps(t, 0.9))
		all[name+" at ln 3"] = build(t, name, q, ln(t, 3, 1))
	}
	table, err := mechanism.NewFinite(ctx, q, slices.Repeat([][]*big.Rat{{big.NewRat(1, 3), big.NewRat(1, 6), big.NewRat(0, 1), big.NewRat(5, 12), big.NewRat(1, 12)}}, q.Size()), nil)
	if err != nil {
		t.Fatal(err)
	}
	all["table"] = table
	for name, m := range all {
		for x := range 3 {
			g := &grid{first: 1 << 16}
			n, off := 1<<16, 1.001/(1<<16)
			if _, leveled := m.(*mechanism.Layered); leveled { // a level, and one of its values
				g = &grid{first: 2048, second: 60}
				n, off = 2048*60, 1.001/2048
			}
			out, err := mechanism.Release(ctx, m, x, n, g)
			if err != nil {
				t.Fatal(name, err)
			}
			law, err := mechanism.Law(m, x)
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]int, len(law))
			for _, r := range out {
				counts[r]++
			}
			for r, p := range law {
				if got := float64(counts[r]) / float64(n); math.Abs(got-p) > off {
					t.Errorf("%s at %d gives value %d with %g, want %g", name, x, r, got, p)
				}
			}
		}
	}
}
