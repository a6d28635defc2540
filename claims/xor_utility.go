package claims

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorUtilityClaims holds what the paper says of the error rate.
func xorUtilityClaims() []Claim {
	return []Claim{{
		ID: "xor.remark2", Paper: xorPaper, Place: "Remark 2",
		Statement:  "the expected error rate falls as the budget grows, α fixed",
		Hypotheses: "Algorithm 1: Θ, Λ > 0",
		Corrected:  "it grows: positive parameters make a 1 likelier. The error rate of the complement 1 − B falls, at the same privacy",
		Recorded:   evidence.Refuted,
		check:      withCorrection(budgetHelps(false).check, budgetHelps(true).check),
	}, {
		ID: "xor.proposition1", Paper: xorPaper, Place: "Proposition 1",
		Statement:  "g(Π) = E‖B‖² ≤ U(Π)/L(Π)",
		Hypotheses: "Θ, Λ_ij positive definite with positive entries",
		Recorded:   evidence.Confirmed,
		check:      upperBound.check,
	}, {
		ID: "xor.algorithm1", Paper: xorPaper, Place: "Algorithm 1",
		Statement:  "U diag(λ) U⁻¹ serves for any orthonormal basis U",
		Hypotheses: "all eigenvalues equal, as lines 2 and 7 make them",
		Recorded:   evidence.Confirmed,
		Remark:     "vacuous", // it is λI for every U, with zeros where (5) demands positive entries
		check:      anyBasis.check,
	}}
}

// budgetHelps compares the error rate at ε with that at 2ε.
func budgetHelps(complement bool) statement[budgetCase] {
	rates := func(c budgetCase) (small, large evidence.Certified, err error) {
		double := c
		double.eps *= 2
		if small, err = c.law().ErrorRate(context.Background(), 0, complement, xor.Options{}); err != nil {
			return
		}
		large, err = double.law().ErrorRate(context.Background(), 0, complement, xor.Options{})
		return
	}
	return statement[budgetCase]{
		family: budgetFamily,
		each:   budgets,
		draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 20)
			if c.n == 1 {
				c.alpha = max(c.alpha, 1) // else there is no noise to compare
			}
			return c
		},
		holds: func(c budgetCase) (bool, error) {
			small, large, err := rates(c)
			return large.Hi < small.Lo, err
		},
		simpler: budgetCase.simpler,
		witness: func(c budgetCase) *Witness {
			small, large, _ := rates(c)
			return &Witness{
				Fields: c.fields(Field{"flip rate at eps", fmt.Sprintf("%.4f", small.Float())}, Field{"flip rate at 2 eps", fmt.Sprintf("%.4f", large.Float())}),
				Script: fmt.Sprintf("print(%s.error_rate(), xor_allocation(%d, %d, %g, %g, %d).error_rate())", c.script(), c.n, c.p, float64(c.eps)/5, float64(c.alpha)/10, c.s),
			}
		},
		measure: func(c budgetCase) []Item {
			small, large, err := rates(c)
			if err != nil {
				return nil
			}
			return []Item{{"flip rate at ε", small}, {"flip rate at 2ε", large}}
		},
	}
}

// upperBound draws positive semidefinite blocks with entries ≥ 0: A Aᵀ/10 for
// whole A ≥ 0.
var upperBound = statement[noiseCase]{
	draw: func(rng *rand.Rand) noiseCase {
		c := drawNoise(rng, 0)
		for _, m := range c.blocks() {
			a := make([][]int, c.p)
			for i := range a {
				for range c.p {
					a[i] = append(a[i], rng.IntN(3))
				}
			}
			for i := range *m {
				for j := range *m {
					(*m)[i][j] = 0
					for k := range c.p {
						(*m)[i][j] += a[i][k] * a[j][k]
					}
				}
			}
		}
		return c
	},
	holds: func(c noiseCase) (bool, error) {
		b := c.law()
		bound, covered := b.Bound()
		if !covered {
			return true, nil
		}
		mean, err := b.MeanOnes(context.Background(), false, xor.Options{})
		return mean.Lo <= bound.Value*(1+1e-12), err
	},
	witness: func(c noiseCase) *Witness {
		return &Witness{Fields: c.fields(), Script: fmt.Sprintf("b = %s; print(b.bound(), b.error_rate() * b.size)", c.script())}
	},
}

// basisCase is a reflection: an orthonormal basis I − 2vvᵀ/‖v‖².
type basisCase struct {
	v     []int
	value int
}

// anyBasis: U(λI)U⁻¹ = λI for reflections U, in whole numbers: with
// w = ‖v‖²I − 2vvᵀ, λww = λ‖v‖⁴I.
var anyBasis = statement[basisCase]{
	draw: func(rng *rand.Rand) basisCase {
		c := basisCase{value: 1 + rng.IntN(9)}
		for range 1 + rng.IntN(5) {
			c.v = append(c.v, 1+rng.IntN(9))
		}
		return c
	},
	holds: func(c basisCase) (bool, error) {
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
					sum += c.value * w(i, k) * w(k, j)
				}
				if i == j {
					want = c.value * norm * norm
				}
				if sum != want {
					return false, nil
				}
			}
		}
		return true, nil
	},
	witness: func(c basisCase) *Witness {
		return &Witness{Fields: []Field{{"v", list(c.v)}}, Script: fmt.Sprintf("print(%s)", list(c.v))}
	},
}
