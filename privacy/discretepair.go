package privacy

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// DiscretePair is a pair of laws on finitely many outputs.
type DiscretePair struct {
	atoms                   []Atom // by ascending loss
	infinityMass, qOnlyMass evidence.RatOrInterval
	infinityTags            []int            // outputs with Q = 0
	unit                    evidence.Epsilon // spacing of the lattice of losses; 0 if there is no lattice
	hooks                   Hooks
	rational                bool
	// untruncated is the pair of which this one is a truncation; nil if it is no truncation.
	untruncated *discreteGaussian
	// reverse is an upper bound of the reverse pair that is tighter than this pair with P and Q exchanged; nil if there
	// is none.
	reverse *DiscretePair
	// whole is the pair that this one approximates by cells, if it has infinite losses only beyond the cells; nil
	// otherwise.
	whole *mixturePair
	// below is a lower bound of the pair of which this one is an upper bound; nil if there is none.
	below   *DiscretePair
	spacing float64 // spacing of a grid that nearly contains 0 and the losses of both bounds; 0 if there is none
}

// Atom is the set of all outputs with the same loss.
type Atom struct {
	// P and Q are the masses under the two laws. If one is the rational 0, the loss is infinite.
	P, Q evidence.RatOrInterval
	// The loss is ln P/Q = Steps·unit + Offset, where unit is the spacing of the lattice. Without a lattice it is
	// Offset.
	Steps  int64
	Offset interval.Interval
	// Tags are the caller's numbers of the outputs.
	Tags []int
}

// Hooks are functions that the caller provides for cases that enclosures of masses and losses do not decide. Each may
// be nil.
type Hooks struct {
	// Sign decides the sign of p − e^ε q for the output of a tag, or returns an error.
	Sign func(tag int, eps evidence.Epsilon) (int, error)
	// EpsilonMinusLoss encloses ε − loss for the output of a tag. It returns false if it knows no narrower enclosure
	// than that of the loss.
	EpsilonMinusLoss func(tag int, eps evidence.Epsilon) (interval.Interval, bool)
}

// NewDiscretePair returns the pair with the given atoms, the infinity mass (P-mass of outputs with Q = 0) and the
// Q-only mass (Q-mass of outputs with P = 0). It merges atoms that certainly have the same loss. unit is the spacing of
// the lattice on which Steps count, and the zero Epsilon means no lattice. On a lattice all offsets must be equal, or
// differ by little compared with the unit: sums use one enclosure of all offsets. The caller must ensure that the
// masses of each law sum to 1.
func NewDiscretePair(atoms []Atom, infinityMass, qOnlyMass evidence.RatOrInterval, unit evidence.Epsilon, hooks Hooks) *DiscretePair {
	l := &DiscretePair{infinityMass: infinityMass, qOnlyMass: qOnlyMass, unit: unit, hooks: hooks, rational: infinityMass.Rational != nil && qOnlyMass.Rational != nil}
	atoms = slices.DeleteFunc(slices.Clone(atoms), func(a Atom) bool {
		switch {
		case isZero(a.Q):
			l.infinityMass, l.infinityTags = l.infinityMass.Add(a.P), append(l.infinityTags, a.Tags...)
		case isZero(a.P):
			l.qOnlyMass = l.qOnlyMass.Add(a.Q)
		default:
			return false
		}
		return true
	})
	for _, a := range atoms {
		l.rational = l.rational && a.P.Rational != nil && a.Q.Rational != nil
	}
	compare := func(a, b Atom) int { return cmp.Compare(a.Steps, b.Steps) }
	switch {
	case l.onLattice():
		slices.SortStableFunc(atoms, compare)
	case l.rational:
		compare = func(a, b Atom) int { return l.ratio(a).Cmp(l.ratio(b)) }
		slices.SortStableFunc(atoms, compare)
	default:
		atoms = sortedByMid(atoms)
	}
	for _, a := range atoms {
		if n := len(l.atoms); n > 0 && (l.rational || l.onLattice()) && compare(l.atoms[n-1], a) == 0 {
			last := &l.atoms[n-1]
			last.P, last.Q, last.Tags = last.P.Add(a.P), last.Q.Add(a.Q), append(slices.Clip(last.Tags), a.Tags...)
			last.Offset = interval.Hull(last.Offset, a.Offset)
			continue
		}
		l.atoms = append(l.atoms, a)
	}
	return l
}

