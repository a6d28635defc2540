package analytic

import (
	"iter"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// sensitivityCase is a query with numbers as values on a tiny universe.
type sensitivityCase struct {
	distance [][]int // d̄ between datasets, in halves
	f        []int
}

// sensitivityCases enumerates the queries with values 0…3 on every metric.
func sensitivityCases() iter.Seq[sensitivityCase] {
	return check.Map(labelled(metrics, 4), func(l labels) sensitivityCase { return sensitivityCase{l.distance, l.at} })
}

func drawSensitivity(rng *rand.Rand) sensitivityCase {
	d := metrics[rng.IntN(len(metrics))]
	if rng.IntN(2) == 0 {
		d = drawPaths(rng, 3+rng.IntN(4))
	}
	c := sensitivityCase{d, make([]int, len(d))}
	for x := range d {
		c.f[x] = rng.IntN(12)
	}
	return c
}

// matrix returns d̄.
func (c sensitivityCase) matrix() [][]float64 {
	out := make([][]float64, len(c.distance))
	for x, row := range c.distance {
		for _, d := range row {
			out[x] = append(out[x], float64(d)/2)
		}
	}
	return out
}

// layers returns layer[x][z], the layer of f(z) at x, for R = f(D) and R_i^x = {r: iΔ ≤ |r − f(x)| < (i+1)Δ}, with the
// global sensitivity Δ. ok is false if Δ = 0.
func (c sensitivityCase) layers() (layer [][]int, ok bool) {
	t := tableCase{distance: c.distance}
	delta := 0
	for x := range c.f {
		for y := range c.f {
			if t.neighbors(x, y) {
				delta = max(delta, c.f[x]-c.f[y])
			}
		}
	}
	if delta == 0 {
		return nil, false
	}
	for x := range c.f {
		row := lists.Of(len(c.f), func(z int) int { return max(c.f[z]-c.f[x], c.f[x]-c.f[z]) / delta })
		layer = append(layer, row)
	}
	return layer, true
}

// applies reports whether some datasets x0, y0 and z0 satisfy the hypothesis of Proposition 7: f(z0) is in layer i0 =
// ⌈d̄(x0, y0)⌉ of x0 but in no R_0^y with d̄(x0, y) ≤ within(i0), and d̄(x0, z0) > i0. within(i0) is i0 in the paper.
func (c sensitivityCase) applies(layer [][]int, within func(i0 int) int) bool {
	for x0 := range c.f {
		for y0 := range c.f {
			i0 := up(c.distance[x0][y0])
			for z0 := range c.f {
				if i0 == 0 || c.distance[x0][z0] <= 2*i0 || layer[x0][z0] != i0 {
					continue
				}
				covered := false
				for y := range c.f {
					covered = covered || c.distance[x0][y] <= 2*within(i0) && layer[y][z0] == 0
				}
				if !covered {
					return true
				}
			}
		}
	}
	return false
}

// globalSensitivity states Proposition 7 for the law p^x(r) ∝ e^{−ε|r − f(x)|/Δf} with one normaliser for all datasets:
// where its hypothesis applies, the mechanism is not basic. basic decides from the layers whether it is.
func globalSensitivity(basic func(tableCase, [][]int) bool, within func(i0 int) int) check.Statement[sensitivityCase] {
	return check.Statement[sensitivityCase]{
		Family: "two to four datasets on ten metrics, values 0…3",
		Each:   sensitivityCases(),
		Draw: func(rng *rand.Rand) sensitivityCase {
			return drawApplicable(func() sensitivityCase { return drawSensitivity(rng) }, func(c sensitivityCase) bool {
				layer, ok := c.layers()
				return ok && c.applies(layer, within)
			})
		},
		Decide: func(c sensitivityCase) (holds, counts bool) {
			layer, ok := c.layers()
			if !ok || !c.applies(layer, within) {
				return true, false
			}
			return !basic(tableCase{distance: c.distance}, layer), true
		},
	}
}

// sensitivityChecks returns the check of Proposition 7.
func sensitivityChecks() check.Checks {
	return check.Checks{
		"analytic.proposition7": applicable(200, globalSensitivity(isBasic, itself)),
	}
}
