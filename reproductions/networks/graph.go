package networks

import (
	"math/bits"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/xor"
)

// graph is a simple graph as ascending lists of neighbors.
type graph struct {
	near [][]int
}

// readGraph checks that a matrix is a simple graph. It returns an error wrapping evidence.ErrParameter if there are no
// nodes, or the matrix is not square, not symmetric, or has a loop.
func readGraph(g *xor.Bits) (*graph, error) {
	n, p := g.Shape()
	if n == 0 {
		return nil, parameter.Errorf("the graph has no nodes, want at least 1")
	}
	if n != p {
		return nil, parameter.Errorf("the adjacency matrix is %d × %d, want a square one", n, p)
	}
	out := &graph{near: make([][]int, n)}
	for u := range n {
		if g.At(u, u) {
			return nil, parameter.Errorf("node %d has a loop, want a graph without loops", u)
		}
		for k, w := range g.Row(u) {
			for ; w != 0; w &= w - 1 {
				v := 64*k + bits.TrailingZeros64(w)
				if !g.At(v, u) {
					return nil, parameter.Errorf("entry (%d, %d) of the adjacency matrix is 1 and (%d, %d) is 0, want a symmetric one", u, v, v, u)
				}
				out.near[u] = append(out.near[u], v)
			}
		}
	}
	return out, nil
}

func (g *graph) nodes() int { return len(g.near) }

func (g *graph) degree(u int) int { return len(g.near[u]) }

// degrees returns the degree of every node.
func (g *graph) degrees() []int {
	return lists.Of(g.nodes(), func(u int) int { return g.degree(u) })
}

// most returns the largest degree.
func (g *graph) most() int {
	most := 0
	for u := range g.near {
		most = max(most, g.degree(u))
	}
	return most
}

// join joins two nodes of a matrix.
func join(g *xor.Bits, u, v int) {
	g.Set(u, v, true)
	g.Set(v, u, true)
}

// pairsOf returns the pairs of n nodes. Pair k belongs to bit k of the code of a graph.
func pairsOf(n int) [][2]int {
	var out [][2]int
	for u := range n {
		for v := u + 1; v < n; v++ {
			out = append(out, [2]int{u, v})
		}
	}
	return out
}

// decoded returns the graph of a code, whose bit k says whether pair k is an edge.
func decoded(n int, pairs [][2]int, code int) *graph {
	g := &graph{near: make([][]int, n)}
	for k, e := range pairs { // ordered by the smaller node, so the lists are ascending
		if code>>k&1 == 1 {
			g.near[e[0]], g.near[e[1]] = append(g.near[e[0]], e[1]), append(g.near[e[1]], e[0])
		}
	}
	return g
}
