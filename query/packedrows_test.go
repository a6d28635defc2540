package query

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// Packing preserves rows of any length with any gaps.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 50 {
		items, limit := 1+rng.IntN(1200), 1+rng.IntN(1<<20)
		list, entries := newRowList(items), int64(0)
		rows := make([][]int32, items)
		for x := range rows {
			count := min(rng.IntN(46), limit)
			for len(rows[x]) < count {
				at := rng.IntN(limit)
				if rng.IntN(4) > 0 { // mostly small numbers
					at = rng.IntN(min(limit, 50))
				}
				if !slices.Contains(rows[x], int32(at)) {
					rows[x] = append(rows[x], int32(at))
				} else {
					count--
				}
			}
			slices.Sort(rows[x])
			entries += int64(len(rows[x]))
			list.chunks[x/list.chunk] = append(list.chunks[x/list.chunk], rows[x]...)
			list.ends[x] = int32(len(list.chunks[x/list.chunk]))
		}
		p, err := pack(t.Context(), list, limit, entries)
		if err != nil || p.total != entries {
			t.Fatalf("%d entries of %d, %v", p.total, entries, err)
		}
		for x := 0; x < items; x += packedChunk { // chunks are packed independently
			if p.starts[x] != 0 {
				t.Fatalf("the chunk of row %d begins at bit %d, want 0", x, p.starts[x])
			}
		}
		for x, want := range rows {
			got := p.append(x, 10, nil)
			for i := range got {
				got[i] -= 10
			}
			if !slices.Equal(got, want) {
				t.Fatalf("row %d of %d below %d: %v, want %v", x, items, limit, got, want)
			}
		}
		back := must.For(list.transpose(t.Context(), limit))(t)
		again := must.For(back.transpose(t.Context(), items))(t)
		for x, want := range rows {
			if !slices.Equal(again.row(x), want) {
				t.Fatalf("row %d of %d below %d, transposed twice: %v, want %v", x, items, limit, again.row(x), want)
			}
		}
	}
}
