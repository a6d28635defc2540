package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Known returns the pairs of a mechanism of which it is known that it is (ε, δ)-private and
// nothing besides: the most revealing one that is, with an infinite loss of chance δ and
// randomized response of ε elsewhere (Kairouz, Oh and Viswanath 2015). It returns an error wrapping
// evidence.ErrParameter unless 0 ≤ δ ≤ 1.
func Known(eps evidence.Epsilon, delta *big.Rat) (*Family, error) {
	if delta.Sign() < 0 || delta.Cmp(one) > 0 {
		return nil, parameter.Bad("delta", delta, "0 <= delta <= 1")
	}
	lost := evidence.RationalAmount(delta)
	rest := evidence.RationalAmount(one).Sub(lost)
	w := expEpsilon(eps)
	unit := rest.Quo(w.Add(evidence.RationalAmount(one))) // (1 − δ)/(e^ε + 1)
	var atoms []Atom
	if delta.Cmp(one) < 0 {
		high := unit.Mul(w)
		zero := interval.Int(0)
		if eps.IsZero() {
			atoms = []Atom{{P: rest, Q: rest, Rest: zero}}
		} else {
			atoms = []Atom{{P: unit, Q: high, Steps: -1, Rest: zero, Tags: []int{0}}, {P: high, Q: unit, Steps: 1, Rest: zero, Tags: []int{1}}}
		}
	}
	f := symmetricPair(fmt.Sprintf("known(eps=%v, delta=%s)", eps, delta.RatString()), "Kairouz, Oh and Viswanath 2015", NewLosses(atoms, lost, lost, eps, Hooks{}))
	f.Constant = true
	return f, nil
}

// NormalFamily returns the family of normal pairs whose worst one has the given μ.
func NormalFamily(name, source string, mu interval.Interval) *Family {
	return symmetricPair(name, source, Normal(mu))
}

// LaplaceFamily returns the family of Laplace pairs whose worst one has its centers ε scales apart.
func LaplaceFamily(name, source string, eps evidence.Epsilon) *Family {
	return symmetricPair(name, source, Laplace(eps))
}

// StepFamily returns the family of a mechanism whose loss is ε, 0 or −ε for its worst
// neighbors, the first with chance grows under the true dataset: ranges of such chances are between a pair
// with the least and one with the largest.
func StepFamily(name, source string, eps evidence.Epsilon, grows evidence.Amount) *Family {
	falls := grows.Mul(eps.DecayAt(one, maxDecayBits)) // the reverse's
	rest := evidence.RationalAmount(one).Sub(grows).Sub(falls)
	zero := interval.Int(0)
	atoms := []Atom{{P: falls, Q: grows, Steps: -1, Rest: zero}, {P: grows, Q: falls, Steps: 1, Rest: zero}}
	if sign(rest) != 0 {
		atoms = append(atoms, Atom{P: rest, Q: rest, Rest: zero})
	}
	return symmetricPair(name, source, NewLosses(atoms, evidence.RationalAmount(new(big.Rat)), evidence.RationalAmount(new(big.Rat)), eps, Hooks{}))
}

// stepBits bounds the bits of a rational e^{−ε}.
const maxDecayBits = 1 << 12

// Bounded returns the family of a mechanism of which no more is known than the smallest ε that its curve has: what it
// tells is an upper bound, but for what the curve says of a single use.
func Bounded(name string, curve Curve) *Family {
	return &Family{
		Name: name, Source: "the smallest ε alone (Kairouz, Oh and Viswanath 2015)", Size: 1, Constant: true, Bound: true, Curve: curve,
		Pair: func(ctx context.Context, _ int) (Pair, error) {
			n, err := validated(curve.Epsilon(ctx, 0))
			if err != nil {
				return nil, err
			}
			eps, lost := evidence.Epsilon{}, new(big.Rat)
			switch _, hi := n.Bounds(); {
			case math.IsInf(hi, 1):
				lost.SetInt64(1)
			case hi > 0:
				if l, ok := n.(evidence.ExactLog); ok {
					eps, err = evidence.LogEpsilon("eps", l.Argument)
				} else {
					eps, err = evidence.NewEpsilon("eps", hi)
				}
			}
			if err != nil {
				return nil, err
			}
			known, err := Known(eps, lost)
			if err != nil {
				return nil, err
			}
			return known.Pair(ctx, 0)
		},
	}
}

// LatticeFamily returns the family of one pair that is its own reverse, of the given losses.
func LatticeFamily(name, source string, l *Losses) *Family { return symmetricPair(name, source, l) }

// constant returns the family of one pair that is its own reverse.
func symmetricPair(name, source string, p Pair) *Family {
	return &Family{Name: name, Size: 1, Source: source, Relation: query.Any, Pair: func(context.Context, int) (Pair, error) { return p, nil }}
}
