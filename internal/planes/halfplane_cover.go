package planes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpworkbench/internal/golden"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// reflectionForm is the function
//
//	ℓ(V) = max ⟨h, W⟩ + ⟨a, S⟩ + ⟨b, T⟩
//
// of planes V, W being the projection onto V and S, T reflections of V: symmetric,
// traceless, of square W. The maximum takes for S the reflection that keeps a_V's
// leading eigenvector, so that ⟨a, S⟩ is the difference of a_V's eigenvalues.
type reflectionForm struct{ h, a, b *mat.SymDense }

// reflectionFormOf returns c·y as such a function: c₁p̄ = ½c₁ tr_V P, c₃δp = ½c₃⟨P, S⟩.
func (s *halfPlanes) reflectionFormOf(c [4]float64) reflectionForm {
	d := s.p.SymmetricDim()
	l := reflectionForm{h: mat.NewSymDense(d, nil), a: mat.NewSymDense(d, nil), b: mat.NewSymDense(d, nil)}
	symmetric.Combine(l.h, c[0]/2, s.p, c[1]/2, s.q)
	l.a.ScaleSym(c[2]/2, s.p)
	l.b.ScaleSym(c[3]/2, s.q)
	return l
}

// A cover bounds ℓ(V) over all planes V. With A = 2a and B = 2b, any α, β, and any
// M ⪰ 0, M ⪰ A − αI, N ⪰ 0, N ⪰ B − βI,
//
//	ℓ(V) ≤ α + β + tr_V S ≤ α + β + λ₁(S) + λ₂(S), S = h − a − b + M + N:
//
// for u the leading eigenvector of a_V, max ⟨a, S⟩ = uᵀAu − tr_V a, and
// uᵀAu ≤ α + uᵀMu ≤ α + tr_V M; so for b. That sum is the cover's level.
type cover struct {
	alpha, beta float64
	m, n, sum   *mat.SymDense // sum is S
}

func (c cover) level() float64 {
	v := eigenvalues(c.sum)
	return c.alpha + c.beta + v[len(v)-1] + v[len(v)-2]
}

// eigenvalues returns those of a, rising, or what none is above where it has no
// decomposition.
func eigenvalues(a *mat.SymDense) []float64 {
	v := make([]float64, a.SymmetricDim())
	var e mat.EigenSym
	if e.Factorize(a, symmetric.WithVectors) {
		return e.Values(v)
	}
	for i := range v {
		v[i] = mat.Norm(a, 2)
	}
	return v
}

// coverLevel bounds ℓ over all planes: by a face of v where v attains the bound. Where no
// face is found, loose is the S of the cover that bounds.
func (s *halfPlanes) coverLevel(ctx context.Context, l reflectionForm, v frame, others ...cover) (level float64, loose *mat.SymDense, err error) {
	f := newFace(l, v)
	if s.lastFace.weight != nil {
		f.weight = weightOf(symmetric.Turn(s.lastFace.weight, f.complement()))
	}
	tried := make([]cover, 0, 4)
	attempt := func(x [2]float64, rounds int) (found bool, err error) {
		x, excess, err := f.search(ctx, x, rounds)
		if err != nil {
			return false, err
		}
		at, ok := f.cover(x)
		if ok {
			tried = append(tried, at)
		}
		if found = ok && excess <= 0; found {
			s.lastFace = faceStart{x, f.weight.spread(f.complement())}
			level = l.certify(at)
		}
		return found, nil
	}
	if found, err := attempt(s.lastFace.logits, 8); found || err != nil {
		return level, nil, err
	}
	general, err := l.frankWolfe(ctx, append(tried, others...), f.basis)
	if err != nil {
		return 0, nil, err
	}
	tried = append(append(tried, others...), general)
	// The face again, from where the general method led.
	if f.weight = nil; f.e.Factorize(complementBlock(symmetric.Turn(general.sum, f.basis)), true) {
		f.weight = barrierWeight(&f.e, 0.03)
	}
	if found, err := attempt([2]float64{f.left.logitOf(general.alpha), f.right.logitOf(general.beta)}, 4); found || err != nil {
		return level, nil, err
	}
	best := lowestCover(tried)
	return l.certify(best), best.sum, nil
}

// lowestCover returns the cover of the least level.
func lowestCover(covers []cover) cover {
	return slices.MinFunc(covers, func(a, b cover) int { return cmp.Compare(a.level(), b.level()) })
}

