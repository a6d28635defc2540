package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// whitened for a Gram matrix, with P = Σ⁻¹ and Q = Ψ⁻¹.
//
// One record comes or goes: Δ = ±k xxᵀ has whitened norm k√(xᵀPx·xᵀQx), largest
// at ‖x‖ = c. With √(ab) = ½ min_t (ta + b/t), linear in (a, b) and convex in t,
// and since the pairs (xᵀPx, xᵀQx) over the sphere have a convex range (Brickman
// 1961, order ≥ 3; at order 2 they trace an ellipse, whose outer arc is the hull's),
// the minimax theorem gives
//
//	max = ½kc² min_{t>0} λ_max(tP + Q/t).
//
// One record is replaced: Δ = k(xxᵀ − yyᵀ). The squared norm is convex in each of
// xxᵀ and yyᵀ over {X ⪰ 0, tr X ≤ c²}, so ‖x‖ = ‖y‖ = c (or, at order 1, y = 0),
// and Δ = kc² sin φ (aaᵀ − bbᵀ) with orthonormal a, b and φ the angle between x
// and y, so sin φ = 1 and
//
//	‖·‖² = k²c⁴ (aᵀPa·aᵀQa + bᵀPb·bᵀQb − 2 aᵀPb·aᵀQb).
//
// Where Σ = Ψ that is k²c⁴(M₁₁² + M₂₂² − 2M₁₂²) for the compression M of P to
// span(a, b), at most ‖M‖_F² ≤ p₁² + p₂², attained at P's two top directions.
// Where Ψ = I/q it is k²c⁴q(aᵀPa + bᵀPb) ≤ k²c⁴q(p₁ + p₂), attained there too.
// For other pairs turn (a, b) within its plane: aaᵀ − bbᵀ becomes any reflection
// R of the plane, and tr(P_V R Q_V R) for the compressions to the plane V is
// largest, p₁(V)q₁(V) + p₂(V)q₂(V), where R carries the eigenvectors of Q_V to
// those of P_V. At order 2 that is exact: V is all there is. Beyond, eigenvalues
// of a compression interlace, so k²c⁴(p₁q₁ + p₂q₂) is an upper end (attained
// where P and Q share their two top directions), and a search gives the lower.
func (g Gram) whitened(ctx context.Context, sigma, psi Covariance) (bound, error) {
	k := g.scale * g.rowNorm * g.rowNorm
	equal := sameCovariance(sigma, psi)
	drift := 6*(sigma.drift+psi.drift) + 32*unit
	p, q := descendingPrecisions(sigma), descendingPrecisions(psi)
	switch {
	case !g.replace || g.d == 1:
		if equal || sigma.IsIsotropic() || psi.IsIsotropic() || g.d == 1 {
			return widen(k*math.Sqrt(p[0]*q[0]), drift), nil
		}
		return g.crossed(sigma, psi, k, drift)
	case equal:
		return widen(k*math.Hypot(p[0], p[1]), drift), nil
	case psi.IsIsotropic():
		return widen(k*math.Sqrt(q[0]*(p[0]+p[1])), drift), nil
	case sigma.IsIsotropic():
		return widen(k*math.Sqrt(p[0]*(q[0]+q[1])), drift), nil
	}
	high := k * math.Sqrt(p[0]*q[0]+p[1]*q[1])
	if g.d == 2 {
		return widen(high, drift), nil
	}
	low, err := replacementSearch(ctx, sigma.Precision(), psi.Precision())
	return bound{k * low * (1 - drift), high * (1 + drift)}, err
}

