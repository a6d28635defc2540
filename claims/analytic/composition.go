package analytic

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
)

// compositionCase is two or three mechanisms on one universe.
type compositionCase []tableCase

// loss returns e^ε for the smallest ε of the product law Π p_i^x(r_i), over all neighbors and all tuples of values.
func (c compositionCase) loss() *big.Rat {
	worst := big.NewRat(1, 1)
	tuples := 1
	for _, m := range c {
		tuples *= len(m.weight[0])
	}
	product := func(x, tuple int) *big.Rat {
		p := big.NewRat(1, 1)
		for _, m := range c {
			p.Mul(p, m.prob(x, tuple%len(m.weight[x])))
			tuple /= len(m.weight[x])
		}
		return p
	}
	for x := range c[0].weight {
		for y := range c[0].weight {
			for tuple := 0; tuple < tuples && c[0].neighbors(x, y); tuple++ {
				if v := new(big.Rat).Quo(product(x, tuple), product(y, tuple)); v.Cmp(worst) > 0 {
					worst = v
				}
			}
		}
	}
	return worst
}

// tableComposition states Proposition 1: e^ε of the product is at most the bound that bound computes from the e^ε of
// the factors. It counts the instances with equality in *attained.
func tableComposition(bound func(parts []*big.Rat) *big.Rat, attained *int) check.Statement[compositionCase] {
	sides := func(c compositionCase) (loss, most *big.Rat) {
		parts := make([]*big.Rat, len(c))
		for i, m := range c {
			parts[i], _ = m.loss()
		}
		return c.loss(), bound(parts)
	}
	return check.Statement[compositionCase]{
		Family: "two mechanisms on two neighbors, two values, weights 1…3",
		Each: check.Grid(func(c *compositionCase) []check.Axis {
			var all []tableCase
			for _, weight := range tinyWeights() {
				if w := append(weight[0][:2:2], weight[1]...); min(w[0], w[1], w[2], w[3]) > 0 && max(w[0], w[1], w[2], w[3]) <= 3 {
					all = append(all, tableCase{metrics[0], weight, []int{0, 1}, 1})
				}
			}
			var i, j int
			return []check.Axis{
				check.Span(&i, 0, len(all)-1),
				check.Span(&j, 0, len(all)-1),
				check.Where(func() bool { return j <= i }),
				check.Let(func() { *c = compositionCase{all[i], all[j]} }),
			}
		}),
		Draw: func(rng *rand.Rand) compositionCase {
			d := drawNeighboring(rng)
			c := make(compositionCase, 2+rng.IntN(2))
			for i := range c {
				c[i] = tableCase{distance: d, value: make([]int, len(d)), slack: 1}
				size := 2 + rng.IntN(3)
				for range d {
					row := lists.Of(size, func(int) int64 { return 1 + rng.Int64N(9) })
					c[i].weight = append(c[i].weight, row)
				}
			}
			return c
		},
		Holds: func(c compositionCase) bool {
			loss, most := sides(c)
			if loss.Cmp(most) == 0 {
				*attained++
			}
			return loss.Cmp(most) <= 0
		},
	}
}

// product returns e^{Σ ε_i} for parts e^{ε_i}.
func product(parts []*big.Rat) *big.Rat {
	out := big.NewRat(1, 1)
	for _, p := range parts {
		out.Mul(out, p)
	}
	return out
}

// compositionCheck checks Proposition 1 and adds the number of instances that attain the bound.
func compositionCheck(ctx context.Context, run check.Run) (check.Outcome, error) {
	attained := 0
	out, err := tableComposition(product, &attained).Check(ctx, run)
	out.Evidence = append(out.Evidence, check.Item{Label: "instances at which the sum is attained", Number: evidence.Exact{Value: big.NewRat(int64(attained), 1), Provenance: evidence.From("counted")}})
	return out, err
}

// stepwise reports whether a metric satisfies the hypothesis of Proposition 2: for all x, y at an integer distance i ≥
// 1 there is an x' at distance 1 from x and i − 1 from y.
func stepwise(d [][]int) bool {
	for x := range d {
		for y := range d {
			if d[x][y] == 0 || d[x][y]%2 != 0 {
				continue
			}
			found := false
			for z := range d {
				found = found || d[x][z] == 2 && d[z][y] == d[x][y]-2
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// groupPrivacy checks Proposition 2 for one mechanism: p^x(r) ≤ e^{kε} p^y(r) for all x, y at an integer distance i ≥
// 1, where ε is the smallest of the mechanism and k = steps(i).
func groupPrivacy(steps func(i int) int) tablePart {
	return func(c tableCase, _ *big.Rat, _ [][]int) string {
		loss, _ := c.loss()
		for x := range c.weight {
			for y := range c.weight {
				i := c.distance[x][y] / 2
				if i == 0 || c.distance[x][y]%2 != 0 {
					continue
				}
				most := check.Power(loss, steps(i))
				for r := range c.weight[x] {
					if c.prob(x, r).Cmp(new(big.Rat).Mul(most, c.prob(y, r))) > 0 {
						return check.Script(check.Vars{"x": x, "r": r, "i": steps(i), "y": y},
							"a, b = m.prob({x}).get({r}, 0), math.exp({i} * m.smallest_epsilon) * m.prob({y}).get({r}, 0); print(a, b, a <= b)")
					}
				}
			}
		}
		return ""
	}
}

// groupTables checks Proposition 2 on mechanisms over three datasets that satisfy the hypothesis, two of them at a
// distance of 2 or more. Random instances have the shortest-path metrics of connected graphs on three to six datasets.
func groupTables(hypothesis func(d [][]int) bool, steps func(i int) int) check.Checker {
	var spaces [][][]int
	for _, d := range metrics {
		far := slices.ContainsFunc(d, func(row []int) bool { return slices.Max(row) >= 4 })
		if hypothesis(d) && far && len(d) == 3 {
			spaces = append(spaces, d)
		}
	}
	says := func(c tableCase, _ [][]int) bool {
		return hypothesis(c.distance) && slices.ContainsFunc(slices.Concat(c.distance...), func(d int) bool { return d >= 4 && d%2 == 0 })
	}
	s := tables(false, says, groupPrivacy(steps))
	s.Family, s.Each = "three datasets, two at a distance of 2 or more; two values, p^x(0)/p^x(1) from 1/8 to 8 in powers of 2", ratioTables(spaces)
	s.Draw = func(rng *rand.Rand) tableCase {
		d := drawPaths(rng, 3+rng.IntN(4))
		for !slices.ContainsFunc(d, func(row []int) bool { return slices.Max(row) >= 4 }) {
			d = drawPaths(rng, len(d))
		}
		c := tableCase{distance: d, value: make([]int, len(d)), slack: 1}
		size := 2 + rng.IntN(3)
		for range d {
			row := lists.Of(size, func(int) int64 { return 1 + rng.Int64N(20) })
			c.weight = append(c.weight, row)
		}
		return c
	}
	return applicable(300, s)
}

// itself returns i, the number of steps in the paper.
func itself(i int) int { return i }

// compositionChecks returns the checks of Propositions 1 and 2.
func compositionChecks() check.Checks {
	return check.Checks{
		"analytic.proposition1": compositionCheck,
		"analytic.proposition2": groupTables(stepwise, itself),
	}
}
