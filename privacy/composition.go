package privacy

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// composition is the pair of laws of the outputs of independent uses at two datasets.
type composition struct {
	index   int // index of the pair of datasets
	factors []factor

	guard    sync.Mutex
	tailSums map[uint]*tailSums // by bits

	triedHalves bool
	halves      *halfOutputs // nil if not computed, or not available

	triedMultisets bool
	width          float64               // largest relative width that float64 answers should have
	allMultisets   *pld.List             // nil if not computed, or if there are too many
	accounts       map[uint]*pld.Account // float64 compositions by bits of precision
}

// factor is a pair and how often it is used.
type factor struct {
	pair  Pair
	times int
}

// newComposition returns the product of factors. It merges several normal pairs into one pair, whose μ² is the sum of
// the merged μ².
func newComposition(index int, factors []factor) *composition {
	p := &composition{index: index, width: defaultWidth, tailSums: map[uint]*tailSums{}}
	factors = flatten(factors)
	square, normals := interval.Int(0), 0
	for _, f := range factors {
		if s, ok := f.pair.(*closedForm); ok && s.normalMu != nil {
			square = square.Add(s.normalMu.Mul(*s.normalMu).Mul(interval.Int(int64(f.times))))
			normals += min(f.times, 2)
			continue
		}
		p.factors = append(p.factors, f)
	}
	if normals > 1 {
		p.factors = append(p.factors, factor{Normal(square.Sqrt()), 1})
		return p
	}
	p.factors = factors
	return p
}

// single returns the pair if there is only one, used once, and nil otherwise.
func (p *composition) single() Pair {
	if len(p.factors) == 1 && p.factors[0].times == 1 {
		return p.factors[0].pair
	}
	return nil
}

// infinityMass returns the mass of infinite losses.
func (p *composition) infinityMass() evidence.RatOrInterval {
	out := zero
	for _, f := range p.factors {
		s := f.pair.InfinityMass()
		if sign(s) == 0 {
			continue
		}
		if s.Rational != nil && tooLong(s.Rational.Denom().BitLen(), f.times) {
			s.Rational = nil
		}
		for n := f.times; n > 0; n >>= 1 { // the union over n uses, by repeated doubling
			if n&1 == 1 {
				out = unionMass(out, s)
			}
			if n > 1 {
				s = unionMass(s, s)
			}
		}
	}
	return out
}

// tooLong reports whether the power of a number of that many bits may have more than maxExactBits bits.
func tooLong(bits, times int) bool { return bits > 0 && times > maxExactBits/bits }

// unionMass returns the probability that at least one of two independent events occurs. It is computed without
// cancellation, so a small probability keeps its relative precision.
func unionMass(s, t evidence.RatOrInterval) evidence.RatOrInterval {
	if s.Rational != nil && t.Rational != nil {
		return s.Add(t.Mul(evidence.ExactRat(one).Sub(s)))
	}
	at := func(x, y interval.Interval) interval.Interval { return x.Add(y.Mul(interval.Int(1).Sub(x))) } // increases in both
	return evidence.RatOrInterval{Enclosure: interval.Hull(at(s.Enclosure.Lower(), t.Enclosure.Lower()), at(s.Enclosure.Upper(), t.Enclosure.Upper()))}
}

// maxFiniteLoss encloses the largest finite loss l. ratio is e^l if it is a rational of moderate size, and nil
// otherwise.
func (p *composition) maxFiniteLoss() (loss interval.Interval, ratio *big.Rat) {
	loss, ratio = interval.Int(0), big.NewRat(1, 1)
	bits := 0
	for _, f := range p.factors {
		n := big.NewInt(int64(f.times))
		most := f.pair.LossRange().Upper()
		l, ok := f.pair.(*DiscretePair)
		if ok {
			most = l.maxLoss()
		}
		loss = loss.Add(most.Mul(interval.Rat(new(big.Rat).SetInt(n))))
		if !ok || !l.rational {
			ratio = nil
		}
		if ok && l.untruncated != nil {
			loss = interval.Float(math.Inf(1)) // its infinity mass stands for finite losses that were truncated
		}
		if ratio == nil || len(l.atoms) == 0 {
			continue
		}
		r := l.ratio(l.atoms[len(l.atoms)-1])
		digits := max(r.Num().BitLen(), r.Denom().BitLen())
		if tooLong(digits, f.times) {
			ratio = nil
			continue
		}
		if bits += f.times * digits; bits > maxExactBits {
			ratio = nil
			continue
		}
		ratio.Mul(ratio, interval.RationalPower(r, n))
	}
	return loss, ratio
}

