package matrix

import (
	"math"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Singular returns the singular value decomposition of an m×n matrix, a = u·diag(values)·vᵀ. The k = min(m, n) values
// are in decreasing order, each with an error of a few units in the last place of the largest. The columns of u (m×k)
// and v (n×k) are orthonormal, and the largest entry of each column of u is positive.
func Singular(a *mat.Dense) (u *mat.Dense, values []float64, v *mat.Dense, err error) {
	s, shift, err := decomposition(a, mat.SVDThin)
	if err != nil {
		return nil, nil, nil, err
	}
	u, v = new(mat.Dense), new(mat.Dense)
	s.UTo(u)
	s.VTo(v)
	for j := range len(s.Values(nil)) {
		column := mat.Col(nil, j, u)
		turned := point(column)
		u.SetCol(j, column)
		column = mat.Col(nil, j, v)
		for i := range column {
			if turned {
				column[i] = -column[i]
			}
			column[i] += 0 // avoids −0
		}
		v.SetCol(j, column)
	}
	if values, err = unscaled(s.Values(nil), shift); err != nil {
		return nil, nil, nil, err
	}
	return u, values, v, nil
}

// decomposition factors 2^−shift·a, whose entries are below 1.
func decomposition(a *mat.Dense, kind mat.SVDKind) (s *mat.SVD, shift int, err error) {
	if err := finite("the matrix", a); err != nil {
		return nil, 0, err
	}
	m, n := a.Dims()
	if err := within("the matrix", min(m, n)); err != nil {
		return nil, 0, err
	}
	top := 0.0
	for i := range m {
		for _, x := range a.RawRowView(i) {
			top = max(top, math.Abs(x))
		}
	}
	_, shift = math.Frexp(top)
	scaled := mat.NewDense(m, n, nil)
	scaled.Apply(func(_, _ int, x float64) float64 { return math.Ldexp(x, -shift) }, a)
	s = new(mat.SVD)
	if !s.Factorize(scaled, kind) {
		return nil, 0, errSearch
	}
	return s, shift, nil
}

func unscaled(values []float64, shift int) ([]float64, error) {
	for i, x := range values {
		if values[i] = math.Ldexp(x, shift); math.IsInf(values[i], 0) {
			return nil, errRange
		}
	}
	return values, nil
}

// singularValues returns the singular values divided by 2^shift.
func singularValues(a *mat.Dense) (values []float64, shift int, err error) {
	s, shift, err := decomposition(a, mat.SVDNone)
	if err != nil {
		return nil, 0, err
	}
	return s.Values(nil), shift, nil
}

// Rank returns the number of singular values above tolerance times the largest. Tolerance 0 means max(m, n)·2⁻⁵², below
// which a singular value may be due to rounding.
func Rank(a *mat.Dense, tolerance float64) (int, error) {
	if !(tolerance >= 0 && tolerance < 1) {
		return 0, parameter.Bad("tolerance", tolerance, "a number from 0 to below 1")
	}
	values, _, err := singularValues(a)
	if err != nil {
		return 0, err
	}
	m, n := a.Dims()
	if tolerance == 0 {
		tolerance = float64(max(m, n)) * 0x1p-52
	}
	rank := 0
	for _, x := range values {
		if x > tolerance*values[0] {
			rank++
		}
	}
	return rank, nil
}

// Condition returns the largest singular value divided by the smallest, or +inf if the smallest is 0. Above 2⁵² the
// number only shows that the condition is large.
func Condition(a *mat.Dense) (float64, error) {
	values, _, err := singularValues(a)
	if err != nil {
		return 0, err
	}
	least := values[len(values)-1]
	if least == 0 {
		return math.Inf(1), nil
	}
	return values[0] / least, nil
}

// Norm returns a norm of a matrix: "frobenius", the root of the sum of squares; "spectral", the largest singular
// value; or "nuclear", the sum of the singular values. "one" and "infinity" are the largest sum of absolute values in
// a column and in a row, and "max" is the largest absolute value.
func Norm(a *mat.Dense, kind string) (float64, error) {
	if err := finite("the matrix", a); err != nil {
		return 0, err
	}
	norm := 0.0
	switch kind {
	case "frobenius":
		norm = mat.Norm(a, 2)
	case "one":
		norm = mat.Norm(a, 1)
	case "infinity":
		norm = mat.Norm(a, math.Inf(1))
	case "max":
		norm = max(mat.Max(a), -mat.Min(a))
	case "spectral", "nuclear":
		values, shift, err := singularValues(a)
		if err != nil {
			return 0, err
		}
		if kind == "spectral" {
			values = values[:1]
		}
		for _, x := range values {
			norm += x
		}
		norm = math.Ldexp(norm, shift)
	default:
		return 0, parameter.Bad("kind", kind, `"frobenius", "spectral", "nuclear", "one", "infinity" or "max"`)
	}
	if math.IsInf(norm, 0) {
		return 0, errRange
	}
	return norm, nil
}

// Trace returns the sum of the diagonal of a square matrix.
func Trace(a *mat.Dense) (float64, error) {
	if err := finite("the matrix", a); err != nil {
		return 0, err
	}
	m, n := a.Dims()
	if m != n {
		return 0, parameter.Errorf("the matrix is %d x %d, want a square one", m, n)
	}
	sum := mat.Trace(a)
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return 0, errRange
	}
	return sum, nil
}
