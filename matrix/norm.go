package matrix

import (
	"math"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Norm returns a norm of a matrix: "frobenius", the root of the sum of squares; "one" and "infinity", the largest sum of
// absolute values in a column and in a row; or "max", the largest absolute value.
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
	default:
		return 0, parameter.Bad("kind", kind, `"frobenius", "one", "infinity" or "max"`)
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
