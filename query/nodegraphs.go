package query

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dpworkbench/internal/parameter"
)

// NodeGraphs is the universe of unlabeled simple graphs on at most n nodes, 1 ≤ n ≤ 8, the
// empty one included, under node neighbors: two are neighbors where one is the other
// without a node and its edges (Hay et al. 2009; Kasiviswanathan et al. 2013). d̄ is the
// path metric.
//
// Datasets are ordered by nodes, then as in Graphs, and called by their graph6 strings. A
// NodeGraphs is read-only. A dataset out of range panics, as an index of a slice does.
type NodeGraphs struct {
	each  []*Graphs // on 1 … n nodes
	first []int     // where those on k nodes begin
	space *Space
}

// mostNodeGraphs is the most nodes: on 9 there are 274668 graphs more.
const mostNodeGraphs = 8

// NewNodeGraphs enumerates the graphs on at most n nodes. It returns an error wrapping
// evidence.ErrParameter unless 1 ≤ n ≤ 8, and ctx's error where that ends first.
func NewNodeGraphs(ctx context.Context, n int) (*NodeGraphs, error) {
	if n < 1 || n > mostNodeGraphs {
		return nil, parameter.Bad("n", n, "1 to %d under node neighbors", mostNodeGraphs)
	}
	u := &NodeGraphs{first: []int{0, 1}}
	for k := 1; k <= n; k++ {
		g, err := NewGraphs(ctx, k)
		if err != nil {
			return nil, err
		}
		u.each = append(u.each, g)
		u.first = append(u.first, u.first[k]+g.Size())
	}
	rows := make([][]int32, u.first[n+1])
	for k := 1; k <= n; k++ {
		for i := range u.each[k-1].Size() {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			x := u.first[k] + i
			adj := decode(k, u.each[k-1].universe.codes[i])
			for v := range k {
				y := 0
				if k > 1 {
					found, err := u.each[k-2].find(without1(adj, k, v))
					if err != nil {
						return nil, err
					}
					y = u.first[k-1] + found
				}
				rows[x] = append(rows[x], int32(y))
				rows[y] = append(rows[y], int32(x))
			}
		}
	}
	u.space = newPathSpace(compress(rows))
	u.space.name = func(x int) any { return u.Graph6(x) }
	u.space.find = func(name any) (int, error) {
		text, ok := name.(string)
		if !ok {
			return 0, parameter.Errorf("%s is no graph, want its graph6 string", nameText(name))
		}
		return u.Index(text)
	}
	return u, nil
}

// without1 is the graph without node v.
func without1(adj [16]uint16, nodes, v int) (c canonizer) {
	c.nodes = nodes - 1
	low := uint16(1)<<v - 1
	for i, k := 0, 0; i < nodes; i++ {
		if i != v {
			c.adj[k] = adj[i]&low | adj[i]>>1&^low
			k++
		}
	}
	return c
}

// find returns the class of the graph in c.
func (g *Graphs) find(c canonizer) (int, error) {
	edges := 0
	for _, row := range c.adj[:c.nodes] {
		edges += bits.OnesCount16(row)
	}
	edges /= 2
	from, to := g.universe.first[edges], g.universe.first[edges+1]
	i, found := slices.BinarySearch(g.universe.codes[from:to], c.least())
	if !found {
		return 0, fmt.Errorf("a graph of %d edges is in no class of the %d that were found on %d nodes", edges, g.Size(), g.universe.nodes)
	}
	return from + i, nil
}

// at returns the universe of dataset x, nil for the empty graph, and its place there.
func (u *NodeGraphs) at(x int) (*Graphs, int) {
	if x == 0 {
		return nil, 0
	}
	k := 1
	for x >= u.first[k+1] {
		k++
	}
	return u.each[k-1], x - u.first[k]
}

// Size returns the number of datasets.
func (u *NodeGraphs) Size() int { return u.first[len(u.first)-1] }

// Nodes returns the largest number of nodes.
func (u *NodeGraphs) Nodes() int { return len(u.each) }

// NodesOf returns the number of nodes of dataset x.
func (u *NodeGraphs) NodesOf(x int) int {
	if g, _ := u.at(x); g != nil {
		return g.Nodes()
	}
	return 0
}

// Space returns the datasets as a metric space.
func (u *NodeGraphs) Space() *Space { return u.space }

// Graph6 returns the least graph6 string of dataset x, "?" for the empty graph.
func (u *NodeGraphs) Graph6(x int) string {
	g, i := u.at(x)
	if g == nil {
		return "?"
	}
	return g.Graph6(i)
}

// Index returns the dataset of a graph in graph6 format, in any labelling. It returns an
// error wrapping evidence.ErrParameter where that is malformed or has more than n nodes.
func (u *NodeGraphs) Index(graph6 string) (int, error) {
	a, err := ParseGraph6(graph6)
	switch {
	case err != nil:
		return 0, err
	case len(a) > len(u.each):
		return 0, parameter.Errorf("graph6 %q has %d nodes, want at most %d", shortened(graph6), len(a), len(u.each))
	case len(a) == 0:
		return 0, nil
	}
	i, err := u.each[len(a)-1].Index(graph6)
	return u.first[len(a)] + i, err
}

