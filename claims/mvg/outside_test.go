package mvg

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/rivals/matrices"

	"gonum.org/v1/gonum/mat"
)

var errNoAnswer = errors.New("no answer")

// held is whether a statement holds at an instance.
func held[I any](s check.Statement[I], i I) error {
	_, err := s.Holds(i)
	return err
}

// A rule that has no answer ends the check with its error, wherever it is asked: at once, or the
// second time, to compare.
func TestRulesWithoutAnswer(t *testing.T) {
	ctx := t.Context()
	none := func(rankOneCase) (float64, error) { return 0, errNoAnswer }
	weights := func(err ...error) func(context.Context, directionCase, []float64) ([]float64, error) {
		asked := 0
		return func(context.Context, directionCase, []float64) ([]float64, error) {
			asked++
			return []float64{1}, err[asked-1]
		}
	}
	direction := directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, eps: 1, delta: 1e-5}
	point := rankOneCase{3, 1, 0.3}
	for name, err := range map[string]error{
		"a variance":           held(rankOne(ctx, 3, none), point),
		"the first variances":  held(lessNoise(ctx, weights(errNoAnswer, nil), "box"), direction),
		"the second variances": held(lessNoise(ctx, weights(nil, errNoAnswer), "box"), direction),
		"a solution":           held(maximal(func([]float64, float64) ([]float64, error) { return nil, errNoAnswer }), spectrumCase{[]int64{1, 2}, 1}),
		"a design":             held(bestDesign(normalSignals, func(twoSignals) ([2]float64, error) { return [2]float64{}, errNoAnswer }), twoSignals{variance: [2]int64{1, 4}, budget: 1}),
		"a variance in dimension 3": func() error {
			_, err := smallRankOne(none)(ctx, check.Run{})
			return err
		}(),
		"a bound": func() error {
			_, err := sufficient(mvg.Theorem2, func(mvgCase) (interval.Interval, error) { return interval.Interval{}, errNoAnswer })(ctx, check.Run{})
			return err
		}(),
	} {
		if !errors.Is(err, errNoAnswer) {
			t.Errorf("%s without an answer: %v", name, err)
		}
	}
	if rankOne(ctx, 3, none).Measure(point) != nil {
		t.Error("evidence where there is no variance")
	}
}

// An instance that a statement's mechanisms refuse is refused by the statement, not decided.
func TestInstancesOutside(t *testing.T) {
	ctx := t.Context()
	for name, err := range map[string]error{
		"dimension 2":               held(rankOne(ctx, 3, publishedVariance), rankOneCase{2, 1, 0.1}),
		"δ of 2":                    held(rankOne(ctx, 3, publishedVariance), rankOneCase{3, 1, 2}),
		"noise of variance −1":      held(rankOne(ctx, 3, func(rankOneCase) (float64, error) { return -1, nil }), rankOneCase{3, 1, 0.1}),
		"no rows":                   held(projection(matrices.Raised, 1), projectionCase{0, 1, 0.1}),
		"a δ of 1 for a projection": held(projection(matrices.Raised, 1), projectionCase{3, 1, 1}),
		"no width":                  held(projection(matrices.Raised, 0), projectionCase{3, 1, 0.1}),
		"no levels":                 held(netLoss(matrices.Max, 1), netCase{[]float64{1}, 1, 0, 1}),
		"s₂ of 3γ":                  held(precisionBudget(mvg.Unimodal, mvg.Theorem2, theorem5), mvgCase{2, 2, 3, 1, 0.1}),
		"s₂ of 3γ for an algorithm": held(allocates(mvg.Unimodal, mvg.Theorem2, inverseRoot), mvgCase{2, 2, 3, 1, 0.1}),
		"variances of −1":           held(allocates(mvg.Unimodal, mvg.Theorem2, func(float64) float64 { return -1 }), mvgCase{2, 2, 1, 1, 0.1}),
		"directions at ε = 0":       held(lessNoise(ctx, tightVariances), directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, delta: 1e-5}),
		"directions at δ = 2":       held(lessNoise(ctx, tightVariances), directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, eps: 1, delta: 2}),
		"experiments that are none": func() error { _, err := experimentNoise(ctx, "Experiment IV"); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: decided", name)
		}
	}
	if n, err := inverseNorm(mat.NewSymDense(2, []float64{4, 0, 0, 2})); err != nil || math.Abs(n-math.Sqrt(1./16+1./4)) > 1e-15 {
		t.Errorf("‖σ(diag(4, 2)⁻¹)‖ = %v, %v", n, err)
	}
}
