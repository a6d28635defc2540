package signrp

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// vectors is the universe of the two ordered pairs (u, v) and (v, u), which all releases share.
type vectors struct{ u, v []float64 }

// Same implements privacy.Universe.
func (s vectors) Same(o privacy.Universe) bool {
	t, ok := o.(vectors)
	return ok && slices.Equal(s.u, t.u) && slices.Equal(s.v, t.v)
}

// PairsBetween returns the two ordered pairs of laws of r at the vectors u and v, neighbors or not, for this W:
// pair 0 is (u, v), pair 1 is (v, u). Signs are independent bits, and their pair is the product of the bits' pairs.
// It is rational for randomised response if e^{ε'} is rational, on a lattice if the two ε' are commensurable, and
// enclosed otherwise. A sign that only one vector can have gives an infinite loss. Numbers have normal laws.
// [Release.Pair] answers for a single use, and has the same errors.
func (r *Release) PairsBetween(ctx context.Context, u, v []float64) (*privacy.DominatingPairs, error) {
	at := &between{r: r, u: slices.Clone(u), v: slices.Clone(v)}
	f := &privacy.DominatingPairs{
		Name: r.name, Source: r.name + ", " + readingPair, Universe: vectors{at.u, at.v}, Size: 2, Profile: r.Pair(u, v),
		Datasets: func(i int) (x, y any) {
			if i == 1 {
				return slices.Clone(at.v), slices.Clone(at.u)
			}
			return slices.Clone(at.u), slices.Clone(at.v)
		},
	}
	if caveat := r.caveat(); caveat != "" {
		f.Source += "; " + caveat
	}
	var both [2]privacy.Pair
	if r.rule == numbers {
		move, err := at.distance(ctx)
		if err != nil {
			return nil, err
		}
		pair := alike()
		if _, hi := move.Bounds(); hi > 0 {
			pair = privacy.Normal(r.ratio(move))
		}
		both = [2]privacy.Pair{pair, pair.Reverse()}
	} else {
		s, err := at.sides(ctx)
		if err != nil {
			return nil, err
		}
		both = s.pairs()
	}
	f.Pair = func(_ context.Context, i int) (privacy.Pair, error) { return both[i], nil }
	return f, nil
}

// still reports which columns of W have only zeros where u and v differ. It returns nil if no such column is known.
func (p *between) still(ctx context.Context) ([]bool, error) {
	w := p.r.w
	if w.kind == Rademacher && !slices.Equal(p.u, p.v) {
		return nil, nil
	}
	out := slices.Repeat([]bool{true}, w.k)
	err := w.eachRow(ctx, func(i int, row []float64) {
		if i < len(p.u) && p.u[i] != p.v[i] {
			for j, c := range row {
				out[j] = out[j] && c == 0
			}
		}
	})
	return out, err
}

// pairOf returns a pair of laws with a few outputs.
func pairOf(sure, never evidence.RatOrInterval, unit evidence.Epsilon, atoms ...privacy.Atom) privacy.Pair {
	return privacy.NewDiscretePair(atoms, sure, never, unit, privacy.Hooks{})
}

func amount(n int64) evidence.RatOrInterval { return evidence.ExactRat(big.NewRat(n, 1)) }

// alike is the pair of two equal laws.
func alike() privacy.Pair {
	return pairOf(amount(0), amount(0), evidence.Epsilon{}, privacy.Atom{P: amount(1), Q: amount(1), Offset: interval.Int(0)})
}

// bitKind holds what determines the pair of laws of one bit.
type bitKind struct {
	a, b           int     // levels
	fixedA, fixedB bool    // whether the bit is fixed to the sign of its level
	x, y, dx, dy   float64 // for normal laws: z under both laws, and its error bounds
}

