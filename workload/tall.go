package workload

import (
	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// tallDual is denseDual of a W with more rows than columns for Mean. W = QR with orthonormal columns of Q has
// ‖WD_q^½‖_* = ‖RD_q^½‖_*, so that the search is over the square R. tallDual also returns the decomposition of W. Its
// left singular vectors are Q times those of R, and its singular values have a factor √(m/n) that no bound depends on.
// Rounding in Q and R can only widen the gap: the ends of certify hold for any factorisation of W itself.
func tallDual(w *mat.Dense) (*dual, func(p, q []float64) (spectrum, error)) {
	m, n := w.Dims()
	q := mat.DenseCopyOf(w)
	raw := q.RawMatrix()
	tau, size := make([]float64, n), make([]float64, 1)
	lapack64.Geqrf(raw, tau, size, -1)
	work := make([]float64, int(size[0]))
	lapack64.Geqrf(raw, tau, work, len(work))
	r := mat.NewDense(n, n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			r.Set(i, j, q.At(i, j))
		}
	}
	lapack64.Orgqr(raw, tau, size, -1)
	work = make([]float64, int(size[0]))
	lapack64.Orgqr(raw, tau, work, len(work))
	d := denseDual(r, Mean, false)
	return d, func(p, at []float64) (spectrum, error) {
		s, err := d.decompose(p, at)
		if err != nil {
			return spectrum{}, err
		}
		u := mat.NewDense(m, len(s.values), nil)
		products.Mul(u.RawMatrix(), raw, s.u.RawMatrix())
		s.u = u
		return s, nil
	}
}
