package lp

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

func lapackSolve(n int, upper, x []float64) {
	dense.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, n, upper, n, x, 1)
	dense.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, n, upper, n, x, 1)
}

// direction computes the Newton step for the residuals and the right-hand sides in s.term (q, z, v), and stores it
// in s.step:
//
//	M dp = Fᵀdy − Lᵀdv − h,   h = r_p − Aᵀ(τ_z/s − D r_s) − τ_q/p
//	F dp = r_y,   −L dp + (u/v) dv + dt = τ_v/v − r_u,   Σ dv = r_t.
//
// The factorisation loses digits as the slacks vanish, so iterative refinement solves the system again for the
// residual.
func (s *solver) direction() {
	d, r := s.step, &s.residual
	h := s.rhs
	copy(h, r.p)
	if s.budgets > 0 {
		s.budgetRates()
	}
	for k, e := range s.pairs {
		if s.budgets > 0 {
			h[e[0]] -= s.w*s.push[2*k+1] - s.push[2*k]
			h[e[1]] -= s.w*s.push[2*k] - s.push[2*k+1]
			continue
		}
		first := (s.term.z[2*k] - s.z[2*k]*r.s[2*k]) / s.s[2*k]
		second := (s.term.z[2*k+1] - s.z[2*k+1]*r.s[2*k+1]) / s.s[2*k+1]
		h[e[0]] -= s.w*second - first
		h[e[1]] -= s.w*first - second
	}
	for j, p := range s.p {
		h[j] -= s.term.q[j] / p
	}
	target := make([]float64, s.order)
	copy(target, r.y)
	for i := range s.u {
		target[s.rows+i] = s.term.v[i]/s.v[i] - r.u[i]
	}
	if s.budgets > 0 {
		s.budgetTarget(target[s.unbudgeted():])
	}
	clear(d.p)
	clear(d.y)
	clear(d.v)
	clear(d.c)
	d.t = 0
	missP, missH, missT := append([]float64(nil), h...), target, r.t
	// In the first round d is zero, so the residual of M·0 = −h is h.
	best := math.Inf(1)
	for range refinements {
		last := s.snapshot()
		s.newton(missP, missH, missT)
		missP, missH, missT = s.missed(h, target)
		if m := s.size(missP, missH); !(m < 0.5*best) {
			if !(m < best) {
				s.restore(last)
			}
			break
		} else {
			best = m
		}
	}
	for k, e := range s.pairs {
		d.s[2*k] = s.w*d.p[e[1]] - d.p[e[0]] + r.s[2*k]
		d.s[2*k+1] = s.w*d.p[e[0]] - d.p[e[1]] + r.s[2*k+1]
	}
	if s.budgets > 0 {
		s.budgetStep()
	}
	for k, v := range s.s {
		d.z[k] = (s.term.z[k] - s.z[k]*d.s[k]) / v
	}
	for j, p := range s.p {
		d.q[j] = (s.term.q[j] - s.q[j]*d.p[j]) / p
	}
	for i, v := range s.v {
		d.u[i] = (s.term.v[i] - s.u[i]*d.v[i]) / v
	}
}

// refinements bounds the rounds of iterative refinement.
const refinements = 6

// size returns the weighted size of a step's residual: dual rows are weighted by the variable that they price.
func (s *solver) size(missP, missH []float64) float64 {
	m := 0.0
	for j, v := range missP {
		m = math.Max(m, math.Abs(v)*s.p[j])
	}
	for _, v := range missH {
		m = math.Max(m, math.Abs(v))
	}
	return m
}

func (s *solver) snapshot() *point {
	d := s.step
	return &point{p: slices.Clone(d.p), y: slices.Clone(d.y), v: slices.Clone(d.v), c: slices.Clone(d.c), t: d.t}
}

func (s *solver) restore(d *point) {
	copy(s.step.p, d.p)
	copy(s.step.y, d.y)
	copy(s.step.v, d.v)
	copy(s.step.c, d.c)
	s.step.t = d.t
}

