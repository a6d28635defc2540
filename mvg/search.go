package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Search parametrises designs for a numerical minimisation of any objective: Σ⁻¹ ∝ L exp(S) Lᵀ, where LLᵀ is the
// precision of the start. S is symmetric, or diagonal if the directions are given. Each design is scaled until it
// meets the exact (ε, δ). A change of the rows' units changes the start but not S.
type Search struct {
	start  *Design
	filled *Optimum
	o      *optimizer
	fill   Goal
	w      mat.Matrix // the W of L = W diag(√p)
	p      []float64
}

const (
	// A coordinate t in [-1, 1] gives the entry reach·sinh(bend·t)/sinh(bend) of S on the diagonal: a factor of e^7 on
	// a precision at the ends and of 1.8 at a half. Off the diagonal, the entry is turn times this number. The
	// constants were chosen on boxes of 2 to 6 rows, where the optimum is known.
	reach, bend, turn = 7.0, 5.0, 0.5
	// kept is the fraction of the isotropic precision that the start gives to every direction that water-filling
	// does not release.
	kept = 0.01
)

// NewSearch returns the search for a sensitivity set. It starts from water-filling, the optimum of MostInformation for
// a signal with these eigenvalues in the directions of r. nil means a signal far above the noise, for which all
// directions get equal parts of the budget. If Optimal has no solution for a list of differences, such as with Ψ = Σ,
// it starts from isotropic noise. r.Mode is Unimodal or Equimodal; r.FreeAxes lets the directions of Σ vary. Errors
// are those of Optimal.
func NewSearch(ctx context.Context, s Sensitivity, r Params, eigenvalues []float64) (*Search, error) {
	r.Theta, r.LeastShare = nil, 0
	given := r
	given.FreeAxes = false
	isotropic, err := NewTight(ctx, s, given)
	if err != nil {
		return nil, err
	}
	precision := 1 / isotropic.sigma.Variances()[0]
	m, n := s.Shape()
	out := &Search{fill: Goal{MostInformation, eigenvalues}, w: r.Directions, p: uniform(m, precision)}
	if eigenvalues == nil {
		out.fill.Weights = uniform(m, 1e10/precision)
	}
	mu, err := gaussian.Mu(r.Epsilon, r.Delta)
	if err != nil {
		return nil, err
	}
	out.o = &optimizer{ctx: ctx, s: s, recipe: r, mu: mu, n: float64(n), columns: 1}
	if _, err := out.fill.weights(m); err != nil {
		return nil, err
	}
	out.filled, err = Optimal(ctx, s, out.fill, given)
	if _, listed := s.(Differences); listed && errors.Is(err, evidence.ErrParameter) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if out.filled != nil {
		out.w, out.p = out.filled.Directions, out.filled.Precisions
		if out.filled.Design == nil {
			out.p = lists.Each(out.p, func(p float64) float64 { return p + kept*precision })
		}
	}
	out.start, err = out.Design(ctx, make([]float64, len(out.Parameters())))
	return out, err
}

// Start returns the design at coordinates 0. It is water-filling's design, or close to it if water-filling does not
// release some direction.
func (s *Search) Start() *Design { return s.start }

// Waterfilling returns the optimum from which the search starts; ok is false if there is none.
func (s *Search) Waterfilling() (o *Optimum, ok bool) { return s.filled, s.filled != nil }

// Parameters returns the names of the coordinates: precision_i for an entry S_ii, turn_i_j
// for an entry S_ij.
func (s *Search) Parameters() []string {
	m := len(s.p)
	names := lists.Of(m, func(i int) string { return fmt.Sprintf("precision_%d", i) })
	for i := range m {
		for j := i + 1; j < m && s.o.recipe.FreeAxes; j++ {
			names = append(names, fmt.Sprintf("turn_%d_%d", i, j))
		}
	}
	return names
}

// Design returns the design at coordinates in [-1, 1], in the order of Parameters. Its largest whitened difference
// is just below what the exact (ε, δ) allows.
func (s *Search) Design(ctx context.Context, at []float64) (*Design, error) {
	m := len(s.p)
	if m == 0 || len(at) != len(s.Parameters()) {
		return nil, parameter.Errorf("%d coordinates, want one for each of the %d parameters of a search", len(at), len(s.Parameters()))
	}
	entries := lists.Each(at, func(t float64) float64 { return reach * math.Sinh(bend*t) / math.Sinh(bend) })
	o := *s.o
	o.ctx = ctx
	sigma, err := s.shape(entries[:m], entries[m:])
	if err != nil {
		return nil, err
	}
	d, err := o.scaled(func(k float64) (Covariance, Covariance, error) {
		c, err := sigma(k)
		if err != nil || o.recipe.Mode == Equimodal {
			return c, c, err
		}
		return c, unitNoise(int(o.n)), nil
	})
	if err == nil {
		d.claim(o.recipe.Epsilon, askedFor)
	}
	return d, err
}

