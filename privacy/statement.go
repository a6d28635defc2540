package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/golden"
)

// CompositionStatement states a value of the privacy of an account: δ at the ε called At or, if At is nil, the least ε
// at Delta.
type CompositionStatement struct {
	of    *Account
	At    *evidence.Epsilon
	Delta *big.Rat
}

// withStatement attaches a statement about a to n if all families of a name their mechanism.
func (a *Account) withStatement(n evidence.Number, err error, s CompositionStatement) (evidence.Number, error) {
	if err != nil || a.bound || a.rounded {
		return n, err
	}
	for _, u := range a.uses {
		if u.Of.Mechanism == nil || u.Of.TranslationInvariant {
			return n, nil
		}
	}
	s.of = a
	return evidence.WithStatement(n, &s), nil
}

// Says implements evidence.Statement.
func (s *CompositionStatement) Says() string {
	switch {
	case s.At != nil:
		return fmt.Sprintf("δ at ε = %s of %s", *s.At, s.of.name)
	case s.Delta.Sign() == 0:
		return "the smallest ε of " + s.of.name
	}
	v, _ := s.Delta.Float64()
	return fmt.Sprintf("ε at δ = %s of %s", evidence.FormatFloat(v, 6), s.of.name)
}

// Uses returns the mechanisms and the numbers of their uses.
func (s *CompositionStatement) Uses() []Use { return s.of.uses }

// Witness returns the index of the pair of neighbors with the largest δ at an ε, or with the largest loss if the
// statement is about δ = 0. If infinite is true, it returns the pair with the largest probability of an infinite loss.
// It returns false if there are no pairs.
func (s *CompositionStatement) Witness(ctx context.Context, eps evidence.Epsilon, infinite bool) (int, bool, error) {
	bound, of := (*candidate).maxLoss, func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.maxLoss(), nil }
	switch {
	case s.At == nil && s.Delta.Sign() == 0:
	case infinite:
		bound, of = (*candidate).infinityMass, func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.infinityMass(), nil }
	default:
		bound, of = deltaBound(eps), func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.delta(ctx, eps) }
	}
	_, near, err := s.of.maxOverPairs(ctx, bound, of)
	if err != nil || len(near) == 0 {
		return 0, false, err
	}
	return near[0].index, true, nil
}

// RenyiOrder is an order s = α − 1 of the Rényi divergence that bounds the δ of one pair.
type RenyiOrder struct {
	Pair int
	S    *big.Rat
}

// RenyiOrders returns pairs of neighbors, each with an order s that proves δ(ε) < most. The proof is δ ≤ P[loss = ∞] +
// e^{K(s) − sε} s^s/(1 + s)^{1+s}, where K(s) = ln E[e^{s·loss}] over finite losses.
func (s *CompositionStatement) RenyiOrders(ctx context.Context, eps evidence.Epsilon, most float64) ([]RenyiOrder, error) {
	found := map[string]*big.Rat{}
	var out []RenyiOrder
	err := s.of.eachPair(ctx, func(c *candidate, key string) {
		order, ok := found[key]
		if !ok {
			order = c.renyiOrder(eps.Value(), most)
			found[key] = order
		}
		if order != nil {
			out = append(out, RenyiOrder{c.index, order})
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// renyiOrder returns an order with few bits that proves δ < most, and nil if it finds none.
func (c *candidate) renyiOrder(eps, most float64) *big.Rat {
	exponent := func(s float64) float64 {
		return c.logMoment(s) - s*eps + s*math.Log(s) - (1+s)*math.Log1p(s)
	}
	at, _ := golden.Minimize(func(logS float64) float64 { return exponent(math.Exp(logS)) }, math.Log(1e-3), math.Log(1e4), 22)
	scale := math.Exp2(math.Floor(math.Log2(math.Exp(at))) - 5)
	s := math.Round(math.Exp(at)/scale) * scale
	if !(c.infinityMass()+math.Exp(exponent(s)) < most*(1-1e-6)) {
		return nil
	}
	return new(big.Rat).SetFloat64(s)
}
