package learn

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/must"
)

// The parts of a Newton step agree with closed forms.
func TestNewtonStep(t *testing.T) {
	for _, z := range []float64{-800, -2, 0, 3, 800} {
		if got, want := sigmoid(z), 1/(1+math.Exp(-z)); math.Abs(got-want) > 1e-16 || z == -800 && got != math.Exp(-800) {
			t.Errorf("sigmoid(%v) = %v", z, got)
		}
	}
	if !saturated([][]float64{{1}, {12.5}}, []float64{1}) || !saturated([][]float64{{-12.5}}, []float64{1}) || saturated([][]float64{{12}}, []float64{1}) {
		t.Error("scores beyond ±12, and no others, must be saturated")
	}
	step := must.For(newtonStep(mat.NewSymDense(2, []float64{2, 1, 1, 3}), []float64{3, 4}))(t)
	if math.Abs(step[0]-1) > 1e-15 || math.Abs(step[1]-1) > 1e-15 {
		t.Errorf("step %v, want 1 and 1", step)
	}
	step = must.For(newtonStep(mat.NewSymDense(2, []float64{1, 1, 1, 1}), []float64{2, 2}))(t) // singular: the least-norm step, up to 1e-10
	if math.Abs(step[0]-1) > 1e-5 || math.Abs(step[1]-1) > 1e-5 {
		t.Errorf("step %v, want about 1 and 1", step)
	}
	if _, err := newtonStep(mat.NewSymDense(1, []float64{-1}), []float64{1}); !errors.Is(err, ErrNoFit) || err.Error() != "no fit: the Hessian is not positive definite" {
		t.Error(err)
	}
}
