package learn

import (
	"context"
	"math"
	"math/bits"
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
// far less on dense graphs. It returns ctx's error.
func DescribeGraph(ctx context.Context, rows [][]uint64) (*GraphStatistics, error) {
	n := len(rows)
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

// DegreeLaw returns the share of nodes with each degree, 0 to the number of
// nodes less one.
func DegreeLaw(degrees []int) []float64 {
	law := make([]float64, len(degrees))
	for _, d := range degrees {
		law[d] += 1 / float64(len(degrees))
	}
	return law
}

// KullbackLeibler returns Σ p ln(p/q) in nats with q mixed with the uniform law
// by the share mix, so that it is finite for mix > 0; at 0 it is +Inf where p
// has a value that q lacks. It panics where lengths differ.
func KullbackLeibler(p, q []float64, mix float64) float64 {
	if len(p) != len(q) {
		panic("learn: laws on different numbers of values")
	}
	var s float64
	for k, v := range p {
		if v > 0 {
			s += v * math.Log(v/((1-mix)*q[k]+mix/float64(len(q))))
		}
	}
	return s
}
