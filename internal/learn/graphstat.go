package learn

import (
	"context"
	"math"
	"math/bits"

	"dpworkbench/internal/parameter"
)

// GraphStatistics describes an undirected simple graph.
type GraphStatistics struct {
	Nodes, Edges int
	Density      float64 // edges over pairs of nodes
	Degrees      []int
	Components   int
	// Diameter and MeanPath are the longest and the mean shortest path over the
	// ordered pairs of different nodes that a path joins; 0 where there are none.
	// Pairs that none joins are left out.
	Diameter int
	MeanPath float64
}

// DescribeGraph computes the statistics of a graph given by the rows of its
// adjacency matrix, 64 columns to a word, symmetric with a zero diagonal. It
// searches breadth first from every node with whole words, O(N³/64) at worst and
// far less on dense graphs. It returns an error wrapping parameter.Err where a row has
// another number of words or a node joins itself or none, and ctx's error.
func DescribeGraph(ctx context.Context, rows [][]uint64) (*GraphStatistics, error) {
	n := len(rows)
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	s := &GraphStatistics{Nodes: n, Degrees: make([]int, n)}
	for v, row := range rows {
		for _, w := range row {
			s.Degrees[v] += bits.OnesCount64(w)
		}
		s.Edges += s.Degrees[v]
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
		if least == start { // counted once, at its first node
			s.Components++
		}
	}
	if reached > 0 {
		s.MeanPath = length / reached
	}
	return s, nil
}

// checkRows wants n rows of n columns, with no ones on the diagonal or beyond.
func checkRows(rows [][]uint64) error {
	n := len(rows)
	words := (n + 63) / 64
	for v, row := range rows {
		if len(row) != words {
			return parameter.Errorf("row %d has %d words, want %d for %d nodes", v, len(row), words, n)
		}
		if row[v/64]>>(v%64)&1 != 0 {
			return parameter.Errorf("node %d joins itself", v)
		}
		if n%64 != 0 && row[words-1]>>(n%64) != 0 {
			return parameter.Errorf("row %d has an edge beyond the %d nodes", v, n)
		}
	}
	return nil
}

// expand sets next to the nodes in left with a neighbor in front, and returns
// their number: from the side with fewer nodes.
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

// degreeLaw returns the share of nodes with each degree, 0 to the number of
// nodes less one. It returns an error wrapping parameter.Err for another degree.
func degreeLaw(degrees []int) ([]float64, error) {
	law := make([]float64, len(degrees))
	for v, d := range degrees {
		if d < 0 || d >= len(degrees) {
			return nil, parameter.Errorf("node %d of %d has degree %d", v, len(degrees), d)
		}
		law[d] += 1 / float64(len(degrees))
	}
	return law, nil
}

// DegreeDivergence returns the Kullback–Leibler divergence of the degrees of one graph
// from those of another with as many nodes. Errors as those of degreeLaw and
// kullbackLeibler.
func DegreeDivergence(released, original []int, mix float64) (float64, error) {
	p, err := degreeLaw(released)
	if err != nil {
		return 0, err
	}
	q, err := degreeLaw(original)
	if err != nil {
		return 0, err
	}
	return kullbackLeibler(p, q, mix)
}

// kullbackLeibler returns Σ p ln(p/q) in nats with q mixed with the uniform law
// by the share mix, so that it is finite for mix > 0; at 0 it is +Inf where p
// has a value that q lacks. It returns an error wrapping parameter.Err where lengths
// differ or mix is not in [0, 1].
func kullbackLeibler(p, q []float64, mix float64) (float64, error) {
	if len(p) != len(q) {
		return 0, parameter.Errorf("laws on %d and %d values, want as many", len(p), len(q))
	}
	if err := parameter.Unit("mix", mix); err != nil {
		return 0, err
	}
	var s float64
	for k, v := range p {
		if v > 0 {
			s += v * math.Log(v/((1-mix)*q[k]+mix/float64(len(q))))
		}
	}
	return s, nil
}