// signPair returns the product of the pairs of all bits, in which equal pairs are counted. still[j] reports that d_j is
// the same at both vectors.
func signPair(a, b *law, still []bool) privacy.Pair {
	same := !a.normal && sameEpsilon(a.eps, b.eps) || a.normal && a.sigma == b.sigma
	var order []bitKind
	times := map[bitKind]int{}
	for j := range a.level {
		k := bitKind{a: a.level[j], b: b.level[j], fixedA: a.isFixed(j), fixedB: b.isFixed(j)}
		switch {
		case k.fixedA && k.fixedB && sgn(k.a) == sgn(k.b):
			continue
		case k.fixedA && k.fixedB: // no pattern in common
			return pairOf(amount(1), amount(1), evidence.Epsilon{})
		case k.fixedA == k.fixedB && same && (a.normal && still != nil && still[j] || !a.normal && k.a == k.b):
			continue
		case a.normal:
			k.x, k.y, k.dx, k.dy = a.z[j], b.z[j], a.slack[j], b.slack[j]
		case k.a < 0: // the same with + and − exchanged
			k.a, k.b = -k.a, -k.b
		}
		if times[k]++; times[k] == 1 {
			order = append(order, k)
		}
	}
	var pairs []privacy.Pair
	var n []int
	for _, k := range order {
		pairs, n = append(pairs, bitPair(a, b, k)), append(n, times[k])
	}
	if len(pairs) == 0 {
		return alike()
	}
	return privacy.Independent(pairs, n)
}

// bitPair returns the pair of laws of one bit; + is output 0.
func bitPair(a, b *law, k bitKind) privacy.Pair {
	chances := func(l *law, level int, z, slack float64) (plus, minus evidence.RatOrInterval) {
		if l.normal {
			around := interval.Float(z).Add(interval.Between(-slack, slack))
			return evidence.RatOrInterval{Enclosure: gaussian.Tail(around.Neg())}, evidence.RatOrInterval{Enclosure: gaussian.Tail(around)}
		}
		if base, ok := l.eps.Exp(); ok && float64(abs(level)*ratBits(base)) < mostBits {
			p := levelProb(level, base)
			plus = evidence.ExactRat(p)
			return plus, amount(1).Sub(plus)
		}
		of := levelProbs(l.eps)
		return evidence.RatOrInterval{Enclosure: of(level).p}, evidence.RatOrInterval{Enclosure: of(-level).p}
	}
	plusA, minusA := chances(a, k.a, k.x, k.dx)
	plusB, minusB := chances(b, k.b, k.y, k.dy)
	pick := func(level int, plus, minus evidence.RatOrInterval) (kept, lost evidence.RatOrInterval) {
		if level < 0 {
			return minus, plus
		}
		return plus, minus
	}
	loss := func(p, q evidence.RatOrInterval) interval.Interval { return p.Enclosure.Log().Sub(q.Enclosure.Log()) }
	switch {
	case k.fixedA:
		kept, lost := pick(k.a, plusB, minusB)
		return pairOf(amount(0), lost, evidence.Epsilon{}, privacy.Atom{P: amount(1), Q: kept, Offset: loss(amount(1), kept)})
	case k.fixedB:
		kept, lost := pick(k.b, plusA, minusA)
		return pairOf(lost, amount(0), evidence.Epsilon{}, privacy.Atom{P: kept, Q: amount(1), Offset: loss(kept, amount(1))})
	}
	high := privacy.Atom{P: plusA, Q: plusB, Offset: loss(plusA, plusB), Tags: []int{0}}
	low := privacy.Atom{P: minusA, Q: minusB, Offset: loss(minusA, minusB), Tags: []int{1}}
	if unit, steps, ok := bitLattice(a, b, k); ok {
		// The steps are the logit of a minus that of b, which is ln P/Q of + minus ln P/Q of −. The common offset is ln
		// P/Q of −.
		of := levelProbs(a.eps)
		base := of(-k.a).log.Sub(levelProbs(b.eps)(-k.b).log)
		high.Steps, high.Offset, low.Offset = steps, base, base
		if k.a == -k.b && sameEpsilon(a.eps, b.eps) { // losses ±level·ε'
			zero := interval.Int(0)
			high.Steps, low.Steps, high.Offset, low.Offset = int64(k.a), -int64(k.a), zero, zero
		}
		return pairOf(amount(0), amount(0), unit, high, low)
	}
	return pairOf(amount(0), amount(0), evidence.Epsilon{}, high, low)
}

