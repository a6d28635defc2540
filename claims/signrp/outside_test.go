package signrp

import (
	"errors"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/signrp"
)

var errNoAnswer = errors.New("no answer")

// held is whether a statement holds at an instance.
func held[I any](s check.Statement[I], i I) error {
	_, err := s.Holds(i)
	return err
}

// An instance that a statement's mechanisms refuse, or a rule that has no answer for it, ends the
// check with an error: it is not decided, and shows no evidence.
func TestInstancesOutside(t *testing.T) {
	pair := func(delta float64, u, v []float64) signPair {
		return signPair{p: 1, k: 1, u: u, v: v, eps: 1, delta: delta}
	}
	for name, err := range map[string]error{
		"δ of 1 with Gaussian noise":      held(gaussianSigns(), pair(1, []float64{0}, []float64{0.5})),
		"vectors too long":                held(gaussianSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"vectors too long, flipped":       held(flippedSigns(), pair(0.1, []float64{0, 1}, []float64{0, 0})),
		"no noise for δ = 1":              held(fixedGaussianSigns(1), pair(1, []float64{0}, []float64{0.5})),
		"a projection of no row":          held(signsSharing(func(k int) int { return k }), shared{0, 4, 1}),
		"ρ of 2, a pair":                  held(normalPair(printedNormals), signrp.Normals{Ratio: 1, Rho: 2}),
		"p = 0 for a count":               held(printedCount(), printedCase{reach{0, 0.5}, 8, 0.1}),
		"a reach that is not known":       held(reachBound(func(reach) (float64, error) { return 0, errNoAnswer }, ""), reach{1, 0.5}),
		"a move that is not known":        held(projectedNoise(func(projectedCase) (float64, error) { return 0, errNoAnswer }, 1), projectedCase{privacyPoint{1, 0.1}, 1, 1, 0, 1}),
		"a projection whose δ is 2":       held(projectedNoise(rademacherMove, 1), projectedCase{privacyPoint{1, 2}, 1, 1, 0, 1}),
		"vectors of two lengths":          held(lessVariance(signrp.Gaussian), normalisedCase{signrp.Gaussian, 2, []float64{1, 0}, []float64{1}}),
		"vectors of two lengths, formula": held(formulaVariance(func(f, _ float64) float64 { return f }), normalisedCase{signrp.Gaussian, 8, []float64{1, 0}, []float64{1}}),
	} {
		if err == nil {
			t.Errorf("%s: decided", name)
		}
	}
	if gaussianSigns().Measure(pair(1, []float64{0}, []float64{0.5})) != nil || flippedSigns().Measure(pair(0.1, []float64{0, 1}, []float64{0, 0})) != nil || signsSharing(func(k int) int { return k }).Measure(shared{0, 4, 1}) != nil {
		t.Error("evidence of what is refused")
	}
}
