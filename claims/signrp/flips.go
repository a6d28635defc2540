package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// flipChecks returns the checks of Algorithms 3 and 4: randomised response and smooth flipping.
func flipChecks() check.Checks {
	return check.Checks{
		"signrp.theorem4.6": smoothFlips(levelUp, 1).Check,
		"signrp.rr":         freshSigns(1).Check,
		"signrp.rr.fixed":   check.WithCorrection(signsAmong(countedSigns).Check, signsSharing(func(k int) int { return k }).Check),
	}
}

// smoothCase holds wᵀu and wᵀu' of two neighbors, in quarters of β max|w|, and e^{ε/k}.
type smoothCase struct {
	z, y int
	base *big.Rat
}

// levelUp returns ⌈|z|⌉ for z in quarters.
func levelUp(z int) int { return (check.Abs(z) + 3) / 4 }

// smoothFlips states that the law of the released sign changes by a factor of at most e^{share·ε/k} between neighbors,
// if level gives the level of a projection.
func smoothFlips(level func(z int) int, share int64) check.Statement[smoothCase] {
	// plus returns the probability that the released sign is +.
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

// shared is a release of k signs, each flipped at ε' = ε/n.
type shared struct{ p, k, n int }

func signsSharing(count func(k int) int) check.Statement[shared] {
	public := func(s shared) evidence.Number {
		w := check.Must(signrp.NewProjection(signrp.Rademacher, s.p, s.k, signrp.ProjectionOptions{Seed: 1}))
		// A release with ε = k/n flips each of its k signs at ε' = 1/n.
		eps := check.BudgetOf(1).Ratio(int64(s.k), int64(s.n))
		noise := signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}
		r := check.Must(signrp.NewSignRP(context.Background(), w, eps, noise))
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

// freshCase holds p, the number k of signs under a new Gaussian W for each release, β/‖u‖ and δ. ε is 1.
type freshCase struct {
	p, k         int
	ratio, delta float64
}

// freshDelta returns the δ at ε = 1 of k signs, each flipped at ε' = 1/n. A sign differs between the neighbors with
// probability q, independently. If d signs differ and j of them are released unflipped, the loss is (2j − d)/n.
func freshDelta(k int, q, n float64) float64 {
	choose := func(n, j int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(j + 1))
		c, _ := math.Lgamma(float64(n - j + 1))
		return a - b - c
	}
	// the logarithms of the probabilities that a sign is kept and that it is flipped
	keep, flip := -math.Log1p(math.Exp(-1/n)), -math.Log1p(math.Exp(1/n))
	delta := 0.0
	for d := int(n) + 1; d <= k; d++ {
		spent := 0.0
		for j := 0; j <= d; j++ {
			if loss := float64(2*j-d) / n; loss > 1 {
				spent += math.Exp(choose(d, j)+float64(j)*keep+float64(d-j)*flip) * -math.Expm1(1-loss)
			}
		}
		delta += math.Exp(choose(k, d)+float64(d)*math.Log(q)+float64(k-d)*math.Log1p(-q)) * spent
	}
	return delta
}

// freshSigns states that the released signs of neighbors have at most the case's δ at ε, for a new Gaussian W and flips
// at ε' = ε/N₊ with the same N₊ for both neighbors. N₊ is that of Proposition 4.4 with share·F for F. If two vectors
// differ by β in norm and the longer has β/‖u‖ = ratio, their angle is at most arcsin(ratio), and a sign differs with
// probability angle/π.
//
// Each term of the sums has logarithms below 10⁴ in absolute value, so its relative error is at most 1e-9.
func freshSigns(share float64) check.Statement[freshCase] {
	spent := func(c freshCase) (n, delta float64) {
		f := check.Must(signrp.PublishedGaussian(c.ratio, c.p))
		mean, l := share*f.Value*float64(c.k), -math.Log(c.delta)
		n = mean + (l+math.Sqrt(l*l+8*mean*l))/2
		return n, freshDelta(c.k, math.Asin(c.ratio)/math.Pi, n)
	}
	return check.Statement[freshCase]{
		Family: "p in {1, 2, 10, 100}, k in {8, 64, 256}, β/‖u‖ in {.01, .1, .5, .9, .999}, δ in {.1, .001, 1e-6}, ε = 1",
		Each: check.Grid(func(c *freshCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.p, 1, 2, 10, 100), check.Over(&c.k, 8, 64, 256),
				check.Over(&c.ratio, .5, .9, .999, .1, .01), check.Over(&c.delta, .1, .001, 1e-6),
			}
		}),
		Draw: func(rng *rand.Rand) freshCase {
			return freshCase{1 + rng.IntN(50), 1 + rng.IntN(80), 1 - rng.Float64(), math.Pow(10, -6*rng.Float64()) / 2}
		},
		Decide: func(c freshCase) (holds, counts bool) {
			n, delta := spent(c)
			return delta <= c.delta*(1+1e-9), n < float64(c.k) // otherwise N₊ is capped at k
		},
	}
}
