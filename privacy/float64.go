package privacy

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// This file composes losses without a common lattice in float64, by package pld. Answers are at least as wide as the
// errors of float64.

// float64Pair bounds a pair in float64, from above and from below.
type float64Pair struct{ above, below pld.Source }

// Limits of compositions in float64.
const (
	maxMultisets    = 1 << 20
	denseAtoms      = 1 << 12
	maxBlock        = 1 << 18
	maxFloatLoss    = 1e12 // larger losses are treated as infinite
	narrowMultisets = 1e-9
)

// float64Pair implements Pair. The ends of the enclosure of the parameter give the two bounds.
func (p *closedForm) float64Pair(context.Context, uint) (*float64Pair, error) {
	return p.float64Mixture(one, removal), nil
}

// float64Mixture returns bounds of the pair subsampled at a rate. Divergences increase with all parameters, which are
// rounded up for the upper bound and down for the lower bound.
func (p *closedForm) float64Mixture(rate *big.Rat, how mixture) *float64Pair {
	of := map[mixture]pld.Neighbor{removal: pld.Removal, addition: pld.Addition, replacement: pld.Replacement}[how]
	low, high := &pld.Mixture{Of: of}, &pld.Mixture{Of: of}
	low.Rate, high.Rate = interval.Rat(rate).Bounds()
	high.Rate = max(high.Rate, pld.LeastRate)
	if p.normalMu != nil {
		low.Mu, high.Mu = p.normalMu.Bounds()
		high.Mu = max(high.Mu, pld.LeastScale)
	} else {
		low.Eps, high.Eps = p.pointMasses[0].loss.Bounds()
		high.Eps = max(high.Eps, pld.LeastScale)
	}
	out := &float64Pair{high, low}
	if !low.Valid() { // all losses are nearly 0
		out.below = &pld.List{Loss: []float64{0}, Log: []float64{0}}
	}
	if !high.Valid() { // losses too large for pld.Mixture; subsampling makes them smaller
		over, under := p.float64Cells()
		if out.above = over; rate.Cmp(one) == 0 {
			out.below = under
		}
	}
	return out
}

// float64Cells bounds the pair by cells of losses up to the largest loss. In above, every loss of a cell is replaced by
// the largest of the cell, and in below by the least.
func (p *closedForm) float64Cells() (above, below *pld.List) {
	const cells = 1 << 9
	lo, hi := p.truncatedRange(200)
	lo, hi = max(lo, hi-300*(1+p.curvature.Sqrt().Mid()/16)), hi*(1-1e-12)
	above, below = &pld.List{}, &pld.List{}
	add := func(least, most float64, mass interval.Interval) {
		if s, _ := mass.Lower().Sign(); s > 0 {
			log, _ := mass.Lower().Log().Bounds()
			below.Loss, below.Log = append(below.Loss, least), append(below.Log, log)
		}
		if _, log := mass.Upper().Log().Bounds(); !math.IsInf(most, 1) {
			above.Loss, above.Log = append(above.Loss, most), append(above.Log, min(log, 0))
		} else {
			_, above.Infinity = mass.Bounds()
		}
	}
	rest, from := interval.Int(1), math.Inf(-1)
	for k := range cells {
		at := lo + (hi-lo)*float64(k)/(cells-1)
		more, _ := p.tails(interval.Float(at))
		if k == 0 { // the first cell has no least loss, so below omits it
			_, log := rest.Sub(more).Upper().Log().Bounds()
			above.Loss, above.Log = []float64{at}, []float64{min(log, 0)}
		} else {
			add(from, at, rest.Sub(more))
		}
		rest, from = more, at
	}
	_, top := p.lossRange.Bounds()
	add(from, top, rest)
	return above, below
}

// float64Pair implements Pair.
func (p *subsampled) float64Pair(context.Context, uint) (*float64Pair, error) {
	return p.base.float64Mixture(p.rate, p.kind), nil
}

