package analytic

import (
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/continuous"
	"dpworkbench/evidence"
)

// staircaseCase is Staircase at e^{ε/2} = root, Δ = 1 and a step position γ.
type staircaseCase struct {
	root  int64
	gamma *big.Rat
}

// distortion returns E|noise|, by summing over the steps: |r| in [0, γ) has weight 1,
// |r| in [k − 1 + γ, k + γ) has z^k, z = e^{−ε}, so that
//
//	E|noise| (γ + Σ z^k) = γ²/2 + Σ z^k (k + γ − ½),  Σ z^k = z/(1−z),  Σ k z^k = z/(1−z)².
func (c staircaseCase) distortion() *big.Rat {
	one, half := big.NewRat(1, 1), big.NewRat(1, 2)
	z := big.NewRat(1, c.root*c.root)
	rest := new(big.Rat).Sub(one, z)
	sum := new(big.Rat).Quo(z, rest)
	first := new(big.Rat).Quo(sum, rest)
	moment := new(big.Rat).Mul(c.gamma, c.gamma)
	moment.Mul(moment, half)
	moment.Add(moment, first)
	moment.Add(moment, new(big.Rat).Mul(new(big.Rat).Sub(c.gamma, half), sum))
	return moment.Quo(moment, new(big.Rat).Add(c.gamma, sum))
}

// best reports whether γ = 1/(1 + e^{ε/2}).
func (c staircaseCase) best() bool { return c.gamma.Cmp(big.NewRat(1, 1+c.root)) == 0 }

// staircaseLeast states the formula of P_S: E|noise| of Staircase is least(e^{ε/2}) at γ = 1/(1 + e^{ε/2}), and at
// least as large at any other γ.
func staircaseLeast(least func(root *big.Rat) *big.Rat) check.Statement[staircaseCase] {
	return check.Statement[staircaseCase]{
		Family: "e^{ε/2} = 2 … 6, γ = 1/12 … 11/12 and 1/(1 + e^{ε/2})",
		Each: check.Grid(func(c *staircaseCase) []check.Axis {
			var k int64
			return []check.Axis{
				check.Span(&c.root, 2, 6),
				check.Span(&k, 0, 11),
				check.Let(func() {
					if c.gamma = big.NewRat(k, 12); k == 0 {
						c.gamma = big.NewRat(1, 1+c.root)
					}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) staircaseCase {
			c := staircaseCase{2 + rng.Int64N(30), big.NewRat(1+rng.Int64N(99), 100)}
			if rng.IntN(2) == 0 {
				c.gamma = big.NewRat(1, 1+c.root)
			}
			return c
		},
		Holds: func(c staircaseCase) bool {
			q := check.Must(continuous.NewLinear([][2]*big.Rat{{check.One, check.One}}))
			eps := check.Must(evidence.LogEpsilon("eps", big.NewRat(c.root*c.root, 1)))
			s := check.Must(continuous.NewStaircase(q, eps, c.gamma))
			got := c.distortion()
			if d, ok := s.Distortion().(evidence.Exact); !ok || d.Value.Cmp(got) != 0 {
				return false
			}
			order := got.Cmp(least(big.NewRat(c.root, 1)))
			return order == 0 || order > 0 && !c.best()
		},
		Witness: func(c staircaseCase) *check.Witness {
			bound := least(big.NewRat(c.root, 1)).RatString()
			return check.NewWitness(check.Named("e^{eps/2}", c.root, "gamma", c.gamma, "bound", bound),
				check.Vars{"root": c.root * c.root, "gamma": c.gamma.RatString(), "bound": bound},
				"d = staircase(linear_query([1]), ln({root}), {gamma}).distortion(); print(d.rational, {bound}, d.rational == {bound})")
		},
	}
}

// hyperbolic returns e^{ε/2}/(e^ε − 1) for root = e^{ε/2}.
func hyperbolic(root *big.Rat) *big.Rat {
	square := new(big.Rat).Mul(root, root)
	return new(big.Rat).Quo(root, square.Sub(square, big.NewRat(1, 1)))
}

// staircaseChecks returns the check of Staircase, the mechanism with which Figure 2 compares.
func staircaseChecks() check.Checks {
	return check.Checks{
		"analytic.staircase": staircaseLeast(hyperbolic).Check,
	}
}
