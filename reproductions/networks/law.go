package networks

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// mostLawNodes is the largest number of nodes for which Law lists the law of the released graph: 64 graphs, each with
// 64 probabilities.
const mostLawNodes = 4

// labelled returns the identity query on all graphs on n numbered nodes, with neighbors that differ in one edge. Values
// are sets of edges, and their distance is the number of pairs that differ.
func labelled(n int) (*query.Query, error) {
	if n < 2 || n > mostLawNodes {
		return nil, parameter.Bad("nodes", n, "2 to %d", mostLawNodes)
	}
	pairs := pairsOf(n)
	size := 1 << len(pairs)
	values := make([]query.Value, size)
	far := make([][]float64, size)
	var edges [][2]int
	for code := range size {
		values[code] = query.Name(edgeText(pairs, code))
		far[code] = make([]float64, size)
		for other := range far[code] {
			far[code][other] = float64(bits.OnesCount(uint(code ^ other)))
		}
		for k := range pairs {
			if code>>k&1 == 0 {
				edges = append(edges, [2]int{code, code | 1<<k})
			}
		}
	}
	space, err := query.NewPathSpace(size, edges)
	if err != nil {
		return nil, err
	}
	return query.New("the graph", space, values, nil, query.ValueMetric{Matrix: far})
}

// codeOf returns the code of the graph with the given edges.
func codeOf(pairs [][2]int, edges [][2]int) int {
	code := 0
	for _, e := range edges {
		for k, f := range pairs {
			if e == f {
				code |= 1 << k
			}
		}
	}
	return code
}

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4, without decoys, by
// enumerating all noisy degrees. The probabilities are certified: computed in float64 with their rounding error.
func (p *PBCN) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	return lawOf(ctx, p, n, p.released)
}

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4, by enumerating all reports
// of both rounds. Nodes are assigned to the initial groups by number, and each round has at most two groups. The
// probabilities are certified: computed in float64 with their rounding error.
func (l *LDPGen) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	return lawOf(ctx, l, n, l.released)
}

func lawOf(ctx context.Context, of Rival, n int, visit func(ctx context.Context, n int) (*released, error)) (mechanism.Mechanism, error) {
	q, err := labelled(n)
	if err != nil {
		return nil, err
	}
	r, err := visit(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	rows := make([][]interval.Interval, len(r.class))
	for code, c := range r.class {
		for _, p := range r.law[c] {
			rows[code] = append(rows[code], interval.Float(p).Mul(interval.Between(1-lawError, 1+lawError)))
		}
	}
	table, err := mechanism.NewEnclosedTable(mechanism.Info{Name: of.Name(), Query: q, Claimed: of.Guarantee().Epsilon}, rows, nil, nil)
	if err != nil {
		return nil, err // a nil *Table would be a mechanism that is not nil
	}
	return table, nil
}

// bytesOf returns a map key for small numbers.
func bytesOf(values []int) string {
	out := lists.Of(len(values), func(i int) byte { return byte(values[i]) })
	return string(out)
}

// Relation defines which graphs are neighbors.
type Relation = query.Relation

const (
	// Edge neighbors differ in one edge, as in the comparison.
	Edge = query.Edge
	// LocalEdge neighbors differ in one bit of one node's list of neighbors. An edge is in the lists of both its ends.
	LocalEdge Relation = "edge local"
)

// Guarantee is the claim of a competitor's paper.
type Guarantee struct {
	Epsilon   evidence.Claimed
	Neighbors Relation
	Source    string
}

// Rival is a mechanism that releases a graph.
type Rival interface {
	// Name returns the mechanism's name with its options.
	Name() string
	// Guarantee returns the claim of its paper.
	Guarantee() Guarantee
	// Release draws a graph with as many nodes as g (PBCN adds its decoys). The mechanism's noise is exact, given a
	// source of fair bits. It returns an error wrapping evidence.ErrParameter if g is not a simple graph, and ctx's
	// error.
	Release(ctx context.Context, g *xor.Bits, src rand.Source) (*xor.Bits, error)
	// Truncated returns the number of nodes whose degree exceeds the bound, 0 without a bound.
	Truncated(g *xor.Bits) (int, error)
	// Measured returns the privacy of the noisy measurements over all graphs with n ≥ 2 nodes. The released graph is
	// computed from them, so this is an upper bound for it.
	Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error)
}

// promise returns the claim of ε-privacy for the given neighbors.
func promise(eps evidence.Epsilon, of Relation, source string) Guarantee {
	return Guarantee{evidence.Claimed{Value: eps.Enclosure().Mid(), Epsilon: eps, Provenance: evidence.From(source)}, of, source}
}
