package mvg

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/matrices"
)

func mvgMutants() map[checktest.Mutant]check.Checker {
	ctx := context.Background()
	out := map[checktest.Mutant]check.Checker{
		{"mvg.theorem1", "A² for AᵀA"}: decomposition(func(a intMatrix) intMatrix {
			if len(a) != len(a[0]) {
				return gramMatrix(a)
			}
			return a.times(a)
		}, 0).Check,
		{"mvg.theorem1", "all of Λ positive"}:  decomposition(gramMatrix, 1).Check,
		{"mvg.lemma2", "‖A‖/i for ‖A‖/√i"}:     singularBound(func(square int64, i int) *big.Rat { return big.NewRat(square, int64(i*i)) }).Check,
		{"mvg.lemma2", "i + 1 for i"}:          singularBound(func(square int64, i int) *big.Rat { return big.NewRat(square, int64(i+1)) }).Check,
		{"mvg.lemma3", "the sum to r − 1"}:     traceBound(func(r int) int { return r - 1 }).Check,
		{"mvg.lemma4", "the norm for the sum"}: traceMagnitude(frobeniusSpan).Check,
		{"mvg.lemma4", "σ₁ alone"}:             traceMagnitude(func(sigma []sigmaSpan) sigmaSpan { return sigma[0] }).Check,
		{"mvg.lemma5", "a column left out"}:    hadamard(func(norms []int64) []int64 { return norms[1:] }).Check,
		{"mvg.lemma5", "norms not squared"}: hadamard(func(norms []int64) (out []int64) {
			for _, v := range norms {
				out = append(out, int64(math.Ceil(math.Sqrt(float64(v)))))
			}
			return out
		}).Check,
		{"mvg.lemma6", "Σ⊗Ψ for Ψ⊗Σ"}:  sameDensity(func(sigma, psi intMatrix) intMatrix { return sigma.kronecker(psi) }, definition2).Check,
		{"mvg.lemma6", "|Ψ|ⁿ|Σ|ᵐ"}:     sameDensity(columnsOutside, func(sigma, psi *big.Rat, m, n int) *big.Rat { return definition2(sigma, psi, n, m) }).Check,
		{"mvg.lemma7", "B_Ψ for B_Ψᵀ"}: affineImage(func(s, n, p intMatrix) intMatrix { return s.times(n).times(p) }, outerProduct).Check,
		{"mvg.lemma7", "BᵀB for BBᵀ"}:  affineImage(func(s, n, p intMatrix) intMatrix { return s.times(n).times(p.transpose()) }, gramMatrix).Check,
		{"mvg.lemma8.proof.form", "a corner doubled"}: precisionOf(func(k intMatrix) ratMatrix {
			out := inverseOf(k)
			out[0][0] = new(big.Rat).Mul(out[0][0], big.NewRat(2, 1))
			return out
		}).Check,
		{"mvg.lemma8.proof.normaliser", "|Σ||Ψ|"}: dividesBy(exchanged, func(sigma, psi *big.Rat, _, _ int) *big.Rat { return definition2(sigma, psi, 1, 1) }).Check,
		{"mvg.lemma8.proof.determinant", "the fourth root"}: dividesBy(exchanged, func(sigma, psi *big.Rat, m, n int) *big.Rat {
			return squaredDeterminant(sigma, psi, 2*m, 2*n)
		}).Check,
		{"mvg.lemma8.proof.sign", "half of it"}:                meanLogDensity(-0.5).Check,
		{"mvg.lemma8.proof.exists", "rows of two with others"}: variancesFactor(false).Check,
		{"mvg.theorem2.proof.transpose", "Δ transposed too"}:   noiseTerm(func(n intMatrix) intMatrix { return n.transpose().times(intMatrix{{0, 1}, {1, 0}}) }, "n").Check,
		{"mvg.lemma10.proof", "4αε"}:                           radicand(func(r radicandCase) int64 { return 4 * r.alpha * r.eps }).Check,
		{"mvg.section6.cost", "61 times steps 5 and 6"}: firstCost(func(m, n int64) int64 {
			return m*m*m + samplingCost(m, n)
		}, 61).Check,
		{"mvg.section6.cost2", "m²"}: secondCost(2).Check,
		{"mvg.section8.identities", "half the range"}: identitySensitivity(func(lo, hi int64) int64 {
			return (hi - lo) * (hi - lo) / 4
		}).Check,
		{"mvg.table3.prose", "in 10⁻¹"}: proseAgrees("Table 3",
			func(c comparison) bool { return c.table == "3" }, -1, cell.average).Check,
		{"mvg.table4.prose", "half widths for means"}: proseAgrees("Table 4",
			func(c comparison) bool { return c.table == "4" }, -1, func(c cell) *big.Rat { return c.half.Rat() }).Check,
		{"mvg.table5.prose", "in 10⁻³"}: proseAgrees("Table 5",
			func(c comparison) bool { return c.table == "5" }, -3, cell.average).Check,
		{"mvg.tables.intervals", "twice the noise"}:          intervalsDecide(big.NewRat(2, 1)).Check,
		{"mvg.gains", "the increase"}:                        printedGains(2).Check,
		{"mvg.figure4.labels", "the text's"}:                 panelLabels("text").Check,
		{"mvg.conference.exponent", "the third term's sign"}: exponentExpands(-1).Check,
		{"mvg.conference.split", "without δ"}:                splitBound(0).Check,
		{"mvg.conference.tables", "against no privacy too"}:  bestIsMVG("").Check,
		{"mvg.zeta", "√(−mn ln δ) once"}: tailBound(func(c chiCase) interval.Interval {
			return laurentMassart(c).Sub(interval.Int(int64(c.size)).Mul(interval.Float(c.delta).Log().Neg()).Sqrt())
		}),
		{"mvg.zeta", "without −2 ln δ"}: tailBound(func(c chiCase) interval.Interval {
			return laurentMassart(c).Add(interval.Int(2).Mul(interval.Float(c.delta).Log()))
		}),
		{"mvg.zeta", "without mn"}:                              tailBound(func(c chiCase) interval.Interval { return laurentMassart(c).Sub(interval.Int(int64(c.size))) }),
		{"mvg.example1", "√2 left out"}:                         outerDifference(func(m int64) int64 { return m * m }).Check,
		{"mvg.section8.sensitivity", "√3 for √2"}:               outerSupremum(1, true, func(m int64) int64 { return 3 * m * m }).Check,
		{"mvg.section8.sensitivity", "odd m as well"}:           outerSupremum(1, false, func(m int64) int64 { return 2 * m * m }).Check,
		{"mvg.example2", "without the diagonal"}:                kernelFunctions(func(n int64) int64 { return 8*n - 8 }).Check,
		{"mvg.example2", "4 for 8"}:                             kernelFunctions(func(n int64) int64 { return 4*n - 4 }).Check,
		{"mvg.example2.psd", "n − 2 for n − 1"}:                 kernelSupremum(func(n int64) int64 { return 8*n - 16 }).Check,
		{"mvg.example2.psd", "8n − 4"}:                          kernelSupremum(func(n int64) int64 { return 8*n - 4 }).Check,
		{"mvg.section8.shape", "rows for columns"}:              experimentShapes(func(e experimentShape) int { return e.rows }).Check,
		{"mvg.lemma10.others", "¼ for ½"}:                       underRatio(func(c twoSignals, p [2]float64) float64 { return halfLogRatio(c, p) / 2 }).Check,
		{"mvg.lemma10.others", "the first coordinate alone"}:    underRatio(func(c twoSignals, p [2]float64) float64 { return math.Log1p(float64(c.variance[0])*p[0]) / 2 }).Check,
		{"mvg.directional.box", "λ water-filled"}:               boxFilling(equalWeights).Check,
		{"mvg.example2.bound", "from n = 7 on"}:                 kernelSensitivity(6).Check,
		{"mvg.theorem3.proof", "H_r halved"}:                    combinedTerms(func(norm float64) float64 { return norm * norm / 2 }).Check,
		{"mvg.theorem3.proof", "the root for the square"}:       combinedTerms(math.Sqrt).Check,
		{"mvg.theorem4.product", "trace positive"}:              semidefinitePairs(func(c matrixPair) bool { return c.a.times(c.b).trace() > 0 }).Check,
		{"mvg.theorem4.product", "trace the product of traces"}: semidefinitePairs(func(c matrixPair) bool { return c.a.times(c.b).trace() >= c.a.trace()*c.b.trace() }).Check,
		{"mvg.theorem4.sensitivity", "1 for √2"}:                semidefinitePairs(distanceWithin(1)).Check,
		{"mvg.section6.precision", "2σ for σ"}:                  inverseVariance(func(sigma *big.Rat) *big.Rat { return new(big.Rat).Mul(sigma, big.NewRat(2, 1)) }).Check,
		{"mvg.section6.precision", "1/σ for σ"}:                 inverseVariance(func(sigma *big.Rat) *big.Rat { return new(big.Rat).Inv(sigma) }).Check,
		{"mvg.theorem4", "r > 11"}:                              moreForPSD(1, 11).Check,
		{"mvg.theorem4", "s₂ ≤ 1.1γ"}:                           moreForPSD(1.1, 12).Check,
		{"mvg.theorem4.proof", "2ε for 4ε"}:                     largestRoot(func(c rootCase) interval.Interval { return positiveRoot(c).Quo(interval.Int(2)) }).Check,
		{"mvg.theorem4.proof", "root doubled"}:                  largestRoot(func(c rootCase) interval.Interval { return positiveRoot(c).Mul(interval.Int(2)) }).Check,
		{"mvg.table4.ranking", "‖E‖ for √2‖E‖"}:                 lostBound(1).Check,
		{"mvg.theorem5", "without n"}:                           precisionBudget(mvg.Unimodal, mvg.Theorem2, func(phi interval.Interval, _ int) interval.Interval { return phi.Pow(4) }).Check,
		{"mvg.theorem5", "φ² for φ⁴"}: precisionBudget(mvg.Unimodal, mvg.Theorem2, func(phi interval.Interval, n int) interval.Interval {
			return phi.Pow(2).Quo(interval.Int(int64(n)))
		}).Check,
		{"mvg.problem1", "uniform precision"}:      maximal(uniformPrecision).Check,
		{"mvg.problem1", "precision by Problem 2"}: maximal(scaledL1).Check,
		{"mvg.problem2.privacy", "‖q‖₁ for its square"}: stricter(func(p, q []int64) int64 {
			return oneNorms(p, []int64{1}) * int64(math.Sqrt(float64(oneNorms([]int64{1}, q))))
		}).Check,
		{"mvg.problem2.privacy", "the largest for the sum"}: stricter(func(p, q []int64) int64 {
			return oneNorms([]int64{slices.Max(p)}, []int64{slices.Max(q)})
		}).Check,
		{"mvg.problem2", "d for d²"}:                                  relaxation(notAbove, func(d float64) float64 { return d }).Check,
		{"mvg.theorem7", "c of (25) with (·)⁺"}:                       solves(clippedLevel).Check,
		{"mvg.theorem7", "c − λ for c − 1/λ"}:                         solves(eigenvalueLevel).Check,
		{"mvg.theorem7.directions", "QΛQ"}:                            turnedNoise(func(q, noise ratMatrix) ratMatrix { return q.times(noise).times(q) }).Check,
		{"mvg.theorem7.directions", "noise not turned"}:               turnedNoise(func(_, noise ratMatrix) ratMatrix { return noise }).Check,
		{"mvg.theorem7.kronecker", "no flat spectrum asked"}:          rankOnePrecisions(anySpectra, waterPrecision).Check,
		{"mvg.theorem7.kronecker", "flat but for one"}:                rankOnePrecisions(flatButOne, waterPrecision).Check,
		{"mvg.section7.proportional", "order turned"}:                 variancesAgainst(func(c signalCase) bool { return c.variance(c.a).Cmp(c.variance(c.b)) == cmp.Compare(c.a, c.b) }).Check,
		{"mvg.section7.proportional", "less noise for equal signals"}: variancesAgainst(func(c signalCase) bool { return inOrder(c) && c.a != c.b }).Check,
		{"mvg.directional", "1/θ for θ"}:                              lessNoise(ctx, turnedShares, boxSet).Check,
		{"mvg.directional", "a box for a ball"}:                       lessNoise(ctx, tightVariances, ballSet).Check,
		{"mvg.directional.box", "2h for (2h)²"}:                       boxFilling(func(h int64) int64 { return 2 * h }).Check,
		{"mvg.lemma8.bound", "2π for 2πe"}:                            entropyBound(withoutE).Check,
		{"mvg.lemma8.bound", "2πe without its exponent"}:              entropyBound(oneFactor).Check,
		{"mvg.lemma8", "any law"}:                                     entropyEquality(func(c entropyCase) bool { return c.slack == 0 }).Check,
		{"mvg.lemma8", "any covariance below K"}:                      entropyEquality(func(c entropyCase) bool { return c.normal() }).Check,
		{"mvg.lemma9.bound", "2π for 2πe"}:                            conditionalBound(withoutE).Check,
		{"mvg.lemma9.bound", "2πe without its exponent"}:              conditionalBound(oneFactor).Check,
		{"mvg.lemma9", "any law"}:                                     conditionalEquality(func(conditionalCase) bool { return true }).Check,
		{"mvg.lemma9", "normal where Y ≥ 0"}:                          conditionalEquality(func(c conditionalCase) bool { return entropyCase{laws: c.above}.normal() }).Check,
		{"mvg.lemma10.gaussian", "|K + S|/|K|"}:                       gaussianInformation(func(k, s, sum intMatrix) *big.Rat { return powerToNoise(s, k, sum) }).Check,
		{"mvg.lemma10.gaussian", "without the half"}:                  gaussianInformation(func(k, s, sum intMatrix) *big.Rat { r := powerToNoise(k, s, sum); return r.Mul(r, r) }).Check,
		{"mvg.lemma10", "precisions exchanged"}:                       bestDesign(normalSignals, func(c twoSignals) [2]float64 { p := c.largestRatio(); return [2]float64{p[1], p[0]} }).Check,
		{"mvg.lemma10", "uniform precision"}: bestDesign(normalSignals, func(c twoSignals) [2]float64 {
			p := float64(c.budget) / math.Sqrt2
			return [2]float64{p, p}
		}).Check,
		{"mvg.theorem8", "¼ for ½"}:                              decomposable(func(c queryCase) float64 { return gaussianCapacity(c) / 2 }).Check,
		{"mvg.theorem8", "ln of the ratio alone"}:                decomposable(func(c queryCase) float64 { return math.Log(float64(c.ratio)) / 2 }).Check,
		{"mvg.theorem9", "the sign's variance forgotten"}:        normalLeakage(func(c mixtureCase) float64 { return float64(c.s) }).Check,
		{"mvg.theorem9", "a for a²"}:                             normalLeakage(func(c mixtureCase) float64 { return float64(c.s + c.a) }).Check,
		{"mvg.rivals.jl.raised", "a thousandth of the width"}:    projection(matrices.Raised, 1e-3).Check,
		{"mvg.rivals.jl.raised", "a hundredth of the width"}:     projection(matrices.Raised, 1e-2).Check,
		{"mvg.rivals.jl.threshold", "a thousandth of the width"}: projection(matrices.Threshold, 1e-3).Check,
		{"mvg.rivals.jl.threshold", "a hundredth of the width"}:  projection(matrices.Threshold, 1e-2).Check,
		{"mvg.rivals.ppca", "ε/2 for ε"}:                         componentLoss(0.5).Check,
		{"mvg.rivals.ppca", "0.9ε for ε"}:                        componentLoss(0.9).Check,
		{"mvg.rivals.net", "ε/4 for ε"}:                          netLoss(matrices.Max, 0.25).Check,
		{"mvg.rivals.net", "ε/3 by the sum"}:                     netLoss(matrices.Sum, 1.0/3).Check,
		{"r1smg", "ψ to half its power"}:                         smallRankOne(onVariance(func(v float64, c rankOneCase) float64 { return math.Sqrt(v) })),
		{"r1smg", "a hundredth of the variance"}:                 smallRankOne(onVariance(func(v float64, c rankOneCase) float64 { return v / 100 })),
	}
	for _, theorem := range []mvg.Theorem{mvg.Theorem2, mvg.Theorem3} {
		id := map[mvg.Theorem]string{mvg.Theorem2: "mvg.theorem2", mvg.Theorem3: "mvg.theorem3"}[theorem]
		out[checktest.Mutant{id, "ζ left out of β"}] = sufficient(theorem, func(c mvgCase) interval.Interval {
			k := tableOne(c)
			return quadraticBound(k.leading(theorem), k.beta.Quo(k.zeta), c.eps)
		})
		out[checktest.Mutant{id, "φ for φ²"}] = sufficient(theorem, func(c mvgCase) interval.Interval {
			k := tableOne(c)
			return quadraticRoot(k.leading(theorem), k.beta, c.eps)
		})
	}
	for _, c := range []struct {
		budget, algorithm string
		mode              mvg.Mode
		theorem           mvg.Theorem
	}{
		{"", "mvg.algorithm1", mvg.Unimodal, mvg.Theorem2},
		{"mvg.theorem6", "mvg.algorithm2", mvg.Equimodal, mvg.Theorem2},
		{"mvg.theorem6.psd", "mvg.algorithm2.psd", mvg.Equimodal, mvg.Theorem3},
	} {
		if c.budget != "" {
			out[checktest.Mutant{c.budget, "φ⁴/n, as in Theorem 5"}] = precisionBudget(c.mode, c.theorem, theorem5).Check
			out[checktest.Mutant{c.budget, "φ for φ²"}] = precisionBudget(c.mode, c.theorem, func(phi interval.Interval, _ int) interval.Interval { return phi }).Check
		}
		out[checktest.Mutant{c.algorithm, "1/p for 1/√p"}] = allocates(c.mode, c.theorem, func(p float64) float64 { return 1 / p }).Check
		out[checktest.Mutant{c.algorithm, "√p for 1/√p"}] = allocates(c.mode, c.theorem, math.Sqrt).Check
	}
	return out
}

