package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrComplex is wrapped by the error of a matrix whose eigenvectors are not real.
var ErrComplex = errors.New("the matrix has complex eigenvalues")

// errSearch reports that an iteration of LAPACK did not converge.
var errSearch = errors.New("the eigenvalue iteration did not converge")

// Decompose returns the eigenvalues of a square matrix in decreasing order, and eigenvectors as the columns of a
// matrix, of length 1 and with a positive largest entry. For a symmetric matrix the eigenvectors are orthonormal, and
// the eigenvalues have an error of a few units in the last place of the largest. For other matrices they are as
// accurate as the matrix's conditioning allows, and if there are too few eigenvectors, columns are nearly dependent. It
// returns an error wrapping ErrComplex if an eigenvalue is not real.
func Decompose(a *mat.Dense) (values []float64, vectors *mat.Dense, err error) {
	n, err := square("the matrix", a)
	if err != nil {
		return nil, nil, err
	}
	var columns [][]float64
	if symmetric(a) {
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(n, mat.DenseCopyOf(a).RawMatrix().Data), true) {
			return nil, nil, errSearch
		}
		values = e.Values(nil)
		var q mat.Dense
		e.VectorsTo(&q)
		columns = lists.Of(n, func(j int) []float64 { return mat.Col(nil, j, &q) })
	} else if values, columns, err = general(a, n); err != nil {
		return nil, nil, err
	}
	order := lists.Order(n, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	sorted := make([]float64, n)
	vectors = mat.NewDense(n, n, nil)
	for j, from := range order {
		sorted[j] = values[from] + 0 // avoids −0
		if math.IsInf(sorted[j], 0) {
			return nil, nil, errRange
		}
		point(columns[from])
		vectors.SetCol(j, columns[from])
	}
	return sorted, vectors, nil
}

// Spectrum returns the eigenvalues of a square matrix, including complex ones, in decreasing order of the real part. Of
// a conjugate pair, the eigenvalue with the positive imaginary part comes first.
func Spectrum(a *mat.Dense) ([]complex128, error) {
	n, err := square("the matrix", a)
	if err != nil {
		return nil, err
	}
	if symmetric(a) {
		reals, _, err := Decompose(a)
		if err != nil {
			return nil, err
		}
		return lists.Each(reals, func(x float64) complex128 { return complex(x, 0) }), nil
	}
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenNone) {
		return nil, errSearch
	}
	values := e.Values(make([]complex128, n))
	slices.SortStableFunc(values, func(x, y complex128) int { return cmp.Or(cmp.Compare(real(y), real(x)), cmp.Compare(imag(y), imag(x))) })
	return values, nil
}

// general returns the eigenvalues and eigenvectors of a matrix that is not symmetric.
func general(a *mat.Dense, n int) (values []float64, columns [][]float64, err error) {
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenRight) {
		return nil, nil, errSearch
	}
	var q mat.CDense
	e.VectorsTo(&q)
	for j, v := range e.Values(nil) {
		if imag(v) != 0 {
			return nil, nil, fmt.Errorf("%w, among them %.6g ± %.6gi: spectrum returns all", ErrComplex, real(v), math.Abs(imag(v)))
		}
		values = append(values, real(v))
		columns = append(columns, lists.Of(n, func(i int) float64 { return real(q.At(i, j)) }))
	}
	return values, columns, nil
}

// symmetric reports whether a equals its transpose.
func symmetric(a *mat.Dense) bool {
	n, _ := a.Dims()
	for i := range n {
		for j := range i {
			if a.At(i, j) != a.At(j, i) {
				return false
			}
		}
	}
	return true
}

// point changes the sign of a unit vector so that its largest entry is positive; of equal entries the first counts.
func point(x []float64) (turned bool) {
	largest := 0
	for i := range x {
		if math.Abs(x[i]) > math.Abs(x[largest])*(1+0x1p-40) { // equal entries may differ by rounding
			largest = i
		}
	}
	if turned = x[largest] < 0; turned {
		floats.Scale(-1, x)
	}
	for i := range x {
		x[i] += 0 // avoids −0
	}
	return turned
}

// A difference between mirrored entries counts as rounding if it is at most slack times the largest entry. If it
// exceeds small times the largest entry, it must also be at most slack relative to the two entries and their diagonal
// entries.
const (
	slack = 1e-9
	small = 0x1p-45
)

// Symmetric returns a as a symmetric matrix, averaging across the diagonal. It returns an error wrapping parameter.Err
// unless a is square, finite and symmetric up to 1e-9. The error calls the matrix name. It names the two entries that
// differ most or, if these are close enough, the first two that differ too much for the scale of their row and column.
func Symmetric(name string, a mat.Matrix) (*mat.SymDense, error) {
	n, cols := a.Dims()
	if n != cols || n == 0 {
		return nil, parameter.Errorf("%s is %d×%d, want a square matrix", name, n, cols)
	}
	s := mat.NewSymDense(n, nil)
	var largest, apart float64
	var row, col int
	for i := range n {
		for j := range n {
			v := a.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, parameter.Errorf("%s[%d][%d] = %g, want a finite number", name, i, j, v)
			}
			largest = math.Max(largest, math.Abs(v))
			if d := math.Abs(v - a.At(j, i)); j > i && d > apart {
				apart, row, col = d, i, j
			}
		}
	}
	if apart > slack*largest {
		return nil, parameter.Errorf("%s is not symmetric: %s[%d][%d] = %g and %s[%d][%d] = %g differ by %.3g, want at most %g of the largest entry", name, name, row, col, a.At(row, col), name, col, row, a.At(col, row), apart, slack)
	}
	for i := range n {
		for j := i; j < n; j++ {
			v, w := a.At(i, j), a.At(j, i)
			scale := math.Max(math.Sqrt(math.Abs(a.At(i, i)))*math.Sqrt(math.Abs(a.At(j, j))), math.Max(math.Abs(v), math.Abs(w)))
			if d := math.Abs(v - w); d > slack*scale && d > small*largest {
				return nil, parameter.Errorf("%s is not symmetric: %s[%d][%d] = %g and %s[%d][%d] = %g differ by %.3g, want at most %g of the scale of their row and column, %.3g", name, name, i, j, v, name, j, i, w, d, slack, scale)
			}
			if s.SetSym(i, j, v/2+w/2); v == w {
				s.SetSym(i, j, v) // half the sum would underflow
			}
		}
	}
	return s, nil
}