// maxLoss encloses the largest loss, infinite ones included. It is 0 if all losses are negative.
func (p *composition) maxLoss() evidence.RatOrInterval {
	infinityMass := p.infinityMass()
	if certain(infinityMass) {
		return evidence.RatOrInterval{Enclosure: infinite}
	}
	loss, _ := p.maxFiniteLoss()
	loss = interval.Max(loss, interval.Int(0))
	if sign(infinityMass) != 0 {
		loss = interval.Hull(loss, infinite)
	}
	return evidence.RatOrInterval{Enclosure: loss}
}

// atLeastMaxLoss reports whether ε is certainly at least the largest finite loss.
func (p *composition) atLeastMaxLoss(eps evidence.Epsilon) bool {
	top, ratio := p.maxFiniteLoss()
	if ratio != nil {
		if w, ok := eps.Exp(); ok {
			return ratio.Cmp(w) <= 0
		}
	}
	return !eps.Enclosure().Lower().Less(top.Upper())
}

// bracketed reports whether an answer has a lower end that holds for the lower bounds of the pairs, and an upper end
// that holds for the pairs rounded up. The answer is delta at eps, or epsilon if eps is nil. Sums in float64 have such
// ends. From the largest loss on, delta is the infinity mass of the pairs rounded up.
func (p *composition) bracketed(eps *evidence.Epsilon) bool {
	if eps != nil && p.atLeastMaxLoss(*eps) {
		return false
	}
	return p.single() == nil && p.commonLattice(workingPrecision(1, 1)) == nil && p.meetInTheMiddle() == nil && p.multisets() == nil
}

// delta returns the hockey-stick divergence of order e^ε.
func (p *composition) delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	switch one := p.single().(type) {
	case nil:
	case *sampledProduct:
		return one.delta(ctx, eps, p.width)
	default:
		return one.Delta(ctx, eps)
	}
	if p.atLeastMaxLoss(eps) {
		return p.infinityMass(), nil
	}
	if w, ok := eps.Exp(); ok {
		switch d, err := p.exactDelta(ctx, w); {
		case err != nil:
			return zero, err
		case d != nil:
			return evidence.ExactRat(d), nil
		}
	}
	if p.commonLattice(workingPrecision(1, 1)) == nil {
		if h := p.meetInTheMiddle(); h != nil {
			d, err := h.delta(ctx, eps)
			return p.infinityMass().Add(evidence.RatOrInterval{Enclosure: d}), err
		}
		d, err := p.float64Delta(ctx, eps)
		if err != nil {
			return zero, err
		}
		// Let top be the largest finite loss. Finite losses contribute E(1 − e^{ε−L})₊ ≤ 1 − e^{ε−top}. For ε just
		// below top that is less than the error of the float64 sums.
		top, _ := p.maxFiniteLoss()
		most := eps.Enclosure().Sub(top).Expm1().Neg().Add(p.infinityMass().Enclosure)
		if _, hi := most.Bounds(); hi >= 0 && most.CmpHi(d) < 0 {
			d = interval.Hull(d.Lower(), most.Upper())
		}
		return evidence.RatOrInterval{Enclosure: d}, nil
	}
	at := eps.Enclosure()
	return p.refine(ctx, p.deltaHint(eps), func(s *tailSums) interval.Interval { return s.delta(at) })
}

// deltaHint returns a rough upper estimate of ln δ(ε), at most −20.
func (p *composition) deltaHint(eps evidence.Epsilon) float64 {
	c := &candidate{}
	for _, f := range p.factors {
		c.screens, c.times = append(c.screens, f.pair.screen()), append(c.times, f.times)
	}
	const least = -20 // the result if the bound is NaN, too
	if bound := c.logDeltaBound(eps) - 7; bound < least {
		return bound
	}
	return least
}

