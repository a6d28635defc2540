package matrix_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"

	"gonum.org/v1/gonum/mat"
)

func TestSymmetric(t *testing.T) {
	s, err := matrix.Symmetric("k", mat.NewDense(2, 2, []float64{1, 2, 2 + 1e-9, 4}))
	if err != nil || math.Abs(s.At(0, 1)-2-5e-10) > 1e-15 {
		t.Errorf("rounding across the diagonal gives %v, %v", s, err)
	}
	// The tolerance of an entry depends on the scale of its row and column. It is at least the rounding error of the
	// largest entry.
	s, err = matrix.Symmetric("k", mat.NewDense(2, 2, []float64{1e10, 0.3, 0.3 + 1e-6, 1}))
	if err != nil || s.At(0, 1) <= 0.3 {
		t.Errorf("rounding at the scale of the largest entry gives %v, %v", s, err)
	}
	if s, err = matrix.Symmetric("k", mat.NewDense(2, 2, []float64{1, 5e-324, 5e-324, 1})); err != nil || s.At(0, 1) == 0 {
		t.Errorf("the smallest float64 gives %v, %v", s, err)
	}
	for want, a := range map[string]*mat.Dense{
		"k is 1×2, want a square matrix":      mat.NewDense(1, 2, nil),
		"k[1][0] = NaN, want a finite number": mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 4}),
		"k is not symmetric: k[0][1] = 2 and k[1][0] = 3 differ by 1, want at most 1e-09 of the largest entry":                        mat.NewDense(2, 2, []float64{1, 2, 3, 4}),
		"k is not symmetric: k[0][1] = 7 and k[1][0] = 5 differ by 2, want at most 1e-09 of the largest entry":                        mat.NewDense(3, 3, []float64{1, 7, 3, 5, 4, 3, 3, 4, 6}),
		"k is not symmetric: k[1][2] = 7 and k[2][1] = 5 differ by 2, want at most 1e-09 of the largest entry":                        mat.NewDense(3, 3, []float64{1, 2, 3, 3, 4, 7, 3, 5, 6}),
		"k is not symmetric: k[0][1] = 1e+308 and k[1][0] = -1e+308 differ by +Inf, want at most 1e-09 of the largest entry":          mat.NewDense(2, 2, []float64{1, 1e308, -1e308, 4}),
		"k is not symmetric: k[0][1] = 0.1 and k[1][0] = 0 differ by 0.1, want at most 1e-09 of the scale of their row and column, 1": mat.NewDense(2, 2, []float64{1e10, 0.1, 0, 1e-10}),
	} {
		if _, err := matrix.Symmetric("k", a); !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v, want %s", mat.Formatted(a), err, want)
		}
	}
	// A difference across the diagonal of exactly the tolerance is accepted, and a slightly larger one is rejected.
	for d, want := range map[float64]bool{1e-9: true, 1e-9 * (1 + 1e-15): false} {
		if _, err := matrix.Symmetric("k", mat.NewDense(2, 2, []float64{1, d, 0, 1})); (err == nil) != want {
			t.Errorf("a difference of %v: error %v", d, err)
		}
		if _, err := matrix.Symmetric("k", mat.NewDense(2, 2, []float64{0.5, 1, 1 - d, 0.5})); d == 1e-9 && err != nil {
			t.Errorf("a difference of %v: error %v", d, err)
		}
	}
	if s, err := matrix.Symmetric("k", mat.NewDense(1, 1, []float64{-7})); err != nil || s.At(0, 0) != -7 {
		t.Errorf("a matrix of order 1: %v, error %v", s, err)
	}
	if s, err := matrix.Symmetric("k", new(mat.Dense)); err == nil {
		t.Errorf("a matrix of order 0: %v", s)
	}
}

// No eigenvalue, singular vector or determinant is −0.
func TestNoNegativeZeros(t *testing.T) {
	none := math.Copysign(0, -1)
	for _, a := range []*mat.Dense{mat.NewDense(1, 1, []float64{none}), mat.NewDense(2, 2, []float64{none, none, none, none}), mat.NewDense(2, 2, []float64{0, -1, 0, 0}), mat.NewDense(3, 3, []float64{-1, 0, 0, 0, none, 0, 0, 0, -2})} {
		n, _ := a.Dims()
		values, vectors, err := matrix.Decompose(a)
		if err != nil {
			t.Fatal(err)
		}
		u, _, v, err := matrix.Singular(a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if math.Signbit(values[i]) && values[i] == 0 {
				t.Errorf("eigenvalues %v", values)
			}
			for j := range n {
				for what, m := range map[string]*mat.Dense{"eigenvectors": vectors, "u": u, "v": v} {
					if x := m.At(i, j); x == 0 && math.Signbit(x) {
						t.Errorf("%s %v", what, m.RawMatrix().Data)
					}
				}
			}
		}
		if d, err := matrix.Determinant(a); err != nil || d != 0 || math.Signbit(d) {
			t.Errorf("determinant %v, %v", d, err)
		}
	}
}
