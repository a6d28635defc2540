package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An oracle is a separation oracle for constraints aᵀp ≤ 1, a ≥ 0, in float64. worst returns the constraint that p
// violates most, and touching(i) the constraint with the largest a_i.
type oracle struct {
	worst    func(p []float64) ([]interval.Interval, error)
	touching func(i int) ([]interval.Interval, error)
}

// constraint divides squares by μ². It uses the upper end of μ, which allows more.
func (o *optimizer) constraint(squares []interval.Interval) []interval.Interval {
	budget := square(interval.Float(o.mu.Hi))
	return lists.Each(squares, func(v interval.Interval) interval.Interval { return v.Quo(budget) })
}

// plane returns the constraint of a difference: tr(PΔΔᵀ) is p times the squared norms of
// the rows of W⁻¹Δ.
func (o *optimizer) plane(delta mat.Matrix) ([]interval.Interval, error) {
	t := o.basis.rotate(symmetric.Exactly(delta))
	rows, cols := t.Dims()
	out := make([]interval.Interval, rows)
	for i := range rows {
		out[i] = interval.Int(0)
		for j := range cols {
			v, ok := t.At(i, j)
			if !ok {
				return nil, errScale
			}
			out[i] = out[i].Add(square(v))
		}
	}
	return o.constraint(out), nil
}

func (o *optimizer) boxOracle(b Box) oracle {
	dual := o.basis.dual()
	return oracle{
		worst: func(p []float64) ([]interval.Interval, error) {
			s, err := b.worstSigns(o.ctx, spectrum(dual, p))
			if err != nil {
				return nil, err
			}
			return o.plane(b.column(s[0]))
		},
		touching: func(i int) ([]interval.Interval, error) { return o.plane(b.column(signsOf(dual, i))) },
	}
}

// spectrum returns V diag(p) Vᵀ.
func spectrum(v *mat.Dense, p []float64) *mat.SymDense {
	root := mat.DenseCopyOf(v)
	for j, x := range p {
		for i := range p {
			root.Set(i, j, math.Sqrt(x)*root.At(i, j))
		}
	}
	return gramOf(root)
}

// listOracle returns an oracle that searches the constraints of all differences in float64.
func (o *optimizer) listOracle(d Differences) oracle {
	rows := make([][]float64, len(d.list))
	dual := o.basis.dual()
	for k, a := range d.list {
		r := a
		if o.basis.w != nil {
			r = product(dual.T(), a)
		}
		rows[k] = make([]float64, d.m)
		for i := range rows[k] {
			rows[k][i] = floats.Dot(r.RawRowView(i), r.RawRowView(i))
		}
	}
	most := func(of func(row []float64) float64) ([]interval.Interval, error) {
		best, at := math.Inf(-1), 0
		for k, row := range rows {
			if v := of(row); v > best {
				best, at = v, k
			}
		}
		return o.plane(d.list[at])
	}
	return oracle{
		worst: func(p []float64) ([]interval.Interval, error) {
			return most(func(row []float64) float64 { return floats.Dot(row, p) })
		},
		touching: func(i int) ([]interval.Interval, error) { return most(func(row []float64) float64 { return row[i] }) },
	}
}

const planesMethod = "barrier method on the violated constraints, Lagrange dual"

// cut returns the optimum over the oracle's constraints.
func (o *optimizer) cut(find oracle, method string) (*Optimum, error) {
	p, limit, err := o.planes(find)
	if err != nil {
		return nil, err
	}
	return o.finish(p, limit, false, method)
}

// planes solves by a cutting-plane method. It solves with the constraints found so far and adds the most violated one,
// until none is violated by more than 1e-12 or there are mostPlanes. The dual bounds the optimum in either case.
func (o *optimizer) planes(find oracle) (p []float64, limit interval.Interval, err error) {
	m := len(o.goal.Weights)
	exact := make([][]interval.Interval, m)
	for i := range m { // bounds every direction from the start
		if exact[i], err = find.touching(i); err != nil {
			return nil, limit, err
		}
	}
	u, err := o.units(exact)
	if err != nil {
		return nil, limit, err
	}
	g := &separable{terms: lists.Of(m, u.term)}
	g.gap = func(y []float64) float64 { return u.gap(g.rows, y) }
	for _, row := range exact {
		g.rows = append(g.rows, u.row(row))
	}
	for {
		q, y, err := g.solve(o.ctx)
		if err != nil {
			return nil, limit, err
		}
		p := u.precisions(q)
		next, err := find.worst(p)
		if err != nil {
			return nil, limit, err
		}
		row := u.row(next)
		over := floats.Dot(row, q)
		if over <= 1+1e-12 || hasRow(g.rows, row) || len(g.rows) > mostPlanes {
			floats.Scale(1/math.Max(over, 1), p)
			limit, err = o.dual(exact, y)
			return p, limit, err
		}
		exact, g.rows = append(exact, next), append(g.rows, row)
	}
}

