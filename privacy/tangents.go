package privacy

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// line is p = d + tq above all events (q, p) of some pairs. It is rational, so that intersections are exact.
type line struct{ d, t *big.Rat }

// lineOf returns a line above p = d + tq, for all d and t in the enclosures and q ≥ 0. It returns false unless the
// slope is of moderate size.
func lineOf(d, t interval.Interval) (line, bool) {
	slope := t.Upper().MidFloat(interval.Prec)
	if e := slope.MantExp(nil); slope.Sign() <= 0 || slope.IsInf() || e < -4096 || e > 4096 {
		return line{}, false
	}
	up, _ := slope.Rat(nil)
	return line{ratCeil(d), up}, true
}

// intersect returns the intersection of two lines with different slopes.
func (a line) intersect(b line) point {
	q := new(big.Rat).Sub(b.d, a.d)
	q.Quo(q, new(big.Rat).Sub(a.t, b.t))
	p := new(big.Rat).Mul(a.t, q)
	return point{clampRat(q), clampRat(p.Add(p, a.d))}
}

// envelope returns the corners of a polygon on or above the lower envelope of the lines and p = 1: the intersections of
// consecutive lines, by decreasing slope.
func envelope(lines []line) []point {
	lines = append(lines, line{one, new(big.Rat)})
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(b.t.Cmp(a.t), a.d.Cmp(b.d)) })
	lines = slices.CompactFunc(lines, func(a, b line) bool { return a.t.Cmp(b.t) == 0 })
	over := []point{{new(big.Rat), lines[0].d}}
	for i := 1; i < len(lines); i++ {
		over = append(over, lines[i-1].intersect(lines[i]))
	}
	return over
}

// tangents bounds the hull of all pairs by δ at a grid of ε. If δ(ε) ≤ d, every event has p ≤ d + e^ε q. The family
// contains the reverse of each pair, which gives a second line. The inner bound consists of events of the pairs with
// the largest δ at some ε.
func (a *Account) tangents(ctx context.Context) (over, under []point, err error) {
	top, err := a.pure(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, far := top.Bounds()
	if math.IsInf(far, 1) {
		far = 1000
	}
	met := map[*composition]bool{}
	var lines []line
	add := func(d, t interval.Interval) {
		if l, ok := lineOf(d, t); ok {
			lines = append(lines, l)
		}
	}
	for k := range maxTangents + 1 {
		eps, _ := evidence.NewEpsilon("eps", far*float64(k)/maxTangents) // 0 at 0
		d, near, err := a.maxOverPairs(ctx, deltaBound(eps), func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.delta(ctx, eps) })
		if err != nil {
			return nil, nil, err
		}
		if len(near) > 0 && !met[near[0]] {
			met[near[0]] = true
			_, u, err := near[0].points(ctx)
			if err != nil {
				return nil, nil, err
			}
			under = append(under, u...)
		}
		add(d.Enclosure, eps.Enclosure().Exp())
		if k > 0 { // δ(−ε) = 1 − e^{−ε} + e^{−ε}δ_r(ε), where δ_r belongs to the reverse
			down := eps.Enclosure().Neg().Exp()
			add(interval.Int(1).Sub(down).Add(down.Mul(d.Enclosure)), down)
		}
	}
	return envelope(lines), under, nil
}

// tangents returns lines above the events of a composition, for ε up to the point where the δ of finite losses is
// depth, and some of the events. It computes in float64.
func (p *composition) tangents(ctx context.Context, depth *big.Rat) (lines []line, under []point, err error) {
	reverse := make([]factor, len(p.factors))
	for i, f := range p.factors {
		reverse[i] = factor{f.pair.Reverse(), f.times}
	}
	for i, c := range []*composition{p, newComposition(p.index, reverse)} {
		c.guard.Lock()
		c.accounts = nil // so answers do not depend on earlier ones
		c.guard.Unlock()
		far := 0.0
		if small := new(big.Rat).Add(ratCeil(c.infinityMass().Enclosure), depth); small.Cmp(one) < 0 {
			top, err := c.float64Epsilon(ctx, small, math.Inf(-1))
			if err != nil {
				return nil, nil, err
			}
			if _, far = top.Bounds(); math.IsInf(far, 1) {
				far = 1000
			}
		}
		a, err := c.float64Account(ctx, workingPrecision(1e-12, c.uses()))
		if err != nil {
			return nil, nil, err
		}
		for k := range maxTangents + 1 {
			eps := far * float64(k) / maxTangents
			_, log, err := a.LogDelta(ctx, eps, eps, tangentWidth)
			if err != nil {
				return nil, nil, err
			}
			d, t := interval.Float(min(log, 0)).Exp(), interval.Float(eps).Exp()
			if i == 1 { // δ(−ε) = 1 − e^{−ε} + e^{−ε}δ_r(ε)
				t = interval.Float(-eps).Exp()
				d = interval.Int(1).Sub(t).Add(t.Mul(d))
			}
			if l, ok := lineOf(d, t); ok {
				lines = append(lines, l)
			}
			if k%(maxTangents/4) != 0 {
				continue
			}
			ps, qs, err := a.Events(ctx, eps, tangentWidth)
			if err != nil {
				return nil, nil, err
			}
			for j := 0; j < len(ps); j += max(1, len(ps)/maxCorners) {
				least, most := new(big.Rat).SetFloat64(ps[j]), clampRat(new(big.Rat).SetFloat64(min(qs[j], 1)))
				if i == 1 { // the complement of an event of the reverse
					least, most = new(big.Rat).Sub(one, most), new(big.Rat).Sub(one, least)
				}
				under = append(under, point{most, least})
			}
		}
	}
	return lines, under, nil
}

// tangentWidth is the relative width of δ at which tangents are computed.
const tangentWidth = 1e-3

// maxTangents is the number of ε > 0 at which tangents are computed.
const maxTangents = 48

// points returns some events {loss ≥ l} in under, and the intersections of their tangents in over.
func (p *closedForm) points() (over, under []point) {
	lo, hi := p.truncatedRange(60)
	step := (hi - lo) / (maxCorners - 1)
	var lines []line
	for k := range maxCorners {
		l := interval.Float(lo + float64(k)*step)
		a, b := p.tails(l)
		under = append(under, point{ratCeil(b), ratFloor(a)})
		t := l.Exp()
		if tangent, ok := lineOf(a.Sub(t.Mul(b)), t); ok {
			lines = append(lines, tangent)
		}
	}
	return envelope(lines), under
}