// Edges returns the edges of dataset x, as Graph6 labels it.
func (u *NodeGraphs) Edges(x int) [][2]int {
	g, i := u.at(x)
	if g == nil {
		return [][2]int{}
	}
	return g.Edges(i)
}

// MaxDegree returns the largest degree of a node of dataset x.
func (u *NodeGraphs) MaxDegree(x int) int {
	g, i := u.at(x)
	if g == nil {
		return 0
	}
	return g.MaxDegree(i)
}

// MaxDegree returns the largest degree of a node of class i.
func (g *Graphs) MaxDegree(i int) int {
	most := 0
	adj := decode(g.universe.nodes, g.universe.codes[i])
	for _, row := range adj[:g.universe.nodes] {
		most = max(most, bits.OnesCount16(row))
	}
	return most
}

// Count returns the query that counts the copies of a pattern, as Graphs.Count.
func (u *NodeGraphs) Count(pattern string) (*Query, error) {
	values := make([]float64, 1, u.Size())
	for _, g := range u.each {
		counts, err := g.Counts(pattern)
		if err != nil {
			return nil, err
		}
		for _, c := range counts {
			values = append(values, float64(c))
		}
	}
	q, err := NewNumeric(fmt.Sprintf("%s count on at most %d nodes", pattern, len(u.each)), u.space, values, nil)
	if err == nil {
		q.nodeGraphs, q.pattern = u, pattern
	}
	return q, err
}

// NodeSubgraphs returns the graphs and the pattern of a query that NodeGraphs.Count made; u is nil for any other.
func (q *Query) NodeSubgraphs() (u *NodeGraphs, pattern string) { return q.nodeGraphs, q.pattern }

// Copies returns the copies of a pattern in dataset x by the nodes that they cover: sets of
// nodes, as bits, and how many copies cover each. The pattern is one that Count takes.
func (u *NodeGraphs) Copies(x int, pattern string) (sets []uint16, times []int) {
	g, i := u.at(x)
	if g == nil {
		return nil, nil
	}
	size, in := patternCopies(pattern)
	nodes := g.universe.nodes
	adj := decode(nodes, g.universe.codes[i])
	for s := uint16(0); s < 1<<nodes; s++ {
		if bits.OnesCount16(s) != size {
			continue
		}
		if n := in(&adj, s); n > 0 {
			sets, times = append(sets, s), append(times, n)
		}
	}
	return sets, times
}

// patternCopies returns the nodes of a pattern, and how many copies cover just a set of so many.
func patternCopies(pattern string) (size int, in func(adj *[16]uint16, s uint16) int) {
	degrees := func(adj *[16]uint16, s uint16) (of []int) {
		for r := s; r != 0; r &= r - 1 {
			of = append(of, bits.OnesCount16(adj[bits.TrailingZeros16(r)&15]&s))
		}
		return of
	}
	stars := func(leaves int) func(adj *[16]uint16, s uint16) int {
		return func(adj *[16]uint16, s uint16) (n int) {
			for _, d := range degrees(adj, s) {
				n += choose(d, leaves)
			}
			return n
		}
	}
	complete := func(size int) func(adj *[16]uint16, s uint16) int {
		return func(adj *[16]uint16, s uint16) int {
			if slices.Min(degrees(adj, s)) == size-1 {
				return 1
			}
			return 0
		}
	}
	switch pattern {
	case "edge":
		return 2, complete(2)
	case "triangle":
		return 3, complete(3)
	case "2-star":
		return 3, stars(2)
	case "3-star":
		return 4, stars(3)
	case "4-clique":
		return 4, complete(4)
	}
	return 4, func(adj *[16]uint16, s uint16) (twice int) { // a 4-cycle by its diagonals
		for r := s; r != 0; r &= r - 1 {
			v := bits.TrailingZeros16(r) & 15
			for w := range v {
				if s>>w&1 != 0 {
					k := bits.OnesCount16(adj[v] & adj[w] & s)
					twice += k * (k - 1) / 2
				}
			}
		}
		return twice / 2
	}
}

// StandIn returns a query of the same datasets with other values, numbers under |a − b|:
// one that is to be answered in place of q, and against which errors may be measured.
func (q *Query) StandIn(name string, values []Value) (*Query, error) {
	s, err := New(name, q.space, values, nil, ValueMetric{})
	if err == nil {
		s.of = q
	}
	return s, err
}

// StandsFor returns the query in whose place this one is answered, nil where there is none.
func (q *Query) StandsFor() *Query { return q.of }

// Ceiling returns ⌈d̄(x, y)⌉ for every y, −1 where no path joins them: distances as layers
// count them.
func (s *Space) Ceiling(x int) []int {
	d := s.Distances(x)
	out := make([]int, len(d))
	for y, v := range d {
		out[y] = -1
		if !math.IsInf(v, 1) && v <= MaxLayer {
			out[y] = int(math.Ceil(v))
		}
	}
	return out
}
