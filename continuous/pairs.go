package continuous

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Pairs returns the pairs of laws that m gives neighbors: that of the shift which reveals most at every ε,
// Δ but for layered mechanisms. Uses of mechanisms of one neighboring set whose worst shift is Δ share it, and so do
// uses of layered mechanisms with the same set, radius and decay.
//
//   - Laplace: two Laplace laws ε scales apart.
//   - Geometric: the loss at k is ε₀(|k − n| − |k|)/n, on a lattice.
//   - DiscreteGaussian: the loss at k is n(2k − n)/2σ², on a lattice without ends.
//   - Staircase, also the integer one: the loss is ε₀, 0 or −ε₀.
//   - Layered: the loss is the decay, 0 or −decay under the shift of V under which it grows most often, see worst.go.
//     Where that is not known to 12 digits, its upper end: a bound.
//   - One that says whose law it has, by a method Law() Mechanism, as those of discretize do: that one's.
//   - Others: an upper bound by randomized response at the smallest ε.
//
// It returns an error wrapping evidence.ErrParameter for a geometric mechanism of more than 2¹⁶ steps, and
// ctx's error.
func Pairs(ctx context.Context, m Mechanism) (*privacy.Family, error) {
	var f *privacy.Family
	scope := privacy.Only(m)
	switch m := m.(type) {
	case *Laplace:
		scope, f = privacy.Of(m.neighbors), privacy.LaplaceFamily(m.Name(), laplaceSource, m.eps)
	case *Geometric:
		l, err := m.losses()
		if err != nil {
			return nil, err
		}
		scope, f = privacy.Of(m.neighbors), privacy.LatticeFamily(m.Name(), geometricSource, l)
	case *DiscreteGaussian:
		scope = privacy.Of(m.neighbors)
		var err error
		if f, err = privacy.DiscreteGaussianFamily(m.Name(), discreteGaussianSource, m.square, m.n); err != nil {
			return nil, err
		}
	case *Staircase:
		scope, f = privacy.Of(m.neighbors), privacy.StepFamily(m.Name(), m.source, m.eps, m.grows())
	case *IntegerStaircase:
		scope, f = privacy.Of(m.neighbors), privacy.StepFamily(m.Name(), staircaseSource, m.eps, m.grows())
	case *Layered:
		grows, err := m.grows(ctx)
		if err != nil {
			return nil, err
		}
		scope, f = privacy.Of(m), m.family(grows)
	case interface{ Law() Mechanism }:
		var err error
		if f, err = Pairs(ctx, m.Law()); err != nil {
			return nil, err
		}
		scope = f.Scope
	default:
		f = privacy.Bounded(m.Name(), m.Privacy())
	}
	f.Name, f.Curve, f.Scope = m.Name(), m.Privacy(), scope
	return f, nil
}

// Equal reports whether two layered mechanisms have the same neighboring set, radius and decay.
func (m *Layered) Equal(o *Layered) bool {
	return m == o || m.query.set.Equal(o.query.set) && m.radius.Cmp(o.radius) == 0 && m.decay.Equal(o.decay)
}

// family returns the worst pair of a layered mechanism, whose layer grows with at most the given chance.
func (m *Layered) family(grows evidence.Amount) *privacy.Family {
	const digits = 40 // bits
	if grows.Rational != nil || grows.Enclosure.Narrow(digits) {
		return privacy.StepFamily(m.Name(), corollary5, m.decay, grows)
	}
	most := grows.Enclosure.Upper()
	if !most.Mul(rateOf(m.decay).z.Add(interval.Int(1))).Less(interval.Int(1)) { // no loss of 0 is left
		return privacy.Bounded(m.Name(), m.Privacy())
	}
	f := privacy.StepFamily(m.Name(), corollary5, m.decay, evidence.Amount{Enclosure: most})
	f.Bound = true
	return f
}

// Pairs returns what the smallest ε of the mechanism tells, an upper bound: the pair of randomized response.
func (k *KNorm) Pairs() *privacy.Family {
	return privacy.Bounded(k.Name(), k.Privacy())
}

// losses returns the laws under the shift n, the largest, through their loss.
func (g *Geometric) losses() (*privacy.Losses, error) {
	const most = 1 << 16
	if g.n > most {
		return nil, parameter.Errorf("a geometric mechanism of %d steps, want at most %d for the law of its losses", g.n, most)
	}
	whole1 := whole(1)
	end := whole1.Quo(whole1.Add(g.w)) // k ≤ 0
	power := func(k int64) evidence.Amount {
		return decayed(g.w, g.eps, big.NewRat(1, 1), big.NewRat(g.n, 1), big.NewInt(k))
	}
	zero := interval.Int(0)
	atoms := []privacy.Atom{{P: end, Q: end.Mul(power(g.n)), Steps: g.n, Rest: zero}, {P: end.Mul(power(g.n)), Q: end, Steps: -g.n, Rest: zero}}
	for k := int64(1); k < g.n; k++ {
		middle := g.rest.Mul(end)
		atoms = append(atoms, privacy.Atom{P: power(k).Mul(middle), Q: power(g.n - k).Mul(middle), Steps: g.n - 2*k, Rest: zero})
	}
	none := evidence.RationalAmount(new(big.Rat))
	return privacy.NewLosses(atoms, none, none, g.eps.Ratio(1, g.n), privacy.Hooks{}), nil
}
