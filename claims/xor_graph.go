package claims

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorGraphClaims holds what the paper says of released graphs.
func xorGraphClaims() []Claim {
	return []Claim{{
		ID: "xor.theorem3", Paper: xorPaper, Place: "Theorem 3",
		Statement:  "the graph that Algorithm 3 releases is ε-differentially private",
		Hypotheses: "neighboring graphs differ in one edge; noise by Algorithm 1 with s_f = 2",
		Corrected:  "it is as private as its noise: its smallest ε is at most that of B for two mirrored bits",
		Recorded:   evidence.Refuted,
		check:      withCorrection(graphRelease(false).check, graphRelease(true).check),
	}, {
		ID: "xor.theorem4", Paper: xorPaper, Place: "Theorem 4",
		Statement:  "the leakage of an edge is max{1/(ζe^ε + 1), ζe^ε/(ζe^ε + 1)}, ζ the ratio of the priors",
		Hypotheses: "an ε-edge-private release; compared with randomised response of the edge",
		Corrected:  "it is at most ζe^ε/(ζe^ε + 1), ζ the larger of the two prior odds, and randomised response attains that",
		Recorded:   evidence.Refuted,
		check:      withCorrection(leakage(false).check, leakage(true).check),
	}}
}

// graphCase is Algorithm 3 on n nodes at sensitivity 2.
type graphCase struct{ n, eps, alpha int }

func (c graphCase) budget() budgetCase { return budgetCase{c.n, c.n, 2, c.eps, c.alpha} }

// released returns the smallest ε of the released graph, by the whole law of
// the output for every input: columns of noise are independent given their
// numbers of ones, and states are few.
func (c graphCase) released() (float64, error) {
	n := c.n
	if n == 2 { // off-diagonal bits lie in different columns
		rate, err := c.budget().law().ErrorRate(context.Background(), 0, false, xor.Options{})
		if err != nil {
			return 0, err
		}
		p := rate.Float()
		none, edge := p*p, (1-p)*(1-p) // Pr[edge released | no edge], Pr[… | edge]
		return math.Max(math.Abs(math.Log(none/edge)), math.Abs(math.Log((1-none)/(1-edge)))), nil
	}
	pairs := n * (n - 1) / 2
	b := c.budget().law()
	theta, lambda := b.Columns().Parameters()
	table := make([][]float64, 1<<pairs) // table[input][output]
	for g := range table {
		table[g] = make([]float64, 1<<pairs)
	}
	for s := range 1 << (n * n) {
		var e float64
		for j := range n {
			m := 0
			for i := range n {
				m += s >> (i*n + j) & 1
			}
			e += float64(m) * (theta + lambda*float64(m-1))
		}
		w := math.Exp(e)
		for g := range table {
			out, k := 0, 0
			for i := range n {
				for j := range i {
					bit := g >> k & 1
					if (s>>(i*n+j)&1)^bit == 1 && (s>>(j*n+i)&1)^bit == 1 {
						out |= 1 << k
					}
					k++
				}
			}
			table[g][out] += w
		}
	}
	var worst float64
	for g := range table {
		for k := range pairs {
			for out, v := range table[g] {
				worst = math.Max(worst, math.Log(v/table[g^1<<k][out]))
			}
		}
	}
	return worst, nil
}

