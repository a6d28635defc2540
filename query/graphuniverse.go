package query

import (
	"context"
	"slices"
	"sort"
	"sync"

	"dpworkbench/internal/parallel"
)

// graphUniverse holds the isomorphism classes of all graphs on some number of nodes, and their neighbors. Classes
// are numbered by edges, then by code.
//
// Only the rows of the lower half are stored. Complementation maps level m to level maxEdges−m and preserves
// neighbors, which gives the other half.
type graphUniverse struct {
	nodes      int
	codes      []graphCode
	first      []int   // first[m] is the first class with m edges
	complement []int32 // the complement of each class

	maxEdges int          // number of pairs of nodes
	up, down []packedRows // neighbors in the next level, of levels 0 … (maxEdges−1)/2, and in the previous level, of levels 1 … maxEdges/2

	counting    sync.Once
	pairsBefore []int64 // number of ordered neighboring pairs of the classes before every countChunk-th
}

// countChunk is the number of rows that pairAt scans.
const countChunk = 64

// buildGraphs enumerates the universe with a hash function. It reports its progress by calling done, from several
// goroutines, with an amount of work. The amounts add up to graphWork(counts).
func buildGraphs(ctx context.Context, nodes int, counts []int, v *graphHash, done func(int64)) (*graphUniverse, error) {
	size := len(counts) - 1
	u := &graphUniverse{nodes: nodes, first: make([]int, size+2), maxEdges: size}
	for m, count := range counts {
		u.first[m+1] = u.first[m] + count
	}
	u.codes = make([]graphCode, u.first[size+1])
	level := emptyGraph(nodes)
	copy(u.codes, level.codes)
	for m := range (size + 1) / 2 {
		next, err := level.next(ctx, counts[m+1], v, done)
		if err != nil {
			return nil, err
		}
		copy(u.codes[u.first[m+1]:], next.codes)
		if err := u.packLevel(ctx, m, level, done); err != nil {
			return nil, err
		}
		level = next
	}
	return u, u.findComplements(ctx, done)
}

// graphWork returns the work of buildGraphs: one unit for each class that is extended, found, renumbered, packed
// or complemented.
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

// packLevel stores the neighbors between level m and the next.
func (u *graphUniverse) packLevel(ctx context.Context, m int, level *graphLevel, done func(int64)) error {
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
	if 2*(m+1) <= u.maxEdges {
		rows, err := level.up.transpose(ctx, above)
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

// findComplements computes the upper levels, and the complement of each class.
func (u *graphUniverse) findComplements(ctx context.Context, done func(int64)) error {
	u.complement = make([]int32, len(u.codes))
	full := graphCode(1)<<u.maxEdges - 1
	for m := 0; 2*m <= u.maxEdges; m++ {
		below, above := u.first[m], u.first[u.maxEdges-m]
		lower, upper := u.codes[below:u.first[m+1]], u.codes[above:u.first[u.maxEdges-m+1]]
		codes := make([]graphCode, len(lower))
		err := parallel.Workers(ctx, len(lower), chunkSize(len(lower)), func() func(from, to int) error {
			c := new(canonicalLabeller)
			return func(from, to int) error {
				for x := from; x < to; x++ {
					c.load(u.nodes, full^lower[x])
					codes[x] = c.minCode()
				}
				done(int64(to - from))
				return nil
			}
		})
		if err != nil {
			return err
		}
		copy(upper, codes) // if there is a middle level, upper already holds these codes
		slices.Sort(upper)
		err = parallel.Chunks(ctx, len(lower), chunkSize(len(lower)), func(from, to int) error {
			for x := from; x < to; x++ {
				y, _ := slices.BinarySearch(upper, codes[x])
				u.complement[below+x] = int32(above + y)
				if below != above { // in the middle level, the loop visits y too
					u.complement[above+y] = int32(below + x)
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
	return sort.Search(u.maxEdges, func(m int) bool { return u.first[m+1] > x })
}

// above appends the neighbors of x with one more edge, ascending.
func (u *graphUniverse) above(x int, out []int32) []int32 { return u.ascending(x, true, out) }

// below appends the neighbors of x with one edge less, ascending.
func (u *graphUniverse) below(x int, out []int32) []int32 { return u.ascending(x, false, out) }

func (u *graphUniverse) ascending(x int, above bool, out []int32) []int32 {
	from := len(out)
	out = u.step(x, u.level(x), above, out)
	if rows := out[from:]; !slices.IsSorted(rows) {
		slices.Sort(rows)
	}
	return out
}

// step appends the neighbors of x, which has m edges, with one edge more or less, in any order.
func (u *graphUniverse) step(x, m int, above bool, out []int32) []int32 {
	rows, to := u.down, m-1
	if above {
		rows, to = u.up, m+1
	}
	switch {
	case to < 0 || to > u.maxEdges:
		return out
	case m < len(rows):
		return rows[m].append(x-u.first[m], u.first[to], out)
	}
	from := len(out)
	out = u.step(int(u.complement[x]), u.maxEdges-m, !above, out)
	for k, y := range out[from:] {
		out[from+k] = u.complement[y]
	}
	return out
}

// pairs returns the number of unordered neighboring pairs.
func (u *graphUniverse) pairs() (n int64) {
	for m := range u.maxEdges {
		n += u.up[min(m, u.maxEdges-1-m)].total
	}
	return n
}

// degree returns the number of neighbors of x.
func (u *graphUniverse) degree(x int) (n int) {
	m := u.level(x)
	if 2*m > u.maxEdges { // the complement has the same number of neighbors
		x, m = int(u.complement[x]), u.maxEdges-m
	}
	if m > 0 {
		n = u.down[m].length(x - u.first[m])
	}
	if m < len(u.up) {
		return n + u.up[m].length(x-u.first[m])
	}
	if u.maxEdges == 0 {
		return 0
	}
	return n + u.down[m].length(int(u.complement[x])-u.first[m])
}

// pairAt returns the class x of the i-th ordered neighboring pair, and the pair's index among the neighbors of x.
func (u *graphUniverse) pairAt(i int64) (x int, place int64) {
	u.counting.Do(func() {
		total := int64(0)
		for x := range u.codes {
			if x%countChunk == 0 {
				u.pairsBefore = append(u.pairsBefore, total)
			}
			total += int64(u.degree(x))
		}
	})
	chunk := sort.Search(len(u.pairsBefore), func(k int) bool { return u.pairsBefore[k] > i }) - 1
	x, i = chunk*countChunk, i-u.pairsBefore[chunk]
	for d := int64(u.degree(x)); i >= d; d = int64(u.degree(x)) {
		x, i = x+1, i-d
	}
	return x, i
}

// list returns all rows, concatenated, and their offsets.
func (u *graphUniverse) list(ctx context.Context) (offsets []int64, neighbors []int32, err error) {
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
