package planes

import (
	"context"
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// A face is the family of covers (halfplane_cover.go) whose level a plane V attains. With
// u and v the eigenvectors of A = 2a in V, of values a > b there, equality asks
// Mv = 0 and Mu = (A − α)u, and α between b and a. On V's complement M may be any
// matrix that dominates
//
//	M₁ = mmᵀ/(a − α), M₂ = A⊥ − α + nnᵀ/(α − b), m = A⊥u, n = A⊥v,
//
// by Schur complements; N likewise under B = 2b. V attains the level where some such
// M and N leave λ_max(S⊥) ≤ λ_min(S_V), S_V and S⊥ being S on V and on its complement:
// an interior point of the family, as a rule, which few corrections find. Of the
// matrices that dominate both, M₁ + K⁻¹(K(M₂ − M₁)Kᵀ)₊K⁻ᵀ has the least tr(KᵀK·M);
// KᵀK = (level − S⊥)⁻¹, the gradient of a logarithmic barrier, weighs the directions
// in which S⊥ is tight.
type face struct {
	d                    int
	basis                *mat.Dense    // of V, then of its complement
	rest                 *mat.SymDense // h − a − b in that basis
	left, right          *faceSide
	weight               *weight       // on the complement; nil is I
	sum, sumOnComplement *mat.SymDense // S and S⊥
	e                    mat.EigenSym  // of S⊥
}

// faceSide is the share of A or of B.
type faceSide struct {
	a, b         float64
	u            [2]float64 // the leading Ritz vector in V
	m, n         *mat.VecDense
	inner        *mat.SymDense // A⊥
	m1, m2LessM1 mat.SymDense  // M₁ and M₂ − M₁
	dominating   *mat.SymDense // M⊥
}

// faceStart is what one face leaves to the next: α's place between b and a as a
// logit, and β's, and the weight on all of space.
type faceStart struct {
	logits [2]float64
	weight *mat.SymDense
}

func newFace(l reflectionForm, v frame) *face {
	d := l.h.SymmetricDim()
	f := &face{d: d, sum: mat.NewSymDense(d, nil), sumOnComplement: mat.NewSymDense(d-2, nil)}
	f.setBasis(l, v.basis())
	return f
}

// setBasis sets the basis, whose first two vectors span V.
func (f *face) setBasis(l reflectionForm, basis *mat.Dense) {
	rest, a, b := l.parts()
	f.basis, f.rest, f.left, f.right = basis, symmetric.Turn(rest, basis), newFaceSide(symmetric.Turn(a, basis)), newFaceSide(symmetric.Turn(b, basis))
}

// smallestOnPlane returns λ_min(S_V).
func (f *face) smallestOnPlane() float64 {
	return (f.sum.At(0, 0)+f.sum.At(1, 1))/2 - math.Hypot((f.sum.At(0, 0)-f.sum.At(1, 1))/2, f.sum.At(0, 1))
}

func newFaceSide(a *mat.SymDense) *faceSide {
	d := a.SymmetricDim() - 2
	h := &faceSide{m: mat.NewVecDense(d, nil), n: mat.NewVecDense(d, nil), inner: complementBlock(a)}
	mean, diff := (a.At(0, 0)+a.At(1, 1))/2, (a.At(0, 0)-a.At(1, 1))/2
	r, angle := math.Hypot(diff, a.At(0, 1)), math.Atan2(a.At(0, 1), diff)/2
	h.a, h.b = mean+r, mean-r
	h.u = [2]float64{math.Cos(angle), math.Sin(angle)}
	for i := range d {
		x, y := a.At(0, i+2), a.At(1, i+2)
		h.m.SetVec(i, h.u[0]*x+h.u[1]*y)
		h.n.SetVec(i, h.u[0]*y-h.u[1]*x)
	}
	return h
}

// complementBlock returns a without its first two rows and columns.
func complementBlock(a *mat.SymDense) *mat.SymDense {
	d := a.SymmetricDim() - 2
	out := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			out.SetSym(i, j, a.At(i+2, j+2))
		}
	}
	return out
}

// mostLogit bounds logits, so that α stays apart from a and b.
const mostLogit = 12

