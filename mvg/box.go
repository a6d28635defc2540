package mvg

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// maxVertexBits limits the vertices that are enumerated to 2^20, where v and −v count once.
const maxVertexBits = 20

// whitened implements Sensitivity. Δ = v e_jᵀ has squared whitened norm vᵀΣ⁻¹v·(Ψ⁻¹)_jj. It is convex in v, so a
// vertex of the box attains the maximum.
func (b Box) whitened(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	rows, err := b.vertexMaximum(ctx, sigma)
	if err != nil {
		return interval.Interval{}, err
	}
	return rows.Mul(psi.largestEntry()).Sqrt(), nil
}

// vertexMaximum encloses max vᵀΣ⁻¹v over |v_i| ≤ 2h_i. In the box's own axes it is Σ (2h_i)²p_i. Otherwise up to
// 2^20 vertices are enumerated in Gray order; beyond that a local search gives the lower end and a diagonal bound
// the upper one.
func (b Box) vertexMaximum(ctx context.Context, sigma Covariance) (interval.Interval, error) {
	if sigma.dense == nil {
		sum := interval.Int(0)
		for i, h := range b.halfWidths {
			w := interval.Float(h)
			sum = sum.Add(w.Mul(w).Quo(interval.Float(sigma.diagonal[i])))
		}
		return sum.Mul(interval.Int(4)), nil
	}
	// In units of 4^Exp, vᵀΣ⁻¹v = 4sᵀQs at the vertex v = 2hs. Entry ij of Q has an error of at most Entry·√(q_ii
	// q_jj). The total is at most Entry·(Σ√q_ii)² ≤ Entry·m·tr Q for all signs.
	m := sigma.Order()
	inverse := sigma.dense.factor.Inverse(b.halfWidths)
	q := inverse.Near
	off := inverse.Entry * float64(m) * mat.Trace(q) * (1 + 1e-9)
	var lo, hi float64
	if m-1 <= maxVertexBits {
		signs, rounding, err := grayVertex(ctx, q)
		if err != nil {
			return interval.Interval{}, err
		}
		lo, off = form(q, signs), off+rounding
		hi = lo
	} else {
		lo, hi = form(q, localMaxima(q)[0]), diagonalBound(q)
	}
	off += b.formError(q)
	lo, hi = spread(inverse, lo-off, hi+off)
	return nonNegative(lo, hi, inverse.Exp).Mul(interval.Int(4)), nil
}

// formError bounds the rounding of form: a sum of m² terms with an absolute sum of at most m·tr Q.
func (b Box) formError(q *mat.SymDense) float64 {
	m := q.SymmetricDim()
	return float64(m*m+4) * unit * float64(m) * mat.Trace(q)
}

// form returns sᵀQs.
func form(q *mat.SymDense, s []float64) float64 {
	v := mat.NewVecDense(len(s), s)
	return mat.Inner(v, q, v)
}

// worstSigns returns the signs of the vertex with the largest vᵀPv, followed by those of other local maxima. Up to
// 2^20 vertices the first is the global maximum; beyond that it comes from local search.
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

// grayVertex returns the signs s with s_m = 1 and the largest sᵀQs, and a bound on how far sᵀQs may be below the
// maximum. It flips one sign per step. Q is rounded to multiples of 2⁻⁶⁰Σ|Q_ij|, so that all sums are exact in int64.
// The only error is half a unit per entry: m²/2 units in the value found, and as many in the maximum.
func grayVertex(ctx context.Context, q *mat.SymDense) (signs []float64, short float64, err error) {
	m := q.SymmetricDim()
	total := 0.0
	for i := range m {
		for j := range m {
			total += math.Abs(q.At(i, j))
		}
	}
	_, e := math.Frexp(total)
	count := make([]int64, m*m)
	g, s := make([]int64, m), make([]int64, m) // g = Qs
	value := int64(0)
	for i := range m {
		s[i] = 1
		for j := range m {
			count[i*m+j] = int64(math.Round(math.Ldexp(q.At(i, j), 60-e)))
			g[i] += count[i*m+j]
		}
		value += g[i]
	}
	best, at := value, slices.Clone(s)
	for step := uint(1); step < 1<<(m-1); step++ {
		i := bits.TrailingZeros(step)
		value += 4 * (count[i*m+i] - s[i]*g[i])
		twice := 2 * s[i]
		for j, v := range count[i*m : i*m+m] {
			g[j] -= twice * v
		}
		s[i] = -s[i]
		if step%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			parallel.Report(ctx, int64(step), 1<<(m-1), "vertices")
		}
		if value > best {
			best = value
			copy(at, s)
		}
	}
	for _, v := range at {
		signs = append(signs, float64(v))
	}
	return signs, math.Ldexp(float64(m*m), e-60), nil
}

// localMaxima flips single signs, starting from the sign patterns of Q's eigenvectors, as long as sᵀQs grows. It
// returns the distinct local maxima, the best first. The last sign of each is positive.
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
		s := lists.Of(m, func(i int) float64 { return math.Copysign(1, w.At(i, k)*w.At(m-1, k)) })
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
	return lists.Each(all, func(r reached) []float64 { return r.signs })
}

// diagonalBound bounds sᵀQs over sign patterns by the trace of a diagonal D ⪰ Q.
func diagonalBound(q *mat.SymDense) float64 {
	_, bound := dominating(q)
	return bound
}

// dominating returns the diagonal of a matrix D ⪰ Q, up to a factor and rounding, and a bound on the trace of D. D has
// the least trace of three choices: the row sums of |Q_ij|, the largest eigenvalue times I, and λ_max(R)·diag Q, where
// R is the correlation matrix of Q. Entries of R have four roundings, which change its eigenvalues by at most 4u
// Σ|R_ij|.
func dominating(q *mat.SymDense) (d []float64, bound float64) {
	m := q.SymmetricDim()
	sizes, r := 0.0, mat.NewSymDense(m, nil)
	rows, diagonal := make([]float64, m), make([]float64, m)
	for i := range m {
		diagonal[i] = q.At(i, i)
		for j := range m {
			rows[i] += math.Abs(q.At(i, j))
			v := q.At(i, j) / (math.Sqrt(q.At(i, i)) * math.Sqrt(q.At(j, j)))
			sizes += math.Abs(v)
			if j >= i {
				r.SetSym(i, j, v)
			}
		}
	}
	d, bound = rows, floats.Sum(rows)
	if flat := float64(m) * symmetric.EigenvalueUpperBound(q); flat < bound {
		d, bound = slices.Repeat([]float64{1}, m), flat
	}
	if !math.IsNaN(sizes) && !math.IsInf(sizes, 0) {
		if shared := mat.Trace(q) * (symmetric.EigenvalueUpperBound(r) + 8*unit*sizes); shared < bound {
			d, bound = diagonal, shared
		}
	}
	return d, bound * (1 + float64(m*m+8)*unit)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
