package mvg

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// differences: the optimum for a finite list.
func (o *optimizer) differences(d Differences) (*Optimum, error) {
	if err := o.spanned(d); err != nil {
		return nil, err
	}
	list := append([]*mat.Dense(nil), d.list...)
	mode, information := o.recipe.Mode, o.goal.Objective == MostInformation
	switch {
	case mode == Unimodal && o.recipe.FreeAxes:
		return o.free(list, nil)
	case mode == Unimodal:
		return o.cut(o.listOracle(d), planesMethod)
	case mode == Equimodal && information:
		return o.convexify(o.listSquares(d))
	case information:
		return o.pairsOfPrecisions(d)
	case mode == Equimodal:
		return o.geodesic(&geodesic{mode: mode, diagonal: !o.recipe.FreeAxes, list: list}, nil, o.recipe.FreeAxes)
	}
	return o.geodesic(&geodesic{mode: Bimodal, list: list}, nil, true)
}

// spanned checks that every direction of the rows is seen by a difference (for
// Equimodal noise, of the rows or the columns; for Bimodal, of each): where it is
// not, noise in it can fall to 0 and there is no optimum.
func (o *optimizer) spanned(d Differences) error {
	check := func(what string, order int, add func(s *mat.SymDense)) error {
		s := mat.NewSymDense(order, nil)
		add(s)
		var e mat.EigenSym
		if e.Factorize(s, symmetric.WithVectors) {
			if v := e.Values(nil); !(v[0] > 1e-12*v[order-1]) {
				return fmt.Errorf("%w: no difference touches some direction of the %s; noise there is not needed and there is no optimum", evidence.ErrParameter, what)
			}
		}
		return nil
	}
	rows := func(s *mat.SymDense) {
		for _, a := range d.list {
			s.SymRankK(s, 1, a)
		}
	}
	cols := func(s *mat.SymDense) {
		for _, a := range d.list {
			s.SymRankK(s, 1, a.T())
		}
	}
	switch o.recipe.Mode {
	case Equimodal:
		return check("rows and columns", d.m, func(s *mat.SymDense) { rows(s); cols(s) })
	case Bimodal:
		if err := check("columns", d.n, cols); err != nil {
			return err
		}
	}
	return check("rows", d.m, rows)
}

// quadratic returns the constraint with the largest pᵀBp, B ≥ 0 entrywise.
type quadratic func(p []float64) (*mat.SymDense, error)

// squaresIn returns B with B_ij = (WᵀΔW)_ij², symmetrised: tr(PΔPΔᵀ) = pᵀBp.
func (o *optimizer) squaresIn(delta mat.Matrix) *mat.SymDense {
	var t mat.Dense
	w := o.axes()
	t.Product(w.T(), delta, w)
	t.MulElem(&t, &t)
	return symmetric.Symmetrized(&t)
}

func (o *optimizer) listSquares(d Differences) quadratic {
	all := make([]*mat.SymDense, len(d.list))
	for k, a := range d.list {
		all[k] = o.squaresIn(a)
	}
	return func(p []float64) (*mat.SymDense, error) {
		v := mat.NewVecDense(len(p), p)
		best, at := math.Inf(-1), 0
		for k, b := range all {
			if x := mat.Inner(v, b, v); x > best {
				best, at = x, k
			}
		}
		return all[at], nil
	}
}

func (o *optimizer) boxSquares(b Box) quadratic {
	find := o.worstEntry(b)
	return func(p []float64) (*mat.SymDense, error) {
		found, err := find(spectrum(o.axes(), p), nil)
		if err != nil {
			return nil, err
		}
		return o.squaresIn(found[0]), nil
	}
}