// newton adds to the step the solution of
//
//	M dp − Hᵀλ = −h,   H dp + diag(0, u/v, k)λ + e dt = target,   eᵀλ = total.
func (s *solver) newton(h, target []float64, total float64) {
	d := s.step
	x := s.work
	copy(x, h)
	s.blocksSolve(x)
	lambda := s.change
	copy(lambda, target)
	for j, i := range s.row {
		lambda[i] += s.count[j] * x[j]
		if s.bound != nil {
			lambda[s.rows+int(i)] -= s.loss[j] * x[j]
		}
	}
	base := s.unbudgeted()
	s.budgetRows(func(g, j int32, b float64) { lambda[base+int(g)] += b * x[j] })
	s.coupled(lambda)
	if s.core.level {
		have, unit := 0.0, 0.0
		for i := range s.u {
			have += lambda[s.rows+i]
			unit += s.level[s.rows+i]
		}
		dt := (have - total) / unit
		d.t += dt
		for i, v := range s.level {
			lambda[i] -= dt * v
		}
	}
	for j, i := range s.row {
		x[j] = s.count[j]*lambda[i] - h[j]
		if s.bound != nil {
			x[j] -= s.loss[j] * lambda[s.rows+int(i)]
		}
	}
	s.budgetRows(func(g, j int32, b float64) { x[j] += b * lambda[base+int(g)] })
	s.blocksSolve(x)
	for j, v := range x {
		d.p[j] += v
	}
	for i := range d.y {
		d.y[i] += lambda[i]
	}
	for i := range d.v {
		d.v[i] += lambda[s.rows+i]
	}
	for g := range d.c {
		d.c[g] += lambda[base+g]
	}
}

// missed returns the residual of the equations that newton solves.
func (s *solver) missed(h, target []float64) (missP, missH []float64, missT float64) {
	d := s.step
	missP, missH, missT = append([]float64(nil), h...), append([]float64(nil), target...), s.residual.t
	for j, i := range s.row {
		missP[j] += s.excess[j]*d.p[j]/(s.p[j]*s.p[j]) - s.count[j]*d.y[i]
		missH[i] -= s.count[j] * d.p[j]
		if s.bound != nil {
			missP[j] += s.loss[j] * d.v[i]
			missH[s.rows+int(i)] += s.loss[j] * d.p[j]
		}
	}
	for i, v := range d.v {
		missH[s.rows+i] -= s.u[i]/s.v[i]*v + d.t
		missT -= v
	}
	base := s.unbudgeted()
	s.budgetRows(func(g, j int32, b float64) {
		missP[j] -= b * d.c[g]
		missH[base+int(g)] -= b * d.p[j]
	})
	for g, v := range d.c {
		missH[base+g] -= s.stiff[g] * v
	}
	for k, e := range s.pairs {
		a, b := e[0], e[1]
		pull := s.bonds[k] * (d.p[a]/s.p[a] - d.p[b]/s.p[b])
		missP[a] += pull / s.p[a]
		missP[b] -= pull / s.p[b]
	}
	return missP, missH, missT
}

// blocksSolve replaces x by M⁻¹x.
func (s *solver) blocksSolve(x []float64) {
	for j, p := range s.p {
		x[j] *= p
	}
	err := parallel.Each(context.Background(), len(s.factors), func(k int) error {
		f := s.factors[k]
		f.solve(x[f.start : f.start+f.n])
		return nil
	})
	if err != nil {
		panic(err) // a bug: the caller's goroutine can recover it
	}
	for j, p := range s.p {
		x[j] *= p
	}
}

// lengths returns the largest steps, at most 1, that keep the primal and the
// dual variables positive.
func (s *solver) lengths() (primal, dual float64) {
	d := s.step
	longest := func(at float64, x, dx []float64) float64 {
		for i, v := range dx {
			if x[i]+at*v < 0 {
				at = min(at, -x[i]/v)
			}
		}
		return at
	}
	primal, dual = 1, 1
	x, y, dx, dy := s.primal(), s.dual(), d.primal(), d.dual()
	for i := range x {
		primal, dual = longest(primal, x[i], dx[i]), longest(dual, y[i], dy[i])
	}
	return primal, dual
}

// iterate takes one predictor-corrector step and reports whether it moved.
func (s *solver) iterate() bool {
	s.residuals()
	mu := s.mu()
	d := s.step
	x, y, dx, dy, term := s.primal(), s.dual(), d.primal(), d.dual(), s.term.dual()
	products := func(target float64, ahead bool) {
		for i, a := range x {
			for k, v := range a {
				term[i][k] = target - v*y[i][k]
				if ahead {
					term[i][k] -= dx[i][k] * dy[i][k]
				}
			}
		}
	}
	products(0, false)
	s.direction()
	primal, dual := s.lengths()
	after, n := 0.0, 0
	for i, a := range x {
		for k, v := range a {
			after += (v + primal*dx[i][k]) * (y[i][k] + dual*dy[i][k])
		}
		n += len(a)
	}
	after /= float64(n)
	center := math.Pow(after/mu, 3) * mu

	products(center, true)
	s.direction()
	primal, dual = s.lengths()
	shorten := min(max(0.9, 1-center/mu), 0.9995)
	primal, dual = min(1, shorten*primal), min(1, shorten*dual)
	if !(primal > 1e-10 || dual > 1e-10) || math.IsNaN(primal+dual+d.t) {
		return false
	}
	for i := range x {
		floats.AddScaled(x[i], primal, dx[i])
		floats.AddScaled(y[i], dual, dy[i])
	}
	s.t += primal * d.t
	floats.AddScaled(s.y, dual, d.y)
	return true
}
