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

// sampledProduct is the subsampled pair of the joint outputs (P, Q) of several uses on one sample. Its divergences are
// divergences of the composition at other orders: see sampledOrder. In compositions, lists of the losses of the uses
// represent it.
type sampledProduct struct {
	base, reversed *composition // (P, Q) and (Q, P), the same composition if each use equals its reverse
	rate           *big.Rat
	kind           mixture

	guard sync.Mutex
	lists *float64Pair // nil until needed
}

func newSampledProduct(c *composition, rate *big.Rat, how mixture) *sampledProduct {
	p := &sampledProduct{base: newComposition(0, c.factors), rate: rate, kind: how}
	back := make([]factor, len(c.factors))
	own := true
	for i, f := range c.factors {
		back[i] = factor{f.pair.Reverse(), f.times}
		own = own && back[i].pair == f.pair
	}
	if p.reversed = p.base; !own {
		p.reversed = newComposition(0, back)
	}
	return p
}

// Reverse implements Pair.
func (p *sampledProduct) Reverse() Pair {
	out := &sampledProduct{base: p.base, reversed: p.reversed, rate: p.rate}
	switch p.kind {
	case removal:
		out.kind = addition
	case replacement:
		out.base, out.reversed, out.kind = p.reversed, p.base, replacement
	}
	return out
}

// asked returns the composition whose divergences determine those of the pair: (Q, P) for addition, and (P, Q)
// otherwise.
func (p *sampledProduct) asked() *composition {
	if p.kind == addition {
		return p.reversed
	}
	return p.base
}

// Delta implements Pair.
func (p *sampledProduct) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	return p.delta(ctx, eps, defaultWidth)
}

// delta returns the divergence of order e^ε. width is the relative width to which the composition computes its
// divergence.
func (p *sampledProduct) delta(ctx context.Context, eps evidence.Epsilon, width float64) (evidence.RatOrInterval, error) {
	share, at := sampledOrder(eps, p.rate, p.kind)
	if sign(share) == 0 {
		return zero, nil
	}
	of := p.asked()
	of.narrow(width)
	d, err := hockeyStickOf(at, func(eps evidence.Epsilon) (evidence.RatOrInterval, error) { return of.delta(ctx, eps) })
	return share.Mul(d), err
}

// epsilon encloses the least ε ≥ 0 at which the divergence is at most δ, for 0 < δ < 1, as subsampled.epsilon does. It
// narrows the answers of the composition, in at most four rounds, until the relative width of ε is at most width.
func (p *sampledProduct) epsilon(ctx context.Context, delta evidence.Delta, width float64) (interval.Interval, error) {
	share := new(big.Rat).Quo(delta.Rat(), p.rate)
	if share.Cmp(one) >= 0 {
		return interval.Int(0), nil
	}
	of, err := evidence.RationalDelta("delta", share)
	if err != nil {
		return interval.Int(0), err
	}
	const rounds = 4
	asked := width / 2
	for round := 1; ; round++ {
		p.asked().narrow(asked)
		e, err := p.invert(ctx, of)
		lo, hi := e.Bounds()
		if err != nil || round == rounds || !(hi-lo > width*hi) || math.IsInf(hi, 1) || asked <= leastWidth {
			return e, err
		}
		asked = max(asked*min(width*hi/(hi-lo), 1)/2, leastWidth)
	}
}

// invert encloses the least ε at which the divergence is at most γ times share.
func (p *sampledProduct) invert(ctx context.Context, share evidence.Delta) (interval.Interval, error) {
	g, c := interval.Rat(p.rate), p.asked()
	e, err := c.epsilon(ctx, share.Rat(), math.Inf(-1))
	if err != nil {
		return interval.Int(0), err
	}
	u := e.Enclosure
	if p.kind != addition {
		return rising(u, func(u interval.Interval) interval.Interval { return mixedLoss(u, p.rate) }), nil
	}
	const narrow = 1e-10
	rest := interval.Rat(new(big.Rat).Sub(one, p.rate))
	_, top := u.Bounds()
	found, err := EpsilonAt(ctx, Inversion{Delta: share, Pure: evidence.Certified{Hi: top}, Width: narrow, At: func(ctx context.Context, u evidence.Epsilon) (evidence.Number, error) {
		d, err := c.delta(ctx, u)
		return evidence.EnclosedLoss(d.Enclosure.Quo(interval.Int(1).Add(rest.Mul(u.Enclosure().Expm1()))), "", ""), err
	}})
	if err != nil {
		return interval.Int(0), err
	}
	return rising(interval.Between(found.Lo, found.Hi), func(u interval.Interval) interval.Interval {
		return g.Mul(u.Neg().Expm1()).Log1p().Neg()
	}), nil
}

