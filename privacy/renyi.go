package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Renyi returns the largest Rényi divergence of order α > 1 over the ordered pairs of neighbors, in nats. Divergences
// of independent uses add up. The divergence is +Inf if some output is possible at only one of two neighbors. At α =
// 2 it is exact if the laws are rational. It returns an error wrapping evidence.ErrParameter unless α > 1.
func (a *Account) Renyi(ctx context.Context, alpha *big.Rat) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	if alpha.Cmp(one) <= 0 {
		return nil, parameter.Bad("alpha", alpha, "a number above 1")
	}
	if c, laws := a.concentrated(); c != nil {
		d, err := c.renyi(ctx, laws, alpha)
		return a.claim(d, "the sum of Rényi divergences"), err
	}
	const source = "Rényi divergence of the worst pair, both directions (Mironov 2017)"
	s := new(big.Rat).Sub(alpha, one)
	at := interval.Rat(s)
	width, _ := s.Float64()
	bound := func(c *candidate) float64 {
		if c.infinityMass() > 0 {
			return math.Inf(1)
		}
		d := c.logMoment(width) / width
		return d + 1e-12*(1+math.Abs(d)) + 0x1p-50*c.maxLoss() // rounding s by 2⁻⁵³ changes K(s)/s by less than 2⁻⁵⁰ of the largest loss
	}
	most, near, err := a.maxOverPairs(ctx, bound, func(p *composition, _ float64) (evidence.RatOrInterval, error) {
		if infinityMass := p.infinityMass(); sign(infinityMass) != 0 {
			if d, ok := p.openMoment(at); ok {
				return evidence.RatOrInterval{Enclosure: interval.Max(d.Quo(at), interval.Int(0))}, nil
			}
			return infiniteOr(infinityMass), nil
		}
		d := p.logMoment(at).Quo(at)
		return evidence.RatOrInterval{Enclosure: interval.Max(d, interval.Int(0))}, nil
	})
	if err != nil {
		return nil, err
	}
	if s.Cmp(one) == 0 {
		if n := a.exactLogOf(near, (*composition).secondMoment, source); n != nil {
			return n, nil
		}
	}
	n, err = a.asNumber(most, source, func(u *Account) (evidence.Number, error) { return u.Renyi(ctx, alpha) })
	return withMethod(n, "sums of log-moments in 256-bit intervals"), err
}

// withMethod sets the method of a certified number and returns other numbers unchanged.
func withMethod(n evidence.Number, how string) evidence.Number {
	if c, ok := n.(evidence.Certified); ok {
		c.Method = how
		return c
	}
	return n
}

// logMoment encloses s times the Rényi divergence of order 1 + s.
func (p *composition) logMoment(s interval.Interval) interval.Interval {
	sum := interval.Int(0)
	for _, f := range p.factors {
		sum = sum.Add(f.pair.LogMoment(s).Mul(interval.Int(int64(f.times))))
	}
	return sum
}

// secondMoment returns ∫ (dP/dQ) dP, or nil unless it is a rational of moderate size.
func (p *composition) secondMoment() *big.Rat {
	out, bits := big.NewRat(1, 1), 0
	for _, f := range p.factors {
		l, ok := f.pair.(*DiscretePair)
		if !ok || !l.rational || sign(l.infinityMass) != 0 {
			return nil
		}
		sum := new(big.Rat)
		for _, a := range l.atoms {
			sum.Add(sum, new(big.Rat).Mul(a.P.Rational, l.ratio(a)))
		}
		digits := max(sum.Num().BitLen(), sum.Denom().BitLen())
		if tooLong(digits, f.times) {
			return nil
		}
		if bits += f.times * digits; bits > maxExactBits {
			return nil
		}
		out.Mul(out, interval.RationalPower(sum, big.NewInt(int64(f.times))))
	}
	return out
}

