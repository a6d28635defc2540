package records

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// Graph is an undirected simple graph whose nodes are public. It is immutable.
type Graph struct {
	neighbors Neighbors
	from      []int   // the neighbors of node v are to[from[v]:from[v+1]], ascending
	to        []int32 // each edge in both directions
}

// mostNodes and mostEdges bound the size of a graph.
const (
	mostNodes = 1 << 26
	mostEdges = 1 << 27
)

// NewGraph returns the graph on nodes 0…nodes−1 with the given edges; neighbors are Edge or Node. It returns an
// error wrapping evidence.ErrParameter if there are fewer than two nodes, or if an edge is a loop, occurs twice in
// either direction, or has an end that is not a node.
func NewGraph(nodes int, edges [][2]int, neighbors Neighbors) (*Graph, error) {
	switch {
	case nodes < 2 || nodes > mostNodes:
		return nil, parameter.Bad("nodes", nodes, "2…%d", mostNodes)
	case len(edges) > mostEdges:
		return nil, parameter.Errorf("the graph has %d edges, want at most %d", len(edges), mostEdges)
	case neighbors != Edge && neighbors != Node:
		return nil, parameter.Bad("neighbors", string(neighbors), `"edge" or "node"`)
	}
	g := &Graph{neighbors: neighbors, from: make([]int, nodes+1), to: make([]int32, 2*len(edges))}
	for k, e := range edges {
		for _, v := range e {
			if v < 0 || v >= nodes {
				return nil, parameter.Errorf("edges[%d] = (%d, %d), want nodes from 0 to %d", k, e[0], e[1], nodes-1)
			}
			g.from[v+1]++
		}
		if e[0] == e[1] {
			return nil, parameter.Errorf("edges[%d] = (%d, %d) joins a node to itself, want a simple graph", k, e[0], e[1])
		}
	}
	for v := range nodes {
		g.from[v+1] += g.from[v]
	}
	next := slices.Clone(g.from)
	for _, e := range edges {
		g.to[next[e[0]]], g.to[next[e[1]]] = int32(e[1]), int32(e[0])
		next[e[0]]++
		next[e[1]]++
	}
	for v := range nodes {
		row := g.row(v)
		slices.Sort(row)
		for i := 1; i < len(row); i++ {
			if row[i] == row[i-1] {
				return nil, parameter.Errorf("edges has (%d, %d) twice, want a simple graph", min(v, int(row[i])), max(v, int(row[i])))
			}
		}
	}
	return g, nil
}

func (g *Graph) row(v int) []int32 { return g.to[g.from[v]:g.from[v+1]] }

func (g *Graph) degree(v int) int { return g.from[v+1] - g.from[v] }

func (g *Graph) joined(u, v int) bool {
	if g.degree(u) > g.degree(v) {
		u, v = v, u
	}
	_, ok := slices.BinarySearch(g.row(u), int32(v))
	return ok
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.from) - 1 }

// Len returns the number of edges.
func (g *Graph) Len() int { return len(g.to) / 2 }

// Neighbors returns which graphs are neighbors.
func (g *Graph) Neighbors() Neighbors { return g.neighbors }

// String gives the numbers of nodes and edges.
func (g *Graph) String() string {
	return fmt.Sprintf("a graph of %d nodes and %d edges", g.Nodes(), g.Len())
}

// degrees lists the degrees in descending order.
func (g *Graph) degrees() []int {
	out := lists.Of(g.Nodes(), g.degree)
	slices.SortFunc(out, func(a, b int) int { return b - a })
	return out
}

