package planes

import (
	"context"
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ascent climbs tr(PDQD) over D = aaᵀ − bbᵀ and keeps the best.
type ascent struct {
	forms
	best      float64
	bestBasis *mat.Dense // an orthonormal basis that starts with a, b
	localBest []frame    // where climbs ended
}

// climbFrom climbs from D = aaᵀ − bbᵀ, (a, b) = v. The form is convex in D, so the D' that
// maximises ⟨PDQ + QDP, D'⟩, made of the top and the bottom eigenvector of
// PDQ + QDP, is never lower; near the maximum Newton's method takes over.
func (s *ascent) climbFrom(ctx context.Context, v frame) error {
	last := 0.0
	for range 2000 {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, next := s.extremeEigenvectors(v)
		if !(f-last > 1e-9*f) {
			break
		}
		last, v = f, next
	}
	w, before := v.basis(), 0.0
	for range 3 {
		for range 60 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if gain := s.newton(w); !(gain > 1e-15*last) {
				break
			}
		}
		now := s.value(firstTwo(w))
		if !(now > before*(1+1e-12)) {
			break
		}
		// Where P_V is a multiple of I all D of the plane are as good, but not those near it.
		before = now
		if v = s.reflectionBasis(firstTwo(w)); s.value(v) >= now*(1-1e-14) {
			w = v.basis()
		}
	}
	w = firstTwo(w).basis() // Newton's rotations drift
	s.localBest = append(s.localBest, firstTwo(w))
	if f := s.value(firstTwo(w)); s.bestBasis == nil || f > s.best {
		s.best, s.bestBasis = f, w
	}
	return nil
}

// reflectionBasis returns a basis (a, b) of the plane for which aaᵀ − bbᵀ is the reflection
// that carries Q_V's eigenvectors to those of P_V; where one compression has no axes, it
// takes the other's.
func (f forms) reflectionBasis(v frame) frame {
	av := newFrame(len(v[0]))
	axis := func(rows *mat.Dense) (angle float64, has bool) {
		a00, a01, a11 := v.compress(rows, av)
		return math.Atan2(2*a01, a00-a11) / 2, math.Hypot(a00-a11, 2*a01) > 1e-12*(a00+a11)
	}
	p, hasP := axis(f.rows[0])
	q, hasQ := axis(f.rows[1])
	switch {
	case !hasP:
		p = q
	case !hasQ:
		q = p
	}
	sin, cos := math.Sincos((p + q) / 2)
	out := newFrame(len(v[0]))
	for i := range v[0] {
		out[0][i] = cos*v[0][i] + sin*v[1][i]
		out[1][i] = cos*v[1][i] - sin*v[0][i]
	}
	return out
}

// value returns tr(PDQD) at D = aaᵀ/‖a‖² − bbᵀ/‖b‖², which is allowed whether or
// not a ⟂ b.
func (f forms) value(v frame) float64 {
	x, y := floats.Dot(v[0], v[0]), floats.Dot(v[1], v[1])
	av := newFrame(len(v[0]))
	p00, p01, p11 := v.compress(f.rows[0], av)
	q00, q01, q11 := v.compress(f.rows[1], av)
	return p00*q00/(x*x) + p11*q11/(y*y) - 2*p01*q01/(x*y)
}

