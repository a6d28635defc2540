package xor

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// objectsInside returns I ⊗ Θ + Σ J_ij ⊗ Λ_ij with the factors of ⊗ exchanged.
func objectsInside(c noiseCase) [][]int {
	place := func(k int) int { return k%c.p*c.n + k/c.p }
	out := square(c.n * c.p)
	for k, row := range c.pi() {
		for l, v := range row {
			out[place(k)][place(l)] = v
		}
	}
	return out
}

// pairsOnce returns Π with J_ij ⊗ Λ_ij summed over i < j only.
func pairsOnce(c noiseCase) [][]int {
	out := c.pi()
	for k := range out {
		for l := range out {
			if k/c.p > l/c.p {
				out[k][l] = 0
			}
		}
	}
	return out
}

// rowSum returns rowBound with a different weight of the other bits.
func rowSum(weigh func(v int) (up, down int)) func(noiseCase) int {
	return func(c noiseCase) int {
		most := 0
		for k, row := range c.pi() {
			up, down := row[k], -row[k]
			for l, v := range row {
				if l != k {
					u, d := weigh(v)
					up, down = up+u, down+d
				}
			}
			most = max(most, up, down)
		}
		return c.s * most
	}
}

// plainMean encloses E[Σ ω_i t_i(X)], with ω_i in place of its derivative.
func plainMean(c familyCase) interval.Interval {
	mass, moment := interval.Int(0), interval.Int(0)
	for x, h := range c.h {
		value, _ := c.exponent(c.at(), x)
		weight := interval.Int(h).Mul(value.Exp())
		mass, moment = mass.Add(weight), moment.Add(weight.Mul(value))
	}
	return moment.Quo(mass)
}

// misallocated returns Algorithm 1 with a different number of pairs or a different root of P.
func misallocated(pairs func(n int) int, root func(p int) float64) func(budgetCase) (float64, float64) {
	return func(c budgetCase) (float64, float64) {
		eps, alpha := float64(c.eps)/10, float64(c.alpha)/10
		unit := eps / float64(c.s) / root(c.p)
		return alpha * unit, (1 - alpha) * unit / float64(pairs(c.n))
	}
}

func squareRoot(p int) float64 { return math.Sqrt(float64(p)) }

