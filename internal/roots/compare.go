package roots

import "math/big"

// Known is a root of a polynomial, or a rational number, which is a root of none.
type Known struct {
	Of Polynomial
	Root
}

// halved returns k in an interval of at most half the width.
func (k Known) halved() Known {
	w := new(big.Rat).Sub(k.Hi, k.Lo)
	k.Root = k.Of.Refine(k.Root, w.Mul(w, big.NewRat(1, 2)))
	return k
}

// Compare returns −1, 0 or 1 as a is below, equal to or above b. It also returns both, refined to disjoint
// intervals if they differ.
func Compare(a, b Known) (int, Known, Known) {
	var common Polynomial
	for {
		switch {
		case a.IsPoint() && b.IsPoint():
			return a.Lo.Cmp(b.Lo), a, b
		case a.Hi.Cmp(b.Lo) < 0:
			return -1, a, b
		case b.Hi.Cmp(a.Lo) < 0:
			return 1, a, b
		}
		// A root of one that is a root of both, in the interval of both, is the one root of either.
		switch {
		case a.IsPoint():
			if b.isAt(a.Lo) {
				return 0, a, a
			}
		case b.IsPoint():
			if a.isAt(b.Lo) {
				return 0, b, b
			}
		default:
			if common == nil {
				common = GCD(a.Of, b.Of).once()
			}
			lo, hi := a.Lo, a.Hi
			if lo.Cmp(b.Lo) < 0 {
				lo = b.Lo
			}
			if hi.Cmp(b.Hi) > 0 {
				hi = b.Hi
			}
			if lo.Cmp(hi) < 0 && common.Sign(lo)*common.Sign(hi) < 0 {
				return 0, a, b
			}
		}
		a, b = a.halved(), b.halved()
	}
}

// isAt reports whether k is q.
func (k Known) isAt(q *big.Rat) bool { return k.Lo.Cmp(q) < 0 && q.Cmp(k.Hi) < 0 && k.Of.Sign(q) == 0 }