// sortedByMid returns the atoms by ascending midpoint of their offsets.
func sortedByMid(atoms []Atom) []Atom {
	mids, order, out := make([]float64, len(atoms)), make([]int, len(atoms)), make([]Atom, len(atoms))
	for i, a := range atoms {
		mids[i], order[i] = a.Offset.Mid(), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(mids[i], mids[j]) })
	for to, from := range order {
		out[to] = atoms[from]
	}
	return out
}

// WithInfinityTags returns the pair with the tags of the outputs with Q = 0.
func (l *DiscretePair) WithInfinityTags(tags []int) *DiscretePair {
	named := *l
	named.infinityTags = tags
	return &named
}

// NewRationalPair returns the pair of laws with probabilities p[i] and q[i] of output i, which is also the tag of its
// atom. It returns an error wrapping evidence.ErrParameter unless p and q are two laws on the same outputs.
func NewRationalPair(p, q []*big.Rat) (*DiscretePair, error) {
	if len(p) != len(q) {
		return nil, parameter.Errorf("laws of %d and %d outputs, want the same number", len(p), len(q))
	}
	var atoms []Atom
	infinityMass, qOnlyMass := new(big.Rat), new(big.Rat)
	sums := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	for i := range p {
		for k, mass := range [2]*big.Rat{p[i], q[i]} {
			if mass == nil || mass.Sign() < 0 {
				return nil, parameter.Errorf("output %d has the probability %v, want at least 0", i, mass)
			}
			sums[k].Add(sums[k], mass)
		}
		switch {
		case q[i].Sign() == 0:
			infinityMass.Add(infinityMass, p[i])
		case p[i].Sign() == 0:
			qOnlyMass.Add(qOnlyMass, q[i])
		default:
			atoms = append(atoms, RationalAtom(p[i], q[i], i))
		}
	}
	for k, sum := range sums {
		if sum.Cmp(one) != 0 {
			f, _ := sum.Float64()
			return nil, parameter.Errorf("law %d sums to %v, want 1", k, f)
		}
	}
	return NewDiscretePair(atoms, evidence.ExactRat(infinityMass), evidence.ExactRat(qOnlyMass), evidence.Epsilon{}, Hooks{}), nil
}

func isZero(a evidence.RatOrInterval) bool { return a.Rational != nil && a.Rational.Sign() == 0 }

// RationalAtom returns the atom of outputs with the given masses, both positive.
func RationalAtom(p, q *big.Rat, tags ...int) Atom {
	a := Atom{P: evidence.ExactRat(p), Q: evidence.ExactRat(q), Offset: interval.Whole(), Tags: tags}
	if p.Sign() > 0 && q.Sign() > 0 {
		a.Offset = interval.RationalLog(new(big.Rat).Quo(p, q))
	}
	return a
}

func (l *DiscretePair) onLattice() bool { return !l.unit.IsZero() }

// ratio returns P/Q of an atom with rational masses.
func (l *DiscretePair) ratio(a Atom) *big.Rat { return new(big.Rat).Quo(a.P.Rational, a.Q.Rational) }

// Atoms returns the atoms by ascending loss. The caller must not change the slice.
func (l *DiscretePair) Atoms() []Atom { return l.atoms }

// QOnlyMass returns the Q-mass of the outputs with P = 0.
func (l *DiscretePair) QOnlyMass() evidence.RatOrInterval { return l.qOnlyMass }

// InfinityMass implements Pair.
func (l *DiscretePair) InfinityMass() evidence.RatOrInterval { return l.infinityMass }

// Loss encloses the loss of an atom.
func (l *DiscretePair) Loss(a Atom) interval.Interval {
	if !l.onLattice() || a.Steps == 0 {
		return a.Offset
	}
	return l.unit.Enclosure().Mul(interval.Int(a.Steps)).Add(a.Offset)
}

