package query

import (
	"dpworkbench/internal/parameter"
)

// Relation is a neighbor relation, given by its name in scripts. The empty string stands for a relation that is not
// listed here.
type Relation string

const (
	// AddRemove neighbors differ by adding or removing one record ("unbounded").
	AddRemove Relation = "add_remove"
	// Replace neighbors differ by replacing one record; the number of records is public ("bounded").
	Replace Relation = "replace"
	// ReplaceSpecial neighbors differ in one record, which is replaced by a special record in one of them ("zero-out").
	// The special record adds nothing to a sum, and randomized response reveals nothing about it.
	ReplaceSpecial Relation = "replace_special"
	// Edge neighbors are graphs on the same nodes that differ by one edge.
	Edge Relation = "edge"
	// Node neighbors are graphs that differ in the edges of one node.
	Node Relation = "node"
	// Bits neighbors are bit matrices that differ in one bit.
	Bits Relation = "bits"
	// Row neighbors are matrices that differ in one row.
	Row Relation = "row"
	// Local neighbors are any two values of one user (local differential privacy).
	Local Relation = "local"
	// Any is the relation of a given pair of output distributions. It stands for all neighbors under any relation.
	Any Relation = "any"
)

// ParseRelation returns the relation with the given name; "unbounded" means AddRemove and "bounded" Replace. It
// returns an error wrapping evidence.ErrParameter for any other name.
func ParseRelation(word string) (Relation, error) {
	switch r := Relation(word); r {
	case "unbounded":
		return AddRemove, nil
	case "bounded":
		return Replace, nil
	case AddRemove, Replace, ReplaceSpecial, Edge, Node, Bits, Row, Local, Any:
		return r, nil
	}
	return "", parameter.Bad("neighbors", word, `"add_remove" (also "unbounded"), "replace" ("bounded"), "replace_special", "edge", "node", "bits", "row" or "local"`)
}

// Steps returns the number of steps between neighbors under r that lead from any dataset to any neighbor under the
// relation of, and false if no number suffices in general. A replacement is a removal and an addition, or two
// replacements by the special record. An edge is an edge of its node, a bit is a bit of its row, and a replacement is a
// change of one user's value.
func (r Relation) Steps(of Relation) (int, bool) {
	switch {
	case r == of || r == Any:
		return 1, true
	case (r == AddRemove || r == ReplaceSpecial) && of == Replace:
		return 2, true
	case r == Node && of == Edge, r == Row && of == Bits, r == Local && of == Replace:
		return 1, true
	}
	return 0, false
}
