package query

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Graphs is the universe of unlabeled simple graphs on n nodes, 1 ≤ n ≤ 10: the isomorphism classes. Neighbors
// differ by one edge. d̄ is the path metric, so d̄(x, y) is the least number of edges in which labellings of x and
// y differ.
//
// Classes are numbered 0 … Size()−1 by edges, then by their lexicographically least graph6 string. A class out of
// range panics. A Graphs is immutable and safe for concurrent use.
type Graphs struct {
	universe *graphUniverse
	space    *Space
}

// NewGraphs enumerates the graphs on n nodes and their neighbors, and reports its progress to ctx. For n = 10
// there are 12005168 classes and 247179594 pairs of neighbors, which take 0.75 GB.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ n ≤ 10, and the context's error.
func NewGraphs(ctx context.Context, n int) (*Graphs, error) {
	switch {
	case n < 1:
		return nil, parameter.Bad("n", n, "1 to %d", maxGraphNodes)
	case n == 11:
		return nil, parameter.Errorf("n = 11, want 1 to %d: the 1018997864 graphs on 11 nodes and their neighbors would take over 200 GB", maxGraphNodes)
	case n > maxGraphNodes:
		return nil, parameter.Bad("n", n, "1 to %d: there are 1018997864 graphs on 11 nodes", maxGraphNodes)
	}
	counts := graphCounts(n)
	universe, err := buildGraphs(ctx, n, counts, &splitMixHash, parallel.Count(ctx, graphWork(counts), ""))
	if err != nil {
		return nil, err
	}
	g := &Graphs{universe: universe, space: &Space{graphs: universe, levels: universe.first}}
	if n <= maxListedNodes {
		offsets, neighbors, err := universe.list(ctx)
		if err != nil {
			return nil, err
		}
		g.space = newPathSpace(offsets, neighbors)
		g.space.levels = universe.first
		universe.up, universe.down = nil, nil
	}
	g.space.name = func(x int) any { return g.Graph6(x) }
	g.space.find = func(name any) (int, error) {
		text, ok := name.(string)
		if !ok {
			return 0, parameter.Errorf("%s is not a graph, want a graph6 string", formatName(name))
		}
		return g.Index(text)
	}
	g.space.diameter = float64(n * (n - 1) / 2) // from the empty graph to the complete graph
	return g, nil
}

// maxListedNodes is the largest number of nodes for which the neighbor lists are not compressed.
const maxListedNodes = 9

// Count returns the query that counts the copies of a pattern, not necessarily induced. Its range is the set of
// attained counts. It returns errors as Counts does.
func (g *Graphs) Count(pattern string) (*Query, error) {
	counts, err := g.Counts(pattern)
	if err != nil {
		return nil, err
	}
	q, err := newCountQuery(fmt.Sprintf("%s count on %d nodes", pattern, g.universe.nodes), g.space, counts)
	if err == nil {
		q.graphs, q.pattern = g, pattern
	}
	return q, err
}

// Subgraphs returns the graphs and the pattern of a query made by Count. g is nil for any other query.
func (q *Query) Subgraphs() (g *Graphs, pattern string) { return q.graphs, q.pattern }

// Size returns the number of classes.
func (g *Graphs) Size() int { return len(g.universe.codes) }

// Nodes returns n.
func (g *Graphs) Nodes() int { return g.universe.nodes }

// Space returns the classes as a dataset metric space.
func (g *Graphs) Space() *Space { return g.space }

// EdgePairs returns the number of unordered neighboring pairs.
func (g *Graphs) EdgePairs() int64 { return g.space.Pairs() }

// Graph6 returns the lexicographically least graph6 string of class i.
func (g *Graphs) Graph6(i int) string {
	nodes := g.universe.nodes
	size := nodes * (nodes - 1) / 2
	s := make([]byte, 1+(size+5)/6)
	s[0] = byte(63 + nodes)
	code := g.universe.codes[i] << ((6 - size%6) % 6)
	for k := len(s) - 1; k > 0; k-- {
		s[k] = byte(63 + code&63)
		code >>= 6
	}
	return string(s)
}

// Index returns the class of a graph in graph6 format, in any labelling. It returns an error wrapping
// evidence.ErrParameter unless the string is a graph on n nodes.
func (g *Graphs) Index(graph6 string) (int, error) {
	a, err := ParseGraph6(graph6)
	if err != nil {
		return 0, err
	}
	if len(a) != g.universe.nodes {
		return 0, parameter.Errorf("graph6 %q has %d nodes, want %d", truncate(graph6), len(a), g.universe.nodes)
	}
	c := canonicalLabeller{nodes: len(a)}
	for v, row := range a {
		c.adj[v] = uint16(row)
	}
	edges := len(a.Edges())
	from, to := g.universe.first[edges], g.universe.first[edges+1]
	i, found := slices.BinarySearch(g.universe.codes[from:to], c.minCode())
	if !found {
		return 0, fmt.Errorf("graph6 %q is in none of the %d classes of this universe on %d nodes", truncate(graph6), g.Size(), g.universe.nodes)
	}
	return from + i, nil
}

// Edges returns the edges {i, j}, i < j, of class i with the labelling of Graph6, in the order of graph6.
func (g *Graphs) Edges(i int) [][2]int {
	nodes, code := g.universe.nodes, g.universe.codes[i]
	size := nodes * (nodes - 1) / 2
	edges := [][2]int{}
	for p, pair := range pairs[:size] {
		if code>>(size-1-p)&1 != 0 {
			edges = append(edges, [2]int{int(pair[0]), int(pair[1])})
		}
	}
	return edges
}

// Automorphisms returns the order of the automorphism group of class i: n! divided by the number of labelled
// graphs of the class.
func (g *Graphs) Automorphisms(i int) uint64 {
	var c canonicalLabeller
	c.load(g.universe.nodes, g.universe.codes[i])
	c.minCode()
	return c.labellings()
}

// MaxDegree returns the maximum degree of class i.
func (g *Graphs) MaxDegree(i int) int {
	most := 0
	adj := decode(g.universe.nodes, g.universe.codes[i])
	for _, row := range adj[:g.universe.nodes] {
		most = max(most, bits.OnesCount16(row))
	}
	return most
}