// whole returns n as a rational.
func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// binomial returns C(n, k), which is 0 for n < k.
func binomial(n, k int) *big.Int {
	if n < k || n < 0 {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

// query returns a query of the graph with integer values.
func (g *Graph) query(name string, value, lo, hi *big.Rat, again func(g *Graph) (*Query, error)) *Query {
	neighbors := g.neighbors
	return &Query{name: name + " of " + g.String(), value: value, rng: Range{lo, hi, big.NewRat(1, 1)}, neighbors: neighbors,
		again: builder{here: g.dataset, graph: func(nodes int, edges [][2]int) (*Query, error) {
			h, err := NewGraph(nodes, edges, neighbors)
			if err != nil {
				return nil, err
			}
			return again(h)
		}}}
}

// dataset lists the edges if the graph is so small that all graphs on its nodes can be listed. Otherwise it returns
// an empty dataset.
func (g *Graph) dataset() Dataset {
	if g.Nodes() > mostListedNodes {
		return Dataset{Nodes: g.Nodes()}
	}
	return g.listed()
}

// listed returns the dataset of the graph's edges.
func (g *Graph) listed() Dataset {
	d := Dataset{Nodes: g.Nodes()}
	for v := range d.Nodes {
		for _, w := range g.row(v) {
			if v < int(w) {
				d.Edges = append(d.Edges, [2]int{v, int(w)})
			}
		}
	}
	return d
}

// needsEdge returns an error if the graph has node neighbors.
func (g *Graph) needsEdge(what string) error {
	if g.neighbors == Node {
		return parameter.Bad("neighbors", string(g.neighbors), `"edge" for %s: under "node" there are bounds in polynomial time for edges, triangles, k_star and maximum_degree`, what)
	}
	return nil
}

// constant returns the function with I_t = v at every t.
func constant(v *big.Rat) func(t int) *big.Rat { return func(int) *big.Rat { return v } }

// always and atFirst are values of Query.attained: the bound I_t is attained at every t, or at t = 0 only.
func always(int) bool    { return true }
func atFirst(t int) bool { return t == 0 }

// Edges returns the query for the number of edges.
func (g *Graph) Edges() (*Query, error) {
	n := g.Nodes()
	q := g.query("edges", whole(g.Len()), new(big.Rat), new(big.Rat).SetInt(binomial(n, 2)), (*Graph).Edges)
	if g.neighbors == Edge {
		q.exact, q.ground = true, "a change is an edge"
		q.moves = func(t int) (up, down *big.Rat) { return whole(t), whole(t) }
		q.local, q.attained, q.global = constant(whole(1)), always, whole(1)
		return q, nil
	}
	d := g.degrees()
	down, up := make([]int64, n+1), make([]int64, n+1)
	for t := 1; t <= n; t++ {
		down[t] = down[t-1] + int64(d[t-1])
		up[t] = up[t-1] + int64(n-1-d[n-t])
	}
	q.graph, q.pattern = g, pattern{size: 2}
	q.ground = "t nodes lose at most the t largest degrees, and C(t − 1, 2) (docs/records.md)"
	q.moves = func(t int) (*big.Rat, *big.Rat) {
		t = min(t, n)
		more := int64(t-1) * int64(t-2) / 2
		sum := q.ladderSum(t)
		return least(big.NewRat(up[t]+more, 1), sum), least(big.NewRat(down[t]+more, 1), sum)
	}
	// One change can join a node to all others, and the next can remove all its edges.
	first, beyond := whole(max(d[0], n-1-d[n-1])), whole(n-1)
	q.local = func(t int) *big.Rat {
		if t <= 0 {
			return first
		}
		return beyond
	}
	q.attained, q.global = always, beyond
	return q, nil
}

// MaximumDegree returns the query for the largest degree.
func (g *Graph) MaximumDegree() (*Query, error) {
	n, d := g.Nodes(), g.degrees()
	q := g.query("maximum_degree", whole(d[0]), new(big.Rat), whole(n-1), (*Graph).MaximumDegree)
	lower := []int{0} // lower[t]: the most by which t changes can lower the degree
	if g.neighbors == Node {
		q.ground = "t nodes can be emptied, and take at most t from each of the others (docs/records.md)"
		for t := 1; t < n && lower[t-1] < d[0]; t++ {
			lower = append(lower, d[0]-max(d[t]-t, 0))
		}
		lower = append(lower, d[0])
		q.moves = func(t int) (up, down *big.Rat) { return nil, whole(lower[min(t, len(lower)-1)]) }
		q.local, q.global = constant(whole(n-1)), whole(n-1)
		return q, nil
	}
	q.ground = "an edge lowers one node's excess over r by at most 1, and the total excess by at most 2 (docs/records.md)"
	over, above := 0, 0 // Σ (d − r)⁺, and the number of nodes with d > r
	for r := d[0] - 1; r >= 0; r-- {
		for above < n && d[above] > r {
			above++
		}
		over += above
		t := max(d[0]-r, (over+1)/2)
		for len(lower) <= t {
			lower = append(lower, lower[len(lower)-1])
		}
		lower[t] = d[0] - r
	}
	q.moves = func(t int) (up, down *big.Rat) { return whole(t), whole(lower[min(t, len(lower)-1)]) }
	full := 0 // nodes joined to all others: if one edge contains all of them, removing it lowers the largest degree
	for full < n && d[full] == n-1 {
		full++
	}
	q.local, q.global = constant(whole(1)), whole(1)
	q.attained = func(t int) bool { return full <= 2+2*t }
	return q, nil
}

// Components returns the query for the number of connected components.
func (g *Graph) Components() (*Query, error) {
	if err := g.needsEdge("components"); err != nil {
		return nil, err
	}
	n := g.Nodes()
	count, bridge := g.parts()
	q := g.query("components", whole(count), whole(1), whole(n), (*Graph).Components)
	q.ground = "an edge joins or splits two components; without a bridge, removing the first edge splits none (docs/records.md)"
	q.moves = func(t int) (up, down *big.Rat) {
		if bridge {
			return whole(t), whole(t)
		}
		return whole(t - 1), whole(t)
	}
	q.local, q.global = constant(whole(1)), whole(1)
	if count > 1 || bridge {
		q.attained = always
	}
	return q, nil
}

// parts counts the components, and reports whether there is a bridge: an edge on no cycle.
func (g *Graph) parts() (count int, bridge bool) {
	n := g.Nodes()
	seen, low := make([]int32, n), make([]int32, n) // visiting order from 1, and the earliest node reachable (Tarjan 1974)
	type frame struct{ v, parent, next int }
	clock := int32(0)
	var stack []frame
	for s := range n {
		if seen[s] != 0 {
			continue
		}
		count++
		clock++
		seen[s], low[s] = clock, clock
		stack = append(stack, frame{s, -1, 0})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			row := g.row(f.v)
			if f.next < len(row) {
				w := int(row[f.next])
				f.next++
				switch {
				case w == f.parent:
				case seen[w] != 0:
					low[f.v] = min(low[f.v], seen[w])
				default:
					clock++
					seen[w], low[w] = clock, clock
					stack = append(stack, frame{w, f.v, 0})
				}
				continue
			}
			v, parent := f.v, f.parent
			stack = stack[:len(stack)-1]
			if parent >= 0 {
				low[parent] = min(low[parent], low[v])
				bridge = bridge || low[v] > seen[parent]
			}
		}
	}
	return count, bridge
}

// EdgesOf lists each edge of a graph once, given the packed rows of its adjacency matrix: bit v of row u is set if
// u and v are joined.
func EdgesOf(rows [][]uint64) [][2]int {
	var out [][2]int
	for u, row := range rows {
		for w, word := range row {
			for ; word != 0; word &= word - 1 {
				if v := 64*w + bits.TrailingZeros64(word); v > u {
					out = append(out, [2]int{u, v})
				}
			}
		}
	}
	return out
}
