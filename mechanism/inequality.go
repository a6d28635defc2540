package mechanism

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Outcome is the event that dataset X outputs the R-th value of the range.
type Outcome struct{ X, R int }

// ErrUndecided is returned if an enclosure does not decide an inequality.
var ErrUndecided = errors.New("undecided")

// CompareProbabilities returns the sign of p − c·e^{−iε}, i ≥ 0, for the probabilities p and c of two outcomes of m.
// Enclosures decide unless p and c·e^{−iε} agree in about 70 digits. Otherwise the sign is computed from rational
// probabilities, or from sums of powers of e^{−ε}. It returns an error wrapping ErrUndecided if the probabilities are
// known in neither form, and panics unless the outcomes are those of m's query.
func CompareProbabilities(m Mechanism, p, c Outcome, i int, eps evidence.Epsilon) (int, error) {
	switch never, other := isImpossible(m, p.X, p.R), isImpossible(m, c.X, c.R); {
	case never && other:
		return 0, nil
	case never:
		return -1, nil
	case other:
		return 1, nil
	}
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
	return 0, fmt.Errorf("%w: the log-ratio of two probabilities lies in %s", ErrUndecided, evidence.FormatBounds(lo, hi, 3))
}

// compareRationals compares rational probabilities p and q: it returns the sign of p − q·e^{−iε}. For e^ε = cˢ with s =
// n/d it compares the d-th powers of p/q and c^{−in/d}. If ε ≠ 0 is rational, e^{−iε} is irrational for i > 0. The two
// sides then differ, and ok is false: an enclosure must decide.
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

// isImpossible reports whether x never outputs the r-th value.
func isImpossible(m Mechanism, x, r int) bool { return math.IsInf(m.LogProb(x, r), -1) }

// exponentialLaw is a mechanism with probabilities weight/total, both sums of powers of e^{−ε}. ok is false if
// they are not known in that form.
type exponentialLaw interface {
	exponentials(x, r int) (weight, total ExpSum, eps evidence.Epsilon, ok bool)
}

// maxProductTerms bounds the terms of the products in compareSums.
const maxProductTerms = 1 << 16

// compareSums compares probabilities that are quotients of sums of powers of e^{−ε}.
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
		// argument ≤ root^{n/d} if and only if argument^d ≤ root^n.
		return verdict(interval.RationalPower(l.Argument, s.Denom()).Cmp(interval.RationalPower(root, s.Num())))
	}
	gap := interval.RationalLog(l.Argument).Sub(eps.Enclosure())
	if sign, exact := gap.Sign(); sign != 0 || exact {
		return verdict(sign)
	}
	return evidence.Undecided
}
