package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A term returns p_i's contribution to an objective, its derivative, and its negated second derivative.
type term func(p float64) (value, slope, curvature float64)

// reciprocal returns the term −w/p.
func reciprocal(w float64) term {
	return func(p float64) (value, slope, curvature float64) { return -w / p, w / p / p, 2 * w / p / p / p }
}

// logarithms returns the term Σ_j ln(1 + c_j p).
func logarithms(gains ...float64) term {
	return func(p float64) (value, slope, curvature float64) {
		for _, c := range gains {
			s := c / (1 + c*p)
			value, slope, curvature = value+math.Log1p(c*p), slope+s, curvature+s*s
		}
		return value, slope, curvature
	}
}

// separable is the problem: maximise Σ f_i(p_i) over p > 0 with aᵀp ≤ 1 for the rows a ≥ 0. Each direction has a
// row with a positive entry, and entries are at most about 1.
type separable struct {
	terms []term
	rows  [][]float64
	// gap estimates the duality gap of multipliers, to choose among them. If it is nil, solve returns the last
	// multipliers.
	gap func(y []float64) float64
}

// solve maximises t·f(p) + Σ ln(1 − a_kᵀp) + Σ ln p for growing t by Newton's method. It returns p with the
// multipliers 1/(t·slack), which leave a duality gap of (constraints)/t. It chooses the multipliers with the least
// gap, because slacks near 0 are inaccurate.
func (g *separable) solve(ctx context.Context) (p, y []float64, err error) {
	m, k := len(g.terms), len(g.rows)
	p = make([]float64, m)
	for i := range p {
		worst := 0.0
		for _, row := range g.rows {
			worst = math.Max(worst, row[i])
		}
		p[i] = 1 / (2 * float64(m) * worst)
	}
	s, _ := g.slacks(p)
	scale := 0.0
	for i, f := range g.terms {
		v, _, _ := f(p[i])
		scale += math.Abs(v)
	}
	scale = math.Max(scale, 1e-290)
	var least float64
	for t := 1 / scale; ; t *= 8 {
		parallel.Report(ctx, 0, 0, "interior point method, barrier %.0g", 1/(t*scale))
		for range 60 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			q, r, decrement := g.step(t, p, s)
			if q == nil {
				break
			}
			if p, s = q, r; decrement < 1e-12 {
				break
			}
		}
		now := lists.Each(s, func(s float64) float64 { return 1 / (t * s) })
		if g.gap == nil {
			y = now
		} else if v := g.gap(now); v < least || y == nil {
			y, least = now, v
		}
		if float64(m+k)/t < 1e-13*scale {
			return p, y, nil
		}
	}
}

func (g *separable) slacks(p []float64) ([]float64, bool) {
	s := make([]float64, len(g.rows))
	for j, row := range g.rows {
		if s[j] = 1 - floats.Dot(row, p); !(s[j] > 0) {
			return nil, false
		}
	}
	return s, floats.Min(p) > 0
}

func (g *separable) merit(t float64, p, s []float64) float64 {
	v := 0.0
	for i, x := range p {
		gain, _, _ := g.terms[i](x)
		v += math.Log(x) + t*gain
	}
	for _, x := range s {
		v += math.Log(x)
	}
	return v
}

// newtons returns the step H⁻¹g of Newton's method and gᵀH⁻¹g, or nil if H is not positive definite. An ill-conditioned
// H is no error, because callers accept a step by the value it reaches.
func newtons(h *mat.SymDense, slope []float64) (step []float64, decrement float64) {
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, 0
	}
	out := mat.NewVecDense(len(slope), nil)
	_ = chol.SolveVecTo(out, mat.NewVecDense(len(slope), slope))
	step = out.RawVector().Data
	return step, floats.Dot(slope, step)
}

// inUnits scales each direction by its largest entry, and its gains accordingly, and returns the scales.
func (g *separable) inUnits(gains func(i int) []float64) ([]float64, error) {
	units := make([]float64, len(g.rows[0]))
	for i := range units {
		for _, row := range g.rows {
			units[i] = math.Max(units[i], row[i])
		}
		if !(units[i] > 0) || math.IsInf(units[i], 1) {
			return nil, errScale
		}
		g.terms = append(g.terms, logarithms(lists.Each(gains(i), func(v float64) float64 { return v / units[i] })...))
		for _, row := range g.rows {
			row[i] /= units[i]
		}
	}
	return units, nil
}

// step returns the point of Newton's step, its slacks and the squared decrement, or nil if there is no ascent
// direction.
func (g *separable) step(t float64, p, s []float64) (q, r []float64, decrement float64) {
	m := len(p)
	slope, h := mat.NewVecDense(m, nil), mat.NewSymDense(m, nil)
	// In units of p, the Hessian is well conditioned near p = 0.
	for i, x := range p {
		_, first, second := g.terms[i](x)
		slope.SetVec(i, t*first*x+1)
		h.SetSym(i, i, t*second*x*x+1)
	}
	a := mat.NewVecDense(m, nil)
	for j, row := range g.rows {
		for i, x := range p {
			a.SetVec(i, row[i]*x/s[j])
		}
		slope.AddScaledVec(slope, -1, a)
		h.SymRankOne(h, 1, a)
	}
	step, decrement := newtons(h, slope.RawVector().Data)
	if step == nil {
		return nil, nil, 0
	}
	now := g.merit(t, p, s)
	for size := 1.0; size > 1e-12; size /= 2 {
		q := lists.Of(m, func(i int) float64 { return p[i] * (1 + size*step[i]) })
		if r, ok := g.slacks(q); ok && g.merit(t, q, r) >= now+1e-4*size*decrement-1e-13*math.Abs(now) {
			return q, r, decrement
		}
	}
	return nil, nil, 0
}
