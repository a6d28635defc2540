package mvg

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Mode tells which side of the noise has a covariance other than I.
type Mode int

// Unimodal noise has Ψ = I (Algorithm 1), equi-modal noise Ψ = Σ (Algorithm 2). Bi-modal noise has any Σ and any Ψ;
// only Optimal accepts it.
const (
	Unimodal Mode = iota
	Equimodal
	Bimodal
)

// Params holds the parameters of Algorithms 1 and 2.
type Params struct {
	Epsilon    evidence.Epsilon // positive
	Delta      evidence.Delta   // positive
	Theta      []float64        // precision allocation; nil is uniform
	Directions mat.Matrix       // columns; nil is the standard basis
	Mode       Mode
	FreeAxes   bool // Optimal may choose other directions for Σ
	// LeastShare is the part of the budget that Optimal divides evenly between all directions before it allocates the
	// rest, 0 ≤ LeastShare < 1. If it is positive, every direction is released. Optimal accepts a positive share only
	// when it maximises the information on a box in the box's own axes.
	LeastShare float64
}

// check validates the parameters for an m×n query and fills in their defaults.
func (r Params) check(m, n int) (Params, error) {
	if err := cmp.Or(r.Epsilon.Positive("eps"), r.Delta.Positive("delta")); err != nil {
		return r, err
	}
	if r.Mode < Unimodal || r.Mode > Bimodal {
		return r, parameter.Errorf("mode %d, want 0 to %d", r.Mode, Bimodal)
	}
	if r.Mode == Equimodal && m != n {
		return r, parameter.Errorf("equi-modal noise needs a square query, not %d×%d", m, n)
	}
	if r.Theta == nil {
		r.Theta = uniform(m, 1/float64(m))
		return r, nil
	}
	if len(r.Theta) != m {
		return r, parameter.Errorf("theta has %d entries, want %d", len(r.Theta), m)
	}
	sum := 0.0
	for i, t := range r.Theta {
		if !(t > 0) {
			return r, parameter.Errorf("theta[%d] = %g, want a positive number: every direction needs noise", i, t)
		}
		sum += t
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return r, parameter.Errorf("theta sums to %.12g, want 1", sum)
	}
	return r, nil
}

// BinaryTheta returns the binary allocation of Section 8.1.3. The important directions share the fraction tau of the
// budget equally, and the others share the rest equally. It returns an error wrapping evidence.ErrParameter unless 0 <
// tau < 1 and some but not all of the m directions are important, each named once.
func BinaryTheta(m int, important []int, tau float64) ([]float64, error) {
	if !(tau > 0 && tau < 1) {
		return nil, parameter.Bad("tau", tau, "0 < tau < 1")
	}
	if m > maxOrder {
		return nil, parameter.Bad("m", m, "at most %d", maxOrder)
	}
	k := len(important)
	if k == 0 || k >= m {
		return nil, parameter.Errorf("%d of %d directions are important, want some but not all", k, m)
	}
	theta := uniform(m, (1-tau)/float64(m-k))
	seen := map[int]bool{}
	for _, i := range important {
		if i < 0 || i >= m || seen[i] {
			return nil, parameter.Errorf("important direction %d, want distinct numbers from 0 to %d", i, m-1)
		}
		seen[i] = true
		theta[i] = tau / float64(k)
	}
	return theta, nil
}

// Claim is a design made by a published algorithm, with the intermediate quantities.
type Claim struct {
	*Design
	Constants       Constants
	PrecisionBudget evidence.Claimed // bound on Σ p_i²
	Theorem         Theorem
}

// NewClaim runs Algorithm 1 (unimodal) or 2 (equi-modal) under a theorem's
// precision budget P: p_i² = θ_i P, σ_i(Σ) = 1/√(θ_i P). Errors wrap
// evidence.ErrParameter.
func NewClaim(ctx context.Context, s Sensitivity, theorem Theorem, reading Zeta, r Params) (*Claim, error) {
	m, n, err := shapeOf(s)
	if err != nil {
		return nil, err
	}
	if r, err = r.check(m, n); err != nil {
		return nil, err
	}
	gamma, ok := s.Gamma()
	if !ok {
		return nil, parameter.Errorf("%s do not bound ‖f(X)‖; Theorems 2 and 3 need γ, so declare it with an L2 sensitivity", s.Describe())
	}
	if theorem == Theorem3 {
		if err := allowsTheorem3(s, r.Mode); err != nil {
			return nil, err
		}
	}
	c, err := Published(Premises{
		Theorem: theorem, Zeta: reading, Rows: m, Columns: n,
		Gamma: gamma.Float(), S2: s.Frobenius().Float(), Epsilon: r.Epsilon, Delta: r.Delta,
	})
	if err != nil {
		return nil, err
	}
	budget := c.UnimodalBudget(n)
	if r.Mode == Equimodal {
		budget = c.EquimodalBudget()
	}
	if !(budget > 0 && budget <= math.MaxFloat64) {
		return nil, parameter.Errorf("at gamma = %g, s2 = %g, eps = %v and delta = %v the theorem's precision budget is %g, want a positive finite number: rescale the query", gamma.Float(), s.Frobenius().Float(), r.Epsilon, r.Delta, budget)
	}
	variances := lists.Each(r.Theta, func(t float64) float64 { return 1 / math.Sqrt(t*budget) })
	d, err := r.design(ctx, s, variances)
	if err != nil {
		return nil, err
	}
	d.claim(r.Epsilon, fmt.Sprintf("%s, Theorem %d", Paper, theorem))
	return &Claim{d, c, evidence.Claimed{Value: budget, Provenance: evidence.From(Paper + ", Theorems 5 and 6")}, theorem}, nil
}

