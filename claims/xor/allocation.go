package xor

import (
	"context"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// xorAllocationChecks returns the checks of Algorithm 1.
func xorAllocationChecks() check.Checks {
	return check.Checks{
		"xor.algorithm1":             anyBasis(func(c basisCase, _ int) int { return c.value }).Check,
		"xor.algorithm1.budget":      meetsBudget(allocated).Check,
		"xor.algorithm1.privacy":     check.WithCorrection(check.Surveyed(allocationLoss(withinBudget)), check.Loose(allocationLoss(withinTimes(allocationFactor(4))).Check, costOfBudget)),
		"xor.algorithm1.entries":     check.WithCorrection(check.Surveyed(allocatedBlocks(positiveEntries)), allocatedBlocks(positiveDiagonal).Check),
		"xor.algorithm1.eigenvalues": leastMaximum(func(p int) int { return p }).Check,
	}
}

// basisCase is an eigenvalue and a reflection I − 2vvᵀ/‖v‖², whose columns are an orthonormal basis.
type basisCase struct {
	v     []int
	value int
}

// anyBasis states that U diag(λ) U⁻¹ = λI for reflections U. In integers, with w = ‖v‖²I − 2vvᵀ, this is w diag(λ) w =
// λ‖v‖⁴I.
func anyBasis(eigenvalue func(c basisCase, k int) int) check.Statement[basisCase] {
	return check.Statement[basisCase]{
		Family: "P ≤ 3, v in {1, 2, 3}^P, λ in {1, 2}",
		Each: check.Grid(func(c *basisCase) []check.Axis {
			var p int
			var v []int
			return []check.Axis{
				check.Span(&p, 1, 3),
				check.From(&v, check.Words(3, 3)),
				check.Span(&c.value, 1, 2),
				check.Where(func() bool { return slices.Max(append(slices.Clone(v[p:]), 0)) == 0 }), // each v of P entries once
				check.Let(func() {
					for _, letter := range v[:p] {
						c.v = append(c.v, 1+letter)
					}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) basisCase {
			c := basisCase{value: 1 + rng.IntN(9)}
			for range 1 + rng.IntN(5) {
				c.v = append(c.v, 1+rng.IntN(9))
			}
			return c
		},
		Holds: func(c basisCase) bool {
			norm := 0
			for _, v := range c.v {
				norm += v * v
			}
			w := func(i, j int) int {
				e := -2 * c.v[i] * c.v[j]
				if i == j {
					e += norm
				}
				return e
			}
			for i := range c.v {
				for j := range c.v {
					sum, want := 0, 0
					for k := range c.v {
						sum += w(i, k) * eigenvalue(c, k) * w(k, j)
					}
					if i == j {
						want = c.value * norm * norm
					}
					if sum != want {
						return false
					}
				}
			}
			return true
		},
	}
}

// allocated returns θ and λ of Algorithm 1's output Θ = θI and Λ_ij = λI.
func allocated(c budgetCase) (theta, lambda float64) { return c.law().Columns().Parameters() }

// meetsBudget states that s√P (|θ| + |λ|N(N−1)/2) = ε, up to the rounding of the parameters.
func meetsBudget(split func(budgetCase) (theta, lambda float64)) check.Statement[budgetCase] {
	return check.Statement[budgetCase]{
		Family: budgetFamily + ", N ≥ 2", Each: budgets(several),
		Draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 50)
			c.n++
			return c
		},
		Holds: func(c budgetCase) bool {
			theta, lambda := split(c)
			root := interval.Int(int64(c.p)).Sqrt()
			spent := interval.Float(theta).Add(interval.Float(lambda).Mul(interval.Int(int64(c.n * (c.n - 1) / 2)))).Mul(root).Mul(interval.Int(int64(c.s)))
			want := interval.Rat(check.Ratio(c.eps, 10))
			slack := want.Mul(interval.Float(0x1p-50)) // bounds four roundings
			return !spent.Less(want.Sub(slack)) && !want.Add(slack).Less(spent)
		},
	}
}

// columnLoss returns L, where (ε/s√P)·L is the smallest ε for neighbors that differ in at most s bits. In the unit
// ε/s√P, a column of m ones has exponent αm + 2(1 − α)m(m−1)/(N(N−1)). Columns are independent, and t changed bits of a
// column change m by at most t. The s bits are divided among the columns so that the loss is largest.
func (c budgetCase) columnLoss() *big.Rat {
	exponent := func(m int) *big.Rat {
		e := check.Ratio(c.alpha*m, 10)
		if c.n > 1 {
			e.Add(e, check.Ratio(2*(10-c.alpha)*m*(m-1), 10*c.n*(c.n-1)))
		}
		return e
	}
	one := make([]*big.Rat, c.s+1) // losses of one column
	for t := range one {
		one[t] = new(big.Rat)
		for m := range c.n + 1 {
			for k := range c.n + 1 {
				if d := new(big.Rat).Sub(exponent(m), exponent(k)); max(m-k, k-m) <= t && d.Cmp(one[t]) > 0 {
					one[t] = d
				}
			}
		}
	}
	best := one
	for range c.p - 1 {
		next := make([]*big.Rat, c.s+1)
		for t := range next {
			next[t] = new(big.Rat)
			for u := range t + 1 {
				if v := new(big.Rat).Add(best[u], one[t-u]); v.Cmp(next[t]) > 0 {
					next[t] = v
				}
			}
		}
		best = next
	}
	return best[c.s]
}

// withinBudget states that (ε/s√P) L ≤ ε. It compares squares.
func withinBudget(c budgetCase, loss *big.Rat) bool {
	return new(big.Rat).Mul(loss, loss).Cmp(check.Ratio(c.s*c.s*c.p, 1)) <= 0
}

// allocationFactor returns α + k(1 − α)/N.
func allocationFactor(k int) func(budgetCase) *big.Rat {
	return func(c budgetCase) *big.Rat {
		return new(big.Rat).Add(check.Ratio(c.alpha, 10), check.Ratio(k*(10-c.alpha), 10*c.n))
	}
}

// withinTimes states that L ≤ s times a factor, with equality if s ≤ P.
func withinTimes(factor func(budgetCase) *big.Rat) func(c budgetCase, loss *big.Rat) bool {
	return func(c budgetCase, loss *big.Rat) bool {
		most := new(big.Rat).Mul(check.Ratio(c.s, 1), factor(c))
		return loss.Cmp(most) == 0 || c.s > c.p && loss.Cmp(most) < 0
	}
}

// allocationLoss quantifies a statement about the loss of Algorithm 1's noise.
func allocationLoss(asks func(c budgetCase, loss *big.Rat) bool) check.Statement[budgetCase] {
	return check.Statement[budgetCase]{
		Family: "2 ≤ N ≤ 5, P ≤ 3, s_f ≤ P + 1, α in {.1, .3, .5, .7, .9}, ε = 1",
		Each: check.Grid(func(c *budgetCase) []check.Axis {
			c.eps = 10
			return []check.Axis{
				check.Span(&c.n, 2, 5),
				check.Span(&c.p, 1, 3),
				check.Span(&c.s, 1, 4),
				check.Over(&c.alpha, 5, 7, 9, 3, 1),
				check.Where(func() bool { return c.s <= c.p+1 }),
			}
		}),
		Draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 8)
			c.n, c.eps = c.n+1, 10 // ε only scales the loss
			c.s = 1 + rng.IntN(c.p+2)
			return c
		},
		Holds: func(c budgetCase) bool { return asks(c, c.columnLoss()) },
		Witness: func(c budgetCase) *check.Witness {
			loss, _ := c.columnLoss().Float64()
			return check.NewWitness(c.fields("smallest eps", evidence.FormatUp(loss*float64(c.eps)/10/float64(c.s)/math.Sqrt(float64(c.p)), 6)),
				check.Vars{"law": c.script(), "s": c.s, "eps": float64(c.eps) / 10}, "b = {law}; e = b.smallest_epsilon({s}).lo; print(e, {eps}, e <= {eps})")
		},
	}
}

// costOfBudget returns the ratio of the ε asked for to the smallest ε of the noise under (4), on the paper's largest
// graph.
func costOfBudget(context.Context) []check.Item {
	const nodes = 4039
	factor := interval.Rat(allocationFactor(4)(budgetCase{n: nodes, alpha: 7}))
	return []check.Item{{
		Label:  "ε asked for / smallest ε at N = P = 4039, s_f = 2, α = .7",
		Number: evidence.Enclosed(interval.Int(nodes).Sqrt().Quo(factor), "√P/(α + 4(1 − α)/N)", "Algorithm 1"),
	}}
}

// allocatedBlocks quantifies a statement about the entries of Θ and Λ_ij on the diagonals and off them. There are
// entries off the diagonal if P ≥ 2.
func allocatedBlocks(asks func(theta, lambda, off float64, p int) bool) check.Statement[budgetCase] {
	return check.Statement[budgetCase]{
		Family: budgetFamily + ", N ≥ 2", Each: budgets(several),
		Draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 20)
			c.n++
			c.alpha = min(max(c.alpha, 1), 9)
			return c
		},
		Holds: func(c budgetCase) bool {
			b := c.law()
			pi := check.Must(b.Pi())
			off := math.Inf(1)
			for k := range pi {
				for l := range pi {
					if k%c.p != l%c.p {
						off = min(off, pi[k][l])
					}
				}
			}
			return asks(pi[0][0], pi[0][c.p], off, c.p)
		},
		Witness: func(c budgetCase) *check.Witness {
			return check.NewWitness(c.fields("Theta", check.Lists(check.Must(c.law().Theta()))),
				check.Vars{"law": c.script()}, "b = {law}; t = min([min(row) for row in b.theta]); print(t, 0, t > 0)")
		},
	}
}

func positiveEntries(theta, lambda, off float64, _ int) bool { return min(theta, lambda, off) > 0 }

// positiveDiagonal states that the blocks are θI and λI with θ, λ > 0.
func positiveDiagonal(theta, lambda, off float64, p int) bool {
	return min(theta, lambda) > 0 && (p == 1 || off == 0)
}

// leastMaximum states that of(P)·max² ≥ Σλ², with equality if and only if all eigenvalues are equal.
func leastMaximum(of func(p int) int) check.Statement[[]int64] {
	return check.Statement[[]int64]{
		Family: "P ≤ 4, eigenvalues in {1, …, 5}",
		Each:   check.Each(slices.Values([]int{1, 2, 3, 4}), func(p int) iter.Seq[[]int64] { return nonIncreasing(p, 5, 4, 3, 2, 1) }),
		Holds: func(values []int64) bool {
			most, squares := values[0], alike(values, values)
			bound := int64(of(len(values))) * most * most
			return squares <= bound && (squares == bound) == (values[len(values)-1] == most)
		},
	}
}
