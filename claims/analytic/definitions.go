package analytic

import (
	"math/big"

	"dpworkbench/claims/check"
)

// definitionChecks holds what Definitions 3, 6 and 9 state.
func definitionChecks() check.Checks {
	return check.Checks{
		"analytic.definition3.laplace":     laplacePrivacy(sumDistance).Check,
		"analytic.definition3.density":     check.WithCorrection(unitMass(printedFactor).Check, unitMass(func(c densityCase) *big.Rat { return check.Power(c.halfWidth(), c.k) }).Check),
		"analytic.definition3.exponential": exponentialPrivacy(2).Check,
		"analytic.definition6":             check.WithCorrection(productMetric(anyNorm).Check, productMetric(monotoneNorm).Check),
		"analytic.definition9":             check.WithCorrection(sameRealSet().Check, applicable(100, sameNeighboringSet(linearCase.invariant))),
	}
}
