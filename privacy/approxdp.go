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

// ApproxDP returns the dominating pairs of all (ε, δ)-private mechanisms: an infinite loss with probability δ, and
// randomized response at ε otherwise (Kairouz, Oh and Viswanath 2015). It returns an error wrapping
// evidence.ErrParameter unless 0 ≤ δ ≤ 1.
func ApproxDP(eps evidence.Epsilon, delta *big.Rat) (*DominatingPairs, error) {
	if delta.Sign() < 0 || delta.Cmp(one) > 0 {
		return nil, parameter.Bad("delta", delta, "0 <= delta <= 1")
	}
	lost := evidence.ExactRat(delta)
	rest := evidence.ExactRat(one).Sub(lost)
	w := expEpsilon(eps)
	unit := rest.Quo(w.Add(evidence.ExactRat(one))) // this is (1 − δ)/(e^ε + 1)
	var atoms []Atom
	if delta.Cmp(one) < 0 {
		high := unit.Mul(w)
		zero := interval.Int(0)
		if eps.IsZero() {
			atoms = []Atom{{P: rest, Q: rest, Offset: zero}}
		} else {
			atoms = []Atom{{P: unit, Q: high, Steps: -1, Offset: zero, Tags: []int{0}}, {P: high, Q: unit, Steps: 1, Offset: zero, Tags: []int{1}}}
		}
	}
	f := symmetricPair(fmt.Sprintf("known(eps=%v, delta=%s)", eps, delta.RatString()), "Kairouz, Oh and Viswanath 2015", NewDiscretePair(atoms, lost, lost, eps, Hooks{}))
	f.TranslationInvariant = true
	return f, nil
}

// NormalPairs returns the dominating pairs of Gaussian noise with the given μ = Δ/σ.
func NormalPairs(name, source string, mu interval.Interval) *DominatingPairs {
	return symmetricPair(name, source, Normal(mu))
}

// LaplacePairs returns the dominating pairs of Laplace noise. The two centers are ε times the scale apart.
func LaplacePairs(name, source string, eps evidence.Epsilon) *DominatingPairs {
	return symmetricPair(name, source, Laplace(eps))
}

// ThreePointPairs returns the dominating pairs of a mechanism whose loss for its worst neighbors is ε, 0 or −ε. grows
// is the probability of the loss ε under the true dataset. If grows is an interval, answers enclose those for every
// value in it.
func ThreePointPairs(name, source string, eps evidence.Epsilon, grows evidence.RatOrInterval) *DominatingPairs {
	falls := grows.Mul(eps.DecayAt(one, maxDecayBits)) // the probability of the loss −ε
	rest := evidence.ExactRat(one).Sub(grows).Sub(falls)
	zero := interval.Int(0)
	atoms := []Atom{{P: falls, Q: grows, Steps: -1, Offset: zero}, {P: grows, Q: falls, Steps: 1, Offset: zero}}
	if sign(rest) != 0 {
		atoms = append(atoms, Atom{P: rest, Q: rest, Offset: zero})
	}
	return symmetricPair(name, source, NewDiscretePair(atoms, evidence.ExactRat(new(big.Rat)), evidence.ExactRat(new(big.Rat)), eps, Hooks{}))
}

// maxDecayBits bounds the bits of a rational e^{−ε}.
const maxDecayBits = 1 << 12

// PureDP returns the pair of randomized response at the smallest ε of a profile, which dominates every mechanism with
// that ε. Answers are upper bounds, but answers about a single use come from the profile itself.
func PureDP(name string, curve Profile) *DominatingPairs {
	return &DominatingPairs{
		Name: name, Source: "the smallest ε alone (Kairouz, Oh and Viswanath 2015)", Size: 1, TranslationInvariant: true, Bound: true, Profile: curve,
		Pair: func(ctx context.Context, _ int) (Pair, error) {
			n, err := validated(curve.Epsilon(ctx, evidence.Delta{}))
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
			known, err := ApproxDP(eps, lost)
			if err != nil {
				return nil, err
			}
			return known.Pair(ctx, 0)
		},
	}
}

// SymmetricPair returns the family of one pair with the given losses that equals its reverse.
func SymmetricPair(name, source string, l *DiscretePair) *DominatingPairs {
	return symmetricPair(name, source, l)
}

// symmetricPair returns the family of one pair that equals its reverse.
func symmetricPair(name, source string, p Pair) *DominatingPairs {
	return &DominatingPairs{Name: name, Size: 1, Source: source, Relation: query.Any, Pair: func(context.Context, int) (Pair, error) { return p, nil }}
}