func graphRelease(corrected bool) statement[graphCase] {
	allowed := func(c graphCase) (float64, error) {
		if !corrected {
			return float64(c.eps) / 10, nil
		}
		loss, err := c.budget().law().SmallestEpsilon(context.Background(), xor.FlipEdge(), xor.LossOptions{})
		return loss.Hi, err
	}
	return statement[graphCase]{
		family: "N ≤ 3, ε in {1, 5}, α in {.3, .5, .7, 1}",
		each: func(yield func(graphCase) bool) {
			for n := 2; n <= 3; n++ {
				for _, eps := range []int{10, 50} {
					for _, alpha := range []int{3, 5, 7, 10} {
						if !yield(graphCase{n, eps, alpha}) {
							return
						}
					}
				}
			}
		},
		draw: func(rng *rand.Rand) graphCase { return graphCase{2, 1 + rng.IntN(80), rng.IntN(11)} },
		holds: func(c graphCase) (bool, error) {
			got, err := c.released()
			if err != nil {
				return false, err
			}
			most, err := allowed(c)
			return got <= most+1e-9, err // rounding of a few hundred terms is far below
		},
		witness: func(c graphCase) *Witness {
			got, _ := c.released()
			return &Witness{
				Fields: c.budget().fields(Field{"smallest eps of the released graph", fmt.Sprintf("%.4f", got)}),
				Script: fmt.Sprintf("b = %s; print(b.claimed_epsilon(2), b.smallest_epsilon(neighbors=\"edge\"), b.error_rate())", c.budget().script()),
			}
		},
		measure: func(c graphCase) []Item {
			got, err := c.released()
			if err != nil {
				return nil
			}
			return []Item{
				{"claimed ε", evidence.Claimed{Value: float64(c.eps) / 10, Source: "Theorem 3"}},
				{"smallest ε", evidence.Certified{Lo: got - 1e-9, Hi: got + 1e-9, Loss: true, Method: "all outputs of all inputs"}},
			}
		},
	}
}

// edgeCase is a release at e^ε = factor/10 and a prior Pr[edge] = prior/100.
type edgeCase struct{ factor, prior int64 }

// leakage compares, in rational numbers, with the posterior that randomised
// response causes.
func leakage(corrected bool) statement[edgeCase] {
	one := big.NewRat(1, 1)
	belief := func(odds *big.Rat) *big.Rat { return new(big.Rat).Quo(odds, new(big.Rat).Add(odds, one)) }
	larger := func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	}
	attained := func(c edgeCase) *big.Rat { // the greatest of the posteriors of either answer
		e := big.NewRat(c.factor, 10)
		odds := big.NewRat(c.prior, 100-c.prior)
		return larger(belief(new(big.Rat).Mul(odds, e)), belief(new(big.Rat).Mul(new(big.Rat).Inv(odds), e)))
	}
	stated := func(c edgeCase) *big.Rat {
		e := big.NewRat(c.factor, 10)
		odds := big.NewRat(c.prior, 100-c.prior)
		if corrected {
			return belief(new(big.Rat).Mul(larger(odds, new(big.Rat).Inv(odds)), e))
		}
		v := new(big.Rat).Mul(odds, e)
		return larger(belief(v), belief(new(big.Rat).Inv(v)))
	}
	decimal := func(q *big.Rat) string { return q.FloatString(4) }
	return statement[edgeCase]{
		family: "e^ε in {1.5, 2, 5}, priors 1 % to 99 %",
		each: func(yield func(edgeCase) bool) {
			for _, factor := range []int64{20, 15, 50} {
				for _, prior := range []int64{50, 1, 10, 25, 75, 90, 99} {
					if !yield(edgeCase{factor, prior}) {
						return
					}
				}
			}
		},
		draw:  func(rng *rand.Rand) edgeCase { return edgeCase{11 + rng.Int64N(100), 1 + rng.Int64N(99)} },
		holds: func(c edgeCase) (bool, error) { return stated(c).Cmp(attained(c)) == 0, nil },
		witness: func(c edgeCase) *Witness {
			e, odds := float64(c.factor)/10, float64(c.prior)/float64(100-c.prior)
			return &Witness{
				Fields: []Field{
					{"e^eps", fmt.Sprint(e)}, {"prior", fmt.Sprint(float64(c.prior) / 100)},
					{"stated", decimal(stated(c))}, {"attained by randomised response", decimal(attained(c))},
				},
				Script: fmt.Sprintf("print(edge_leakage(math.log(%g), %g))", e, odds),
			}
		},
	}
}
