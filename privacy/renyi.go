package privacy

import (
	"container/heap"
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
		return d + 1e-12*(1+math.Abs(d)) + 0x1p-50*c.maxLoss() // s is rounded; a relative error of 2⁻⁵³ moves K(s)/s by less than 2⁻⁵⁰ of the largest loss
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

// secondMoment returns ∫ (dP/dQ) dP, and nil unless it is a rational of moderate size.
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
		if bits += f.times * max(sum.Num().BitLen(), sum.Denom().BitLen()); bits > maxExactBits {
			return nil
		}
		out.Mul(out, interval.RationalPower(sum, big.NewInt(int64(f.times))))
	}
	return out
}

// ZCDP encloses the least ρ with D_α ≤ ρα for every α > 1 and all neighbors, where D_α is the Rényi divergence of
// order α: zero-concentrated differential privacy (Bun and Steinke 2016).
//
// It is branch and bound over s = α − 1. Let K(s) be the log-moment, so that D_α/α = K(s)/(s(1 + s)). K is convex,
// K(0) = 0, and its slope at 0 is the relative entropy. On a cell [s, t] there are two upper bounds of K. The chord
// through the ends is the first; divided by x(1 + x) it is largest at s, at t, or at a zero of its derivative. The
// second is x·(mean + x·curvature/2). Beyond the last cell, K(x)/x is at most the largest loss. The search halves the
// cell with the largest bound until that bound is close to the largest ratio found.
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
		if s.steps%256 == 255 { // where the enclosures' widths alone are left, nothing more is gained
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

// zcdpBound returns an upper bound on K(s)/(s(1 + s)) over s > 0: by chords between the points of a grid, as for the
// cells of ZCDP, and by the largest loss beyond the grid.
func (c *candidate) zcdpBound() float64 {
	most := 0.0
	from, kf := 0.0, 0.0
	for e := -12.0; e <= 20; e += 0.25 {
		to := math.Exp2(e)
		kt := c.logMoment(to)
		if from == 0 {
			most = kt / to // K(s)/s increases
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

// openMoment encloses the log-moment if no infinite loss is real, and returns false otherwise. Truncated discrete
// Gaussian pairs under subsampling have infinite losses that are not: the truncated pair gives the lower end, and the
// pair without subsampling the upper end, since subsampling is a mixture and the divergence is jointly convex. So do
// mixtures of normal laws, but only beyond their cells.
func (p *composition) openMoment(s interval.Interval) (interval.Interval, bool) {
	sum := interval.Int(0)
	for _, f := range p.factors {
		k := f.pair.LogMoment(s)
		l, ok := f.pair.(*DiscretePair)
		switch {
		case ok && l.untruncated != nil:
			k = interval.Hull(k, interval.Max(k, l.untruncated.LogMoment(s)))
		case ok && l.whole != nil: // LogMoment is that of the whole pair
		case sign(f.pair.InfinityMass()) != 0:
			return sum, false
		}
		sum = sum.Add(k.Mul(interval.Int(int64(f.times))))
	}
	return sum, true
}

// zcdp encloses sup D_α/α of the composition. The sum over its factors is an upper bound.
func (p *composition) zcdp() evidence.RatOrInterval {
	sum := interval.Int(0)
	for _, f := range p.factors {
		sum = sum.Add(f.pair.zcdp().Mul(interval.Int(int64(f.times))))
	}
	return evidence.RatOrInterval{Enclosure: sum}
}

// zcdp implements Pair. For a truncated pair it is at most that of the pair without subsampling, as in openMoment.
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

// boundedRatio encloses sup D_α/α for losses in [−ε, ε]: it is at most ε²/2 (Bun and Steinke 2016, Proposition 1.4).
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

// ratioCell is an interval [from, to] of s, with K at both ends and an upper bound of K(x)/(x(1 + x)) between them.
type ratioCell struct {
	p        *composition
	from, to float64
	kf, kt   interval.Interval
	aside    interval.Interval // contribution of Gaussian pairs
	discrete *composition      // the discrete Gaussian pairs; nil if there are none
	whole    interval.Interval // their contribution at integer orders, the largest
	mean     interval.Interval // mean loss of the other pairs
	curve    interval.Interval // upper bound on the variance of their losses under tilting
	bound    interval.Interval
}

// ratioSearch is a heap of cells with the largest bound on top, and the largest ratio found.
type ratioSearch struct {
	cells  []*ratioCell
	lo     interval.Interval
	beyond interval.Interval // upper bound beyond the last cells
	steps  int
}

func (s *ratioSearch) Len() int           { return len(s.cells) }
func (s *ratioSearch) Less(i, j int) bool { return s.cells[i].bound.CmpHi(s.cells[j].bound) > 0 }
func (s *ratioSearch) Swap(i, j int)      { s.cells[i], s.cells[j] = s.cells[j], s.cells[i] }
func (s *ratioSearch) Push(x any)         { s.cells = append(s.cells, x.(*ratioCell)) }
func (s *ratioSearch) Pop() any {
	last := s.cells[len(s.cells)-1]
	s.cells = s.cells[:len(s.cells)-1]
	return last
}

// begin adds the cells [0, 1], [1, 2], … [2^k, 2^{k+1}] of a composition, until the bound beyond the last cell is
// below the largest ratio found. Gaussian pairs have the same ratio at every order and are added as a constant.
// Discrete Gaussian pairs have the same ratio at all integer orders and as α tends to 1, and a smaller one between.
func (s *ratioSearch) begin(p *composition) {
	rest, aside := &composition{}, interval.Int(0)
	var discrete *composition
	whole := interval.Int(0)
	mean, curve, top := interval.Int(0), interval.Int(0), interval.Int(0)
	for _, f := range p.factors {
		n := interval.Int(int64(f.times))
		if g, ok := f.pair.(*closedForm); ok && g.normalMu != nil {
			aside = aside.Add(g.mean.Mul(n))
			continue
		}
		if g, ok := f.pair.(*discreteGaussian); ok {
			if discrete == nil {
				discrete = &composition{}
			}
			discrete.factors = append(discrete.factors, f)
			whole = whole.Add(g.half.Mul(n))
			continue
		}
		rest.factors = append(rest.factors, f)
		mean, top = mean.Add(f.pair.Mean().Mul(n)), top.Add(f.pair.LossRange().Mul(n))
		curve = curve.Add(f.pair.VarianceBound().Mul(n))
	}
	aside = aside.Add(whole)
	s.lo = interval.Max(s.lo, interval.Max(mean.Add(aside), interval.Int(0))) // the limit as α tends to 1
	from, kf := 0.0, interval.Int(0)
	for to := 1.0; len(rest.factors) > 0; to *= 2 {
		kt := rest.logMoment(interval.Float(to))
		c := &ratioCell{p: rest, aside: aside, discrete: discrete, whole: whole, mean: mean, curve: curve, from: from, to: to, kf: kf, kt: kt}
		s.push(c)
		s.reach(c, to, kt)
		beyond := top.Quo(interval.Float(1 + to)).Add(aside) // as K(x)/x is at most the largest loss
		if beyond.CmpHi(s.lo) <= 0 {
			return
		}
		if to > 0x1p60 {
			s.beyond = interval.Max(s.beyond, beyond)
			return
		}
		from, kf = to, kt
	}
}

// reach raises the largest ratio found to the ratio at a point of a cell.
func (s *ratioSearch) reach(c *ratioCell, at float64, k interval.Interval) {
	x := interval.Float(at)
	over, aside := x.Mul(interval.Int(1).Add(x)), c.aside
	if c.discrete != nil {
		aside = aside.Sub(c.whole).Add(c.discrete.logMoment(x).Quo(over))
	}
	s.lo = interval.Max(s.lo, k.Quo(over).Add(aside))
}

func (s *ratioSearch) push(c *ratioCell) {
	c.bound = c.most().Add(c.aside)
	heap.Push(s, c)
}

// halve halves the cell of the largest bound.
func (s *ratioSearch) halve() {
	s.steps++
	c := heap.Pop(s).(*ratioCell)
	mid := (c.from + c.to) / 2
	k := c.p.logMoment(interval.Float(mid))
	s.reach(c, mid, k)
	left, right := *c, *c
	left.to, left.kt = mid, k
	right.from, right.kf = mid, k
	s.push(&left)
	s.push(&right)
}

// most returns an upper bound of K(x)/(x(1 + x)) over the cell: the smaller of the bound by mean and curvature and
// that by the chord.
func (c *ratioCell) most() interval.Interval {
	unit := interval.Int(1)
	at := func(x, k interval.Interval) interval.Interval { return k.Quo(x.Mul(unit.Add(x))) }
	from, to := interval.Float(c.from), interval.Float(c.to)
	// (mean + x·curvature/2)/(1 + x) is monotone in x.
	even := func(x interval.Interval) interval.Interval {
		return c.mean.Add(x.Mul(c.curve).Quo(interval.Int(2))).Quo(unit.Add(x))
	}
	out := interval.Max(even(from), even(to))
	chord := c.kt.Quo(to) // K(x)/x increases
	if c.from > 0 {
		chord = c.chord(at)
	}
	if chord.CmpHi(out) < 0 {
		return chord
	}
	return out
}

// chord returns an upper bound of the ratio by the chord a + bx through the upper ends of K. The derivative of (a +
// bx)/(x + x²) has the sign of −(bx² + 2ax + a), so the ratio decreases if a > 0. It is largest at an end of the cell
// or at the larger root x = (−a + √(a² − ab))/b.
func (c *ratioCell) chord(at func(x, k interval.Interval) interval.Interval) interval.Interval {
	unit := interval.Int(1)
	from, to := interval.Float(c.from), interval.Float(c.to)
	kf, kt := c.kf.Upper(), c.kt.Upper()
	slope := kt.Sub(kf).Quo(to.Sub(from))
	base := kf.Sub(slope.Mul(from))
	out := interval.Max(at(from, kf), at(to, kt))
	if sign, _ := base.Sign(); sign <= 0 {
		if s, _ := slope.Sign(); s > 0 {
			down := base.Neg()
			root := down.Add(base.Mul(base).Add(down.Mul(slope)).Sqrt()).Quo(slope)
			x := interval.Min(interval.Max(root, from), to) // clamped to the cell
			out = interval.Max(out, base.Add(slope.Mul(x)).Quo(x.Mul(unit.Add(x))))
		}
	}
	return out
}
