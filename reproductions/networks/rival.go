package networks

import (
	"context"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// Relation says which graphs are neighbors.
type Relation = query.Relation

const (
	// Edge neighbors differ in one edge: what the comparison asks of all.
	Edge = query.Edge
	// LocalEdge neighbors differ in one bit of one node's own list of neighbors: an edge
	// is in the lists of both its ends.
	LocalEdge Relation = "edge local"
)

// Guarantee is what the paper of a rival claims.
type Guarantee struct {
	Epsilon   evidence.Claimed
	Neighbors Relation
	Source    string
}

// Rival is a mechanism that releases a graph.
type Rival interface {
	// Name says which it is, with its options.
	Name() string
	// Guarantee returns what its paper claims.
	Guarantee() Guarantee
	// Release draws a graph with as many nodes (PBCN adds its decoys): the exact noise of
	// the mechanism, given a source of fair bits. It returns an error wrapping
	// evidence.ErrParameter where g is no simple graph, and ctx's error.
	Release(ctx context.Context, g *xor.Bits, src rand.Source) (*xor.Bits, error)
	// Truncated returns how many nodes of a graph have a degree above the bound, 0
	// where there is none.
	Truncated(g *xor.Bits) (int, error)
	// Measured returns the privacy of what is measured of all graphs with n nodes, n ≥ 2,
	// of which whatever is released is made: an upper bound of the released graph's.
	Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error)
}

// promise is a guarantee for neighbors that differ in one edge.
func promise(eps evidence.Epsilon, of Relation, source string) Guarantee {
	return Guarantee{evidence.Claimed{Value: eps.Enclosure().Mid(), Epsilon: eps, Provenance: evidence.From(source)}, of, source}
}