const mostPlanes = 1000

func hasRow(rows [][]float64, row []float64) bool {
	for _, r := range rows {
		if floats.EqualApprox(r, row, 1e-12*floats.Max(row)) {
			return true
		}
	}
	return false
}

// units are scales in which the barrier method's numbers are about 1: powers of two for the precisions and, for the
// least error, one for the objective.
type units struct {
	objective Objective
	weights   []float64
	shifts    []int // p_i = q_i·2^shift
}

// units chooses the scales such that the largest entry of every direction in the rows is about 1. It returns an
// error if a direction has no entry.
func (o *optimizer) units(rows [][]interval.Interval) (*units, error) {
	m := len(o.goal.Weights)
	u := &units{objective: o.goal.Objective, weights: make([]float64, m), shifts: make([]int, m)}
	gains := make([]interval.Interval, m)
	for i := range m {
		top := rows[0][i]
		for _, row := range rows[1:] {
			top = interval.Max(top, row[i])
		}
		if sign, _ := top.Sign(); sign <= 0 {
			return nil, parameter.Errorf("all differences are zero in row direction %d, which needs no noise, so there is no optimum", i)
		}
		u.shifts[i] = -top.MidFloat(64).MantExp(nil)
		if gains[i] = o.basis.weights[i].Mul(interval.TwoTo(u.shifts[i])); o.goal.Objective == LeastError {
			gains[i] = o.basis.charges[i].Mul(interval.TwoTo(-u.shifts[i]))
		}
	}
	largest := gains[0]
	for _, v := range gains {
		largest = interval.Max(largest, v)
	}
	for i, v := range gains {
		if o.goal.Objective == LeastError {
			v = v.Mul(interval.TwoTo(-largest.MidFloat(64).MantExp(nil)))
		}
		// Weights that underflow become 1e-300, and weights that overflow 1e300.
		if u.weights[i] = math.Min(v.Mid(), 1e300); o.goal.Objective == LeastError {
			u.weights[i] = math.Max(u.weights[i], 1e-300)
		}
	}
	return u, nil
}

func (u *units) term(i int) term {
	if u.objective == LeastError {
		return reciprocal(u.weights[i])
	}
	return logarithms(u.weights[i])
}

// row returns a constraint in these units.
func (u *units) row(a []interval.Interval) []float64 {
	return lists.Of(len(a), func(i int) float64 { return math.Max(0, a[i].Mul(interval.TwoTo(u.shifts[i])).Mid()) })
}

func (u *units) precisions(q []float64) []float64 {
	return lists.Of(len(q), func(i int) float64 { return math.Ldexp(q[i], u.shifts[i]) })
}

// gap returns the duality gap, up to a constant and in the units of the objective.
func (u *units) gap(rows [][]float64, y []float64) float64 {
	sum, paid := 0.0, floats.Sum(y)
	for i, w := range u.weights {
		price := 0.0
		for k, row := range rows {
			price += y[k] * row[i]
		}
		if u.objective == LeastError {
			sum += math.Sqrt(w * price)
		} else if price < w {
			sum += excess((w - price) / price)
		}
	}
	if u.objective == LeastError {
		return -sum * sum / paid
	}
	return sum + paid
}

// excess returns ln(1 + d) − d/(1 + d) for d ≥ 0. It is accurate to rounding also where the value is about d²/2.
func excess(d float64) float64 {
	if d > 1e-3 {
		return math.Log1p(d) - 1/(1+1/d) // d may be infinite
	}
	// The series is Σ_n (−1)ⁿ(n − 1)/n·dⁿ. The first term left out is below 1e-17 of the first term.
	return d * d * (1.0/2 - d*(2.0/3-d*(3.0/4-d*(4.0/5-d*(5.0/6-d*(6.0/7-d*7/8))))))
}

// signsOf returns the signs of a column.
func signsOf(a *mat.Dense, i int) []float64 {
	s := mat.Col(nil, i, a)
	for j, v := range s {
		s[j] = math.Copysign(1, v)
	}
	return s
}