// convexify maximises information for Ψ = Σ in given directions, where the
// constraints are pᵀBp ≤ μ², B ≥ 0 entrywise.
//
// From above: each B is replaced by its diagonal and as large a share of the rest
// as leaves it positive semi-definite, which is below pᵀBp for p ≥ 0 and convex:
// √(pᵀBp) ≥ aᵀp with a = Bq/√(qᵀBq) at any q; the optimum over these planes is a
// bound. From below: 2p_i p_j ≤ p_i²q_j/q_i + p_j²q_i/q_j turns each constraint into
// Σ p_i²(Bq)_i/q_i ≤ μ², tight at p = q and stricter elsewhere, linear in p_i², in
// which the objective is concave; solving that again and again climbs to a local
// optimum. Where every B is positive semi-definite the two meet.
func (o *optimizer) convexify(find quadratic) (*Optimum, error) {
	if o.recipe.FreeAxes {
		return nil, fmt.Errorf("%w: information with Ψ = Σ is for given directions", evidence.ErrParameter)
	}
	var seen []*mat.SymDense
	look := func(p []float64) (*mat.SymDense, error) {
		b, err := find(p)
		if err == nil && !slices.ContainsFunc(seen, func(s *mat.SymDense) bool { return mat.Equal(s, b) }) {
			seen = append(seen, b)
		}
		return b, err
	}
	p, limit, err := o.planes(func(p []float64) ([]float64, error) {
		b, err := look(p)
		if err != nil {
			return nil, err
		}
		b = minorant(b)
		v := mat.NewVecDense(len(p), p)
		var a mat.VecDense
		a.MulVec(b, v)
		// aᵀp ≤ μ, as a plane of budget μ².
		a.ScaleVec(o.mu.Lo/math.Sqrt(mat.Inner(v, b, v)), &a)
		return append([]float64(nil), a.RawVector().Data...), nil
	})
	if err != nil {
		return nil, err
	}
	climb := &optimizer{ctx: o.ctx, goal: o.goal, mu: o.mu, columns: 1, squared: true}
	value := math.Inf(-1)
	for range 300 {
		b, err := look(p)
		if err != nil {
			return nil, err
		}
		v := mat.NewVecDense(len(p), p)
		floats.Scale(o.mu.Lo/math.Sqrt(mat.Inner(v, b, v)), p)
		now := o.value(p)
		if now <= value*(1+1e-12) {
			break
		}
		value = now
		rows := make([][]float64, len(seen))
		for k, b := range seen {
			var a mat.VecDense
			a.MulVec(b, v)
			for i, x := range p {
				rows[k] = append(rows[k], a.AtVec(i)/math.Max(x, 1e-9*floats.Max(p)))
			}
		}
		squares, _ := climb.barrier(rows, o.mu.Lo*o.mu.Lo)
		for i, s := range squares {
			p[i] = math.Sqrt(s)
		}
	}
	return o.finish(p, limit, false, "local optimum below, convex minorant of the constraints above: apart where these are not convex")
}

