package workload

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// scaling holds the decomposition H = AAᵀ, Z = A^{−T}ΛA^{−1} of a pattern. With W = AΛ^{−½}Aᵀ, WZW = H, and the
// direction towards HZ = target·I of Nesterov and Todd (SIAM J. Optim. 8(2), 1998) is
//
//	dZ = target·H^{−1} − Z − W^{−1} dH W^{−1}.
type scaling struct {
	a, inverse *mat.Dense // A and A^{−1}
	values     []float64  // Λ
	w          *mat.Dense
	squares    blas64.Triangular // the Cholesky factor of W∘W
	ones       []float64         // (W∘W)^{−1}1
}

func newScaling(h, z *mat.SymDense) (*scaling, error) {
	n := h.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(h) {
		return nil, errSingular
	}
	// H = UᵀU, UZUᵀ = QΛQᵀ, A = UᵀQ.
	var upper mat.TriDense
	c.UTo(&upper)
	u := mat.DenseCopyOf(&upper)
	var product, q mat.Dense
	product.Mul(u, z)
	product.Mul(&product, u.T())
	of := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			of.SetSym(i, j, product.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(of, true) {
		return nil, errSingular
	}
	e.VectorsTo(&q)
	s := &scaling{a: mat.NewDense(n, n, nil), inverse: mat.DenseCopyOf(q.T()), values: e.Values(nil)}
	if !(s.values[0] > 0) {
		return nil, errSingular
	}
	s.a.Mul(u.T(), &q)
	blas64.Trsm(blas.Right, blas.Trans, 1, upper.RawTriangular(), s.inverse.RawMatrix())
	s.w = s.over(func(v float64) float64 { return 1 / math.Sqrt(v) })
	s.ones = make([]float64, n)
	for i := range n {
		s.ones[i] = 1
		for j := range i + 1 {
			of.SetSym(i, j, s.w.At(i, j)*s.w.At(i, j))
		}
	}
	var ok bool
	if s.squares, ok = lapack64.Potrf(of.RawSymmetric()); !ok {
		return nil, errSingular
	}
	s.divide(s.ones)
	return s, nil
}

// divide replaces d by (W∘W)^{−1}d.
func (s *scaling) divide(d []float64) {
	v := blas64.Vector{N: len(d), Inc: 1, Data: d}
	blas64.Trsv(blas.Trans, s.squares, v)
	blas64.Trsv(blas.NoTrans, s.squares, v)
}

// over returns A·f(Λ)·Aᵀ, and under A^{−T}·f(Λ)·A^{−1}.
func (s *scaling) over(f func(v float64) float64) *mat.Dense {
	return times(s.a, lists.Each(s.values, f), mat.DenseCopyOf(s.a.T()))
}

func (s *scaling) under(f func(v float64) float64) *mat.Dense {
	return times(mat.DenseCopyOf(s.inverse.T()), lists.Each(s.values, f), s.inverse)
}

// solve returns the dH with constant diagonal for which W^{−1}(dH − more)W^{−1} − r is diagonal with trace 0. more may
// be nil.
func (s *scaling) solve(r, more *mat.Dense) *mat.Dense {
	n := len(s.values)
	rw, h := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	products.Mul(rw.RawMatrix(), r.RawMatrix(), s.w.RawMatrix())
	d := make([]float64, n)
	for i := range n {
		w := s.w.RawRowView(i)
		for j, v := range rw.RawRowView(i) {
			d[j] += w[j] * v
		}
		if more != nil {
			d[i] += more.At(i, i)
		}
	}
	diagonal := floats.Dot(s.ones, d) / sum(s.ones)
	for i, v := range d {
		d[i] = diagonal - v
	}
	s.divide(d)
	for i, v := range d {
		axpy(rw.RawRowView(i), v, s.w.RawRowView(i))
	}
	products.Mul(h.RawMatrix(), s.w.RawMatrix(), rw.RawMatrix())
	if more != nil {
		h.Add(h, more)
	}
	data := h.RawMatrix().Data
	for i := range n {
		data[i*n+i] = diagonal
		for j := range i {
			v := (data[i*n+j] + data[j*n+i]) / 2
			data[i*n+j], data[j*n+i] = v, v
		}
	}
	return h
}

// dualStep returns the change dZ of the dual variable for the change dH of H.
func (s *scaling) dualStep(dh *mat.Dense, target float64) *mat.SymDense {
	n := len(s.values)
	root, left := s.under(math.Sqrt), mat.NewDense(n, n, nil)
	to := s.under(func(v float64) float64 { return target - v })
	products.Mul(left.RawMatrix(), root.RawMatrix(), dh.RawMatrix())
	products.Add(to.RawMatrix(), -1, blas.NoTrans, left.RawMatrix(), root.RawMatrix())
	dz := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			dz.SetSym(j, i, (to.At(i, j)+to.At(j, i))/2)
		}
	}
	return dz
}
