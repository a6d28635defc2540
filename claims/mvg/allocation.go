package mvg

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mvg"
)

// mvgAllocationChecks returns the checks of the two problems and the statements of Section 7.2 about their solutions.
func mvgAllocationChecks() check.Checks {
	return check.Checks{
		"mvg.problem1":              maximal(oneColumn).Check,
		"mvg.problem2":              check.WithException(relaxation(notAbove, squaredBudget).Check, relaxation(notBelow, squaredBudget).Check),
		"mvg.problem2.privacy":      stricter(oneNorms).Check,
		"mvg.theorem7":              check.WithCorrection(solves(printedLevel).Check, solves(positivePart).Check),
		"mvg.theorem7.directions":   check.WithCorrection(turnedNoise(transposed).Check, turnedNoise(untransposed).Check),
		"mvg.theorem7.kronecker":    check.WithCorrection(rankOnePrecisions(anySpectra, waterPrecision).Check, rankOnePrecisions(oneFlatSpectrum, waterPrecision).Check),
		"mvg.section7.proportional": check.WithCorrection(variancesAgainst(inProportion).Check, variancesAgainst(inOrder).Check),
	}
}

// spectrumCase holds the eigenvalues 1/k_i of the query's covariance K_f, with integers k_i in ascending order, and a
// budget.
type spectrumCase struct {
	inverses []int64
	budget   int64
}

func (c spectrumCase) eigenvalues() []float64 {
	return lists.Of(len(c.inverses), func(i int) float64 { return 1 / float64(c.inverses[i]) })
}

func (c spectrumCase) fields() []check.Field {
	return check.Named("eigenvalues", "1/k for k in "+check.List(c.inverses), "budget", c.budget)
}

// assign returns script code that sets ls to the eigenvalues and d to the budget.
func (c spectrumCase) assign() string {
	return fmt.Sprintf("ls = [1 / k for k in %s]; d = %d; ", check.List(c.inverses), c.budget)
}

// bySpectrum quantifies a statement over spectra and budgets; witness may be nil.
func bySpectrum(holds func(c spectrumCase) bool, witness func(c spectrumCase) *check.Witness) check.Statement[spectrumCase] {
	return check.Statement[spectrumCase]{
		Family: "up to three eigenvalues 1/k, k ≤ 5, d ≤ 3",
		Each: check.Grid(func(c *spectrumCase) []check.Axis {
			var size int
			return []check.Axis{
				check.Span(&size, 1, 3),
				check.Span(&c.budget, 1, 3),
				check.From(&c.inverses, check.Keep(intVectors(1, 3, 1, 5), slices.IsSorted)),
				check.Where(func() bool { return len(c.inverses) == size }),
			}
		}),
		Draw: func(rng *rand.Rand) spectrumCase {
			c := spectrumCase{budget: 1 + rng.Int64N(40)}
			for range 1 + rng.IntN(6) {
				c.inverses = append(c.inverses, 1+int64(math.Exp(8*rng.Float64())))
			}
			slices.Sort(c.inverses)
			return c
		},
		Holds:   holds,
		Witness: witness,
	}
}

// oneColumn returns the workbench's solution of Problem 1 for one column.
func oneColumn(lambda []float64, d float64) []float64 {
	w := check.Must(mvg.Waterfill(lambda, d*d, mvg.L2))
	return w.Precisions
}

// maximal states that a solution of Problem 1 is positive, is within the budget, and attains the value of the Lagrange
// dual.
func maximal(solve func(lambda []float64, d float64) []float64) check.Statement[spectrumCase] {
	return bySpectrum(func(c spectrumCase) bool {
		lambda, d := c.eigenvalues(), float64(c.budget)
		p := solve(lambda, d)
		value, spent := 0.0, 0.0
		for i, l := range lambda {
			if !(p[i] > 0) {
				return false
			}
			value += math.Log1p(l * p[i])
			spent += p[i] * p[i]
		}
		// For every ν > 0, Σ max_p (ln(1 + λp) − νp²) + νd² bounds the objective from above. Each maximum is at the p
		// with λ/(1 + λp) = 2νp.
		nu := lambda[0] / (2 * p[0] * (1 + lambda[0]*p[0]))
		dual := nu * d * d
		for _, l := range lambda {
			x := l / (nu * (1 + math.Sqrt(1+2*l*l/nu)))
			dual += math.Log1p(l*x) - nu*x*x
		}
		// spent is a sum of at most six squares, each within an ulp.
		return spent <= d*d*(1+16*check.Epsilon64) && dual-value <= 1e-9*(1+value)
	}, nil)
}

