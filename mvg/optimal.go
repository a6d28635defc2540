package mvg

import (
	"context"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Objective is the quantity that an optimal design optimises.
type Objective int

const (
	// LeastError minimises the expected squared error Σ_i w_i E‖(WᵀZ)_i‖², the weights w being the importance of
	// the directions. It is n Σ w_i/p_i for Ψ = I, and (Σ w_i/p_i)² for Ψ = Σ with the weights on both sides.
	// Bimodal weighs the rows only, Σ w_i/p_i·tr Ψ, except that a Gram matrix has the weights on both sides.
	LeastError Objective = iota
	// MostInformation maximises Σ ln(1 + λ_i p_i) = ln PNR for a signal with eigenvalues λ_i in the directions (an
	// m×m K_f). This is twice the mutual information of a Gaussian column of f(X) with its release. Bimodal counts
	// all columns, Σ_ij ln(1 + λ_i p_i q_j), for independent columns with that covariance.
	MostInformation
)

// Goal is an objective with its weights: importances (nil means 1 for each) or eigenvalues.
type Goal struct {
	Objective Objective
	Weights   []float64
}

// Optimum is the best design that Optimal found, with a bound on all others.
type Optimum struct {
	// Precisions are 1/σ_i(Σ), in the order of Directions.
	Precisions []float64
	Directions mat.Matrix // of Σ, as columns; nil is the standard basis
	// Design is the mechanism. It is nil if a direction has p_i = 0, which means that it is not released at all.
	Design *Design
	// Value encloses the optimum of the objective between this design's value and a bound on all designs of the same
	// form: Σ with the given directions and the mode's Ψ. If Everywhere, the bound holds for any Σ with that Ψ, or any
	// Σ and Ψ for Bimodal. The ends agree up to rounding unless the method says otherwise.
	Value      evidence.Certified
	Everywhere bool
	Method     string
}

// Optimal returns the design with the best objective among those that are exactly (ε, δ)-private for the sensitivity
// set. r.Theta is not used. r.Directions are those of the weights and, unless r.FreeAxes, of Σ. Unimodal, Equimodal or
// Bimodal noise has Ψ = I, Ψ = Σ or any Ψ.
//
//   - Ball, and a Gram matrix with one record added or removed: only the largest precision counts, so isotropic noise
//     is optimal for every objective.
//   - A Gram matrix with a record replaced: the two largest precisions count (p₁² + p₂², or p₁ + p₂ if Ψ = I). A
//     direction more important than all others together gets more, the others get equal precision.
//   - Box in its own axes: the budget Σ(2h_i)²p_i ≤ μ² is linear. So p_i ∝ √w_i/(2h_i), or λ_i/(2h_i)² is
//     water-filled. Averaging vᵀΣ⁻¹v over the vertices shows that no other Σ is better. No other Ψ is better either:
//     only max_j (Ψ⁻¹)_jj counts.
//   - Box with other directions, and a list of differences, with Ψ = I and given directions: finitely many linear
//     constraints on p. A barrier method solves them and adds the most violated vertex; the Lagrange dual bounds the
//     optimum. With FreeAxes the constraints are linear in Σ⁻¹, and a barrier method solves them as well.
//   - Least error for a box or a list with another Ψ: convex along geodesics (geodesic.go), solved to the global
//     optimum with its lower bound.
//   - Information for Equimodal noise is not concave. For a box it is concave at each size of the largest entry of
//     Σ⁻¹, and all sizes are bounded at once: the ends meet. A list is refused: no method solves all lists in
//     polynomial time, unless P = NP.
//   - Information for Bimodal lists and Bimodal Gram matrices is not concave. The result is a design and a bound that
//     may differ; the method says so. For Bimodal lists the bound covers every Ψ, with Σ in the given directions.
//     There is no bound if some column direction is not touched by any difference in a row that has a signal.
//
// Bounds are evaluated in 256-bit intervals from the given differences, weights and directions, independently of
// the search. Values are those of covariances that are proven private.
//
// An error wraps evidence.ErrParameter or is the context's error.
func Optimal(ctx context.Context, s Sensitivity, goal Goal, r Params) (*Optimum, error) {
	if err := r.Epsilon.Positive("eps"); err != nil {
		return nil, err
	}
	switch s.(type) {
	case Ball, Gram, Box, Differences:
	default:
		return nil, parameter.Errorf("no optimum for a sensitivity set of type %T", s)
	}
	m, n := s.Shape()
	if err := checkShape(m, n); err != nil { // an empty list, for example, has no shape
		return nil, err
	}
	if goal.Objective != LeastError && goal.Objective != MostInformation {
		return nil, parameter.Errorf("objective %d, want %d for the least error or %d for the most information", goal.Objective, LeastError, MostInformation)
	}
	_, box := s.(Box)
	if !(r.LeastShare >= 0 && r.LeastShare < 1) || r.LeastShare > 0 && !(box && goal.Objective == MostInformation && r.Directions == nil && r.Mode != Equimodal) {
		return nil, parameter.Bad("least_share", r.LeastShare, "0, or a number from 0 to below 1 for information on a box in its own axes")
	}
	r.Theta = nil
	r, err := r.check(m, n)
	if err != nil {
		return nil, err
	}
	weights, err := goal.weights(m)
	if err != nil {
		return nil, err
	}
	goal.Weights = weights
	f, err := givenBasis(r.Directions, weights)
	if err != nil {
		return nil, err
	}
	mu, err := gaussian.Mu(r.Epsilon, r.Delta)
	if err != nil {
		return nil, err
	}
	parallel.Report(ctx, 0, 0, "")
	o := &optimizer{ctx: ctx, s: s, goal: goal, recipe: r, basis: f, mu: mu, n: float64(n), columns: 1}
	out, err := o.solve()
	if err != nil {
		return nil, err
	}
	if out.Design != nil {
		out.Design.claim(r.Epsilon, askedFor)
	}
	return out, nil
}

// solve dispatches on the kind of the sensitivity set.
func (o *optimizer) solve() (*Optimum, error) {
	switch v := o.s.(type) {
	case Ball:
		// p₁q₁ ≤ (μ/s₂)² is the only constraint, so Ψ = I loses nothing.
		o.dropColumns()
		return o.isotropic(interval.Float(v.s2), "isotropic: only the largest precision counts")
	case Gram:
		return o.gram(v)
	case Box:
		return o.box(v)
	case Differences:
		return o.differences(v)
	}
	return nil, parameter.Errorf("no optimum for %s", o.s.Describe())
}

func (g Goal) weights(m int) ([]float64, error) {
	if g.Weights == nil {
		if g.Objective == MostInformation {
			return nil, parameter.Errorf("weights are missing, want the signal's eigenvalues for the most information")
		}
		return uniform(m, 1), nil
	}
	if len(g.Weights) != m {
		return nil, parameter.Errorf("%d weights, want one for each of %d directions", len(g.Weights), m)
	}
	for i, w := range g.Weights {
		if !(w >= 0) || math.IsInf(w, 1) || (g.Objective == LeastError && w == 0) {
			return nil, parameter.Errorf("weights[%d] = %g, want a positive finite number (an eigenvalue may be 0)", i, w)
		}
	}
	if floats.Max(g.Weights) == 0 {
		return nil, parameter.Errorf("every weight is 0, want a positive one")
	}
	return g.Weights, nil
}

type optimizer struct {
	ctx    context.Context
	s      Sensitivity
	goal   Goal
	recipe Params
	basis  *basis
	mu     evidence.Certified
	n      float64
	// number of columns that the information counts: 1, or n for Bimodal
	columns float64
	// precisions so small that they cost nothing, used instead of 0
	negligible []float64
}

// dropColumns turns a bi-modal problem into one with Ψ = I.
func (o *optimizer) dropColumns() {
	if o.recipe.Mode == Bimodal {
		o.recipe.Mode, o.columns = Unimodal, o.n
	}
}

// anySigma returns the weights for a bound over all Σ that depends only on the eigenvalues of K = W diag(w) Wᵀ. These
// are w_i times numbers between the eigenvalues of WᵀW (Ostrowski). A bound on an error uses the smallest such number,
// a bound on information the largest.
func (o *optimizer) anySigma() []interval.Interval {
	if o.basis.w == nil {
		return o.basis.weights
	}
	factor := interval.Float(o.basis.most)
	if o.goal.Objective == LeastError {
		factor = interval.Float(o.basis.least)
	}
	return lists.Each(o.basis.weights, factor.Mul)
}

// value returns the objective at precisions p for weights w.
func (o *optimizer) value(w, p []interval.Interval) interval.Interval {
	sum := interval.Int(0)
	log := newLogTotal()
	for i, v := range w {
		if o.goal.Objective == LeastError {
			sum = sum.Add(v.Quo(p[i]))
		} else {
			log.add(v.Mul(p[i]))
		}
	}
	if o.goal.Objective == LeastError {
		return o.error(sum)
	}
	return interval.Float(o.columns).Mul(log.sum())
}

// radius returns the largest precision that a sensitivity s allows if only that precision counts: p ≤ (μ/s)² for Ψ
// = I, p ≤ μ/s for Ψ = Σ. It uses the upper end of μ.
func (o *optimizer) radius(s interval.Interval) interval.Interval {
	r := interval.Float(o.mu.Hi).Quo(s)
	if o.recipe.Mode == Equimodal {
		return r
	}
	return square(r)
}

// isotropic returns isotropic noise. It is optimal if only the largest precision counts, because every objective
// improves with every p_i.
func (o *optimizer) isotropic(s interval.Interval, method string) (*Optimum, error) {
	m := len(o.goal.Weights)
	r := o.radius(s)
	return o.finish(uniform(m, r.Mid()), o.value(o.anySigma(), slices.Repeat([]interval.Interval{r}, m)), true, method)
}
