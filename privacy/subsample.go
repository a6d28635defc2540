package privacy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Sampling is a way to sample the records that a mechanism uses.
type Sampling string

// Poisson includes each record independently with probability rate. WithoutReplacement takes a uniformly random
// subset with the share rate of all records.
const (
	Poisson            Sampling = "poisson"
	WithoutReplacement Sampling = "without_replacement"
)

// Subsample returns the privacy of one use of a mechanism on sampled records, at a rate γ, 0 ≤ γ ≤ 1. Let (P, Q) be
// the tight dominating pair of the mechanism.
//
//   - Poisson, add/remove neighbors: the pairs are (γP + (1−γ)Q, Q), where P is the law with the record, and its
//     reverse. A composition multiplies the pairs of each direction separately (Zhu, Dong and Wang 2022, Theorem 11).
//   - WithoutReplacement, replace neighbors: for t ≥ 1 the divergence of order t is that of the pair γP + (1−γ)Q and Q,
//     and for t < 1 that of P and (1−γ)P + γQ (the same theorem; Balle, Barthe and Gaboardi 2018).
//
// The pairs are tight if (P, Q) is the only pair of the mechanism in its direction and no bound, and upper bounds
// otherwise. It returns an error wrapping evidence.ErrParameter unless a is a single use, its neighbors fit the sampling,
// and the rate is in range.
func Subsample(ctx context.Context, a *Account, rate *big.Rat, kind Sampling) (*Account, error) {
	if rate.Sign() < 0 || rate.Cmp(one) > 0 {
		return nil, parameter.Bad("rate", rate, "0 <= rate <= 1")
	}
	f := a.jointPairs()
	wanted, ok := map[Sampling]query.Relation{Poisson: query.AddRemove, WithoutReplacement: query.Replace}[kind]
	switch {
	case !ok:
		return nil, parameter.Bad("kind", string(kind), "%q or %q", Poisson, WithoutReplacement)
	case f.Relation != query.Any && f.Relation != wanted && kind == Poisson:
		return nil, parameter.Errorf("Poisson sampling of %s, want a mechanism whose neighbors add or remove a record", a.name)
	case f.Relation != query.Any && f.Relation != wanted:
		return nil, parameter.Errorf("sampling without replacement of %s, want a mechanism whose neighbors replace a record", a.name)
	}
	if kind == Poisson && f.Removes != nil {
		f = f.removalPairs()
	}
	over, under, err := f.tightPair(ctx)
	if err != nil {
		return nil, err
	}
	pair, err := over.Pair(ctx, 0)
	if err != nil {
		return nil, err
	}
	if in, ok := pair.(*independent); ok {
		if pair, err = in.composition.listed(ctx); err != nil {
			return nil, err
		}
	}
	base, unboundedAbove := pair.(*discreteGaussian)
	if unboundedAbove && rate.Cmp(one) < 0 {
		const bits = 1200 // more than a float64 can resolve
		if pair, err = base.losses(ctx, bits); err != nil {
			return nil, err
		}
	}
	if l, ok := pair.(*DiscretePair); ok && !l.areLaws() {
		return nil, parameter.Errorf("the dominating pair of %s is not a pair of probability distributions", a.name)
	}
	out := &DominatingPairs{
		Name: fmt.Sprintf("subsample(%s, %s, %q)", a.name, rate.RatString(), kind), Universe: sampledUniverse(kind), Size: 2,
		Relation: wanted, ClaimedBy: f.ClaimedBy, Bound: f.Bound || f.Size > 1 || over != under, Source: "Zhu, Dong and Wang 2022, Theorem 11; " + f.Source,
	}
	both := [2]Pair{}
	if kind == Poisson {
		both[0] = subsamplePair(pair, rate, removal)
		both[1] = both[0].Reverse()
		out.Removes = func(i int) bool { return i == 0 }
	} else {
		both[0] = subsamplePair(pair, rate, replacement)
		out.Size, out.Source = 1, "Zhu, Dong and Wang 2022; "+f.Source
	}
	out.Pair = func(_ context.Context, i int) (Pair, error) { return both[i], nil }
	sub := New(out)
	if sub.assumes = a.assumes; sub.assumes == eitherUses {
		sub.assumes = ""
	}
	if sub.rounded = a.rounded; a.rounded { // lower bounds remain lower bounds when subsampled
		for _, under := range a.lowerBounds {
			low, err := Subsample(ctx, under, rate, kind)
			switch {
			case err == nil:
				sub.lowerBounds = append(sub.lowerBounds, low)
				if under == a.lowerAccount {
					sub.lowerAccount = low
				}
			case !errors.Is(err, evidence.ErrParameter): // a lower bound that cannot be subsampled is omitted
				return nil, err
			}
		}
	}
	return sub, nil
}

