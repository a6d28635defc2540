package workload

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// factor returns the factorisation from p and y, R for a lower bound, and reach, the sum over π of the largest squared
// row norm of R_π, the columns of R for π. For every C of sensitivity 1, ‖CR‖²_F ≤ reach, since R_πR_πᵀ divided by its
// largest diagonal entry is a G_π.
func (e *epochs) factor(w *mat.Dense, p, y []float64) (f factorisation, r *mat.Dense, reach float64, err error) {
	r, reach = e.parts(y)
	m, n := w.Dims()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	left := scaled(w, p, ones)
	_, k := r.Dims()
	product := mat.NewDense(m, k, nil)
	product.Mul(left, r)
	lower, err := decompose(product)
	if err != nil {
		return f, nil, 0, err
	}
	s, err := e.decompose(w, p, y)
	if err != nil {
		return f, nil, 0, err
	}
	var q mat.Dense
	q.Mul(lower.u, lower.v.T())
	f.q = &q
	if isLowerTriangular(w) {
		var ok bool
		if f.b, f.c, ok = triangular(w, s.x); ok {
			return f, r, reach, nil
		}
	}
	if e.deficient {
		var c mat.Cholesky
		var upper mat.TriDense
		if !c.Factorize(mat.NewSymDense(n, s.x.RawMatrix().Data)) {
			return f, nil, 0, errSingular
		}
		c.UTo(&upper)
		f.c = mat.DenseCopyOf(&upper)
		f.b = mat.DenseCopyOf(w)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper.RawTriangular(), f.b.RawMatrix())
		return f, r, reach, nil
	}
	f.c = mat.DenseCopyOf(s.rtv.T())
	var right mat.Dense
	right.Mul(s.r, s.v)
	for i, v := range s.values {
		scale(f.c.RawRowView(i), math.Sqrt(v))
		for j := range n {
			right.Set(j, i, right.At(j, i)/math.Sqrt(v))
		}
	}
	f.b = mat.NewDense(m, len(s.values), nil)
	f.b.Mul(w, &right)
	return f, r, reach, nil
}

// parts returns R with RRᵀ close to H. R has columns for each pattern. The second result is the sum over the patterns
// of the largest squared row norm of these columns, rounded up. If contributions are numbers, each column is a multiple
// of signs. If patterns share steps, H must be divided into a part for each pattern. Alternating projections, to
// positive semidefinite parts and to parts with the sum H, converge to a division if there is one.
func (e *epochs) parts(y []float64) (*mat.Dense, float64) {
	h := e.weights(y)
	count := mat.NewSymDense(e.steps, nil)
	width := 0
	for _, steps := range e.patterns {
		width += len(steps)
		for i, s := range steps {
			for _, t := range steps[:i+1] {
				count.SetSym(t, s, count.At(t, s)+1)
			}
		}
	}
	all := make([]*mat.SymDense, len(e.patterns))
	for k, steps := range e.patterns {
		// Start with the correlations of H.
		all[k] = mat.NewSymDense(len(steps), nil)
		for i, s := range steps {
			for j, t := range steps[:i+1] {
				all[k].SetSym(j, i, y[k]*h.At(s, t)/math.Sqrt(h.At(s, s)*h.At(t, t)))
			}
		}
	}
	roots := make([]*mat.Dense, len(e.patterns))
	turns := 1
	if width > e.steps && !e.sharing && e.signs == nil {
		turns = mostTurns
	}
	for k := 0; e.sharing && k < len(e.patterns); k++ {
		all[k] = e.block(y, k)
	}
	for turn := range turns {
		rest := mat.NewSymDense(e.steps, nil)
		rest.CopySym(h)
		for k, steps := range e.patterns {
			roots[k] = root(all[k], y[k])
			if turn == turns-1 {
				continue
			}
			all[k].SymOuterK(1, roots[k])
			for i, s := range steps {
				for j, t := range steps[:i+1] {
					rest.SetSym(t, s, rest.At(t, s)-all[k].At(j, i))
				}
			}
		}
		for k, steps := range e.patterns {
			for i, s := range steps {
				for j, t := range steps[:i+1] {
					all[k].SetSym(j, i, all[k].At(j, i)+rest.At(t, s)/count.At(t, s))
				}
			}
		}
	}
	if e.signs != nil {
		width = len(e.patterns)
		for k, u := range e.signs {
			roots[k] = mat.NewDense(len(u), 1, nil)
			for i, v := range u {
				roots[k].Set(i, 0, v*math.Sqrt(y[k]))
			}
		}
	}
	r := mat.NewDense(e.steps, width, nil)
	var reach float64
	column := 0
	for k, steps := range e.patterns {
		most := 0.0
		_, columns := roots[k].Dims()
		for i, s := range steps {
			row := r.RawRowView(s)[column : column+columns]
			copy(row, roots[k].RawRowView(i))
			norm := normAbove(row)
			most = max(most, above(norm*norm, 0))
		}
		reach = above(reach+most, 0)
		column += columns
	}
	return r, reach
}

// mostTurns bounds the projections in parts.
const mostTurns = 200

// root returns R with RRᵀ = A, except that it drops negative eigenvalues and scales rows whose squared norm exceeds
// most. It returns 0 if A's eigenvalues do not converge.
func root(a *mat.SymDense, most float64) *mat.Dense {
	var d mat.EigenSym
	var v mat.Dense
	n := a.SymmetricDim()
	if !d.Factorize(a, true) {
		return mat.NewDense(n, n, nil)
	}
	d.VectorsTo(&v)
	for j, value := range d.Values(nil) {
		for i := range n {
			v.Set(i, j, v.At(i, j)*math.Sqrt(max(0, value)))
		}
	}
	for i := range n {
		row := v.RawRowView(i)
		squared := 0.0
		for _, x := range row {
			squared += x * x
		}
		if squared > most {
			scale(row, math.Sqrt(most/squared))
		}
	}
	return &v
}