// extremeEigenvectors returns tr(PDQD), and the top and the bottom eigenvector of PDQ + QDP,
// which is BKBᵀ for B = (Pa, Qa, Pb, Qb).
func (f forms) extremeEigenvectors(v frame) (value float64, next frame) {
	n := len(v[0])
	pv, qv := newFrame(n), newFrame(n)
	p00, p01, p11 := v.compress(f.rows[0], pv)
	q00, q01, q11 := v.compress(f.rows[1], qv)
	value = p00*q00 + p11*q11 - 2*p01*q01
	// B = UR by Gram and Schmidt, twice for the rounding; a column that depends on
	// those before it leaves noise, of no weight in R.
	b := [4][]float64{pv[0], qv[0], pv[1], qv[1]}
	r := symmetric.Eye(4)
	for range 2 {
		t := mat.NewDense(4, 4, nil)
		for j, x := range b {
			for k, y := range b[:j] {
				c := floats.Dot(y, x)
				floats.AddScaled(x, -c, y)
				t.Set(k, j, c)
			}
			norm := floats.Norm(x, 2)
			t.Set(j, j, norm)
			if norm > 0 {
				floats.Scale(1/norm, x)
			}
		}
		var product mat.Dense
		product.Mul(t, r)
		r = &product
	}
	var core mat.Dense
	core.Product(r, mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0}), r.T())
	var e mat.EigenSym
	if !e.Factorize(symmetric.Symmetrized(&core), true) {
		return value, v
	}
	var w mat.Dense
	e.VectorsTo(&w)
	next = newFrame(n)
	for k, x := range b {
		floats.AddScaled(next[0], w.At(k, 3), x)
		floats.AddScaled(next[1], w.At(k, 0), x)
	}
	return value, next
}

// gradient returns PDQ + QDP.
func (f forms) gradient(d mat.Symmetric) *mat.SymDense {
	var g mat.Dense
	g.Product(f.p, d, f.q)
	out := symmetric.Symmetrized(&g)
	out.ScaleSym(2, out)
	return out
}

// newton takes one step of Newton's method from D = w₁w₁ᵀ − w₂w₂ᵀ, the
// columns of w being orthonormal, and returns what it gained; where it gains
// nothing w stays. Along D ↦ e^K D e^{−K} with K skew, moving a and b, the form is
// ⟨D, LD⟩ + 2⟨LD, [K, D]⟩ + ⟨[K, D], L[K, D]⟩ + ⟨LD, [K, [K, D]]⟩ + …
func (s *ascent) newton(w *mat.Dense) float64 {
	n, _ := w.Dims()
	const a, b = 0, 1
	inner := forms{p: symmetric.Turn(s.p, w), q: symmetric.Turn(s.q, w)}
	d := mat.NewSymDense(n, nil)
	d.SetSym(a, a, 1)
	d.SetSym(b, b, -1)
	slope := inner.gradient(d) // 2LD
	var moves [][2]int
	for j := range n {
		if j != a {
			moves = append(moves, [2]int{a, j})
		}
		if j != a && j != b {
			moves = append(moves, [2]int{b, j})
		}
	}
	k := len(moves)
	g, h := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
	// K = e_p e_qᵀ − e_q e_pᵀ has [K, D] = f(e_p e_qᵀ + e_q e_pᵀ).
	f := func(m [2]int) float64 { return d.At(m[1], m[1]) - d.At(m[0], m[0]) }
	for i, m := range moves {
		g.SetVec(i, 2*slope.At(m[0], m[1])*f(m))
		for j := i; j < k; j++ {
			o := moves[j]
			v := 2 * f(m) * f(o) * inner.gradientEntry(m, o)
			v += f(o)*commutatorEntry(slope, m, o) + f(m)*commutatorEntry(slope, o, m)
			h.SetSym(i, j, -v)
		}
	}
	// The Hessian is raised until it is definite, and further until the step gains. Where
	// that is next to nothing, the plane may be a saddle.
	hessian := mat.NewSymDense(k, nil)
	hessian.CopySym(h)
	var gain float64
	next := w
	for ridge, size := 0.0, mat.Norm(h, 2); ; {
		if step := choleskySolution(h, g); step != nil {
			if mat.Dot(step, g)/2 < unit*s.value(firstTwo(w)) {
				break // nor does a shorter one gain
			}
			if at := rotatedBy(w, moves, step); s.value(firstTwo(at)) > s.value(firstTwo(w)) {
				gain, next = s.value(firstTwo(at))-s.value(firstTwo(w)), at
				break
			}
		}
		grown := math.Max(1e-10*size, 10*ridge)
		if grown > 1e3*size {
			break
		}
		for i := range k {
			h.SetSym(i, i, h.At(i, i)+grown-ridge)
		}
		ridge = grown
	}
	if gain < saddleGain*s.value(firstTwo(w)) {
		if at := s.offSaddle(w, moves, hessian); at != nil {
			if more := s.value(firstTwo(at)) - s.value(firstTwo(w)); more > gain {
				gain, next = more, at
			}
		}
	}
	w.Copy(next)
	return gain
}