// shape returns a function that returns k·Σ, given the diagonal of S and the entries above it, row by row.
func (s *Search) shape(diagonal, turns []float64) (func(k float64) (Covariance, error), error) {
	m := len(s.p)
	if len(turns) == 0 {
		v := lists.Of(m, func(i int) float64 { return math.Exp(-diagonal[i]) / s.p[i] })
		return func(k float64) (Covariance, error) {
			scaled := append([]float64(nil), v...)
			floats.Scale(k, scaled)
			return NewDirectional(scaled, s.w)
		}, nil
	}
	inner := mat.NewSymDense(m, nil)
	for i := range m {
		inner.SetSym(i, i, diagonal[i])
		for j := i + 1; j < m; j++ {
			inner.SetSym(i, j, turn*turns[0])
			turns = turns[1:]
		}
	}
	values, directions, err := spectral(inner)
	if err != nil {
		return nil, err
	}
	// Σ = AAᵀ with A = L⁻ᵀ V exp(−Λ/2), S = VΛVᵀ.
	a := mat.DenseCopyOf(directions)
	for i := range m {
		for j := range m {
			a.Set(i, j, a.At(i, j)*math.Exp(-values[j]/2)/math.Sqrt(s.p[i]))
		}
	}
	if s.w != nil {
		a.Mul(s.w, mat.DenseCopyOf(a))
	}
	var product mat.Dense
	product.Mul(a, a.T())
	sigma := symmetric.Symmetrized(&product)
	return func(k float64) (Covariance, error) {
		scaled := mat.NewSymDense(m, nil)
		scaled.ScaleSym(k, sigma)
		return NewDense(scaled)
	}, nil
}

// agreement is the relative tolerance at which an objective is recognised as a known goal.
const agreement = 1e-9

// Optimum returns the certified minimum, over all designs of the search, of a known goal that the objective agrees
// with. The objective must agree to 1e-9 at all designs given. The goals are the expected squared error of all
// elements, its mean over the elements, the root of this mean, and −ln PNR or −½ ln PNR of the signal. ok is false if
// the objective agrees with no goal, the optimum of the goal is unknown, or there are fewer than ten designs.
func (s *Search) Optimum(ctx context.Context, designs []*Design, values []float64) (least evidence.Certified, ok bool, err error) {
	if len(designs) < 10 {
		return least, false, nil
	}
	m, r := len(s.p), s.o.recipe
	elements := interval.Int(int64(m)).Mul(interval.Float(s.o.n))
	type candidate struct {
		goal Goal
		of   func(v interval.Interval) interval.Interval
	}
	errorGoal := Goal{LeastError, uniform(m, 1)}
	for _, g := range []candidate{
		{errorGoal, func(v interval.Interval) interval.Interval { return v }},
		{errorGoal, func(v interval.Interval) interval.Interval { return v.Quo(elements) }},
		{errorGoal, func(v interval.Interval) interval.Interval { return v.Quo(elements).Sqrt() }},
		{s.fill, interval.Interval.Neg},
		{s.fill, func(v interval.Interval) interval.Interval { return v.Quo(interval.Int(-2)) }},
	} {
		o := *s.o
		o.ctx, o.goal = ctx, g.goal
		if o.basis, err = givenBasis(r.Directions, g.goal.Weights); err != nil {
			return least, false, err
		}
		agrees := true
		for i := 0; i < len(designs) && agrees; i++ {
			v, err := o.reachedBy(designs[i])
			if err != nil {
				return least, false, err
			}
			want := g.of(v).Mid()
			agrees = math.Abs(values[i]-want) <= agreement*math.Abs(want)
		}
		if !agrees {
			continue
		}
		best, err := Optimal(ctx, s.o.s, g.goal, r)
		if errors.Is(err, evidence.ErrParameter) || err == nil && r.FreeAxes && !best.Everywhere {
			return least, false, nil
		}
		if err != nil {
			return least, false, err
		}
		return evidence.Enclosed(g.of(interval.Between(best.Value.Lo, best.Value.Hi)), best.Value.Method, best.Value.Source), true, nil
	}
	return least, false, nil
}
