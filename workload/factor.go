package workload

import (
	"math"

	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// factorisation holds B and C with W = BC, and the Q for the lower bound.
type factorisation struct{ b, c, q *mat.Dense }

// factorDense returns the factorisation B = D_p^{−½}US^½, C = S^½VᵀD_q^{−½} of M = D_p^½WD_q^½ = USVᵀ, with Q = UVᵀ. B
// is computed as W D_q^½ V S^{−½}, which leaves a smaller residual. decomposed returns M's decomposition if that is
// known.
func factorDense(
	w *mat.Dense, p, q []float64, decomposed func(p, q []float64) (spectrum, error),
) (factorisation, error) {
	if decomposed == nil {
		decomposed = func(p, q []float64) (spectrum, error) { return decompose(scaled(w, p, q)) }
	}
	s, err := decomposed(p, q)
	if err != nil {
		return factorisation{}, err
	}
	m, n := w.Dims()
	k := len(s.values)
	vt := mat.DenseCopyOf(s.v.T())
	f := factorisation{b: mat.NewDense(m, k, nil), q: mat.NewDense(m, n, nil)}
	products.Mul(f.q.RawMatrix(), s.u.RawMatrix(), vt.RawMatrix())
	right := mat.DenseCopyOf(s.v)
	for j := range n {
		row := right.RawRowView(j)
		for i, v := range row {
			vt.Set(i, j, v*math.Sqrt(s.values[i]/q[j]))
			row[i] *= math.Sqrt(q[j] / s.values[i])
		}
	}
	f.c = vt
	products.Mul(f.b.RawMatrix(), w.RawMatrix(), right.RawMatrix())
	if isLowerTriangular(w) && k == n {
		x := mat.NewDense(n, n, nil)
		products.Add(x.RawMatrix(), 1, blas.Trans, f.c.RawMatrix(), f.c.RawMatrix())
		if b, c, ok := triangular(w, x); ok {
			f.b, f.c = b, c
		}
	}
	return f, nil
}

func isLowerTriangular(w *mat.Dense) bool {
	m, n := w.Dims()
	if m != n {
		return false
	}
	for i := range n {
		for _, v := range w.RawRowView(i)[i+1:] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// triangular returns lower triangular B and C with BC = W and CᵀC = X for a lower triangular W. A stream can use such a
// factorisation. ok is false unless X is positive definite to working precision.
func triangular(w, x *mat.Dense) (b, c *mat.Dense, ok bool) {
	n, _ := x.Dims()
	// J reverses the order of the steps. The Cholesky factorisation JXJ = UᵀU gives C = JUJ.
	turned := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			turned.SetSym(i, j, (x.At(n-1-i, n-1-j)+x.At(n-1-j, n-1-i))/2)
		}
	}
	u, ok := lapack64.Potrf(turned.RawSymmetric())
	if !ok {
		return nil, nil, false
	}
	c = mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			c.Set(i, j, u.Data[(n-1-i)*u.Stride+n-1-j])
		}
	}
	return overTriangle(w, c), c, true
}

// overTriangle returns WC^{−1} for lower triangular W and C, by blocks of columns from the right.
func overTriangle(w, c *mat.Dense) *mat.Dense {
	const block = 64
	n, _ := w.Dims()
	b := mat.DenseCopyOf(w)
	rb, rc := b.RawMatrix(), c.RawMatrix()
	part := func(m blas64.General, i, j, rows, columns int) blas64.General {
		if rows == 0 || columns == 0 {
			return blas64.General{}
		}
		return blas64.General{Rows: rows, Cols: columns, Stride: m.Stride, Data: m.Data[i*m.Stride+j:]}
	}
	for first := (n - 1) / block * block; first >= 0; first -= block {
		width := min(block, n-first)
		next := first + width
		// The rows of these columns before first are 0.
		to := part(rb, first, first, n-first, width)
		if next < n {
			products.Add(part(rb, next, first, n-next, width), -1, blas.NoTrans,
				part(rb, next, next, n-next, n-next), part(rc, next, first, n-next, width))
		}
		blas64.Trsm(blas.Right, blas.NoTrans, 1, blas64.Triangular{
			N: width, Stride: rc.Stride, Data: rc.Data[first*rc.Stride+first:], Uplo: blas.Lower, Diag: blas.NonUnit,
		}, to)
		for i := first; i < n; i++ {
			clear(b.RawRowView(i)[i+1:]) // 0 in exact arithmetic
		}
	}
	return b
}
