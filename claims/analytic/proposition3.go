package analytic

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/layers"
)

// doublePrivacy states Proposition 3: the layers that a rule computes from initial values are 2ε-differentially
// private. The initial values are arbitrary, or those of basic mechanisms. Two kinds of instances do not count: those
// in which some dataset does not reach some value, because an infinite loss would refute the statement trivially, and
// those without neighbors.
func doublePrivacy(rule spreadRule, named layers.Rule, basic bool) check.Statement[layerCase] {
	deep := 8
	if basic {
		deep = 0
	}
	s := check.Statement[layerCase]{
		Draw: func(rng *rand.Rand) layerCase {
			return drawApplicable(func() layerCase { return drawLayers(rng, false, deep) },
				func(c layerCase) bool { return hasNeighbors(c.distance) && complete(rule(c)) })
		},
		Decide: func(c layerCase) (holds, counts bool) {
			level := rule(c)
			if !complete(level) || !hasNeighbors(c.distance) {
				return true, false
			}
			return c.within(c.loss(level), 2), true
		},
		Witness: func(c layerCase) *check.Witness { return c.witness(named, c.lossReplay(2)) },
		Measure: func(c layerCase) []check.Item {
			return []check.Item{{Label: "smallest epsilon", Number: evidence.ExactLog{Argument: c.loss(rule(c)), Side: evidence.Up, Provenance: evidence.From("largest log-ratio over all neighbors and values")}},
				{Label: "2·decay", Number: evidence.ExactLog{Argument: big.NewRat(c.base*c.base, 1), Side: evidence.Up, Provenance: evidence.From("Proposition 3")}}}
		},
	}
	s.Family, s.Each = "two datasets, value 0 in R_0, value 1 in layer 0…8 of each, e^ε in {2, 3}", generalCases(deep)
	if basic {
		s.Family, s.Each = "R_0^x of one or two of two values, on ten metrics", basicCases(false)
	}
	return s
}

// complete reports whether every dataset reaches every value.
func complete(level [][]int) bool {
	for _, row := range level {
		for _, l := range row {
			if l < 0 {
				return false
			}
		}
	}
	return level != nil
}

// crowdedNeighbors reports how close the smallest ε of a basic mechanism comes to 2ε. At e^ε = 2, R_0^x has one value
// and R_0^{x'} a thousand others, for two neighbors x and x'.
func crowdedNeighbors(context.Context) []check.Item {
	const n = 1000
	c := layerCase{distance: metrics[0], values: n + 1, f: []int{0, 1}, sets: []map[int][]int{{0: {0}}, {0: check.Counting(n + 1)[1:]}}, base: 2}
	return []check.Item{{
		Label:  fmt.Sprintf("smallest epsilon at decay ln(2), |R_0| = 1 and %d at two neighbors", n),
		Number: evidence.ExactLog{Argument: c.loss(spreadBy(layers.Published)(c)), Side: evidence.Up, Provenance: evidence.From("Proposition 3, against 2ε = ln(4)")},
	}}
}

// privacyChecks returns the checks of Proposition 3.
func privacyChecks() check.Checks {
	printed, closure := spreadBy(layers.Published), spreadBy(layers.Closure)
	return check.Checks{
		"analytic.proposition3":       check.WithCorrection(applicable(1, doublePrivacy(printed, layers.Published, false)), applicable(300, doublePrivacy(closure, layers.Closure, false))),
		"analytic.proposition3.basic": check.Loose(applicable(200, doublePrivacy(printed, layers.Published, true)), crowdedNeighbors),
	}
}