// notBelow reports whether a ≥ b is possible, and notAbove whether a ≤ b is. Both return true for enclosures that
// overlap.
func notBelow(a, b evidence.Certified) bool { return a.Hi >= b.Lo }
func notAbove(a, b evidence.Certified) bool { return a.Lo <= b.Hi }

// squaredBudget returns the budget of Σp_i² in Problem 1.
func squaredBudget(d float64) float64 { return d * d }

// relaxation states that compare holds for the optimum under Σp_i ≤ d and the optimum under Σp_i² ≤ budget(d).
func relaxation(compare func(l1, l2 evidence.Certified) bool, budget func(d float64) float64) check.Statement[spectrumCase] {
	return bySpectrum(func(c spectrumCase) bool {
		d := float64(c.budget)
		l1 := check.Must(mvg.Waterfill(c.eigenvalues(), d, mvg.L1))
		l2 := check.Must(mvg.Waterfill(c.eigenvalues(), budget(d), mvg.L2))
		return compare(l1.Value, l2.Value)
	}, func(c spectrumCase) *check.Witness {
		return &check.Witness{
			Fields: c.fields(),
			Script: c.assign() + `a = waterfill(ls, d).log_pnr.hi; b = waterfill(ls, d * d, norm="l2").log_pnr.lo; print(a, b, a >= b)`,
		}
	})
}

// oneNorms returns ‖p‖₁²‖q‖₁².
func oneNorms(p, q []int64) int64 {
	norm := func(xs []int64) (sum int64) {
		for _, x := range xs {
			sum += x
		}
		return sum
	}
	return norm(p) * norm(p) * norm(q) * norm(q)
}

// stricter states that ‖p‖₂²‖q‖₂² is at most bound(p, q) for the precisions p and q of the two modes.
func stricter(bound func(p, q []int64) int64) check.Statement[matrixPair] {
	return check.Statement[matrixPair]{
		Family: "up to three precisions in 1…3 for either mode",
		Each: check.Grid(func(c *matrixPair) []check.Axis {
			return []check.Axis{
				check.From(&c.a, intShapes(1, 3, [2]int{1, 1}, [2]int{1, 2}, [2]int{1, 3})),
				check.From(&c.b, intShapes(1, 3, [2]int{1, 1}, [2]int{1, 2}, [2]int{1, 3})),
			}
		}),
		Draw: func(rng *rand.Rand) matrixPair {
			draw := func() intMatrix {
				a := drawInts(rng, 1, 1+rng.IntN(8), 50)
				for i, v := range a[0] {
					a[0][i] = 1 + max(v, -v)
				}
				return a
			}
			return matrixPair{draw(), draw()}
		},
		Holds: func(c matrixPair) bool { return c.a.square()*c.b.square() <= bound(c.a[0], c.b[0]) },
	}
}

// waterLevel returns (budget + Σ k_i)/n over the first n of the k_i.
func waterLevel(c spectrumCase, n int) *big.Rat {
	sum := big.NewRat(c.budget, 1)
	for _, k := range c.inverses[:n] {
		sum.Add(sum, big.NewRat(k, 1))
	}
	return sum.Quo(sum, big.NewRat(int64(n), 1))
}

// printedLevel returns the precisions c − k_i of (25) as printed, including negative ones.
func printedLevel(c spectrumCase) []*big.Rat {
	out, at := make([]*big.Rat, len(c.inverses)), waterLevel(c, len(c.inverses))
	for i, k := range c.inverses {
		out[i] = new(big.Rat).Sub(at, big.NewRat(k, 1))
	}
	return out
}

