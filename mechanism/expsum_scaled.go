package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Terms whose exponents differ by at most 1 nat are summed as Σ c e^{−τ} = Σ c +
// Σ c (e^{−τ} − 1), τ counting from the first of them, so that what cancels does so
// in rational numbers. Those that differ by at most closeNats are summed by their
// moments: Σ_k (−ε)ᵏ/k! Σ c sᵏ, s counting from the first, whose leading terms may
// cancel too. So a sum is narrow relative to itself however small ε is.

// scaled encloses s·e^{tε}, t the least exponent, so that nothing underflows.
func (s ExpSum) scaled(eps evidence.Epsilon) interval.Interval {
	nats := eps.Enclosure()
	total := interval.Int(0)
	for terms := s.terms; len(terms) > 0; {
		n := prefixWithin(terms, nats, interval.Int(-1))
		total = total.Add(sumNear(terms[:n], nats).Mul(relativeExponent(terms[0], s.terms[0], nats).Exp()))
		terms = terms[n:]
	}
	return total
}

// after returns −τ, the exponent of v counted from that of first.
func relativeExponent(v, first expTerm, nats interval.Interval) interval.Interval {
	return nats.Mul(interval.Rat(new(big.Rat).Sub(first.t, v.t)))
}

// within returns how many terms have −τ at least the given number.
func prefixWithin(terms []expTerm, nats, least interval.Interval) int {
	n := 1
	for n < len(terms) && !relativeExponent(terms[n], terms[0], nats).Less(least) {
		n++
	}
	return n
}

// closeNats is how near terms are that are summed by their moments.
var momentLimit = interval.Float(-0x1p-40)

// nearSum sums terms within 1 nat of the first, in units of it.
func sumNear(terms []expTerm, nats interval.Interval) interval.Interval {
	first := terms[0]
	whole, rest := new(big.Rat), interval.Int(0)
	for len(terms) > 0 {
		n := prefixWithin(terms, nats, momentLimit)
		constant, more := moments(terms[:n], nats)
		whole.Add(whole, constant)
		if terms[0].t != first.t {
			tau := relativeExponent(terms[0], first, nats)
			more = more.Mul(tau.Exp()).Add(tau.Expm1().Mul(interval.Rat(constant)))
		}
		rest = rest.Add(more)
		terms = terms[n:]
	}
	return interval.Rat(whole).Add(rest)
}

// moments returns Σ c, and encloses Σ c (e^{−εs} − 1) over terms with εs ≤ 2⁻⁴⁰: from
// the first moment Σ c sᵏ, k ≥ 1, that is not 0 (one of the first n − 1 is, the
// s > 0 being different) eight orders of ε, which leave less than
// 2 Σ |c| (εs)ᵏ/k! at the next k.
func moments(terms []expTerm, nats interval.Interval) (constant *big.Rat, rest interval.Interval) {
	constant, rest = new(big.Rat), interval.Int(0)
	s, power := make([]*big.Rat, len(terms)), make([]*big.Rat, len(terms)) // c·sᵏ
	for i, v := range terms {
		constant.Add(constant, v.c)
		s[i] = new(big.Rat).Sub(v.t, terms[0].t)
		power[i] = new(big.Rat).Set(v.c)
	}
	scale := interval.Int(1) // (−ε)ᵏ/k!
	const orders = 8
	for k, left := int64(1), orders; left >= 0 && len(terms) > 1; k++ {
		moment, size := new(big.Rat), new(big.Rat)
		for i := range power {
			power[i].Mul(power[i], s[i])
			moment.Add(moment, power[i])
			size.Add(size, new(big.Rat).Abs(power[i]))
		}
		scale = scale.Mul(nats.Neg()).Quo(interval.Int(k))
		if left == 0 {
			bound := interval.Rat(size.Add(size, size)).Mul(interval.Max(scale, scale.Neg()))
			return constant, rest.Add(interval.Hull(bound.Neg(), bound))
		}
		if moment.Sign() != 0 || left < orders {
			rest = rest.Add(scale.Mul(interval.Rat(moment)))
			left--
		}
	}
	return constant, rest
}
