package query

import (
	"context"
	"runtime"
	"slices"

	"dpworkbench/internal/parallel"
)

// chunkSize returns a chunk length for size items that balances the processors and allows prompt cancellation.
func chunkSize(size int) int { return min(max(size/(16*runtime.GOMAXPROCS(0)), 1), 512) }

// rowList holds an ascending list of numbers for each item, in chunks of items.
type rowList struct {
	chunk  int
	chunks [][]int32
	ends   []int32 // end of each row in its chunk
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

// renumber replaces the k-th number of the row of each x by name(c, x, k, number), where c is a labeller for its use.
// It then sorts the rows and removes duplicates.
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

// transpose returns, for each number below size, the items whose rows contain it. Each worker handles a range of
// numbers.
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
		for first := from; first < to; first += out.chunk { // turn the counts of a chunk into the starts of its rows
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
