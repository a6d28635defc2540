package mechanism

import (
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// ExpSum is a sum Σ c_t e^{−tε} of rational multiples of powers of e^{−ε} with
// rational exponents: what noise moved to a range consists of. Whether two of
// them are equal is decided from their terms. It is immutable; the zero value is
// the number 0.
type ExpSum struct{ terms []expTerm } // by ascending t, no c being 0

type expTerm struct{ t, c *big.Rat }

// ExpTerm returns c·e^{−tε}.
func ExpTerm(c, t *big.Rat) ExpSum {
	if c.Sign() == 0 {
		return ExpSum{}
	}
	return ExpSum{[]expTerm{{t, c}}}
}

// Add returns s + o.
func (s ExpSum) Add(o ExpSum) ExpSum {
	var out []expTerm
	a, b := s.terms, o.terms
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].t.Cmp(b[0].t) < 0:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || a[0].t.Cmp(b[0].t) > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			if c := new(big.Rat).Add(a[0].c, b[0].c); c.Sign() != 0 {
				out = append(out, expTerm{a[0].t, c})
			}
			a, b = a[1:], b[1:]
		}
	}
	return ExpSum{out}
}

// Neg returns −s.
func (s ExpSum) Neg() ExpSum {
	out := make([]expTerm, len(s.terms))
	for i, v := range s.terms {
		out[i] = expTerm{v.t, new(big.Rat).Neg(v.c)}
	}
	return ExpSum{out}
}

// Sub returns s − o.
func (s ExpSum) Sub(o ExpSum) ExpSum { return s.Add(o.Neg()) }

// Shift returns s·e^{−tε}.
func (s ExpSum) Shift(t *big.Rat) ExpSum {
	out := make([]expTerm, len(s.terms))
	for i, v := range s.terms {
		out[i] = expTerm{new(big.Rat).Add(v.t, t), v.c}
	}
	return ExpSum{out}
}

// Sign returns the sign of s at ε. It returns an error wrapping ErrUndecided
// where the sum is not 0 but its enclosure cannot tell on which side it lies.
func (s ExpSum) Sign(eps evidence.Epsilon) (int, error) {
	if s.isZero(eps) {
		return 0, nil
	}
	at := s.Enclose(eps)
	sign, _ := at.Sign()
	if sign == 0 {
		return 0, fmt.Errorf("%w: a sum of %d exponentials lies in %v", ErrUndecided, len(s.terms), at)
	}
	return sign, nil
}

// isZero decides whether the sum is 0. For a rational ε ≠ 0 the powers e^{−tε} are
// linearly independent over the rationals (Lindemann and Weierstrass). For e^ε =
// cˢ, c no power of a rational, e^{−tε} = c^{−⌊st⌋}·c^{−frac(st)}, and the powers of
// different fractions are independent.
func (s ExpSum) isZero(eps evidence.Epsilon) bool {
	if len(s.terms) == 0 {
		return true
	}
	c, root, ok := eps.Root()
	if !ok {
		return false
	}
	byFraction := make(map[string]*big.Rat)
	for _, v := range s.terms {
		t := new(big.Rat).Mul(root, v.t)
		down := floor(t)
		t.Sub(t, new(big.Rat).SetInt(down))
		p := new(big.Rat).Mul(v.c, wholePower(c, new(big.Int).Neg(down)))
		if sum, ok := byFraction[t.RatString()]; ok {
			p.Add(p, sum)
		}
		byFraction[t.RatString()] = p
	}
	for _, sum := range byFraction {
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}

// wholePower returns cᵏ for a positive c and any whole k.
func wholePower(c *big.Rat, k *big.Int) *big.Rat {
	n := new(big.Int).Abs(k)
	v := new(big.Rat).SetFrac(new(big.Int).Exp(c.Num(), n, nil), new(big.Int).Exp(c.Denom(), n, nil))
	if k.Sign() < 0 {
		v.Inv(v)
	}
	return v
}

// Enclose returns an enclosure of s at ε.
func (s ExpSum) Enclose(eps evidence.Epsilon) interval.Interval {
	return s.at(eps, nil).enclosure
}

// at evaluates s; powers remembers e^{−tε} by t where it is not nil.
func (s ExpSum) at(eps evidence.Epsilon, powers map[string]amount) amount {
	one := big.NewRat(1, 1)
	total := rational(new(big.Rat))
	for _, v := range slices.Backward(s.terms) { // small terms first
		key := v.t.RatString()
		p, ok := powers[key]
		if !ok {
			p = decay(eps, v.t, one)
			if powers != nil {
				powers[key] = p
			}
		}
		total = total.add(p.mul(rational(v.c)))
	}
	return total
}
