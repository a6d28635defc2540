package continuous

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// The dominating pairs of a mechanism on the line are the output laws under the shift that is worst at every ε. This
// shift is Δ except for layered mechanisms. In a composition, mechanisms with one neighboring set and the worst shift Δ
// share their pairs. Layered mechanisms share theirs if they have the same set, radius and decay.

// Pairs implements privacy.Private: the pair is two Laplace laws whose centers are ε times their scale apart.
func (l *Laplace) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return named(l, privacy.ByEquality(l.neighbors), privacy.LaplacePairs("", laplaceSource, l.eps)), nil
}

// Pairs implements privacy.Private: the loss at k is ε₀(|k − n| − |k|)/n, on a lattice. It returns an error wrapping
// evidence.ErrParameter for more than 2¹⁶ steps.
func (g *Geometric) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	l, err := g.losses()
	if err != nil {
		return nil, err
	}
	return named(g, privacy.ByEquality(g.neighbors), privacy.SymmetricPair("", geometricSource, l)), nil
}

// Pairs implements privacy.Private: the loss at k is n(2k − n)/2σ², on an infinite lattice.
func (g *DiscreteGaussian) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	f, err := privacy.DiscreteGaussianPairs("", discreteGaussianSource, g.square, g.n)
	if err != nil {
		return nil, err
	}
	return named(g, privacy.ByEquality(g.neighbors), f), nil
}

// Pairs implements privacy.Private: two normal laws Δ/σ standard deviations apart. If only the sensitivity is known,
// they are the laws of any two neighbors.
func (g *Gaussian) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	f := named(g, privacy.ByEquality(g.query.set), privacy.NormalPairs("", gaussianSource, g.mu()))
	f.TranslationInvariant = g.query.anyQuery
	return f, nil
}

// Pairs implements privacy.Private: the loss is ε₀, 0 or −ε₀.
func (s *Staircase) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return named(s, privacy.ByEquality(s.neighbors), privacy.ThreePointPairs("", s.source, s.eps, s.grows())), nil
}

// Pairs implements privacy.Private: the loss is the decay, 0 or −decay, under the shift for which the layer grows with
// the largest probability, see worst.go. If this probability is known to fewer than 12 digits, the pairs are an upper
// bound.
func (m *Layered) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	grows, err := m.grows(ctx)
	if err != nil {
		return nil, err
	}
	return named(m, privacy.ByEquality(m), m.family(grows)), nil
}

// named sets the name, the universe and the single-use privacy of f to those of the mechanism.
func named(m Mechanism, scope privacy.Universe, f *privacy.DominatingPairs) *privacy.DominatingPairs {
	f.Name, f.Profile, f.Universe, f.SensitivityOnly = m.Name(), m.Privacy(), scope, !f.Bound
	return f
}

// Equal reports whether two layered mechanisms have the same neighboring set, radius and decay.
func (m *Layered) Equal(o *Layered) bool {
	return m == o || m.query.set.Equal(o.query.set) && m.radius.Cmp(o.radius) == 0 && m.decay.Equal(o.decay)
}

// family returns the worst pair of a layered mechanism whose layer grows with at most the given probability.
func (m *Layered) family(grows evidence.RatOrInterval) *privacy.DominatingPairs {
	const digits = 40 // bits
	if grows.Rational != nil || grows.Enclosure.Narrow(digits) {
		return privacy.ThreePointPairs(m.Name(), corollary5, m.decay, grows)
	}
	most := grows.Enclosure.Upper()
	if !most.Mul(rateOf(m.decay).z.Add(interval.Int(1))).Less(interval.Int(1)) { // no loss of 0 is left
		return privacy.PureDP(m.Name(), m.Privacy())
	}
	f := privacy.ThreePointPairs(m.Name(), corollary5, m.decay, evidence.RatOrInterval{Enclosure: most})
	f.Bound = true
	return f
}

// Pairs implements privacy.Private: the pair of randomized response with the mechanism's smallest ε, an upper bound.
func (k *KNorm) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return privacy.PureDP(k.Name(), k.Privacy()), nil
}

// losses returns the privacy losses under the largest shift, n steps.
func (g *Geometric) losses() (*privacy.DiscretePair, error) {
	const most = 1 << 16
	if g.n > most {
		return nil, parameter.Errorf("the sensitivity of the geometric mechanism is %d steps, want at most %d to compute its privacy loss distribution", g.n, most)
	}
	whole1 := whole(1)
	end := whole1.Quo(whole1.Add(g.w)) // k ≤ 0
	power := func(k int64) evidence.RatOrInterval {
		return decayed(g.w, g.eps, big.NewRat(1, 1), big.NewRat(g.n, 1), big.NewInt(k))
	}
	zero := interval.Int(0)
	atoms := []privacy.Atom{{P: end, Q: end.Mul(power(g.n)), Steps: g.n, Offset: zero}, {P: end.Mul(power(g.n)), Q: end, Steps: -g.n, Offset: zero}}
	for k := int64(1); k < g.n; k++ {
		middle := g.rest.Mul(end)
		atoms = append(atoms, privacy.Atom{P: power(k).Mul(middle), Q: power(g.n - k).Mul(middle), Steps: g.n - 2*k, Offset: zero})
	}
	none := evidence.ExactRat(new(big.Rat))
	return privacy.NewDiscretePair(atoms, none, none, g.eps.Ratio(1, g.n), privacy.Hooks{}), nil
}