// jointPairs returns the pairs of the joint outputs of all uses.
func (a *Account) jointPairs() *DominatingPairs {
	if len(a.uses) == 1 && a.uses[0].Times == 1 {
		return a.uses[0].Of
	}
	r := a.reference
	out := &DominatingPairs{
		Name: a.name, Universe: r.Universe, Size: r.Size, Source: r.Source, Relation: r.Relation, Removes: r.Removes,
		TranslationInvariant: r.TranslationInvariant, Bound: a.bound,
	}
	for _, u := range a.uses {
		out.ClaimedBy = cmp.Or(out.ClaimedBy, u.Of.ClaimedBy)
	}
	out.Pair = func(ctx context.Context, i int) (Pair, error) {
		c, err := a.compositionAt(ctx, i)
		if err != nil {
			return nil, err
		}
		return c.listed(ctx)
	}
	return out
}

// maxListedLosses bounds the length of a list of losses of a composition.
const maxListedLosses = 1 << 16

// listed returns a composition as one pair: one normal pair if all pairs are normal, one list of losses if all pairs
// are lists and the list is short, and otherwise a pair with independent parts.
func (p *composition) listed(ctx context.Context) (Pair, error) {
	if one := p.single(); one != nil {
		return one, nil
	}
	var all *DiscretePair
	for _, f := range p.factors {
		l, ok := f.pair.(*DiscretePair)
		if !ok || l.untruncated != nil || l.below != nil {
			return &independent{p}, nil
		}
		for range f.times {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			switch {
			case all == nil:
				all = l
			case len(all.atoms)*len(l.atoms) > maxListedLosses:
				return &independent{p}, nil
			default:
				all = all.times(l)
			}
		}
	}
	return all, nil
}

// times returns the pair of the joint outputs of two independent uses, one of l and one of o.
func (l *DiscretePair) times(o *DiscretePair) *DiscretePair {
	unit := l.unit
	lattice := l.onLattice() && o.onLattice() && l.unit.Equal(o.unit)
	if !lattice {
		unit = evidence.Epsilon{}
	}
	var atoms []Atom
	for _, a := range l.atoms {
		for _, b := range o.atoms {
			c := Atom{P: a.P.Mul(b.P), Q: a.Q.Mul(b.Q), Steps: a.Steps + b.Steps, Offset: a.Offset.Add(b.Offset)}
			if !lattice {
				c.Steps, c.Offset = 0, l.Loss(a).Add(o.Loss(b))
			}
			atoms = append(atoms, c)
		}
	}
	return NewDiscretePair(atoms, unionMass(l.infinityMass, o.infinityMass), unionMass(l.qOnlyMass, o.qOnlyMass), unit, Hooks{})
}