// crossed minimises λ_max(tP + Q/t) over ln t, where it is convex, by golden
// section. Any t bounds the maximum from above; the eigenvectors met on the way
// bound it from below.
func (g Gram) crossed(sigma, psi Covariance, k, drift float64) (bound, error) {
	p, q := sigma.Precision(), psi.Precision()
	n := p.SymmetricDim()
	out := bound{0, math.Inf(1)}
	sum := mat.NewSymDense(n, nil)
	var e mat.EigenSym
	var w mat.Dense
	var last, first *mat.VecDense // eigenvectors on both sides of the optimum
	evaluate := func(logT float64) (value, slope float64) {
		t := math.Exp(logT)
		for i := range n {
			for j := i; j < n; j++ {
				sum.SetSym(i, j, t*p.At(i, j)+q.At(i, j)/t)
			}
		}
		e.Factorize(sum, true)
		e.VectorsTo(&w)
		value = e.Values(nil)[n-1] / 2
		x := mat.NewVecDense(n, mat.Col(nil, n-1, &w))
		a, b := mat.Inner(x, p, x), mat.Inner(x, q, x)
		out.hi = math.Min(out.hi, value)
		out.lo = math.Max(out.lo, math.Sqrt(a*b)/mat.Dot(x, x))
		if t*a > b/t {
			last = x
		} else {
			first = x
		}
		return value, t*a - b/t
	}
	lo, hi := -0.5*math.Log(mat.Trace(p)/mat.Trace(q))-20, -0.5*math.Log(mat.Trace(p)/mat.Trace(q))+20
	for range 70 { // the slope in ln t has the sign of tᵃ − b/t
		mid := (lo + hi) / 2
		if _, slope := evaluate(mid); slope > 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	// At a crossing of eigenvalues the maximiser is a combination of the two.
	if first != nil && last != nil {
		x := mat.NewVecDense(n, nil)
		for i := range 4001 {
			angle := math.Pi * float64(i) / 4000
			x.ScaleVec(math.Cos(angle), first)
			x.AddScaledVec(x, math.Sin(angle), last)
			if s := mat.Dot(x, x); s > 1e-9 {
				out.lo = math.Max(out.lo, math.Sqrt(mat.Inner(x, p, x)*mat.Inner(x, q, x))/s)
			}
		}
	}
	slack := drift + float64(8*n*n)*unit
	return bound{k * out.lo * (1 - slack), k * out.hi * (1 + slack)}, nil
}

// replacementSearch climbs aᵀPa·aᵀQa + bᵀPb·bᵀQb − 2aᵀPb·aᵀQb over orthonormal
// pairs by plane rotations from several starts, and returns the root of the
// largest value found.
func replacementSearch(ctx context.Context, p, q *mat.SymDense) (float64, error) {
	n := p.SymmetricDim()
	src := rand.New(rand.NewPCG(1, 2))
	best := 0.0
	value := func(a, b *mat.VecDense) float64 {
		return mat.Inner(a, p, a)*mat.Inner(a, q, a) + mat.Inner(b, p, b)*mat.Inner(b, q, b) - 2*mat.Inner(a, p, b)*mat.Inner(a, q, b)
	}
	for range 12 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		basis := randomBasis(n, src)
		cols := make([]*mat.VecDense, n)
		for i := range cols {
			cols[i] = mat.NewVecDense(n, mat.Col(nil, i, basis))
		}
		current := value(cols[0], cols[1])
		for sweep := 0; sweep < 200; sweep++ {
			before := current
			for i := range 2 {
				for j := i + 1; j < n; j++ {
					u, v := mat.VecDenseCopyOf(cols[i]), mat.VecDenseCopyOf(cols[j])
					rotate := func(t float64) float64 {
						cols[i].ScaleVec(math.Cos(t), u)
						cols[i].AddScaledVec(cols[i], math.Sin(t), v)
						cols[j].ScaleVec(math.Cos(t), v)
						cols[j].AddScaledVec(cols[j], -math.Sin(t), u)
						return value(cols[0], cols[1])
					}
					top, at := current, 0.0
					for width, s := math.Pi/16, 0; s < 40; s++ {
						for _, t := range []float64{at - width, at + width} {
							if f := rotate(t); f > top {
								top, at = f, t
							}
						}
						width *= 0.7
					}
					current = rotate(at)
				}
			}
			if current-before <= 1e-14*current {
				break
			}
		}
		best = math.Max(best, current)
	}
	return math.Sqrt(best), nil
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

func sameCovariance(a, b Covariance) bool {
	if a.Order() != b.Order() {
		return false
	}
	for i, v := range a.variances {
		if b.variances[i] != v {
			return false
		}
	}
	switch {
	case a.directions == nil || b.directions == nil:
		return a.directions == b.directions
	case a.directions == b.directions:
		return true
	}
	return mat.Equal(a.directions, b.directions)
}

// descendingPrecisions returns the precisions from the largest down.
func descendingPrecisions(c Covariance) []float64 {
	out := make([]float64, c.Order())
	for i, v := range c.variances {
		out[i] = 1 / v
	}
	sortDescending(out)
	return out
}
