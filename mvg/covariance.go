package mvg

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/matrix"
	"dpworkbench/mvg/internal/definite"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrNotPositiveDefinite is wrapped if a covariance has an eigenvalue that is not positive. Such errors also wrap
// evidence.ErrParameter.
var ErrNotPositiveDefinite = errors.New("not positive definite")

// Covariance is the covariance of the rows or of the columns of a matrix-variate normal law: a matrix of float64
// entries. Exactly this matrix is printed, used for privacy accounting, and sampled (up to DrawError). It is
// immutable. The zero value has order 0, which no query has.
type Covariance struct {
	variances  []float64
	directions *mat.Dense // columns; nil for the standard basis
	diagonal   []float64  // the diagonal, if the matrix is diagonal; else nil, and dense is set
	dense      *dense
}

// dense is a covariance with entries off the diagonal.
type dense struct {
	matrix    *mat.SymDense
	scaled    *definite.Matrix
	factor    *definite.Factor
	root      *mat.Dense // lower triangular B with BBᵀ near the matrix, for sampling
	rootError float64
	inverse   func() definite.Inverse // computed at the first call
	exact     exactRoot
}

// mostDrawError bounds DrawError for covariances that NewDense accepts.
const mostDrawError = 1e-6

// NewIsotropic returns variance·I of order n. It returns an error wrapping
// evidence.ErrParameter unless n is between 1 and 2^20 and the variance positive and
// finite.
func NewIsotropic(n int, variance float64) (Covariance, error) {
	if n < 1 || n > maxOrder {
		return Covariance{}, parameter.Errorf("covariance of order %d, want 1 to %d", n, maxOrder)
	}
	return NewDirectional(uniform(n, variance), nil)
}

// unitNoise returns I; n must be the order of a query.
func unitNoise(n int) Covariance {
	v := uniform(n, 1)
	return Covariance{variances: v, diagonal: v}
}

// NewDirectional returns W diag(variances) Wᵀ, where the columns of W are directions; nil is the standard basis. For
// other directions the covariance is this product with each entry rounded to float64. If all variances are equal and W
// is orthonormal up to rounding, the covariance is a multiple of I.
//
// It returns an error wrapping evidence.ErrParameter unless the variances are positive and finite, the directions are
// orthonormal to 1e-8, and the rounded product is positive definite. The last condition fails if variances differ by
// factors beyond 1e15.
func NewDirectional(variances []float64, directions mat.Matrix) (Covariance, error) {
	if len(variances) == 0 {
		return Covariance{}, parameter.Errorf("variances are empty")
	}
	for i, v := range variances {
		if !(v > 0) || math.IsInf(v, 1) {
			return Covariance{}, parameter.Errorf("%w: variances[%d] = %g, want a positive finite number", ErrNotPositiveDefinite, i, v)
		}
	}
	c := Covariance{variances: append([]float64(nil), variances...)}
	if directions == nil {
		c.diagonal = c.variances
		return c, nil
	}
	drift, err := orthonormal(directions, len(variances))
	if err != nil {
		return Covariance{}, err
	}
	least, largest := floats.Min(variances), floats.Max(variances)
	if least == largest && drift <= 32*float64(len(variances))*unit {
		c.diagonal = c.variances
		return c, nil
	}
	c.directions = mat.DenseCopyOf(directions)
	if err := c.set(definite.Congruence(c.directions, variances)); err != nil {
		return Covariance{}, parameter.Errorf("%w: variances from %g to %g in these directions, rounded to a matrix of float64: %w", ErrNotPositiveDefinite, least, largest, err)
	}
	return c, nil
}

// orthonormal returns a bound on ‖WᵀW − I‖₂ by the Frobenius norm, rounding included. It returns an error if the
// directions are not orthonormal to 1e-8.
func orthonormal(w mat.Matrix, n int) (float64, error) {
	if r, c := w.Dims(); r != n || c != n {
		return 0, parameter.Errorf("directions are %d×%d, want %d×%d", r, c, n, n)
	}
	drift, off := symmetric.Skew(w)
	if !(drift <= 1e-8) {
		return 0, parameter.Errorf("directions are not orthonormal: ‖WᵀW − I‖ = %.3g, want at most 1e-8", drift)
	}
	return drift + off, nil
}

// unit is the rounding unit of float64.
const unit = interval.Unit

// NewDense returns the covariance with the entries of a. Entries that differ across the diagonal are averaged. It
// returns an error wrapping evidence.ErrParameter unless the matrix is square, symmetric to 1e-9 of its largest entry,
// and proven positive definite; the error names an eigenvalue that is not positive. The matrix must also be conditioned
// well enough for sampling in float64; a condition number of up to 1e17 is.
func NewDense(a mat.Matrix) (Covariance, error) {
	s, err := matrix.Symmetric("covariance", a)
	if err != nil {
		return Covariance{}, err
	}
	var c Covariance
	fault := c.set(s)
	values, w := definite.Spectrum(s, c.root())
	if least := floats.Min(values); errors.Is(fault, definite.ErrNotProven) && least < 0 {
		return Covariance{}, parameter.Errorf("%w: the smallest eigenvalue is %g (the largest %g), want it positive", ErrNotPositiveDefinite, least, floats.Max(values))
	}
	if fault != nil {
		return Covariance{}, parameter.Errorf("%w: the smallest eigenvalue is %g (the largest %g), want it positive beyond rounding: %w", ErrNotPositiveDefinite, floats.Min(values), floats.Max(values), fault)
	}
	if c.diagonal != nil {
		return NewDirectional(c.diagonal, nil)
	}
	c.variances, c.directions = values, w
	return c, nil
}

