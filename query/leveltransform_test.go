package query

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
)

// packed is the space of graphs whose neighbors are not listed.
func packed(t *testing.T, n int) *Space {
	t.Helper()
	u, err := buildGraphs(t.Context(), n, graphCounts(n), &splitMixHash, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return &Space{graphs: u, levels: u.first}
}

// Between graphs layers are the least of distance and layer over all seeds, whether neighbors are listed or packed,
// for more values than a word or two have bytes, with datasets that no seed reaches and seeds in layers that bytes
// do not hold.
func TestSpreadOverTiers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		n := 1 + rng.IntN(6)
		listed := mustGraphs(t, n).Space()
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
			got, err := s.DistanceTransform(t.Context(), values, seeds)
			if err != nil {
				t.Fatal(err)
			}
			latest := 0
			for _, seed := range seeds {
				latest = max(latest, seed.Layer)
			}
			if shares := latest+n*(n-1) <= maxByteLayer; got.SharesRows() != shares {
				t.Errorf("seeds up to layer %d on %d nodes: rows are shared: %v", latest, n, got.SharesRows())
			}
			if got.SharesRows() && got.rows.shards[0].slots != nil {
				t.Error("what finds rows is kept")
			}
			for _, x := range []int{0, s.Size() - 1} {
				if !panics(func() { got.Layer(x, values) }) || !panics(func() { got.Row(s.Size(), nil) }) {
					t.Error("a place beyond the table does not panic")
				}
			}
			if !slices.Equal(got.Cells(), want) {
				t.Fatalf("%d nodes, %d values, seeds %v: %v, want %v", n, values, seeds, got.Cells(), want)
			}
			rows := map[int32][]int32{}
			for x := range s.Size() {
				row := got.Row(x, make([]int32, 0, rng.IntN(2*values)))
				if known, ok := rows[got.RowID(x)]; ok && !slices.Equal(known, row) {
					t.Fatalf("datasets with different rows share the place %d", got.RowID(x))
				}
				rows[got.RowID(x)] = row
				for r, level := range row {
					if level != want[x*values+r] || got.Layer(x, r) != level {
						t.Fatalf("L^%d(%d) = %d in its row and %d by itself, want %d", x, r, level, got.Layer(x, r), want[x*values+r])
					}
				}
			}
		}
	}
}

// panics reports whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}

func TestSpreadOverTiersStops(t *testing.T) {
	s := packed(t, 5)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, least := range map[int]int{1: 2, 2: 3} {
		runtime.GOMAXPROCS(processors)
		looks.Each(t, least, func(ctx context.Context) error {
			_, err := s.DistanceTransform(ctx, 3, []Seed{{Dataset: 7, Value: 1}})
			return err
		})
	}
}

// Bytes are compared and counted on one by one.
func TestBytesOfLayers(t *testing.T) {
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
			t.Fatalf("the least of %#x and %#x is %#x, want %#x", a, b, got, wantLeast)
		}
		row, other := []uint64{a, b, a, 0}, []uint64{b, a, b, unreachedByte * lowBits, 1}
		again := slices.Clone(row)
		minRow(row, other)
		minRowGo(again, other)
		if want := []uint64{wantLeast, wantLeast, wantLeast, 0}; !slices.Equal(row, want) || !slices.Equal(again, want) {
			t.Fatalf("the least rows are %#x and %#x, want %#x", row, again, want)
		}
		if got := incrementBytes(a); got != wantLater {
			t.Fatalf("one after %#x is %#x, want %#x", a, got, wantLater)
		}
	}
}

// What a packed space says of neighbors is what a listed one says.
func TestPackedNeighbors(t *testing.T) {
	for n := 1; n <= 7; n++ {
		listed, packed := mustGraphs(t, n).Space(), packed(t, n)
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
			t.Errorf("n = %d: not the same neighbors", n)
		}
		if n < 4 {
			continue
		}
		var edges [][2]int // with two datasets' names exchanged
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
		other, err := NewPathSpace(listed.Size(), edges)
		if err != nil {
			t.Fatal(err)
		}
		if packed.SameNeighbors(other) || other.SameNeighbors(packed) || other.SameNeighbors(listed) || packed.SameNeighbors(mustGraphs(t, n-1).Space()) {
			t.Errorf("n = %d: different neighbors are the same", n)
		}
	}
}