func xorMutants() map[checktest.Mutant]check.Checker {
	var unseen check.RatioRange
	rows := func(bound func(noiseCase) int, kind noiseKind) check.Checker {
		return rowsSuffice(&unseen, bound, kind).Check
	}
	bounded := func(bound func(*xor.Bernoulli) (evidence.Claimed, bool)) check.Checker {
		return boundsMean(&unseen, bound).Check
	}
	tiles := func(bound func(tileCase) int) check.Checker { return composes(&unseen, bound).Check }
	return map[checktest.Mutant]check.Checker{
		{"xor.section7.sensitivity", "P − 1"}:    recordSensitivity(func(p int) int { return p - 1 }).Check,
		{"xor.table2.speed", "the factor"}:       faster(growth).Check,
		{"xor.table2.lnln", "the e-mail graph"}:  doubleLog(email.nodes).Check,
		{"xor.table2.densification", "ε rising"}: turned(denser()).Check,
		{"xor.densification", "B"}:               inOrder(false, lessBudget).Check,
		{"xor.figure2.falls", "B"}:               inOrder(false, moreBudget).Check,
		{"xor.figure2.share", "B"}:               inOrder(false, moreShare).Check,
		{"xor.footnote2", "sign"}:                oddsRatio(ofFeatures, -2).Check,
		{"xor.footnote2", "4θ_pq"}:               oddsRatio(ofFeatures, 4).Check,
		{"xor.footnote2.single", "2θ_p"}:         singleOdds(2).Check,
		{"xor.footnote2.objects", "sign"}:        oddsRatio(ofObjects, -2).Check,
		{"xor.footnote2.objects", "four times"}:  oddsRatio(ofObjects, 4).Check,
		{"xor.lemma1", "factors of ⊗ exchanged"}: vectorised(objectsInside).Check,
		{"xor.lemma1", "each pair once"}:         vectorised(pairsOnce).Check,
		{"xor.density", "half for a quarter"}:    signDensity(2).Check,
		{"xor.density", "sign"}:                  signDensity(-1).Check,
		{"xor.algorithm2", "q² for q²/2"}: keepsLaw(func(gain float64) (float64, float64) {
			return -gain / 2, gain / 2
		}).Check,
		{"xor.algorithm2", "energy kept at a crossing"}: keepsLaw(func(gain float64) (float64, float64) { return -gain, 0 }).Check,
		{"xor.algorithm2", "every wall crossed"}:        keepsLaw(func(float64) (float64, float64) { return math.Inf(-1), 0 }).Check,
		{"xor.lemma2", "bounds exchanged"}:              traceBounds(alike, opposite).Check,
		{"xor.lemma2", "the last eigenvalue left out"}: traceBounds(opposite, func(a, b []int64) int64 {
			return alike(a[:len(a)-1], b[:len(b)-1])
		}).Check,
		{"xor.remark1", "the trace for the norm"}: parametersBounded(func(m [][]int) int {
			trace := 0
			for i := range m {
				trace += m[i][i]
			}
			return trace * trace
		}, 1).Check,
		{"xor.remark1", "ε/2s_f"}:                               parametersBounded(spectralSquare, 2).Check,
		{"xor.theorem5", "sign"}:                                familyMean(func(c familyCase) interval.Interval { return c.mean().Neg() }).Check,
		{"xor.theorem5", "ω for its derivative"}:                familyMean(plainMean).Check,
		{"xor.theorem1", "pairs of bits counted once"}:          rows(rowSum(func(v int) (int, int) { return max(v, 0), max(-v, 0) }), noiseOfAnySign),
		{"xor.theorem1", "(·)⁺ dropped"}:                        rows(rowSum(func(v int) (int, int) { return 2 * v, -2 * v }), noiseOfAnySign),
		{"xor.theorem1.positive", "pairs of bits counted once"}: rows(rowSum(func(v int) (int, int) { return v, v }), positiveDefiniteNoise),
		{"xor.theorem1.positive", "the diagonal alone"}:         rows(rowSum(func(int) (int, int) { return 0, 0 }), positiveDefiniteNoise),
		{"xor.theorem1.step", "the largest for the sum"}:        normStep(func(x []int) int { return max(slices.Max(x), -slices.Min(x)) }).Check,
		{"xor.theorem1.rows", "zero rows too"}:                  rowTrace(func(_, trace int) bool { return trace > 0 }).Check,
		{"xor.algorithm1", "the last eigenvalue doubled"}:       anyBasis(lastDoubled).Check,
		{"xor.algorithm1.budget", "N(N − 1) pairs"}:             meetsBudget(misallocated(func(n int) int { return n * (n - 1) }, squareRoot)).Check,
		{"xor.algorithm1.budget", "P for √P"}:                   meetsBudget(misallocated(func(n int) int { return n * (n - 1) / 2 }, func(p int) float64 { return float64(p) })).Check,
		{"xor.algorithm1.privacy", "2(1 − α)/N"}:                allocationLoss(withinTimes(allocationFactor(2))).Check,
		{"xor.algorithm1.privacy", "N(N − 1) for N"}:            allocationLoss(withinTimes(perPair)).Check,
		{"xor.algorithm1.entries", "Λ full"}:                    allocatedBlocks(func(theta, lambda, off float64, _ int) bool { return theta > 0 && off >= lambda }).Check,
		{"xor.algorithm1.eigenvalues", "P − 1"}:                 leastMaximum(func(p int) int { return p - 1 }).Check,
		{"xor.algorithm1.eigenvalues", "P + 1"}:                 leastMaximum(func(p int) int { return p + 1 }).Check,
		{"xor.allocation", "condition (4) for the smallest ε"}:  sharing(atClaimedBudget).Check,
		{"xor.figure1", "N ≥ 2"}:                                higherShare(true, 2).Check,
		{"xor.figure1", "B for its complement"}:                 higherShare(false, 4).Check,
		{"xor.figure1.same", "power 2d"}:                        leavesAlone(2).Check,
		{"xor.blocks", "the largest for the sum"}:               tiles(largestLoss),
		{"xor.blocks", "half the bits in each"}:                 tiles(func(c tileCase) int { return sumOfLosses(tileCase{c.tiles, (c.s + 1) / 2}) }),
		{"xor.theorem2", "the complement's ones"}:               meanError(complementOnes).Check,
		{"xor.theorem2", "Π halved"}:                            meanError(halfExponent).Check,
		{"xor.remark2", "parameters of any sign"}:               budgetHelps(true, anyParameters).Check,
		{"xor.remark2", "B for its complement"}:                 budgetHelps(false, noneNegative).Check,
		{"xor.remark2.zero", "parameters of any sign"}:          uniformIsWorst(true, anyParameters).Check,
		{"xor.remark2.zero", "B for its complement"}:            uniformIsWorst(false, noneNegative).Check,
		{"xor.proposition1", "2^{NP} in L"}:                     bounded(halfBound),
		{"xor.proposition1", "Λ forgotten"}:                     bounded(boundWithoutPairs),
		{"xor.proposition1.surrogate", "N ≥ 2"}:                 againstOrder(2).Check,
		{"xor.algorithm3", "not transposed"}:                    validGraph(withoutDiagonal).Check,
		{"xor.algorithm3", "the diagonal kept"}:                 validGraph(bothEntries).Check,
		{"xor.algorithm3.sensitivity", "s_f = 1"}:               edgeEntries(1).Check,
		{"xor.theorem3", "2(1 − α)/N"}:                          graphRelease(noiseLoss(allocationFactor(2))).Check,
		{"xor.theorem3", "one bit of the edge"}:                 graphRelease(oneBitLoss).Check,
		{"xor.theorem4", "the odds of an edge for the larger"}:  leakageBound(ofAnEdge).Check,
		{"xor.theorem4", "e^{2ε}"}:                              leakageBound(func(c edgeCase, base *big.Rat) *big.Rat { return largerOdds(c, new(big.Rat).Mul(base, base)) }).Check,
		{"xor.theorem4.same", "the same at smaller priors"}:     sameLeakage(func(percent int64) bool { return percent <= 50 }).Check,
		{"xor.table2", "1 − p for its square"}:                  meanEdges(func(e, m int, p float64) float64 { return float64(e)*(1-p) + float64(m-e)*p*p }).Check,
		{"xor.table2", "all pairs for those without an edge"}:   meanEdges(func(e, m int, p float64) float64 { return float64(e)*(1-p)*(1-p) + float64(m)*p*p }).Check,
		{"xor.figure2", "ε/2"}:                                  flipsAtLeast(2).Check,
		{"xor.figure3.limit", "probability 1/2"}:                randomGraph(2).Check,
		{"xor.figure3", "a tenth of what is printed"}:           panel(8, 144, .1).Check,
		{"xor.figure3.c", "a tenth of what is printed"}:         panel(3, 112, .1).Check,
		{"xor.figure3.binomial", "a fifth of the bound"}: degreeDivergence(func(e events) (forward, backward float64) {
			a, b := pairDivergence(e)
			return a / 5, b / 5
		}).Check,
		{"xor.figure3.binomial", "an edge's pairs alone"}: degreeDivergence(func(e events) (forward, backward float64) {
			q := e.mean()
			return e.degree * eventDivergence(e.edge, q), e.degree * eventDivergence(q, e.edge)
		}).Check,
		{"xor.figure5", "means without intervals"}:             judged(nearBaseline, 0),
		{"xor.table2.density", "within 1 %"}:                   densityPrinted(.01).Check,
		{"xor.ranking.pplr.voting", "means without intervals"}: judged(accuracyBetter("Voting", "stated", 3, 5, 7, 9, 10), 0),
		{"xor.ranking.pplr.cancer", "means without intervals"}: judged(accuracyBetter("Cancer", "stated", 1, 3, 5, 7, 9, 10), 0),
		{"xor.figure4.degree", "a third"}:                      leastDegree(3).Check,
		{"xor.figure5.contrast", "B for its complement"}:       complementShowsEdges(false).Check,
		{"xor.rivals", "half of what an edge moves"}:           listsOfAnEdgeWithin(2, 1).Check,
		{"xor.rivals.ldpgen", "both lists"}:                    listsOfAnEdgeWithin(2, 1).Check,
		{"xor.rivals.pygmalion.sensitivity", "2d_max + 1"}:     seriesMoves(2).Check,
		{"xor.rivals.pygmalion.sensitivity", "3d_max + 1"}:     seriesMoves(3).Check,
		{"xor.rivals.pygmalion", "4(j − 1) + 1"}:               ownScale(0).Check,
		{"xor.rivals.pbcn", "one degree"}:                      degreesMove(1).Check,
		{"xor.rivals.approxdeg", "two bins"}:                   histogramMoves(2).Check,
		{"xor.rivals.dpcd", "half the gradient"}: member(func(c memberCase) interval.Interval {
			return c.withSlope().Quo(interval.Int(2))
		}).Check,
		{"xor.rivals.pplr", "without the slope"}: perturbed(func(c recordCase) interval.Interval { return atZero(c).Quo(interval.Int(2)) }).Check,
	}
}

