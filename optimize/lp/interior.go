package lp

import (
	"math"
	"slices"

	"dpworkbench/internal/lists"

	"gonum.org/v1/gonum/floats"
)

// point is an iterate. Slacks are separate variables, so that they stay positive regardless of rounding in the
// differences.
type point struct {
	p, q []float64 // variables, and the prices of p ≥ 0
	s, z []float64 // slacks of the pairs and their prices
	u, v []float64 // slacks of the bounds and their prices
	y    []float64 // prices of the row sums
	t    float64   // the level
	o, f []float64 // violations of the pairs, and the prices of o ≥ 0
	h, c []float64 // unused parts of the budgets, and their prices
}

// primal returns the positive variables, and dual their prices.
func (x *point) primal() [5][]float64 { return [5][]float64{x.p, x.s, x.u, x.o, x.h} }
func (x *point) dual() [5][]float64   { return [5][]float64{x.q, x.z, x.v, x.f, x.c} }

func newPoint(variables, pairs, rows int, bounded bool, budgets int) *point {
	x := &point{
		p: make([]float64, variables), q: make([]float64, variables),
		s: make([]float64, 2*pairs), z: make([]float64, 2*pairs),
		y: make([]float64, rows),
	}
	if bounded {
		x.u, x.v = make([]float64, rows), make([]float64, rows)
	}
	if budgets > 0 {
		x.o, x.f = make([]float64, 2*pairs), make([]float64, 2*pairs)
		x.h, x.c = make([]float64, budgets), make([]float64, budgets)
	}
	return x
}

// solver runs Mehrotra's predictor-corrector method (1992) on a core.
type solver struct {
	*core
	point
	step     *point // the last direction
	factors  []*factor
	coupling []float64 // Cholesky factor of the Schur complement on rows and bounds
	order    int       // its order
	level    []float64 // coupling⁻¹ applied to the derivative by t, if t is free

	residual      point // of p, o: dual; of s, u, h: slacks; of y: row sums; of t: price of the level
	term          point // right-hand sides of the complementarity: q, z, v, f, c
	rhs, work     []float64
	excess, bonds []float64 // see sums
	change        []float64
	budgetTerms
}

// shards is the number of partial sums of the Schur complement. It is constant so that rounding does not depend on
// the machine.
const shards = 4

func newSolver(c *core) *solver {
	n, m := len(c.row), len(c.pairs)
	bounded := c.bound != nil
	s := &solver{
		core: c, point: *newPoint(n, m, c.rows, bounded, c.budgets),
		step: newPoint(n, m, c.rows, bounded, c.budgets), residual: *newPoint(n, m, c.rows, bounded, c.budgets), term: *newPoint(n, m, c.rows, bounded, c.budgets),
		excess: make([]float64, n), bonds: make([]float64, m),
		rhs: make([]float64, n), work: make([]float64, n), order: c.equations(),
	}
	s.coupling = make([]float64, s.order*s.order)
	s.change, s.level = make([]float64, s.order), make([]float64, s.order)
	s.factors = lists.Each(c.blocks, func(b *block) *factor { return &factor{block: b, a: make([]float64, b.size)} })
	s.start()
	return s
}

// equations returns the number of rows, bounds and budgets.
func (c *core) equations() int { return c.unbudgeted() + c.budgets }

// unbudgeted returns the number of rows and bounds.
func (c *core) unbudgeted() int {
	if c.bound != nil {
		return 2 * c.rows
	}
	return c.rows
}

// start sets the uniform point with prices that leave no dual residual: the prices y of the row sums are so low
// that q is positive.
func (s *solver) start() {
	total := make([]float64, s.rows)
	for j, i := range s.row {
		total[i] += s.count[j]
	}
	spread := 0.0
	loss := make([]float64, s.rows)
	for j, i := range s.row {
		s.p[j] = 1 / total[i]
		loss[i] += s.loss[j] / total[i]
		spread = max(spread, math.Abs(s.cost[j]))
	}
	if s.bound != nil {
		top := math.Inf(-1)
		for i, l := range loss {
			top = max(top, l-s.bound[i])
		}
		margin := 0.1 * (1 + math.Abs(top))
		if s.core.level {
			s.t = top + margin
		}
		for i, l := range loss {
			s.u[i] = max(s.bound[i]+s.t-l, margin)
			s.v[i] = 1 / float64(s.rows)
		}
		for j, i := range s.row {
			spread = max(spread, math.Abs(s.cost[j]+s.v[i]*s.loss[j]))
		}
	}
	if spread == 0 {
		spread = 1
	}
	mu := 0.0
	for _, p := range s.p {
		mu += 0.1 * spread * p / float64(len(s.p))
	}
	for k, e := range s.pairs {
		s.s[2*k] = s.w*s.p[e[1]] - s.p[e[0]]
		s.s[2*k+1] = s.w*s.p[e[0]] - s.p[e[1]]
		s.z[2*k], s.z[2*k+1] = mu/s.s[2*k], mu/s.s[2*k+1]
	}
	if s.budgets > 0 {
		s.spread(mu)
	}
	rest := s.work
	s.reducedCost(&s.point, rest)
	for i := range s.y {
		s.y[i] = math.Inf(1)
	}
	for j, i := range s.row {
		s.y[i] = min(s.y[i], (rest[j]-mu/s.p[j])/s.count[j])
	}
	for j, i := range s.row {
		s.q[j] = rest[j] - s.count[j]*s.y[i]
	}
}

