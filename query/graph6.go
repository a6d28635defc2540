package query

import (
	"dpworkbench/internal/parameter"
)

// maxGraph6Nodes is the largest number of nodes that graph6 writes in one byte. ParseGraph6 does not read longer
// sizes.
const maxGraph6Nodes = 62

// Adjacency is a labelled simple graph on len(a) ≤ 62 nodes. Bit j of a[i] is set if i and j are adjacent.
type Adjacency []uint64

// ParseGraph6 parses a graph in graph6 format: a byte n+63, then the upper triangle column by column, x(0,1),
// x(0,2), x(1,2), x(0,3), …, six bits per byte plus 63, most significant first, padded with zeros. Source: B.
// McKay, Description of graph6, sparse6 and digraph6 encodings.
//
// It returns an error wrapping evidence.ErrParameter unless s is exactly one such graph on 0 to 62 nodes.
func ParseGraph6(s string) (Adjacency, error) {
	if s == "" {
		return nil, parameter.Errorf("graph6 is empty, want a size byte and the upper triangle")
	}
	for i := range len(s) {
		if s[i] < 63 || s[i] > 126 {
			return nil, parameter.Errorf("graph6 %q has byte %q at %d, want '?' to '~'", truncate(s), s[i], i)
		}
	}
	n := int(s[0]) - 63
	if n > maxGraph6Nodes {
		return nil, parameter.Errorf("graph6 %q has a long size, want 0 to %d nodes", truncate(s), maxGraph6Nodes)
	}
	size := n * (n - 1) / 2
	if want := 1 + (size+5)/6; len(s) != want {
		return nil, parameter.Errorf("graph6 %q has %d bytes, want %d for %d nodes", truncate(s), len(s), want, n)
	}
	bit := func(p int) uint64 { return uint64(s[1+p/6]-63) >> (5 - p%6) & 1 }
	a := make(Adjacency, n)
	p := 0
	for j := range n {
		for i := range j {
			x := bit(p)
			a[i] |= x << j
			a[j] |= x << i
			p++
		}
	}
	for ; p%6 != 0; p++ {
		if bit(p) != 0 {
			return nil, parameter.Errorf("graph6 %q has a padding bit set, want zeros", truncate(s))
		}
	}
	return a, nil
}

// Edges returns the edges {i, j}, i < j, in the order of graph6.
func (a Adjacency) Edges() [][2]int {
	edges := [][2]int{}
	for j, row := range a {
		for i := range j {
			if row>>i&1 != 0 {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}

// truncate shortens a string in an error message to 40 bytes.
func truncate(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