// Rows of any length and with gaps of any width come back from their bits.
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
				if rng.IntN(4) > 0 { // crowded at one end
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
		for x := 0; x < items; x += packedChunk { // chunks know nothing of each other
			if p.starts[x] != 0 {
				t.Fatalf("the chunk of row %d begins at its bit %d", x, p.starts[x])
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
		back, err := list.transpose(t.Context(), limit)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.transpose(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range rows {
			if !slices.Equal(again.row(x), want) {
				t.Fatalf("row %d of %d below %d, reversed twice: %v, want %v", x, items, limit, again.row(x), want)
			}
		}
	}
}

// Rows without a number come back as such.
func TestPackNothing(t *testing.T) {
	p, err := pack(t.Context(), newRowList(3), 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	for x := range 3 {
		if got := p.append(x, 0, nil); len(got) > 0 {
			t.Errorf("row %d: %v", x, got)
		}
	}
}

// Gaps of almost the whole width take more ones than a word has bits.
func TestPackWideGaps(t *testing.T) {
	const items, limit = 200, 89 << 10
	list := newRowList(items)
	full := make([]int32, 45)
	for i := range full {
		full[i] = int32(i)
	}
	rows := make([][]int32, items)
	entries := int64(0)
	for x := range rows {
		rows[x] = full
		if x%50 < 5 { // up to 88 ones
			rows[x] = []int32{[]int32{31 << 10, 32<<10 - 1, 32 << 10, 64<<10 + 3, limit - 1}[x%50]}
		}
		entries += int64(len(rows[x]))
		list.chunks[x/list.chunk] = append(list.chunks[x/list.chunk], rows[x]...)
		list.ends[x] = int32(len(list.chunks[x/list.chunk]))
	}
	p, err := pack(t.Context(), list, limit, entries)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range rows {
		if got := p.append(x, 0, nil); !slices.Equal(got, want) {
			t.Errorf("row %d: %v, want %v", x, got, want)
		}
	}
}

// Equal rows have one place, whoever inserts them, and different rows have different ones.
func TestRowSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, datasets := range []int{1, 10, 1 << 12, 1<<12 + 1, 1 << 13, -10} {
		stride := 3
		if datasets < 0 { // rows so long that each has a block of its own
			datasets, stride = -datasets, longStride
		}
		s := newRowSet(stride, datasets)
		places := map[[3]uint64]int32{}
		for k := range 3 * datasets {
			i := uint64(k) // each once, then any of them
			if k >= datasets {
				i = rng.Uint64N(uint64(datasets))
			}
			row := [3]uint64{i % 3, i % 2 << 63, i / 6 << 20}
			place := must.For(s.insert(append(row[:], make([]uint64, stride-3)...)))(t)
			if known, ok := places[row]; ok && known != place {
				t.Fatalf("%v is at %d and at %d", row, known, place)
			}
			places[row] = place
		}
		s.dropIndex()
		taken := map[int32]bool{}
		for row, place := range places {
			if got := s.row(place); len(got) != stride || !slices.Equal(got[:3], row[:]) || taken[place] {
				t.Fatalf("at %d is %v, want %v alone", place, s.row(place), row)
			}
			taken[place] = true
		}
	}
}

func TestTablesTooLarge(t *testing.T) {
	s := packed(t, 4)
	none := func(int, func(value, layer int)) {}
	if _, err := s.DistanceTransformFrom(t.Context(), math.MaxInt, 0, none); err == nil {
		t.Error("a table of any size is made")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.DistanceTransformFrom(ctx, 1, 0, none); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// Layers that would pass the bound on memory are refused, before they are made and as they grow.
func TestLayersBeyondMemory(t *testing.T) {
	bound := memory.Limit()
	defer memory.SetLimit(bound)
	s := packed(t, 4)
	none := func(int, func(value, layer int)) {}
	memory.SetLimit(memory.InUse() + 1<<28)
	if _, err := s.DistanceTransformFrom(t.Context(), maxCells/s.Size(), 0, none); !errors.Is(err, memory.Err) {
		t.Errorf("%v", err)
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
	t.Error("two gibibytes are kept within a quarter of one")
}
