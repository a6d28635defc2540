package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// solve minimises objective + s subject to constraints ≤ s, which is equivalent to the problem because the objective is
// homogeneous. It runs a barrier method down to τ = 1e-5 and then primal-dual steps. These carry the multipliers y
// beside the point, so that rounding in s − constraint does not limit the gradient's residual. It returns the iterate
// and the multipliers with the smallest ratio of value to lower bound. If rough, for use in a cutting-plane loop, it
// stops at τ = 1e-3 and returns the last ones.
func (g *geodesic) solve(ctx context.Context, c *iterate, rough bool) (*iterate, []float64, error) {
	s := floats.Max(c.constraints()) + 1
	merit := func(tau float64, c *iterate, s float64) float64 {
		v := g.objective(c) + s
		for _, k := range c.constraints() {
			if !(k < s) {
				return math.Inf(1)
			}
			v -= tau * math.Log(s-k)
		}
		return v
	}
	shares := func(tau float64) []float64 {
		y := c.constraints()
		for k, v := range y {
			y[k] = tau / (s - v)
		}
		return y
	}
	tau := 1.0
	last := 1e-5
	if rough {
		last = 1e-3
	}
	for ; tau > last; tau /= 10 {
		parallel.Report(ctx, 0, 0, "interior point method, barrier %.0g", tau)
		for range 1000 { // one step changes a precision by a factor of at most about e
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			c = g.rotated(c)
			step := g.newton(ctx, c, s, shares(tau), tau)
			if step == nil {
				break
			}
			now, moved := merit(tau, c, s), false
			for size := 1.0; size > 1e-10; size /= 2 {
				next := g.move(c, step.h, step.k, size)
				if v := merit(tau, next, s+size*step.s); v <= now-1e-4*size*step.decrement+1e-15*math.Abs(now) {
					c, s, moved = next, s+size*step.s, true
					break
				}
			}
			if !moved || step.decrement < 1e-6*tau {
				break
			}
		}
	}
	y := shares(tau)
	if rough {
		return c, normalized(y), ctx.Err()
	}
	best, bestShares, narrowest := c, normalized(y), math.Inf(1)
	for stale := 0; stale < 10; {
		parallel.Report(ctx, 0, 0, "interior point method, barrier %.0g", tau)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		c = g.rotated(c)
		step := g.newton(ctx, c, s, y, tau)
		if step == nil {
			break
		}
		size := stepKeepingPositive(y, step.y)
		next := g.move(c, step.h, step.k, size)
		for ; size > 1e-6 && !(floats.Max(next.constraints()) < s+size*step.s); next = g.move(c, step.h, step.k, size) {
			size /= 2
		}
		if size <= 1e-6 {
			break
		}
		if size > 0.6 {
			tau = math.Max(0.1*tau, 1e-15)
		}
		c, s = next, s+size*step.s
		floats.AddScaled(y, size, step.y)
		value := math.Exp(g.objective(c) + floats.Max(c.constraints()))
		if gap := value/g.estimate(c, normalized(y)) - 1; gap < narrowest {
			best, bestShares, narrowest, stale = c, normalized(y), gap, 0
		} else if stale++; narrowest < 1e-9 {
			break
		}
	}
	return best, bestShares, ctx.Err()
}

// stepKeepingPositive returns the largest fraction of a step that leaves each multiplier at least a hundredth of its
// value.
func stepKeepingPositive(y, step []float64) float64 {
	size := 1.0
	for k, v := range step {
		if v < 0 {
			size = math.Min(size, -0.99*y[k]/v)
		}
	}
	return size
}

func normalized(y []float64) []float64 {
	out := append([]float64(nil), y...)
	floats.Scale(1/floats.Sum(out), out)
	return out
}

// newtonStep is a step in H, G, s and the multipliers.
type newtonStep struct {
	h, k      *mat.SymDense
	s         float64
	y         []float64
	decrement float64 // squared Newton decrement of the merit function
}