// positivePart returns the precisions (c − k_i)⁺, with the c for which they sum to the budget. This c is the smallest
// waterLevel over all n.
func positivePart(c spectrumCase) []*big.Rat {
	at := waterLevel(c, 1)
	for n := 2; n <= len(c.inverses); n++ {
		if l := waterLevel(c, n); l.Cmp(at) < 0 {
			at = l
		}
	}
	out := make([]*big.Rat, len(c.inverses))
	for i, k := range c.inverses {
		if out[i] = new(big.Rat).Sub(at, big.NewRat(k, 1)); out[i].Sign() < 0 {
			out[i].SetInt64(0)
		}
	}
	return out
}

// solves checks in rationals that the precisions of a rule solve Problem 2.
func solves(rule func(spectrumCase) []*big.Rat) check.Statement[spectrumCase] {
	return bySpectrum(func(c spectrumCase) bool {
		p, spent := rule(c), new(big.Rat)
		var most *big.Rat // smallest k + p, the reciprocal of the gradient λ/(1 + λp)
		for i, k := range c.inverses {
			if p[i].Sign() < 0 {
				return false
			}
			spent.Add(spent, p[i])
			if s := new(big.Rat).Add(big.NewRat(k, 1), p[i]); most == nil || s.Cmp(most) < 0 {
				most = s
			}
		}
		for i, k := range c.inverses {
			if s := new(big.Rat).Add(big.NewRat(k, 1), p[i]); p[i].Sign() > 0 && s.Cmp(most) > 0 {
				return false
			}
		}
		return spent.Cmp(big.NewRat(c.budget, 1)) == 0
	}, func(c spectrumCase) *check.Witness {
		return &check.Witness{
			Fields: append(c.fields(), check.Named("c", waterLevel(c, len(c.inverses)))...),
			Script: c.assign() + "c = (d + sum([1 / l for l in ls])) / len(ls); p = [c - 1 / l for l in ls]; print(min(p), min(waterfill(ls, d).precisions), min(p) > 0)",
		}
	})
}

// signalCase is a level c in quarters and two eigenvalues λ whose precisions c − 1/λ are positive.
type signalCase struct{ quarters, a, b int64 }

func (c signalCase) variance(l int64) *big.Rat {
	p := new(big.Rat).Sub(big.NewRat(c.quarters, 4), big.NewRat(1, l))
	return p.Inv(p)
}

// inProportion states that the variances are inversely proportional to the eigenvalues.
func inProportion(c signalCase) bool {
	x, y := c.variance(c.a), c.variance(c.b)
	return x.Mul(x, big.NewRat(c.a, 1)).Cmp(y.Mul(y, big.NewRat(c.b, 1))) == 0
}

// inOrder states that the larger eigenvalue has the smaller variance.
func inOrder(c signalCase) bool { return c.variance(c.a).Cmp(c.variance(c.b)) == cmp.Compare(c.b, c.a) }

// variancesAgainst quantifies a statement over levels and pairs of eigenvalues.
func variancesAgainst(holds func(signalCase) bool) check.Statement[signalCase] {
	return check.Statement[signalCase]{
		Family: "λ₁ ≤ λ₂ in 1…4, c in 5/4 … 4 by quarters",
		Each: check.Grid(func(c *signalCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.b, 1, 4),
				check.Span(&c.a, 1, 4),
				check.Span(&c.quarters, 5, 16),
				check.Where(func() bool { return c.a <= c.b }),
			}
		}),
		Draw: func(rng *rand.Rand) signalCase {
			return signalCase{5 + rng.Int64N(40), 1 + rng.Int64N(50), 1 + rng.Int64N(50)}
		},
		Holds: func(c signalCase) bool { return holds(c) },
		Simpler: func(c signalCase) iter.Seq[signalCase] {
			return func(yield func(signalCase) bool) {
				_ = c.quarters != 8 && yield(signalCase{8, c.a, c.b})
			}
		},
		Witness: func(c signalCase) *check.Witness {
			return check.NewWitness(check.Named("c", big.NewRat(c.quarters, 4), "eigenvalues", []int64{c.a, c.b}, "variances", c.variance(c.a).RatString()+", "+c.variance(c.b).RatString()),
				check.Vars{"quarters": c.quarters, "a": c.a, "b": c.b},
				"c, ls = {quarters} / 4, [{a}, {b}]; v = [l / (c - 1 / l) for l in ls]; print(v[0], v[1], abs(v[0] - v[1]) < 1e-9)")
		},
	}
}