// rising returns f(x) for an increasing f. The ends of x may be +Inf.
func rising(x interval.Interval, f func(x interval.Interval) interval.Interval) interval.Interval {
	lo, hi := x.Bounds()
	switch {
	case math.IsInf(lo, 1) || math.IsInf(hi, 1):
		if math.IsInf(lo, 1) {
			return infinite
		}
		return interval.Hull(f(x.Lower()), infinite)
	}
	return f(x)
}

// narrow lowers the relative width of later answers.
func (p *composition) narrow(width float64) {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.width = max(min(p.width, width), leastWidth)
}

// float64Pair implements Pair. It returns lists of the losses of all uses, subsampled at the rate rounded up for the
// upper bound and down for the lower bound.
func (p *sampledProduct) float64Pair(ctx context.Context, prec uint) (*float64Pair, error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.lists != nil {
		return p.lists, nil
	}
	of := p.asked()
	of.guard.Lock()
	defer of.guard.Unlock()
	a, err := of.float64Account(ctx, max(prec, workingPrecision(1e-100, 1)))
	if err != nil {
		return nil, err
	}
	above, below, err := a.Lists(ctx)
	if err != nil {
		return nil, err
	}
	lo, hi := interval.Rat(p.rate).Bounds()
	how := map[mixture]pld.Neighbor{removal: pld.Removal, addition: pld.Addition, replacement: pld.Replacement}[p.kind]
	out := &float64Pair{above.Sampled(min(max(hi, pld.LeastRate), 1), how, true), &pld.List{Loss: []float64{0}, Log: []float64{0}}}
	if lo >= pld.LeastRate {
		out.below = below.Sampled(lo, how, false)
	}
	p.lists = out
	return out, nil
}

// logMomentBound bounds the log-moment. The bound is ln(γe^K + 1 − γ) by the convexity of all divergences, where K is
// the log-moment of the base. Under addition an infinite loss of the base becomes −ln(1 − γ), the largest loss. Under
// replacement, let m be the infinity mass of the base. The finite losses have at most the base's divergence at orders t
// ≥ 1, and at most (1 − γ)m more at t < 1, where the weight s(s + 1)t^{s−1} integrates to 1 + s.
func (p *sampledProduct) logMomentBound(s interval.Interval) interval.Interval {
	of := p.asked()
	k, infinity := of.logMoment(s), of.infinityMass()
	rest := interval.Int(1).Sub(interval.Rat(p.rate))
	switch {
	case p.kind == addition && sign(infinity) != 0:
		return s.Mul(rest.Log().Neg())
	case p.kind == replacement && sign(infinity) != 0:
		unit := interval.Int(1)
		return interval.LogSum([]interval.Interval{k, interval.Int(0)}, []interval.Interval{unit, unit.Add(s).Mul(rest).Mul(infinity.Enclosure)})
	case p.kind == replacement || k.Mid() > 1e4:
		return k
	}
	return rising(k, func(k interval.Interval) interval.Interval { return mixedLoss(k, p.rate) })
}

// LogMoment implements Pair. It is a binomial sum if possible, as for subsampled pairs. Otherwise the lists and
// convexity bound it.
func (p *sampledProduct) LogMoment(s interval.Interval) interval.Interval {
	if order, ok := wholeOrder(s); ok && p.kind == removal && sign(p.base.infinityMass()) == 0 {
		return binomialMoment(order, p.rate, p.base.logMoment)
	}
	out := interval.Hull(interval.Int(0), interval.Max(p.logMomentBound(s), interval.Int(0)).Upper())
	l, err := p.float64Pair(context.Background(), 0)
	if err != nil {
		return out
	}
	lo, hi := s.Bounds()
	least, _ := l.below.(*pld.List).LogMoment(lo)
	if above := l.above.(*pld.List); above.Infinity == 0 {
		_, most := above.LogMoment(hi)
		out = interval.Hull(out.Lower(), interval.Min(out.Upper(), interval.Float(most)))
	}
	return interval.Hull(interval.Min(interval.Max(interval.Float(least), interval.Int(0)), out.Upper()), out.Upper())
}

