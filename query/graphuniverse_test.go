package query

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// buildGraphs stops at every poll of the context, also with shared hashes.
func TestBuildGraphsIsCancelled(t *testing.T) {
	degrees := splitMixHash
	degrees.edge, degrees.other = 0, 0
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, least := range map[int]int{1: 12, 2: 14} { // several processors poll in more places
		runtime.GOMAXPROCS(processors)
		ctxtest.EachPoll(t, least, func(ctx context.Context) error {
			_, err := buildGraphs(ctx, 5, graphCounts(5), &degrees, func(int64) {})
			return err
		})
	}
}

// Classes and neighbors do not depend on the hash, even if it is constant or depends only on degrees.
func TestBuildGraphsWithAnyHash(t *testing.T) {
	degrees := splitMixHash
	degrees.edge, degrees.other = 0, 0
	nothing := graphHash{}
	for d := range nothing.diagonal {
		nothing.diagonal[d] = 1
	}
	for n := 1; n <= 7; n++ {
		want := must.For(NewGraphs(t.Context(), n))(t)
		for name, v := range map[string]*graphHash{"degrees": &degrees, "nothing": &nothing} {
			u, err := buildGraphs(t.Context(), n, graphCounts(n), v, func(int64) {})
			if err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			if !slices.Equal(u.codes, want.universe.codes) || !slices.Equal(u.complement, want.universe.complement) {
				t.Errorf("%s, n = %d: classes differ from those of Graphs", name, n)
			}
			for x := range u.codes {
				if got := u.above(x, u.below(x, nil)); !slices.Equal(got, want.space.Neighbors(x)) {
					t.Fatalf("%s, n = %d: neighbors of %d are %v, want %v", name, n, x, got, want.space.Neighbors(x))
				}
			}
		}
	}
}

// Packed and listed neighbors agree.
func TestPackedNeighbors(t *testing.T) {
	for n := 1; n <= 7; n++ {
		listed, packed := must.For(NewGraphs(t.Context(), n))(t).Space(), packed(t, n)
		if packed.Size() != listed.Size() || packed.Pairs() != listed.Pairs() || !packed.IsPath() {
			t.Fatalf("n = %d: %d datasets and %d pairs, want %d and %d", n, packed.Size(), packed.Pairs(), listed.Size(), listed.Pairs())
		}
		row := []int32{-5}
		for x := range listed.Size() {
			if !slices.Equal(packed.Neighbors(x), listed.Neighbors(x)) || !slices.Equal(packed.AppendNeighbors(row, x)[1:], listed.AppendNeighbors(row, x)[1:]) {
				t.Fatalf("n = %d: neighbors of %d are %v, want %v", n, x, packed.Neighbors(x), listed.Neighbors(x))
			}
		}
		for i := range 2 * listed.Pairs() {
			if n > 5 && i%997 != 0 {
				continue
			}
			x, y := packed.Pair(i)
			if wantX, wantY := listed.Pair(i); x != wantX || y != wantY {
				t.Fatalf("n = %d: pair %d is (%d, %d), want (%d, %d)", n, i, x, y, wantX, wantY)
			}
		}
		if !packed.SameNeighbors(listed) || !listed.SameNeighbors(packed) || !packed.SameNeighbors(packed) {
			t.Errorf("n = %d: SameNeighbors is false", n)
		}
		if n < 4 {
			continue
		}
		var edges [][2]int // with two datasets exchanged
		name := func(x int) int {
			if x == 1 || x == 4 {
				return 5 - x
			}
			return x
		}
		for x := range listed.Size() {
			for _, y := range listed.Neighbors(x) {
				edges = append(edges, [2]int{name(x), name(int(y))})
			}
		}
		other := must.For(NewPathSpace(listed.Size(), edges))(t)
		if packed.SameNeighbors(other) || other.SameNeighbors(packed) || other.SameNeighbors(listed) || packed.SameNeighbors(must.For(NewGraphs(t.Context(), n-1))(t).Space()) {
			t.Errorf("n = %d: SameNeighbors accepts different neighbors", n)
		}
	}
}