func lastDoubled(c basisCase, k int) int {
	if k == len(c.v)-1 && k > 0 {
		return 2 * c.value
	}
	return c.value
}

// perPair returns α + 4(1 − α)/(N(N − 1)).
func perPair(c budgetCase) *big.Rat {
	return new(big.Rat).Add(check.Ratio(c.alpha, 10), check.Ratio(4*(10-c.alpha), 10*c.n*(c.n-1)))
}

func atClaimedBudget(c budgetCase, alpha int) evidence.Certified {
	return flipRate(c.at(alpha).law().Columns(), true)
}

func largestLoss(c tileCase) int {
	most := 0
	for _, t := range c.tiles {
		most = max(most, greatestLoss(t.exponents(), c.s))
	}
	return most
}

func complementOnes(c answerCase) evidence.Certified {
	return check.Must(c.law().ErrorRate(context.Background(), ones(c.answer), xor.Complement))
}

func halfExponent(c answerCase) evidence.Certified {
	return check.Must(check.Must(c.law().Scale(.5)).ErrorRate(context.Background(), ones(c.answer), xor.Plain))
}

func halfBound(b *xor.Bernoulli) (evidence.Claimed, bool) {
	bound, covered := b.Bound()
	bound.Value /= 2
	return bound, covered
}

