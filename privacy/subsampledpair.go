package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// subsampled is the subsampled pair of a smooth pair that equals its reverse. A loss l of the base becomes ln(γe^l + 1
// − γ) for removal and −ln(γe^l + 1 − γ) for addition. For replacement it becomes ln(γe^l + 1 − γ) if l ≥ 0, and
// −ln(γe^{−l} + 1 − γ) otherwise.
type subsampled struct {
	base *closedForm
	rate *big.Rat
	kind mixture
}

func newSubsampled(base *closedForm, rate *big.Rat, how mixture) *subsampled {
	return &subsampled{base: base, rate: rate, kind: how}
}

// Reverse implements Pair.
func (p *subsampled) Reverse() Pair {
	how := map[mixture]mixture{removal: addition, addition: removal, replacement: replacement}[p.kind]
	return newSubsampled(p.base, p.rate, how)
}

// Delta implements Pair.
func (p *subsampled) Delta(_ context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	share, at := sampledOrder(eps, p.rate, p.kind)
	if sign(share) == 0 {
		return zero, nil
	}
	d, err := hockeyStickOf(at, func(eps evidence.Epsilon) (evidence.RatOrInterval, error) { return p.base.delta(eps), nil })
	return share.Mul(d), err
}

// sampledOrder returns share and at such that the divergence of a subsampled pair at t = e^ε is share·H(at), where H is
// the divergence of the base. Removal and replacement have share = γ and at = (t − 1 + γ)/γ. Addition has share = 1 −
// t(1 − γ) and at = tγ/share, and H is the divergence of the reverse of the base. share is 0 if 1 − t(1 − γ) ≤ 0.
func sampledOrder(eps evidence.Epsilon, rate *big.Rat, how mixture) (share, at evidence.RatOrInterval) {
	t, unit, g := expEpsilon(eps), evidence.ExactRat(one), evidence.ExactRat(rate)
	more := t.Sub(unit) // t − 1
	if t.Rational == nil {
		more = evidence.RatOrInterval{Enclosure: eps.Enclosure().Expm1()}
	}
	if how != addition {
		return g, more.Quo(g).Add(unit)
	}
	share = g.Sub(more.Mul(unit.Sub(g)))
	switch s, exact := share.Enclosure.Sign(); {
	case s < 0 || s == 0 && exact:
		return zero, unit
	case s == 0: // share is nearly 0
		return evidence.RatOrInterval{Enclosure: interval.Max(share.Enclosure, interval.Int(0))}, unit
	}
	return share, t.Mul(g).Quo(share)
}

// epsilon encloses the least ε ≥ 0 at which the divergence is at most δ, for 0 < δ < 1. Let s = e^u be the order at which
// Delta evaluates H, the divergence of the base. Removal and replacement have δ = γH(s) and ε = ln(1 + γ(s − 1)), so u is
// the ε of the base at δ/γ. Addition has
//
//	δ = γH(s)/(1 + (1 − γ)(s − 1)), ε = −ln(1 − γ(1 − 1/s)),
//
// where δ decreases and ε increases in u. So u lies between 0 and the ε of the base at δ/γ, and bisection finds it.
func (p *subsampled) epsilon(ctx context.Context, delta evidence.Delta) (interval.Interval, error) {
	none, g := interval.Int(0), interval.Rat(p.rate)
	share := new(big.Rat).Quo(delta.Rat(), p.rate)
	if share.Cmp(one) >= 0 {
		return none, nil
	}
	of, err := evidence.RationalDelta("delta", share)
	if err != nil {
		return none, err
	}
	u, err := p.base.epsilon(of)
	if err != nil || p.kind != addition {
		return g.Mul(u.Expm1()).Log1p(), err
	}
	rest := interval.Rat(new(big.Rat).Sub(one, p.rate))
	_, top := u.Bounds()
	found, err := EpsilonAt(ctx, Inversion{Delta: of, Pure: evidence.Certified{Hi: top}, At: func(_ context.Context, u evidence.Epsilon) (evidence.Number, error) {
		over := interval.Int(1).Add(rest.Mul(u.Enclosure().Expm1()))
		return evidence.EnclosedLoss(p.base.delta(u).Enclosure.Quo(over), "", ""), nil
	}})
	u = interval.Between(found.Lo, found.Hi)
	return g.Mul(u.Neg().Expm1()).Log1p().Neg(), err
}

