package workload

import (
	"context"
	"errors"
	"math"
	"slices"

	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/mat"
)

var errSingular = errors.New("the optimisation found no next step: a matrix is singular to working precision")

// spectrum is a thin singular value decomposition without the values that are 0 to working precision.
type spectrum struct {
	u, v   *mat.Dense
	values []float64
}

// scaled returns D_p^½ W D_q^½.
func scaled(w *mat.Dense, p, q []float64) *mat.Dense {
	m, n := w.Dims()
	d := mat.NewDense(m, n, nil)
	root := make([]float64, n)
	for j := range root {
		root[j] = math.Sqrt(q[j])
	}
	for i := range m {
		from, to, s := w.RawRowView(i), d.RawRowView(i), math.Sqrt(p[i])
		for j := range to {
			to[j] = s * from[j] * root[j]
		}
	}
	return d
}

func decompose(m *mat.Dense) (spectrum, error) {
	var d mat.SVD
	if !d.Factorize(m, mat.SVDThin) {
		return spectrum{}, errors.New("a singular value decomposition did not converge")
	}
	s := d.Values(nil)
	k := len(s)
	for k > 1 && s[k-1] <= 1e-14*s[0] {
		k--
	}
	var u, v mat.Dense
	d.UTo(&u)
	d.VTo(&v)
	return spectrum{firstColumns(&u, k), firstColumns(&v, k), s[:k]}, nil
}

func firstColumns(m *mat.Dense, k int) *mat.Dense {
	rows, _ := m.Dims()
	return mat.DenseCopyOf(m.Slice(0, rows, 0, k))
}

// times returns a·diag(d)·bᵀ.
func times(a *mat.Dense, d []float64, bt *mat.Dense) *mat.Dense {
	r, k := a.Dims()
	left := mat.NewDense(r, k, nil)
	for i := range r {
		from, to := a.RawRowView(i), left.RawRowView(i)
		for j := range to {
			to[j] = from[j] * d[j]
		}
	}
	_, c := bt.Dims()
	out := mat.NewDense(r, c, nil)
	products.Mul(out.RawMatrix(), left.RawMatrix(), bt.RawMatrix())
	return out
}

// denseDual returns the dual of a matrix, computed from singular values. M = D_p^½ W D_q^½ = USVᵀ has slopes
// ½ diag(VSVᵀ) along q and ½ diag(USUᵀ) along p. By ∫_0^∞ dt/((s² + t²)(r² + t²)) = π/(2sr(s + r)) the curvature is
//
//	(1/π)∫ (V S²/(S² + t²) Vᵀ)∘² dt along q,  −(1/π)∫ (U St/(S² + t²) Vᵀ)∘² dt between p and q,
//
// where ∘² squares entries.
func denseDual(w *mat.Dense, o Objective, mirrored bool) *dual {
	m, n := w.Dims()
	d := &dual{rows: m, columns: n, objective: o, mirrored: mirrored}
	// Keep the last decomposition, because the factorisation needs it again.
	var last spectrum
	var lastP, lastQ []float64
	d.decompose = func(p, q []float64) (s spectrum, err error) {
		if lastQ != nil && slices.Equal(p, lastP) && slices.Equal(q, lastQ) {
			return last, nil
		}
		if last, err = decompose(scaled(w, p, q)); err == nil {
			lastP, lastQ = slices.Clone(p), slices.Clone(q)
		}
		return last, err
	}
	d.at = func(ctx context.Context, p, q []float64) (local, error) {
		s, err := d.decompose(p, q)
		if err != nil {
			return local{}, err
		}
		l := local{f: sum(s.values)}
		l.bend = func(ctx context.Context) (*mat.SymDense, error) { return d.bend(ctx, s) }
		for _, b := range d.blocks() {
			if b.left == b.right {
				l.slope = append(l.slope, halfDiagonal(s.side(b.left), s.values)...)
			}
		}
		return l, nil
	}
	return d
}

// bend returns the curvature of the dual at the point whose decomposition is s.
func (d *dual) bend(ctx context.Context, s spectrum) (*mat.SymDense, error) {
	along := d.blocks()
	curvature := mat.NewSymDense(d.size(), nil)
	ut, vt := mat.DenseCopyOf(s.u.T()), mat.DenseCopyOf(s.v.T())
	least, most := s.values[len(s.values)-1], s.values[0]
	factors := make([]float64, len(s.values))
	for _, e := range quadrature(least, most, nodesFor(least, most, 1e-4)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, b := range along {
			for i, v := range s.values {
				if b.left == b.right {
					factors[i] = v * v / (v*v + e.t*e.t)
				} else {
					factors[i] = v * e.t / (v*v + e.t*e.t)
				}
			}
			right := vt
			if b.right == 0 {
				right = ut
			}
			addSquares(curvature, b, e.w/math.Pi, times(s.side(b.left), factors, right))
		}
	}
	return curvature, nil
}

// side returns U for i = 0 and V for i = 1.
func (s spectrum) side(i int) *mat.Dense {
	if i == 0 {
		return s.u
	}
	return s.v
}

// block is a part of the curvature matrix whose first entry is at (row, column). left and right are the variables of
// its rows and columns: 0 for p and 1 for q.
type block struct {
	left, right, row, column int
	mirrored                 bool
}

// blocks returns the blocks of the curvature on and above the diagonal.
func (d *dual) blocks() []block {
	switch {
	case d.objective == Mean:
		return []block{{left: 1, right: 1}}
	case d.mirrored:
		// Since p is q in reverse, the block between p and q is added to that of q, with its columns in reverse order.
		return []block{{left: 1, right: 1}, {left: 1, right: 0, mirrored: true}}
	}
	m := d.rows
	return []block{{left: 0, right: 0}, {left: 1, right: 1, row: m, column: m}, {left: 0, right: 1, column: m}}
}

// addSquares adds the squares of y's entries, times factor, to block b of the curvature, and subtracts them in a block
// between p and q.
func addSquares(c *mat.SymDense, b block, factor float64, y *mat.Dense) {
	raw := c.RawSymmetric()
	if b.left != b.right {
		factor = -factor
	}
	m, n := y.Dims()
	for i := range m {
		from := y.RawRowView(i)
		first := 0
		if b.row == b.column {
			first = i
		}
		to := raw.Data[(b.row+i)*raw.Stride+b.column:]
		if b.mirrored {
			for j := first; j < n; j++ {
				v := from[n-1-j]
				to[j] += factor * v * v
			}
			continue
		}
		for j := first; j < n; j++ {
			to[j] += factor * from[j] * from[j]
		}
	}
}

// halfDiagonal returns ½ diag(A·diag(s)·Aᵀ).
func halfDiagonal(a *mat.Dense, s []float64) []float64 {
	r, _ := a.Dims()
	d := make([]float64, r)
	for i := range d {
		for j, v := range a.RawRowView(i) {
			d[i] += v * v * s[j] / 2
		}
	}
	return d
}