// diagonalCover returns the least cover that is diagonal in the axes P and Q share. Where
// they commute no other is lower, for the average of a cover over the reflections of
// the axes is one as well.
func (s *halfPlanes) diagonalCover(c [4]float64) cover {
	d := s.p.SymmetricDim()
	p, q := symmetric.Turn(s.p, s.axes), symmetric.Turn(s.q, s.axes)
	level := func(alpha, beta float64) float64 {
		var second float64
		first := math.Inf(-1)
		for i := range d {
			a, b := c[2]*p.At(i, i), c[3]*q.At(i, i)
			x := (c[0]*p.At(i, i)+c[1]*q.At(i, i)-a-b)/2 + math.Max(0, a-alpha) + math.Max(0, b-beta)
			if x > first {
				first, second = x, first
			} else if x > second {
				second = x
			}
		}
		return alpha + beta + first + second
	}
	beta := func(alpha float64) float64 {
		at, _ := golden.Minimize(func(b float64) float64 { return level(alpha, b) }, 0, c[3], 60)
		return at
	}
	alpha, _ := golden.Minimize(func(a float64) float64 { return level(a, beta(a)) }, 0, c[2], 60)
	out := cover{alpha: alpha, beta: beta(alpha)}
	back := mat.DenseCopyOf(s.axes.T())
	positive := func(m *mat.SymDense, k, level float64) *mat.SymDense {
		x := mat.NewSymDense(d, nil)
		for i := range d {
			x.SetSym(i, i, math.Max(0, k*m.At(i, i)-level))
		}
		return symmetric.Turn(x, back)
	}
	out.m, out.n = positive(p, c[2], out.alpha), positive(q, c[3], out.beta)
	out.sum = mat.NewSymDense(d, nil)
	symmetric.Combine(out.sum, (c[0]-c[2])/2, s.p, (c[1]-c[3])/2, s.q)
	out.sum.AddSym(out.sum, out.m)
	out.sum.AddSym(out.sum, out.n)
	return out
}

// sharedAxes returns eigenvectors of both, or nil where they have none in common.
func sharedAxes(p, q *mat.SymDense) *mat.Dense {
	d := p.SymmetricDim()
	sum := mat.NewSymDense(d, nil)
	symmetric.Combine(sum, 1, p, math.Sqrt2-1, q)
	var e mat.EigenSym
	if !e.Factorize(sum, true) {
		return nil
	}
	w := new(mat.Dense)
	e.VectorsTo(w)
	for _, m := range []*mat.SymDense{symmetric.Turn(p, w), symmetric.Turn(q, w)} {
		for i := range d {
			for j := i + 1; j < d; j++ {
				if math.Abs(m.At(i, j)) > 1e-12 {
					return nil
				}
			}
		}
	}
	return w
}

// frankWolfeSteps is the number of steps of frankWolfe.
const frankWolfeSteps = 40

// frankWolfe lowers the level of a cover where no face holds, by Frank and Wolfe's method
// on the smoothed level α + β + min_γ 2γ + τ Σ ln(1 + e^{(λ_i − γ)/τ}). Its gradient in
// S is the weight of S's eigenvectors with occupations 1/(1 + e^{(γ − λ_i)/τ}), of sum
// 2; the M that is least under a weight KᵀK is K⁻¹(K(A − α)Kᵀ)₊K⁻ᵀ. It starts from
// the lowest of the covers and of three that weigh the basis's plane.
func (l reflectionForm) frankWolfe(ctx context.Context, starts []cover, basis *mat.Dense) (cover, error) {
	d := l.h.SymmetricDim()
	rest, a, b := l.parts()
	under := func(k *weight) (out cover) {
		out.alpha, out.m = k.leastDominating(ctx, a)
		out.beta, out.n = k.leastDominating(ctx, b)
		out.sum = mat.NewSymDense(d, nil)
		out.sum.AddSym(rest, out.m)
		out.sum.AddSym(out.sum, out.n)
		return out
	}
	for _, floor := range []float64{1e-1, 1e-2, 1e-3} {
		k := &weight{basis, make([]float64, d)}
		for i := range k.roots {
			k.roots[i] = math.Sqrt(floor)
		}
		k.roots[0], k.roots[1] = 1, 1
		starts = append(starts, under(k))
	}
	width := 0.03 * eigenvalues(l.h)[d-1]
	at := lowestCover(starts)
	best, least := at, at.level()
	for round := range frankWolfeSteps {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		var e mat.EigenSym
		if !e.Factorize(at.sum, true) {
			break
		}
		tau := width / float64(round+1)
		k := &weight{new(mat.Dense), e.Values(nil)}
		e.VectorsTo(k.vectors)
		gamma := chemicalPotential(k.roots, tau)
		for i, v := range k.roots {
			k.roots[i] = math.Sqrt(math.Max(1e-4, 1/(1+math.Exp((gamma-v)/tau))))
		}
		next := under(k)
		mixed := mat.NewSymDense(d, nil)
		t, _ := golden.Minimize(func(t float64) float64 {
			symmetric.Combine(mixed, 1-t, at.sum, t, next.sum)
			v := eigenvalues(mixed)
			gamma := chemicalPotential(v, tau)
			sum := (1-t)*(at.alpha+at.beta) + t*(next.alpha+next.beta) + 2*gamma
			for _, x := range v {
				sum += tau * math.Log1p(math.Exp((x-gamma)/tau))
			}
			return sum
		}, 0, 1, 8)
		mix := func(x, y *mat.SymDense) *mat.SymDense {
			out := mat.NewSymDense(d, nil)
			symmetric.Combine(out, 1-t, x, t, y)
			return out
		}
		at = cover{(1-t)*at.alpha + t*next.alpha, (1-t)*at.beta + t*next.beta, mix(at.m, next.m), mix(at.n, next.n), mix(at.sum, next.sum)}
		if level := at.level(); level < least {
			best, least = at, level
		}
	}
	return best, nil
}

