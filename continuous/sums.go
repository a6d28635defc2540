package continuous

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// maxExactBits bounds the rationals in an exact sum. Larger sums are certified.
const maxExactBits = 1 << 17

// Every sum over layers is S(z)/(1−z)², where S is the polynomial of second differences. For periodic layers, whose
// weights are constant and whose moments are linear in the layer, finitely many differences are not 0. In P = Σ z^i D_i
// / Σ z^i n_i the factors (1−z)² cancel, and so does z^k if layer k is the first of positive weight.

// rate holds z = e^{−decay} and 1 − z, enclosed as narrowly as the decay is known.
type rate struct{ z, rest interval.Interval }

func rateOf(decay evidence.Epsilon) rate {
	if z, ok := decay.RationalDecay(); ok {
		return rate{interval.Rat(z), interval.Rat(new(big.Rat).Sub(big.NewRat(1, 1), z))}
	}
	return rate{decay.Decay(), decay.Enclosure().Neg().Expm1().Neg()}
}

// rational evaluates the polynomial of second differences at a rational z.
func (s *series) rational(z *big.Rat) *big.Rat {
	u, v := z.Num(), z.Denom()
	sum, power, term := new(big.Int), big.NewInt(1), new(big.Int)
	for i := len(s.second) - 1; i >= 0; i-- { // Σ c_i u^i v^{d−i} by Horner in u
		sum.Mul(sum, u)
		sum.Add(sum, term.Mul(&s.second[i], power))
		if i > 0 {
			power.Mul(power, v)
		}
	}
	return new(big.Rat).SetFrac(sum, power)
}

// enclosure evaluates the polynomial of second differences, divided by z^from, at an enclosed z. The differences before
// from must be 0.
func (s *series) enclosure(z interval.Interval, from int) interval.Interval {
	sum, gap := interval.Int(0), 0
	for i := len(s.second) - 1; i >= from; i-- {
		if c := &s.second[i]; c.Sign() != 0 {
			sum = sum.Mul(z.Pow(gap)).Add(interval.Rat(new(big.Rat).SetInt(c)))
			gap = 0
		}
		gap++
	}
	if gap > 1 {
		sum = sum.Mul(z.Pow(gap - 1))
	}
	return sum
}

// total encloses (1−z)²/z^first times the sum over layers of a series that has no negative terms and is finally
// constant. It works as polynomials does.
func (s *series) total(r rate, first int) interval.Interval {
	if sum := s.enclosure(r.z, first); sum.Narrow(tellingBits) {
		return sum
	}
	n := len(s.second)
	v := s.values(n + 1)
	sum := interval.Int(0)
	for i := n - 1; i >= first; i-- {
		sum = sum.Mul(r.z).Add(interval.Rat(new(big.Rat).SetInt(v[i])))
	}
	ends := r.rest.Mul(r.z.Pow(max(n-first, 0))).Mul(interval.Rat(new(big.Rat).SetInt(v[n])))
	return sum.Mul(r.rest.Mul(r.rest)).Add(ends)
}

// first returns the index of the first nonzero second difference, or their number if there is none.
func (s *series) first() int {
	i := 0
	for i < len(s.second) && s.second[i].Sign() == 0 {
		i++
	}
	return i
}

// exactly returns z, and true if sums at this decay are computed in rational arithmetic.
func (l *Sequence) exactly(decay evidence.Epsilon) (*big.Rat, bool) {
	z, ok := decay.RationalDecay()
	if !ok || !l.closed || max(len(l.weights.second), len(l.moments.second))*z.Denom().BitLen() > maxExactBits {
		return nil, false
	}
	return z, true
}

// momentUnit returns the unit of the moments' polynomial, divided by that of the weights' polynomial, in units of f.
func (l *Sequence) momentUnit() *big.Rat {
	d := new(big.Int).Set(l.denominator)
	if !l.counting {
		d.Lsh(d, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), d)
}

// weightUnit returns the unit of the weights.
func (l *Sequence) weightUnit() *big.Rat {
	if l.counting {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), l.denominator)
}

const sumsSource = "Wu et al., Analytic Theory, (40)"

// noLaw is the result of every sum over all layers at decay 0, because the sum diverges.
var noLaw = evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Provenance: evidence.From(sumsSource).By("the layers have no end")}

// Normalizer returns α = Σ z^i |R_i| at z = e^{−decay}, in units of length or in points. It is exact if z is rational,
// certified otherwise, and +Inf at decay 0, where the sum diverges.
func (l *Sequence) Normalizer(decay evidence.Epsilon) evidence.Number {
	if decay.IsZero() {
		return noLaw
	}
	if z, ok := l.exactly(decay); ok {
		return evidence.Exact{Value: l.normalizer(z), Cases: uint64(len(l.nodes)), Provenance: evidence.From(sumsSource)}
	}
	r := rateOf(decay)
	weight, _ := l.sums(r)
	return evidence.Enclosed(weight.Mul(r.z.Pow(l.first)), l.method(), sumsSource)
}

func (l *Sequence) normalizer(z *big.Rat) *big.Rat {
	w := l.weights.rational(z)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), z)
	w.Quo(w, rest.Mul(rest, rest))
	return w.Mul(w, l.weightUnit())
}

