package privacy

import (
	"context"
	"errors"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// Composition in float64, see package pld: for answers that need not be narrower than float64 carries, of losses that share no lattice.

// float64Pair is a pair in float64: one above it and one below.
type float64Pair struct{ above, below pld.Source }

// Limits of what is composed in float64.
const (
	maxFloatAtoms   = 1 << 17
	maxFloatParts   = 48
	maxMultisets    = 1 << 20
	denseAtoms      = 1 << 12
	maxBlock        = 1 << 18
	narrowMultisets = 1e-9
)

// float64Pair implements Pair: that of the two ends of what its parameter may be.
func (p *closedForm) float64Pair(context.Context) (*float64Pair, error) {
	return p.float64Mixture(1, 1, pld.Removal), nil
}

// float64Mixture returns the pair sampled at a rate between two ends.
func (p *closedForm) float64Mixture(least, most float64, of pld.Neighbor) *float64Pair {
	low, high := &pld.Mixture{Rate: least, Of: of}, &pld.Mixture{Rate: most, Of: of}
	if p.normalMu != nil {
		low.Mu, high.Mu = p.normalMu.Bounds()
	} else {
		low.Eps, high.Eps = p.pointMasses[0].loss.Bounds()
	}
	if !low.Valid() || !high.Valid() {
		return nil
	}
	return &float64Pair{high, low}
}

// float64Pair implements Pair.
func (p *subsampled) float64Pair(context.Context) (*float64Pair, error) {
	least, most := interval.Rat(p.rate).Bounds()
	return p.base.float64Mixture(least, most, map[mixture]pld.Neighbor{removal: pld.Removal, addition: pld.Addition, replacement: pld.Replacement}[p.kind]), nil
}

// float64Pair implements Pair: what is not known of masses and losses is rounded up and down.
func (l *DiscretePair) float64Pair(context.Context) (*float64Pair, error) {
	if len(l.atoms) > maxFloatAtoms {
		return nil, nil
	}
	logOf := interval.Interval.Log
	if len(l.atoms) > denseAtoms { // whose masses are known less well than float64 carries logarithms
		logOf = quickLog
	}
	above, below := &pld.List{}, &pld.List{}
	below.Infinity, above.Infinity = l.infinityMass.Enclosure.Bounds()
	below.Infinity = max(below.Infinity, 0)
	for _, a := range l.atoms {
		lo, hi := l.Loss(a).Bounds()
		p := a.P.Enclosure
		if s, _ := p.Upper().Sign(); s > 0 {
			_, log := logOf(p.Upper()).Bounds()
			above.Loss, above.Log = append(above.Loss, hi), append(above.Log, log)
		}
		if s, exact := p.Lower().Sign(); s > 0 || s == 0 && !exact {
			log, _ := logOf(p.Lower()).Bounds()
			below.Loss, below.Log = append(below.Loss, lo), append(below.Log, log)
		}
	}
	if !above.Valid() || !below.Valid() {
		return nil, nil
	}
	return &float64Pair{above, below}, nil
}

// quickLog encloses the logarithm of a positive number as float64 carries it.
func quickLog(x interval.Interval) interval.Interval {
	lo, hi := x.Bounds()
	if !(lo > 0x1p-1000) {
		return x.Log()
	}
	v, w := elementary.Log(lo), elementary.Log(hi)
	return interval.Between(v-elementary.LogError*math.Abs(v), w+elementary.LogError*math.Abs(w))
}

// float64Pair implements Pair.
func (p *discreteGaussian) float64Pair(ctx context.Context) (*float64Pair, error) { return nil, nil }

// float64Pair implements Pair: compositions take the parts apart.
func (p *independent) float64Pair(context.Context) (*float64Pair, error) { return nil, nil }

// list returns the losses with the error of both, nil where they are known by less than float64 carries.
func (l *DiscretePair) list() *pld.List {
	pair, _ := l.float64Pair(context.Background())
	if pair == nil {
		return nil
	}
	above, below := pair.above.(*pld.List), pair.below.(*pld.List)
	if len(above.Loss) != len(below.Loss) {
		return nil
	}
	out := &pld.List{Infinity: above.Infinity, InfinityError: above.Infinity - below.Infinity}
	for i := range above.Loss {
		out.Loss, out.Log = append(out.Loss, above.Loss[i]), append(out.Log, above.Log[i])
		out.LossError = max(out.LossError, above.Loss[i]-below.Loss[i])
		out.LogError = max(out.LogError, above.Log[i]-below.Log[i])
	}
	return out
}

// multisets returns the losses of all uses, one for each multiset of what the uses of a factor lose, nil where they are too many.
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

// float64Account returns the composition in float64, nil where a factor is not known so. Masses on lattices have so many bits.
func (p *composition) float64Account(ctx context.Context, prec uint) (*pld.Account, error) {
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
	var parts []pld.Part
	for _, f := range mergeSmall(p.factors) {
		if len(parts) > maxFloatParts {
			return nil, nil
		}
		own := &composition{factors: []factor{f}}
		if f.times > 1 && own.commonLattice(prec) != nil { // losses of a lattice stay there while they add up
			l, err := own.composeOnLattice(ctx, prec)
			if err != nil {
				return nil, err
			}
			pair := l.float64Pair()
			if pair == nil {
				return nil, nil
			}
			parts = append(parts, pld.Part{Upper: pair.above, Lower: pair.below, Times: 1})
			continue
		}
		pair, err := f.pair.float64Pair(ctx)
		if err != nil || pair == nil {
			return nil, err
		}
		l, ok := f.pair.(*DiscretePair) // few ones lie far apart: those of so many uses at once are close enough to be merged
		if !ok || f.times == 1 || len(l.atoms) > denseAtoms {
			parts = append(parts, pld.Part{Upper: pair.above, Lower: pair.below, Times: f.times})
			continue
		}
		block := 1
		for block < f.times && multisets(len(l.atoms), block) < denseAtoms && multisets(len(l.atoms), block+1) <= maxBlock {
			block++
		}
		above, below := pair.above.(*pld.List), pair.below.(*pld.List)
		if n := f.times / block; n > 0 {
			parts = append(parts, pld.Part{Upper: above.Times(block), Lower: below.Times(block), Times: n})
		}
		if n := f.times % block; n > 0 {
			parts = append(parts, pld.Part{Upper: above.Times(n), Lower: below.Times(n), Times: 1})
		}
	}
	return &pld.Account{Parts: parts}, nil
}

// float64Pair returns the law as lists of losses: mass that was cut off counts as infinite losses from above.
func (l *lossPMF) float64Pair() *float64Pair {
	above, below := &pld.List{}, &pld.List{}
	_, above.Infinity = fromFixed(new(big.Int).Add(l.infinityMass, l.truncated()), l.prec).Bounds()
	below.Infinity, _ = fromFixed(l.infinityMass, l.prec).Bounds()
	for j, m := range l.mass {
		if m.Sign() <= 0 {
			continue
		}
		lo, hi := l.lossAt(j).Bounds()
		least, most := fromFixed(m, l.prec).Log().Bounds()
		above.Loss, above.Log = append(above.Loss, hi), append(above.Log, most)
		below.Loss, below.Log = append(below.Loss, lo), append(below.Log, least)
	}
	if !above.Valid() || !below.Valid() {
		return nil
	}
	return &float64Pair{above, below}
}

// defaultWidth is how wide answers in float64 may be, relative to them, where nothing else is asked for, and leastWidth what may be asked for.
const (
	defaultWidth = 1e-4
	leastWidth   = 1e-9
)

// Within returns the account with answers of at most the given relative width, 1e-9 ≤ width < 1, as far as the grids of a composition can be as
// fine: of ε at a δ and of δ at an ε. Without it they are asked to be 1e-4 wide. It returns an error wrapping evidence.ErrParameter.
func (a *Account) Within(width float64) (*Account, error) {
	if !(width >= leastWidth && width < 1) {
		return nil, parameter.Bad("width", width, "%g <= width < 1", leastWidth)
	}
	return a.within(width), nil
}

func (a *Account) within(width float64) *Account {
	out := &Account{uses: a.uses, reference: a.reference, bound: a.bound, name: a.name, rounded: a.rounded, width: width}
	for _, low := range a.lowerBounds {
		l := low.within(width)
		if low == a.lowerAccount {
			out.lowerAccount = l
		}
		out.lowerBounds = append(out.lowerBounds, l)
	}
	return out
}

// float64Delta encloses the divergence of order e^ε in float64; ok is false where that is not possible, or no narrow answer.
func (p *composition) float64Delta(ctx context.Context, eps evidence.Epsilon) (d interval.Interval, ok bool, err error) {
	lo, hi := eps.Enclosure().Bounds()
	if all := p.multisets(); all != nil {
		_, most, _ := all.Delta(lo)
		least, _, _ := all.Delta(hi)
		if most-least <= narrowMultisets*most && !math.IsInf(most, 0) {
			return interval.Between(least, most), true, nil
		}
	}
	return p.float64(ctx, p.deltaHint(eps), math.Inf(-1), func(a *pld.Account) (float64, float64, error) {
		return a.Delta(ctx, max(lo, 0), hi, p.width)
	})
}

// float64Epsilon encloses the least ε at which the divergence is at most δ, likewise.
func (p *composition) float64Epsilon(ctx context.Context, delta *big.Rat, enough float64) (e interval.Interval, ok bool, err error) {
	lo, hi := interval.Rat(delta).Bounds()
	if all := p.multisets(); all != nil {
		_, most := all.Epsilon(lo)
		least, _ := all.Epsilon(hi)
		ok := most-least <= narrowMultisets*most && !math.IsInf(most, 0)
		if ok || p.meetInTheMiddle() != nil { // which tells more where δ is nearly that of a whole range
			return interval.Between(least, most), ok, nil
		}
	}
	return p.float64(ctx, lo, enough, func(a *pld.Account) (float64, float64, error) {
		return a.Epsilon(ctx, lo, hi, p.width, enough)
	})
}

// float64 asks for an answer in float64.
func (p *composition) float64(ctx context.Context, hint, enough float64, ask func(a *pld.Account) (lo, hi float64, err error)) (out interval.Interval, ok bool, err error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if !(hint > 1e-290) {
		return out, false, nil
	}
	a, err := p.float64Account(ctx, workingPrecision(hint, p.uses()))
	if a == nil || err != nil {
		return out, false, err
	}
	lo, hi, err := ask(a)
	if errors.Is(err, pld.ErrTooFine) {
		err = nil
		hi = math.Inf(1)
	}
	return interval.Between(lo, hi), hi-lo <= 100*p.width*hi && !math.IsInf(hi, 1) || hi <= enough, err
}
