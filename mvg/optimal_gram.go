package mvg

import (
	"math"
	"slices"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
)

func (o *optimizer) gram(g Gram) (*Optimum, error) {
	s := interval.Float(g.scale).Mul(square(interval.Float(g.rowNorm)))
	if o.recipe.Mode == Bimodal {
		if o.goal.Objective == MostInformation {
			return o.gramInformation(g, s)
		}
		// The set is symmetric. So with (P, Q) also (Q, P) is feasible, and so is the midpoint of the geodesic between
		// them, where P = Q. The midpoint is no worse and as private (geodesic.go).
		o.recipe.Mode = Equimodal
	}
	if !g.replace || g.d == 1 {
		return o.isotropic(s, "isotropic: only the largest precision counts")
	}
	r := o.radius(s)
	at, first, second, err := o.pair(r.Mid())
	if err != nil {
		return nil, err
	}
	q := make([]interval.Interval, g.d)
	var limit interval.Interval
	if o.goal.Objective == LeastError {
		limit = o.pairError(r, at)
	} else {
		for i := range q {
			q[i] = interval.Float(second).Mul(r)
		}
		q[at] = interval.Float(first).Mul(r)
		limit = o.pairLimit(q, r)
	}
	return o.finish(paired(g.d, at, first*r.Mid(), second*r.Mid()), limit, true, "the two largest precisions share a budget; no other Σ does better")
}

// paired returns n precisions: first at index at, and second elsewhere.
func paired(n, at int, first, second float64) []float64 {
	p := uniform(n, second)
	p[at] = first
	return p
}

// pairOf returns the two largest precisions in units of the radius R, given their shares of the budget: p₁² + p₂² ≤ R²
// if Ψ = Σ, p₁ + p₂ ≤ R if Ψ = I.
func (o *optimizer) pairOf(share, rest float64) (first, second float64) {
	if o.recipe.Mode == Equimodal {
		return math.Sqrt(share), math.Sqrt(rest)
	}
	return share, rest
}

// pair returns the direction to prefer, its precision, and the precision of each other direction, which may be 0 for
// information.
func (o *optimizer) pair(radius float64) (at int, first, second float64, err error) {
	if o.goal.Objective == LeastError {
		at, first, second = o.pairByError()
		return at, first, second, nil
	}
	at, share := o.pairByInformation(radius)
	o.negligible = uniform(len(o.goal.Weights), 1e-20*radius)
	first, second = o.pairOf(share, 1-share)
	return at, first, second, o.ctx.Err()
}

// pairByError returns the pair with the least error. If the largest weight A exceeds the sum B of the others, p₁/p₂ is
// (A/B)^{1/2} for Ψ = I and (A/B)^{1/3} for Ψ = Σ. Otherwise p₁ = p₂.
func (o *optimizer) pairByError() (at int, first, second float64) {
	at = floats.MaxIdx(o.goal.Weights)
	b := 0.0 // summed directly: subtracting A from the total can cancel
	for i, w := range o.goal.Weights {
		if i != at {
			b += w
		}
	}
	k := 1.0 // p₂/p₁ for Ψ = I, its square for Ψ = Σ
	if a := o.goal.Weights[at]; a > b {
		power := 0.5
		if o.recipe.Mode == Equimodal {
			power = 2.0 / 3
		}
		k = math.Pow(b, power) / math.Pow(a, power) // b/a may underflow to 0
	}
	first, second = o.pairOf(1/(1+k), k/(1+k))
	return at, first, second
}

// pairByInformation returns the direction to prefer, and its share of the budget.
func (o *optimizer) pairByInformation(radius float64) (at int, share float64) {
	best := math.Inf(-1)
	for i := range o.goal.Weights {
		if o.ctx.Err() != nil {
			break // gram returns the context's error
		}
		gain := func(share float64) float64 {
			first, second := o.pairOf(share, 1-share)
			sum := 0.0
			for j, w := range o.goal.Weights {
				if j == i {
					sum += math.Log1p(w * radius * first)
				} else {
					sum += math.Log1p(w * radius * second)
				}
			}
			return sum
		}
		lo, hi := 0.5, 1.0 // the gain is concave along the arc
		for range 200 {
			a, b := lo+(hi-lo)*0.381966, lo+(hi-lo)*0.618034
			if gain(a) >= gain(b) {
				hi = b
			} else {
				lo = a
			}
		}
		if v := gain((lo + hi) / 2); v > best {
			best, at, share = v, i, (lo+hi)/2
		}
	}
	if share < 0.5+1e-9 {
		share = 0.5
	}
	return at, share
}