// Distortion returns P = Σ z^i ∫_{R_i} |r| / Σ z^i |R_i| at z = e^{−decay}, in units of f. It is exact if z is
// rational, certified otherwise, and +Inf at decay 0, where there is no law.
func (l *Sequence) Distortion(decay evidence.Epsilon) evidence.Number {
	if decay.IsZero() {
		return noLaw
	}
	if z, ok := l.exactly(decay); ok {
		p := l.moments.rational(z)
		p.Quo(p, l.weights.rational(z))
		return evidence.Exact{Value: p.Mul(p, l.momentUnit()), Cases: uint64(len(l.nodes)), Provenance: evidence.From(sumsSource)}
	}
	r := rateOf(decay)
	if l.closed {
		weight, moment := l.polynomials(r)
		return evidence.Enclosed(moment.Quo(weight).Mul(interval.Rat(l.momentUnit())), l.method(), sumsSource)
	}
	weight, moment := l.sums(r)
	return evidence.Enclosed(moment.Quo(weight), l.method(), sumsSource)
}

func (l *Sequence) method() string {
	if l.closed {
		return fmt.Sprintf("layers periodic from %d on, summed in closed form, rounded outward", l.periodic)
	}
	return fmt.Sprintf("layers 0…%d summed, the rest bounded, rounded outward", l.known)
}

// tellingBits is the number of bits to which sums are enclosed. The later rounding to float64 is coarser.
const tellingBits = 64

// polynomials encloses (1−z)²/z^first times the two sums over layers, in their own units: S(z)/z^first. The
// enclosures are narrow relative to their values unless a bound is out of range.
//
// Near z = 1 the second differences of the weights cancel, since their sum is 0. Then it sums the terms of the
// layers, none of which is negative:
//
//	(1−z)² Σ_{i<n} z^i w_i + (1−z) z^n w_n,
//	(1−z)² Σ_{i<n} z^i m_i + z^n ((1−z) m_n + z (m_{n+1} − m_n)),
//
// where weights are constant and moments linear from layer n on.
func (l *Sequence) polynomials(r rate) (weight, moment interval.Interval) {
	weight, moment = l.weights.enclosure(r.z, l.first), l.moments.enclosure(r.z, l.first)
	if weight.Narrow(tellingBits) && moment.Narrow(tellingBits) {
		return weight, moment
	}
	n := max(len(l.weights.second), len(l.moments.second))
	whole := func(v *big.Int) interval.Interval { return interval.Rat(new(big.Rat).SetInt(v)) }
	w, m := l.weights.values(n+2), l.moments.values(n+2)
	squared := r.rest.Mul(r.rest)
	last := r.z.Pow(n - l.first)
	var head, ahead interval.Interval
	if slack := r.rest.Mul(interval.Int(int64(n))); slack.Less(negligible) {
		// 1 − n(1−z) ≤ z^i ≤ 1 for every i ≤ n.
		every := interval.Hull(interval.Int(1).Sub(slack), interval.Int(1))
		total := func(v []*big.Int) interval.Interval {
			sum := new(big.Int)
			for _, a := range v[:n] {
				sum.Add(sum, a)
			}
			return whole(sum).Mul(every)
		}
		head, ahead = total(w), total(m)
	} else {
		head, ahead = interval.Int(0), interval.Int(0)
		for i := n - 1; i >= l.first; i-- {
			head, ahead = head.Mul(r.z).Add(whole(w[i])), ahead.Mul(r.z).Add(whole(m[i]))
		}
	}
	weight = head.Mul(squared).Add(r.rest.Mul(last).Mul(whole(w[n])))
	rise := whole(m[n]).Mul(r.rest).Add(whole(new(big.Int).Sub(m[n+1], m[n])).Mul(r.z))
	return weight, ahead.Mul(squared).Add(last.Mul(rise))
}

// negligible is 2⁻⁹⁶.
var negligible = interval.Float(0x1p-96)

// sums encloses Σ z^i |R_i| and Σ z^i ∫_{R_i} |r|, both divided by z^first.
func (l *Sequence) sums(r rate) (weight, moment interval.Interval) {
	scale := interval.Rat(l.weightUnit()).Quo(r.rest.Mul(r.rest))
	weight, moment = l.polynomials(r)
	weight = weight.Mul(scale)
	moment = moment.Mul(scale).Mul(interval.Rat(l.momentUnit()))
	if l.closed {
		return weight, moment
	}
	lost, lostMoment := l.lost(r)
	return interval.Hull(weight, weight.Add(lost)), interval.Hull(moment, moment.Add(lostMoment))
}

// lost returns an upper bound on the contribution of unknown layers to the two sums.
//
// The ring contains A_i for i ≤ m = known and subsets of later ones. By
// Abel's summation Σ z^i |R_i| = (1−z) Σ z^i |A_i|, and A_i lies within
// ±(δ + iΔ): a length of 2s_i and a moment of s_i², s_i = δ + iΔ, or at most
// (2/g) s_i points of the lattice gℤ with moments below (2/g) s_i², s_i = g + iΔ.
func (l *Sequence) lost(r rate) (weight, moment interval.Interval) {
	z, rest := r.z, r.rest
	start, times := l.radius, interval.Int(1)
	if g, ok := l.query.Lattice(); ok && l.counting {
		start, times = g, interval.Int(1).Quo(interval.Rat(g))
	}
	step := interval.Rat(l.query.Sensitivity().Value)
	s := interval.Rat(start).Add(interval.Int(int64(l.known) + 1).Mul(step))
	ahead := z.Pow(l.known + 1 - l.first).Mul(times)
	drift := step.Mul(z).Quo(rest) // Σ_{t≥0} (1−z) z^t (s + tΔ) = s + Δz/(1−z)
	weight = ahead.Mul(interval.Int(2)).Mul(s.Add(drift))
	spread := step.Mul(step).Mul(z).Mul(interval.Int(1).Add(z)).Quo(rest.Mul(rest))
	moment = ahead.Mul(s.Mul(s).Add(interval.Int(2).Mul(s).Mul(drift)).Add(spread))
	if l.counting {
		moment = moment.Mul(interval.Int(2))
	}
	return weight, moment
}
