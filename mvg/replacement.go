package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// One record of a Gram matrix is replaced: Δ = k(xxᵀ − yyᵀ), ‖x‖, ‖y‖ ≤ c, with
// whitened norm k√tr(PDQD), D = xxᵀ − yyᵀ, P = Σ⁻¹, Q = Ψ⁻¹.
//
// tr(PDQD) = ‖P^{1/2}DQ^{1/2}‖² is convex in each of xxᵀ and yyᵀ over
// {X ⪰ 0, tr X ≤ c²}, whose extreme points are 0 and the xxᵀ with ‖x‖ = c. With
// ‖x‖ = ‖y‖ = c at an angle φ, D = c² sin φ (aaᵀ − bbᵀ) for orthonormal a, b, so
// sin φ = 1 is best:
//
//	tr(PDQD) = c⁴(aᵀPa·aᵀQa + bᵀPb·bᵀQb − 2 aᵀPb·aᵀQb).
//
// Turning (a, b) within its plane V makes aaᵀ − bbᵀ any reflection R of V, and
// tr(P_V R Q_V R) is largest, p₁(V)q₁(V) + p₂(V)q₂(V) for the eigenvalues of the
// compressions, where R carries the eigenvectors of Q_V to those of P_V. That is
// at least p₁(V)q₁(V) ≥ aᵀPa·aᵀQa, so y = 0 is never better (order ≥ 2).
//
// Closed forms follow where V is all there is (order 2), where Σ = Ψ (p₁² + p₂²)
// and where Ψ = I/q (q(p₁ + p₂)), for eigenvalues of a compression interlace and
// P's two top directions attain. Elsewhere the maximum over planes lies between a
// D found by ascent and the least of three upper ends: interlacing,
// p₁q₁ + p₂q₂; with the traces τ = tr P_V and tr Q_V, F ≤ τ_Pτ_Q ≤
// ¼ min_t κ(tP + Q/t)², κ the sum of the two largest eigenvalues; and up to order
// leadingCompound the semidefinite bound of compound.go, which has met the ascent to
// rounding in every case tried up to order fullCompound.

// replaced bounds max tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b.
func replaced(ctx context.Context, sigma, psi Covariance) (bound, error) {
	d := sigma.Order()
	p, q := sigma.Precision(), psi.Precision()
	top, right := descendingPrecisions(sigma), descendingPrecisions(psi)
	scale := top[0] * right[0]
	p.ScaleSym(1/top[0], p)
	q.ScaleSym(1/right[0], q)
	// Against the exact inverses, P and Q err by at most this times their norms
	// (drift of the directions, and d + 12 roundings of d products an entry), which
	// moves aᵀPa·aᵀQa + … by at most twice the sum.
	off := 2 * (6*(sigma.drift+psi.drift) + 2*float64(d*(d+12))*unit)

	traces, err := planeTraces(ctx, p, q)
	if err != nil {
		return bound{}, err
	}
	out := bound{0, math.Min((top[0]*right[0]+top[1]*right[1])/scale, traces)}
	climb := &ascent{p: p, q: q}
	src := rand.New(rand.NewPCG(1, 2))
	climbing := func(starts int) error {
		for range starts {
			w := randomBasis(d, src)
			if err := climb.from(ctx, reflection(w.ColView(0), w.ColView(1))); err != nil {
				return err
			}
			if climb.best >= out.hi*(1-1e-12) {
				break
			}
		}
		return nil
	}
	if err := climbing(3); err != nil {
		return bound{}, err
	}
	if d <= leadingCompound && climb.best < out.hi*(1-1e-12) {
		c := newCompound(turn(p, climb.at), turn(q, climb.at))
		g, direction, err := c.solve(ctx)
		if err != nil {
			return bound{}, err
		}
		out.hi = math.Min(out.hi, c.bound(g))
		if direction != nil && climb.best < out.hi*(1-1e-12) {
			if err := climb.from(ctx, turn(direction, mat.DenseCopyOf(climb.at.T()))); err != nil {
				return bound{}, err
			}
		}
	}
	if d <= leadingCompound {
		if err := climbing(12); err != nil {
			return bound{}, err
		}
	}
	out.lo = climb.best
	rounding := 8 * float64(4*d+20) * float64(d) * unit
	return bound{scale * math.Max(0, out.lo-off-rounding) * (1 - 8*unit), scale * (out.hi + off) * (1 + 8*unit)}, nil
}

