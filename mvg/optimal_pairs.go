package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// pairs maximises information for Σ in given directions and any Ψ: Σ_i ln det(I + λ_i p_i Q) subject to Σ_i p_i
// d_kiᵀQd_ki ≤ μ² for the rows d_ki of W⁻¹Δ_k.
//
// The upper bound replaces p_i Q by any Q_i ⪰ 0. That problem is concave and has the Lagrange dual
//
//	Σ_i max_{Q ⪰ 0} (ln det(I + λ_i Q) − tr(QA_i)) + μ²Σ_k y_k,   A_i = Σ_k y_k d_ki d_kiᵀ,
//
// a bound at any y ≥ 0. The lower bound alternates between p for a fixed Q and Q for a fixed p, each of which is
// concave.
//
// The bound is finite if for every i with λ_i > 0 the d_ki span all columns. Otherwise information is unbounded:
// with u orthogonal to all d_ki, take Q = I + Tuuᵀ and the other p of the size of 1/T. Then ln(1 + λ_i p_i T) grows
// with T.
type pairs struct {
	*optimizer
	rows  []int        // indices with λ_i > 0
	gains []float64    // λ_i
	list  []*mat.Dense // the rows d_ki/μ for these indices, by difference
	exact []*symmetric.Enclosure
}

func (o *optimizer) pairs(d Differences) (*Optimum, error) {
	if o.recipe.FreeAxes {
		return nil, parameter.Errorf("the most information with any Ψ needs given directions, not free ones")
	}
	s := &pairs{optimizer: o}
	for i, l := range o.goal.Weights {
		if l > 0 {
			s.rows, s.gains = append(s.rows, i), append(s.gains, l)
		}
	}
	over := slices.Repeat([]interval.Interval{inverseOf(interval.Float(o.mu.Hi))}, d.m)
	for _, a := range d.list {
		e := o.basis.rotate(symmetric.Exactly(a)).Scaled(over, nil)
		float, err := finite(e.Middle())
		if err != nil {
			return nil, err
		}
		some := mat.NewDense(len(s.rows), d.n, nil)
		for at, i := range s.rows {
			some.SetRow(at, float.RawRowView(i))
		}
		s.list, s.exact = append(s.list, some), append(s.exact, e)
	}
	for at, i := range s.rows {
		if _, ok := s.sum(i, nil).Factorize(); !ok {
			return nil, parameter.Errorf("in row direction %d all differences are zero in some direction of the columns, so information is unbounded", s.rows[at])
		}
	}
	y, err := newRelaxation(s.gains, s.list).solve(o.ctx)
	if err != nil {
		return nil, err
	}
	limit, err := s.limit(y)
	if err != nil {
		return nil, err
	}
	p, q, err := s.search(newRelaxation(s.gains, s.list).blocks(y))
	if err != nil {
		return nil, err
	}
	return s.design(p, q, limit)
}

// sum returns Σ_k y_k d_ki d_kiᵀ for row i; a nil y stands for ones.
func (s *pairs) sum(i int, y []float64) *symmetric.Enclosure {
	var out *symmetric.Enclosure
	for k, e := range s.exact {
		share := interval.Int(1)
		if y != nil {
			if y[k] == 0 {
				continue
			}
			share = interval.Float(y[k])
		}
		out = plus(out, outer(e.Row(i).T(), share))
	}
	return out
}

// limit returns the dual at y.
func (s *pairs) limit(y []float64) (interval.Interval, error) {
	paid, sum, most := interval.Int(0), interval.Int(0), 0.0
	for _, v := range y {
		if !(v >= 0) || math.IsInf(v, 1) {
			return paid, errScale
		}
		paid = paid.Add(interval.Float(v))
	}
	_, n := s.list[0].Dims()
	for _, i := range s.rows {
		roots := slices.Repeat([]interval.Interval{s.basis.weights[i].Sqrt()}, n)
		v, eta, err := tangent(s.sum(i, y), symmetric.Diagonal(roots))
		if err != nil {
			return paid, err
		}
		sum, most = sum.Add(v), math.Max(most, eta)
	}
	return sum.Add(paid.Mul(interval.Int(1).Add(interval.Float(most)))), nil
}

// search returns precisions p and a factor of Q. It alternates from several starts, such as I and the relaxation's
// blocks, and continues from the best.
func (s *pairs) search(blocks []*mat.SymDense) (p []float64, q *mat.Dense, err error) {
	_, n := s.list[0].Dims()
	starts := []*mat.Dense{symmetric.Eye(n)}
	all := mat.NewSymDense(n, nil)
	for _, b := range blocks {
		if t := mat.Trace(b); t > 0 && len(starts) < 5 {
			starts = append(starts, rootOf(ridged(b)))
			symmetric.Combine(all, 1, all, 1/t, b)
		}
	}
	starts = append(starts, rootOf(ridged(all)))
	// For each row, another start is the best Q if that row has nearly all the precision, as for weak signals.
	costs := make([]float64, len(s.rows))
	for _, d := range s.list {
		for i := range costs {
			costs[i] = math.Max(costs[i], floats.Dot(d.RawRowView(i), d.RawRowView(i)))
		}
	}
	for i := range min(len(s.rows), 8) {
		p := make([]float64, len(s.rows))
		for j, c := range costs {
			if p[j] = 1e-6 / c; j == i {
				p[j] = 1 / c
			}
		}
		c, err := s.forRows(p, symmetric.Eye(n))
		if err != nil {
			return nil, nil, err
		}
		starts = append(starts, c)
	}
	best := math.Inf(-1)
	for _, start := range starts {
		_, c, value, err := s.byTurns(start, 3, 1e-4)
		if err != nil {
			return nil, nil, err
		}
		if value > best {
			best, q = value, c
		}
	}
	p, q, _, err = s.byTurns(q, 60, 1e-9)
	return p, q, err
}

