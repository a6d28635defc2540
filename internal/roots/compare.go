package roots

import "math/big"

// Known is a root of the polynomial Of, or a rational number, for which Of may be empty.
type Known struct {
	Of Polynomial
	Root
}

// halved returns k with an interval of at most half the width.
func (k Known) halved() Known {
	w := new(big.Rat).Sub(k.Hi, k.Lo)
	k.Root = k.Of.Refine(k.Root, w.Mul(w, big.NewRat(1, 2)))
	return k
}

// Compare returns −1, 0 or 1 if a is below, equal to or above b. It also returns a and b, refined to disjoint intervals
// if they differ.
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
		// Each interval has only one root of its polynomial. So a common root of both polynomials in both intervals is
		// a and b.
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

// isAt reports whether k equals q.
func (k Known) isAt(q *big.Rat) bool { return k.Lo.Cmp(q) < 0 && q.Cmp(k.Hi) < 0 && k.Of.Sign(q) == 0 }
