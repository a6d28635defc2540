package mvg

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// oracle returns the constraint row a, with aᵀp ≤ μ², that p violates most.
type oracle func(p []float64) ([]float64, error)

func (o *optimizer) boxOracle(b Box) oracle {
	return func(p []float64) ([]float64, error) {
		w := mat.DenseCopyOf(o.recipe.Directions)
		s, err := b.worstSigns(o.ctx, spectrum(w, p))
		if err != nil {
			return nil, err
		}
		return o.squares(b.column(s[0])), nil
	}
}

// spectrum returns W diag(p) Wᵀ.
func spectrum(w *mat.Dense, p []float64) *mat.SymDense {
	root := mat.DenseCopyOf(w)
	for j, v := range p {
		for i := range p {
			root.Set(i, j, math.Sqrt(v)*root.At(i, j))
		}
	}
	return gramOf(root)
}

func (o *optimizer) listOracle(d Differences) oracle {
	rows := make([][]float64, len(d.list))
	for k, a := range d.list {
		rows[k] = o.squares(a)
	}
	return pick(rows)
}

// pick is the oracle of finitely many rows.
func pick(rows [][]float64) oracle {
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

const planesMethod = "barrier method on the violated constraints, Lagrange dual"

// cut returns the optimum over the oracle's planes.
func (o *optimizer) cut(worst oracle, method string) (*Optimum, error) {
	p, limit, err := o.planes(worst)
	if err != nil {
		return nil, err
	}
	return o.finish(p, limit, false, method)
}

// planes solves with the constraints met so far and adds the one violated most,
// until none is violated by more than 1e-12 or mostPlanes are met; the dual bounds
// the optimum whichever ends it.
func (o *optimizer) planes(worst oracle) (p []float64, limit float64, err error) {
	budget := o.mu.Lo * o.mu.Lo
	m := len(o.goal.Weights)
	row, err := worst(uniform(m, 1))
	if err != nil {
		return nil, 0, err
	}
	rows := [][]float64{row}
	for i := range m { // so that every direction is bounded from the start
		e := uniform(m, 1e-9)
		e[i] = 1
		if row, err = worst(e); err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	for {
		if err := o.ctx.Err(); err != nil {
			return nil, 0, err
		}
		p, y := o.barrier(rows, budget)
		row, err := worst(p)
		if err != nil {
			return nil, 0, err
		}
		over := floats.Dot(row, p) / budget
		if over <= 1+1e-12 || known(rows, row) || len(rows) > mostPlanes {
			floats.Scale(1/math.Max(over, 1), p)
			return p, o.dual(rows, y, o.mu.Hi*o.mu.Hi), nil
		}
		rows = append(rows, row)
	}
}

const mostPlanes = 1000

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
	return o.columns * (sum + paid)
}

// term returns the share of direction i in f, −w/p or Σ ln(1 + cp), its slope and
// its curvature, negated.
func (o *optimizer) term(i int, p float64) (value, slope, curvature float64) {
	w := o.goal.Weights[i]
	if o.goal.Objective == LeastError {
		return -w / p, w / (p * p), 2 * w / (p * p * p)
	}
	if o.squared { // ln(1 + w√p): with r = √p, slope w/(2r(1 + wr))
		r := math.Sqrt(p)
		slope = w / (2 * r * (1 + w*r))
		return math.Log1p(w * r), slope, slope * (1 + 2*w*r) / (2 * p * (1 + w*r))
	}
	gains := []float64{w}
	if o.gains != nil {
		gains = o.gains[i]
	}
	for _, c := range gains {
		s := c / (1 + c*p)
		value, slope, curvature = value+math.Log1p(c*p), slope+s, curvature+s*s
	}
	return value, slope, curvature
}

// barrier maximises t·f(p) + Σ ln(budget − a_kᵀp) + Σ ln p for growing t by
// Newton's method, f a sum of terms, and returns p with the multipliers
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
		for i, x := range p {
			gain, _, _ := o.term(i, x)
			v += math.Log(x) + t*gain
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
			for i := range m {
				_, first, second := o.term(i, p[i])
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