// frobeniusSpan returns √Σσ_i² in place of Σσ_i.
func frobeniusSpan(sigma []sigmaSpan) sigmaSpan {
	var squares []sigmaSpan
	for _, s := range sigma {
		squares = append(squares, sigmaSpan{s.lo * s.lo, s.hi * s.hi})
	}
	s := addSpans(squares)
	return sigmaSpan{math.Sqrt(s.lo), math.Sqrt(s.hi)}
}

func uniformPrecision(lambda []float64, d float64) []float64 {
	return slices.Repeat([]float64{d / math.Sqrt(float64(len(lambda)))}, len(lambda))
}

// scaledL1 returns the solution of Problem 2, scaled to the budget of Problem 1.
func scaledL1(lambda []float64, d float64) []float64 {
	w := check.Must(mvg.Waterfill(lambda, d, mvg.L1))
	norm := 0.0
	for _, p := range w.Precisions {
		norm = math.Hypot(norm, p)
	}
	for i := range w.Precisions {
		w.Precisions[i] *= d / norm
	}
	return w.Precisions
}

// clippedLevel returns (c − k_i)⁺ with the c of (25), so that the precisions may sum to more than the budget.
func clippedLevel(c spectrumCase) []*big.Rat {
	out := printedLevel(c)
	for _, p := range out {
		if p.Sign() < 0 {
			p.SetInt64(0)
		}
	}
	return out
}

