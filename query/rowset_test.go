package query

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// insert waits for the lock of the row's shard.
func TestRowSetLocks(t *testing.T) {
	s := newRowSet(2, 100)
	for i := range uint64(10) {
		row := []uint64{i, i * i}
		locks.Awaited(t, "insert", &s.shards[hash(row)%shards].mu, func() { _, _ = s.insert(row) })
	}
}

// Equal rows have the same index, and different rows have different ones.
func TestRowSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, datasets := range []int{1, 10, 1 << 12, 1<<12 + 1, 1 << 13, -10} {
		stride := 3
		if datasets < 0 { // rows so long that each has its own block
			datasets, stride = -datasets, longStride
		}
		s := newRowSet(stride, datasets)
		places := map[[3]uint64]int32{}
		for k := range 3 * datasets {
			i := uint64(k) // insert each row once, then random rows
			if k >= datasets {
				i = rng.Uint64N(uint64(datasets))
			}
			row := [3]uint64{i % 3, i % 2 << 63, i / 6 << 20}
			place := must.For(s.insert(append(row[:], make([]uint64, stride-3)...)))(t)
			if known, ok := places[row]; ok && known != place {
				t.Fatalf("%v has the indices %d and %d", row, known, place)
			}
			places[row] = place
		}
		s.dropIndex()
		taken := map[int32]bool{}
		for row, place := range places {
			if got := s.row(place); len(got) != stride || !slices.Equal(got[:3], row[:]) || taken[place] {
				t.Fatalf("index %d holds %v, want only %v", place, s.row(place), row)
			}
			taken[place] = true
		}
	}
}
