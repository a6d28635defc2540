package privacy

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Sampling is how records are drawn before a mechanism sees them.
type Sampling string

// Poisson takes every record with the chance rate, on its own; WithoutReplacement takes a share rate of all
// records, all such subsets being equally likely.
const (
	Poisson            Sampling = "poisson"
	WithoutReplacement Sampling = "without_replacement"
)

// Subsample returns the privacy of one use of a mechanism on records that are drawn first, at a rate γ, 0 ≤ γ ≤ 1. With (P, Q) the tight
// dominating pair of the mechanism:
//
//   - Poisson, neighbors that add or remove a record: the pairs (γP + (1−γ)Q, Q), where P has the record, and its reverse, which stay
//     apart while uses are composed (Zhu, Dong and Wang 2022, Theorem 11);
//   - WithoutReplacement, neighbors that replace one: the pair whose divergence of order t is that of γP + (1−γ)Q and Q for t ≥ 1, and
//     that of P and (1−γ)P + γQ below (there, and Balle, Barthe and Gaboardi 2018).
//
// Both are attained where the pair of the mechanism is, and upper bounds elsewhere. It returns an error wrapping evidence.ErrParameter where a is
// no single use, its neighbors are other ones, or the rate is none.
func Subsample(ctx context.Context, a *Account, rate *big.Rat, kind Sampling) (*Account, error) {
	if rate.Sign() < 0 || rate.Cmp(one) > 0 {
		return nil, parameter.Bad("rate", rate.RatString(), "0 <= rate <= 1")
	}
	if len(a.uses) != 1 || a.uses[0].Times != 1 {
		return nil, parameter.Errorf("%s is more than one use: want one mechanism, and its subsampled uses composed", a.name)
	}
	f := a.uses[0].Of
	wanted, ok := map[Sampling]query.Relation{Poisson: query.AddRemove, WithoutReplacement: query.Replace}[kind]
	switch {
	case !ok:
		return nil, parameter.Bad("kind", string(kind), "%q or %q", Poisson, WithoutReplacement)
	case f.Relation != query.Any && f.Relation != wanted && kind == Poisson:
		return nil, parameter.Errorf("Poisson sampling needs neighbors that add or remove a record, and those of %s do not", a.name)
	case f.Relation != query.Any && f.Relation != wanted:
		return nil, parameter.Errorf("sampling without replacement needs neighbors that replace a record, and those of %s do not", a.name)
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
	base, unboundedAbove := pair.(*discreteGaussian)
	if unboundedAbove && rate.Cmp(one) < 0 {
		const bits = 1200 // beyond all float64s
		if pair, err = base.losses(ctx, bits); err != nil {
			return nil, err
		}
	}
	if l, ok := pair.(*DiscretePair); ok && !l.areLaws() {
		return nil, parameter.Errorf("the masses of %s are not those of two laws", a.name)
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
	if sub.rounded = a.rounded; a.rounded { // what bounds it from below does so sampled
		for _, under := range a.lowerBounds {
			low, err := Subsample(ctx, under, rate, kind)
			switch {
			case err == nil:
				sub.lowerBounds = append(sub.lowerBounds, low)
				if under == a.lowerAccount {
					sub.lowerAccount = low
				}
			case !errors.Is(err, evidence.ErrParameter): // what cannot be sampled says nothing
				return nil, err
			}
		}
	}
	return sub, nil
}

// areLaws reports whether all masses are positive and those of each law may sum to 1.
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

// sampledUniverse counts the pairs of all that is sampled alike: with the record and without it, or either of two records.
type sampledUniverse Sampling

// Same implements Scope.
func (s sampledUniverse) Same(o Universe) bool { return s == o }

// removalPairs returns the pairs whose first dataset has a record more.
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

// mixture is what becomes of a pair (P, Q).
type mixture int

const (
	removal     mixture = iota // (γP + (1−γ)Q, Q)
	addition                   // its reverse
	replacement                // the one where P is likelier, the reverse of that of (Q, P) where Q is
)

// subsamplePair returns what a pair becomes.
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
		}
		out.untruncated = l.untruncated
		return out
	}
	if s, ok := p.(*subsampled); ok { // drawn from what was drawn
		return newSubsampled(s.base, new(big.Rat).Mul(s.rate, rate), how)
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
	if sign(l.qOnlyMass) != 0 { // P' gives what P never did
		rest := interval.Rat(new(big.Rat).Sub(one, rate)).Log()
		atoms = append(atoms, Atom{P: mix(zero, l.qOnlyMass, rate), Q: l.qOnlyMass, Offset: rest})
	}
	return NewDiscretePair(atoms, evidence.ExactRat(rate).Mul(l.infinityMass), zero, evidence.Epsilon{}, Hooks{})
}

// replacementPair returns the pair of WithoutReplacement: outputs likelier under P weigh γP + (1−γ)Q and Q, those likelier under Q weigh P and
// (1−γ)P + γQ, and what is left of both laws has no loss. Where it is open which law makes an output likelier, it weighs the smaller of the two.
func (l *DiscretePair) replacementPair(rate *big.Rat) *DiscretePair {
	var atoms []Atom
	leftP, leftQ := l.infinityMass, l.qOnlyMass
	for _, a := range l.atoms {
		s, known := l.Loss(a).Sign()
		if l.rational { // however near to each other
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
	if p, q := rest.Mul(leftP), rest.Mul(leftQ); sign(p) != 0 { // as much of the one as of the other
		atoms = append(atoms, Atom{P: p, Q: q, Offset: interval.Int(0)})
	}
	g := evidence.ExactRat(rate)
	return NewDiscretePair(atoms, g.Mul(l.infinityMass), g.Mul(l.qOnlyMass), evidence.Epsilon{}, Hooks{})
}

// minAmount returns the smaller of two amounts.
func minAmount(x, y evidence.RatOrInterval) evidence.RatOrInterval {
	return zero.Sub(Max(zero.Sub(x), zero.Sub(y)))
}

// mixUp returns an output of γP + (1−γ)Q and Q.
func (l *DiscretePair) mixUp(a Atom, rate *big.Rat) Atom {
	p := mix(a.P, a.Q, rate)
	if l.rational {
		return RationalAtom(p.Rational, a.Q.Rational, a.Tags...)
	}
	return Atom{P: p, Q: a.Q, Offset: l.mixedOffset(a, rate), Tags: a.Tags}
}

// mixDown returns an output of P and (1−γ)P + γQ.
func (l *DiscretePair) mixDown(a Atom, rate *big.Rat) Atom {
	b := l.mixUp(Atom{P: a.Q, Q: a.P, Steps: -a.Steps, Offset: a.Offset.Neg(), Tags: a.Tags}, rate)
	b.P, b.Q, b.Offset = b.Q, b.P, b.Offset.Neg()
	return b
}

// mixedOffset encloses what becomes of an atom's loss: from its masses, where they are known as well as the loss.
func (l *DiscretePair) mixedOffset(a Atom, rate *big.Rat) interval.Interval {
	if l.untruncated != nil {
		return mix(evidence.RatOrInterval{Enclosure: a.P.Enclosure.Quo(a.Q.Enclosure)}, evidence.ExactRat(one), rate).Enclosure.Log()
	}
	return mixedLoss(l.Loss(a), rate)
}

// mixedLoss encloses ln(γe^l + 1 − γ), which rises in l.
func mixedLoss(l interval.Interval, rate *big.Rat) interval.Interval {
	g := interval.Rat(rate)
	at := func(x interval.Interval) interval.Interval { return g.Mul(x.Expm1()).Log1p() }
	return interval.Hull(at(l.Lower()), at(l.Upper()))
}
