package query

import (
	"context"
	"slices"
	"sort"
	"sync"

	"dpworkbench/internal/parallel"
)

// graphUniverse is the classes of all graphs on some number of nodes, and
// which differ by one edge. Classes number by edges, then by code.
//
// Of the rows only the lower half is kept. Taking complements maps level m to level
// size−m and neighbors to neighbors, which gives the rest: what a class reaches by one
// more edge, its complement reaches by one less.
type graphUniverse struct {
	nodes int
	codes []graphCode
	first []int   // first[m] is the number of classes with fewer than m edges
	co    []int32 // the complement of each class

	size     int          // pairs of nodes
	up, down []packedRows // what the classes of a level reach; up to level (size−1)/2, down from level 1 to size/2

	counting sync.Once
	before   []int64 // ordered neighboring pairs of the classes below every countedChunk-th
}

// countedChunk is how many rows find looks at.
const countedChunk = 64

// buildGraphs enumerates the universe, told apart by an invariant. It calls done with the
// work finished, in units of which there are graphWork(counts), from several goroutines.
func buildGraphs(ctx context.Context, nodes int, counts []int, v *invariant, done func(int64)) (*graphUniverse, error) {
	size := len(counts) - 1
	u := &graphUniverse{nodes: nodes, first: make([]int, size+2), size: size}
	for m, count := range counts {
		u.first[m+1] = u.first[m] + count
	}
	u.codes = make([]graphCode, u.first[size+1])
	level := emptyGraph(nodes)
	copy(u.codes, level.codes)
	for m := range (size + 1) / 2 {
		next, err := level.grow(ctx, counts[m+1], v, done)
		if err != nil {
			return nil, err
		}
		copy(u.codes[u.first[m+1]:], next.codes)
		if err := u.keep(ctx, m, level, done); err != nil {
			return nil, err
		}
		level = next
	}
	return u, u.complement(ctx, done)
}

// graphWork is the work of buildGraphs: one for each class that is grown, found, renamed, kept or
// complemented.
func graphWork(counts []int) (work int64) {
	size := len(counts) - 1
	for m := range (size + 1) / 2 {
		work += 3*int64(counts[m]) + int64(counts[m+1])
	}
	for m := 0; 2*m <= size; m++ {
		work += int64(counts[m])
	}
	return work
}

// keep packs what level m reaches, and what of the level above reaches it.
func (u *graphUniverse) keep(ctx context.Context, m int, level *graphLevel, done func(int64)) error {
	above := u.first[m+2] - u.first[m+1]
	entries := int64(0)
	for _, chunk := range level.up.chunks {
		entries += int64(len(chunk))
	}
	up, err := pack(ctx, level.up, above, entries)
	if err != nil {
		return err
	}
	u.up = append(u.up, up)
	if 2*(m+1) <= u.size {
		rows, err := level.up.reversed(ctx, above)
		if err != nil {
			return err
		}
		down, err := pack(ctx, rows, len(level.codes), entries)
		if err != nil {
			return err
		}
		if m == 0 {
			u.down = append(u.down, packedRows{}) // of no edges
		}
		u.down = append(u.down, down)
	}
	done(int64(len(level.codes)))
	return nil
}

