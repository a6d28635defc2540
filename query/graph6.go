package query

import (
	"math/bits"

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
		return nil, parameter.Errorf("graph6 %q begins with the mark of a larger graph, want 0 to %d nodes", truncate(s), maxGraph6Nodes)
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

// maxGraphNodes is the largest number of nodes of the universe of graphs.
const maxGraphNodes = 10

// graphCode is a labelled graph as an integer: the upper triangle column by column, x(0,1), x(0,2), x(1,2),
// x(0,3), …, most significant bit first. For a fixed number of nodes, codes have the same order as graph6 strings.
type graphCode = uint64

// decode returns the neighbors of each node, as sets, of the graph with the given code.
//
// The reversed code has the smaller neighbors of each node as consecutive bits. To find the larger neighbors
// without a loop over edges, five rows of 12 bits share a word. The product puts a copy of bit i at 12i, and the
// mask removes its other copies at i + 11k. These positions are distinct, so nothing carries.
func decode(nodes int, code graphCode) (adj [16]uint16) {
	const (
		copies = 1 | 1<<11 | 1<<22 | 1<<33 | 1<<44
		mask   = 1 | 1<<12 | 1<<24 | 1<<36 | 1<<48
		row    = 1<<maxGraphNodes - 1
	)
	columns := bits.Reverse64(code) >> (64 - nodes*(nodes-1)/2)
	var larger [2]uint64
	for v := range nodes {
		smaller := columns & (1<<v - 1)
		columns >>= v
		adj[v&15] = uint16(smaller)
		larger[0] |= ((smaller & 31) * copies & mask) << v
		larger[1] |= ((smaller >> 5) * copies & mask) << v
	}
	for v := range nodes {
		adj[v&15] |= uint16(larger[v/5]>>(12*(v%5))) & row
	}
	return adj
}

// pairs lists the pairs {i, j}, i < j, in the order of the code.
var pairs = func() (p [maxGraphNodes * (maxGraphNodes - 1) / 2][2]uint8) {
	k := 0
	for j := range uint8(maxGraphNodes) {
		for i := range j {
			p[k] = [2]uint8{i, j}
			k++
		}
	}
	return p
}()
