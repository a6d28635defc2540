package definite

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
	general := func() blas64.General {
		return blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	}
	full, w, av, m, f := general(), general(), general(), general(), general()
	for i := range n {
		for j := range n {
			full.Data[i*n+j], w.Data[i*n+j] = a.At(i, j), v.At(i, j)
		}
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, full, w, 0, av)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, w, av, 0, m)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, w, w, 0, f)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	rows := absProduct(n, [][]float64{w.Data}, ones, false)
	skew := slices.Max(absProduct(n, [][]float64{w.Data}, rows, true))
	turned := slices.Max(absProduct(n, [][]float64{w.Data}, absProduct(n, [][]float64{full.Data}, rows, false), true))
	gamma := float64(n+1) * unit * slack
	rest, drift, top := 0.0, 0.0, 0.0
	for i := range n {
		values = append(values, m.Data[i*n+i])
		top = math.Max(top, math.Abs(m.Data[i*n+i]))
		f.Data[i*n+i]--
		for j := range n {
			drift += f.Data[i*n+j] * f.Data[i*n+j]
			if i != j {
				rest += m.Data[i*n+j] * m.Data[i*n+j]
			}
		}
	}
	nu := slack*math.Sqrt(drift) + gamma*skew
	weyl := slack*math.Sqrt(rest) + 2*gamma*turned
	if !(nu < 0.5) { // no basis: every eigenvalue is within ‖A‖_F of 0
		return make([]float64, n), norm(full.Data) * slack
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values, (weyl+nu*(top+weyl)/(1-nu))*slack + 0x1p-1000
}