// complement finds the upper levels and pairs each class with its complement.
func (u *graphUniverse) complement(ctx context.Context, done func(int64)) error {
	u.co = make([]int32, len(u.codes))
	full := graphCode(1)<<u.size - 1
	for m := 0; 2*m <= u.size; m++ {
		below, above := u.first[m], u.first[u.size-m]
		lower, upper := u.codes[below:u.first[m+1]], u.codes[above:u.first[u.size-m+1]]
		codes := make([]graphCode, len(lower))
		err := parallel.Workers(ctx, len(lower), chunkSize(len(lower)), func() func(from, to int) error {
			c := new(canonizer)
			return func(from, to int) error {
				for x := from; x < to; x++ {
					c.load(u.nodes, full^lower[x])
					codes[x] = c.least()
				}
				done(int64(to - from))
				return nil
			}
		})
		if err != nil {
			return err
		}
		copy(upper, codes) // where it is grown, the same ones
		slices.Sort(upper)
		err = parallel.Chunks(ctx, len(lower), chunkSize(len(lower)), func(from, to int) error {
			for x := from; x < to; x++ {
				y, _ := slices.BinarySearch(upper, codes[x])
				u.co[below+x] = int32(above + y)
				if below != above { // in the middle level, y has its own turn
					u.co[above+y] = int32(below + x)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// level returns the number of edges of x.
func (u *graphUniverse) level(x int) int {
	return sort.Search(u.size, func(m int) bool { return u.first[m+1] > x })
}

// above appends the classes that x reaches by one more edge, ascending.
func (u *graphUniverse) above(x int, out []int32) []int32 { return u.ascending(x, true, out) }

// below appends the classes that x reaches by one edge less, ascending.
func (u *graphUniverse) below(x int, out []int32) []int32 { return u.ascending(x, false, out) }

func (u *graphUniverse) ascending(x int, above bool, out []int32) []int32 {
	from := len(out)
	out = u.step(x, u.level(x), above, out)
	if rows := out[from:]; !slices.IsSorted(rows) {
		slices.Sort(rows)
	}
	return out
}

// step appends the classes that x of level m reaches by one edge more or less, in any order.
func (u *graphUniverse) step(x, m int, above bool, out []int32) []int32 {
	rows, to := u.down, m-1
	if above {
		rows, to = u.up, m+1
	}
	switch {
	case to < 0 || to > u.size:
		return out
	case m < len(rows):
		return rows[m].append(x-u.first[m], u.first[to], out)
	}
	from := len(out)
	out = u.step(int(u.co[x]), u.size-m, !above, out)
	for k, y := range out[from:] {
		out[from+k] = u.co[y]
	}
	return out
}

// pairs returns the number of unordered neighboring pairs.
func (u *graphUniverse) pairs() (n int64) {
	for m := range u.size {
		n += u.up[min(m, u.size-1-m)].total
	}
	return n
}

// degree returns the number of neighbors of x.
func (u *graphUniverse) degree(x int) (n int) {
	m := u.level(x)
	if 2*m > u.size { // as many as its complement has
		x, m = int(u.co[x]), u.size-m
	}
	if m > 0 {
		n = u.down[m].length(x - u.first[m])
	}
	if m < len(u.up) {
		return n + u.up[m].length(x-u.first[m])
	}
	if u.size == 0 {
		return 0
	}
	return n + u.down[m].length(int(u.co[x])-u.first[m])
}

// find returns the class of the i-th ordered neighboring pair, and the pair's place in its row.
func (u *graphUniverse) find(i int64) (x int, place int64) {
	u.counting.Do(func() {
		total := int64(0)
		for x := range u.codes {
			if x%countedChunk == 0 {
				u.before = append(u.before, total)
			}
			total += int64(u.degree(x))
		}
	})
	chunk := sort.Search(len(u.before), func(k int) bool { return u.before[k] > i }) - 1
	x, i = chunk*countedChunk, i-u.before[chunk]
	for d := int64(u.degree(x)); i >= d; d = int64(u.degree(x)) {
		x, i = x+1, i-d
	}
	return x, i
}

// rows lists all rows one after the other, and where they begin.
func (u *graphUniverse) rows(ctx context.Context) (offsets []int64, neighbors []int32, err error) {
	offsets = make([]int64, len(u.codes)+1)
	neighbors = make([]int32, 0, 2*u.pairs())
	for x := range u.codes {
		if x%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		neighbors = u.above(x, u.below(x, neighbors))
		offsets[x+1] = int64(len(neighbors))
	}
	return offsets, neighbors, nil
}
