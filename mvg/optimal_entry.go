package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
)

// boxInformation treats information for Ψ = Σ and a box as a shared problem: the constraint is vᵀPv over the
// vertices times the largest P_jj. In the box's axes P may be taken diagonal. Flipping signs of coordinates changes
// neither the set nor the objective. The mean of P over all flips is its diagonal. It has equally large entries, no
// larger vᵀPv (the mean of (Sv)ᵀPSv), and no less information, which is concave.
func (o *optimizer) boxInformation(b Box) (*Optimum, error) {
	var g *shared
	method := "no other Σ does better (averaged over signs): "
	switch {
	case o.recipe.Directions == nil:
		g = o.axisRows(b)
	case o.recipe.FreeAxes:
		return nil, parameter.Errorf("the most information with Ψ = Σ needs given directions, not free ones")
	default:
		g, method = o.vertexRows(b, o.boxOracle(b)), ""
	}
	if o.recipe.Directions != nil && len(b.halfWidths)-1 > maxVertexBits {
		method = "apart, vertices beyond 2^20 being bounded and not visited: "
	}
	p, limit, err := g.best()
	if err != nil {
		return nil, err
	}
	return o.finish(p, limit, o.recipe.Directions == nil, method+"concave at each share of the largest entry, all shares bounded by Lagrange duals")
}

// axisRows returns the problem in the box's axes, where a and c are Σ(2h_i)²p_i and the largest p_i, together divided
// by μ². In units of μ/√Σ(2h_i)², isotropic noise has share 1 and precisions 1.
func (o *optimizer) axisRows(b Box) *shared {
	m := len(b.halfWidths)
	rows := lists.Each(b.widths(), square)
	whole := summed(rows)
	unit := interval.Float(o.mu.Hi).Quo(whole.Sqrt())
	a, gains := make([]float64, m), make([]float64, m)
	for i := range rows {
		rows[i] = rows[i].Quo(whole)
		a[i] = rows[i].Mid()
		gains[i] = math.Min(o.basis.weights[i].Mul(unit).Mid(), 1e300)
	}
	best := math.Inf(-1)
	return &shared{ctx: o.ctx, solve: func(s float64, dropA, dropC bool) (*knot, error) {
		cap := s
		if dropC {
			cap = math.Inf(1)
		}
		budget := 1 / s
		if dropA {
			budget = math.Inf(1)
		}
		q, price := fillCapped(gains, a, budget, cap)
		k := &knot{share: s, paidA: price, p: make([]float64, m)}
		caps := make([]float64, m)
		for i, l := range gains {
			if !dropC {
				caps[i] = math.Max(0, l/(1+l*cap)-price*a[i])
				k.paidC += caps[i]
			}
			if x := price*a[i] + caps[i]; l > x {
				k.surplus += excess((l - x) / x)
			}
		}
		over := math.Sqrt(floats.Dot(a, q)) * math.Sqrt(floats.Max(q))
		if !positiveNumber(over) {
			return nil, errScale
		}
		none := make([]float64, m) // precisions of negligible cost
		for i, v := range q {
			k.value += math.Log1p(gains[i] * (v / over))
			k.p[i] = unit.Mul(interval.Float(v / over)).Mid()
			none[i] = unit.Mul(interval.Float(1e-20 / over * math.Min(floats.Max(q), floats.Dot(a, q)/a[i]))).Mid()
		}
		if k.value > best {
			best, o.negligible = k.value, none
		}
		k.prove = func() (proof, error) {
			prices, paid := make([]interval.Interval, m), interval.Int(0)
			for i, r := range rows {
				c := interval.Float(caps[i])
				prices[i] = r.Mul(interval.Float(price)).Add(c).Quo(unit)
				paid = paid.Add(c)
			}
			v, err := surplus(o.basis.weights, prices)
			return proof{v, interval.Float(price), paid}, err
		}
		return k, nil
	}}
}

// fillCapped maximises Σ ln(1 + λ_i q_i) subject to Σ a_i q_i ≤ budget and q_i ≤ cap; either may be infinite. It
// returns q and the price of the budget: q_i is 1/(a_i·price) − 1/λ_i, clamped to [0, cap].
func fillCapped(gains, a []float64, budget, cap float64) (q []float64, price float64) {
	q = make([]float64, len(gains))
	spent := func(price float64) float64 {
		sum := 0.0
		for i, l := range gains {
			if q[i] = 0; l > 0 {
				q[i] = math.Min(math.Max(0, (1-price*a[i]/l)/(price*a[i])), cap)
			}
			sum += a[i] * q[i]
		}
		return sum
	}
	if spent(0) <= budget {
		return q, 0
	}
	for i, l := range gains {
		price = math.Max(price, l/a[i])
	}
	price = math.Min(price, math.MaxFloat64)
	cheap := price // too low a price, as 0 is
	for spent(cheap) <= budget {
		cheap /= 16
	}
	for range 100 {
		mid := math.Sqrt(cheap) * math.Sqrt(price)
		if !(cheap < mid && mid < price) {
			break
		}
		if spent(mid) > budget {
			cheap = mid
		} else {
			price = mid
		}
	}
	spent(price)
	return q, price
}

