package mvg

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/symmetric"
)

// maxVertexBits bounds the vertices that are visited one by one: 2^20 up to sign.
const maxVertexBits = 20

// whitened: Δ = v e_jᵀ has squared whitened norm vᵀΣ⁻¹v·(Ψ⁻¹)_jj, convex in v,
// so its maximum over the box is at a vertex.
func (b Box) whitened(ctx context.Context, sigma, psi Covariance) (bound, error) {
	rows, err := b.vertexMaximum(ctx, sigma)
	if err != nil {
		return bound{}, err
	}
	column := columnMaximum(psi)
	return bound{math.Sqrt(rows.lo*column.lo) * (1 - 8*unit), math.Sqrt(rows.hi*column.hi) * (1 + 8*unit)}, nil
}

// columnMaximum bounds max_j (Ψ⁻¹)_jj = max_j ‖Ψ^{−1/2}e_j‖².
func columnMaximum(psi Covariance) bound {
	if psi.directions == nil {
		return psi.topPrecision()
	}
	n := psi.Order()
	e, w := make([]float64, n), make([]float64, n)
	best := bound{}
	for j := range n {
		e[j] = 1
		psi.whiten(w, e)
		square := dot(w, w)
		k := widen(square, psi.whitenError(e, square))
		best = bound{math.Max(best.lo, k.lo), math.Max(best.hi, k.hi)}
		e[j] = 0
	}
	return best
}

// vertexMaximum bounds max vᵀΣ⁻¹v over |v_i| ≤ 2h_i: Σ (2h_i)²p_i in the box's
// own axes, an enumeration in Gray order up to 2^20 vertices, and beyond that a
// local search from below and a diagonal bound from above.
func (b Box) vertexMaximum(ctx context.Context, sigma Covariance) (bound, error) {
	m := len(b.halfWidths)
	if sigma.directions == nil {
		sum := 0.0
		for i, h := range b.halfWidths {
			sum += 4 * h * h / sigma.variances[i]
		}
		return widen(sum, float64(m+6)*unit), nil
	}
	q := b.scaledPrecision(sigma)
	// A computed entry of Q errs by at most (m+8)u Σ_k |q_ik||q_jk| plus the
	// drift; summed over a sign pattern that is below m‖Q‖ times as much.
	rel := (float64(m)*float64(m+8)*unit + 4*sigma.drift) * mat.Trace(q)
	if m-1 <= maxVertexBits {
		best, err := grayMaximum(ctx, q)
		if err != nil {
			return bound{}, err
		}
		return bound{best - rel, best + rel}, nil
	}
	signs, low := localMaximum(q)
	_ = signs
	return bound{low - rel, diagonalBound(q) + rel}, nil
}

// scaledPrecision returns Q = D Σ⁻¹ D with D = diag(2h): vᵀΣ⁻¹v = sᵀQs at the
// vertex v = Ds.
func (b Box) scaledPrecision(sigma Covariance) *mat.SymDense {
	q := sigma.Precision()
	for i, h := range b.halfWidths {
		for j := i; j < len(b.halfWidths); j++ {
			q.SetSym(i, j, q.At(i, j)*4*h*b.halfWidths[j])
		}
	}
	return q
}

// worstSigns returns the signs of the vertex with the largest vᵀPv, exactly up to
// 2^20 vertices and by local search beyond, and after it those of other local
// maxima.
func (b Box) worstSigns(ctx context.Context, p *mat.SymDense) ([][]float64, error) {
	m := len(b.halfWidths)
	q := mat.NewSymDense(m, nil)
	for i, h := range b.halfWidths {
		for j := i; j < m; j++ {
			q.SetSym(i, j, p.At(i, j)*4*h*b.halfWidths[j])
		}
	}
	out := localMaxima(q)
	if m-1 > maxVertexBits {
		return out, ctx.Err()
	}
	s, _, err := grayVertex(ctx, q)
	if err != nil {
		return nil, err
	}
	return slices.CompactFunc(append([][]float64{s}, out...), slices.Equal), nil
}

