package mvg

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

func (o *optimizer) gram(g Gram) (*Optimum, error) {
	s := g.scale * g.rowNorm * g.rowNorm
	if o.recipe.Mode == Bimodal {
		if o.goal.Objective == MostInformation {
			return o.gramInformation(g)
		}
		// The set is symmetric, so with (P, Q) go (Q, P) and the middle of the geodesic
		// between them, where P = Q: no worse, and as private (geodesic.go).
		o.recipe.Mode = Equimodal
	}
	if !g.replace || g.d == 1 {
		return o.isotropic(s, "isotropic: only the largest precision counts")
	}
	// The two largest precisions share a radius: p₁² + p₂² ≤ (μ/s)² where Ψ = Σ,
	// p₁ + p₂ ≤ (μ/s)² where Ψ = I. At an angle, p₁ = R x, p₂ = R y.
	pair := func(mu, share float64) (first, second float64) {
		if o.recipe.Mode == Equimodal {
			return mu / s * math.Sqrt(share), mu / s * math.Sqrt(1-share)
		}
		r := mu / s * (mu / s)
		return r * share, r * (1 - share)
	}
	best, bestAt, bestShare := math.Inf(1), 0, 0.5
	for i := range o.goal.Weights {
		if err := o.ctx.Err(); err != nil {
			return nil, err
		}
		spread := func(share float64) []float64 {
			first, second := pair(o.mu.Lo, share)
			p := uniform(g.d, second)
			p[i] = first
			return p
		}
		loss := func(share float64) float64 {
			v := o.value(spread(share))
			if o.goal.Objective == MostInformation {
				return -v
			}
			return v
		}
		lo, hi := 0.5, 1.0 // the loss is convex along the arc
		for range 200 {
			a, b := lo+(hi-lo)*0.381966, lo+(hi-lo)*0.618034
			if loss(a) <= loss(b) {
				hi = b
			} else {
				lo = a
			}
		}
		if v := loss((lo + hi) / 2); v < best {
			best, bestAt, bestShare = v, i, (lo+hi)/2
		}
	}
	if o.goal.Objective == LeastError { // closed form: p₁/p₂ = (A/B)^{1/3} or (A/B)^{1/2}
		a := o.goal.Weights[bestAt]
		b := floats.Sum(o.goal.Weights) - a
		bestShare = 0.5
		if a > b && o.recipe.Mode == Equimodal {
			k := math.Pow(a/b, 2.0/3)
			bestShare = k / (1 + k)
		} else if a > b {
			k := math.Sqrt(a / b)
			bestShare = k / (1 + k)
		}
	} else if bestShare < 0.5+1e-9 {
		bestShare = 0.5
	}
	first, second := pair(o.mu.Lo, bestShare)
	p := uniform(g.d, second)
	p[bestAt] = first
	top, rest := pair(o.mu.Hi, bestShare)
	q := uniform(g.d, rest)
	q[bestAt] = top
	limit := o.value(q)
	if o.goal.Objective == MostInformation {
		limit = o.pairLimit(q)
	}
	return o.finish(p, limit, true, "the two largest precisions share a budget; no other Σ does better")
}

// pairLimit bounds Σ ln(1 + λ_i p_i) over the budget on the two largest precisions
// that q spends. It is at most Σ ln(1 + λ_i q_i) + Σ g_i(p_i − q_i), g the slopes at q,
// and Σ g_i p_i ≤ g₁p₁ + (g₂ + …)p₂ for g₁ the largest slope and p₁ ≥ p₂ the largest
// precisions.
func (o *optimizer) pairLimit(q []float64) float64 {
	value, back, top, sum := 0.0, 0.0, 0.0, 0.0
	first, second := 0.0, 0.0
	for i, l := range o.goal.Weights {
		g := l / (1 + l*q[i])
		value += math.Log1p(l * q[i])
		back += g * q[i]
		sum += g
		top = math.Max(top, g)
		if q[i] > first {
			first, second = q[i], first
		} else {
			second = math.Max(second, q[i])
		}
	}
	rest := sum - top
	var support float64
	if o.recipe.Mode == Equimodal {
		radius := math.Hypot(first, second)
		support = radius * sum / math.Sqrt2
		if top > rest {
			support = radius * math.Hypot(top, rest)
		}
	} else {
		support = (first + second) * math.Max(top, sum/2)
	}
	return o.columns * (value + math.Max(0, support-back))
}

// gramInformation bounds Σ_ij ln(1 + λ_i p_i q_j) over all Σ and Ψ. In a basis where
// every Q_ii is q = tr Q/d, one record added gives P_ii q ≤ r² = (μ/kc²)²; one record
// replaced, (P_ii + P_jj)2q ≤ 2r² by the sum over D = e_i e_iᵀ − e_j e_jᵀ and
// e_i e_jᵀ + e_j e_iᵀ. So q tr P ≤ dr², or dr²/2. The information is concave in Q's
// eigenvalues, hence at most d ln det(I + qK^{1/2}PK^{1/2}), and water-filling that
// budget bounds it; equal λ_i attain the bound with isotropic noise.
func (o *optimizer) gramInformation(g Gram) (*Optimum, error) {
	s := g.scale * g.rowNorm * g.rowNorm
	share := 1.0
	if g.replace && g.d > 1 {
		share = 2
	}
	o.dropColumns()
	budget := func(mu float64) float64 { return mu / s * (mu / s) / share }
	w, err := Waterfill(o.goal.Weights, float64(g.d)*budget(o.mu.Hi), L1)
	if err != nil {
		return nil, err
	}
	return o.finish(uniform(g.d, budget(o.mu.Lo)), o.columns*w.Value.Hi, true,
		"isotropic below, water-filling of the traces above: apart where the eigenvalues differ")
}