// boundWithoutPairs returns U/L of Θ alone.
func boundWithoutPairs(b *xor.Bernoulli) (evidence.Claimed, bool) {
	n, _ := b.Shape()
	alone, err := xor.NewBernoulli(check.Must(b.Theta()), nil, n)
	if err != nil {
		panic(err)
	}
	return alone.Bound()
}

func withoutDiagonal(m *xor.Bits) *xor.Bits {
	n, _ := m.Shape()
	out := m.Complement().Complement()
	for i := range n {
		out.Set(i, i, false)
	}
	return out
}

// bothEntries returns A ∧ Aᵀ, including the diagonal.
func bothEntries(m *xor.Bits) *xor.Bits {
	n, _ := m.Shape()
	out := zeros(n)
	for i := range n {
		for j := range n {
			out.Set(i, j, m.At(i, j) && m.At(j, i))
		}
	}
	return out
}

func oneBitLoss(c graphCase) float64 {
	return smallestEpsilon(c.budget().law(), xor.FlipBits(1), xor.LossOptions{}).Hi
}

// turned returns the statement with each step of Table 2 reversed.
func turned(s check.Statement[[2]releasedGraph]) check.Statement[[2]releasedGraph] {
	holds := s.Holds
	s.Holds = func(c [2]releasedGraph) bool { return holds([2]releasedGraph{c[1], c[0]}) }
	return s
}

func TestMutants(t *testing.T) { checktest.Mutants(t, Claims(), xorMutants()) }
