package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/symmetric"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// quadratic finds differences, for Ψ = Σ in given directions: worst the one with the largest
// tr(PΔPΔᵀ), touching the one with the largest share of p_i² in it, as far as float64
// tells.
type quadratic struct {
	worst    func(p []float64) (*mat.Dense, error)
	touching func(i int) *mat.Dense
	all      []*mat.Dense
}

func (o *optimizer) listSquares(d Differences) quadratic {
	all := make([]*mat.SymDense, len(d.list))
	for k, a := range d.list {
		all[k] = squared(o.within(a))
	}
	most := func(of func(b *mat.SymDense) float64) *mat.Dense {
		best, at := math.Inf(-1), 0
		for k, b := range all {
			if x := of(b); x > best {
				best, at = x, k
			}
		}
		return d.list[at]
	}
	return quadratic{
		all: d.list,
		worst: func(p []float64) (*mat.Dense, error) {
			v := mat.NewVecDense(len(p), p)
			return most(func(b *mat.SymDense) float64 { return mat.Inner(v, b, v) }), nil
		},
		touching: func(i int) *mat.Dense { return most(func(b *mat.SymDense) float64 { return b.At(i, i) }) },
	}
}

// signsOf returns the signs of a column.
func signsOf(a *mat.Dense, i int) []float64 {
	s := mat.Col(nil, i, a)
	for j, v := range s {
		s[j] = math.Copysign(1, v)
	}
	return s
}

// squared returns B with B_ij = T_ij², symmetrised: tr(PTPTᵀ) = pᵀBp for P = diag(p).
func squared(t *mat.Dense) *mat.SymDense {
	out := mat.DenseCopyOf(t)
	out.MulElem(out, out)
	return symmetric.Symmetrized(out)
}

// A pairForm is B of a difference over μ², so that pᵀBp ≤ 1, and the planes of a convex form that
// is nowhere larger for p ≥ 0.
type pairForm struct {
	delta *mat.Dense
	exact [][]interval.Interval // B ≥ 0
	lower [][]interval.Interval
}

func (o *optimizer) form(delta *mat.Dense) (*pairForm, error) {
	exact, err := o.squares(delta)
	if err != nil {
		return nil, err
	}
	return &pairForm{delta, exact, minorant(exact)}, nil
}

// squares returns B of a difference over μ².
func (o *optimizer) squares(delta *mat.Dense) ([][]interval.Interval, error) {
	t := o.frame.turnedBoth(symmetric.Exactly(delta))
	m, _ := t.Dims()
	out := make([][]interval.Interval, m)
	over := interval.Int(2).Mul(square(interval.Float(o.mu.Hi)))
	for i := range m {
		out[i] = make([]interval.Interval, m)
		for j := range i + 1 {
			v, ok := t.At(i, j)
			w, known := t.At(j, i)
			if !ok || !known {
				return nil, errScale
			}
			b := square(v).Add(square(w)).Quo(over)
			out[i][j], out[j][i] = b, b
		}
	}
	return out, nil
}

// nearOne lets singular forms, of a ΔΔᵀ of rank one before all, pass all but undiminished.
const nearOne = 1 - 0x1p-50

