package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// informed is the problem: maximise ln det(I + LᵀPL) over P ⪰ 0 with tr(PS_k) ≤ 1, where S_k = ΔΔᵀ and LLᵀ is the
// signal's covariance. It is concave in P. Let y ≥ 0, A = Σ y_k S_k ≻ 0, and κ_i the eigenvalues of LᵀA⁻¹L. Every
// feasible P has
//
//	ln det(I + LᵀPL) ≤ Σ_{κ_i > 1} (ln κ_i − 1 + 1/κ_i) + Σ y_k,
//
// because the sum is the maximum of ln det(I + LᵀPL) − tr(PA) over P ⪰ 0, a water-filling of κ. With several
// signals, the objective is the sum of their ln det(I + LᵀPL).
type informed struct {
	signals []*mat.Dense // L
	list    []*mat.SymDense
}

// solve maximises with barriers τ ln det P + τ Σ ln(1 − tr(PS_k)), decreasing τ from the size of the value. It
// starts from the factor C of a feasible P = CCᵀ, and returns the final factor with multipliers y.
func (g *informed) solve(ctx context.Context, c *mat.Dense) (*mat.Dense, []float64, error) {
	slacks := func(c *mat.Dense) []float64 {
		return lists.Each(g.list, func(s *mat.SymDense) float64 { return 1 - mat.Trace(symmetric.Turn(s, c)) })
	}
	merit := func(tau float64, c *mat.Dense) float64 {
		det, _ := mat.LogDet(c)
		v := g.value(c) + 2*tau*det
		for _, s := range slacks(c) { // a negative slack makes the value NaN, which loses every comparison
			v += tau * math.Log(s)
		}
		return v
	}
	var best []float64
	var least float64
	scale := g.value(c)
	for tau := scale; tau > 1e-14*scale; tau /= 8 {
		parallel.Report(ctx, 0, 0, "interior point method, barrier %.0g", tau/scale)
		for range 40 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			x, decrement := g.newton(ctx, c, slacks(c), tau)
			if x == nil {
				break
			}
			now, moved := merit(tau, c), false
			for size := 1.0; size > 1e-8; size /= 2 {
				next := mat.DenseCopyOf(c)
				if root := rootOfShift(x, size); root != nil {
					next.Mul(c, root)
					if v := merit(tau, next); v >= now+1e-4*size*decrement-1e-15*math.Abs(now) {
						c, moved = next, true
						break
					}
				}
			}
			if !moved || decrement < 1e-7*tau {
				break
			}
		}
		y := slacks(c)
		for k, s := range y {
			y[k] = tau / s
		}
		if len(g.signals) > 1 {
			best = y
			continue
		}
		v := g.estimate(y)
		if v < least || best == nil {
			least, best = v, y
		} else if tau < 1e-6*scale {
			break // rounding in the slacks exceeds what a smaller τ can gain
		}
		if least-g.value(c) <= 1e-12*least {
			break
		}
	}
	return c, best, ctx.Err()
}

// rootOfShift returns a root of I + size·X, or nil if that matrix is not positive definite.
func rootOfShift(x *mat.SymDense, size float64) *mat.Dense {
	n := x.SymmetricDim()
	s := mat.NewSymDense(n, nil)
	s.ScaleSym(size, x)
	for i := range n {
		s.SetSym(i, i, 1+s.At(i, i))
	}
	var chol mat.Cholesky
	if !chol.Factorize(s) {
		return nil
	}
	var l mat.TriDense
	chol.LTo(&l)
	return mat.DenseCopyOf(&l)
}

// value returns the sum of ln det(I + LᵀPL) over the signals, for P = CCᵀ.
func (g *informed) value(c *mat.Dense) float64 {
	sum := 0.0
	for _, l := range g.signals {
		sum += logDetPlus(product(l.T(), c))
	}
	return sum
}

// logDetPlus returns ln det(I + AAᵀ).
func logDetPlus(a *mat.Dense) float64 {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		return math.Inf(-1)
	}
	sum := 0.0
	for _, s := range svd.Values(nil) {
		sum += math.Log1p(s * s)
	}
	return sum
}

// newton returns the Newton step X, which leads to P = C(I + X)Cᵀ, and the squared Newton decrement.
func (g *informed) newton(ctx context.Context, c *mat.Dense, slacks []float64, tau float64) (*mat.SymDense, float64) {
	m, _ := c.Dims()
	entries := directions(m, false)
	size := len(entries)
	grad, hess := make([]float64, size), mat.NewSymDense(size, nil)
	one := symmetric.Multiple(m, 1)
	for i, e := range entries {
		grad[i] = tau * slopeOf(one, e)
		for j := i; j < size; j++ {
			hess.SetSym(i, j, tau*curveOf(one, e, entries[j]))
		}
	}
	for _, l := range g.signals {
		a := product(l.T(), c)
		inner := gramOf(a)
		for i := range inner.SymmetricDim() {
			inner.SetSym(i, i, 1+inner.At(i, i))
		}
		var chol mat.Cholesky
		var solved mat.Dense
		if !chol.Factorize(inner) {
			return nil, 0
		}
		_ = chol.SolveTo(&solved, a)                        // solve rejects the step if its value is bad
		t := symmetric.Symmetrized(product(a.T(), &solved)) // gradient of ln det(I + A(I + X)Aᵀ) at X = 0
		full := mat.DenseCopyOf(t)
		for i, e := range entries {
			grad[i] += slopeOf(t, e)
			for j := i; j < size; j++ {
				hess.SetSym(i, j, hess.At(i, j)+crossed(full, e, entries[j]))
			}
		}
	}
	first := mat.NewVecDense(size, nil)
	for k, s := range g.list {
		if ctx.Err() != nil {
			return nil, 0
		}
		turned := symmetric.Turn(s, c)
		for i, e := range entries {
			first.SetVec(i, slopeOf(turned, e))
		}
		floats.AddScaled(grad, -tau/slacks[k], first.RawVector().Data)
		hess.SymRankOne(hess, tau/(slacks[k]*slacks[k]), first)
	}
	step, decrement := newtons(hess, grad)
	if step == nil {
		return nil, 0
	}
	x := mat.NewSymDense(m, nil)
	for i, e := range entries {
		x.SetSym(e[0], e[1], step[i])
	}
	return x, decrement
}

// estimate returns the dual value at y in float64, for one signal, or +Inf if A is singular. It serves to choose among
// multipliers.
func (g *informed) estimate(y []float64) float64 {
	m, _ := g.signals[0].Dims()
	a := mat.NewSymDense(m, nil)
	for k, s := range g.list {
		symmetric.Combine(a, 1, a, y[k], s)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return math.Inf(1)
	}
	var l mat.TriDense
	chol.LTo(&l)
	var svd mat.SVD
	if x, ok := solved(&l, g.signals[0]); !ok || !svd.Factorize(x, mat.SVDNone) {
		return math.Inf(1)
	}
	sum := floats.Sum(y)
	for _, k := range svd.Values(nil) {
		if k > 1 {
			sum += excess((k - 1) * (k + 1))
		}
	}
	return sum
}