// Reverse implements Pair.
func (l *DiscretePair) Reverse() Pair {
	if l.reverse != nil {
		return l.reverse
	}
	return l.swapped()
}

// swapped returns the pair with P and Q exchanged.
func (l *DiscretePair) swapped() *DiscretePair {
	r := &DiscretePair{infinityMass: l.qOnlyMass, qOnlyMass: l.infinityMass, unit: l.unit, rational: l.rational, untruncated: l.untruncated}
	for _, a := range slices.Backward(l.atoms) {
		r.atoms = append(r.atoms, Atom{P: a.Q, Q: a.P, Steps: -a.Steps, Offset: a.Offset.Neg(), Tags: a.Tags})
	}
	return r
}

// Delta implements Pair. It sums p − e^ε q over atoms whose loss exceeds ε, exactly if the masses and e^ε are rational.
// If a difference cancels, it uses p(1 − e^{ε − loss}) instead. If even the sign is undecided, the caller's Hooks
// decide.
func (l *DiscretePair) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	w := expEpsilon(eps)
	sum := l.infinityMass
	for i, a := range l.atoms {
		if err := pollContext(ctx, i); err != nil {
			return sum, err
		}
		gap := a.P.Sub(w.Mul(a.Q))
		if gap.Rational == nil && !gap.Enclosure.Narrow(narrowBits) {
			gap = l.refineTerm(a, eps, gap)
		}
		sum = sum.Add(positivePart(gap))
	}
	return sum, nil
}

// epsilon encloses the least ε ≥ 0 at which the divergence is at most delta, an interval of width 0. δ(ε) is the
// largest p − e^ε q over the events {loss ≥ l} with probabilities p and q, and p − e^ε q ≤ δ if and only if ε ≥ ln((p −
// δ)/q). If the infinity mass exceeds δ, the result is infinite.
func (l *DiscretePair) epsilon(delta interval.Interval) interval.Interval {
	least := interval.Int(0)
	p, q := l.infinityMass.Enclosure, interval.Int(0)
	if delta.Less(p) {
		return infinite
	}
	for _, a := range slices.Backward(l.atoms) {
		p, q = p.Add(a.P.Enclosure), q.Add(a.Q.Enclosure)
		if over := p.Sub(delta); interval.Int(0).Less(over.Upper()) {
			least = interval.Max(least, interval.Max(over, interval.Int(0)).Quo(q).Log())
		}
	}
	return least
}

// HockeyStickTerm returns (p − wq)⁺, the contribution of an output with masses p and q to the hockey-stick divergence
// of order w.
func HockeyStickTerm(p, q, w evidence.RatOrInterval) evidence.RatOrInterval {
	return positivePart(p.Sub(w.Mul(q)))
}

// positivePart returns the larger of a and 0.
func positivePart(a evidence.RatOrInterval) evidence.RatOrInterval {
	sign, exact := a.Enclosure.Sign()
	switch {
	case sign < 0 || sign == 0 && exact:
		return zero
	case a.Rational == nil && sign == 0:
		return evidence.RatOrInterval{Enclosure: interval.Max(a.Enclosure, interval.Int(0))}
	}
	return a
}

// narrowBits is the relative precision, in bits, at which an enclosure counts as narrow.
const narrowBits = 100

// expEpsilon returns e^ε.
func expEpsilon(eps evidence.Epsilon) evidence.RatOrInterval {
	if eps.IsZero() {
		return evidence.ExactRat(big.NewRat(1, 1))
	}
	if w, ok := eps.Exp(); ok {
		return evidence.ExactRat(w)
	}
	return evidence.RatOrInterval{Enclosure: eps.Enclosure().Exp()}
}

