package signrp

import (
	"fmt"
	"slices"

	"dpworkbench/evidence"
)

// PPlusStatement states P₊ of Rademacher w.
type PPlusStatement struct {
	U    []float64
	Beta float64
}

// Says implements evidence.Statement.
func (s *PPlusStatement) Says() string {
	return fmt.Sprintf("P₊ of %d Rademacher signs at β = %g", len(s.U), s.Beta)
}

// EpsilonStatement states the smallest ε at δ = 0 of a release of flipped signs. It is the ε between U and V. If V is
// nil, it is the ε between U and its neighbors; if U is nil as well, it is the ε over all pairs of neighbors.
type EpsilonStatement struct {
	Of   *Release
	U, V []float64
}

// Says implements evidence.Statement.
func (s *EpsilonStatement) Says() string {
	switch {
	case s.V != nil:
		return "the smallest ε of " + s.Of.name + " between two vectors"
	case s.U != nil:
		return "the smallest ε of " + s.Of.name + " around a vector"
	}
	return "the smallest ε of " + s.Of.name + " over all neighbors"
}

// Flips tells how a release flips signs.
type Flips string

// FlipsAll flips every sign with one probability. FlipsLevels flips a sign with a probability that depends on its
// level, the number of moves that change it. FlipsWithin flips only the signs that one move can change.
const (
	FlipsAll    Flips = "flips"
	FlipsLevels Flips = "levels"
	FlipsWithin Flips = "within"
)

// Flips returns the rule of flipping, and the number of signs that share ε, which is 0 if it depends on the data.
func (s *EpsilonStatement) Flips() (rule Flips, shared int) {
	switch s.Of.rule {
	case individualRR:
		return FlipsWithin, 0
	case smoothSigns:
		rule = FlipsLevels
	default:
		rule = FlipsAll
	}
	switch {
	case s.Of.w == nil: // raw data has no signs
		return rule, 0
	case s.Of.w.kind == OPORP:
		return rule, 1
	}
	return rule, s.Of.w.k
}

// Eps returns the ε that the release is made for.
func (s *EpsilonStatement) Eps() evidence.Epsilon { return s.Of.eps }

// states returns the statement of ε at δ = 0. It is nil unless the release flips signs with an N₊ that does not
// depend on the data.
func (r *Release) states(u, v []float64) evidence.Statement {
	switch r.rule {
	case randomizedSigns, smoothSigns, individualRR:
		if !r.shared() {
			return &EpsilonStatement{r, slices.Clone(u), slices.Clone(v)}
		}
	}
	return nil
}