// levelAt returns the α between b and a of a logit, and logitOf the logit of an α.
func (h *faceSide) levelAt(logit float64) float64 { return h.b + (h.a-h.b)/(1+math.Exp(-logit)) }

func (h *faceSide) logitOf(level float64) float64 {
	if !(level > h.b && level < h.a) {
		return 0
	}
	return math.Max(1-mostLogit, math.Min(mostLogit-1, math.Log((level-h.b)/(h.a-level))))
}

// dominate sets M⊥ to the least that dominates M₁ and M₂ under the weight.
func (h *faceSide) dominate(alpha float64, k *weight) {
	d := h.inner.SymmetricDim()
	h.m1.Reset()
	h.m1.ReuseAsSym(d)
	h.m1.SymRankOne(&h.m1, 1/(h.a-alpha), h.m)
	h.m2LessM1.Reset()
	h.m2LessM1.ReuseAsSym(d)
	h.m2LessM1.SymRankOne(h.inner, 1/(alpha-h.b), h.n)
	symmetric.Combine(&h.m2LessM1, 1, &h.m2LessM1, -1, &h.m1)
	for i := range d {
		h.m2LessM1.SetSym(i, i, h.m2LessM1.At(i, i)-alpha)
	}
	h.dominating = k.positive(&h.m2LessM1)
	h.dominating.AddSym(h.dominating, &h.m1)
}

// addTo adds M to s.
func (h *faceSide) addTo(s *mat.SymDense, alpha float64) {
	for i := range 2 {
		for j := i; j < 2; j++ {
			s.SetSym(i, j, s.At(i, j)+(h.a-alpha)*h.u[i]*h.u[j])
		}
		for j := range h.m.Len() {
			s.SetSym(i, j+2, s.At(i, j+2)+h.u[i]*h.m.AtVec(j))
		}
	}
	for i := range h.m.Len() {
		for j := i; j < h.m.Len(); j++ {
			s.SetSym(i+2, j+2, s.At(i+2, j+2)+h.dominating.At(i, j))
		}
	}
}

// excess sets S for logits x and returns λ_max(S⊥) − λ_min(S_V), infinite where the
// logits are out of range.
func (f *face) excess(x []float64) float64 {
	if !(math.Abs(x[0]) < mostLogit && math.Abs(x[1]) < mostLogit) {
		return math.Inf(1)
	}
	f.sum.CopySym(f.rest)
	for i, h := range []*faceSide{f.left, f.right} {
		alpha := h.levelAt(x[i])
		if !(alpha > h.b && alpha < h.a) {
			return math.Inf(1)
		}
		h.dominate(alpha, f.weight)
		h.addTo(f.sum, alpha)
	}
	f.sumOnComplement.CopySym(complementBlock(f.sum))
	if !f.e.Factorize(f.sumOnComplement, symmetric.WithVectors) {
		return math.Inf(1)
	}
	return f.e.Values(nil)[f.d-3] - f.smallestOnPlane()
}

// search looks for logits and a weight of no excess, from x and the weight the face
// has, and returns the logits of the least excess it finds.
func (f *face) search(ctx context.Context, x [2]float64, rounds int) (logits [2]float64, least float64, err error) {
	least = f.excess(x[:])
	for round := 0; least > 0 && round < rounds; round++ {
		problem := optimize.Problem{Func: func(x []float64) float64 {
			if ctx.Err() != nil {
				return least
			}
			return f.excess(x)
		}}
		found, _ := optimize.Minimize(problem, x[:], &optimize.Settings{FuncEvaluations: 36}, &optimize.NelderMead{SimplexSize: 0.7})
		if err := ctx.Err(); err != nil {
			return x, least, err
		}
		if found != nil && found.F < least {
			x, least = [2]float64(found.X), found.F
		}
		if least <= 0 || math.IsInf(f.excess(x[:]), 0) {
			break
		}
		before := f.weight
		f.weight = barrierWeight(&f.e, 0.1/float64(round+1))
		if now := f.excess(x[:]); now < least {
			least = now
		} else if round > 0 {
			f.weight = before
			break
		}
	}
	return x, f.excess(x[:]), nil
}