// epsilon encloses the least ε ≥ 0 at which the divergence is at most delta, for 0 < delta < 1. It may stop narrowing
// the enclosure once the upper end is at most enough.
func (p *composition) epsilon(ctx context.Context, delta *big.Rat, enough float64) (evidence.RatOrInterval, error) {
	at, err := evidence.RationalDelta("delta", delta)
	if err != nil {
		return zero, err
	}
	switch one := p.single().(type) {
	case *closedForm:
		e, err := one.epsilon(at)
		return evidence.RatOrInterval{Enclosure: e}, err
	case *subsampled:
		e, err := one.epsilon(ctx, at)
		return evidence.RatOrInterval{Enclosure: e}, err
	case *sampledProduct:
		e, err := one.epsilon(ctx, at, p.width)
		return evidence.RatOrInterval{Enclosure: e}, err
	case *DiscretePair:
		return evidence.RatOrInterval{Enclosure: one.epsilon(interval.Rat(delta))}, nil
	}
	if p.commonLattice(workingPrecision(1, 1)) == nil {
		e, err := p.float64Epsilon(ctx, delta, enough)
		return evidence.RatOrInterval{Enclosure: e}, err
	}
	hint, _ := interval.RationalLog(delta).Bounds()
	return p.refine(ctx, hint, func(s *tailSums) interval.Interval { return p.belowTop(s.epsilon(delta), delta) })
}

// bisect narrows an enclosure of the least ε at which the divergence is at most delta. It computes the divergence at
// midpoints, and stops if an enclosure of the divergence contains delta.
func (p *composition) bisect(ctx context.Context, e interval.Interval, delta *big.Rat) (interval.Interval, error) {
	target := interval.Rat(delta)
	lo, hi := e.Bounds()
	for lo = max(lo, 0); hi-lo > targetWidth*max(hi, 1) && !math.IsInf(hi, 1); {
		mid := lo + (hi-lo)/2
		eps, err := evidence.NewEpsilon("eps", mid)
		if err != nil {
			return e, err
		}
		d, err := p.delta(ctx, eps)
		if err != nil {
			return e, err
		}
		switch {
		case target.Less(d.Enclosure):
			lo = mid
		case !target.Lower().Less(d.Enclosure.Upper()): // δ is at least every value of the enclosure
			hi = mid
		default:
			return interval.Between(lo, hi), nil
		}
	}
	return interval.Between(lo, hi), nil
}

// targetWidth is the relative width at which refine and bisect stop. bisect takes it as absolute for ε below 1.
const targetWidth = 1e-11

// refine evaluates ask on sums of increasing precision, until the answer is narrow or more bits do not help. hint is an
// estimate of ln δ.
func (p *composition) refine(ctx context.Context, hint float64, ask func(s *tailSums) interval.Interval) (evidence.RatOrInterval, error) {
	var best interval.Interval
	var before float64
	last := math.Inf(1)
	for prec := logPrecision(hint, p.uses()); ; prec = 2*prec + 12 {
		s, err := p.sumsAt(ctx, prec)
		if err != nil {
			return zero, err
		}
		a := ask(s)
		lo, hi := a.Bounds()
		width := (hi - lo) / hi // NaN if hi is 0
		if !(width >= last) || hi < before {
			best = a
		}
		if !(width > targetWidth) || width > last/4 && !(hi < before/4) || p.words(2*prec+12) > maxWords {
			return evidence.RatOrInterval{Enclosure: best}, nil
		}
		last, before = width, hi
	}
}

// uses returns the total number of uses.
func (p *composition) uses() float64 {
	n := 0.0
	for _, f := range p.factors {
		n += float64(f.times)
	}
	return n
}

// sumsAt returns the law of the sum of the losses on their common lattice, with masses of the given number of bits. The
// law is cached.
func (p *composition) sumsAt(ctx context.Context, prec uint) (*tailSums, error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.tailSums[prec] == nil {
		l, err := p.composeOnLattice(ctx, prec)
		if err != nil {
			return nil, err
		}
		p.tailSums[prec] = newTailSums(l)
	}
	return p.tailSums[prec], nil
}

// composeOnLattice returns the law of the sum of the losses on their common lattice.
func (p *composition) composeOnLattice(ctx context.Context, prec uint) (*lossPMF, error) {
	var total *lossPMF
	for i, g := range p.commonLattice(prec) {
		f := p.factors[i]
		l, err := f.pair.(latticePair).discretize(ctx, g, prec)
		if err != nil {
			return nil, err
		}
		if l, err = l.selfConvolve(ctx, f.times); err != nil {
			return nil, err
		}
		if total == nil {
			total = l
		} else {
			total = total.convolve(l)
		}
	}
	return total, nil
}
