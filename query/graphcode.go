package query

import "math/bits"

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