// cover returns the face's cover for logits x, in the coordinates of P and Q, or
// false where the logits are out of range.
func (f *face) cover(x [2]float64) (cover, bool) {
	if math.IsInf(f.excess(x[:]), 0) {
		return cover{}, false
	}
	back := mat.DenseCopyOf(f.basis.T())
	m, n := mat.NewSymDense(f.d, nil), mat.NewSymDense(f.d, nil)
	out := cover{alpha: f.left.levelAt(x[0]), beta: f.right.levelAt(x[1])}
	f.left.addTo(m, out.alpha)
	f.right.addTo(n, out.beta)
	out.m, out.n, out.sum = symmetric.Turn(m, back), symmetric.Turn(n, back), symmetric.Turn(f.sum, back)
	return out, true
}

func (f *face) complement() *mat.Dense { return f.basis.Slice(0, f.d, 2, f.d).(*mat.Dense) }

// A weight is KᵀK by its eigenvectors and the roots of its eigenvalues; nil is I.
type weight struct {
	vectors *mat.Dense
	roots   []float64
}

// weightOf returns a weight by its spectrum, no eigenvalue below a thousandth of the
// largest.
func weightOf(a *mat.SymDense) *weight {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil
	}
	k := &weight{vectors: new(mat.Dense), roots: e.Values(nil)}
	e.VectorsTo(k.vectors)
	top := k.roots[len(k.roots)-1]
	for i, v := range k.roots {
		k.roots[i] = math.Sqrt(math.Max(v, 1e-3*top))
	}
	return k
}

// barrierWeight returns the weight (level − S)⁻¹ up to a factor, the level being margin
// times the spectrum's width above its top.
func barrierWeight(e *mat.EigenSym, margin float64) *weight {
	k := &weight{vectors: new(mat.Dense), roots: e.Values(nil)}
	e.VectorsTo(k.vectors)
	top := k.roots[len(k.roots)-1]
	if margin *= top - k.roots[0]; !(margin > 0) {
		return nil
	}
	for i, v := range k.roots {
		k.roots[i] = math.Sqrt(margin / (top + margin - v))
	}
	return k
}

// spread returns the weight of a complement as one on all of space.
func (k *weight) spread(complement *mat.Dense) *mat.SymDense {
	if k == nil {
		return nil
	}
	var w mat.Dense
	w.Mul(complement, k.vectors)
	rows, cols := w.Dims()
	for j := range cols {
		for i := range rows {
			w.Set(i, j, k.roots[j]*w.At(i, j))
		}
	}
	out := mat.NewSymDense(rows, nil)
	out.SymOuterK(1, &w)
	return out
}

// positive returns K⁻¹(KXKᵀ)₊K⁻ᵀ.
func (k *weight) positive(x *mat.SymDense) *mat.SymDense {
	if k == nil {
		return positivePart(x)
	}
	inner := positivePart(k.congruent(x))
	for i, u := range k.roots {
		for j := i; j < len(k.roots); j++ {
			inner.SetSym(i, j, inner.At(i, j)/(u*k.roots[j]))
		}
	}
	return symmetric.Turn(inner, mat.DenseCopyOf(k.vectors.T()))
}

// congruent returns KXKᵀ.
func (k *weight) congruent(x *mat.SymDense) *mat.SymDense {
	out := symmetric.Turn(x, k.vectors)
	for i, u := range k.roots {
		for j := i; j < len(k.roots); j++ {
			out.SetSym(i, j, out.At(i, j)*u*k.roots[j])
		}
	}
	return out
}

// positivePart returns X₊, or X's norm times I where it has no decomposition.
func positivePart(x *mat.SymDense) *mat.SymDense {
	n := x.SymmetricDim()
	out := mat.NewSymDense(n, nil)
	var e mat.EigenSym
	if !e.Factorize(x, true) {
		norm := mat.Norm(x, 2)
		for i := range n {
			out.SetSym(i, i, norm)
		}
		return out
	}
	var w mat.Dense
	e.VectorsTo(&w)
	from := n
	for i, v := range e.Values(nil) {
		if v <= 0 {
			continue
		}
		from = min(from, i)
		root := math.Sqrt(v)
		for r := range n {
			w.Set(r, i, root*w.At(r, i))
		}
	}
	if from < n {
		out.SymOuterK(1, w.Slice(0, n, from, n))
	}
	return out
}
