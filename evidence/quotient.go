package evidence

import "math/big"

// Quotient returns ε/f where it is a rational number that can be told: where
// both are rational, or both logarithms of rationals with a common power. It
// returns false elsewhere; where just one is a logarithm there is no such number,
// since ln q is transcendental for every rational q other than 1.
func (e Epsilon) Quotient(f Epsilon) (*big.Rat, bool) {
	if (e.base == nil) != (f.base == nil) || e.IsZero() || f.IsZero() {
		return nil, false
	}
	if e.base == nil || e.base.Cmp(f.base) == 0 {
		return new(big.Rat).Quo(e.scale, f.scale), true
	}
	c, s, _ := e.Root()
	d, t, _ := f.Root()
	if c.Cmp(d) != 0 { // no power of one is a power of the other
		return nil, false
	}
	return s.Quo(s, t), true
}

// Equal reports whether ε and f are known to be one number.
func (e Epsilon) Equal(f Epsilon) bool {
	if e == f || e.value != f.value {
		return e == f
	}
	q, ok := e.Quotient(f)
	return ok && q.Cmp(big.NewRat(1, 1)) == 0
}

// Root returns c > 1 and s with e^ε = cˢ where c is a rational that is no power
// of another, and false unless ε is a logarithm. The powers c^{−j/n}, 0 ≤ j < n,
// are then linearly independent over the rationals for every n.
func (e Epsilon) Root() (c, s *big.Rat, ok bool) {
	if e.base == nil {
		return nil, nil, false
	}
	c, s = e.base, new(big.Rat).Set(e.scale)
	for p := int64(2); p <= int64(c.Num().BitLen()); p++ { // c > 1: its numerator is the longer one
		if !big.NewInt(p).ProbablyPrime(0) { // a root of composite order is a root of its prime factors
			continue
		}
		for {
			root, ok := ratRoot(c, p)
			if !ok {
				break
			}
			c, s = root, new(big.Rat).Mul(s, big.NewRat(p, 1))
		}
	}
	return c, s, true
}