// float64Pair implements Pair. Outputs outside the truncated range have infinite loss.
func (p *discreteGaussian) float64Pair(ctx context.Context, prec uint) (*float64Pair, error) {
	l, err := p.losses(ctx, prec)
	if err != nil {
		return nil, err
	}
	return l.float64Pair(ctx, prec)
}

// float64Pair implements Pair. It is never called, since compositions replace the pair by its parts.
func (p *independent) float64Pair(context.Context, uint) (*float64Pair, error) { return nil, nil }

// multisets returns the losses of all uses, one for each multiset of losses of each factor. It returns nil if there are
// too many.
func (p *composition) multisets() *pld.List {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.triedMultisets {
		return p.allMultisets
	}
	p.triedMultisets = true
	count := 1.0
	for _, f := range p.factors {
		l, ok := f.pair.(*DiscretePair)
		if !ok {
			return nil
		}
		if count *= float64(multisets(len(l.atoms), f.times)); count > maxMultisets {
			return nil
		}
	}
	var all *pld.List
	for _, f := range p.factors {
		l := f.pair.(*DiscretePair).list()
		if l == nil {
			return nil
		}
		if l = l.Times(f.times); all == nil {
			all = l
		} else {
			all = all.Plus(l)
		}
	}
	p.allMultisets = all
	return all
}

// float64Account returns the composition in float64, cached. Truncated pairs omit a mass of about 2^−prec.
func (p *composition) float64Account(ctx context.Context, prec uint) (*pld.Account, error) {
	if !slices.ContainsFunc(p.factors, func(f factor) bool { _, ok := f.pair.(*discreteGaussian); return ok }) {
		prec = workingPrecision(1e-12, 1)
	}
	if a, ok := p.accounts[prec]; ok {
		return a, nil
	}
	a, err := p.newFloat64Account(ctx, prec)
	if err == nil {
		if p.accounts == nil {
			p.accounts = map[uint]*pld.Account{}
		}
		p.accounts[prec] = a
	}
	return a, err
}

func (p *composition) newFloat64Account(ctx context.Context, prec uint) (*pld.Account, error) {
	a := &pld.Account{}
	add := func(above, below pld.Source, times int) {
		a.Parts = append(a.Parts, pld.Part{Upper: above, Lower: below, Times: times})
	}
	var above, below *pld.List // product of several factors with few losses
	merge := func(f, g *pld.List) {
		if above != nil && max(len(above.Loss)*len(f.Loss), len(below.Loss)*len(g.Loss)) <= denseAtoms {
			above, below = above.Plus(f), below.Plus(g)
			return
		}
		if above != nil {
			add(above, below, 1)
		}
		above, below = f, g
	}
	for i, f := range p.factors {
		if err := pollContext(ctx, i); err != nil {
			return nil, err
		}
		pair, err := f.pair.float64Pair(ctx, prec)
		if err != nil {
			return nil, err
		}
		high, _ := pair.above.(*pld.List)
		low, _ := pair.below.(*pld.List)
		switch n := f.times; {
		case high == nil || low == nil || n > 1 && (high.Spacing > 0 || max(len(high.Loss), len(low.Loss)) > denseAtoms):
			add(pair.above, pair.below, n)
		default: // a few losses lie too far apart for a grid; a block of several uses has losses that are close enough
			block, size := 1, max(len(high.Loss), len(low.Loss))
			for block < n && multisets(size, block) < denseAtoms && multisets(size, block+1) <= maxBlock {
				block++
			}
			if n >= 2*block {
				add(high.Times(block), low.Times(block), n/block)
				n %= block
			}
			for ; n >= block; n -= block {
				merge(high.Times(block), low.Times(block))
			}
			if n > 0 {
				merge(high.Times(n), low.Times(n))
			}
		}
	}
	if above != nil {
		add(above, below, 1)
	}
	return a, nil
}

// defaultWidth is the default relative width of answers in float64, and leastWidth the least that Within accepts.
const (
	defaultWidth = 1e-4
	leastWidth   = 1e-9
)

