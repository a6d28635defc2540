package definite

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Spectrum returns approximations, without error bounds, of the eigenvalues of a symmetric matrix in ascending order
// and of its eigenvectors as columns. If a root B, BBᵀ = A, is given, small eigenvalues are the squares of its
// singular values, which have far more correct digits.
func Spectrum(a *mat.SymDense, root *mat.Dense) (values []float64, vectors *mat.Dense) {
	n := a.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(a, true) { // no convergence: use the diagonal alone
		flat := mat.NewDiagDense(n, nil)
		flat.DiagFrom(a)
		e.Factorize(flat, true)
	}
	values, vectors = e.Values(nil), new(mat.Dense)
	e.VectorsTo(vectors)
	if root != nil && !(values[0] > 1e-8*values[n-1]) && n <= carefulOrder {
		return jacobi(root)
	}
	for i, v := range values {
		if root != nil {
			values[i] = math.Max(v, unit*values[n-1])
		}
	}
	return values, vectors
}

// jacobi returns the spectrum of BBᵀ = J diag(s²)Jᵀ from JᵀB = diag(s)Q. One-sided Jacobi rotations keep the digits of
// small eigenvalues (Demmel and Veselić, SIAM J. Matrix Anal. Appl. 13(4), 1992).
func jacobi(root *mat.Dense) (values []float64, vectors *mat.Dense) {
	n, _ := root.Dims()
	b, axes := RowAxes(root)
	order := make([]int, n)
	norms := make([]float64, n)
	for i := range n {
		order[i], norms[i] = i, floats.Norm(b.RawRowView(i), 2)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(norms[i], norms[j]) })
	vectors = mat.NewDense(n, n, nil)
	for k, i := range order {
		values = append(values, math.Max(norms[i]*norms[i], math.SmallestNonzeroFloat64))
		vectors.SetCol(k, mat.Col(nil, i, axes))
	}
	return values, vectors
}

// RowAxes returns UᵀA, which has orthogonal rows, and the orthogonal U, by Jacobi rotations of two rows at a time.
// Rows of very different length are mixed only as much as necessary. Rounding in a singular value decomposition would
// mix them more.
func RowAxes(a *mat.Dense) (turned, axes *mat.Dense) {
	n, _ := a.Dims()
	rest, u := mat.DenseCopyOf(a), mat.NewDense(n, n, nil)
	for i := range n {
		u.Set(i, i, 1)
	}
	turn := func(m *mat.Dense, i, j int, cos, sin float64) {
		x, y := m.RawRowView(i), m.RawRowView(j)
		for k, v := range x {
			x[k], y[k] = cos*v-sin*y[k], sin*v+cos*y[k]
		}
	}
	for range 30 {
		largest := 0.0
		for i := range n {
			for j := i + 1; j < n; j++ {
				x, y := rest.RawRowView(i), rest.RawRowView(j)
				xx, yy, xy := floats.Norm(x, 2), floats.Norm(y, 2), 0.0
				if xx == 0 || yy == 0 {
					continue
				}
				for k, v := range x {
					xy += v / xx * (y[k] / yy)
				}
				if largest = math.Max(largest, math.Abs(xy)); math.Abs(xy) < 1e-15 {
					continue
				}
				// A rotation by φ with tan 2φ = 2xy/(yy − xx) makes x and y orthogonal; all three are divided by
				// |x||y|.
				zeta := (yy/xx - xx/yy) / (2 * xy)
				tan := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
				cos := 1 / math.Hypot(1, tan)
				turn(rest, i, j, cos, cos*tan)
				turn(u, i, j, cos, cos*tan)
			}
		}
		if largest < 1e-14 {
			break
		}
	}
	return rest, mat.DenseCopyOf(u.T())
}

// Eigenvalues returns approximations of a symmetric matrix's eigenvalues in descending order, each within off of the
// eigenvalue of that rank. v has approximate eigenvectors as columns; if it is nil, they are computed.
//
// Let VᵀV = I + F, ‖F‖₂ ≤ ν < 1, and VᵀAV = M. Eigenvalues of M and A differ by factors between 1 − ν and 1 + ν
// (Ostrowski). Those of M differ from its sorted diagonal by at most the norm of its off-diagonal part (Weyl). The
// error of the computed M is below 2γ_{n+1} times the largest row sum of |V|ᵀ|A||V|, and the error of F below γ_{n+1}
// times the largest row sum of |V|ᵀ|V|.
func Eigenvalues(a *mat.SymDense, v *mat.Dense) (values []float64, off float64) {
	n := a.SymmetricDim()
	if v == nil {
		var e mat.EigenSym
		if v = mat.NewDense(n, n, nil); e.Factorize(a, true) {
			e.VectorsTo(v)
		} // otherwise v is 0, and nu below is not < 0.5
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
	if !(nu < 0.5) { // v is no basis, but every eigenvalue is within ‖A‖_F of 0
		return make([]float64, n), norm(full) * slack
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values, (weyl+nu*(top+weyl)/(1-nu))*slack + 0x1p-1000
}
