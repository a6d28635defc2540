package mvg

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrNotPositiveDefinite is wrapped where a covariance has an eigenvalue that is
// not positive; such errors also wrap evidence.ErrParameter.
var ErrNotPositiveDefinite = errors.New("not positive definite")

// Covariance is W diag(variances) Wᵀ with orthonormal W, the covariance of the
// rows or of the columns of a matrix-variate normal law. It is immutable.
type Covariance struct {
	variances  []float64
	directions *mat.Dense // columns; nil for the standard basis
	drift      float64    // a bound on ‖WᵀW − I‖₂
	lower      *mat.Dense // Cholesky factor for draws, where it was asked for
}

// Isotropic returns variance·I of order n.
func Isotropic(n int, variance float64) (Covariance, error) {
	v := make([]float64, n)
	for i := range v {
		v[i] = variance
	}
	return Directional(v, nil)
}

// Directional returns W diag(variances) Wᵀ, the columns of directions being W;
// nil stands for the standard basis. It returns an error wrapping
// evidence.ErrParameter unless the variances are positive and finite and the
// directions are orthonormal to 1e-8, naming the eigenvalue or the residual.
func Directional(variances []float64, directions mat.Matrix) (Covariance, error) {
	if len(variances) == 0 {
		return Covariance{}, fmt.Errorf("%w: variances are empty", evidence.ErrParameter)
	}
	for i, v := range variances {
		if !(v > 0) || math.IsInf(v, 1) {
			return Covariance{}, fmt.Errorf("%w: %w: variances[%d] = %g, want a positive finite number", evidence.ErrParameter, ErrNotPositiveDefinite, i, v)
		}
	}
	c := Covariance{variances: append([]float64(nil), variances...)}
	if directions == nil {
		return c, nil
	}
	drift, err := orthonormal(directions, len(variances))
	if err != nil {
		return Covariance{}, err
	}
	c.directions, c.drift = mat.DenseCopyOf(directions), drift
	return c, nil
}

// orthonormal bounds ‖WᵀW − I‖₂ by the Frobenius norm, rounding included.
func orthonormal(w mat.Matrix, n int) (float64, error) {
	if r, c := w.Dims(); r != n || c != n {
		return 0, fmt.Errorf("%w: directions are %d×%d, want %d×%d", evidence.ErrParameter, r, c, n, n)
	}
	drift, off := symmetric.Skew(w)
	if !(drift <= 1e-8) {
		return 0, fmt.Errorf("%w: directions are not orthonormal: ‖WᵀW − I‖ = %.3g, want at most 1e-8", evidence.ErrParameter, drift)
	}
	return drift + off, nil
}

// unit is the rounding unit of float64.
const unit = symmetric.Unit

// Dense returns the covariance given as a matrix. It returns an error wrapping
// evidence.ErrParameter unless the matrix is square, symmetric to 1e-9 of its
// largest entry, and positive definite, naming the eigenvalue that is not
// positive. Where the matrix is diagonal it is kept as it stands; otherwise it
// is replaced by its computed eigendecomposition, which is the covariance that
// is sampled and whose privacy is accounted.
func Dense(a mat.Matrix) (Covariance, error) {
	s, err := symmetric.Of("covariance", a)
	if err != nil {
		return Covariance{}, err
	}
	n, diagonal := s.SymmetricDim(), true
	for i := range n {
		for j := range n {
			diagonal = diagonal && (i == j || a.At(i, j) == 0)
		}
	}
	if diagonal {
		v := make([]float64, n)
		for i := range v {
			v[i] = s.At(i, i)
		}
		if least := floats.Min(v); !(least > 0) {
			return Covariance{}, notPositive(least, floats.Max(v))
		}
		return Directional(v, nil)
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return Covariance{}, fmt.Errorf("%w: eigenvalues of the covariance did not converge", evidence.ErrParameter)
	}
	values := e.Values(nil)
	if !(values[0] > float64(n)*unit*values[n-1]) {
		return Covariance{}, notPositive(values[0], values[n-1])
	}
	var w mat.Dense
	e.VectorsTo(&w)
	return Directional(values, &w)
}

