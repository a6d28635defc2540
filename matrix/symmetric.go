package matrix

import (
	"math"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// slack is the difference across the diagonal that passes for rounding, relative to the
// largest entry, and to the two entries and the diagonal's at their place unless it is
// within small of the largest entry.
const (
	slack = 1e-9
	small = 0x1p-45
)

// Symmetric returns a as a symmetric matrix, the mean taken across the diagonal. It
// returns an error wrapping parameter.Err, calling the matrix name, unless a is
// square, finite and symmetric up to 1e-9; the error names the two entries
// farthest apart, or two that are too far apart for the scale of their row and column.
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
				s.SetSym(i, j, v) // where a half would underflow
			}
		}
	}
	return s, nil
}
