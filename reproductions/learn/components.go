package learn

import (
	"fmt"
	"math"

	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"

	"gonum.org/v1/gonum/mat"
)

// Gram returns XXᵀ/n for X with n records as columns. It returns an error wrapping ErrShape if X is empty.
func Gram(x mat.Matrix) (*mat.SymDense, error) {
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: X is %d×%d", ErrShape, m, n)
	}
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1/float64(n), x)
	return s, nil
}

// Components returns the eigenvalues of a symmetric matrix in decreasing order, and the eigenvectors as columns. If a
// is not symmetric, it returns an error that names the two entries that differ most.
func Components(a mat.Matrix) (values []float64, vectors *mat.Dense, err error) {
	if n, _ := a.Dims(); n == 0 {
		return nil, nil, fmt.Errorf("%w: the matrix is empty", ErrShape)
	}
	s, err := matrix.Symmetric("s", a)
	if err != nil {
		return nil, nil, err
	}
	return components(s)
}

// symmetricPart returns (A + Aᵀ)/2. If A is a Gram matrix with independent noise on every entry, this estimates the
// Gram matrix.
func symmetricPart(a mat.Matrix) (*mat.SymDense, error) {
	n, cols := a.Dims()
	if n != cols {
		return nil, fmt.Errorf("%w: the matrix is %d×%d, want a square one", ErrShape, n, cols)
	}
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a.At(i, j)/2+a.At(j, i)/2)
		}
	}
	return s, nil
}

func components(s *mat.SymDense) (values []float64, vectors *mat.Dense, err error) {
	n := s.SymmetricDim()
	var e mat.EigenSym
	for _, v := range s.RawSymmetric().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, parameter.Errorf("the matrix has the entry %g, want finite entries", v)
		}
	}
	if !e.Factorize(s, true) {
		return nil, nil, fmt.Errorf("the eigenvalues did not converge")
	}
	up := e.Values(nil)
	var w mat.Dense
	e.VectorsTo(&w)
	values, vectors = make([]float64, n), mat.NewDense(n, n, nil)
	for k := range n {
		values[k] = up[n-1-k]
		vectors.SetCol(k, mat.Col(nil, n-1-k, &w))
	}
	return values, vectors, nil
}

// captured returns vᵀSv for every column v of vectors: the variance in the direction v.
func captured(s mat.Symmetric, vectors *mat.Dense) []float64 {
	_, n := vectors.Dims()
	out := make([]float64, n)
	for k := range n {
		v := vectors.ColView(k)
		out[k] = mat.Inner(v, s, v)
	}
	return out
}

// estimated returns the components of the symmetric part of an estimate of s.
func estimated(s mat.Symmetric, estimate mat.Matrix) (*mat.Dense, error) {
	part, err := symmetricPart(estimate)
	if err != nil {
		return nil, err
	}
	if n := s.SymmetricDim(); part.SymmetricDim() != n {
		return nil, fmt.Errorf("%w: the estimate is of order %d, want %d", ErrShape, part.SymmetricDim(), n)
	}
	_, vectors, err := components(part)
	return vectors, err
}

// LostVariance returns Δρ = λ₁ − v₁ᵀSv₁ for the first component v₁ of the
// estimate's symmetric part (MVG paper, (28)).
func LostVariance(s mat.Symmetric, estimate mat.Matrix) (float64, error) {
	values, _, err := Components(s)
	if err != nil {
		return 0, err
	}
	vectors, err := estimated(s, estimate)
	if err != nil {
		return 0, err
	}
	return values[0] - captured(s, vectors)[0], nil
}

// ResidualSum returns RSS = Σ (λ_i − v_iᵀSv_i)² over the components of the
// estimate's symmetric part (MVG paper, (29)).
func ResidualSum(s mat.Symmetric, estimate mat.Matrix) (float64, error) {
	values, _, err := Components(s)
	if err != nil {
		return 0, err
	}
	vectors, err := estimated(s, estimate)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, c := range captured(s, vectors) {
		sum += (values[i] - c) * (values[i] - c)
	}
	return sum, nil
}