// hockeyStickOf returns the divergence of order t ≥ 1 from delta, which returns the divergence of order e^ε.
func hockeyStickOf(t evidence.RatOrInterval, delta func(eps evidence.Epsilon) (evidence.RatOrInterval, error)) (evidence.RatOrInterval, error) {
	if t.Rational != nil {
		if t.Rational.Cmp(one) <= 0 {
			return delta(evidence.Epsilon{})
		}
		if eps, err := evidence.LogEpsilon("eps", t.Rational); err == nil {
			return delta(eps)
		}
	}
	at := func(end interval.Interval) (interval.Interval, error) {
		q, _ := end.MidFloat(interval.Prec).Rat(nil)
		if q == nil || q.Sign() <= 0 {
			d, err := delta(evidence.Epsilon{})
			return d.Enclosure, err
		}
		eps, err := evidence.RationalEpsilon("eps", q)
		if err != nil {
			d, err := delta(evidence.Epsilon{})
			return interval.Hull(interval.Int(0), d.Enclosure), err
		}
		d, err := delta(eps)
		return d.Enclosure, err
	}
	l := t.Enclosure.Log()
	least, err := at(l.Upper())
	if err != nil {
		return zero, err
	}
	most, err := at(l.Lower())
	return evidence.RatOrInterval{Enclosure: interval.Hull(least, most)}, err
}

// lossOf encloses the loss of the subsampled pair that a loss of the base becomes.
func (p *subsampled) lossOf(l interval.Interval) interval.Interval {
	switch s, _ := l.Sign(); {
	case p.kind == addition:
		return mixedLoss(l, p.rate).Neg()
	case p.kind == replacement && s < 0:
		return mixedLoss(l.Neg(), p.rate).Neg()
	}
	return mixedLoss(l, p.rate)
}

// reach returns a bound r such that both laws have mass less than 2^−bits beyond either of the losses ±r of the base.
// The base equals its reverse, so P reaches further up than down, and Q further down than up.
func (p *subsampled) reach(bits uint) float64 {
	_, hi := p.base.truncatedRange(bits)
	return hi * (1 + 1e-9)
}

// truncatedRange implements Pair. It covers both laws.
func (p *subsampled) truncatedRange(bits uint) (lo, hi float64) {
	far := p.reach(bits)
	a, b := p.lossOf(interval.Float(-far)), p.lossOf(interval.Float(far))
	if p.kind == addition {
		a, b = b, a
	}
	lo, _ = a.Bounds()
	_, hi = b.Bounds()
	return lo, hi
}

// logMomentBound bounds the log-moment by ln(γe^K + 1 − γ), where K is the log-moment of the base. This follows from
// the convexity of all divergences.
func (p *subsampled) logMomentBound(s interval.Interval) interval.Interval {
	k := p.base.logMoment(s)
	if p.kind == replacement || k.Mid() > 1e4 {
		return k
	}
	return mixedLoss(k, p.rate)
}

// VarianceBound implements Pair. It returns a large constant, since no bound is known.
func (p *subsampled) VarianceBound() interval.Interval { return interval.Between(0, 1e300) }

// LossRange implements Pair.
func (p *subsampled) LossRange() interval.Interval {
	end := infinite
	if p.base.normalMu == nil {
		end = mixedLoss(p.base.lossRange.Upper(), p.rate)
	}
	floor := interval.Rat(new(big.Rat).Sub(one, p.rate)).Log()
	switch p.kind {
	case addition:
		return interval.Hull(end.Neg(), floor.Neg())
	case replacement:
		return interval.Hull(end.Neg(), end)
	}
	return interval.Hull(floor, end)
}

// InfinityMass implements Pair.
func (p *subsampled) InfinityMass() evidence.RatOrInterval { return zero }

// screen implements Pair.
func (p *subsampled) screen() *Screen {
	_, top := p.LossRange().Bounds()
	return &Screen{Error: 0x1p-50, maxLoss: top, logMomentFunc: func(s float64) float64 {
		_, hi := p.logMomentBound(interval.Float(s)).Bounds()
		return hi
	}}
}

// gdp implements Pair. A subsampled pair is at most as distinguishable as its base.
func (p *subsampled) gdp() interval.Interval { return interval.Hull(interval.Int(0), p.base.gdpMu) }

func (p *composition) hasSubsampled() bool {
	return slices.ContainsFunc(p.factors, func(f factor) bool {
		_, one := f.pair.(*subsampled)
		_, product := f.pair.(*sampledProduct)
		return one || product
	})
}

// zcdp implements Pair. For normal laws the log-moment is at most the log-moment of the base, whose ratio is μ²/2 at
// every order. For removal and replacement it is also at least ln(γe^K), so the ratio tends to μ²/2.
func (p *subsampled) zcdp() interval.Interval {
	switch {
	case p.base.normalMu == nil:
		return boundedRatio(p)
	case p.kind == addition:
		return interval.Hull(interval.Int(0), p.base.mean)
	}
	return p.base.mean
}
