package mvg

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"

	"gonum.org/v1/gonum/floats"
)

// Objective is what an optimal design is best at.
type Objective int

const (
	// LeastError minimises the expected squared error Σ_i w_i E‖(WᵀZ)_i‖², the
	// weights w being the importance of the directions: n Σ w_i/p_i for Ψ = I,
	// (Σ w_i/p_i)² for Ψ = Σ with the weights on both sides.
	LeastError Objective = iota
	// MostInformation maximises Σ ln(1 + λ_i p_i) = ln PNR for a signal with
	// eigenvalues λ_i in the directions (an m×m K_f): twice the mutual information
	// of a Gaussian column of f(X) with its release.
	MostInformation
)

// Goal is an objective with its weights: importances (nil is 1) or eigenvalues.
type Goal struct {
	Objective Objective
	Weights   []float64
}

// Optimum is the best design of the form Σ = W diag(1/p) Wᵀ under exact (ε, δ)
// for given directions W, with Ψ = I or Ψ = Σ.
type Optimum struct {
	Precisions []float64
	// Design is the mechanism; nil where a direction has p_i = 0, which means that
	// it is not released at all.
	Design *Design
	// Value encloses the optimum of the objective, between this design's value and
	// a bound that no design of the form (or, where Everywhere, no Gaussian noise
	// with that Ψ at all) can pass.
	Value      evidence.Certified
	Everywhere bool
	Method     string
}

// Optimal returns the design that reaches the goal best among those that are
// exactly (ε, δ)-private for the sensitivity set. The recipe's Theta is not used.
//
//   - Ball, and a Gram matrix with one record added or removed: only the largest
//     precision counts, so isotropic noise is optimal for every goal.
//   - A Gram matrix with a record replaced: the two largest count (p₁² + p₂², or
//     p₁ + p₂ where Ψ = I); a direction more important than all others together
//     gets more, the others the same.
//   - Box in its own axes: the budget Σ(2h_i)²p_i ≤ μ² is linear, so
//     p_i ∝ √w_i/(2h_i), or λ_i/(2h_i)² is water-filled. Averaging vᵀΣ⁻¹v over the
//     vertices shows that no other Σ does better.
//   - Box with other directions, and a list of differences: finitely many linear
//     constraints on p, met by a barrier method with the worst vertex added as it
//     appears; the Lagrange dual bounds the optimum.
//
// Errors wrap evidence.ErrParameter or are the context's.
func Optimal(ctx context.Context, s Sensitivity, eps evidence.Epsilon, goal Goal, r Recipe) (*Optimum, error) {
	m, n := s.Shape()
	r.Epsilon, r.Theta = eps.Value(), nil
	r, err := r.check(m, n)
	if err != nil {
		return nil, err
	}
	weights, err := goal.weights(m)
	if err != nil {
		return nil, err
	}
	goal.Weights = weights
	if r.Directions != nil {
		if _, err := orthonormal(r.Directions, m); err != nil {
			return nil, err
		}
	}
	mu, err := gaussian.Mu(eps, r.Delta)
	if err != nil {
		return nil, err
	}
	o := &optimizer{ctx: ctx, s: s, goal: goal, recipe: r, mu: mu, n: float64(n)}
	switch v := s.(type) {
	case Ball:
		return o.isotropic(v.s2, "isotropic: only the largest precision counts")
	case Gram:
		return o.gram(v)
	case Box:
		if r.Mode == Equimodal {
			return nil, fmt.Errorf("%w: the box moves one record, a column, so Ψ = I; equi-modal noise is for symmetric queries", evidence.ErrParameter)
		}
		if r.Directions == nil {
			return o.boxAxes(v)
		}
		return o.cut(o.boxOracle(v))
	case Differences:
		if r.Mode == Equimodal {
			return nil, fmt.Errorf("%w: the optimum for a list of differences is for Ψ = I", evidence.ErrParameter)
		}
		return o.cut(o.listOracle(v))
	}
	return nil, fmt.Errorf("%w: no optimum for %s", evidence.ErrParameter, s.Describe())
}

func (g Goal) weights(m int) ([]float64, error) {
	if g.Weights == nil {
		if g.Objective == MostInformation {
			return nil, fmt.Errorf("%w: information needs the signal's eigenvalues", evidence.ErrParameter)
		}
		g.Weights = make([]float64, m)
		for i := range g.Weights {
			g.Weights[i] = 1
		}
		return g.Weights, nil
	}
	if len(g.Weights) != m {
		return nil, fmt.Errorf("%w: %d weights, want one for each of %d directions", evidence.ErrParameter, len(g.Weights), m)
	}
	for i, w := range g.Weights {
		if !(w >= 0) || math.IsInf(w, 1) || (g.Objective == LeastError && w == 0) {
			return nil, fmt.Errorf("%w: weights[%d] = %g, want a positive finite number (an eigenvalue may be 0)", evidence.ErrParameter, i, w)
		}
	}
	if floats.Max(g.Weights) == 0 {
		return nil, fmt.Errorf("%w: every weight is 0", evidence.ErrParameter)
	}
	return g.Weights, nil
}