// minorant returns diag B + θ(B − diag B) with the largest θ ≤ 1, to within 2^-20,
// that is positive semi-definite.
func minorant(b *mat.SymDense) *mat.SymDense {
	n := b.SymmetricDim()
	at := func(theta float64) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		out.ScaleSym(theta, b)
		for i := range n {
			out.SetSym(i, i, b.At(i, i))
		}
		return out
	}
	convex := func(theta float64) bool {
		a := at(theta)
		for i := range n {
			a.SetSym(i, i, a.At(i, i)*(1+1e-13)+1e-14*mat.Trace(b))
		}
		var chol mat.Cholesky
		return chol.Factorize(a)
	}
	if convex(1) {
		return b
	}
	lo, hi := 0.0, 1.0
	for range 20 {
		if mid := (lo + hi) / 2; convex(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at(lo)
}

// pairsOfPrecisions maximises Σ_ij ln(1 + λ_i p_i q_j) in given axes: from above over
// all r_ij in place of p_i q_j, which is concave; from below at p and q nearest to that
// r in logarithms, improved by turns.
func (o *optimizer) pairsOfPrecisions(d Differences) (*Optimum, error) {
	if o.recipe.FreeAxes {
		return nil, fmt.Errorf("%w: information with any Ψ is for given directions", evidence.ErrParameter)
	}
	w := o.axes()
	m, n := d.m, d.n
	rows := make([][]float64, len(d.list))
	weights := make([]float64, 0, m*n)
	for _, l := range o.goal.Weights {
		for range n {
			weights = append(weights, l)
		}
	}
	for k, a := range d.list {
		t := product(w.T(), a)
		for i := range m {
			for j := range n {
				rows[k] = append(rows[k], t.At(i, j)*t.At(i, j))
			}
		}
	}
	for e := range m * n {
		if top := pickColumn(rows, e); !(top > 0) {
			return nil, fmt.Errorf("%w: no difference touches row direction %d in column %d; information there has no bound", evidence.ErrParameter, e/n, e%n)
		}
	}
	relaxed := &optimizer{ctx: o.ctx, goal: Goal{MostInformation, weights}, mu: o.mu, n: 1, columns: 1}
	r, limit, err := relaxed.planes(pick(rows))
	if err != nil {
		return nil, err
	}
	p, q := make([]float64, m), make([]float64, n)
	for i := range m {
		for j := range n {
			l := math.Log(math.Max(r[i*n+j], 1e-9*floats.Max(r)))
			p[i] += l / float64(n)
			q[j] += l / float64(m)
		}
	}
	mean := floats.Sum(p) / float64(m)
	for i := range p {
		p[i] = math.Exp(p[i])
	}
	for j := range q {
		q[j] = math.Exp(q[j] - mean)
	}
	p, q = o.byTurns(rows, p, q)
	precision := mat.NewSymDense(n, nil)
	for j, v := range q {
		precision.SetSym(j, j, v)
	}
	return o.both(spectrum(w, p), precision, limit)
}

func pickColumn(rows [][]float64, e int) float64 {
	top := 0.0
	for _, r := range rows {
		top = math.Max(top, r[e])
	}
	return top
}

// byTurns maximises Σ_ij ln(1 + λ_i p_i q_j) subject to Σ_ij b_ij p_i q_j ≤ μ², for
// each row b, over p and over q in turn, each of which is concave, until neither
// gains 1e-10.
func (o *optimizer) byTurns(rows [][]float64, p, q []float64) ([]float64, []float64) {
	m, n := len(p), len(q)
	half := func(size int, fixed []float64, entry func(i, j int) int, gain func(i, j int) float64) []float64 {
		h := &optimizer{ctx: o.ctx, goal: Goal{MostInformation, uniform(size, 1)}, mu: o.mu, columns: 1}
		sums := make([][]float64, len(rows))
		for k, row := range rows {
			sums[k] = make([]float64, size)
			for i := range size {
				for j, f := range fixed {
					sums[k][i] += row[entry(i, j)] * f
				}
			}
		}
		for i := range size {
			h.gains = append(h.gains, make([]float64, len(fixed)))
			for j, f := range fixed {
				h.gains[i][j] = gain(i, j) * f
			}
		}
		best, _ := h.barrier(sums, o.mu.Lo*o.mu.Lo)
		return best
	}
	value := math.Inf(-1)
	for range 100 {
		if o.ctx.Err() != nil {
			break // pair, which comes next, returns the context's error
		}
		p = half(m, q, func(i, j int) int { return i*n + j }, func(i, _ int) float64 { return o.goal.Weights[i] })
		q = half(n, p, func(i, j int) int { return j*n + i }, func(_, j int) float64 { return o.goal.Weights[j] })
		now := 0.0
		for i, l := range o.goal.Weights {
			for _, v := range q {
				now += math.Log1p(l * p[i] * v)
			}
		}
		if now <= value*(1+1e-10) {
			break
		}
		value = now
	}
	return p, q
}

// both makes the design with precisions p and q for information over all columns.
func (o *optimizer) both(p, q *mat.SymDense, limit float64) (*Optimum, error) {
	return o.pair(p, q, limit, false, "concave in either covariance: alternated below, all pairs of precisions free above: apart in general")
}
