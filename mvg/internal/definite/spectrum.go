package definite

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Eigenvalues returns approximations of a symmetric matrix's eigenvalues, falling, each
// within off of the eigenvalue of that rank. v has approximate eigenvectors as columns; nil
// is to find them.
//
// Let VᵀV = I + F, ‖F‖₂ ≤ ν < 1, and VᵀAV = M. Eigenvalues of M and A differ by factors
// between 1 − ν and 1 + ν (Ostrowski), and those of M from its diagonal's entries in order
// by at most the norm of the rest (Weyl). Computed, M errs by less than 2γ_{n+1} times the
// largest row sum of |V|ᵀ|A||V|, and F by γ_{n+1} times that of |V|ᵀ|V|.
func Eigenvalues(a *mat.SymDense, v *mat.Dense) (values []float64, off float64) {
	n := a.SymmetricDim()
	if v == nil {
		var e mat.EigenSym
		if v = mat.NewDense(n, n, nil); e.Factorize(a, true) {
			e.VectorsTo(v)
		} // else no basis, below
	}
	full, w := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			full[i*n+j], w[i*n+j] = a.At(i, j), v.At(i, j)
		}
	}
	m := gemm(n, w, gemm(n, full, w, blas.NoTrans, blas.NoTrans), blas.Trans, blas.NoTrans)
	f := gemm(n, w, w, blas.Trans, blas.NoTrans)
	rows := absProduct(n, [][]float64{w}, slices.Repeat([]float64{1}, n), false)
	skew := slices.Max(absProduct(n, [][]float64{w}, rows, true))
	turned := slices.Max(absProduct(n, [][]float64{w}, absProduct(n, [][]float64{full}, rows, false), true))
	gamma := float64(n+1) * unit * slack
	rest, drift, top := 0.0, 0.0, 0.0
	for i := range n {
		values = append(values, m[i*n+i])
		top = math.Max(top, math.Abs(m[i*n+i]))
		f[i*n+i]--
		for j := range n {
			drift += f[i*n+j] * f[i*n+j]
			if i != j {
				rest += m[i*n+j] * m[i*n+j]
			}
		}
	}
	nu := slack*math.Sqrt(drift) + gamma*skew
	weyl := slack*math.Sqrt(rest) + 2*gamma*turned
	if !(nu < 0.5) { // no basis: every eigenvalue is within ‖A‖_F of 0
		return make([]float64, n), norm(full) * slack
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values, (weyl+nu*(top+weyl)/(1-nu))*slack + 0x1p-1000
}