// newton returns the step from the current iterate towards y_k(s − constraint_k) = τ. It is nil if the system is
// singular or ctx has ended. With y = τ/(s − constraint) it is Newton's step for objective + s − τ Σ ln(s −
// constraint).
func (g *geodesic) newton(ctx context.Context, c *iterate, s float64, y []float64, tau float64) *newtonStep {
	m, _ := c.a.Dims()
	left := directions(m, g.diagonal)
	var right [][2]int
	n := 0
	if g.mode == Bimodal {
		n, _ = c.b.Dims()
		right = directions(n, false)
	}
	size := len(left) + len(right)
	grad, hess := make([]float64, size+1), mat.NewSymDense(size+1, nil)
	g.trace(grad, hess, gramOf(c.root), left, 0, g.objectiveDegree())
	if g.mode == Bimodal {
		g.trace(grad, hess, gramOf(c.column), right, len(left), 1)
	}
	grad[size] = 1
	firsts, slacks := make([][]float64, len(c.list)), make([]float64, len(c.list))
	// The Hessian of a constraint ln tr(e^H Δ e^G Δᵀ) is tr(H²M) with M = ΔΔᵀ/‖Δ‖², the same for G, the mixed term, and
	// −(slope)² from the logarithm. The multipliers weight it. The barrier adds +(slope)²/slack, where the slope in s
	// is −1.
	sumRows := mat.NewSymDense(m, nil)
	var sumCols *mat.SymDense
	if n > 0 {
		sumCols = mat.NewSymDense(n, nil)
	}
	for k, d := range c.list {
		if ctx.Err() != nil {
			return nil
		}
		square := mat.Norm(d, 2)
		square *= square
		slack := s - math.Log(square)
		first := make([]float64, size+1)
		firsts[k], slacks[k] = first, slack
		rows := gramOf(d)
		rows.ScaleSym(1/square, rows)
		if g.mode != Unimodal {
			cols := gramOf(mat.DenseCopyOf(d.T()))
			cols.ScaleSym(1/square, cols)
			if g.mode == Equimodal {
				rows.AddSym(rows, cols)
			} else {
				symmetric.Combine(sumCols, 1, sumCols, y[k], cols)
				slopes(first[len(left):], cols, right)
			}
			g.mixed(hess, d, y[k]/square, left, right)
		}
		symmetric.Combine(sumRows, 1, sumRows, y[k], rows)
		slopes(first, rows, left)
		floats.AddScaled(grad[:size], tau/slack, first[:size])
		weight := y[k] / slack // coefficient of (slope − 1 for s)²
		hess.SymRankOne(hess, weight-y[k], mat.NewVecDense(size+1, first))
		for i, v := range first[:size] {
			hess.SetSym(i, size, hess.At(i, size)-weight*v)
		}
		hess.SetSym(size, size, hess.At(size, size)+weight)
		grad[size] -= tau / slack
	}
	curvature(hess, sumRows, left, 0)
	if n > 0 {
		curvature(hess, sumCols, right, len(left))
	}
	for i := range size {
		hess.SetSym(i, i, hess.At(i, i)*(1+1e-14))
	}
	z, decrement := newtons(hess, grad)
	if z == nil {
		return nil
	}
	out := &newtonStep{h: mat.NewSymDense(m, nil), decrement: decrement, y: make([]float64, len(y))}
	floats.Scale(-1, z)
	for i, d := range left {
		out.h.SetSym(d[0], d[1], z[i])
	}
	if g.mode == Bimodal {
		out.k = mat.NewSymDense(n, nil)
		for i, d := range right {
			out.k.SetSym(d[0], d[1], z[len(left)+i])
		}
	}
	out.s = z[size]
	for k, first := range firsts {
		out.y[k] = tau/slacks[k] - y[k] - y[k]/slacks[k]*(out.s-floats.Dot(first[:size], z[:size]))
	}
	return out
}

