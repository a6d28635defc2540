package mvg

import (
	"context"
	"math"

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
// One record is replaced: see replacement.go.
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
		return awaited(ctx, func() (bound, error) { return g.crossed(ctx, sigma, psi, k, drift) })
	case equal:
		return widen(k*math.Hypot(p[0], p[1]), drift), nil
	case psi.IsIsotropic():
		return widen(k*math.Sqrt(q[0]*(p[0]+p[1])), drift), nil
	case sigma.IsIsotropic():
		return widen(k*math.Sqrt(p[0]*(q[0]+q[1])), drift), nil
	case g.d == 2:
		return widen(k*math.Sqrt(p[0]*q[0]+p[1]*q[1]), drift), nil
	}
	square, err := awaited(ctx, func() (bound, error) { return replaced(ctx, sigma, psi) })
	return bound{k * math.Sqrt(square.lo) * (1 - 8*unit), k * math.Sqrt(square.hi) * (1 + 8*unit)}, err
}

// awaited returns what f does, or the context's error as soon as there is one: f may
// be in the middle of a large factorization, and ends by itself after it.
func awaited(ctx context.Context, f func() (bound, error)) (bound, error) {
	type outcome struct {
		bound
		err   error
		fault any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.fault = recover()
			done <- o
		}()
		o.bound, o.err = f()
	}()
	select {
	case o := <-done:
		if o.fault != nil {
			panic(o.fault)
		}
		return o.bound, o.err
	case <-ctx.Done():
		return bound{}, ctx.Err()
	}
}

// crossed minimises λ_max(tP + Q/t) over ln t, where it is convex, by
// bisection of the slope. Any t bounds the maximum from above; the eigenvectors met on the way
// bound it from below.
func (g Gram) crossed(ctx context.Context, sigma, psi Covariance, k, drift float64) (bound, error) {
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
		if err := ctx.Err(); err != nil {
			return bound{}, err
		}
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
			if err := ctx.Err(); err != nil {
				return bound{}, err
			}
			angle := math.Pi * float64(i) / 4000
			x.ScaleVec(math.Cos(angle), first)
			x.AddScaledVec(x, math.Sin(angle), last)
			if s := mat.Dot(x, x); s > 1e-9 {
				out.lo = math.Max(out.lo, math.Sqrt(mat.Inner(x, p, x)*mat.Inner(x, q, x))/s)
			}
		}
	}
	// P and Q err by drift and n + 8 roundings of n products an entry, relative to
	// their norms, which moves xᵀPx·xᵀQx by as much relative to p₁q₁.
	off := (drift + float64(2*n*(n+8))*unit) * descendingPrecisions(sigma)[0] * descendingPrecisions(psi)[0]
	slack := float64(8*n*n) * unit
	return bound{k * math.Sqrt(math.Max(0, out.lo*out.lo-off)) * (1 - slack), k * math.Sqrt(out.hi*out.hi+off) * (1 + slack)}, nil
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