// ZCDP encloses the least ρ with D_α ≤ ρα for every α > 1 and all neighbors, where D_α is the Rényi divergence of order
// α: zero-concentrated differential privacy (Bun and Steinke 2016).
//
// The method is branch and bound over s = α − 1. Let K(s) be the log-moment, so that D_α/α = K(s)/(s(1 + s)). K is
// convex, K(0) = 0, and its slope at 0 is the relative entropy. On a cell [s, t] there are two upper bounds of K. The
// first is the chord through the ends. Divided by x(1 + x), it is largest at s, at t, or at a zero of its derivative.
// The second is x·(mean + x·curvature/2). Beyond the last cell, K(x)/x is at most the largest loss. The search halves
// the cell with the largest bound until that bound is close to the largest ratio found.
func (a *Account) ZCDP(ctx context.Context) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	const source = "sup of D_α/α over α > 1 (Bun and Steinke 2016, Definition 1.1)"
	if c, laws := a.concentrated(); c != nil {
		return a.ratioByRenyi(ctx, c, laws)
	}
	below := func(u *Account) (evidence.Number, error) { return u.ZCDP(ctx) }
	order, err := a.ranked(ctx, func(c *candidate) float64 {
		if c.infinityMass() > 0 {
			return math.Inf(1)
		}
		return c.zcdpBound()
	})
	if err != nil {
		return nil, err
	}
	lost, found := zero, false
	for _, r := range order {
		if r.of.infinityMass() > 0 {
			p, err := a.composition(ctx, r.of)
			if err != nil {
				return nil, err
			}
			lost, found = Max(lost, p.zcdp()), true
		}
	}
	if found {
		return a.asNumber(lost, source, below)
	}
	s := &ratioSearch{lo: interval.Int(0), beyond: interval.Int(0)}
	for _, r := range order {
		if interval.Float(r.bound).Less(s.lo) {
			break
		}
		p, err := a.composition(ctx, r.of)
		if err != nil {
			return nil, err
		}
		if p.hasSubsampled() {
			ratio := p.zcdp().Enclosure
			s.lo, s.beyond = interval.Max(s.lo, ratio), interval.Max(s.beyond, ratio)
			continue
		}
		s.begin(p)
	}
	for gap := math.Inf(1); s.Len() > 0; s.halve() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, top := s.cells[0].bound.Bounds()
		reached, _ := s.lo.Bounds()
		if !(top > reached*(1+1e-12)) {
			break
		}
		if s.steps%256 == 255 { // halving does not help if only the widths of enclosures remain
			if !(top-reached < gap*0.9) {
				break
			}
			gap = top - reached
		}
	}
	hi := interval.Max(s.lo, s.beyond)
	for _, c := range s.cells {
		hi = interval.Max(hi, c.bound)
	}
	n, err = a.asNumber(evidence.RatOrInterval{Enclosure: interval.Hull(s.lo, hi)}, source, below)
	return withMethod(n, "branch and bound over α, convexity of the log-moment"), err
}

// zcdpBound returns an upper bound on K(s)/(s(1 + s)) over s > 0. It uses chords between the points of a grid, as for
// the cells of ZCDP, and the largest loss beyond the grid.
func (c *candidate) zcdpBound() float64 {
	most := 0.0
	from, kf := 0.0, 0.0
	for e := -12.0; e <= 20; e += 0.25 {
		to := math.Exp2(e)
		kt := c.logMoment(to)
		if from == 0 {
			most = kt / to // because K(s)/s increases
		} else {
			slope := (kt - kf) / (to - from)
			base := min(kf-slope*from, 0)
			at := from
			if slope > 0 {
				at = min(max((-base+math.Sqrt(base*base-base*slope))/slope, from), to)
			}
			most = max(most, (base+slope*at)/(at*(1+at)))
		}
		from, kf = to, kt
	}
	return max(most, c.maxLoss()/(1+from))*(1+1e-9) + 1e-12
}

// openMoment encloses the log-moment if all infinite losses are artifacts of a truncated range, and returns false
// otherwise. Such losses occur for discrete Gaussian pairs under subsampling. There the truncated pair gives the lower
// end. The pair without subsampling gives the upper end, since subsampling is a mixture and the divergence is jointly
// convex. Mixtures of normal laws have such losses only beyond their cells.
func (p *composition) openMoment(s interval.Interval) (interval.Interval, bool) {
	sum := interval.Int(0)
	for _, f := range p.factors {
		k := f.pair.LogMoment(s)
		l, ok := f.pair.(*DiscretePair)
		switch {
		case ok && l.untruncated != nil:
			k = interval.Hull(k, interval.Max(k, l.untruncated.LogMoment(s)))
		case ok && l.whole != nil: // here LogMoment returns the moment of the whole pair
		case sign(f.pair.InfinityMass()) != 0:
			return sum, false
		}
		sum = sum.Add(k.Mul(interval.Int(int64(f.times))))
	}
	return sum, true
}

// zcdp encloses the supremum of D_α/α of the composition. The sum over its factors is an upper bound.
func (p *composition) zcdp() evidence.RatOrInterval {
	sum := interval.Int(0)
	for _, f := range p.factors {
		sum = sum.Add(f.pair.zcdp().Mul(interval.Int(int64(f.times))))
	}
	return evidence.RatOrInterval{Enclosure: sum}
}

// zcdp implements Pair. For a truncated pair it is at most the zcdp of the pair without subsampling, as in openMoment.
func (l *DiscretePair) zcdp() interval.Interval {
	switch {
	case l.untruncated != nil:
		return interval.Hull(interval.Int(0), l.untruncated.half)
	case l.whole != nil:
		return interval.Hull(interval.Int(0), l.whole.zcdp())
	case sign(l.infinityMass) != 0:
		return infiniteOr(l.infinityMass).Enclosure
	}
	return boundedRatio(l)
}

// boundedRatio encloses the supremum of D_α/α for losses in [−ε, ε]. It is at most ε²/2 (Bun and Steinke 2016,
// Proposition 1.4).
func boundedRatio(p Pair) interval.Interval {
	ends := p.LossRange()
	most := interval.Max(ends, ends.Neg())
	return interval.Hull(interval.Int(0), most.Mul(most).Quo(interval.Int(2)).Upper())
}

// infiniteOr returns +Inf if the infinity mass is certainly positive, and [0, +Inf] if it may be 0.
func infiniteOr(infinityMass evidence.RatOrInterval) evidence.RatOrInterval {
	if certain(infinityMass) {
		return evidence.RatOrInterval{Enclosure: infinite}
	}
	return evidence.RatOrInterval{Enclosure: interval.Hull(interval.Int(0), infinite)}
}
