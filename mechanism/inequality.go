package mechanism

import (
	"errors"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Outcome names a probability: of the R-th value of the range at dataset X.
type Outcome struct{ X, R int }

// ErrUndecided is wrapped where an enclosure cannot tell on which side of a
// boundary a number lies.
var ErrUndecided = errors.New("undecided")

// CompareProbabilities returns the sign of p − c·e^{−iε}, i ≥ 0, for the positive probabilities that
// two outcomes of m name. An enclosure decides wherever the two differ in some 70
// digits; whether they are equal is decided from rational probabilities or from
// the powers of e^{−ε} that they consist of. It returns an error wrapping
// ErrUndecided where neither tells, and panics where m's query has no such dataset
// or place, as an index does.
func CompareProbabilities(m Mechanism, p, c Outcome, i int, eps evidence.Epsilon) (int, error) {
	gap := m.EncloseLog(p.X, p.R).Sub(m.EncloseLog(c.X, c.R))
	if i > 0 {
		gap = gap.Add(eps.Enclosure().Mul(interval.Int(int64(i))))
	}
	if sign, exact := gap.Sign(); sign != 0 || exact {
		return sign, nil
	}
	if sign, ok := compareRationals(m, p, c, i, eps); ok {
		return sign, nil
	}
	if sign, ok := compareSums(m, p, c, i, eps); ok {
		return sign, nil
	}
	lo, hi := gap.Bounds()
	return 0, fmt.Errorf("%w: a log-ratio of two probabilities lies in %s", ErrUndecided, evidence.FormatBounds(lo, hi, 3))
}

// orderRationals compares rational probabilities: at e^ε = cˢ with s = n/d, p against
// q c^{−in/d} by their d-th powers. A rational ε ≠ 0 has e^{−iε} irrational for
// i > 0: the two are not equal, and enclosures have to decide.
func compareRationals(m Mechanism, p, c Outcome, i int, eps evidence.Epsilon) (sign int, ok bool) {
	v, known := m.Rational(p.X, p.R)
	w, too := m.Rational(c.X, c.R)
	root, s, logarithm := eps.Root()
	switch {
	case !known || !too || i > 0 && !logarithm:
		return 0, false
	case i == 0:
		return v.Cmp(w), true
	}
	n := new(big.Int).Mul(s.Num(), big.NewInt(int64(i)))
	ratio := new(big.Rat).Quo(v, w)
	if !powerFits(ratio, s.Denom()) || !powerFits(root, n) {
		return 0, false
	}
	return interval.RationalPower(ratio, s.Denom()).Cmp(interval.RationalPower(root, n.Neg(n))), true
}

// exponentialLaw is a law whose probabilities are weight/total, both sums of powers
// of e^{−ε}; ok is false where they are not known in that form.
type exponentialLaw interface {
	exponentials(x, r int) (weight, total ExpSum, eps evidence.Epsilon, ok bool)
}

// mostTerms bounds the sums that orderSums multiplies out.
const maxProductTerms = 1 << 16

// orderSums compares sums of exponentials.
func compareSums(m Mechanism, p, c Outcome, i int, eps evidence.Epsilon) (sign int, ok bool) {
	law, ok := m.(exponentialLaw)
	if !ok {
		return 0, false
	}
	v, above, own, ok := law.exponentials(p.X, p.R)
	if !ok {
		return 0, false
	}
	w, below, _, _ := law.exponentials(c.X, c.R)
	if len(v.terms)*len(below.terms) > maxProductTerms || len(w.terms)*len(above.terms) > maxProductTerms {
		return 0, false
	}
	right := w.Mul(above)
	if i > 0 {
		ratio, ok := eps.Quotient(own)
		if !ok {
			return 0, false
		}
		right = right.Shift(ratio.Mul(ratio, big.NewRat(int64(i), 1)))
	}
	sign, err := v.Mul(below).Sub(right).Sign(own)
	return sign, err == nil
}

// AtMost decides whether a privacy loss is at most ε.
func AtMost(loss evidence.Number, eps evidence.Epsilon) evidence.Verdict {
	lo, hi := loss.Bounds()
	least, most := eps.Enclosure().Bounds()
	switch {
	case hi <= least:
		return evidence.Confirmed
	case lo > most:
		return evidence.Refuted
	}
	l, ok := loss.(evidence.ExactLog)
	if !ok {
		return evidence.Undecided
	}
	verdict := func(sign int) evidence.Verdict {
		if sign > 0 {
			return evidence.Refuted
		}
		return evidence.Confirmed
	}
	if root, s, ok := eps.Root(); ok && powerFits(l.Argument, s.Denom()) && powerFits(root, s.Num()) {
		// argument ≤ root^{n/d} where argument^d ≤ root^n.
		return verdict(interval.RationalPower(l.Argument, s.Denom()).Cmp(interval.RationalPower(root, s.Num())))
	}
	gap := interval.RationalLog(l.Argument).Sub(eps.Enclosure())
	if sign, exact := gap.Sign(); sign != 0 || exact {
		return verdict(sign)
	}
	return evidence.Undecided
}
