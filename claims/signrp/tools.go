package signrp

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// signrpToolChecks returns the checks of the composition theorem, which is the last step of the proofs.
func signrpToolChecks() check.Checks {
	return check.Checks{
		"signrp.theorem2.1": composition(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }, 1).Check,
	}
}

// composed is two pairs (p, q) of neighboring laws, as weights, and a = e^ε of each pair.
type composed struct {
	p, q [2][]int64
	a    [2]*big.Rat
}

func (c composed) prob(weights []int64) []*big.Rat {
	sum := int64(0)
	for _, w := range weights {
		sum += w
	}
	return lists.Of(len(weights), func(r int) *big.Rat { return big.NewRat(weights[r], sum) })
}

// hockeyStick returns Σ (p − a·q)⁺, the smallest δ at ln a in one direction.
func hockeyStick(p, q []*big.Rat, a *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for r := range p {
		d := new(big.Rat).Sub(p[r], new(big.Rat).Mul(a, q[r]))
		if d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

func divergence(p, q []*big.Rat, a *big.Rat) *big.Rat {
	one, other := hockeyStick(p, q, a), hockeyStick(q, p, a)
	if one.Cmp(other) < 0 {
		return other
	}
	return one
}

// composition states that the product's δ at power·(ε₁ + ε₂), or at the larger ε for power 0, is at most together(δ₁,
// δ₂). The theorem has power 1 and the sum of the two δ.
func composition(together func(a, b *big.Rat) *big.Rat, power int) check.Statement[composed] {
	sides := func(c composed) (product, bound *big.Rat) {
		var law [2][2][]*big.Rat
		for i := range 2 {
			law[i] = [2][]*big.Rat{c.prob(c.p[i]), c.prob(c.q[i])}
		}
		var both [2][]*big.Rat
		for side := range both {
			for _, x := range law[0][side] {
				for _, y := range law[1][side] {
					both[side] = append(both[side], new(big.Rat).Mul(x, y))
				}
			}
		}
		a := big.NewRat(1, 1)
		for range power {
			a.Mul(a, c.a[0]).Mul(a, c.a[1])
		}
		if power == 0 { // the larger budget
			a.Set(c.a[0])
			if a.Cmp(c.a[1]) < 0 {
				a.Set(c.a[1])
			}
		}
		return divergence(both[0], both[1], a), together(divergence(law[0][0], law[0][1], c.a[0]), divergence(law[1][0], law[1][1], c.a[1]))
	}
	return check.Statement[composed]{
		Family: "two outcomes, weights 0…3, e^ε in {1, 3/2, 2}, the same pair twice",
		Each: check.Grid(func(c *composed) []check.Axis {
			var w []int
			var a *big.Rat
			return []check.Axis{
				check.From(&w, check.Words(4, 4)),
				check.Over(&a, big.NewRat(1, 1), big.NewRat(3, 2), big.NewRat(2, 1)),
				check.Where(func() bool { return w[0]+w[1] > 0 && w[2]+w[3] > 0 }),
				check.Let(func() {
					p, q := []int64{int64(w[0]), int64(w[1])}, []int64{int64(w[2]), int64(w[3])}
					c.p, c.q, c.a = [2][]int64{p, p}, [2][]int64{q, q}, [2]*big.Rat{a, a}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) composed {
			var c composed
			for i := range 2 {
				n := 2 + rng.IntN(2)
				c.p[i], c.q[i] = make([]int64, n), make([]int64, n)
				for r := range n {
					c.p[i][r], c.q[i][r] = rng.Int64N(10), rng.Int64N(10)
				}
				c.p[i][0]++
				c.q[i][n-1]++
				c.a[i] = big.NewRat(4+rng.Int64N(12), 4)
			}
			return c
		},
		Holds: func(c composed) bool {
			product, bound := sides(c)
			return product.Cmp(bound) <= 0
		},
		Witness: func(c composed) *check.Witness {
			product, bound := sides(c)
			return check.NewWitness(check.Named("first pair", fmt.Sprint(c.p[0], c.q[0]), "second pair", fmt.Sprint(c.p[1], c.q[1]), "e^eps", c.a[0].RatString()+", "+c.a[1].RatString(), "delta of both", product, "bound", bound),
				check.Vars{"a0": c.a[0], "a1": c.a[1], "p0": c.p[0], "p1": c.p[1], "q0": c.q[0], "q1": c.q[1], "bound": bound},
				"a, b = {a0}, {a1}; h = lambda p, q, e: sum([max(0, x / sum(p) - e * y / sum(q)) for x, y in zip(p, q)])",
				"both = [[x * y for x in p for y in q] for p, q in [({p0}, {p1}), ({q0}, {q1})]]",
				"d = max(h(both[0], both[1], a * b), h(both[1], both[0], a * b)); print(d, {bound}, d <= {bound})")
		},
	}
}
