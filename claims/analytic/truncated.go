package analytic

import (
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
)

// truncatedCase is a counting query on {0, …, n}, a radius and e^ε.
type truncatedCase struct {
	n, radius int
	base      int64
}

// layers returns the initial values of the δ-neighborhood mechanism.
func (c truncatedCase) layers() layerCase {
	l := layerCase{values: c.n + 1, base: c.base}
	for x := range c.n + 1 {
		row, ball := make([]int, c.n+1), []int(nil)
		for y := range row {
			d := max(x-y, y-x)
			if row[y] = 2 * d; d <= c.radius {
				ball = append(ball, y)
			}
		}
		l.distance, l.f = append(l.distance, row), append(l.f, x)
		l.sets = append(l.sets, map[int][]int{0: ball})
	}
	return l
}

// truncatedCounting states Corollary 5 for a counting query on {0, …, n}: the δ-neighborhood mechanism at decay ε is
// kε-DP.
func truncatedCounting(k int) check.Statement[truncatedCase] {
	rule := spreadBy(layers.Closure)
	loss := func(c truncatedCase) *big.Rat { l := c.layers(); return l.loss(rule(l)) }
	return check.Statement[truncatedCase]{
		Family: "counting on {0, …, n}, n ≤ 6, δ ≤ 3, e^ε in 2…4",
		Each: check.Grid(func(c *truncatedCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.n, 1, 6),
				check.Span(&c.radius, 0, 3),
				check.Span(&c.base, 2, 4),
			}
		}),
		Draw: func(rng *rand.Rand) truncatedCase {
			return truncatedCase{1 + rng.IntN(8), rng.IntN(4), 2 + rng.Int64N(9)}
		},
		Holds: func(c truncatedCase) bool { return c.layers().within(loss(c), k) },
		Witness: func(c truncatedCase) *check.Witness {
			edges := lists.Of(c.n, func(x int) [2]int { return [2]int{x, x + 1} })
			return check.NewWitness(check.Named("n", c.n, "delta", c.radius, "e^eps", c.base),
				check.Vars{"size": c.n + 1, "edges": edges, "base": c.base, "radius": c.radius},
				"m = delta_neighborhood(finite_query(range({size}), edges={edges}), ln({base}), {radius})", c.layers().lossReplay(k))
		},
		Measure: func(c truncatedCase) []check.Item {
			return []check.Item{{Label: "smallest epsilon", Number: evidence.ExactLog{Argument: loss(c), Side: evidence.Up, Provenance: evidence.From("largest log-ratio over all neighbors and values")}},
				{Label: "decay", Number: evidence.ExactLog{Argument: big.NewRat(c.base, 1), Side: evidence.Up, Provenance: evidence.From("Corollary 5")}}}
		},
	}
}
