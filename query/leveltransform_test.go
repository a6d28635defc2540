package query

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
)

// packed returns a space of graphs with packed neighbors.
func packed(t *testing.T, n int) *Space {
	t.Helper()
	u := must.For(buildGraphs(t.Context(), n, graphCounts(n), &splitMixHash, func(int64) {}))(t)
	return &Space{graphs: u, levels: u.first}
}

// The distance transform equals the minimum over all seeds, with listed and packed neighbors. The cases include more
// values than a word has bytes, unreached datasets, and layers that overflow a byte.
func TestTransformLevelsMatchesSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		n := 1 + rng.IntN(6)
		listed := must.For(NewGraphs(t.Context(), n))(t).Space()
		values := 1 + rng.IntN(40)
		var seeds []Seed
		late := []int{0, 1, 3, maxByteLayer - n*(n-1), maxByteLayer - n*(n-1) + 1, 1000}
		late = late[:1+rng.IntN(len(late))]
		for range rng.IntN(2 * values) {
			seeds = append(seeds, Seed{rng.IntN(listed.Size()), rng.IntN(values), late[rng.IntN(len(late))]})
		}
		want := make([]int32, listed.Size()*values)
		for i := range want {
			want[i] = Unreached
		}
		for _, seed := range seeds {
			for x, d := range listed.Distances(seed.Dataset) {
				cell := &want[x*values+seed.Value]
				if l := int32(d) + int32(seed.Layer); *cell == Unreached || l < *cell {
					*cell = l
				}
			}
		}
		for _, s := range []*Space{listed, packed(t, n)} {
			got := must.For(s.DistanceTransform(t.Context(), values, seeds))(t)
			latest := 0
			for _, seed := range seeds {
				latest = max(latest, seed.Layer)
			}
			if shares := latest+n*(n-1) <= maxByteLayer; got.SharesRows() != shares {
				t.Errorf("seeds up to layer %d on %d nodes: rows are shared: %v", latest, n, got.SharesRows())
			}
			if got.SharesRows() && got.rows.shards[0].slots != nil {
				t.Error("the row index is not dropped")
			}
			for _, x := range []int{0, s.Size() - 1} {
				if !panics(func() { got.Layer(x, values) }) || !panics(func() { got.Row(s.Size(), nil) }) {
					t.Error("an index out of range does not panic")
				}
			}
			if !slices.Equal(got.Cells(), want) {
				t.Fatalf("%d nodes, %d values, seeds %v: %v, want %v", n, values, seeds, got.Cells(), want)
			}
			rows := map[int32][]int32{}
			for x := range s.Size() {
				row := got.Row(x, make([]int32, 0, rng.IntN(2*values)))
				if known, ok := rows[got.RowID(x)]; ok && !slices.Equal(known, row) {
					t.Fatalf("datasets with different rows share the id %d", got.RowID(x))
				}
				rows[got.RowID(x)] = row
				for r, level := range row {
					if level != want[x*values+r] || got.Layer(x, r) != level {
						t.Fatalf("L^%d(%d) = %d by Row and %d by Layer, want %d", x, r, level, got.Layer(x, r), want[x*values+r])
					}
				}
			}
		}
	}
}

// panics reports whether f panics.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}

func TestTransformLevelsIsCancelled(t *testing.T) {
	s := packed(t, 5)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, least := range map[int]int{1: 2, 2: 3} {
		runtime.GOMAXPROCS(processors)
		ctxtest.EachPoll(t, least, func(ctx context.Context) error {
			_, err := s.DistanceTransform(ctx, 3, []Seed{{Dataset: 7, Value: 1}})
			return err
		})
	}
}

// minBytes and incrementBytes work byte by byte.
func TestByteOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	edge := []uint64{0, 1, 2, 63, 64, maxByteLayer - 1, maxByteLayer, unreachedByte}
	for range 20000 {
		var a, b, wantLeast, wantLater uint64
		for i := range 8 {
			x, y := edge[rng.IntN(len(edge))], rng.Uint64N(unreachedByte+1)
			if rng.IntN(2) == 0 {
				x, y = y, x
			}
			a |= x << (8 * i)
			b |= y << (8 * i)
			wantLeast |= min(x, y) << (8 * i)
			wantLater |= min(x+1, unreachedByte) << (8 * i)
		}
		if got := minBytes(a, b); got != wantLeast {
			t.Fatalf("minBytes of %#x and %#x is %#x, want %#x", a, b, got, wantLeast)
		}
		row, other := []uint64{a, b, a, 0}, []uint64{b, a, b, unreachedByte * lowBits, 1}
		again := slices.Clone(row)
		minRow(row, other)
		minRowGo(again, other)
		if want := []uint64{wantLeast, wantLeast, wantLeast, 0}; !slices.Equal(row, want) || !slices.Equal(again, want) {
			t.Fatalf("the minimum rows are %#x and %#x, want %#x", row, again, want)
		}
		if got := incrementBytes(a); got != wantLater {
			t.Fatalf("incrementBytes of %#x is %#x, want %#x", a, got, wantLater)
		}
	}
}

// Layers that exceed the memory limit are rejected before and during the computation.
func TestTransformLevelsBeyondMemory(t *testing.T) {
	bound := memory.Limit()
	defer memory.SetLimit(bound)
	s := packed(t, 4)
	none := func(int, func(value, layer int)) {}
	memory.SetLimit(memory.InUse() + 1<<28)
	if _, err := s.DistanceTransformFrom(t.Context(), maxCells/s.Size(), 0, none); !errors.Is(err, memory.Err) {
		t.Errorf("a table above the limit: %v, want memory.Err", err)
	}
	rows := newRowSet(1<<16, 1<<12)
	row := make([]uint64, 1<<16)
	for i := range uint64(1 << 12) { // 2 GiB
		row[0] = i
		if _, err := rows.insert(row); err != nil {
			if !errors.Is(err, memory.Err) || i < 1<<7 {
				t.Errorf("row %d: %v", i, err)
			}
			return
		}
	}
	t.Error("2 GiB are accepted with a limit of 256 MiB")
}
