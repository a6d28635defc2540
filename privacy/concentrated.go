package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/golden"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Concentrated says that the Rényi divergence of order α is at most Xi + Rho·α for every α > 1. This is (ξ,
// ρ)-zero-concentrated differential privacy (Bun and Steinke 2016, Definition 1.1).
type Concentrated struct{ Xi, Rho *big.Rat }

// ConcentratedPairs returns the pairs of a mechanism that is only claimed to be (ξ, ρ)-zero-concentrated differentially
// private. Accounts with such a use add Rényi divergences and convert the sum (Canonne, Kamath and Steinke 2020,
// Proposition 12). It returns an error wrapping evidence.ErrParameter if Xi or Rho is negative.
func ConcentratedPairs(c Concentrated) (*DominatingPairs, error) {
	for _, p := range []struct {
		name string
		v    *big.Rat
	}{{"rho", c.Rho}, {"xi", c.Xi}} {
		if p.v == nil {
			return nil, parameter.Errorf("%s is missing, want a number of at least 0", p.name)
		}
		if p.v.Sign() < 0 {
			return nil, parameter.Bad(p.name, p.v, "a number of at least 0")
		}
	}
	f, err := ApproxDP(evidence.Epsilon{}, one) // (0, 1) guarantees nothing: the laws are unknown
	if err != nil {
		return nil, err
	}
	f.Name, f.Source = fmt.Sprintf("ZCDp(rho=%s, xi=%s)", shortRat(c.Rho), shortRat(c.Xi)), "Bun and Steinke 2016"
	f.Bound, f.ClaimedBy, f.concentrated = true, f.Name, &c
	return f, nil
}

// concentrated returns the sum of the bounds of the uses that are known only by their Rényi divergences, and an account
// of all other uses. Each result is nil if there are no such uses.
func (a *Account) concentrated() (sum *Concentrated, laws *Account) {
	for _, u := range a.uses {
		if u.Of.concentrated == nil {
			continue
		}
		if sum == nil {
			sum = &Concentrated{new(big.Rat), new(big.Rat)}
		}
		n := big.NewRat(int64(u.Times), 1)
		sum.Xi.Add(sum.Xi, new(big.Rat).Mul(n, u.Of.concentrated.Xi))
		sum.Rho.Add(sum.Rho, new(big.Rat).Mul(n, u.Of.concentrated.Rho))
	}
	if sum == nil {
		return nil, nil
	}
	for _, u := range a.uses {
		if u.Of.concentrated != nil {
			continue
		}
		if laws == nil {
			laws = &Account{name: a.name, reference: u.Of, bound: true}
		}
		if laws.addUse(u); !u.Of.TranslationInvariant {
			laws.reference = u.Of
		}
	}
	return sum, laws
}

// renyi bounds the Rényi divergence of order α of all uses together: the uses summed in c and the uses in laws.
func (c *Concentrated) renyi(ctx context.Context, laws *Account, alpha *big.Rat) (interval.Interval, error) {
	most, err := upperEnd(laws, func() (evidence.Number, error) { return laws.Renyi(ctx, alpha) })
	return most.Add(interval.Rat(new(big.Rat).Add(c.Xi, new(big.Rat).Mul(c.Rho, alpha)))), err
}

// claim returns the upper end of v as a number that rests on a claim.
func (a *Account) claim(v interval.Interval, how string) evidence.Number {
	_, hi := v.Bounds()
	return evidence.Claimed{Value: max(hi, 0), Provenance: evidence.From(how + " of what is claimed by " + a.claimedBy())}
}

// ratioByRenyi returns the largest Rényi divergence divided by its order α. The part (ξ + ρα)/α is largest as α tends
// to 1.
func (a *Account) ratioByRenyi(ctx context.Context, c *Concentrated, laws *Account) (evidence.Number, error) {
	most, err := upperEnd(laws, func() (evidence.Number, error) { return laws.ZCDP(ctx) })
	return a.claim(most.Add(interval.Rat(new(big.Rat).Add(c.Xi, c.Rho))), "the sum of ρ"), err
}

