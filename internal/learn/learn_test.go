package learn

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Linear kernel ridge is ridge regression with an intercept: against the normal
// equations on the features.
func TestRidgeIsRidgeRegression(t *testing.T) {
	x := [][]float64{{1, 2}, {2, -1}, {0, 0.5}, {3, 3}, {-1, 2}}
	y := []float64{1, 2, 0, 5, -1}
	const rho = 0.7
	r, err := FitRidge(Linear, rho, x, y)
	if err != nil {
		t.Fatal(err)
	}
	f := mat.NewDense(5, 3, nil)
	for i, v := range x {
		f.SetRow(i, []float64{1, v[0], v[1]})
	}
	var a mat.Dense
	a.Mul(f.T(), f)
	for i := range 3 {
		a.Set(i, i, a.At(i, i)+rho)
	}
	var b, w mat.VecDense
	b.MulVec(f.T(), mat.NewVecDense(5, y))
	if err := w.SolveVec(&a, &b); err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{{0, 0}, {1, 2}, {-3, 4}} {
		want := w.AtVec(0) + v[0]*w.AtVec(1) + v[1]*w.AtVec(2)
		if got := r.Predict(v); math.Abs(got-want) > 1e-10 {
			t.Errorf("y(%v) = %v, want %v", v, got, want)
		}
	}
	if e, err := r.RMSE(x[:1], []float64{r.Predict(x[0]) + 3}); err != nil || math.Abs(e-3) > 1e-12 {
		t.Errorf("RMSE = %v, %v, want 3", e, err)
	}
	if _, err := FitRidge(Linear, rho, x, y[:2]); !errors.Is(err, ErrShape) {
		t.Errorf("two targets of five give %v", err)
	}
}

func TestRBFInterpolates(t *testing.T) {
	x := [][]float64{{0}, {1}, {2}}
	r, err := FitRidge(RBF(0.5), 1e-12, x, []float64{1, -1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Predict([]float64{1}); math.Abs(got+1) > 1e-6 {
		t.Errorf("y(1) = %v, want -1", got)
	}
}

func TestComponents(t *testing.T) {
	s := mat.NewSymDense(2, []float64{3, 0, 0, 1})
	swapped := mat.NewDense(2, 2, []float64{1, 0, 0, 3})
	if d, err := LostVariance(s, swapped); err != nil || math.Abs(d-2) > 1e-12 {
		t.Errorf("Δρ = %v, %v, want 2", d, err)
	}
	if d, err := ResidualSum(s, swapped); err != nil || math.Abs(d-8) > 1e-12 { // (3−1)² + (1−3)²
		t.Errorf("RSS = %v, %v, want 8", d, err)
	}
	if d, err := ResidualSum(s, s); err != nil || d > 1e-20 {
		t.Errorf("RSS of the matrix itself = %v, %v", d, err)
	}
	g := Gram(mat.NewDense(2, 4, []float64{1, 1, 1, 1, 2, 0, 2, 0}))
	if g.At(0, 0) != 1 || g.At(0, 1) != 1 || g.At(1, 1) != 2 {
		t.Errorf("Gram = %v", mat.Formatted(g))
	}
}
