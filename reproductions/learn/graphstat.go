package learn

import (
	"context"
	"math/bits"

	"dpworkbench/internal/parameter"
)

// GraphStatistics describes an undirected simple graph.
type GraphStatistics struct {
	Nodes, Edges int
	Density      float64 // edges divided by pairs of nodes
	Degrees      []int
	Components   int
	// Diameter and MeanPath are the longest and the mean shortest path over the ordered pairs of different connected
	// nodes, 0 if there are none.
	Diameter int
	MeanPath float64
}

// DescribeGraph computes the statistics of a graph given by the rows of its adjacency matrix, 64 columns per word,
// symmetric with a zero diagonal. It runs a breadth-first search with whole words from every node: O(N³/64) at worst,
// much less on dense graphs. It returns an error wrapping parameter.Err if a row has a wrong number of words, or an
// edge leads to the node itself or to no node, and ctx's error.
func DescribeGraph(ctx context.Context, rows [][]uint64) (*GraphStatistics, error) {
	n := len(rows)
	degrees, err := Degrees(rows)
	if err != nil {
		return nil, err
	}
	s := &GraphStatistics{Nodes: n, Degrees: degrees}
	for _, d := range degrees {
		s.Edges += d
	}
	s.Edges /= 2
	if n > 1 {
		s.Density = float64(s.Edges) / (float64(n) * float64(n-1) / 2)
	}
	words := (n + 63) / 64
	left, front, next := make([]uint64, words), make([]uint64, words), make([]uint64, words)
	var length, reached float64
	for start := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := range left {
			left[k], front[k] = ^uint64(0), 0
		}
		if n%64 != 0 {
			left[words-1] = 1<<(n%64) - 1
		}
		left[start/64] &^= 1 << (start % 64)
		front[start/64] |= 1 << (start % 64)
		least := start
		for depth := 1; ; depth++ {
			found := expand(rows, left, front, next)
			if found == 0 {
				break
			}
			for k, w := range next {
				left[k] &^= w
				if w != 0 {
					least = min(least, 64*k+bits.TrailingZeros64(w))
				}
			}
			front, next = next, front
			length += float64(depth) * float64(found)
			reached += float64(found)
			s.Diameter = max(s.Diameter, depth)
		}
		if least == start { // count a component once, at its first node
			s.Components++
		}
	}
	if reached > 0 {
		s.MeanPath = length / reached
	}
	return s, nil
}

// checkRows requires n rows of n columns, without ones on the diagonal or beyond the last column.
func checkRows(rows [][]uint64) error {
	n := len(rows)
	words := (n + 63) / 64
	for v, row := range rows {
		if len(row) != words {
			return parameter.Errorf("row %d has %d words, want %d for %d nodes", v, len(row), words, n)
		}
		if row[v/64]>>(v%64)&1 != 0 {
			return parameter.Errorf("node %d has a loop, want none", v)
		}
		if n%64 != 0 && row[words-1]>>(n%64) != 0 {
			return parameter.Errorf("row %d has an edge beyond the %d nodes", v, n)
		}
	}
	return nil
}

// expand sets next to the nodes of left with a neighbor in front, and returns their number. It iterates over the
// smaller set.
func expand(rows [][]uint64, left, front, next []uint64) int {
	if count(front) <= count(left) {
		clear(next)
		for k, w := range front {
			for ; w != 0; w &= w - 1 {
				for i, r := range rows[64*k+bits.TrailingZeros64(w)] {
					next[i] |= r
				}
			}
		}
		for k := range next {
			next[k] &= left[k]
		}
		return count(next)
	}
	found := 0
	for k, w := range left {
		next[k] = 0
		for ; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w)
			for i, r := range rows[64*k+bit] {
				if r&front[i] != 0 {
					next[k] |= 1 << bit
					found++
					break
				}
			}
		}
	}
	return found
}

func count(v []uint64) int {
	n := 0
	for _, w := range v {
		n += bits.OnesCount64(w)
	}
	return n
}
