package query

import (
	"dpworkbench/internal/parameter"
)

// Relation says which datasets are neighbors, by the word that scripts use for it; "" is none of those below.
type Relation string

const (
	// AddRemove neighbors differ by one record that one of them lacks ("unbounded" in the literature).
	AddRemove Relation = "add_remove"
	// Replace neighbors differ by one record that is another; their number is public ("bounded").
	Replace Relation = "replace"
	// Edge neighbors are graphs on the same nodes that differ by one edge.
	Edge Relation = "edge"
	// Node neighbors are graphs that differ in the edges of one node.
	Node Relation = "node"
	// Bits neighbors are matrices of bits that differ in one bit.
	Bits Relation = "bits"
	// Row neighbors are matrices that differ in one row.
	Row Relation = "row"
	// Local neighbors are any two data of one person, who randomizes them alone.
	Local Relation = "local"
	// Any is that of a pair of laws which is the pair of any two neighbors, whatever these are.
	Any Relation = "any"
)

// ParseRelation returns the relation of a word, "unbounded" and "bounded" among them. It returns an error wrapping
// evidence.ErrParameter for any other.
func ParseRelation(word string) (Relation, error) {
	switch r := Relation(word); r {
	case "unbounded":
		return AddRemove, nil
	case "bounded":
		return Replace, nil
	case AddRemove, Replace, Edge, Node, Bits, Row, Local, Any:
		return r, nil
	}
	return "", parameter.Bad("neighbors", word, `"add_remove" (also "unbounded"), "replace" ("bounded"), "edge", "node", "bits", "row" or "local"`)
}

// Steps returns how many steps between neighbors of r lead from a dataset to any neighbor of another relation, and false where no number
// is enough for all: replacing a record removes one and adds one, an edge is among the edges of its node, a bit in its row, and a replaced
// record one person's data.
func (r Relation) Steps(of Relation) (int, bool) {
	switch {
	case r == of || r == Any:
		return 1, true
	case r == AddRemove && of == Replace:
		return 2, true
	case r == Node && of == Edge, r == Row && of == Bits, r == Local && of == Replace:
		return 1, true
	}
	return 0, false
}
