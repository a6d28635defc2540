package analytic

import (
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// definitionClaims holds what Definitions 3, 6 and 9 state.
func definitionClaims() []check.Claim {
	return []check.Claim{{
		ID: "analytic.definition3.laplace", Paper: Paper, Place: "Definition 3, Laplace", Covers: []string{"Definition 3"},
		Statement:  "the Laplace mechanism with density ∝ e^{−ε‖r − f(x)‖₁/Δf} is ε-DP",
		Hypotheses: "Δf by Definition 2, in ‖·‖₁; the printed factor ε/(2Δf), which makes a density for k = 1 alone (analytic.definition3.density), read as a normaliser; densities compared at whole points",
		Recorded:   evidence.Confirmed,
		Checker:    laplacePrivacy(sumDistance).Check,
	}, {
		ID: "analytic.definition3.density", Paper: Paper, Place: "Definition 3, the density", Covers: []string{"Definition 3"},
		Statement:  "ε/(2Δf) · e^{−ε‖r − f(x)‖₁/Δf} is a probability density on ℝᵏ",
		Hypotheses: "every k ≥ 1; ∫ e^{−|t|/b} dt = 2b in each coordinate, b = Δf/ε",
		Corrected:  "(ε/(2Δf))ᵏ · e^{−ε‖r − f(x)‖₁/Δf} is",
		Recorded:   evidence.Refuted, Remark: "misprint",
		Checker: check.WithCorrection(unitMass(printedFactor).Check, unitMass(func(c densityCase) *big.Rat { return check.Power(c.halfWidth(), c.k) }).Check),
	}, {
		ID: "analytic.definition3.exponential", Paper: Paper, Place: "Definition 3, exponential", Covers: []string{"Definition 3"},
		Statement:  "the exponential mechanism p^x(r) ∝ e^{ε s^x(r)/(2Δs)} is ε-DP",
		Hypotheses: "R finite; Δs by Definition 2, the largest change of the score of one value between neighbors",
		Recorded:   evidence.Confirmed,
		Checker:    exponentialPrivacy(2).Check,
	}, {
		ID: "analytic.definition6", Paper: Paper, Place: "Definition 6",
		Statement:  "N(d_1, …, d_n) is a metric on R_1 × … × R_n for every norm N on ℝⁿ",
		Hypotheses: "metric spaces (R_i, d_i); checked: the triangle inequality",
		Corrected:  "it is where N does not fall as a coordinate grows in absolute value",
		Recorded:   evidence.Refuted,
		Checker:    check.WithCorrection(productMetric(anyNorm).Check, productMetric(monotoneNorm).Check),
	}, {
		ID: "analytic.definition9", Paper: Paper, Place: "Definition 9",
		Statement:  "{f(x') − f(x): x' ∈ N^x} is V_f = {f(y): d̄(0, y) ≤ 1} at every x, for a linear f",
		Hypotheses: "D, R vector spaces over one field; any metric d̄ on D, as the abstract model has it. Searched on D = R = ℝ with d̄(x, y) = |g(x) − g(y)|/g(u), g rising; the corrected statement on finite fields, where every metric with distances 1 and 2 can be visited",
		Corrected:  "the same where d̄(x, y) = d̄(0, y − x)",
		Recorded:   evidence.Refuted,
		Checker: check.WithCorrection(applicable(1, func(met *int) check.Statement[realCase] { return sameRealSet(met) }),
			applicable(100, func(met *int) check.Statement[linearCase] { return sameNeighboringSet(met, linearCase.invariant) })),
	}}
}
