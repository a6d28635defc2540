package analytic

import (
	"iter"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
)

// approximationCase is a query f with R = f(D), and initial values R_0^x.
type approximationCase struct {
	f       []int
	initial [][]int
}

// holdsBall reports whether N_δ^v ⊆ R_0^x for δ = radius/2, where N_δ^v is the set of values within δ of v.
func (c approximationCase) holdsBall(x, v, radius int) bool {
	for _, r := range c.f {
		if 2*max(r-v, v-r) <= radius && !slices.Contains(c.initial[x], r) {
			return false
		}
	}
	return true
}

// approximates reports whether c is an approximation mechanism of g by Definition 19: for some x there is no δ > 0 with
// N_δ^{g(x)} ⊆ R_0^x. Only the smallest δ matters, which is ½ because values are integers. least is this δ in halves.
func (c approximationCase) approximates(g []int, least int) bool {
	for x, v := range g {
		if !c.holdsBall(x, v, least) {
			return true
		}
	}
	return false
}

// approximation states Proposition 5: if every R_0^x of an approximation mechanism of f contains N_δ^{f(x')} for some
// x' and δ > 0, then it is a non-approximation mechanism of g(x) = f(x'). from returns the dataset whose R_0 determines
// the x' of x, in the paper x itself. least is the smallest δ for g, in halves.
func approximation(from func(x, datasets int) int, least int) check.Statement[approximationCase] {
	return check.Statement[approximationCase]{
		Family: "two or three datasets, values 0…2, R_0^x any set of values",
		Each: check.Each(slices.Values([]int{2, 3}), func(n int) iter.Seq[approximationCase] {
			return check.Grid(func(c *approximationCase) []check.Axis {
				var sets int
				return []check.Axis{
					check.From(&c.f, check.Words(3, n)),
					check.Span(&sets, 0, 1<<(3*n)-1),
					check.Where(func() bool {
						c.initial = make([][]int, n)
						for x := range n {
							for r := range 3 {
								if sets>>(3*x+r)&1 == 0 {
									continue
								}
								if !slices.Contains(c.f, r) {
									return false // R is f(D)
								}
								c.initial[x] = append(c.initial[x], r)
							}
						}
						return true
					}),
				}
			})
		}),
		Draw: func(rng *rand.Rand) approximationCase {
			n := 2 + rng.IntN(4)
			c := approximationCase{make([]int, n), make([][]int, n)}
			for x := range n {
				c.f[x] = rng.IntN(6)
			}
			for x := range n {
				for _, r := range c.f {
					if rng.IntN(2) == 0 {
						c.initial[x] = append(c.initial[x], r)
					}
				}
			}
			return c
		},
		Decide: func(c approximationCase) (holds, counts bool) {
			n := len(c.f)
			if !c.approximates(c.f, 1) {
				return true, false
			}
			g := make([]int, n)
			for x := range g { // any x' and δ that the hypothesis allows
				i := slices.IndexFunc(c.f, func(v int) bool {
					for radius := 1; radius <= 12; radius++ {
						if c.holdsBall(from(x, n), v, radius) {
							return true
						}
					}
					return false
				})
				if i < 0 {
					return true, false
				}
				g[x] = c.f[i]
			}
			return !c.approximates(g, least), true
		},
	}
}

// ownInitial returns x: R_0^x itself determines x'.
func ownInitial(x, _ int) int { return x }