// Mean implements Pair. By convexity of the divergence it is at most γ times the mean of the base for removal and
// addition, and at most the mean of the base for replacement. For an addition with infinite losses of the base it is at
// most the largest loss.
func (p *sampledProduct) Mean() interval.Interval {
	sum := interval.Int(0)
	for _, f := range p.asked().factors {
		sum = sum.Add(f.pair.Mean().Mul(interval.Int(int64(f.times))))
	}
	switch p.kind {
	case removal:
		sum = sum.Mul(interval.Rat(p.rate))
	case addition:
		if sum = sum.Mul(interval.Rat(p.rate)); sign(p.asked().infinityMass()) != 0 {
			sum = p.LossRange().Upper()
		}
	}
	return interval.Hull(interval.Int(0), interval.Max(sum, interval.Int(0)).Upper())
}

// VarianceBound implements Pair. It returns a large constant, since no bound is known.
func (p *sampledProduct) VarianceBound() interval.Interval { return interval.Between(0, 1e300) }

// InfinityMass implements Pair.
func (p *sampledProduct) InfinityMass() evidence.RatOrInterval {
	if p.kind == addition {
		return zero
	}
	return evidence.ExactRat(p.rate).Mul(p.base.infinityMass())
}

// LossRange implements Pair. The losses of (γP + (1−γ)Q, Q) are ln(γe^l + 1 − γ) for the losses l of the base. The
// losses of the reverse are the negatives of these.
func (p *sampledProduct) LossRange() interval.Interval {
	floor := interval.Rat(new(big.Rat).Sub(one, p.rate)).Log()
	most := func(c *composition) interval.Interval {
		top, _ := c.maxFiniteLoss()
		return rising(top, func(l interval.Interval) interval.Interval { return mixedLoss(l, p.rate) })
	}
	least := floor // least loss of a removal
	if far, _ := p.reversed.maxFiniteLoss(); sign(p.reversed.infinityMass()) == 0 && !math.IsInf(far.Mid(), 0) {
		least = mixedLoss(far.Neg(), p.rate)
	}
	switch p.kind {
	case addition:
		return interval.Hull(most(p.base).Neg(), least.Neg())
	case replacement: // outputs with equal masses have loss 0
		return interval.Hull(interval.Hull(most(p.reversed).Neg(), most(p.base)), interval.Int(0))
	}
	return interval.Hull(least, most(p.base))
}

// truncatedRange implements Pair.
func (p *sampledProduct) truncatedRange(uint) (lo, hi float64) { return p.LossRange().Bounds() }

// screen implements Pair.
func (p *sampledProduct) screen() *Screen {
	out := &Screen{Error: 0x1p-50, logMomentFunc: func(s float64) float64 {
		_, hi := p.logMomentBound(interval.Float(s)).Bounds()
		return hi
	}}
	_, out.maxLoss = p.LossRange().Bounds()
	_, out.InfinityMass = p.InfinityMass().Enclosure.Bounds()
	return out
}

// gdp implements Pair. A subsampled pair is at most as distinguishable as its base, which is √Σμ²-GDP.
func (p *sampledProduct) gdp() interval.Interval {
	square := interval.Int(0)
	for _, f := range p.base.factors {
		mu := f.pair.gdp()
		square = square.Add(mu.Mul(mu).Mul(interval.Int(int64(f.times))))
	}
	if _, hi := square.Bounds(); math.IsInf(hi, 1) {
		return interval.Hull(interval.Int(0), infinite)
	}
	return interval.Hull(interval.Int(0), square.Sqrt())
}

// zcdp implements Pair. It is at most the zcdp of the base, and the largest loss gives another bound.
func (p *sampledProduct) zcdp() interval.Interval {
	if sign(p.InfinityMass()) != 0 {
		return infiniteOr(p.InfinityMass()).Enclosure
	}
	most := p.asked().zcdp().Enclosure
	if lo, hi := p.LossRange().Bounds(); !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		most = interval.Min(most, boundedRatio(p))
	}
	return interval.Hull(interval.Int(0), most.Upper())
}
