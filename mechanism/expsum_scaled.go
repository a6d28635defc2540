package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Terms whose exponents differ by at most 1 nat are summed as Σ c e^{−τ} = Σ c + Σ c (e^{−τ} − 1), where τ is the
// exponent minus that of the first term. Cancellation in Σ c is then exact. Terms whose exponents differ by at most
// momentLimit are summed by moments: Σ_k (−ε)ᵏ/k! Σ c sᵏ, where s is t minus that of the first term. Cancellation in
// the leading moments is exact, too. So the enclosure is narrow relative to the sum, however small ε is.

// scaled returns an enclosure of s·e^{tε}, where t is the least exponent. The scaling avoids underflow.
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

// relativeExponent returns −τ, the exponent of v minus that of first.
func relativeExponent(v, first expTerm, nats interval.Interval) interval.Interval {
	return nats.Mul(interval.Rat(new(big.Rat).Sub(first.t, v.t)))
}

// prefixWithin returns the number of leading terms with −τ ≥ least.
func prefixWithin(terms []expTerm, nats, least interval.Interval) int {
	n := 1
	for n < len(terms) && !relativeExponent(terms[n], terms[0], nats).Less(least) {
		n++
	}
	return n
}

// momentLimit is the least −τ of terms that are summed by moments.
var momentLimit = interval.Float(-0x1p-40)

// sumNear sums terms within 1 nat of the first, divided by the first power.
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

// moments returns Σ c, and an enclosure of Σ c (e^{−εs} − 1) for terms with εs ≤ 2⁻⁴⁰. It sums eight orders of ε,
// from the first nonzero moment Σ c sᵏ, k ≥ 1, on. One of the first n − 1 moments is nonzero, since the s > 0 are
// distinct. The remainder is below 2 Σ |c| (εs)ᵏ/k! at the next k.
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

// expSumTable holds laws in powers of e^{−ε}: the probability of value r at a row is weight[row][r]/total[row].
type expSumTable struct {
	weight [][]ExpSum
	total  []ExpSum
}

func (s *expSumTable) add(weight []ExpSum, total ExpSum) {
	s.weight, s.total = append(s.weight, weight), append(s.total, total)
}

// logs returns a function that encloses the logarithms of positive probabilities, however small. NewEnclosedTable
// calls it for all rows in order; later calls only read the cache.
func (s *expSumTable) logs(eps evidence.Epsilon) LogProbs {
	var scale []interval.Interval // ln total of each row
	logTotal := func(row int) interval.Interval {
		for len(scale) <= row {
			scale = append(scale, s.total[len(scale)].EncloseLog(eps))
		}
		return scale[row]
	}
	return func(row, r int) interval.Interval { return s.weight[row][r].EncloseLog(eps).Sub(logTotal(row)) }
}

// loss returns an enclosure of ln p/q for the probabilities of value r at rows i and j, for a loss near 0. It
// computes ln(1 + (p − q)/q), where the difference is exact in rational arithmetic.
func (s *expSumTable) loss(i, j, r int, eps evidence.Epsilon) interval.Interval {
	p, q := s.weight[i][r], s.weight[j][r]
	if &s.total[i].terms[0] != &s.total[j].terms[0] { // all rows of noise share a total
		p, q = p.Mul(s.total[j]), q.Mul(s.total[i])
	}
	gap := p.Sub(q)
	if len(gap.terms) == 0 {
		return interval.Int(0)
	}
	// Each sum is scaled by its own least exponent.
	shift := new(big.Rat).Sub(q.terms[0].t, gap.terms[0].t)
	scale := eps.Enclosure().Mul(interval.Rat(shift)).Exp()
	return gap.scaled(eps).Mul(scale).Quo(q.scaled(eps)).Log1p()
}

// lossInUnits returns the loss as k·ε + rest, and false if an enclosure of a probability contains 0.
func (s *expSumTable) lossInUnits(i, j, r int, eps evidence.Epsilon) (k *big.Rat, rest interval.Interval, ok bool) {
	k, rest = new(big.Rat), interval.Int(0)
	for _, v := range []struct {
		sum ExpSum
		add bool
	}{{s.weight[i][r], true}, {s.total[j], true}, {s.weight[j][r], false}, {s.total[i], false}} {
		at := v.sum.scaled(eps)
		if sign, _ := at.Sign(); sign <= 0 {
			return nil, interval.Interval{}, false
		}
		if v.add {
			k, rest = k.Sub(k, v.sum.terms[0].t), rest.Add(at.Log())
		} else {
			k, rest = k.Add(k, v.sum.terms[0].t), rest.Sub(at.Log())
		}
	}
	return k, rest, true
}
