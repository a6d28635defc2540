package query

import (
	"context"
	"fmt"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
)

// For a space with levels, layers are bytes, eight to a word, and rows have an even number of words. The upper bit of
// each byte stays 0, which allows comparing the bytes of a word at once.
const (
	unreachedByte = 127 // stands for Unreached
	maxByteLayer  = unreachedByte - 1
	lowBits       = 0x0101010101010101
	highBits      = 0x80 * lowBits
)

// minBytes returns the bytewise minimum.
func minBytes(a, b uint64) uint64 {
	m := ((a | highBits) - b) & highBits // the bytes with a ≥ b
	m -= m >> 7
	return a ^ (a^b)&m
}

// minRowGo sets each byte of row to the minimum of that byte and the byte of other at the same place.
//
//lint:ignore U1000 amd64 has another, which a test compares with it
func minRowGo(row, other []uint64) {
	for i, w := range other[:len(row)] {
		row[i] = minBytes(row[i], w)
	}
}

// incrementBytes adds 1 to each byte that is not unreachedByte.
func incrementBytes(a uint64) uint64 { return minBytes(a, maxByteLayer*lowBits) + lowBits }

// hasLevels reports whether transformLevels applies to seeds up to the given layer.
func (s *Space) hasLevels(latest int) bool {
	return s.levels != nil && latest+2*(len(s.levels)-2) <= maxByteLayer // the largest layer of both passes
}

// transformLevels is DistanceTransform for a space with levels. A shortest path from x to a seed first only descends
// and then only ascends, so two passes suffice. The downward pass finds the layers along paths that only ascend, from
// the neighbors in the level above. The upward pass adds the paths that begin by descending, from the neighbors in the
// level below.
func (s *Space) transformLevels(ctx context.Context, values int, initial SeedFunc) (*LayerTable, error) {
	n, stride := s.Size(), (values+15)/16*2
	if err := memory.Need(fmt.Sprintf("layers of %d values", values), 8*4*float64(stride)); err != nil { // two workers' rows, and a row stored by each pass
		return nil, err
	}
	t := &LayerTable{values: values, of: make([]int32, n), rows: newRowSet(stride, n)}
	last := len(s.levels) - 2
	for k := last; k >= 0; k-- {
		if err := s.transformLevel(ctx, t, t.rows, k, k < last, true, func(x int, row []uint64) {
			initial(x, func(value, layer int) {
				w, shift := &row[value/8], 8*(value%8)
				if old := *w >> shift & 255; uint64(layer) < old {
					*w ^= (old ^ uint64(layer)) << shift
				}
			})
		}); err != nil {
			return nil, err
		}
	}
	climbing := t.rows
	t.rows = newRowSet(climbing.stride, n)
	for k := 0; k <= last; k++ {
		if err := s.transformLevel(ctx, t, t.rows, k, k > 0, false, func(x int, row []uint64) {
			minRow(row, climbing.row(t.of[x]))
		}); err != nil {
			return nil, err
		}
	}
	t.rows.dropIndex()
	return t, nil
}

// transformLevel computes the rows of level k. If beyond is true, it takes the minimum over the neighbors in the next
// level above or below, plus 1. Then it calls own, which can lower the layers of a row.
func (s *Space) transformLevel(ctx context.Context, t *LayerTable, rows *rowSet, k int, beyond, above bool, own func(x int, row []uint64)) error {
	first := s.levels[k]
	size := s.levels[k+1] - first
	return parallel.Workers(ctx, size, chunkSize(size), func() func(from, to int) error {
		row := make([]uint64, rows.stride)
		var near []int32
		return func(from, to int) error {
			for x := first + from; x < first+to; x++ {
				for i := range row {
					row[i] = unreachedByte * lowBits
				}
				if beyond {
					near = s.neighborsInLevel(x, k, above, near[:0])
					for i, y := range near {
						if i > 0 && t.of[y] == t.of[near[i-1]] {
							continue
						}
						minRow(row, rows.row(t.of[y]))
					}
					for i, w := range row {
						row[i] = incrementBytes(w)
					}
				}
				own(x, row)
				var err error
				if t.of[x], err = rows.insert(row); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// neighborsInLevel appends the neighbors of x, which is in level k, that are in the level above or below, in any
// order.
func (s *Space) neighborsInLevel(x, k int, above bool, out []int32) []int32 {
	switch {
	case s.graphs != nil:
		return s.graphs.step(x, k, above, out)
	}
	for _, y := range s.Neighbors(x) {
		if above == (int(y) >= s.levels[k+1]) {
			out = append(out, y)
		}
	}
	return out
}