// ridged returns a with a small part of its trace added to the diagonal, so that it has a root.
func ridged(a *mat.SymDense) *mat.SymDense {
	n := a.SymmetricDim()
	out := mat.NewSymDense(n, nil)
	out.AddSym(a, symmetric.Multiple(n, 1e-6*mat.Trace(a)/float64(n)+1e-300))
	return out
}

// byTurns alternates between p for Q = CCᵀ and Q for that p, until neither gains more than the tolerance.
func (s *pairs) byTurns(c *mat.Dense, rounds int, tolerance float64) (p []float64, q *mat.Dense, value float64, err error) {
	value = math.Inf(-1)
	for range rounds {
		better, now, err := s.forColumns(c)
		if err != nil {
			return nil, nil, 0, err
		}
		if now <= value*(1+tolerance) {
			break
		}
		p, q, value = better, c, now
		if c, err = s.forRows(better, c); err != nil {
			return nil, nil, 0, err
		}
	}
	return p, q, value, nil
}

// forColumns returns the best p for a Q = CCᵀ, and the information.
func (s *pairs) forColumns(c *mat.Dense) (p []float64, value float64, err error) {
	svd, ok := singular(c, mat.SVDNone)
	if !ok {
		return nil, 0, errScale
	}
	values := svd.Values(nil)
	g := &separable{rows: make([][]float64, len(s.list))}
	for k, d := range s.list {
		white := product(d, c)
		for i := range s.rows {
			g.rows[k] = append(g.rows[k], floats.Dot(white.RawRowView(i), white.RawRowView(i)))
		}
	}
	units, err := g.inUnits(func(i int) []float64 {
		return lists.Each(values, func(v float64) float64 { return s.gains[i] * v * v })
	})
	if err != nil {
		return nil, 0, err
	}
	if p, _, err = g.solve(s.ctx); err != nil {
		return nil, 0, err
	}
	for i, f := range g.terms {
		v, _, _ := f(p[i])
		value += v
		p[i] /= units[i]
	}
	return p, value, nil
}

// balancedColumns returns C with CᵀSC = I for S = Σ_ki p_i d_ki d_kiᵀ, so that the constraints on Q have one scale,
// and the vectors √p_i d_ki.
func (s *pairs) balancedColumns(p []float64) (*mat.Dense, []*mat.Dense, error) {
	_, n := s.list[0].Dims()
	weighted := make([]*mat.Dense, len(s.list))
	var sum *symmetric.Enclosure
	for k, d := range s.list {
		weighted[k] = mat.DenseCopyOf(d)
		for i, v := range p {
			floats.Scale(math.Sqrt(v), weighted[k].RawRowView(i))
		}
		e := symmetric.Exactly(weighted[k])
		sum = plus(sum, e.T().Mul(e))
	}
	factor, ok := sum.Factorize()
	if !ok {
		return nil, nil, errScale
	}
	base, err := finite(factor.Whiten(identity(n)).T().Middle())
	return base, weighted, err
}

// forRows returns a factor of the best Q for given p, starting from any C. It searches all Q up to order mostAxes,
// and beyond that those with the axes of CCᵀ.
func (s *pairs) forRows(p []float64, c *mat.Dense) (*mat.Dense, error) {
	n, _ := c.Dims()
	base, weighted, err := s.balancedColumns(p)
	if err != nil {
		return nil, err
	}
	if n > mostAxes {
		return s.forAxes(p, c, weighted)
	}
	g := &informed{}
	for i, v := range p {
		if s.gains[i]*v > 0 {
			l := mat.DenseCopyOf(base.T())
			l.Scale(math.Sqrt(s.gains[i]*v), l)
			g.signals = append(g.signals, l)
		}
	}
	g.list = lists.Each(weighted, func(d *mat.Dense) *mat.SymDense { return gramOf(product(base.T(), mat.DenseCopyOf(d.T()))) })
	x := symmetric.Eye(n)
	x.Scale(math.Sqrt(0.5/float64(n)), x)
	if x, _, err = g.solve(s.ctx, x); err != nil {
		return nil, err
	}
	return product(base, x), nil
}

// forAxes returns a factor of the best Q with the axes of CCᵀ, for given p.
func (s *pairs) forAxes(p []float64, c *mat.Dense, weighted []*mat.Dense) (*mat.Dense, error) {
	n, _ := c.Dims()
	svd, ok := singular(c, mat.SVDThin)
	if !ok {
		return nil, errScale
	}
	var u mat.Dense
	svd.UTo(&u)
	g := &separable{rows: make([][]float64, len(weighted))}
	for k, d := range weighted {
		t := product(d, &u)
		t.MulElem(t, t)
		for j := range n {
			g.rows[k] = append(g.rows[k], mat.Sum(t.ColView(j)))
		}
	}
	units, err := g.inUnits(func(int) []float64 { return lists.Of(len(p), func(i int) float64 { return s.gains[i] * p[i] }) })
	if err != nil {
		return nil, err
	}
	q, _, err := g.solve(s.ctx)
	if err != nil {
		return nil, err
	}
	for j, v := range q {
		for i := range n {
			u.Set(i, j, u.At(i, j)*math.Sqrt(v/units[j]))
		}
	}
	return &u, nil
}