// eigenvalueLevel returns (c − λ_i)⁺ with the c of the correct solution.
func eigenvalueLevel(c spectrumCase) []*big.Rat {
	out := positivePart(c)
	at := new(big.Rat).Add(out[0], big.NewRat(c.inverses[0], 1))
	for i, k := range c.inverses {
		if out[i] = new(big.Rat).Sub(at, big.NewRat(1, k)); out[i].Sign() < 0 {
			out[i].SetInt64(0)
		}
	}
	return out
}

// flatButOne returns the case of oneFlatSpectrum with a different last entry in the constant spectrum.
func flatButOne(c productCase) productCase {
	c = oneFlatSpectrum(c)
	c.rows, c.columns = slices.Clone(c.rows), slices.Clone(c.columns)
	if flatSpectrum(c.rows) {
		c.rows[len(c.rows)-1]++
	} else {
		c.columns[len(c.columns)-1]++
	}
	return c
}

// turnedShares returns tightVariances with shares inversely proportional to θ.
func turnedShares(ctx context.Context, c directionCase, theta []float64) []float64 {
	theta = slices.Clone(theta)
	sum := 0.0
	for i := range theta {
		theta[i] = 1 / theta[i]
		sum += theta[i]
	}
	for i := range theta {
		theta[i] /= sum
	}
	return tightVariances(ctx, c, theta)
}

// withoutE and oneFactor return ½ ln((2π)^N|K|) and ½ ln(2πe|K|).
func withoutE(size int, det float64) float64 {
	return largestEntropy(size, det) - float64(size)/2
}

func oneFactor(_ int, det float64) float64 { return largestEntropy(1, det) }

func onVariance(change func(v float64, c rankOneCase) float64) func(rankOneCase) float64 {
	return func(c rankOneCase) float64 { return change(publishedVariance(c), c) }
}

func TestMutants(t *testing.T) { checktest.Mutants(t, Claims(), mvgMutants()) }
