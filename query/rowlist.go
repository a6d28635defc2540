package query

import (
	"context"
	"runtime"
	"slices"

	"dpworkbench/internal/parallel"
)

// chunkSize divides size items into chunks that balance well over processors
// and are small enough to stop promptly.
func chunkSize(size int) int {
	return min(max(size/(16*runtime.GOMAXPROCS(0)), 1), 512)
}

// rowList is a row of ascending numbers for each of some items, in chunks of items.
type rowList struct {
	chunk  int
	chunks [][]int32
	ends   []int32 // of the rows in their chunks
}

func newRowList(items int) rowList {
	chunk := chunkSize(items)
	return rowList{chunk, make([][]int32, (items+chunk-1)/chunk), make([]int32, items)}
}

// row returns the row of x.
func (l *rowList) row(x int) []int32 {
	from := int32(0)
	if x%l.chunk > 0 {
		from = l.ends[x-1]
	}
	return l.chunks[x/l.chunk][from:l.ends[x]]
}

// rename replaces the k-th number of the row of x by its name, sorts the rows, and drops repeats.
func (l *rowList) renumber(ctx context.Context, name func(c *canonicalLabeller, x, k int, number int32) int32, done func(int64)) error {
	return parallel.Workers(ctx, len(l.ends), l.chunk, func() func(from, to int) error {
		c := new(canonicalLabeller)
		return func(from, to int) error {
			rest := l.chunks[from/l.chunk]
			kept, start := rest[:0], int32(0)
			for x := from; x < to; x++ {
				row := rest[:l.ends[x]-start]
				rest, start = rest[len(row):], l.ends[x]
				for k, i := range row {
					row[k] = name(c, x, k, i)
				}
				slices.Sort(row)
				kept = append(kept, slices.Compact(row)...)
				l.ends[x] = int32(len(kept))
			}
			l.chunks[from/l.chunk] = kept
			done(int64(to - from))
			return nil
		}
	})
}

// reversed returns for each of size numbers the items in whose rows it stands, and
// how many there are in all. Every processor takes numbers of its own.
func (l *rowList) transpose(ctx context.Context, size int) (rowList, error) {
	out := newRowList(size)
	workers := min(runtime.GOMAXPROCS(0), len(out.chunks))
	each := (len(out.chunks) + workers - 1) / workers * out.chunk // numbers
	err := parallel.Chunks(ctx, size, each, func(from, to int) error {
		visit := func(f func(x int, i int32)) error {
			for x := range l.ends {
				if x%4096 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				row := l.row(x)
				first, _ := slices.BinarySearch(row, int32(from))
				for _, i := range row[first:] {
					if int(i) >= to {
						break
					}
					f(x, i)
				}
			}
			return nil
		}
		if err := visit(func(_ int, i int32) { out.ends[i]++ }); err != nil {
			return err
		}
		for first := from; first < to; first += out.chunk { // counts become starts
			total := int32(0)
			for i := first; i < min(first+out.chunk, to); i++ {
				out.ends[i], total = total, total+out.ends[i]
			}
			out.chunks[first/out.chunk] = make([]int32, total)
		}
		return visit(func(x int, i int32) {
			out.chunks[int(i)/out.chunk][out.ends[i]] = int32(x)
			out.ends[i]++
		})
	})
	return out, err
}
