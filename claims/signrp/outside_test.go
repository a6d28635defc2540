package signrp

import (
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/signrp"
)

// If a mechanism rejects an instance, the check ends with an error and decides nothing.
func TestRejectedInstancesAreErrors(t *testing.T) {
	pair := func(delta float64, u, v []float64) signPair {
		return signPair{p: 1, k: 1, u: u, v: v, eps: 1, delta: delta}
	}
	none := func(balancedCase, []float64) float64 { return 0 }
	for name, err := range map[string]error{
		"δ of 1 with Gaussian noise":      checktest.Held(gaussianSigns(), pair(1, []float64{0}, []float64{0.5})),
		"vectors too long":                checktest.Held(gaussianSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"vectors too long, flipped":       checktest.Held(flippedSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"no noise for δ = 1":              checktest.Held(fixedGaussianSigns(1), pair(1, []float64{0}, []float64{0.5})),
		"a projection of no row":          checktest.Held(signsSharing(func(k int) int { return k }), shared{0, 4, 1}),
		"ρ of 2, a pair":                  checktest.Held(normalPair(printedNormals), signrp.Normals{Ratio: 1, Rho: 2}),
		"p = 0 for a count":               checktest.Held(printedCount(), printedCase{reach{0, 0.5}, 8, 0.1}),
		"a projection whose δ is 2":       checktest.Held(projectedNoise(rademacherMove, 1), projectedCase{privacyPoint{1, 2}, 1, 1, 0, 1}),
		"vectors of two lengths":          checktest.Held(lessVariance(signrp.Gaussian), normalisedCase{signrp.Gaussian, 2, []float64{1, 0}, []float64{1}}),
		"vectors of two lengths, formula": checktest.Held(formulaVariance(func(f, _ float64) float64 { return f }), normalisedCase{signrp.Gaussian, 8, []float64{1, 0}, []float64{1}}),
		"noise of deviation −1":           checktest.Held(classicNoise(func(_, _ float64) float64 { return -1 }), privacyPoint{1, 0.1}),
		"β of 0 for (5)":                  checktest.Held(reachBound(printedReach, ""), reach{2, 0}),
		"a printed bound of β = 0":        check.Try(func() { printedReach(reach{2, 0}) }),
		"ratios of −1 by Lemma E.1":       check.Try(func() { unionReach(reach{2, -1}) }),
		"β of 0 for (10)":                 checktest.Held(usableReach(), onesCase{4, -10}),
		"β of −1 on a lattice":            checktest.Held(latticeReach(latticeNormal(2)), onesCase{4, -10}),
		"β of −1 for two laws":            checktest.Held(superior(fewNumbers), superiorCase{[]float64{1}, -1}),
		"p of −1 for a ratio":             checktest.Held(ratioNear(unitLimit, smallTerms), ratioPoint{-1, 1, check.One}),
		"ρ beyond 1 for a derivative":     checktest.Held(derivative(printedDerivative, "1"), signrp.Normals{Ratio: 1, Rho: 3}),
		"a step of no row":                check.Try(func() { rademacherMove(projectedCase{p: 0, k: 1}) }),
		"bins of no row":                  check.Try(func() { oporpMove(projectedCase{p: 0, k: 1}) }),
		"δ of 2 with flips":               checktest.Held(flippedSigns(), pair(2, []float64{0}, []float64{0.5})),
		"signs that spend 1/0":            checktest.Held(signsSharing(func(k int) int { return k }), shared{1, 4, 0}),
		"no signs that count":             checktest.Held(signsAmong(none), balancedCase{100, 8, 0, 0.1}),
		"noise of ε = 1e300":              checktest.Held(smallNoise(1), 1e300),
	} {
		if err == nil {
			t.Errorf("%s: decided, want an error", name)
		}
	}
}