// refineTerm returns an enclosure of (p − e^ε q)⁺ that is no wider than gap, another enclosure of it.
func (l *DiscretePair) refineTerm(a Atom, eps evidence.Epsilon, gap evidence.RatOrInterval) evidence.RatOrInterval {
	t := l.epsilonMinusLoss(a, eps)
	sign, exact := t.Sign()
	if sign == 0 && !exact && l.hooks.Sign != nil && len(a.Tags) > 0 {
		if of, err := l.hooks.Sign(a.Tags[0], eps); err == nil && of <= 0 {
			sign = 1
		}
	}
	if sign > 0 || sign == 0 && exact {
		return zero
	}
	narrow := a.P.Enclosure.Mul(interval.Max(t.Expm1().Neg(), interval.Int(0)))
	if gap.Enclosure.CmpHi(narrow) < 0 {
		return gap
	}
	return evidence.RatOrInterval{Enclosure: narrow}
}

// narrowWidth is the width below which an enclosure of ε − loss needs no better method.
var narrowWidth = interval.Float(0x1p-100)

// epsilonMinusLoss encloses ε − loss. It subtracts multiples of the unit exactly, since enclosures of large multiples
// would leave no digits for the difference.
func (l *DiscretePair) epsilonMinusLoss(a Atom, eps evidence.Epsilon) interval.Interval {
	t := eps.Enclosure().Sub(l.Loss(a))
	if sign, exact := t.Sign(); (sign != 0 || exact) && t.Upper().Sub(t.Lower()).Less(narrowWidth) {
		return t
	}
	if l.hooks.EpsilonMinusLoss != nil && len(a.Tags) > 0 {
		if better, ok := l.hooks.EpsilonMinusLoss(a.Tags[0], eps); ok {
			return better
		}
	}
	if !l.onLattice() {
		return t
	}
	k := big.NewRat(-a.Steps, 1)
	if !eps.IsZero() {
		share, ok := eps.Quotient(l.unit)
		if !ok {
			return t
		}
		k.Add(k, share)
	}
	return l.unit.Enclosure().Mul(interval.Rat(k)).Sub(a.Offset)
}

// LogMoment implements Pair.
func (l *DiscretePair) LogMoment(s interval.Interval) interval.Interval {
	if l.whole != nil {
		return l.whole.logMoment(s)
	}
	logs := make([]interval.Interval, len(l.atoms))
	masses := make([]interval.Interval, len(l.atoms))
	for i, a := range l.atoms {
		logs[i], masses[i] = l.Loss(a).Mul(s), a.P.Enclosure
	}
	return interval.LogSum(logs, masses)
}

// Mean implements Pair.
func (l *DiscretePair) Mean() interval.Interval {
	sum := interval.Int(0)
	for _, a := range l.atoms {
		sum = sum.Add(a.P.Enclosure.Mul(l.Loss(a)))
	}
	return sum
}

// VarianceBound implements Pair by Popoviciu's inequality: the variance is at most a quarter of the squared range.
func (l *DiscretePair) VarianceBound() interval.Interval {
	spread := l.LossRange()
	half := spread.Upper().Sub(spread.Lower()).Quo(interval.Int(2))
	return half.Mul(half)
}

// LossRange implements Pair.
func (l *DiscretePair) LossRange() interval.Interval {
	if len(l.atoms) == 0 {
		return interval.Int(0)
	}
	if l.onLattice() {
		return interval.Hull(l.Loss(l.atoms[0]), l.Loss(l.atoms[len(l.atoms)-1]))
	}
	out := l.atoms[0].Offset // equal losses may have enclosures of different widths
	for _, a := range l.atoms {
		out = interval.Hull(out, a.Offset)
	}
	return out
}

// maxLoss encloses the largest loss, and returns 0 if there is none.
func (l *DiscretePair) maxLoss() interval.Interval {
	switch n := len(l.atoms); {
	case n == 0:
		return interval.Int(0)
	case l.onLattice():
		return l.Loss(l.atoms[n-1])
	}
	most := l.atoms[0].Offset
	for _, a := range l.atoms { // an earlier atom may have a wider enclosure that reaches beyond the last
		most = interval.Max(most, a.Offset)
	}
	return most
}

// String returns the number of atoms.
func (l *DiscretePair) String() string {
	return fmt.Sprintf("pair of laws with %d losses in %v", len(l.atoms), l.LossRange())
}