// chemicalPotential returns the γ at which the occupations sum to 2.
func chemicalPotential(values []float64, tau float64) float64 {
	n := len(values)
	lo, hi := values[0]-tau*math.Log(float64(n)), values[n-1]+tau*math.Log(float64(n))
	for range 60 {
		mid, sum := (lo+hi)/2, 0.0
		for _, v := range values {
			sum += 1 / (1 + math.Exp((mid-v)/tau))
		}
		if sum > 2 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// leastDominating minimises α + tr(KᵀK·M) over α and M ⪰ 0, A − αI.
func (k *weight) leastDominating(ctx context.Context, a *mat.SymDense) (alpha float64, m *mat.SymDense) {
	n := a.SymmetricDim()
	inner, shifted := k.congruent(a), mat.NewSymDense(n, nil)
	var e mat.EigenSym
	var w mat.Dense
	hi := mat.Norm(a, 2)
	lo := -hi
	for range 13 {
		alpha = (lo + hi) / 2
		shifted.CopySym(inner)
		for i, u := range k.roots {
			shifted.SetSym(i, i, shifted.At(i, i)-alpha*u*u)
		}
		if ctx.Err() != nil || !e.Factorize(shifted, true) {
			break
		}
		w.Reset()
		e.VectorsTo(&w)
		slope := 1.0 // less the weight of the eigenvectors of positive eigenvalue
		for j, v := range e.Values(nil) {
			if v > 0 {
				for i, u := range k.roots {
					slope -= u * u * w.At(i, j) * w.At(i, j)
				}
			}
		}
		if slope < 0 {
			lo = alpha
		} else {
			hi = alpha
		}
	}
	m = mat.NewSymDense(n, nil)
	m.CopySym(a)
	for i := range n {
		m.SetSym(i, i, m.At(i, i)-alpha)
	}
	return alpha, k.positive(m)
}

// parts returns h − a − b, A and B.
func (l reflectionForm) parts() (rest, a, b *mat.SymDense) {
	d := l.h.SymmetricDim()
	rest, a, b = mat.NewSymDense(d, nil), mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	symmetric.Combine(rest, 1, l.h, -1, l.a)
	symmetric.Combine(rest, 1, rest, -1, l.b)
	a.ScaleSym(2, l.a)
	b.ScaleSym(2, l.b)
	return rest, a, b
}

// certify returns the cover's level as a proven bound. M and N are
// raised by the multiple of I that proves their four inequalities, which adds its
// double.
func (l reflectionForm) certify(at cover) float64 {
	d := l.h.SymmetricDim()
	rest, a, b := l.parts()
	x := mat.NewSymDense(d, nil)
	lift := func(dominated *mat.SymDense, level float64, m *mat.SymDense) float64 {
		up := math.Max(0, symmetric.EigenCeiling(symmetric.Negated(m)))
		symmetric.Combine(x, 1, dominated, -1, m)
		for i := range d {
			x.SetSym(i, i, x.At(i, i)-level)
		}
		return math.Max(up, symmetric.EigenCeiling(x))
	}
	up := lift(a, at.alpha, at.m) + lift(b, at.beta, at.n)
	rest.AddSym(rest, at.m)
	rest.AddSym(rest, at.n)
	// An entry of each of these matrices is a sum of at most five products.
	size := math.Sqrt(float64(d)) * (math.Abs(at.alpha) + math.Abs(at.beta))
	for _, m := range []*mat.SymDense{l.h, a, b, at.m, at.n} {
		size += 2 * mat.Norm(m, 2)
	}
	return at.alpha + at.beta + symmetric.PairCeiling(rest) + 2*up + 40*unit*size
}