// allowsTheorem3 checks the hypotheses of Theorem 3: a symmetric positive
// semi-definite query and Ψ = Σ.
func allowsTheorem3(s Sensitivity, mode Mode) error {
	if mode != Equimodal {
		return parameter.Errorf("Theorem 3 sets Ψ = Σ, so it needs equi-modal noise")
	}
	switch v := s.(type) {
	case Gram:
		return nil
	case Ball:
		if v.psd {
			return nil
		}
	}
	return parameter.Errorf("Theorem 3 needs a symmetric positive semi-definite query")
}

// design returns the design with the given variances in the given directions.
func (r Params) design(ctx context.Context, s Sensitivity, variances []float64) (*Design, error) {
	if r.Mode == Bimodal {
		return nil, parameter.Errorf("bi-modal noise needs two covariances, and these parameters give one")
	}
	sigma, err := NewDirectional(variances, r.Directions)
	if err != nil {
		return nil, err
	}
	psi := sigma
	if r.Mode == Unimodal {
		_, n := s.Shape()
		psi = unitNoise(n)
	}
	return NewDesign(ctx, s, sigma, psi)
}

// NewTight returns the design Σ ∝ W diag(θ_i^{−1/2}) Wᵀ, scaled until it meets the exact (ε, δ) condition with
// equality. Rounding falls on the private side. Errors wrap evidence.ErrParameter.
func NewTight(ctx context.Context, s Sensitivity, r Params) (*Design, error) {
	m, n, err := shapeOf(s)
	if err != nil {
		return nil, err
	}
	if r, err = r.check(m, n); err != nil {
		return nil, err
	}
	variances := lists.Each(r.Theta, func(t float64) float64 { return 1 / math.Sqrt(t*float64(m)) })
	mu, err := gaussian.Mu(r.Epsilon, r.Delta)
	if err != nil {
		return nil, err
	}
	d, err := r.scale(ctx, s, variances, mu.Lo)
	if err != nil {
		return nil, err
	}
	d.claim(r.Epsilon, askedFor)
	return d, nil
}

// scale returns the design with the variances multiplied by a number such that the largest whitened sensitivity is at
// most μ, and smaller only by rounding. Variances are rounded, and with given directions so are the entries of the
// covariance. The latter changes the inverse by up to the condition number times a rounding, differently at each scale.
// So scale takes the best of several rounds, and doubles the margin after each failure.
func (r Params) scale(ctx context.Context, s Sensitivity, variances []float64, mu float64) (*Design, error) {
	const rounds, close = 6, 1 - 1e-13
	d, err := r.design(ctx, s, variances)
	if err != nil {
		return nil, err
	}
	// The whitened norm is proportional to 1/scale if Ψ = Σ, and to 1/√scale if Ψ = I.
	var best *Design
	scale, slack, reached := 1.0, 0.0, 0.0
	for round := 0; best == nil || round < rounds && reached < mu*close; round++ {
		k := d.norm.hi / (mu * (1 - slack))
		if r.Mode == Unimodal {
			k *= k
		}
		scale *= k
		scaled := append([]float64(nil), variances...)
		for i := range scaled {
			scaled[i] *= scale
		}
		if least, most := floats.Min(scaled), floats.Max(scaled); !(least > 0 && most <= math.MaxFloat64) {
			return nil, parameter.Errorf("at eps = %v and delta = %v the variances would be from %g to %g, want positive finite numbers: rescale the query", r.Epsilon, r.Delta, least, most)
		}
		if d, err = r.design(ctx, s, scaled); err != nil {
			return nil, err
		}
		if norm := d.norm.hi; norm > mu {
			slack = 2*slack + 4*unit
		} else if norm > reached {
			best, reached = d, norm
		}
	}
	return best, nil
}
