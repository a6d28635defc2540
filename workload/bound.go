package workload

import (
	"math"

	"dpworkbench/internal/products"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// The bounds in this file hold for any matrices of float64s, however they were found. A sum of n products in float64,
// in any order, has an error of at most γ_n times the sum of the absolute values (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, section 3.1), plus underflow. |W| ≤ 2, and the entries of the other matrices are
// at most largest, so underflow adds less than tiny in all.

const (
	largest = 0x1p100
	tiny    = 0x1p-700
)

// gamma returns an upper bound of γ_n = nu/(1 − nu), where u is the rounding unit. It is infinite for n ≥ 2⁵².
func gamma(n int) float64 {
	x := float64(n) * interval.Unit
	if !(x < .5) {
		return math.Inf(1)
	}
	return interval.Up(interval.Up(x / (1 - x)))
}

// above returns an upper bound of a number ≥ 0 that was computed as v with a relative error of at most e.
func above(v, e float64) float64 { return interval.Up(interval.Up(v*(1+interval.Up(2*e))) + tiny) }

// normAbove returns an upper bound of the Euclidean norm of x.
func normAbove(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += float64(v * v)
	}
	return interval.Up(math.Sqrt(above(s, gamma(len(x)+1))))
}

// frobeniusAbove returns an upper bound of the Frobenius norm of m.
func frobeniusAbove(m *mat.Dense) float64 {
	rows, _ := m.Dims()
	norms := make([]float64, rows)
	for i := range norms {
		norms[i] = normAbove(m.RawRowView(i))
	}
	return normAbove(norms)
}

// columnNorms returns upper bounds of the Euclidean norms of the columns of m.
func columnNorms(m *mat.Dense) []float64 {
	rows, columns := m.Dims()
	norms := make([]float64, columns)
	for i := range rows {
		for j, v := range m.RawRowView(i) {
			norms[j] += float64(v * v)
		}
	}
	for j, s := range norms {
		norms[j] = interval.Up(math.Sqrt(above(s, gamma(rows+1))))
	}
	return norms
}

// allBelow reports whether every |m_ij| is at most bound. It is false for NaN.
func allBelow(m *mat.Dense, bound float64) bool {
	rows, _ := m.Dims()
	for i := range rows {
		for _, v := range m.RawRowView(i) {
			if !(math.Abs(v) <= bound) {
				return false
			}
		}
	}
	return true
}

// spectralAbove returns an upper bound of ‖Q‖₂ that is close if the singular values of Q are all nearly 1 or nearly 0. G
// is the smaller of QᵀQ and QQᵀ, computed with an error of at most γ|Q|ᵀ|Q|, whose norm is at most γ‖Q‖²_F.
func spectralAbove(q *mat.Dense) float64 {
	m, n := q.Dims()
	g := mat.NewDense(min(m, n), min(m, n), nil)
	if n <= m {
		products.Add(g.RawMatrix(), 1, blas.Trans, q.RawMatrix(), q.RawMatrix())
	} else {
		products.Mul(g.RawMatrix(), q.RawMatrix(), mat.DenseCopyOf(q.T()).RawMatrix())
	}
	all := frobeniusAbove(q)
	off := above(gamma(max(m, n))*all*all, 4*interval.Unit)
	// ‖G‖₂ ≤ 1 + ‖G − I‖_F.
	squared := above(1+distance(g, nil)+off, 4*interval.Unit)
	if squared > 1.01 {
		// An eigenvalue v of the symmetric QᵀQ has |v² − v| ≤ d, so 2v ≤ 1 + √(1 + 4d). G² has errors of its own, and
		// QᵀQ = G + E gives (G + E)² − (G + E) = G² − G + GE + EG + E² − E.
		k := min(m, n)
		square := mat.NewDense(k, k, nil)
		products.Mul(square.RawMatrix(), g.RawMatrix(), g.RawMatrix())
		size := frobeniusAbove(g)
		d := distance(square, g) + gamma(k)*size*size + off*(2*size+off+1)
		squared = min(squared, above((1+math.Sqrt(1+4*above(d, 16*interval.Unit)))/2, 8*interval.Unit))
	}
	return interval.Up(math.Sqrt(squared))
}