// directions lists the index pairs i ≤ j of H, or only the diagonal ones.
func directions(n int, diagonal bool) [][2]int {
	var out [][2]int
	for i := range n {
		for j := i; j < n; j++ {
			if i == j || !diagonal {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// gramOf returns AAᵀ.
func gramOf(a *mat.Dense) *mat.SymDense {
	var out mat.SymDense
	out.SymOuterK(1, a)
	return &out
}

// slopeOf returns tr(MH) for the symmetric matrix H with ones at an index pair and zeros elsewhere.
func slopeOf(m *mat.SymDense, e [2]int) float64 {
	if e[0] == e[1] {
		return m.At(e[0], e[0])
	}
	return 2 * m.At(e[0], e[1])
}

// curveOf returns tr(M(HK + KH))/2 for the symmetric matrices H and K with ones at the index pairs e and f.
func curveOf(m *mat.SymDense, e, f [2]int) float64 {
	// tr(M u vᵀ x zᵀ) = M_zu δ_vx is summed over the orders (u, v) of e and (x, z) of f. MHK and MKH have the same
	// trace.
	sum := 0.0
	add := func(u, v, x, z int) {
		if v == x {
			sum += m.At(z, u)
		}
	}
	add(e[0], e[1], f[0], f[1])
	if e[0] != e[1] {
		add(e[1], e[0], f[0], f[1])
	}
	if f[0] != f[1] {
		add(e[0], e[1], f[1], f[0])
		if e[0] != e[1] {
			add(e[1], e[0], f[1], f[0])
		}
	}
	return sum
}

// trace adds the gradient and the Hessian of weight·ln tr(We^{−H}), after normalising W. It leaves out the square in
// the Hessian tr(WH²) − (tr WH)². Along pure scalings of P and of Q the problem is flat, so adding a multiple of a
// square that does not vanish there changes the step in these directions only. Leaving it out also avoids cancellation.
func (g *geodesic) trace(grad []float64, hess *mat.SymDense, w *mat.SymDense, entries [][2]int, at int, weight float64) {
	w.ScaleSym(1/mat.Trace(w), w)
	for i, e := range entries {
		a := slopeOf(w, e)
		grad[at+i] -= weight * a
		for j := i; j < len(entries); j++ {
			f := entries[j]
			hess.SetSym(at+i, at+j, hess.At(at+i, at+j)+weight*curveOf(w, e, f))
		}
	}
}

// slopes sets dst[i] to tr(MH) for the i-th entry.
func slopes(dst []float64, m *mat.SymDense, entries [][2]int) {
	for i, e := range entries {
		dst[i] = slopeOf(m, e)
	}
}

// curvature adds the Hessian of ½tr(MH²) to hess.
func curvature(hess, m *mat.SymDense, entries [][2]int, at int) {
	for i, e := range entries {
		for j := i; j < len(entries); j++ {
			hess.SetSym(at+i, at+j, hess.At(at+i, at+j)+curveOf(m, e, entries[j]))
		}
	}
}

// mixed adds the second derivatives of weight·tr(HΔGΔᵀ), where G = H if Equimodal.
func (g *geodesic) mixed(hess *mat.SymDense, d *mat.Dense, weight float64, left, right [][2]int) {
	if g.mode == Equimodal {
		for i, e := range left {
			for j := i; j < len(left); j++ {
				hess.SetSym(i, j, hess.At(i, j)+weight*(crossed(d, e, left[j])+crossed(d, left[j], e)))
			}
		}
		return
	}
	raw := hess.RawSymmetric()
	for i, e := range left {
		row := raw.Data[i*raw.Stride+len(left):]
		first, second := d.RawRowView(e[0]), d.RawRowView(e[1])
		for j, f := range right {
			row[j] += weight * crossing(first, second, e, f)
		}
	}
}

// crossed returns tr(HΔGΔᵀ) for the symmetric matrices H and G with ones at the index pairs e and f.
func crossed(d *mat.Dense, e, f [2]int) float64 {
	return crossing(d.RawRowView(e[0]), d.RawRowView(e[1]), e, f)
}

// crossing returns crossed(Δ, e, f), given the rows of Δ with the indices e.
func crossing(first, second []float64, e, f [2]int) float64 {
	// tr(u vᵀ Δ x zᵀ Δᵀ) = Δ_vx Δ_uz is summed over the orders (u, v) of e and (x, z) of f.
	v := second[f[0]]*first[f[1]] + first[f[0]]*second[f[1]]
	if f[0] == f[1] {
		v /= 2
	}
	if e[0] != e[1] {
		v *= 2
	}
	return v
}