// minorant returns B_d + θ(B − B_d), B_d the diagonal of B ≥ 0 and rows without one left out,
// with the largest θ ≤ nearOne, to within 2^−20, that is proven positive semi-definite:
// for p ≥ 0 it is nowhere above B.
func minorant(b [][]interval.Interval) [][]interval.Interval {
	m := len(b)
	roots := make([]interval.Interval, m)
	some := make([]bool, m)
	for i := range m {
		if sign, _ := b[i][i].Sign(); sign > 0 {
			roots[i], some[i] = b[i][i].Sqrt(), true
		}
	}
	// In units of the diagonal: C_ij = B_ij/√(B_ii B_jj), so that scales do not matter.
	float := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i {
			if some[i] && some[j] {
				float.SetSym(i, j, math.Min(b[i][j].Quo(roots[i].Mul(roots[j])).Mid(), 1e100))
			}
		}
	}
	at := func(theta float64) [][]interval.Interval {
		out := make([][]interval.Interval, m)
		for i := range m {
			out[i] = make([]interval.Interval, m)
			for j := range m {
				switch {
				case i == j && some[i]:
					out[i][j] = b[i][i]
				case i != j && some[i] && some[j]:
					out[i][j] = interval.Float(theta).Mul(b[i][j])
				default:
					out[i][j] = interval.Int(0)
				}
			}
		}
		return out
	}
	if whole := at(nearOne); proven(whole, some) {
		return whole
	}
	likely := func(theta float64) bool {
		c := mat.NewSymDense(m, nil)
		c.ScaleSym(theta, float)
		for i := range m {
			c.SetSym(i, i, 1)
		}
		var chol mat.Cholesky
		return chol.Factorize(c)
	}
	lo, hi := 0.0, math.Min(1, 1/math.Max(mat.Max(float), 1)) // no entry above the diagonal
	for range 20 {
		if mid := (lo + hi) / 2; likely(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	for step := 0x1p-20; step < 1; step *= 2 {
		if a := at(lo); proven(a, some) {
			return a
		}
		lo *= 1 - step
	}
	return at(0)
}

// proven says whether the form is positive definite on the rows that have a diagonal.
func proven(a [][]interval.Interval, some []bool) bool {
	var rows []int
	for i, ok := range some {
		if ok {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return true
	}
	e := identity(len(rows))
	for i, r := range rows {
		for j, c := range rows {
			e.Set(i, j, a[r][c])
		}
	}
	_, ok := e.Factorize()
	return ok
}

// tangentPlane returns the constraint aᵀp ≤ 1 that touches pᵀAp ≤ 1 in the direction of q: by
// Cauchy and Schwarz √(pᵀAp) ≥ qᵀAp/√(qᵀAq).
func tangentPlane(form [][]interval.Interval, q []float64) ([]interval.Interval, error) {
	row := make([]interval.Interval, len(q))
	norm := interval.Int(0)
	for i, a := range form {
		row[i] = interval.Int(0)
		for j, v := range a {
			row[i] = row[i].Add(v.Mul(interval.Float(q[j])))
		}
		norm = norm.Add(row[i].Mul(interval.Float(q[i])))
	}
	if sign, _ := norm.Sign(); sign <= 0 {
		return row, nil // no constraint
	}
	root := norm.Sqrt()
	for i, v := range row {
		row[i] = v.Quo(root)
	}
	return row, nil
}

var errGivenOnly = parameter.Errorf("information with Ψ = Σ is for given directions")

const listMethod = "local optimum below; above, convex minorant of the constraints, and branch and bound to 1 % where these are not convex: apart by that, and by more where it ended early"

// convexify maximises information for Ψ = Σ in given directions, where the
// constraints are pᵀBp ≤ μ², B ≥ 0 entrywise.
//
// From above: each B is replaced by its diagonal and as large a share of the rest
// as leaves it positive semi-definite, which is below pᵀBp for p ≥ 0 and convex;
// the optimum over its tangent planes is a bound. From below:
// 2p_i p_j ≤ p_i²q_j/q_i + p_j²q_i/q_j turns each constraint into
// Σ p_i²(Bq)_i/q_i ≤ μ², tight at p = q and stricter elsewhere, linear in p_i², in
// which the objective is concave; solving that again and again climbs to a local
// optimum. Where every B is positive semi-definite the two meet; elsewhere branch and bound (optimal_regions.go)
// brings them to 1 %, unless there are too many regions to look at.
func (o *optimizer) convexify(find quadratic) (*Optimum, error) {
	if o.recipe.FreeAxes {
		return nil, errGivenOnly
	}
	var seen []*pairForm
	look := func(delta *mat.Dense) (*pairForm, error) {
		if k := slices.IndexFunc(seen, func(f *pairForm) bool { return mat.Equal(f.delta, delta) }); k >= 0 {
			return seen[k], nil
		}
		f, err := o.form(delta)
		if err == nil {
			seen = append(seen, f)
		}
		return f, err
	}
	plane := func(delta *mat.Dense, q []float64) ([]interval.Interval, error) {
		f, err := look(delta)
		if err != nil {
			return nil, err
		}
		return tangentPlane(f.lower, q)
	}
	p, limit, err := o.planes(oracle{
		worst: func(p []float64) ([]interval.Interval, error) {
			delta, err := find.worst(p)
			if err != nil {
				return nil, err
			}
			return plane(delta, p)
		},
		touching: func(i int) ([]interval.Interval, error) {
			e := make([]float64, len(o.goal.Weights))
			e[i] = 1
			return plane(find.touching(i), e)
		},
	})
	if err != nil {
		return nil, err
	}
	worst := func(p []float64) (*pairForm, []*pairForm, error) {
		delta, err := find.worst(p)
		if err != nil {
			return nil, nil, err
		}
		f, err := look(delta)
		return f, seen, err
	}
	starts, err := o.preferring(look, find)
	if err != nil {
		return nil, err
	}
	best := math.Inf(-1)
	for _, start := range append(starts, p) {
		q, value, err := o.climb(start, worst)
		if err != nil {
			return nil, err
		}
		if value > best {
			best, p = value, q
		}
	}
	better, limit, err := o.divide(p, best, limit, find.all)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(better, p) {
		q, value, err := o.climb(better, worst)
		if err != nil {
			return nil, err
		}
		if value > best {
			p = q
		}
	}
	return o.finish(p, limit, false, listMethod)
}

// preferring returns starts that spend alike on all directions, and nearly all on one of the
// first few: where constraints are not convex there are local optima.
func (o *optimizer) preferring(look func(delta *mat.Dense) (*pairForm, error), find quadratic) ([][]float64, error) {
	m := len(o.goal.Weights)
	most := make([]float64, m) // that a direction can have alone
	for i := range m {
		f, err := look(find.touching(i))
		if err != nil {
			return nil, err
		}
		if most[i] = 1 / math.Sqrt(f.exact[i][i].Mid()); !(most[i] > 0) || math.IsInf(most[i], 1) {
			return nil, errScale
		}
	}
	starts := [][]float64{most}
	for i := range min(m, 12) {
		few := make([]float64, m)
		for j, v := range most {
			if few[j] = 1e-4 * v; j == i {
				few[j] = v
			}
		}
		starts = append(starts, few)
	}
	return starts, nil
}

// climb improves p from below, and returns what it comes to and its value; look returns the
// form that p violates most, and all seen.
func (o *optimizer) climb(p []float64, look func(p []float64) (*pairForm, []*pairForm, error)) ([]float64, float64, error) {
	m := len(p)
	units := make([]int, m)
	for i, v := range p {
		_, units[i] = math.Frexp(v)
	}
	floated := map[*pairForm]*mat.SymDense{}
	inUnits := func(f *pairForm) *mat.SymDense {
		if floated[f] == nil {
			b := mat.NewSymDense(m, nil)
			for i := range m {
				for j := range i + 1 {
					b.SetSym(i, j, f.exact[i][j].Mul(powerOfTwo(units[i]+units[j])).Mid())
				}
			}
			floated[f] = b
		}
		return floated[f]
	}
	q := make([]float64, m)
	for i, v := range p {
		q[i] = math.Ldexp(v, -units[i])
	}
	value, best := math.Inf(-1), p
	for range 300 {
		f, seen, err := look(p)
		if err != nil {
			return nil, 0, err
		}
		v := mat.NewVecDense(m, q)
		floats.Scale(1/math.Sqrt(mat.Inner(v, inUnits(f), v)), q)
		p = make([]float64, m)
		g, now := &separable{}, 0.0
		for i, w := range o.goal.Weights {
			p[i] = math.Ldexp(q[i], units[i])
			now += math.Log1p(w * p[i])
			g.terms = append(g.terms, logarithmOfRoot(w*p[i]))
		}
		if !(now > value*(1+1e-12)) {
			break
		}
		value, best = now, p
		// In units in which the squared precisions now are 1.
		for _, f := range seen {
			var a mat.VecDense
			a.MulVec(inUnits(f), v)
			a.MulElemVec(&a, v)
			g.rows = append(g.rows, append([]float64(nil), a.RawVector().Data...))
		}
		squares, _, err := g.solve(o.ctx)
		if err != nil {
			return nil, 0, err
		}
		p = make([]float64, m)
		for i, s := range squares {
			q[i] *= math.Sqrt(s)
			p[i] = math.Ldexp(q[i], units[i])
		}
	}
	return best, value, nil
}
