package evidence

import "math/big"

// Quotient returns ε/f if it is rational: both are rational, or both are multiples of logarithms whose bases are powers
// of one rational. It returns false otherwise, and if ε or f is 0. If only one is a multiple of a logarithm the
// quotient is irrational, since ln q is transcendental for every rational q other than 1.
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

// Equal reports whether ε and f are known to be equal.
func (e Epsilon) Equal(f Epsilon) bool {
	if e == f || e.value != f.value {
		return e == f
	}
	q, ok := e.Quotient(f)
	return ok && q.Cmp(big.NewRat(1, 1)) == 0
}

// Root returns a rational c > 1 that is not a power of another rational, and s with e^ε = cˢ. It returns false unless
// ε is a multiple of a logarithm. The powers c^{−j/n}, 0 ≤ j < n, are linearly independent over the rationals for
// every n.
func (e Epsilon) Root() (c, s *big.Rat, ok bool) {
	if e.base == nil {
		return nil, nil, false
	}
	c, s = e.base, new(big.Rat).Set(e.scale)
	for p := int64(2); p <= int64(c.Num().BitLen()); p++ { // c > 1, so its numerator has the most bits
		if !big.NewInt(p).ProbablyPrime(0) { // a root of composite order is taken as roots of prime orders
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
