package discretize

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/mechanism"
)

// compare returns the sign of p^x(r) − p^y(s) e^{−iε}, and false where it cannot
// be decided. Both probabilities are positive.
func (b *boundary) compare(p, c place, i int) (sign int, ok bool) {
	for _, decide := range []func(p, c place, i int) (int, bool){b.byRational, b.byLevel, b.bySum, b.byEnclosure} {
		if sign, ok := decide(p, c, i); ok {
			return sign, true
		}
	}
	return 0, false
}

// maxExponent bounds the powers of rationals that are compared.
const maxExponent = 1 << 12

// byRational compares rational probabilities: at e^ε = cˢ with s = n/d, p against
// q c^{−in/d} by their d-th powers. A rational ε ≠ 0 has e^{−iε} irrational for
// i > 0, and an enclosure decides.
func (b *boundary) byRational(p, c place, i int) (sign int, ok bool) {
	v, ok := b.m.Rational(p.x, p.r)
	if !ok {
		return 0, false
	}
	w, ok := b.m.Rational(c.x, c.r)
	if !ok {
		return 0, false
	}
	if i == 0 {
		return v.Cmp(w), true
	}
	root, s, ok := b.eps.Root()
	if !ok || !s.Num().IsInt64() || !s.Denom().IsInt64() {
		return 0, false
	}
	n, d := s.Num().Int64(), s.Denom().Int64()
	if d > maxExponent || n > maxExponent*maxExponent/int64(i) {
		return 0, false
	}
	left := power(new(big.Rat).Quo(v, w), d)
	return left.Cmp(power(root, -n*int64(i))), true
}

// power returns qᵏ for q > 0 and any whole k.
func power(q *big.Rat, k int64) *big.Rat {
	if k < 0 {
		return power(new(big.Rat).Inv(q), -k)
	}
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), n, nil), new(big.Int).Exp(q.Denom(), n, nil))
}

// byLevel compares whole exponents: p/q = e^{−k·unit} against e^{−iε}.
func (b *boundary) byLevel(p, c place, i int) (sign int, ok bool) {
	l, ok := leveled(b.m)
	if !ok {
		return 0, false
	}
	k, ok := l.RelativeLevel(p.x, p.r, c.x, c.r)
	if !ok {
		return 0, false
	}
	ratio, ok := l.Unit().Quotient(b.eps)
	if !ok {
		if k == 0 && i == 0 {
			return 0, true
		}
		return 0, false
	}
	at := ratio.Mul(ratio, big.NewRat(int64(k), 1)) // p/q = e^{−at·ε}
	return big.NewRat(int64(i), 1).Cmp(at), true
}

// leveled returns the levels of m, where it has some.
func leveled(m mechanism.Mechanism) (l interface {
	RelativeLevel(x, r, y, s int) (int, bool)
	Unit() evidence.Epsilon
}, ok bool) {
	l, ok = m.(interface {
		RelativeLevel(x, r, y, s int) (int, bool)
		Unit() evidence.Epsilon
	})
	return l, ok
}

// bySum compares sums of exponentials.
func (b *boundary) bySum(p, c place, i int) (sign int, ok bool) {
	t, ok := b.m.(interface {
		Weights() (func(x, r int) mechanism.ExpSum, evidence.Epsilon, bool)
	})
	if !ok {
		return 0, false
	}
	weight, eps, ok := t.Weights()
	if !ok {
		return 0, false
	}
	ratio, ok := b.eps.Quotient(eps)
	if !ok {
		return 0, false
	}
	shift := ratio.Mul(ratio, big.NewRat(int64(i), 1))
	sign, err := weight(p.x, p.r).Sub(weight(c.x, c.r).Shift(shift)).Sign(eps)
	return sign, err == nil
}

// byEnclosure compares enclosures; they decide only where they are apart.
func (b *boundary) byEnclosure(p, c place, i int) (sign int, ok bool) {
	right := b.m.Enclose(c.x, c.r)
	if i > 0 {
		right = right.Mul(b.eps.Enclosure().Mul(interval.Int(-int64(i))).Exp())
	}
	sign, exact := b.m.Enclose(p.x, p.r).Sub(right).Sign()
	return sign, sign != 0 || exact
}