// planeTraces returns ¼ min_t κ(tP + Q/t)², an upper end whatever t.
func planeTraces(ctx context.Context, p, q *mat.SymDense) (float64, error) {
	n := p.SymmetricDim()
	var e mat.EigenSym
	value := func(logT float64) float64 {
		t := math.Exp(logT)
		sum := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				sum.SetSym(i, j, t*p.At(i, j)+q.At(i, j)/t)
			}
		}
		if !e.Factorize(sum, false) {
			return math.Inf(1)
		}
		v := e.Values(nil)
		k := (v[n-1] + v[n-2]) * (1 + float64(8*n*n)*unit)
		return k * k / 4
	}
	lo, hi := -8.0, 8.0 // κ is convex in ln t
	inner, outer := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
	u, v := value(inner), value(outer)
	best := math.Min(u, v)
	for range 25 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if u < v {
			hi, outer, v = outer, inner, u
			inner = lo + 0.382*(hi-lo)
			u = value(inner)
		} else {
			lo, inner, u = inner, outer, v
			outer = lo + 0.618*(hi-lo)
			v = value(outer)
		}
		best = math.Min(best, math.Min(u, v))
	}
	return best, nil
}

func reflection(a, b mat.Vector) *mat.SymDense {
	d := mat.NewSymDense(a.Len(), nil)
	d.SymRankOne(d, 1, a)
	d.SymRankOne(d, -1, b)
	return d
}

// ascent climbs tr(PDQD) over D = aaᵀ − bbᵀ and keeps the best.
type ascent struct {
	p, q *mat.SymDense
	best float64
	at   *mat.Dense // an orthonormal basis that starts with a, b
}

func (s *ascent) keep(value float64, w *mat.Dense) {
	if s.at != nil && !(value > s.best) {
		return
	}
	n, _ := w.Dims()
	s.best, s.at = value, mat.NewDense(n, n, nil)
	s.at.SetCol(0, mat.Col(nil, n-1, w))
	for i := range n - 1 {
		s.at.SetCol(i+1, mat.Col(nil, i, w))
	}
}

// gradient returns PDQ + QDP.
func (s *ascent) gradient(d mat.Symmetric) *mat.SymDense {
	var g mat.Dense
	g.Product(s.p, d, s.q)
	out := symmetrized(&g)
	out.ScaleSym(2, out)
	return out
}

// value returns tr(PDQD) at D = aaᵀ/‖a‖² − bbᵀ/‖b‖², which is allowed whether or
// not a ⟂ b.
func (s *ascent) value(a, b mat.Vector) float64 {
	x, y := mat.Dot(a, a), mat.Dot(b, b)
	return mat.Inner(a, s.p, a)*mat.Inner(a, s.q, a)/(x*x) + mat.Inner(b, s.p, b)*mat.Inner(b, s.q, b)/(y*y) -
		2*mat.Inner(a, s.p, b)*mat.Inner(a, s.q, b)/(x*y)
}

// from climbs from a symmetric matrix. The form is convex in D, so the D' that
// maximises ⟨PDQ + QDP, D'⟩, made of the top and the bottom eigenvector of
// PDQ + QDP, is never lower; near the maximum Newton's method takes over.
func (s *ascent) from(ctx context.Context, d *mat.SymDense) error {
	n := d.SymmetricDim()
	var e mat.EigenSym
	var w mat.Dense
	last := 0.0
	rounds, steps := 400, 12
	if n > leadingCompound { // the upper end is not that near
		rounds, steps = 40, 0
	}
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Factorize(d, true) {
			return nil
		}
		w.Reset()
		e.VectorsTo(&w)
		v := s.value(w.ColView(n-1), w.ColView(0))
		if v-last <= 1e-9*v {
			break
		}
		last = v
		d = s.gradient(reflection(w.ColView(n-1), w.ColView(0)))
	}
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		gain := s.newton(&w)
		if !(gain > 1e-16*last) {
			break
		}
	}
	s.keep(s.value(w.ColView(n-1), w.ColView(0)), &w)
	return nil
}

