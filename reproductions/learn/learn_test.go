package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"

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
	g, err := Gram(mat.NewDense(2, 4, []float64{1, 1, 1, 1, 2, 0, 2, 0}))
	if err != nil {
		t.Fatal(err)
	}
	if g.At(0, 0) != 1 || g.At(0, 1) != 1 || g.At(1, 1) != 2 {
		t.Errorf("Gram = %v", mat.Formatted(g))
	}
}

// What does not fit is an error, never a panic.
func TestRefusals(t *testing.T) {
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, parameter.Err) && !errors.Is(err, ErrShape) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	ctx := context.Background()
	for what, rows := range map[string][][]uint64{
		"a row too long": {{0, 0}, {0}}, "no words": {{}, {}}, "a loop": {{1}, {0}}, "an edge to nowhere": {{4}, {0}},
	} {
		_, err := DescribeGraph(ctx, rows)
		check(what, err)
	}
	_, err := DegreeLaw([]int{2, 0})
	check("a degree of all nodes", err)
	_, err = DegreeDivergence([]int{0}, []int{-1}, 0)
	check("a negative degree", err)
	_, err = kullbackLeibler([]float64{1}, []float64{.5, .5}, 0)
	check("laws of unlike size", err)
	_, err = kullbackLeibler([]float64{1}, []float64{1}, math.NaN())
	check("a mix of NaN", err)
	_, err = Gram(new(mat.Dense))
	check("no records", err)
	_, _, err = Components(new(mat.Dense))
	check("an empty matrix", err)
	_, err = LostVariance(new(mat.SymDense), new(mat.Dense))
	check("an empty matrix", err)
	_, err = FitRidge(nil, 1, [][]float64{{1}}, []float64{1})
	check("no kernel", err)
	_, err = NoiseObjective(3, evidence.Epsilon{}, rand.NewPCG(1, 1))
	check("ε = 0", err)
	_, err = NoiseObjective(0, evidence.Epsilon{}, rand.NewPCG(1, 1))
	check("no feature", err)
	// Missing entries are zeros.
	if a, b := Linear([]float64{1, 2}, []float64{3}), Linear([]float64{1, 2}, []float64{3, 0}); a != b {
		t.Errorf("⟨x, y⟩ + 1 = %v, want %v", a, b)
	}
	if a, b := RBF(1)([]float64{1}, []float64{3, 1}), RBF(1)([]float64{1, 0}, []float64{3, 1}); a != b {
		t.Errorf("kernel %v, want %v", a, b)
	}
}