// distance returns an upper bound of ‖A − B‖_F. A nil B is the unit matrix.
func distance(a, b *mat.Dense) float64 {
	rows, columns := a.Dims()
	norms, row := make([]float64, rows), make([]float64, columns)
	for i := range norms {
		copy(row, a.RawRowView(i))
		if b == nil {
			row[i]--
		} else {
			for j, v := range b.RawRowView(i) {
				row[j] -= v
			}
		}
		norms[i] = above(normAbove(row), 2*interval.Unit)
	}
	return normAbove(norms)
}

// lowerEnd returns a lower bound of the least error of W, |W| ≤ 2. a_i ≥ 0 are weights of the answers, and R weights
// of contributions: ‖D_a B‖_F ≤ weight for every B of error 1, and ‖CR‖_F ≤ reach for every C of sensitivity 1. If W =
// BC,
//
//	⟨Q, D_a W R⟩ ≤ ‖Q‖₂‖D_a B C R‖_* ≤ ‖Q‖₂‖D_a B‖_F‖CR‖_F
//
// for any Q. The bound is 0 if the rounding errors exceed it.
func lowerEnd(w *mat.Dense, a []float64, weight float64, r *mat.Dense, reach float64, q *mat.Dense) float64 {
	if !allBelow(q, 2) || !allBelow(r, largest) || !allBelow(mat.NewDense(1, len(a), a), largest) {
		return 0
	}
	m, n := w.Dims()
	_, k := r.Dims()
	product, size := mat.NewDense(m, k, nil), mat.NewDense(m, k, nil)
	products.Mul(product.RawMatrix(), w.RawMatrix(), r.RawMatrix())
	products.Mul(size.RawMatrix(), absolute(w).RawMatrix(), absolute(r).RawMatrix())
	var inner, sizes float64
	for i := range m {
		var s, t float64
		p, z := product.RawRowView(i), size.RawRowView(i)
		for j, v := range q.RawRowView(i) {
			s += float64(v * p[j])
			t += float64(math.Abs(v) * z[j])
		}
		inner += float64(a[i] * s)
		sizes += float64(a[i] * t)
	}
	e := gamma(m + n + k + 4)
	lo := interval.Down(inner - above(e*above(sizes, e), 4*interval.Unit) - tiny)
	hi := above(spectralAbove(q)*weight*reach, 4*interval.Unit)
	if !(lo > 0) || !(hi < math.Inf(1)) {
		return 0
	}
	return interval.Down(lo / hi)
}

func absolute(m *mat.Dense) *mat.Dense {
	a := mat.DenseCopyOf(m)
	for i, v := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = math.Abs(v)
	}
	return a
}

// upperEnd returns an upper bound of the least error of W, |W| ≤ 2, from matrices B and C. With E = W − BC, W has the
// factorisation BC + E·I. sensitivity is at least that of C. The least error is a norm of W, so it is at most that of
// BC plus that of E. E is enclosed. E·I or I·E has an error of at most steps times the largest column norm of E, where
// steps is the number of participations.
func upperEnd(w, b, c *mat.Dense, o Objective, sensitivity float64, steps int) float64 {
	if !allBelow(b, largest) || !allBelow(c, largest) {
		return math.Inf(1)
	}
	m, n := w.Dims()
	_, k := b.Dims()
	e := mat.NewDense(m, n, nil)
	products.Mul(e.RawMatrix(), b.RawMatrix(), c.RawMatrix())
	e.Sub(w, e)
	all := frobeniusAbove(b)
	// Entry (i, j) of the computed BC has an error of at most γ_k‖B_i‖‖C_j‖, and the difference W − BC is rounded once.
	var rest float64
	cs := columnNorms(c)
	for j, v := range columnNorms(e) {
		rest = max(rest, above(v+gamma(k)*cs[j]*all, 8*interval.Unit))
	}
	return above(answerError(b, o)*sensitivity+float64(steps)*rest, 8*interval.Unit)
}

// answerError returns an upper bound of the largest row norm of B (Max), or of the root of the mean squared row norm
// (Mean).
func answerError(b *mat.Dense, o Objective) float64 {
	m, _ := b.Dims()
	if o == Mean {
		return above(frobeniusAbove(b)/math.Sqrt(float64(m)), 4*interval.Unit)
	}
	var most float64
	for i := range m {
		most = max(most, normAbove(b.RawRowView(i)))
	}
	return most
}
