package symmetric

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/interval"
)

// WithVectors is the argument for mat.EigenSym.Factorize. Without eigenvectors, gonum 0.17 (Dsterf) panics if the
// matrix decomposes into blocks and one of them is tiny.
const WithVectors = true

// EigenvalueUpperBound returns an upper bound on the largest eigenvalue. It raises the computed one until the Cholesky
// factorization of λI − A runs to its end, which proves λ_min(λI − A) ≥ −(n+2)u tr(λI − A) (Rump, "Verification of
// positive definiteness", BIT 2006). It returns +Inf if an entry is not finite.
func EigenvalueUpperBound(a *mat.SymDense) float64 {
	b, exponent, ok := normal(a)
	if !ok {
		return math.Inf(1)
	}
	return expanded(eigenvalueUpperBound(b), exponent)
}

// EigenvalueUpperBound returns an upper bound on the largest eigenvalue of every symmetric matrix
// with its upper triangle in the enclosure.
func (e *Enclosure) EigenvalueUpperBound() float64 {
	n := e.rows
	a := mat.NewSymDense(n, nil)
	off := 0.0
	for i := range n {
		for j := i; j < n; j++ {
			mid := &e.mid[i*n+j]
			v, _ := mid.Float64()
			if math.IsInf(v, 0) {
				return math.Inf(1)
			}
			a.SetSym(i, j, v)
			rad := e.rad[i*n+j] + size(new(big.Float).Sub(mid, new(big.Float).SetFloat64(v)))
			if off += rad; i != j {
				off += rad
			}
		}
	}
	// Symmetric matrices with entries r_ij have their spectral norm below Σ r_ij.
	return interval.Up(EigenvalueUpperBound(a) + known(off))
}

// normal returns A·2^−exponent, exactly except for entries 2^−1022 below the largest. The exponent is 0 if the largest
// entry is between 2^−100 and 2^100, and otherwise brings it to between ½ and 1. ok is false if an entry is not finite.
func normal(a *mat.SymDense) (b *mat.SymDense, exponent int, ok bool) {
	n := a.SymmetricDim()
	largest := 0.0
	for i := range n {
		for j := i; j < n; j++ {
			v := math.Abs(a.At(i, j))
			if math.IsNaN(v) || math.IsInf(v, 1) {
				return nil, 0, false
			}
			largest = math.Max(largest, v)
		}
	}
	if largest >= 0x1p-100 && largest <= 0x1p100 {
		return a, 0, true
	}
	_, exponent = math.Frexp(largest)
	b = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			b.SetSym(i, j, math.Ldexp(a.At(i, j), -exponent))
		}
	}
	return b, exponent, true
}

// expanded returns an upper bound on v·2^exponent. v is an upper bound for a matrix from normal, whose entries may have
// lost 2^−1074 each to underflow.
func expanded(v float64, exponent int) float64 {
	if exponent == 0 {
		return v
	}
	return interval.Up(math.Ldexp(v+0x1p-1000, exponent))
}

// eigenvalueUpperBound returns EigenvalueUpperBound(a) for a zero matrix, or if the largest entry is between 2⁻¹⁰⁰ and
// 2¹⁰⁰.
func eigenvalueUpperBound(a *mat.SymDense) float64 {
	n := a.SymmetricDim()
	norm := mat.Norm(a, 2)
	if norm == 0 {
		return 0
	}
	top := norm
	var e mat.EigenSym
	if e.Factorize(a, WithVectors) {
		top = e.Values(nil)[n-1]
	}
	return upperBoundNear(a, top, norm)
}

// upperBoundNear raises any number top until it is a proven upper bound. norm is ‖A‖_F.
func upperBoundNear(a *mat.SymDense, top, norm float64) float64 {
	n := a.SymmetricDim()
	// A margin far above ‖A‖ makes B diagonally dominant, so this ends.
	for margin := 4 * float64(n) * interval.Unit * norm; ; margin *= 4 {
		b := mat.NewSymDense(n, nil)
		b.ScaleSym(-1, a)
		trace := 0.0
		for i := range n {
			b.SetSym(i, i, (top+margin)-a.At(i, i))
			trace += math.Abs(b.At(i, i))
		}
		var chol mat.Cholesky
		if chol.Factorize(b) {
			return top + margin + float64(n+4)*2*interval.Unit*(trace+math.Abs(top)+norm)
		}
	}
}

// Skew returns ‖ZᵀZ − I‖_F as computed for an n×m matrix Z, and a bound on its rounding error if it is far below 1.
// Their sum bounds the spectral norm.
func Skew(z mat.Matrix) (norm, off float64) {
	n, m := z.Dims()
	var g mat.Dense
	g.Mul(z.T(), z)
	for i := range m {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2), 4 * float64(n*m) * interval.Unit
}