// areLaws reports whether the masses can be positive and the masses of each law can sum to 1.
func (l *DiscretePair) areLaws() bool {
	p, q := l.infinityMass, l.qOnlyMass
	ok := sign(p) >= 0 && sign(q) >= 0
	for _, a := range l.atoms {
		s, _ := a.P.Enclosure.Upper().Sign()
		t, _ := a.Q.Enclosure.Upper().Sign()
		ok = ok && s > 0 && t > 0
		p, q = p.Add(a.P), q.Add(a.Q)
	}
	for _, all := range [2]evidence.RatOrInterval{p, q} {
		whole := interval.Int(1)
		ok = ok && !all.Enclosure.Less(whole) && !whole.Less(all.Enclosure) && (all.Rational == nil || all.Rational.Cmp(one) == 0)
	}
	return ok
}

// sampledUniverse is the universe of all mechanisms with the same kind of sampling. Its datasets are those with and
// without a record, or with either of two records.
type sampledUniverse Sampling

// Same implements Universe.
func (s sampledUniverse) Same(o Universe) bool { return s == o }

// removalPairs returns the pairs whose first dataset has an additional record.
func (f *DominatingPairs) removalPairs() *DominatingPairs {
	var at []int
	for i := range f.Size {
		if f.Removes(i) {
			at = append(at, i)
		}
	}
	return &DominatingPairs{
		Name: f.Name, Size: len(at), Source: f.Source, Bound: f.Bound, ClaimedBy: f.ClaimedBy,
		Pair: func(ctx context.Context, i int) (Pair, error) { return f.Pair(ctx, at[i]) },
	}
}

// mixture is a kind of subsampled pair, made from a pair (P, Q).
type mixture int

const (
	removal     mixture = iota // (γP + (1−γ)Q, Q)
	addition                   // its reverse
	replacement                // as removal of (P, Q) where P > Q, as addition of (Q, P) elsewhere
)

// subsamplePair returns the subsampled pair of the given kind.
func subsamplePair(p Pair, rate *big.Rat, how mixture) Pair {
	switch {
	case rate.Sign() == 0: // one law
		return NewDiscretePair([]Atom{RationalAtom(one, one, 0)}, zero, zero, evidence.Epsilon{}, Hooks{})
	case rate.Cmp(one) == 0:
		return p
	}
	if l, ok := p.(*DiscretePair); ok {
		out := l
		if how == replacement {
			out = l.replacementPair(rate)
		} else {
			out = l.removalPair(rate)
			if l.reverse != nil {
				out.reverse = l.reverse.swapped().removalPair(rate).swapped()
			}
		}
		out.untruncated = l.untruncated
		return out
	}
	switch s := p.(type) {
	case *independent:
		return newSampledProduct(s.composition, rate, how)
	case *subsampled: // subsampled twice
		return newSubsampled(s.base, new(big.Rat).Mul(s.rate, rate), how)
	case *sampledProduct:
		return &sampledProduct{base: s.base, reversed: s.reversed, rate: new(big.Rat).Mul(s.rate, rate), kind: how}
	}
	return newSubsampled(p.(*closedForm), rate, how)
}

// mix returns γx + (1 − γ)y.
func mix(x, y evidence.RatOrInterval, rate *big.Rat) evidence.RatOrInterval {
	g := evidence.ExactRat(rate)
	return g.Mul(x).Add(evidence.ExactRat(one).Sub(g).Mul(y))
}

// removalPair returns (γP + (1−γ)Q, Q).
func (l *DiscretePair) removalPair(rate *big.Rat) *DiscretePair {
	var atoms []Atom
	for _, a := range l.atoms {
		atoms = append(atoms, l.mixUp(a, rate))
	}
	if sign(l.qOnlyMass) != 0 { // outputs with P = 0 have positive mass under γP + (1−γ)Q
		rest := interval.Rat(new(big.Rat).Sub(one, rate)).Log()
		atoms = append(atoms, Atom{P: mix(zero, l.qOnlyMass, rate), Q: l.qOnlyMass, Offset: rest})
	}
	return NewDiscretePair(atoms, evidence.ExactRat(rate).Mul(l.infinityMass), zero, evidence.Epsilon{}, Hooks{})
}