// grayMaximum returns max sᵀQs over s ∈ {±1}^m, s_m = 1, flipping one sign a
// step. The running value is recomputed every 4096 steps, so that roundings do
// not pile up.
func grayMaximum(ctx context.Context, q *mat.SymDense) (float64, error) {
	_, best, err := grayVertex(ctx, q)
	return best, err
}

func grayVertex(ctx context.Context, q *mat.SymDense) ([]float64, float64, error) {
	m := q.SymmetricDim()
	s, g := make([]float64, m), make([]float64, m) // g = Qs
	for i := range s {
		s[i] = 1
	}
	refresh := func() float64 {
		total := 0.0
		for i := range m {
			g[i] = 0
			for j := range m {
				g[i] += q.At(i, j) * s[j]
			}
			total += s[i] * g[i]
		}
		return total
	}
	value := refresh()
	best, at := value, append([]float64(nil), s...)
	for step := uint(1); step < 1<<(m-1); step++ {
		i := bits.TrailingZeros(step)
		value += 4 * (q.At(i, i) - s[i]*g[i])
		for j := range m {
			g[j] -= 2 * s[i] * q.At(j, i)
		}
		s[i] = -s[i]
		if step%4096 == 0 {
			value = refresh()
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
		}
		if value > best {
			best = value
			copy(at, s)
		}
	}
	copy(s, at)
	return at, refresh(), nil
}

// localMaximum climbs by single flips from the sign patterns of Q's
// eigenvectors.
func localMaximum(q *mat.SymDense) ([]float64, float64) {
	best := localMaxima(q)[0]
	v := mat.NewVecDense(len(best), best)
	return best, mat.Inner(v, q, v)
}

// localMaxima returns what is reached from each, the best first, with equal first
// signs and none twice.
func localMaxima(q *mat.SymDense) [][]float64 {
	m := q.SymmetricDim()
	var e mat.EigenSym
	var w mat.Dense
	if e.Factorize(q, true) {
		e.VectorsTo(&w)
	} else {
		w.CloneFrom(symmetric.Eye(m))
	}
	type reached struct {
		signs []float64
		value float64
	}
	var all []reached
	for k := range m {
		s := make([]float64, m)
		for i := range s {
			s[i] = math.Copysign(1, w.At(i, k)*w.At(m-1, k))
		}
		for improved := true; improved; {
			improved = false
			for i := range m {
				g := 0.0
				for j := range m {
					g += q.At(i, j) * s[j]
				}
				if q.At(i, i)-s[i]*g > 1e-12*math.Abs(q.At(i, i)) {
					s[i], improved = -s[i], true
				}
			}
		}
		if s[m-1] < 0 {
			floats.Scale(-1, s)
		}
		v := mat.NewVecDense(m, s)
		if value := mat.Inner(v, q, v); !slices.ContainsFunc(all, func(r reached) bool { return slices.Equal(r.signs, s) }) {
			all = append(all, reached{s, value})
		}
	}
	slices.SortStableFunc(all, func(a, b reached) int { return cmp.Compare(b.value, a.value) })
	out := make([][]float64, len(all))
	for k, r := range all {
		out[k] = r.signs
	}
	return out
}

// diagonalBound bounds sᵀQs over sign patterns by the least of Σ|Q_ij|, m
// times the largest eigenvalue, and Σ d_i for the diagonal d = λ_max(R)·diag Q,
// R the correlation matrix of Q: each is tr D for a diagonal D ⪰ Q.
func diagonalBound(q *mat.SymDense) float64 {
	m := q.SymmetricDim()
	abs, r := 0.0, mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			abs += math.Abs(q.At(i, j))
			if j >= i {
				r.SetSym(i, j, q.At(i, j)/math.Sqrt(q.At(i, i)*q.At(j, j)))
			}
		}
	}
	out := abs
	var e mat.EigenSym
	if e.Factorize(q, symmetric.WithVectors) {
		out = math.Min(out, float64(m)*e.Values(nil)[m-1]*(1+float64(8*m*m)*unit))
	}
	if e.Factorize(r, symmetric.WithVectors) {
		out = math.Min(out, mat.Trace(q)*e.Values(nil)[m-1]*(1+float64(8*m*m)*unit))
	}
	return out * (1 + float64(m*m)*unit)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