// Within returns the account with answers whose relative width is at most width, if the grids of a composition can be
// that fine. It applies to ε at a δ and to δ at an ε. The default is 1e-4. It returns an error wrapping
// evidence.ErrParameter unless 1e-9 ≤ width < 1.
func (a *Account) Within(width float64) (*Account, error) {
	if !(width >= leastWidth && width < 1) {
		return nil, parameter.Bad("width", width, "%g <= width < 1", leastWidth)
	}
	return a.within(width), nil
}

func (a *Account) within(width float64) *Account {
	out := &Account{uses: a.uses, reference: a.reference, bound: a.bound, name: a.name, assumes: a.assumes, rounded: a.rounded, bracketed: a.bracketed, width: width}
	for _, low := range a.lowerBounds {
		l := low.within(width)
		if low == a.lowerAccount {
			out.lowerAccount = l
		}
		out.lowerBounds = append(out.lowerBounds, l)
	}
	return out
}

// float64Delta encloses the divergence of order e^ε in float64.
func (p *composition) float64Delta(ctx context.Context, eps evidence.Epsilon) (interval.Interval, error) {
	lo, hi := eps.Enclosure().Bounds()
	if all := p.multisets(); all != nil {
		_, most, _ := all.Delta(lo)
		least, _, _ := all.Delta(hi)
		if most-least <= narrowMultisets*most && !math.IsInf(most, 0) {
			return interval.Between(least, most), nil
		}
	}
	p.guard.Lock()
	defer p.guard.Unlock()
	a, err := p.float64Account(ctx, logPrecision(p.deltaHint(eps), p.uses()))
	if err != nil {
		return interval.Interval{}, err
	}
	least, most, err := a.LogDelta(ctx, max(lo, 0), hi, p.width)
	d := interval.Hull(interval.Float(least).Exp().Lower(), interval.Float(min(most, 0)).Exp().Upper())
	// For ε near the largest loss, δ is hardly more than the infinity mass: 1 − e^{ε − loss} ≤ loss − ε.
	top, _ := p.maxFiniteLoss()
	if most := top.Sub(eps.Enclosure()).Add(p.infinityMass().Enclosure).Upper(); most.CmpHi(d) < 0 {
		d = interval.Hull(d.Lower(), interval.Max(most, d.Lower()))
	}
	return d, err
}

// float64Epsilon encloses the least ε at which the divergence is at most δ, in float64.
func (p *composition) float64Epsilon(ctx context.Context, delta *big.Rat, enough float64) (interval.Interval, error) {
	if all := p.multisets(); all != nil {
		lo, hi := interval.Rat(delta).Bounds()
		_, most := all.Epsilon(lo)
		least, _ := all.Epsilon(hi)
		e := p.belowTop(interval.Between(least, most), delta)
		if most-least <= narrowMultisets*most && !math.IsInf(most, 0) {
			return e, nil
		}
		if p.meetInTheMiddle() != nil { // gives a narrower answer if δ is nearly constant over a range of ε
			return p.bisect(ctx, e, delta)
		}
	}
	p.guard.Lock()
	defer p.guard.Unlock()
	lo, hi := interval.RationalLog(delta).Bounds()
	a, err := p.float64Account(ctx, logPrecision(lo, p.uses()))
	if err != nil {
		return interval.Interval{}, err
	}
	least, most, err := a.Epsilon(ctx, lo, hi, p.width, enough)
	return p.belowTop(interval.Between(least, most), delta), err
}

// belowTop lowers the upper end of an enclosure of ε(δ) to the largest finite loss if the infinity mass is below δ.
func (p *composition) belowTop(e interval.Interval, delta *big.Rat) interval.Interval {
	if top, _ := p.maxFiniteLoss(); top.CmpHi(e) < 0 && p.infinityMass().Enclosure.Less(interval.Rat(delta)) {
		return interval.Hull(e.Lower(), interval.Max(top.Upper(), e.Lower()))
	}
	return e
}
