package signrp

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// flipChecks holds Algorithms 3 and 4: randomised response and smooth flipping.
func flipChecks() check.Checks {
	return check.Checks{
		"signrp.theorem4.6": smoothFlips(levelUp, 1).Check,
		"signrp.rr":         check.WithCorrection(signsAmong(countedSigns).Check, signsSharing(func(k int) int { return k }).Check),
	}
}

// smoothCase is one projection before and after a step, in quarters of β max|w|,
// and e^{ε/k}.
type smoothCase struct {
	z, y int
	base *big.Rat
}

// levelUp is ⌈|z|⌉ for z in quarters.
func levelUp(z int) int { return (check.Abs(z) + 3) / 4 }

// smoothFlips says that the law of the flipped sign changes by at most
// e^{share·ε/k}, with the given level.
func smoothFlips(level func(z int) int, share int64) check.Statement[smoothCase] {
	// plus is the probability that the released sign is +.
	plus := func(z int, base *big.Rat) *big.Rat {
		a := check.Power(base, level(z))
		p := new(big.Rat).Quo(a, new(big.Rat).Add(a, big.NewRat(1, 1)))
		if z < 0 {
			p.Sub(big.NewRat(1, 1), p)
		}
		return p
	}
	ratio := func(c smoothCase) *big.Rat {
		worst, one := new(big.Rat), big.NewRat(1, 1)
		p, q := plus(c.z, c.base), plus(c.y, c.base)
		for range 2 {
			for _, r := range []*big.Rat{new(big.Rat).Quo(p, q), new(big.Rat).Quo(q, p)} {
				if r.Cmp(worst) > 0 {
					worst = r
				}
			}
			p, q = new(big.Rat).Sub(one, p), new(big.Rat).Sub(one, q)
		}
		return worst
	}
	return check.Statement[smoothCase]{
		Family: "|wᵀu| ≤ 4β max|w_i| in quarters, e^{ε/k} in {11/10, 2, 10}",
		Each: check.Grid(func(c *smoothCase) []check.Axis {
			var step int
			return []check.Axis{
				check.Over(&c.base, big.NewRat(2, 1), big.NewRat(11, 10), big.NewRat(10, 1)),
				check.Span(&c.z, 0, 16),
				check.Span(&step, -4, 4),
				check.Let(func() { c.y = c.z + step }),
			}
		}),
		Draw: func(rng *rand.Rand) smoothCase {
			z := rng.IntN(400) - 200
			return smoothCase{z, z + rng.IntN(9) - 4, big.NewRat(101+rng.Int64N(900), 100)}
		},
		Holds: func(c smoothCase) bool {
			bound := big.NewRat(1, 1)
			for range share {
				bound.Mul(bound, c.base)
			}
			return ratio(c).Cmp(bound) <= 0
		},
		Witness: func(c smoothCase) *check.Witness {
			return check.NewWitness(check.Named("wᵀu in quarters of β max|w_i|", c.z, "wᵀu'", c.y, "e^{eps/k}", c.base, "largest ratio", ratio(c)),
				check.Vars{"ratio": ratio(c), "base": c.base}, "print({ratio}, {base}, {ratio} <= {base})")
		},
	}
}

// shared is a release of k signs that flip at ε/n each.
type shared struct{ p, k, n int }

func signsSharing(count func(k int) int) check.Statement[shared] {
	public := func(s shared) evidence.Number {
		w := check.Must(signrp.NewProjection(signrp.Rademacher, s.p, s.k, signrp.ProjectionOptions{Seed: 1}))
		// ε' = 1/n is that of a release with ε = k/n.
		r := check.Must(signrp.NewSignRP(context.Background(), w, check.BudgetOf(1).Ratio(int64(s.k), int64(s.n)), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
		return check.Must(r.Public().Epsilon(context.Background(), evidence.Delta{}))
	}
	return check.Statement[shared]{
		Family: "p ≤ 3, 2 ≤ k ≤ 32, ε = 1",
		Each: check.Grid(func(c *shared) []check.Axis {
			return []check.Axis{
				check.Span(&c.p, 1, 3),
				check.Span(&c.k, 2, 32),
				check.Let(func() { c.n = count(c.k) }),
			}
		}),
		Holds: func(s shared) bool { return check.Most(public(s)) <= 1 },
	}
}
