package analytic

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/layers"
)

// generalMechanisms returns a statement about general mechanisms with values in layers 0…depth, or from the family
// wider. fails reports whether the statement's hypotheses hold for a mechanism. If the mechanism contradicts the
// statement, fails also returns the end of a replay script, otherwise "".
func generalMechanisms(depth int, named layers.Rule, wider wider, fails func(c layerCase) (replay string, applies bool)) check.Statement[layerCase] {
	return check.Statement[layerCase]{
		Family: fmt.Sprintf("value 0 in every R_0, value 1 in layer 0…%d of each of two datasets, e^ε in {2, 3}, or %s, e^ε = 2", depth, wider.name),
		Each:   check.Chain(generalCases(depth), wider.cases),
		Draw: func(rng *rand.Rand) layerCase {
			draw := func() layerCase {
				c := drawLayers(rng, false, depth)
				if rng.IntN(2) == 0 {
					c = drawAdjacent(rng, depth)
				}
				return c
			}
			return drawApplicable(draw, func(c layerCase) bool { _, applies := fails(c); return applies })
		},
		Decide: byFailure(fails),
		Witness: func(c layerCase) *check.Witness {
			failure, _ := fails(c)
			return c.witness(named, failure)
		},
	}
}

// wider is a family of general mechanisms on three to five datasets.
type wider struct {
	name  string
	cases iter.Seq[layerCase]
}

var (
	anySpread      = wider{"in layer 0…4 or none of each of three to five, as (33) may give them", spreadCases()}
	adjacentSpread = wider{"in layers 0…5 of three to five that differ by at most 1 at neighbors", adjacentCases()}
)

// spreadCases enumerates those initial values of three to five datasets that (33) can give. Value 0 is in every R_0^x,
// and value 1 in one of the layers 0…4 of each dataset or in none.
func spreadCases() iter.Seq[layerCase] {
	spaces := threeOrMore(slices.Concat(metrics, widerSpaces))
	return check.Keep(check.Map(labelled(spaces, 6), func(l labels) layerCase {
		c := layerCase{distance: l.distance, values: 2, f: make([]int, len(l.at)), base: 2}
		for x, i := range l.at {
			sets := map[int][]int{0: {0}}
			if i < 5 {
				sets[i] = append(sets[i], 1)
			}
			if c.sets = append(c.sets, sets); i == 0 && x > 0 {
				c.f[x] = 1
			}
		}
		return c
	}), layerCase.isGenuine)
}
