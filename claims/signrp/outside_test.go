package signrp

import (
	"errors"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/signrp"
)

// An instance that a statement's mechanisms refuse, or a rule that has no answer for it, ends the
// check with an error: it is not decided, and shows no evidence.
func TestInstancesOutside(t *testing.T) {
	pair := func(delta float64, u, v []float64) signPair {
		return signPair{p: 1, k: 1, u: u, v: v, eps: 1, delta: delta}
	}
	none := func(balancedCase, []float64) float64 { return 0 }
	failing := func(from int) normalParts { // at a turn
		turn := 0
		ask := func(f func(signrp.Normals) (float64, error)) func(signrp.Normals) (float64, error) {
			return func(n signrp.Normals) (float64, error) {
				if turn++; turn > from {
					return 0, checktest.ErrNoAnswer
				}
				return f(n)
			}
		}
		return normalParts{ask(printedNormals.exceeds), ask(printedNormals.mean), printedNormals.bound}
	}
	failingAt := func(at int) normalParts { // at one turn alone
		parts, turn := printedNormals, 0
		parts.exceeds = func(n signrp.Normals) (float64, error) {
			p, err := n.Exceeds()
			if turn++; turn == at+1 {
				err = checktest.ErrNoAnswer
			}
			return p, err
		}
		return parts
	}
	for name, err := range map[string]error{
		"δ of 1 with Gaussian noise":      checktest.Held(gaussianSigns(), pair(1, []float64{0}, []float64{0.5})),
		"vectors too long":                checktest.Held(gaussianSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"vectors too long, flipped":       checktest.Held(flippedSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"no noise for δ = 1":              checktest.Held(fixedGaussianSigns(1), pair(1, []float64{0}, []float64{0.5})),
		"a projection of no row":          checktest.Held(signsSharing(func(k int) int { return k }), shared{0, 4, 1}),
		"ρ of 2, a pair":                  checktest.Held(normalPair(printedNormals), signrp.Normals{Ratio: 1, Rho: 2}),
		"p = 0 for a count":               checktest.Held(printedCount(), printedCase{reach{0, 0.5}, 8, 0.1}),
		"a reach that is not known":       checktest.Held(reachBound(func(reach) (float64, error) { return 0, checktest.ErrNoAnswer }, ""), reach{1, 0.5}),
		"a move that is not known":        checktest.Held(projectedNoise(func(projectedCase) (float64, error) { return 0, checktest.ErrNoAnswer }, 1), projectedCase{privacyPoint{1, 0.1}, 1, 1, 0, 1}),
		"a projection whose δ is 2":       checktest.Held(projectedNoise(rademacherMove, 1), projectedCase{privacyPoint{1, 2}, 1, 1, 0, 1}),
		"vectors of two lengths":          checktest.Held(lessVariance(signrp.Gaussian), normalisedCase{signrp.Gaussian, 2, []float64{1, 0}, []float64{1}}),
		"vectors of two lengths, formula": checktest.Held(formulaVariance(func(f, _ float64) float64 { return f }), normalisedCase{signrp.Gaussian, 8, []float64{1, 0}, []float64{1}}),
		"noise of deviation −1":           checktest.Held(classicNoise(func(_, _ float64) float64 { return -1 }), privacyPoint{1, 0.1}),
		"β of 0 for (5)":                  checktest.Held(reachBound(printedReach, ""), reach{2, 0}),
		"a printed bound of β = 0":        func() error { _, err := printedReach(reach{2, 0}); return err }(),
		"ratios of −1 by Lemma E.1":       func() error { _, err := unionReach(reach{2, -1}); return err }(),
		"β of 0 for (10)":                 checktest.Held(usableReach(), onesCase{4, -10}),
		"β of −1 on a lattice":            checktest.Held(latticeReach(latticeNormal(2)), onesCase{4, -10}),
		"β of −1 for two laws":            checktest.Held(superior(fewNumbers), superiorCase{[]float64{1}, -1}),
		"p of −1 for a ratio":             checktest.Held(ratioNear(unitLimit, smallTerms), ratioPoint{-1, 1, check.One}),
		"ρ beyond 1 for a derivative":     checktest.Held(derivative(printedDerivative, "1"), signrp.Normals{Ratio: 1, Rho: 3}),
		"a step of no row":                func() error { _, err := rademacherMove(projectedCase{p: 0, k: 1}); return err }(),
		"bins of no row":                  func() error { _, err := oporpMove(projectedCase{p: 0, k: 1}); return err }(),
		"no Pr(|X| > |Y|)":                checktest.Held(normalPair(failing(0)), signrp.Normals{Ratio: 1, Rho: 0.5}),
		"no Pr(|X| > |Y|) at ρ = 0":       checktest.Held(normalPair(failing(1)), signrp.Normals{Ratio: 1, Rho: 0.5}),
		"no mean of |X| given |X| > |Y|":  checktest.Held(normalPair(failing(2)), signrp.Normals{Ratio: 1, Rho: 0.5}),
		"δ of 2 with flips":               checktest.Held(flippedSigns(), pair(2, []float64{0}, []float64{0.5})),
		"signs that spend 1/0":            checktest.Held(signsSharing(func(k int) int { return k }), shared{1, 4, 0}),
		"no signs that count":             checktest.Held(signsAmong(none), balancedCase{100, 8, 0, 0.1}),
		"noise of ε = 1e300":              checktest.Held(smallNoise(1), 1e300),
		"no Pr(|X| > |Y|) at ρ = 0 alone": checktest.Held(normalPair(failingAt(1)), signrp.Normals{Ratio: 1, Rho: 0.5}),
	} {
		if err == nil {
			t.Errorf("%s: decided", name)
		}
	}
	for name, items := range map[string][]check.Item{
		"noise of deviation −1":     classicNoise(func(_, _ float64) float64 { return -1 }).Measure(privacyPoint{1, 0.1}),
		"vectors of two lengths":    lessVariance(signrp.Gaussian).Measure(normalisedCase{signrp.Gaussian, 2, []float64{1, 0}, []float64{1}}),
		"β of −1, a reach":          reachBound(printedReach, "").Measure(reach{2, -1}),
		"a reach that is not known": reachBound(func(reach) (float64, error) { return 0, checktest.ErrNoAnswer }, "").Measure(reach{2, 0.5}),
		"β of −1 for (10)":          usableReach().Measure(onesCase{4, -10}),
		"β of −1 for two laws":      superior(fewNumbers).Measure(superiorCase{[]float64{1}, -1}),
	} {
		if items != nil {
			t.Errorf("%s: evidence %v", name, items)
		}
	}
	if gaussianSigns().Measure(pair(1, []float64{0}, []float64{0.5})) != nil || flippedSigns().Measure(pair(0.1, []float64{0, 1}, []float64{0, 0})) != nil || signsSharing(func(k int) int { return k }).Measure(shared{0, 4, 1}) != nil {
		t.Error("evidence of what is refused")
	}
}

// The error with which a check ends is that of what failed first, even where what follows has an answer.
func TestFirstError(t *testing.T) {
	c := projectedCase{privacyPoint{1, 0.1}, 1, 1, 0, 1}
	known := func(projectedCase) (float64, error) { return 1, checktest.ErrNoAnswer }
	if err := checktest.Held(projectedNoise(known, 1), c); !errors.Is(err, checktest.ErrNoAnswer) {
		t.Errorf("a move with an error: %v", err)
	}
	c.delta = 2
	if err := checktest.Held(projectedNoise(rademacherMove, 1), c); err == nil || !strings.Contains(err.Error(), "delta") {
		t.Errorf("δ of 2: %v", err)
	}
}
