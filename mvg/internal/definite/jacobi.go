package definite

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Spectrum returns approximations of the eigenvalues of a symmetric matrix, rising, and of
// eigenvectors as columns; they prove nothing. Where a root B, BBᵀ = A, is given, small
// eigenvalues are found from it as squares of its singular values, which are known to far
// more digits.
func Spectrum(a *mat.SymDense, root *mat.Dense) (values []float64, vectors *mat.Dense) {
	n := a.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(a, true) { // its diagonal falls apart as it stands
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

// jacobi turns pairs of rows of B until all are orthogonal, JᵀB = diag(s)Q, so that
// BBᵀ = J diag(s²)Jᵀ (one-sided Jacobi; Demmel and Veselić, SIAM J. Matrix Anal. Appl.
// 13(4), 1992, on why small ones keep their digits).
func jacobi(root *mat.Dense) (values []float64, vectors *mat.Dense) {
	n, _ := root.Dims()
	b, turned := mat.DenseCopyOf(root), mat.NewDense(n, n, nil)
	for i := range n {
		turned.Set(i, i, 1)
	}
	for range 20 {
		settled := true
		for p := range n {
			for q := p + 1; q < n; q++ {
				x, y := b.RawRowView(p), b.RawRowView(q)
				scale := 1 / math.Max(floats.Norm(x, 2), floats.Norm(y, 2))
				var alpha, beta, gamma float64
				for k, v := range x {
					v, w := v*scale, y[k]*scale
					alpha += v * v
					beta += w * w
					gamma += v * w
				}
				if !(math.Abs(gamma) > 4*unit*math.Sqrt(alpha)*math.Sqrt(beta)) {
					continue
				}
				settled = false
				c, s := rotation(alpha, beta, gamma)
				for _, m := range []*mat.Dense{b, turned} {
					x, y := m.RawRowView(p), m.RawRowView(q)
					for k, v := range x {
						x[k], y[k] = c*v-s*y[k], s*v+c*y[k]
					}
				}
			}
		}
		if settled {
			break
		}
	}
	order := make([]int, n)
	norms := make([]float64, n)
	for i := range n {
		order[i], norms[i] = i, floats.Norm(b.RawRowView(i), 2)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(norms[i], norms[j]) })
	vectors = mat.NewDense(n, n, nil)
	for k, i := range order {
		values = append(values, math.Max(norms[i]*norms[i], math.SmallestNonzeroFloat64))
		vectors.SetCol(k, turned.RawRowView(i))
	}
	return values, vectors
}

// rotation returns the cosine and the sine by which two rows of squared lengths α and β and
// of the product γ ≠ 0 are turned to be orthogonal.
func rotation(alpha, beta, gamma float64) (c, s float64) {
	zeta := (beta - alpha) / (2 * gamma)
	t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
	c = 1 / math.Hypot(1, t)
	return c, c * t
}