// reducedCost writes cost + Lᵀv − Aᵀz into out.
func (s *solver) reducedCost(x *point, out []float64) {
	for j, i := range s.row {
		out[j] = s.cost[j]
		if x.v != nil {
			out[j] += x.v[i] * s.loss[j]
		}
	}
	for k, e := range s.pairs {
		first, second := x.z[2*k], x.z[2*k+1]
		out[e[0]] -= s.w*second - first
		out[e[1]] -= s.w*first - second
	}
}

// gap returns the value of the point and the bound from its prices, both in floating point. The point is scaled to
// unit row sums and mixed with as much of the uniform point as its pairs require.
func (s *solver) gap() (value, bound float64) {
	sum, length, least := make([]float64, s.rows), make([]float64, s.rows), slices.Repeat([]float64{math.Inf(1)}, s.rows)
	scale, rest := s.prices()
	for j, i := range s.row {
		sum[i] += s.count[j] * s.p[j]
		length[i] += s.count[j]
		least[i] = min(least[i], rest[j]/s.count[j])
	}
	rate := 0.0
	pairs := s.pairs
	if s.budgets > 0 {
		rate, pairs = s.overspent(sum, length), nil
		bound -= scale * s.charge(s.z)
	}
	for _, e := range pairs {
		a, b := s.p[e[0]]/sum[s.row[e[0]]], s.p[e[1]]/sum[s.row[e[1]]]
		if short := max(a-s.w*b, b-s.w*a); short > 0 {
			rate = max(rate, short/(short+(s.w-1)/length[s.row[e[0]]]))
		}
	}
	cost, loss := make([]float64, s.rows), make([]float64, s.rows)
	for j, i := range s.row {
		p := (1-rate)*s.p[j]/sum[i] + rate/length[i]
		cost[i] += s.cost[j] * p
		loss[i] += s.loss[j] * p
	}
	top := math.Inf(-1)
	for i := range sum {
		value += cost[i]
		bound += least[i]
		if s.bound != nil {
			top = max(top, loss[i]-s.bound[i])
			if !s.core.level { // exceeding a bound costs a penalty, larger than the bound's price
				value += (1 + 2*s.v[i]) * max(0, loss[i]-s.bound[i])
			}
			bound -= scale * s.v[i] * s.bound[i]
		}
	}
	if s.core.level {
		value += top
	}
	return value, bound
}

// prices returns the reduced costs under the prices of the pairs and bounds. If the level is free, the prices of the
// bounds are scaled so that they sum to 1.
func (s *solver) prices() (scale float64, rest []float64) {
	scale = 1
	if s.core.level {
		total := 0.0
		for _, v := range s.v {
			total += v
		}
		scale = 1 / total
	}
	x := &point{z: s.z, v: s.v}
	if scale != 1 {
		x = &point{z: floats.ScaleTo(make([]float64, len(s.z)), scale, s.z), v: floats.ScaleTo(make([]float64, len(s.v)), scale, s.v)}
	}
	s.reducedCost(x, s.work)
	return scale, s.work
}

// mu returns the mean complementarity.
func (s *solver) mu() float64 {
	sum, n, dual := 0.0, 0, s.dual()
	for i, x := range s.primal() {
		for k, v := range x {
			sum += v * dual[i][k]
		}
		n += len(x)
	}
	return sum / float64(n)
}

// residuals computes the residuals of all equations.
func (s *solver) residuals() {
	r := &s.residual
	s.reducedCost(&s.point, r.p)
	for i := range r.y {
		r.y[i] = 1
	}
	if s.bound != nil {
		for i, u := range s.u {
			r.u[i] = s.bound[i] - u
			if s.core.level {
				r.u[i] += s.t
			}
		}
		r.t = 1
		for _, v := range s.v {
			r.t -= v
		}
	}
	for j, i := range s.row {
		r.p[j] -= s.count[j]*s.y[i] + s.q[j]
		r.y[i] -= s.count[j] * s.p[j]
		if s.bound != nil {
			r.u[i] -= s.loss[j] * s.p[j]
		}
	}
	for k, e := range s.pairs {
		r.s[2*k] = s.w*s.p[e[1]] - s.p[e[0]] - s.s[2*k]
		r.s[2*k+1] = s.w*s.p[e[0]] - s.p[e[1]] - s.s[2*k+1]
	}
	if s.budgets > 0 {
		s.budgetResiduals()
	}
}