// bitLattice returns a unit of which ε' of both laws are multiples. It also returns the logit of a's level minus that
// of b's, in that unit. ok is false for normal laws, if there is no useful unit, or if the two logits are equal.
func bitLattice(a, b *law, k bitKind) (unit evidence.Epsilon, steps int64, ok bool) {
	if a.normal || a.eps.IsZero() || b.eps.IsZero() {
		return unit, 0, false
	}
	ratio, ok := b.eps.Quotient(a.eps)
	if !ok || !ratio.Num().IsInt64() || !ratio.Denom().IsInt64() || ratio.Num().BitLen() > 24 || ratio.Denom().BitLen() > 24 {
		return unit, 0, false
	}
	den := ratio.Denom().Int64()
	steps = int64(k.a)*den - int64(k.b)*ratio.Num().Int64()
	return a.eps.Ratio(1, den), steps, steps != 0 && max(steps, -steps) < 1<<40
}

// Equal reports whether two releases have the same projection, rule and parameters.
func (r *Release) Equal(o *Release) bool {
	return r == o || r.name == o.name && r.rule == o.rule && r.p == o.p && r.eps.Equal(o.eps) && r.delta.Equal(o.delta) && r.beta == o.beta &&
		(r.w == o.w || r.w != nil && o.w != nil && r.w.kind == o.w.kind && r.w.k == o.w.k && r.w.s == o.w.s && r.w.seed == o.w.seed)
}

// at is the universe of a release and one vector u, for privacy between u and its neighbors.
type at struct {
	r *Release
	u []float64
}

// Equal reports whether both universes have equal releases and vectors.
func (a at) Equal(o at) bool { return a.r.Equal(o.r) && slices.Equal(a.u, o.u) }

// Pairs implements privacy.Private: the pairs of laws of all neighbors with public W, for composition. Numbers have
// normal laws at the largest move. Plain randomised response has one pair that dominates every other (see
// [Release.Public]). For signs of noisy numbers it returns the numbers' pairs, an upper bound by post-processing. For
// other releases it returns an upper bound from the smallest ε alone.
func (r *Release) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	curve := r.Public()
	var f *privacy.DominatingPairs
	switch {
	case r.rule == numbers || r.rule == noisySigns:
		f = privacy.NormalPairs(r.name, r.name+", "+readingPublic, r.ratio(r.largestMove()))
		f.Bound = r.rule == noisySigns
	case !r.Individual() && !r.DataDependent():
		if err := r.w.prepare(ctx); err != nil {
			return nil, err
		}
		u, v := r.centredPair()
		var err error
		if f, err = r.PairsBetween(ctx, u, v); err != nil {
			return nil, err
		}
		f.Source = r.name + ", " + readingPublic
	default:
		f = privacy.PureDP(r.name, curve)
	}
	f.Universe, f.Profile = privacy.ByEquality(r), curve
	return f, nil
}

// NeighborPairs returns the pairs of laws of u and its neighbors for this W. Numbers have normal laws at the
// longest move. For signs it returns an upper bound from the smallest ε alone.
func (r *Release) NeighborPairs(ctx context.Context, u []float64) (*privacy.DominatingPairs, error) {
	n := r.Neighbors(u)
	if r.rule != numbers {
		return privacy.PureDP(r.name, n), nil
	}
	m, err := n.longest(ctx)
	if err != nil {
		return nil, err
	}
	f := privacy.NormalPairs(r.name, r.name+", "+readingNeighbor, r.ratio(m.distance))
	f.Universe, f.Profile = privacy.ByEquality(at{r, n.u}), n
	return f, nil
}
