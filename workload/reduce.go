package workload

import (
	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// f depends on the N_π only through their sum M. So a Newton step reduces to one in p, λ and M. With [a bᵀ; b C]_π the
// block of λ_π and N_π in the system, c_π its right side for N_π, and E_π the map of N_π to M, the step in N_π is
//
//	C^{−1}(c − bλ + Eᵀw),  w = S^{−1}(M − Σ EC^{−1}(c − bλ)),  S = Σ EC^{−1}Eᵀ.

// reduced is the system after eliminating N. Its variables are in units of their values.
type reduced struct {
	patterns []pattern
	s, b     *mat.Dense // S^{−1}, and the matrix with columns EC^{−1}b
	c        []float64  // Σ EC^{−1}c
}

// pattern is the part of the system that belongs to one pattern.
type pattern struct {
	inverse *mat.Dense // C^{−1}
	b, c    []float64  // C^{−1}b and C^{−1}c
	share   []float64  // E: the share of N_π in M, for each pair
}

// eliminated returns the part of pattern k, and what it adds to the diagonal entry and to the right-hand side of λ.
func (e *epochs) eliminated(y, joint []float64, k int, target float64) (p pattern, diagonal, right float64, ok bool) {
	n := len(e.patterns[k])
	v, z := mat.DenseCopyOf(e.blocks.inverse[k]), mat.DenseCopyOf(e.blocks.z[k])
	own, lambda := y[e.first[k]:][:len(e.own[k])], y[k]
	vs, zs := make([]float64, n), make([]float64, n)
	for i := range n {
		vs[i], zs[i] = sum(v.RawRowView(i)), sum(z.RawRowView(i))
	}
	size := len(own)
	b, c := make([]float64, size), make([]float64, size)
	p.share = make([]float64, size)
	of := mat.NewSymDense(size, nil)
	raw := of.RawSymmetric()
	at := 0
	for i := range n {
		vi, zi := v.RawRowView(i), z.RawRowView(i)
		for j := range i {
			vj, zj := v.RawRowView(j), z.RawRowView(j)
			x := own[at]
			p.share[at] = x / joint[len(e.patterns)+e.own[k][at]]
			b[at], c[at] = -x*lambda*(vs[i]*zs[j]+vs[j]*zs[i]), -2*target*x*vi[j]
			to, first := raw.Data[at*raw.Stride:], at
			at = 0
			for r := range n {
				for s := range r {
					if at >= first {
						to[at] = x * own[at] * (vi[r]*zj[s] + vi[s]*zj[r] + vj[r]*zi[s] + vj[s]*zi[r])
					}
					at++
				}
			}
			at = first + 1
		}
	}
	if p.inverse, ok = inverted(of); !ok {
		return p, 0, 0, false
	}
	p.b, p.c = apply(p.inverse, b), apply(p.inverse, c)
	diagonal = lambda*lambda*sum(vs)*sum(zs) - floats.Dot(b, p.b)
	return p, diagonal, target*lambda*sum(vs) - floats.Dot(b, p.c), true
}

// apply returns the product mx.
func apply(m *mat.Dense, x []float64) []float64 {
	rows, _ := m.Dims()
	out := make([]float64, rows)
	for i := range out {
		out[i] = floats.Dot(m.RawRowView(i), x)
	}
	return out
}

// inverted returns the inverse of a, and overwrites a. It returns false if a is singular to working precision.
func inverted(a *mat.SymDense) (*mat.Dense, bool) {
	u, ok := lapack64.Potrf(a.RawSymmetric())
	if ok {
		_, ok = lapack64.Potri(u)
	}
	if !ok {
		return nil, false
	}
	return mat.DenseCopyOf(a), true
}

// reduce adds what the patterns contribute, after elimination, to the system of a Newton step in p, λ and M. λ begins
// at offset.
func (e *epochs) reduce(a *mat.SymDense, right *mat.VecDense, offset int, y []float64, target float64) error {
	first, m := len(e.patterns), len(e.pairs)
	joint := e.joint(y)
	d := &e.blocks.reduced
	*d = reduced{patterns: make([]pattern, first), b: mat.NewDense(m, first, nil), c: make([]float64, m)}
	to, of := right.RawVector().Data[offset:], mat.NewSymDense(m, nil)
	for k := range d.patterns {
		p, diagonal, c, ok := e.eliminated(y, joint, k, target)
		if !ok {
			return errSingular
		}
		a.SetSym(offset+k, offset+k, a.At(offset+k, offset+k)+diagonal)
		to[k] += c
		for i, at := range e.own[k] {
			d.c[at] += p.share[i] * p.c[i]
			d.b.Set(at, k, p.share[i]*p.b[i])
			for j, v := range p.inverse.RawRowView(i)[:i+1] {
				other := e.own[k][j]
				of.SetSym(at, other, of.At(at, other)+p.share[i]*p.share[j]*v)
			}
		}
		d.patterns[k] = p
	}
	var ok bool
	if d.s, ok = inverted(of); !ok {
		return errSingular
	}
	sb, bsb := mat.NewDense(m, first, nil), mat.NewDense(first, first, nil)
	products.Mul(sb.RawMatrix(), d.s.RawMatrix(), d.b.RawMatrix())
	products.Add(bsb.RawMatrix(), 1, blas.Trans, d.b.RawMatrix(), sb.RawMatrix())
	raw := a.RawSymmetric()
	for k := range first {
		row := raw.Data[(offset+k)*raw.Stride+offset:]
		floats.Add(row[k:first], bsb.RawRowView(k)[k:])
		for i := range m {
			row[first+i] += sb.At(i, k)
			to[k] += sb.At(i, k) * d.c[i]
		}
	}
	for i, v := range apply(d.s, d.c) {
		to[first+i] += v
		row := raw.Data[(offset+first+i)*raw.Stride+offset+first:]
		floats.Add(row[i:m], d.s.RawRowView(i)[i:])
	}
	return nil
}

// expand returns the step in λ and N that belongs to a step in λ and M.
func (e *epochs) expand(move, y []float64) []float64 {
	d, first := e.blocks.reduced, len(e.patterns)
	out := make([]float64, len(y))
	copy(out, move[:first])
	w := make([]float64, len(e.pairs))
	floats.SubTo(w, move[first:], d.c)
	floats.Add(w, apply(d.b, move[:first]))
	w = apply(d.s, w)
	for k, p := range d.patterns {
		shared := make([]float64, len(p.share))
		for i, at := range e.own[k] {
			shared[i] = p.share[i] * w[at]
		}
		for i, v := range apply(p.inverse, shared) {
			out[e.first[k]+i] = v + p.c[i] - p.b[i]*move[k]
		}
	}
	return out
}
