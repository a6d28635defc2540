package analytic

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// normProductCase is a norm N(a, b) = α|a − b| + β|a + b| on ℝ² and three points of a
// product of two lines.
type normProductCase struct {
	alpha, beta int
	points      [3][2]int
}

// norm is N of the distances of two points in the two lines.
func (c normProductCase) norm(p, q [2]int) int {
	a, b := max(p[0]-q[0], q[0]-p[0]), max(p[1]-q[1], q[1]-p[1])
	return c.alpha*max(a-b, b-a) + c.beta*(a+b)
}

// productMetric is Definition 6: N(d_1, d_2) satisfies the triangle inequality on the
// product. allowed restricts the norms.
func productMetric(allowed func(c normProductCase) bool) check.Statement[normProductCase] {
	return check.Statement[normProductCase]{
		Family: "N = α|a − b| + β|a + b| with α in 0…3 and β in 1…3, points of {0, 1, 2}²",
		Each: check.Grid(func(c *normProductCase) []check.Axis {
			var v []int
			return []check.Axis{
				check.Span(&c.beta, 1, 3),
				check.Span(&c.alpha, 0, 3),
				check.From(&v, check.Words(3, 6)),
				check.Let(func() { c.points = [3][2]int{{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}} }),
			}
		}),
		Draw: func(rng *rand.Rand) normProductCase {
			c := normProductCase{alpha: rng.IntN(20), beta: 1 + rng.IntN(20)}
			for i := range c.points {
				c.points[i] = [2]int{rng.IntN(9), rng.IntN(9)}
			}
			return c
		},
		Holds: func(c normProductCase) bool {
			p := c.points
			return !allowed(c) || c.norm(p[0], p[2]) <= c.norm(p[0], p[1])+c.norm(p[1], p[2])
		},
		Witness: func(c normProductCase) *check.Witness {
			p := c.points
			return check.NewWitness(check.Named("N(a, b)", fmt.Sprintf("%d|a - b| + %d|a + b|", c.alpha, c.beta), "points", check.Pairs(p[:])),
				check.Vars{"alpha": c.alpha, "beta": c.beta, "p": p[:]},
				"n = lambda p, q: {alpha} * abs(abs(p[0] - q[0]) - abs(p[1] - q[1])) + {beta} * (abs(p[0] - q[0]) + abs(p[1] - q[1]))",
				"x, y, z = {p}; print(n(x, z), n(x, y) + n(y, z), n(x, z) <= n(x, y) + n(y, z))")
		},
	}
}

// anyNorm and monotoneNorm are all of the norms, and those that grow in |a| and |b|.
func anyNorm(normProductCase) bool        { return true }
func monotoneNorm(c normProductCase) bool { return c.alpha <= c.beta }