// newton takes one step of Newton's method from D = w_n w_nᵀ − w_1 w_1ᵀ, the
// columns of w being orthonormal, and returns what it gained; where it gains
// nothing w stays. Along D ↦ e^K D e^{−K} with K skew, moving a and b, the form is
// ⟨D, LD⟩ + 2⟨LD, [K, D]⟩ + ⟨[K, D], L[K, D]⟩ + ⟨LD, [K, [K, D]]⟩ + …
func (s *ascent) newton(w *mat.Dense) float64 {
	n, _ := w.Dims()
	a, b := n-1, 0
	turned := &ascent{p: turn(s.p, w), q: turn(s.q, w)}
	d := mat.NewSymDense(n, nil)
	d.SetSym(a, a, 1)
	d.SetSym(b, b, -1)
	slope := turned.gradient(d) // 2LD
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
			v := 2 * f(m) * f(o) * turned.cross(m, o)
			v += f(o)*bracket(slope, m, o) + f(m)*bracket(slope, o, m)
			h.SetSym(i, j, -v)
		}
	}
	var chol mat.Cholesky
	ridge := 0.0
	for try := 0; !chol.Factorize(h); try++ {
		if try == 12 {
			return 0
		}
		grown := math.Max(1e-10*mat.Norm(h, 2), 10*ridge)
		for i := range k {
			h.SetSym(i, i, h.At(i, i)+grown-ridge)
		}
		ridge = grown
	}
	step := mat.NewVecDense(k, nil)
	if err := chol.SolveVecTo(step, g); err != nil && floats.HasNaN(step.RawVector().Data) {
		return 0
	}
	skew := mat.NewDense(n, n, nil)
	for i, m := range moves {
		skew.Set(m[0], m[1], step.AtVec(i))
		skew.Set(m[1], m[0], -step.AtVec(i))
	}
	var turnBy, next mat.Dense
	turnBy.Exp(skew)
	next.Mul(w, &turnBy)
	gain := s.value(next.ColView(a), next.ColView(b)) - s.value(w.ColView(a), w.ColView(b))
	if gain > 0 {
		w.Copy(&next)
	}
	return gain
}

// cross returns the entry o of PAQ + QAP for A = e_p e_qᵀ + e_q e_pᵀ, m = (p, q).
func (s *ascent) cross(m, o [2]int) float64 {
	p, q := s.p, s.q
	return p.At(o[0], m[0])*q.At(m[1], o[1]) + p.At(o[0], m[1])*q.At(m[0], o[1]) +
		q.At(o[0], m[0])*p.At(m[1], o[1]) + q.At(o[0], m[1])*p.At(m[0], o[1])
}

// bracket returns the entry o of SK − KS for K = e_p e_qᵀ − e_q e_pᵀ, m = (p, q):
// ⟨S, [K, A]⟩ = ⟨SK − KS, A⟩.
func bracket(s *mat.SymDense, m, o [2]int) float64 {
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

// turn returns wᵀaw.
func turn(a *mat.SymDense, w *mat.Dense) *mat.SymDense {
	var out mat.Dense
	out.Product(w.T(), a, w)
	return symmetrized(&out)
}

// randomBasis returns a random orthonormal basis.
func randomBasis(n int, src *rand.Rand) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, src.NormFloat64())
		}
	}
	var f mat.QR
	f.Factorize(a)
	var out mat.Dense
	f.QTo(&out)
	return &out
}
