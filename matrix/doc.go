// Package matrix computes with matrices of float64s, on gonum's mat: what scripts
// may do with their matrices. Nothing here carries evidence; what an answer is worth
// is said with each function.
//
// [Entrywise] adds, subtracts, multiplies and divides place by place, with numbers
// too; [Product] is the product of matrices. [Solve] and [Inverse] refine their
// answers until the last digit stands, and refuse a matrix that is singular to
// working precision ([ErrSingular]). [Determinant] is exact, then rounded once, up to
// order [ExactOrder]. [Decompose] finds eigenvalues and eigenvectors, [Singular] the
// singular values, [Norm] a norm, [Rank] and [Condition] what the singular values say.
//
// Arguments are never changed. Errors that an argument causes wrap
// [parameter.Err]: a shape that does not fit, an entry that is not finite.
package matrix

import (
	"errors"
	"fmt"
	"strings"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// MaxOrder bounds the order of what is solved and decomposed: beyond it a single
// answer takes minutes.
const MaxOrder = 1024

// ErrSingular is wrapped by the error of a matrix that has no inverse, or none of
// which a digit would be true.
var ErrSingular = errors.New("the matrix is singular")

// errRange says that an answer is too large.
var errRange = errors.New("the answer overflows float64")

// finite refuses what is no matrix, and entries that are not finite.
func finite(name string, a *mat.Dense) error {
	if a == nil || a.IsEmpty() {
		return parameter.Errorf("%s is empty, want at least one row and one column", name)
	}
	m, _ := a.Dims()
	for i := range m {
		for j, x := range a.RawRowView(i) {
			if x-x != 0 { // NaN where x is infinite or NaN
				return parameter.Errorf("%s has %s in row %d, column %d, want finite entries", name, spell(x), i, j)
			}
		}
	}
	return nil
}

// square refuses what is not finite, not square, or of too large an order.
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

// within refuses too large an order.
func within(name string, order int) error {
	if order > MaxOrder {
		return parameter.Errorf("%s is of order %d, want at most %d", name, order, MaxOrder)
	}
	return nil
}

// inRange returns an answer whose entries are all finite.
func inRange(a *mat.Dense) (*mat.Dense, error) {
	if finite("", a) != nil {
		return nil, errRange
	}
	return a, nil
}

// spell writes a float as scripts do: +inf, nan.
func spell(x float64) string { return strings.ToLower(fmt.Sprint(x)) }
