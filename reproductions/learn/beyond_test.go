package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Data that no float64 holds what is made of are refused, and no fit is given for them.
func TestBeyondFloats(t *testing.T) {
	for _, hinge := range []bool{true, false} { // two losses of 1 at a price of 10³⁰⁸
		_, err := FitSVM(t.Context(), [][]float64{{0}, {0}}, []int{0, 1}, 2, SVMOptions{C: 1e308, Hinge: hinge, Gap: 1, Passes: 2}, rand.NewPCG(1, 1))
		if !errors.Is(err, parameter.Err) || err.Error() != "the samples are too large: the objective of the support vector machine is beyond float64" {
			t.Errorf("hinge %t: %v", hinge, err)
		}
	}
	for what, x := range map[string][][]float64{"one feature": {{1e200}, {1e199}}, "two": {{1e200, 1e200}, {1e200, -1e200}, {3e200, 1e200}}} {
		y := []bool{true, false, false}[:len(x)]
		if eta, err := FitLogistic(x, y, LogisticOptions{Ridge: 1}); !errors.Is(err, ErrNoFit) || eta != nil {
			t.Errorf("%s: %v, %v", what, eta, err)
		}
	}
	if _, err := Accuracy([]float64{1}, nil, nil); !errors.Is(err, parameter.Err) || err.Error() != "no samples" {
		t.Error(err)
	}
	skew := mat.NewSymDense(2, []float64{1, 0, 0, math.NaN()})
	for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){LostVariance, ResidualSum} {
		if v, err := f(skew, skew); !errors.Is(err, parameter.Err) || v != 0 {
			t.Errorf("%v, %v", v, err)
		}
	}
	good := mat.NewSymDense(2, []float64{3, 0, 0, 1})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k := range 4 { // whichever entry it is
			entries := []float64{5, 1, 2, 4}
			entries[k] = v
			for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){LostVariance, ResidualSum} {
				if got, err := f(good, mat.NewDense(2, 2, entries)); !errors.Is(err, parameter.Err) || got != 0 {
					t.Errorf("an estimate with %v: %v, %v", v, got, err)
				}
			}
		}
	}
	// The second axis comes first, however large its variance is said to be.
	if lost, err := LostVariance(good, mat.NewDense(2, 2, []float64{1e308, 0, 0, math.MaxFloat64})); err != nil || math.Abs(lost-2) > 1e-15 {
		t.Errorf("%v, %v, want 2", lost, err)
	}
}