// vertexRows returns the problem in other directions. Each vertex is a row of a, and each P_jj a row of c. The problem
// keeps the vertices found so far.
func (o *optimizer) vertexRows(b Box, find oracle) *shared {
	m := len(b.halfWidths)
	inverse := o.basis.inverse()
	var vertices, entries [][]interval.Interval
	fail := func(err error) *shared {
		return &shared{ctx: o.ctx, solve: func(float64, bool, bool) (*knot, error) { return nil, err }}
	}
	for j := range m {
		row := make([]interval.Interval, m)
		for i := range m {
			v, ok := inverse.At(i, j)
			if !ok {
				return fail(errScale)
			}
			row[i] = square(v)
		}
		entries = append(entries, row)
		v, err := find.touching(j)
		if err != nil {
			return fail(err)
		}
		vertices = append(vertices, v)
	}
	// In units of isotropic noise, the optimal share is about 1.
	first, err := find.worst(uniform(m, 1))
	if err != nil {
		return fail(err)
	}
	sum := summed(first)
	if sign, _ := sum.Sign(); sign <= 0 {
		return fail(errScale)
	}
	unit := interval.Int(1).Quo(sum.Sqrt()).Upper()
	over := func(rows [][]interval.Interval, by interval.Interval) {
		for _, row := range rows {
			for i, v := range row {
				row[i] = v.Quo(by)
			}
		}
	}
	over(entries, unit)
	perUnit := interval.Int(1).Quo(unit)
	over(vertices, perUnit)
	u, err := o.units(append(append([][]interval.Interval(nil), entries...), vertices...))
	if err != nil {
		return fail(err)
	}
	met := make([][]float64, m)
	largest := make([][]float64, m)
	for j := range m {
		met[j], largest[j] = u.row(vertices[j]), u.row(entries[j])
	}
	return &shared{ctx: o.ctx, solve: func(s float64, dropA, dropC bool) (*knot, error) {
		for {
			g := &separable{terms: lists.Of(m, u.term)}
			g.gap = func(y []float64) float64 { return u.gap(g.rows, y) }
			from := 0
			if !dropA {
				g.rows = scaledRows(met, s)
				from = len(met)
			}
			if !dropC {
				g.rows = append(g.rows, scaledRows(largest, 1/s)...)
			}
			q, y, err := g.solve(o.ctx)
			if err != nil {
				return nil, err
			}
			p := u.precisions(q)
			next, err := find.worst(p)
			if err != nil {
				return nil, err
			}
			over([][]interval.Interval{next}, perUnit)
			row := u.row(next)
			most := floats.Dot(row, q)
			if !dropA && most > (1+1e-11)/s && !hasRow(met, row) && len(met) < mostPlanes {
				met, vertices = append(met, row), append(vertices, next)
				continue
			}
			top := 0.0
			for _, r := range largest {
				top = math.Max(top, floats.Dot(r, q))
			}
			k := &knot{share: s}
			for i := range y { // multipliers of the unscaled rows
				if i < from {
					y[i] *= s
					k.paidA += y[i]
				} else {
					y[i] /= s
					k.paidC += y[i]
				}
			}
			spent := math.Sqrt(most) * math.Sqrt(top)
			if !positiveNumber(spent) {
				return nil, errScale
			}
			floats.Scale(1/spent, q)
			k.p = u.precisions(q)
			for i, v := range q {
				k.value += math.Log1p(u.weights[i] * v)
			}
			seen := append([][]interval.Interval(nil), vertices[:from]...)
			if !dropC {
				seen = append(seen, entries...)
			}
			floated := append([][]float64(nil), met[:from]...)
			if !dropC {
				floated = append(floated, largest...)
			}
			k.surplus = u.gap(floated, y) - floats.Sum(y)
			k.prove = func() (proof, error) {
				v, err := surplus(o.basis.weights, pricesOf(seen, y))
				return proof{v, total(y[:from]), total(y[from:])}, err
			}
			return k, nil
		}
	}}
}

func scaledRows(rows [][]float64, by float64) [][]float64 {
	out := make([][]float64, len(rows))
	for k, r := range rows {
		out[k] = append([]float64(nil), r...)
		floats.Scale(by, out[k])
	}
	return out
}

// total returns Σv.
func total(v []float64) interval.Interval { return summed(exactly(v)) }

// positiveNumber reports whether v is positive and finite.
func positiveNumber(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