// infinityByRenyi returns the infinity mass of the uses in laws. The other uses have finite Rényi divergences, which
// exclude infinite losses.
func (a *Account) infinityByRenyi(ctx context.Context, laws *Account) (evidence.Number, error) {
	most, err := upperEnd(laws, func() (evidence.Number, error) { return laws.InfinityMass(ctx) })
	return a.claim(most, "mass of an infinite loss"), err
}

// upperEnd returns the upper end of the number that the function of returns, or 0 if laws is nil.
func upperEnd(laws *Account, of func() (evidence.Number, error)) (interval.Interval, error) {
	if laws == nil {
		return interval.Int(0), nil
	}
	n, err := of()
	if err != nil {
		return interval.Int(0), err
	}
	_, hi := n.Bounds()
	return interval.Float(hi), nil
}

const conversion = "Canonne, Kamath and Steinke 2020, Proposition 12, of order %.6g,"

// epsilonByRenyi returns the least ε at δ that follows from the Rényi divergences.
func (a *Account) epsilonByRenyi(ctx context.Context, c *Concentrated, laws *Account, delta evidence.Delta) (evidence.Number, error) {
	if delta.IsZero() {
		return a.claim(interval.Float(math.Inf(1)), "δ = 0"), nil
	}
	bound, alpha, err := overOrders(func(alpha *big.Rat) (interval.Interval, error) {
		d, err := c.renyi(ctx, laws, alpha)
		return rdpEpsilon(d.Mul(interval.Rat(new(big.Rat).Sub(alpha, one))), alpha, delta, true), err
	})
	if err != nil {
		return nil, err
	}
	return a.claim(bound, fmt.Sprintf(conversion, ratFloat(alpha))), nil
}

// deltaByRenyi returns the least δ at ε that follows from the Rényi divergences: e^{(α−1)(D_α − ε)}(1 − 1/α)^{α−1}/α.
func (a *Account) deltaByRenyi(ctx context.Context, c *Concentrated, laws *Account, eps evidence.Epsilon) (evidence.Number, error) {
	bound, alpha, err := overOrders(func(alpha *big.Rat) (interval.Interval, error) {
		d, err := c.renyi(ctx, laws, alpha)
		order := interval.Rat(alpha)
		less := order.Sub(interval.Int(1))
		return less.Mul(d.Sub(eps.Enclosure()).Add(less.Quo(order).Log())).Sub(order.Log()), err
	})
	if err != nil {
		return nil, err
	}
	return a.claim(interval.Min(bound.Exp(), interval.Int(1)), fmt.Sprintf(conversion, ratFloat(alpha))), nil
}

// overOrders searches ln(α − 1) for the Rényi order that gives the least upper end. The bound of every order is valid.
func overOrders(bound func(alpha *big.Rat) (interval.Interval, error)) (least interval.Interval, alpha *big.Rat, err error) {
	at := func(t float64) float64 {
		alpha = new(big.Rat).SetFloat64(1 + math.Exp(t))
		if err == nil {
			least, err = bound(alpha)
		}
		_, hi := least.Bounds()
		return hi
	}
	t, _ := golden.Minimize(at, -14, 14, 45)
	at(t)
	return least, alpha, err
}

// concentratedAt returns a ρ for which ρ-zero-concentrated differential privacy implies (ε, δ)-differential privacy. It
// inverts the conversion of epsilonByRenyi, rounded down: the bound is (ε − ln(1 − 1/α) + (ln δ + ln α)/(α − 1))/α for
// an order α that nearly maximizes it.
func concentratedAt(eps evidence.Epsilon, delta evidence.Delta) (*big.Rat, error) {
	bound, _, err := overOrders(func(alpha *big.Rat) (interval.Interval, error) {
		order := interval.Rat(alpha)
		less := order.Sub(interval.Int(1))
		log := delta.Enclosure().Log().Add(order.Log()).Quo(less)
		return eps.Enclosure().Sub(less.Quo(order).Log()).Add(log).Quo(order).Neg(), nil
	})
	lo, _ := bound.Neg().Bounds()
	return new(big.Rat).SetFloat64(max(lo, 0)), err
}