// pairError returns the least error. The larger weights should have the larger precisions. With A the largest
// weight, B the sum of the others and p₂ the second precision, it is the least A/p₁ + B/p₂ with p₁ ≥ p₂ within the
// budget. If A ≥ B, that is (√A + √B)²/R for Ψ = I and (A^⅔ + B^⅔)^{3/2}/R for Ψ = Σ; otherwise p₁ = p₂.
func (o *optimizer) pairError(r interval.Interval, at int) interval.Interval {
	weights := o.anySigma()
	a, b := weights[at], interval.Int(0)
	for i, w := range weights {
		if i != at {
			b = b.Add(w)
		}
	}
	var sum interval.Interval
	switch even := a.Less(b); {
	case o.recipe.Mode != Equimodal && even:
		sum = interval.Int(2).Mul(a.Add(b))
	case o.recipe.Mode != Equimodal:
		sum = square(a.Sqrt().Add(b.Sqrt()))
	case even:
		sum = interval.Int(2).Sqrt().Mul(a.Add(b))
	default:
		third := interval.Int(1).Quo(interval.Int(3))
		root := func(v interval.Interval) interval.Interval { return square(v.Log().Mul(third).Exp()) }
		c := root(a).Add(root(b))
		sum = c.Mul(c.Sqrt())
	}
	return o.error(sum.Quo(r))
}

// pairLimit bounds Σ ln(1 + λ_i p_i) over the budget R on the two largest precisions. At any q the sum is at most Σ
// ln(1 + λ_i q_i) + Σ g_i(p_i − q_i), where the g_i are the slopes at q. Also Σ g_i p_i ≤ g₁p₁ + (g₂ + …)p₂ for the
// largest slope g₁ and the two largest precisions p₁ ≥ p₂.
func (o *optimizer) pairLimit(q []interval.Interval, r interval.Interval) interval.Interval {
	one, two := interval.Int(1), interval.Int(2)
	back, top, sum := interval.Int(0), interval.Int(0), interval.Int(0)
	log := newLogTotal()
	for i, l := range o.anySigma() {
		v := l.Mul(q[i])
		g := l.Quo(one.Add(v))
		log.add(v)
		back = back.Add(g.Mul(q[i]))
		sum = sum.Add(g)
		top = interval.Max(top, g)
	}
	// The largest Σ g_i p_i is top·p₁ + rest·p₂ over p₁ ≥ p₂, for either order of top and rest.
	rest := sum.Sub(top)
	var support interval.Interval
	if o.recipe.Mode == Equimodal {
		if support = sum.Quo(two.Sqrt()); !top.Less(rest) {
			support = square(top).Add(square(rest)).Sqrt()
		}
	} else {
		support = interval.Max(top, sum.Quo(two))
	}
	return interval.Float(o.columns).Mul(log.sum().Add(support.Mul(r).Sub(back)))
}

// gramInformation bounds Σ_ij ln(1 + λ_i p_i q_j) over all Σ and Ψ. Take a basis in which every Q_ii is q = tr Q/d.
// If one record is added, P_ii q ≤ r² = (μ/kc²)². If one is replaced, (P_ii + P_jj)2q ≤ 2r², by summing over D =
// e_i e_iᵀ − e_j e_jᵀ and e_i e_jᵀ + e_j e_iᵀ. So q tr P ≤ dr², or dr²/2.
//
// The information is concave in Q's eigenvalues, hence at most d ln det(I + qK^{1/2}PK^{1/2}), and water-filling
// that budget bounds it. For equal λ_i isotropic noise attains the bound. The result is the best design with Ψ = I.
func (o *optimizer) gramInformation(g Gram, s interval.Interval) (*Optimum, error) {
	o.dropColumns()
	r := o.radius(s)
	p, budget := uniform(g.d, r.Mid()), r
	if g.replace && g.d > 1 {
		at, first, second, err := o.pair(r.Mid())
		if err != nil {
			return nil, err
		}
		p, budget = paired(g.d, at, first*r.Mid(), second*r.Mid()), r.Quo(interval.Int(2))
	}
	total := budget.Mul(interval.Int(int64(g.d)))
	if err := checkEigenvalues("weights", o.goal.Weights, 100); err != nil {
		return nil, err
	}
	w, err := Waterfill(o.goal.Weights, total.Mid(), L1)
	if err != nil {
		return nil, err
	}
	prices := slices.Repeat([]interval.Interval{w.price()}, g.d)
	gain, err := surplus(o.anySigma(), prices)
	if err != nil {
		return nil, err
	}
	limit := interval.Float(o.columns).Mul(gain.Add(prices[0].Mul(total)))
	return o.finish(p, limit, true,
		"the best with Ψ = I below, water-filling of the traces above: apart where the eigenvalues differ")
}
