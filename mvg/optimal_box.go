package mvg

import (
	"fmt"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// box returns the optimum for a box. With Δ = v e_jᵀ the constraint is max_j Q_jj·max vᵀPv. Ψ = I minimises tr Ψ ≥
// Σ 1/Q_jj and, by Hadamard's inequality, maximises the information of independent columns. So bi-modal noise gains
// nothing.
func (o *optimizer) box(b Box) (*Optimum, error) {
	o.dropColumns()
	m := len(b.halfWidths)
	if o.recipe.Mode == Equimodal {
		if o.goal.Objective == MostInformation {
			return o.boxInformation(b)
		}
		if o.recipe.Directions == nil {
			// Flipping signs in the box's axes changes neither the set nor the objective, so P may be taken
			// diagonal (geodesic.go), and then all vertices are equivalent.
			list := lists.Of(m, func(j int) *mat.Dense { return b.vertex(uniform(m, 1), j) })
			return o.geodesic(&geodesic{mode: Equimodal, diagonal: true}, list, nil, true)
		}
		var list []*mat.Dense
		for j := range m {
			list = append(list, b.vertex(flipped(m, j), j), b.vertex(uniform(m, 1), j))
		}
		return o.geodesic(&geodesic{mode: Equimodal, diagonal: !o.recipe.FreeAxes}, list, o.worstEntry(b), o.recipe.FreeAxes)
	}
	if o.recipe.Directions == nil {
		return o.boxAxes(b)
	}
	if !o.recipe.FreeAxes {
		return o.cut(o.boxOracle(b), planesMethod)
	}
	list := []*mat.Dense{b.column(uniform(m, 1))}
	for i := range m {
		list = append(list, b.column(flipped(m, i)))
	}
	return o.free(list, o.worstColumn(b))
}

// widths encloses 2h, the largest differences of the coordinates.
func (b Box) widths() []interval.Interval {
	return lists.Each(b.halfWidths, func(h float64) interval.Interval { return interval.Int(2).Mul(interval.Float(h)) })
}

// worstColumn returns the separation oracle for Ψ = I: vertices with large vᵀPv, as differences of one column.
func (o *optimizer) worstColumn(b Box) separationOracle {
	return func(p, _ *mat.SymDense) ([]*mat.Dense, error) {
		found, err := b.worstSigns(o.ctx, p)
		return lists.Each(found, b.column), err
	}
}

func flipped(m, i int) []float64 {
	s := uniform(m, 1)
	s[i] = -1
	return s
}

// column returns the vertex v = (2h_i s_i) as a difference of one column; vertex
// puts it in column j of an m×m difference.
func (b Box) column(signs []float64) *mat.Dense { return b.vertexOf(signs, 1, 0) }

func (b Box) vertex(signs []float64, j int) *mat.Dense { return b.vertexOf(signs, len(signs), j) }

func (b Box) vertexOf(signs []float64, columns, j int) *mat.Dense {
	out := mat.NewDense(len(signs), columns, nil)
	for i, s := range signs {
		out.Set(i, j, 2*b.halfWidths[i]*s)
	}
	return out
}

// worstEntry returns the separation oracle for Ψ = Σ. It puts the vertices with large vᵀPv into the column of the
// largest P_jj, and the best vertex also into columns with nearly as large entries.
func (o *optimizer) worstEntry(b Box) separationOracle {
	return func(p, _ *mat.SymDense) ([]*mat.Dense, error) {
		found, err := b.worstSigns(o.ctx, p)
		if err != nil {
			return nil, err
		}
		at := 0
		for j := range b.halfWidths {
			if p.At(j, j) > p.At(at, at) {
				at = j
			}
		}
		out := lists.Each(found, func(s []float64) *mat.Dense { return b.vertex(s, at) })
		for j := range b.halfWidths {
			if j != at && p.At(j, j) > 0.9*p.At(at, at) {
				out = append(out, b.vertex(found[0], j))
			}
		}
		return out, nil
	}
}

func (o *optimizer) boxAxes(b Box) (*Optimum, error) {
	widths := b.widths()
	budget := square(interval.Float(o.mu.Hi))
	p := make([]float64, len(widths))
	if o.goal.Objective == MostInformation {
		if err := checkEigenvalues("weights", o.goal.Weights, 100); err != nil {
			return nil, err
		}
		squares := make([]float64, len(widths))
		prices := make([]interval.Interval, len(widths))
		for i, d := range widths {
			if err := ordinary(fmt.Sprintf("2·half_width[%d]", i), d.Mid(), "", 50); err != nil {
				return nil, err
			}
			prices[i] = square(d)
			squares[i] = prices[i].Mid()
		}
		// With p_i = l_i + q_i the remainder q is a water-filling as well: ln(1 + λp) = ln(1 + λl) + ln(1 + λ'q),
		// λ' = λ/(1 + λl).
		eigenvalues, weights, least := slices.Clone(o.goal.Weights), slices.Clone(o.basis.weights), make([]float64, len(widths))
		shared, one := interval.Int(0), interval.Int(1)
		rest, method := o.mu.Hi*o.mu.Hi, "water-filling of λ_i/(2h_i)²; no other Σ does better"
		if share := o.recipe.LeastShare; share > 0 {
			method = fmt.Sprintf("water-filling of λ_i/(2h_i)² above a share of %g/%d for each direction", share, len(widths))
			for i, v := range weights {
				least[i] = rest * share / float64(len(widths)) / squares[i]
				gain := one.Add(v.Mul(interval.Float(least[i])))
				shared = shared.Add(gain.Log())
				weights[i] = v.Quo(gain)
				eigenvalues[i] /= 1 + eigenvalues[i]*least[i]
				budget = budget.Sub(prices[i].Mul(interval.Float(least[i])))
			}
			rest *= 1 - share
		}
		w, err := WaterfillWeighted(eigenvalues, squares, rest)
		if err != nil {
			return nil, err
		}
		// At any price of the budget, the surplus plus the price of the whole budget is a bound.
		price := w.price()
		o.negligible = make([]float64, len(widths))
		for i, v := range prices {
			prices[i] = v.Mul(price)
			o.negligible[i] = 1e-20 * o.mu.Lo * o.mu.Lo / squares[i]
		}
		gain, err := surplus(weights, prices)
		if err != nil {
			return nil, err
		}
		limit := interval.Float(o.columns).Mul(shared.Add(gain).Add(price.Mul(budget)))
		floats.Add(least, w.Precisions)
		return o.finish(least, limit, o.recipe.LeastShare == 0, method)
	}
	total := interval.Int(0)
	for i, w := range o.basis.weights {
		total = total.Add(w.Sqrt().Mul(widths[i]))
	}
	for i, w := range o.basis.weights {
		p[i] = budget.Mul(w.Sqrt()).Quo(widths[i].Mul(total)).Mid()
	}
	return o.finish(p, o.error(square(total).Quo(budget)), true, "p_i ∝ √w_i/(2h_i); no other Σ does better (average over the vertices)")
}
