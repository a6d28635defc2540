package symmetric

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Unit is the rounding unit of float64.
const Unit = 0x1p-53

// WithVectors is what to ask of mat.EigenSym.Factorize: eigenvalues alone are not asked
// for, since gonum 0.17 (Dsterf) panics where the matrix falls into blocks of which one
// is tiny.
const WithVectors = true

// EigenCeiling returns an upper bound on the largest eigenvalue: computed, and
// raised until the Cholesky factorization of λI − A runs to its end, which
// proves λ_min(λI − A) ≥ −(n+2)u tr(λI − A) (Rump, "Verification of positive
// definiteness", BIT 2006).
func EigenCeiling(a *mat.SymDense) float64 {
	n := a.SymmetricDim()
	norm := mat.Norm(a, 2)
	top := norm
	var e mat.EigenSym
	if e.Factorize(a, WithVectors) {
		top = e.Values(nil)[n-1]
	}
	for margin := 4 * float64(n) * Unit * norm; ; margin = 4*margin + 0x1p-1000 {
		b := mat.NewSymDense(n, nil)
		b.ScaleSym(-1, a)
		trace := 0.0
		for i := range n {
			b.SetSym(i, i, (top+margin)-a.At(i, i))
			trace += math.Abs(b.At(i, i))
		}
		var chol mat.Cholesky
		if chol.Factorize(b) {
			return top + margin + float64(n+4)*2*Unit*(trace+math.Abs(top)+norm)
		}
		if !(margin < math.Inf(1)) {
			return math.Inf(1)
		}
	}
}

// PairCeiling returns an upper bound on the sum of the two largest eigenvalues: for every
// vector e and k ≥ 0 it is at most 2λ_max(A − k eeᵀ) + k‖e‖².
func PairCeiling(a *mat.SymDense) float64 {
	n := a.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return 2 * EigenCeiling(a)
	}
	var w mat.Dense
	e.VectorsTo(&w)
	values := e.Values(nil)
	k := math.Max(0, values[n-1]-values[n-2])
	top := w.ColView(n - 1)
	rest := mat.NewSymDense(n, nil)
	rest.SymRankOne(a, -k, top)
	norm := mat.Dot(top, top) * k
	return 2*EigenCeiling(rest) + norm + 16*Unit*(mat.Norm(a, 2)+float64(n)*norm)
}

// Skew returns ‖ZᵀZ − I‖ (Frobenius) as computed for an n×m matrix Z, and a bound on its
// rounding error where it is far below 1: their sum bounds the spectral norm.
func Skew(z mat.Matrix) (norm, off float64) {
	n, m := z.Dims()
	var g mat.Dense
	g.Mul(z.T(), z)
	for i := range m {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2), 4 * float64(n*m) * Unit
}
