// Package matrix computes with matrices of float64s, based on gonum's mat. Scripts use it for their matrices. Results
// carry no evidence; each function documents its accuracy.
//
// [Entrywise] adds, subtracts, multiplies and divides entry by entry, also with numbers. [Product] is the matrix
// product. [Solve] and [Inverse] refine their results to full precision, and refuse a matrix that is singular to
// working precision ([ErrSingular]). [Determinant] is exact and rounded once up to order [ExactOrder]. [Decompose]
// computes eigenvalues and eigenvectors, [Singular] the singular value decomposition, [Norm] norms, [Rank] and
// [Condition] what follows from the singular values.
//
// Arguments are never changed. Errors caused by an argument wrap [parameter.Err], such as a wrong shape or an entry
// that is not finite.
package matrix

import (
	"errors"
	"fmt"
	"strings"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// MaxOrder bounds the order of systems and decompositions. Beyond it a single result takes minutes.
const MaxOrder = 1024

// ErrSingular is wrapped by the error for a matrix that has no inverse, or whose inverse would have no correct digit.
var ErrSingular = errors.New("the matrix is singular")

// errRange reports a result that is too large.
var errRange = parameter.Errorf("the answer overflows float64")

// finite refuses a nil matrix and entries that are not finite.
func finite(name string, a *mat.Dense) error {
	if a == nil || a.IsEmpty() {
		return parameter.Errorf("%s is empty, want at least one row and one column", name)
	}
	m, _ := a.Dims()
	for i := range m {
		for j, x := range a.RawRowView(i) {
			if x-x != 0 { // NaN if x is infinite or NaN
				return parameter.Errorf("%s has %s in row %d, column %d, want finite entries", name, spell(x), i, j)
			}
		}
	}
	return nil
}

// square refuses a matrix that is not finite, not square, or too large.
func square(name string, a *mat.Dense) (order int, err error) {
	if err := finite(name, a); err != nil {
		return 0, err
	}
	m, n := a.Dims()
	if m != n {
		return 0, parameter.Errorf("%s is %d x %d, want a square one", name, m, n)
	}
	return n, within(name, n)
}

// within refuses an order that is too large.
func within(name string, order int) error {
	if order > MaxOrder {
		return parameter.Errorf("%s is of order %d, want at most %d", name, order, MaxOrder)
	}
	return nil
}

// inRange returns a, or an error if an entry is not finite.
func inRange(a *mat.Dense) (*mat.Dense, error) {
	if finite("", a) != nil {
		return nil, errRange
	}
	return a, nil
}

// spell formats a float as scripts do: +inf, nan.
func spell(x float64) string { return strings.ToLower(fmt.Sprint(x)) }
