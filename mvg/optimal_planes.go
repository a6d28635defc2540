package mvg

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// oracle returns the constraint row a, with aᵀp ≤ μ², that p violates most.
type oracle func(p []float64) ([]float64, error)

func (o *optimizer) boxOracle(b Box) oracle {
	m := len(b.halfWidths)
	return func(p []float64) ([]float64, error) {
		sigma := Covariance{directions: mat.DenseCopyOf(o.recipe.Directions)}
		for _, v := range p {
			sigma.variances = append(sigma.variances, 1/v)
		}
		q := b.scaledPrecision(sigma)
		var s []float64
		if m-1 <= maxVertexBits {
			at, _, err := grayVertex(o.ctx, q)
			if err != nil {
				return nil, err
			}
			s = at
		} else {
			s, _ = localMaximum(q)
		}
		for i, h := range b.halfWidths {
			s[i] *= 2 * h
		}
		return o.squares(mat.NewDense(m, 1, s)), nil
	}
}

func (o *optimizer) listOracle(d Differences) oracle {
	rows := make([][]float64, len(d.list))
	for k, a := range d.list {
		rows[k] = o.squares(a)
	}
	return func(p []float64) ([]float64, error) {
		best, at := math.Inf(-1), 0
		for k, row := range rows {
			if v := floats.Dot(row, p); v > best {
				best, at = v, k
			}
		}
		return append([]float64(nil), rows[at]...), nil
	}
}

// squares returns the squared norms of the rows of WᵀΔ.
func (o *optimizer) squares(delta *mat.Dense) []float64 {
	var r mat.Dense
	r.CloneFrom(delta)
	if o.recipe.Directions != nil {
		r.Mul(o.recipe.Directions.T(), delta)
	}
	m, _ := r.Dims()
	out := make([]float64, m)
	for i := range out {
		out[i] = floats.Dot(r.RawRowView(i), r.RawRowView(i))
	}
	return out
}

// cut solves with the constraints met so far and adds the one violated most,
// until none is violated by more than 1e-12.
func (o *optimizer) cut(worst oracle) (*Optimum, error) {
	budget := o.mu.Lo * o.mu.Lo
	m := len(o.goal.Weights)
	row, err := worst(uniform(m, 1))
	if err != nil {
		return nil, err
	}
	rows := [][]float64{row}
	for i := range m { // so that every direction is bounded from the start
		e := uniform(m, 1e-9)
		e[i] = 1
		if row, err = worst(e); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	for range 1000 {
		if err := o.ctx.Err(); err != nil {
			return nil, err
		}
		p, y := o.barrier(rows, budget)
		row, err := worst(p)
		if err != nil {
			return nil, err
		}
		over := floats.Dot(row, p) / budget
		if over <= 1+1e-12 || known(rows, row) {
			floats.Scale(1/math.Max(over, 1), p)
			limit := o.dual(rows, y, o.mu.Hi*o.mu.Hi)
			return o.finish(p, limit, false, "barrier method on the violated constraints, Lagrange dual")
		}
		rows = append(rows, row)
	}
	return nil, fmt.Errorf("mvg: a thousand cuts did not bound the optimum")
}

func known(rows [][]float64, row []float64) bool {
	for _, r := range rows {
		if floats.EqualApprox(r, row, 1e-12*floats.Max(row)) {
			return true
		}
	}
	return false
}

// dual returns the Lagrange dual at multipliers y ≥ 0 of the rows: a bound on
// the objective over aᵀp ≤ budget for every row a.
func (o *optimizer) dual(rows [][]float64, y []float64, budget float64) float64 {
	sum := 0.0
	for i, w := range o.goal.Weights {
		price := 0.0
		for k, row := range rows {
			price += y[k] * row[i]
		}
		switch {
		case o.goal.Objective == LeastError:
			sum += 2 * math.Sqrt(w*price) // min w/p + price·p
		case price < w: // max ln(1 + wp) − price·p
			sum += math.Log(w/price) - 1 + price/w
		}
	}
	paid := budget * floats.Sum(y)
	if o.goal.Objective == LeastError {
		return o.error(math.Max(0, sum-paid))
	}
	return sum + paid
}

// barrier maximises t·f(p) + Σ ln(budget − a_kᵀp) + Σ ln p for growing t by
// Newton's method, f = −Σ w/p or Σ ln(1 + wp), and returns p with the multipliers
// 1/(t·slack), which leave a duality gap of (constraints)/t.
func (o *optimizer) barrier(rows [][]float64, budget float64) (p, y []float64) {
	m, k := len(o.goal.Weights), len(rows)
	p = make([]float64, m)
	for i := range p {
		worst := 0.0
		for _, row := range rows {
			worst = math.Max(worst, row[i])
		}
		p[i] = budget / (2 * float64(m) * worst)
	}
	slacks := func(p []float64) ([]float64, bool) {
		s := make([]float64, k)
		for j, row := range rows {
			if s[j] = budget - floats.Dot(row, p); !(s[j] > 0) {
				return nil, false
			}
		}
		return s, floats.Min(p) > 0
	}
	merit := func(t float64, p, s []float64) float64 {
		v := 0.0
		for i, w := range o.goal.Weights {
			v += math.Log(p[i])
			if o.goal.Objective == LeastError {
				v -= t * w / p[i]
			} else {
				v += t * math.Log1p(w*p[i])
			}
		}
		for _, x := range s {
			v += math.Log(x)
		}
		return v
	}
	s, _ := slacks(p)
	scale := 1.0
	if o.goal.Objective == LeastError {
		scale = 0
		for i, w := range o.goal.Weights {
			scale += w / p[i]
		}
	}
	t := 1 / scale
	for ; ; t *= 8 {
		for range 60 {
			g, h := mat.NewVecDense(m, nil), mat.NewSymDense(m, nil)
			for i, w := range o.goal.Weights {
				var first, second float64
				if o.goal.Objective == LeastError {
					first, second = w/(p[i]*p[i]), 2*w/(p[i]*p[i]*p[i])
				} else {
					first = w / (1 + w*p[i])
					second = first * first
				}
				g.SetVec(i, t*first+1/p[i])
				h.SetSym(i, i, t*second+1/(p[i]*p[i]))
			}
			for j, row := range rows {
				a := mat.NewVecDense(m, row)
				g.AddScaledVec(g, -1/s[j], a)
				h.SymRankOne(h, 1/(s[j]*s[j]), a)
			}
			// Scaled by p, the Hessian is well conditioned near p = 0.
			for i := range m {
				for j := i; j < m; j++ {
					h.SetSym(i, j, h.At(i, j)*p[i]*p[j])
				}
				g.SetVec(i, g.AtVec(i)*p[i])
			}
			var chol mat.Cholesky
			step := mat.NewVecDense(m, nil)
			if !chol.Factorize(h) || chol.SolveVecTo(step, g) != nil && step.AtVec(0) != step.AtVec(0) {
				break
			}
			decrement := mat.Dot(g, step)
			now := merit(t, p, s)
			moved := false
			for size := 1.0; size > 1e-12; size /= 2 {
				q := make([]float64, m)
				for i := range q {
					q[i] = p[i] * (1 + size*step.AtVec(i))
				}
				if r, ok := slacks(q); ok && merit(t, q, r) >= now+1e-4*size*decrement-1e-13*math.Abs(now) {
					p, s, moved = q, r, true
					break
				}
			}
			if !moved || decrement < 1e-12 {
				break
			}
		}
		if float64(m+k)/t < 1e-11*scale {
			break
		}
	}
	y = make([]float64, k)
	for j := range y {
		y[j] = 1 / (t * s[j])
	}
	return p, y
}