// set stores the matrix s after proving that it is positive definite.
func (c *Covariance) set(s *mat.SymDense) error {
	n, flat := s.SymmetricDim(), true
	d := make([]float64, n)
	for i := range n {
		d[i] = s.At(i, i)
		for j := range i {
			flat = flat && s.At(i, j) == 0
		}
	}
	if flat {
		for i, v := range d {
			if !(v > 0) || math.IsInf(v, 1) {
				return fmt.Errorf("entry (%d, %d) is %g", i, i, v)
			}
		}
		c.diagonal = d
		return nil
	}
	m, err := definite.New(n, definite.Entries(s))
	if err != nil {
		return err
	}
	f, err := m.Factor()
	if err != nil {
		return err
	}
	b, off := f.Root()
	if !(off <= mostDrawError) {
		return fmt.Errorf("it is so ill-conditioned that draws in float64 could have a covariance with a relative error of %.2g, want at most %g", off, mostDrawError)
	}
	c.dense = &dense{matrix: s, scaled: m, factor: f, root: mat.NewDense(n, n, b), rootError: off, exact: newExactRoot()}
	c.dense.inverse = sync.OnceValue(func() definite.Inverse { return f.Inverse(nil) })
	return nil
}

// Order returns n for an n×n covariance.
func (c Covariance) Order() int { return len(c.variances) }

// Variances returns the variances in the order of the directions: those given, or the float64 eigenvalues of a
// covariance given as a matrix.
func (c Covariance) Variances() []float64 { return append([]float64(nil), c.variances...) }

// Directions returns W, or nil for the standard basis.
func (c Covariance) Directions() *mat.Dense {
	if c.directions == nil {
		return nil
	}
	return mat.DenseCopyOf(c.directions)
}

// Matrix returns the covariance, entry for entry.
func (c Covariance) Matrix() *mat.SymDense {
	if c.Order() == 0 {
		return new(mat.SymDense)
	}
	out := mat.NewSymDense(c.Order(), nil)
	if c.dense != nil {
		out.CopySym(c.dense.matrix)
		return out
	}
	for i, v := range c.diagonal {
		out.SetSym(i, i, v)
	}
	return out
}

// Precision returns the inverse of the covariance. Entry ij has an error of about a rounding of √(P_ii P_jj).
func (c Covariance) Precision() *mat.SymDense {
	if c.Order() == 0 {
		return new(mat.SymDense)
	}
	out := mat.NewSymDense(c.Order(), nil)
	if c.dense != nil {
		p := c.dense.inverse()
		for i := range c.Order() {
			for j := i; j < c.Order(); j++ {
				out.SetSym(i, j, math.Ldexp(p.Near.At(i, j), 2*p.Exp))
			}
		}
		return out
	}
	for i, v := range c.diagonal {
		out.SetSym(i, i, 1/v)
	}
	return out
}

// Trace returns the sum of the entries on the diagonal.
func (c Covariance) Trace() float64 {
	if c.dense != nil {
		return mat.Trace(c.dense.matrix)
	}
	return floats.Sum(c.diagonal)
}

// Diagonal returns the diagonal of a diagonal covariance; ok is false for others.
func (c Covariance) Diagonal() (diagonal []float64, ok bool) {
	return slices.Clone(c.diagonal), c.diagonal != nil
}

// IsIsotropic reports whether the covariance is a multiple of I.
func (c Covariance) IsIsotropic() bool {
	return len(c.diagonal) > 0 && floats.Max(c.diagonal) == floats.Min(c.diagonal)
}

// DrawError bounds the relative error of the covariance of the draws. In every direction it lies between (1 −
// DrawError) and (1 + DrawError) times c. Draws are B·N with independent standard normals N and a float64 root B of c.
// The bound does not cover the discreteness of float64, the rounding of B·N, and the grid of the normal generator.
func (c Covariance) DrawError() float64 {
	if c.dense != nil {
		return c.dense.rootError
	}
	return 4 * unit // roundings of the square root and of its product with a normal number
}

func (c Covariance) root() *mat.Dense {
	if c.dense == nil {
		return nil
	}
	return c.dense.root
}

// sameCovariance reports whether two covariances have the same entries.
func sameCovariance(a, b Covariance) bool {
	switch {
	case a.Order() != b.Order() || (a.dense == nil) != (b.dense == nil):
		return false
	case a.dense == nil:
		return floats.Equal(a.diagonal, b.diagonal)
	}
	return a.dense == b.dense || mat.Equal(a.dense.matrix, b.dense.matrix)
}
