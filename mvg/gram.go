package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// whitened implements Sensitivity, with P = Σ⁻¹ and Q = Ψ⁻¹.
//
// If one record is added or removed, Δ = ±k xxᵀ has whitened norm k√(xᵀPx·xᵀQx), which is largest at ‖x‖ = c. Write
// √(ab) = ½ min_t (ta + b/t), linear in (a, b) and convex in t. The pairs (xᵀPx, xᵀQx) over the sphere have a
// convex range (Brickman 1961, order ≥ 3; at order 2 they form an ellipse, whose outer arc is that of its hull). So
// the minimax theorem gives
//
//	max = ½kc² min_{t>0} λ_max(tP + Q/t).
//
// For a replaced record see replacement.go.
func (g Gram) whitened(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	c := interval.Float(g.rowNorm)
	k := interval.Float(g.scale).Mul(c.Mul(c))
	one := g.rank() == 1
	if !g.aligned(sigma, psi) {
		find := replaced
		if one {
			find = crossedModes
		}
		return parallel.Interruptible(ctx, func() (interval.Interval, error) {
			square, err := find(ctx, sigma, psi)
			if err != nil {
				return square, err
			}
			return k.Mul(square.Sqrt()), nil
		})
	}
	if one {
		return k.Mul(sigma.norm().Mul(psi.norm()).Sqrt()), nil
	}
	p1, p2 := sigma.topTwo()
	q1, q2 := psi.topTwo()
	return k.Mul(p1.Mul(q1).Add(p2.Mul(q2)).Sqrt()), nil
}

// rank returns the rank of the differences with the largest whitened norm.
func (g Gram) rank() int {
	if !g.replace || g.d == 1 {
		return 1
	}
	return 2
}

// aligned reports whether one difference can have the top directions of both inverses. Then their largest
// eigenvalues determine the maximum.
func (g Gram) aligned(sigma, psi Covariance) bool {
	return g.rank() == 2 && g.d == 2 || sameCovariance(sigma, psi) || sigma.IsIsotropic() || psi.IsIsotropic()
}

// crossedModes encloses max xᵀPx·xᵀQx over unit vectors x. It minimises λ_max(tP + Q/t) over ln t, in which it is
// convex, by bisection of the slope. Every t gives an upper bound, and the eigenvectors found on the way give lower
// bounds.
func crossedModes(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	p, left, offP := sigma.normalized()
	q, right, offQ := psi.normalized()
	n := p.SymmetricDim()
	var low float64
	sum := mat.NewSymDense(n, nil)
	mix := func(t float64) *mat.SymDense {
		symmetric.Combine(sum, t, p, 1/t, q)
		return sum
	}
	seen := func(x *mat.VecDense) (a, b float64) {
		size := mat.Dot(x, x)
		a, b = mat.Inner(x, p, x)/size, mat.Inner(x, q, x)/size
		low = math.Max(low, a*b)
		return a, b
	}
	var e mat.EigenSym
	var w mat.Dense
	var last, first *mat.VecDense // eigenvectors on both sides of the optimum
	best, at := math.Inf(1), 1.0
	middle := -0.5 * math.Log(mat.Trace(p)/mat.Trace(q))
	for lo, hi, steps := middle-20, middle+20, 0; steps < 70; steps++ { // the slope in ln t has the sign of ta − b/t
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		parallel.Report(ctx, int64(steps), 0, "bisection")
		mid := (lo + hi) / 2
		t := math.Exp(mid)
		if !e.Factorize(mix(t), true) {
			break
		}
		e.VectorsTo(&w)
		if value := e.Values(nil)[n-1]; value < best {
			best, at = value, t
		}
		x := mat.NewVecDense(n, mat.Col(nil, n-1, &w))
		if a, b := seen(x); t*a > b/t {
			last, hi = x, mid
		} else {
			first, lo = x, mid
		}
	}
	// At a crossing of eigenvalues the maximiser is a combination of the two eigenvectors.
	if first != nil && last != nil {
		x := mat.NewVecDense(n, nil)
		for i := range 4001 {
			if err := ctx.Err(); err != nil {
				return interval.Interval{}, err
			}
			angle := math.Pi * float64(i) / 4000
			x.ScaleVec(math.Cos(angle), first)
			x.AddScaledVec(x, math.Sin(angle), last)
			if mat.Dot(x, x) > 1e-9 {
				seen(x)
			}
		}
	}
	lo, hi := crossedEnds(symmetric.EigenvalueUpperBound(mix(at)), at, low, p, q, offP, offQ)
	return nonNegative(lo, hi, 0).Mul(left).Mul(right), nil
}

// crossedEnds encloses the maximum for the exact P and Q, which differ from p and q (of norm 1) by at most offP and
// offQ. Its inputs are a bound top on the computed λ_max(tp + q/t) and the largest xᵀpx·xᵀqx found.
func crossedEnds(top, t, low float64, p, q *mat.SymDense, offP, offQ float64) (lo, hi float64) {
	n := p.SymmetricDim()
	// Each entry of tp + q/t has two roundings, relative to an absolute sum of at most n·tr.
	top += 4*unit*float64(n)*(t*mat.Trace(p)+mat.Trace(q)/t) + t*offP + offQ/t
	// xᵀpx has an error of 2(n² + 4)u times n·tr p, a bound on the absolute sum.
	rounding := float64(2*(n*n+8)) * unit * float64(n)
	lo = math.Max(0, low-(rounding*mat.Trace(p)+offP)-(rounding*mat.Trace(q)+offQ))
	return lo, top * top / 4 * (1 + 4*unit)
}