// replacementPair returns the pair for WithoutReplacement. Outputs with P > Q have the masses γP + (1−γ)Q and Q, and
// outputs with Q > P have the masses P and (1−γ)P + γQ. The remaining mass of both laws has loss 0. If enclosures do
// not decide whether P > Q, an output gets the smaller masses.
func (l *DiscretePair) replacementPair(rate *big.Rat) *DiscretePair {
	var atoms []Atom
	leftP, leftQ := l.infinityMass, l.qOnlyMass
	for _, a := range l.atoms {
		s, known := l.Loss(a).Sign()
		if l.rational { // rational masses always decide
			s, known = a.P.Rational.Cmp(a.Q.Rational), true
		}
		b := Atom{P: a.P, Q: a.Q, Offset: interval.Int(0), Tags: a.Tags}
		more := a.P.Sub(a.Q)
		switch {
		case !known:
			leftP, leftQ = leftP.Add(Max(more, zero)), leftQ.Add(Max(zero.Sub(more), zero))
			up, down := l.mixUp(a, rate), l.mixDown(a, rate)
			b.P, b.Q, b.Offset = minAmount(up.P, a.P), minAmount(a.Q, down.Q), interval.Hull(up.Offset, down.Offset)
		case s > 0:
			leftP, b = leftP.Add(more), l.mixUp(a, rate)
		case s < 0:
			leftQ, b = leftQ.Sub(more), l.mixDown(a, rate)
		}
		atoms = append(atoms, b)
	}
	rest := evidence.ExactRat(new(big.Rat).Sub(one, rate))
	if p, q := rest.Mul(leftP), rest.Mul(leftQ); sign(p) != 0 { // both remainders are equal
		atoms = append(atoms, Atom{P: p, Q: q, Offset: interval.Int(0)})
	}
	g := evidence.ExactRat(rate)
	return NewDiscretePair(atoms, g.Mul(l.infinityMass), g.Mul(l.qOnlyMass), evidence.Epsilon{}, Hooks{})
}

// minAmount returns the smaller of two numbers.
func minAmount(x, y evidence.RatOrInterval) evidence.RatOrInterval {
	return zero.Sub(Max(zero.Sub(x), zero.Sub(y)))
}

// mixUp returns the atom with masses γP + (1−γ)Q and Q.
func (l *DiscretePair) mixUp(a Atom, rate *big.Rat) Atom {
	p := mix(a.P, a.Q, rate)
	if l.rational {
		return RationalAtom(p.Rational, a.Q.Rational, a.Tags...)
	}
	return Atom{P: p, Q: a.Q, Offset: l.mixedOffset(a, rate), Tags: a.Tags}
}

// mixDown returns the atom with masses P and (1−γ)P + γQ.
func (l *DiscretePair) mixDown(a Atom, rate *big.Rat) Atom {
	b := l.mixUp(Atom{P: a.Q, Q: a.P, Steps: -a.Steps, Offset: a.Offset.Neg(), Tags: a.Tags}, rate)
	b.P, b.Q, b.Offset = b.Q, b.P, b.Offset.Neg()
	return b
}

// mixedOffset encloses the loss of a mixed atom. For a truncated pair it is computed from the masses, and otherwise
// from the loss.
func (l *DiscretePair) mixedOffset(a Atom, rate *big.Rat) interval.Interval {
	if l.untruncated != nil {
		return mix(evidence.RatOrInterval{Enclosure: a.P.Enclosure.Quo(a.Q.Enclosure)}, evidence.ExactRat(one), rate).Enclosure.Log()
	}
	return mixedLoss(l.Loss(a), rate)
}

// mixedLoss encloses ln(γe^l + 1 − γ), which increases in l.
func mixedLoss(l interval.Interval, rate *big.Rat) interval.Interval {
	g := interval.Rat(rate)
	at := func(x interval.Interval) interval.Interval { return g.Mul(x.Expm1()).Log1p() }
	return interval.Hull(at(l.Lower()), at(l.Upper()))
}