func notPositive(least, largest float64) error {
	return fmt.Errorf("%w: %w: the smallest eigenvalue is %g (the largest %g), want it positive beyond rounding", evidence.ErrParameter, ErrNotPositiveDefinite, least, largest)
}

// WithCholesky returns the same covariance prepared for many draws: its
// triangular factor, which takes O(n³) once, halves the cost of each. It changes
// nothing for the standard basis, for isotropic covariances, and where the
// condition number is above 1e8, when rounding in the factor could leave too
// little of the least variances.
func (c Covariance) WithCholesky() Covariance {
	if c.directions == nil || c.IsIsotropic() || floats.Max(c.variances) > 1e8*floats.Min(c.variances) {
		return c
	}
	var chol mat.Cholesky
	if !chol.Factorize(c.Matrix()) {
		return c
	}
	var l mat.TriDense
	chol.LTo(&l)
	c.lower = mat.DenseCopyOf(&l)
	return c
}

// Order returns n for an n×n covariance.
func (c Covariance) Order() int { return len(c.variances) }

// Variances returns the eigenvalues in the order of the directions.
func (c Covariance) Variances() []float64 { return append([]float64(nil), c.variances...) }

// Directions returns W, or nil for the standard basis.
func (c Covariance) Directions() *mat.Dense {
	if c.directions == nil {
		return nil
	}
	return mat.DenseCopyOf(c.directions)
}

// Matrix returns the covariance as a matrix.
func (c Covariance) Matrix() *mat.SymDense { return c.spectral(func(v float64) float64 { return v }) }

// Precision returns the inverse of the covariance.
func (c Covariance) Precision() *mat.SymDense {
	return c.spectral(func(v float64) float64 { return 1 / v })
}

func (c Covariance) spectral(f func(float64) float64) *mat.SymDense {
	n := c.Order()
	s := mat.NewSymDense(n, nil)
	if c.directions == nil {
		for i, v := range c.variances {
			s.SetSym(i, i, f(v))
		}
		return s
	}
	root := mat.DenseCopyOf(c.directions)
	for j, v := range c.variances {
		k := math.Sqrt(f(v))
		for i := range n {
			root.Set(i, j, k*root.At(i, j))
		}
	}
	s.SymOuterK(1, root)
	return s
}

// Trace returns the sum of the variances.
func (c Covariance) Trace() float64 { return floats.Sum(c.variances) }

// IsIsotropic reports whether all variances agree.
func (c Covariance) IsIsotropic() bool {
	return floats.Max(c.variances) == floats.Min(c.variances)
}

// bound is a number known between two ends, in float64 with the rounding of
// its computation added outward.
type bound struct{ lo, hi float64 }

// widen returns v with a relative error rel added outward.
func widen(v, rel float64) bound { return bound{v * (1 - rel), v * (1 + rel)} }

// topPrecision bounds λ_max of the inverse: the largest 1/variance, up to the
// directions' drift from orthonormality.
func (c Covariance) topPrecision() bound {
	return widen(1/floats.Min(c.variances), 4*c.drift+4*unit)
}

// whiten returns diag(variances)^{−1/2} Wᵀ v, written to dst.
func (c Covariance) whiten(dst, v []float64) {
	if c.directions == nil {
		for i, x := range v {
			dst[i] = x / math.Sqrt(c.variances[i])
		}
		return
	}
	d := mat.NewVecDense(len(dst), dst)
	d.MulVec(c.directions.T(), mat.NewVecDense(len(v), v))
	for i := range dst {
		dst[i] /= math.Sqrt(c.variances[i])
	}
}

// whitenError bounds the relative error of the squared norm of whiten(v), given
// that norm: the product with Wᵀ errs by at most nu‖v‖ a coordinate plus the
// drift, each magnified by the largest precision.
func (c Covariance) whitenError(v []float64, square float64) float64 {
	n := float64(c.Order())
	if c.directions == nil {
		return (n + 8) * unit
	}
	off := (c.drift*2 + 2*n*unit) * floats.Norm(v, 2) / math.Sqrt(floats.Min(c.variances))
	if square == 0 {
		return 0
	}
	return 2*off/math.Sqrt(square) + off*off/square + (n+8)*unit
}