type optimizer struct {
	ctx    context.Context
	s      Sensitivity
	goal   Goal
	recipe Recipe
	mu     evidence.Certified
	n      float64
}

// value returns the objective at precisions p.
func (o *optimizer) value(p []float64) float64 {
	sum := 0.0
	for i, w := range o.goal.Weights {
		if o.goal.Objective == LeastError {
			sum += w / p[i]
		} else {
			sum += math.Log1p(w * p[i])
		}
	}
	if o.goal.Objective == LeastError {
		return o.error(sum)
	}
	return sum
}

// error turns Σ w_i/p_i into the expected squared error.
func (o *optimizer) error(sum float64) float64 {
	if o.recipe.Mode == Equimodal {
		return sum * sum
	}
	return o.n * sum
}

// finish scales p onto the private side and encloses the optimum between its
// value and limit, the value that no design passes.
func (o *optimizer) finish(p []float64, limit float64, everywhere bool, method string) (*Optimum, error) {
	out := &Optimum{Precisions: p, Everywhere: everywhere, Method: method}
	if floats.Min(p) > 0 {
		variances := make([]float64, len(p))
		for i, v := range p {
			variances[i] = 1 / v
		}
		eps, err := evidence.NewEpsilon("eps", o.recipe.Epsilon)
		if err != nil {
			return nil, err
		}
		d, err := o.recipe.scale(o.ctx, o.s, eps, variances)
		if err != nil {
			return nil, err
		}
		out.Design = d
		for i, v := range d.sigma.variances {
			p[i] = 1 / v
		}
	}
	reached := o.value(p)
	off := float64(len(p)+10) * 8 * unit
	lo, hi := reached*(1-off), limit*(1+off)
	if o.goal.Objective == LeastError {
		lo, hi = limit*(1-off), reached*(1+off)
	}
	out.Value = evidence.Certified{Lo: math.Min(lo, hi), Hi: math.Max(lo, hi), Method: method, Source: "optimal noise under exact (ε, δ)"}
	return out, nil
}

// uniform returns n precisions v.
func uniform(n int, v float64) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = v
	}
	return p
}

// isotropic: p_i ≤ (μ/s)² where Ψ = I, p_i ≤ μ/s where Ψ = Σ, and every
// objective gains from every p_i.
func (o *optimizer) isotropic(s float64, method string) (*Optimum, error) {
	top := func(mu float64) float64 {
		if o.recipe.Mode == Equimodal {
			return mu / s
		}
		return mu / s * (mu / s)
	}
	m := len(o.goal.Weights)
	return o.finish(uniform(m, top(o.mu.Lo)), o.value(uniform(m, top(o.mu.Hi))), true, method)
}

func (o *optimizer) gram(g Gram) (*Optimum, error) {
	s := g.scale * g.rowNorm * g.rowNorm
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
	// The golden section leaves a second-order error of at most 1e-12.
	limit := o.value(q)
	if o.goal.Objective == MostInformation {
		limit *= 1 + 1e-12
	}
	return o.finish(p, limit, false, "the two largest precisions share a budget; convex in the share")
}

func (o *optimizer) boxAxes(b Box) (*Optimum, error) {
	d := make([]float64, len(b.halfWidths))
	for i, h := range b.halfWidths {
		d[i] = 2 * h
	}
	if o.goal.Objective == MostInformation {
		squares := make([]float64, len(d))
		for i, v := range d {
			squares[i] = v * v
		}
		w, err := WaterfillWeighted(o.goal.Weights, squares, o.mu.Lo*o.mu.Lo)
		if err != nil {
			return nil, err
		}
		above, err := WaterfillWeighted(o.goal.Weights, squares, o.mu.Hi*o.mu.Hi)
		if err != nil {
			return nil, err
		}
		return o.finish(w.Precisions, above.Value.Hi, true, "water-filling of λ_i/(2h_i)²; no other Σ does better")
	}
	total := 0.0
	for i, w := range o.goal.Weights {
		total += math.Sqrt(w) * d[i]
	}
	p := make([]float64, len(d))
	for i, w := range o.goal.Weights {
		p[i] = o.mu.Lo * o.mu.Lo * math.Sqrt(w) / (d[i] * total)
	}
	return o.finish(p, o.error(total*total/(o.mu.Hi*o.mu.Hi)), true, "p_i ∝ √w_i/(2h_i); no other Σ does better (average over the vertices)")
}
