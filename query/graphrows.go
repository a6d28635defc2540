package query

import (
	"context"
	"slices"

	"dpworkbench/internal/parallel"
)

// graphUniverse is the classes of all graphs on some number of nodes, and
// which differ by one edge. Classes number by edges, then by code.
type graphUniverse struct {
	nodes     int
	codes     []graphCode
	first     []int // first[m] is the number of classes with fewer than m edges
	offsets   []int64
	neighbors []int32
}

// graphBuilder holds a universe while it is built. Only the lower half of the
// levels is grown. Taking complements maps level m to level size−m and neighbors
// to neighbors, which gives the rest.
type graphBuilder struct {
	graphUniverse
	size   int          // pairs of nodes
	levels []graphLevel // 0 … size
	grown  int          // levels whose up rows are known: 0 … grown−1
	co     []int32      // the complement of each class
	down   []int32      // neighbors with one edge less, up to level grown
	done   func(int64)
}

// buildGraphs enumerates the universe. It calls done with the work finished,
// in units of which there are graphWork(counts), from several goroutines.
func buildGraphs(ctx context.Context, nodes int, counts []int, done func(int64)) (*graphUniverse, error) {
	size := nodes * (nodes - 1) / 2
	b := &graphBuilder{
		graphUniverse: graphUniverse{nodes: nodes, first: make([]int, size+2)},
		size:          size,
		levels:        make([]graphLevel, size+1),
		grown:         (size + 1) / 2,
		done:          done,
	}
	for m, count := range counts {
		b.first[m+1] = b.first[m] + count
	}
	b.levels[0].codes = []graphCode{0}
	for m := range b.grown {
		codes, err := b.levels[m].grow(ctx, nodes, counts[m+1], func(k int64) { done(growWork * k) })
		if err != nil {
			return nil, err
		}
		b.levels[m+1].codes = codes
	}
	for _, pass := range []func(context.Context) error{b.complement, b.measure, b.scatter, b.mirror} {
		if err := pass(ctx); err != nil {
			return nil, err
		}
	}
	return &b.graphUniverse, nil
}

// growWork is the work of growing a class, against one for all the rest.
const growWork = 8

// graphWork is the work of buildGraphs.
func graphWork(counts []int) int64 {
	work := int64(0)
	for m, count := range counts {
		work += int64(count)
		if m < len(counts)/2 {
			work += growWork * int64(count)
		}
	}
	return work
}

// complement finds the upper levels and pairs each class with its complement.
func (b *graphBuilder) complement(ctx context.Context) error {
	b.co = make([]int32, b.first[b.size+1])
	full := graphCode(1)<<b.size - 1
	for m := 0; 2*m <= b.size; m++ {
		lower, upper := b.levels[m].codes, &b.levels[b.size-m].codes
		codes := make([]graphCode, len(lower))
		err := parallel.Workers(ctx, len(lower), chunkSize(len(lower)), func() func(from, to int) error {
			c := new(canonizer)
			return func(from, to int) error {
				for x := from; x < to; x++ {
					c.load(b.nodes, full^lower[x])
					codes[x] = c.least()
				}
				return nil
			}
		})
		if err != nil {
			return err
		}
		if *upper == nil {
			*upper = slices.Clone(codes)
			slices.Sort(*upper)
		}
		below, above := b.first[m], b.first[b.size-m]
		err = parallel.Chunks(ctx, len(lower), chunkSize(len(lower)), func(from, to int) error {
			for x := from; x < to; x++ {
				y, _ := slices.BinarySearch(*upper, codes[x])
				b.co[below+x] = int32(above + y)
				if below != above { // in the middle level, y has its own turn
					b.co[above+y] = int32(below + x)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for m := range b.levels {
		b.codes = append(b.codes, b.levels[m].codes...)
	}
	return nil
}

// measure sets the offsets of the rows.
func (b *graphBuilder) measure(ctx context.Context) error {
	size := len(b.codes)
	b.down = make([]int32, size)
	err := parallel.Each(ctx, b.grown, func(m int) error {
		for _, y := range b.levels[m].up {
			b.down[b.first[m+1]+int(y)]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.offsets = make([]int64, size+1)
	for m := range b.levels {
		for x := b.first[m]; x < b.first[m+1]; x++ {
			degree := int64(0)
			switch {
			case m < b.grown:
				degree = int64(b.down[x]) + int64(len(b.levels[m].row(x-b.first[m])))
			case 2*m == b.size:
				degree = int64(b.down[x]) + int64(b.down[b.co[x]])
			default: // the complement is of a lower level
				degree = b.offsets[b.co[x]+1] - b.offsets[b.co[x]]
			}
			b.offsets[x+1] = b.offsets[x] + degree
		}
	}
	b.neighbors = make([]int32, b.offsets[size])
	return ctx.Err()
}

// scatter fills in the rows of the lower levels, and in a middle level, its own
// complement, the neighbors with one edge less. Rows come out ascending.
func (b *graphBuilder) scatter(ctx context.Context) error {
	return parallel.Each(ctx, b.grown+1, func(m int) error {
		if m == b.grown && 2*m != b.size {
			return nil // above the middle
		}
		base := b.first[m]
		ends := slices.Clone(b.offsets[base:b.first[m+1]])
		if m > 0 {
			below := &b.levels[m-1]
			for x := range below.codes {
				if x%4096 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				for _, y := range below.row(x) {
					b.neighbors[ends[y]] = int32(b.first[m-1] + x)
					ends[y]++
				}
			}
		}
		if m == b.grown {
			return nil
		}
		for x := range b.levels[m].codes {
			for k, y := range b.levels[m].row(x) {
				b.neighbors[ends[x]+int64(k)] = int32(b.first[m+1]) + y
			}
		}
		b.done(int64(len(b.levels[m].codes)))
		return nil
	})
}

// mirror fills in what scatter left from the rows of the complements: what a
// class reaches by one more edge, its complement reaches by one less.
func (b *graphBuilder) mirror(ctx context.Context) error {
	from := b.first[b.grown]
	middle := from
	if 2*b.grown == b.size {
		middle = b.first[b.grown+1]
	}
	size := len(b.codes) - from
	return parallel.Chunks(ctx, size, chunkSize(size), func(lo, hi int) error {
		for x := from + lo; x < from+hi; x++ {
			known := int32(0)
			if x < middle {
				known = b.down[x]
			}
			row := b.neighbors[b.offsets[x]:b.offsets[x+1]][known:]
			other := b.neighbors[b.offsets[b.co[x]]:][:len(row)]
			for k, y := range other {
				row[k] = b.co[y]
			}
			slices.Sort(row)
		}
		b.done(int64(hi - lo))
		return nil
	})
}