// saddleGain is the relative gain of a step below which its plane may be a saddle.
const saddleGain = 1e-12

// offSaddle returns the best of some rotations along the direction in which the value
// curves up most, h being the Hessian's negative; nil where it curves up nowhere.
func (s *ascent) offSaddle(w *mat.Dense, moves [][2]int, h *mat.SymDense) (best *mat.Dense) {
	least := 1e-13 * mat.Norm(h, 2)
	raised := mat.NewSymDense(h.SymmetricDim(), nil)
	raised.AddSym(h, symmetric.Multiple(h.SymmetricDim(), least))
	var chol mat.Cholesky
	if chol.Factorize(raised) { // cheaper than eigenvalues
		return nil
	}
	var e mat.EigenSym
	var v mat.Dense
	if !e.Factorize(h, true) || !(e.Values(nil)[0] < -least) {
		return nil
	}
	e.VectorsTo(&v)
	top := 0.0
	for t := 1.0; t > 1e-3; t /= 2 {
		for _, sign := range []float64{t, -t} {
			var step mat.VecDense
			step.ScaleVec(sign, v.ColView(0))
			at := rotatedBy(w, moves, &step)
			if value := s.value(firstTwo(at)); value > top {
				best, top = at, value
			}
		}
	}
	return best
}

// choleskySolution returns h⁻¹g, or nil where h is not definite.
func choleskySolution(h *mat.SymDense, g *mat.VecDense) *mat.VecDense {
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil
	}
	step := new(mat.VecDense)
	_ = chol.SolveVecTo(step, g) // an ill-conditioned step is judged by what it reaches
	if floats.HasNaN(step.RawVector().Data) {
		return nil
	}
	return step
}

// rotatedBy returns w turned by e^K for K of the moves' steps.
func rotatedBy(w *mat.Dense, moves [][2]int, step *mat.VecDense) *mat.Dense {
	n, _ := w.Dims()
	skew := mat.NewDense(n, n, nil)
	for i, m := range moves {
		skew.Set(m[0], m[1], step.AtVec(i))
		skew.Set(m[1], m[0], -step.AtVec(i))
	}
	var turnBy mat.Dense
	turnBy.Exp(skew)
	out := new(mat.Dense)
	out.Mul(w, &turnBy)
	return out
}

// gradientEntry returns the entry o of PAQ + QAP for A = e_p e_qᵀ + e_q e_pᵀ, m = (p, q).
func (f forms) gradientEntry(m, o [2]int) float64 {
	p, q := f.p, f.q
	return p.At(o[0], m[0])*q.At(m[1], o[1]) + p.At(o[0], m[1])*q.At(m[0], o[1]) +
		q.At(o[0], m[0])*p.At(m[1], o[1]) + q.At(o[0], m[1])*p.At(m[0], o[1])
}

// commutatorEntry returns the entry o of SK − KS for K = e_p e_qᵀ − e_q e_pᵀ, m = (p, q):
// ⟨S, [K, A]⟩ = ⟨SK − KS, A⟩.
func commutatorEntry(s *mat.SymDense, m, o [2]int) float64 {
	v := 0.0
	if o[1] == m[1] {
		v += s.At(o[0], m[0])
	}
	if o[1] == m[0] {
		v -= s.At(o[0], m[1])
	}
	if o[0] == m[0] {
		v -= s.At(m[1], o[1])
	}
	if o[0] == m[1] {
		v += s.At(m[0], o[1])
	}
	return v
}
