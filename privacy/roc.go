package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// point holds the probabilities of an event: q under Q and p under P. The events {loss ≥ l} are the corners of a
// concave hull, the ROC curve of testing P against Q. Their errors (q, 1 − p) are the points (α, β) of the trade-off
// function, and the largest p − tq is δ at e^ε = t.
type point struct{ q, p *big.Rat }

// hull returns the corners, by ascending q, of the least concave function on [0, 1] above all points, (0, 0) and (1,
// 1). The first is the highest point at q = 0, and the last the first point with p = 1.
func hull(points []point) []point {
	points = append(slices.Clone(points), point{new(big.Rat), new(big.Rat)}, point{one, one})
	slices.SortFunc(points, func(a, b point) int {
		if c := a.q.Cmp(b.q); c != 0 {
			return c
		}
		return b.p.Cmp(a.p)
	})
	var out []point
	for _, x := range points {
		if n := len(out); n > 0 && (x.p.Cmp(out[n-1].p) <= 0) {
			continue // a larger q does not increase p
		}
		for len(out) > 1 && !turnsDown(out[len(out)-2], out[len(out)-1], x) {
			out = out[:len(out)-1]
		}
		out = append(out, x)
	}
	return out
}

// turnsDown reports whether b lies above the line from a to c.
func turnsDown(a, b, c point) bool {
	rise := func(u, v point) (dp, dq *big.Rat) { return new(big.Rat).Sub(v.p, u.p), new(big.Rat).Sub(v.q, u.q) }
	p1, q1 := rise(a, b)
	p2, q2 := rise(a, c)
	return p1.Mul(p1, q2).Cmp(p2.Mul(p2, q1)) > 0
}

// pairFromHull returns the pair with the given hull. The logarithms of the slopes between corners are its losses.
func pairFromHull(corners []point) *DiscretePair {
	var atoms []Atom
	for i := 1; i < len(corners); i++ {
		a, b := corners[i-1], corners[i]
		atoms = append(atoms, RationalAtom(new(big.Rat).Sub(b.p, a.p), new(big.Rat).Sub(b.q, a.q), i))
	}
	last := corners[len(corners)-1]
	return NewDiscretePair(atoms, evidence.ExactRat(corners[0].p), evidence.ExactRat(new(big.Rat).Sub(one, last.q)), evidence.Epsilon{}, Hooks{})
}

// points returns the points of the events {loss ≥ l}. They are exact if the laws are rational. Otherwise they are
// rounded such that their hull lies above the true one if outer is true, and below otherwise.
func (l *DiscretePair) points(outer bool) []point {
	round := func(a evidence.RatOrInterval, up bool) *big.Rat {
		switch {
		case a.Rational != nil:
			return a.Rational
		case up:
			return ratCeil(a.Enclosure)
		}
		return ratFloor(a.Enclosure)
	}
	p, q := l.infinityMass, zero
	out := []point{{round(q, !outer), round(p, outer)}}
	for _, a := range slices.Backward(l.atoms) {
		p, q = p.Add(a.P), q.Add(a.Q)
		out = append(out, point{round(q, !outer), round(p, outer)})
	}
	return out
}

// minRational is the least positive rounded mass.
var minRational = new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 4096))

// ratCeil returns the upper end of an enclosure as a rational, clamped to [0, 1], and ratFloor the lower end. Both
// round numbers below 2^−4096 outward.
func ratCeil(a interval.Interval) *big.Rat {
	v := a.Upper().MidFloat(interval.Prec)
	if v.Sign() > 0 && v.MantExp(nil) <= -4096 {
		return minRational
	}
	return clampFloat(v)
}

func ratFloor(a interval.Interval) *big.Rat {
	v := a.Lower().MidFloat(interval.Prec)
	if v.MantExp(nil) <= -4096 {
		return new(big.Rat)
	}
	return clampFloat(v)
}

// clampFloat returns v, clamped to [0, 1], as a rational.
func clampFloat(v *big.Float) *big.Rat {
	if v.IsInf() {
		return clampRat(big.NewRat(int64(v.Sign()), 1))
	}
	q, _ := v.Rat(nil)
	return clampRat(q)
}

// clampRat returns q clamped to [0, 1].
func clampRat(q *big.Rat) *big.Rat {
	switch {
	case q.Sign() < 0:
		return new(big.Rat)
	case q.Cmp(one) > 0:
		return one
	}
	return q
}

// tightPair returns the tight dominating pair, whose divergence at every order is the largest over all pairs (Zhu, Dong
// and Wang 2022). over is an upper bound. under is a lower bound, or the same pair if that is exact.
func (f *DominatingPairs) tightPair(ctx context.Context) (over, under *DominatingPairs, err error) {
	switch {
	case (f.TranslationInvariant || f.Size == 1) && f.LowerBound != nil:
		return f, f.LowerBound, nil
	case f.TranslationInvariant || f.Size == 1:
		return f, f, nil
	}
	outer, inner, exact, err := New(f).rocHulls(ctx)
	if err != nil {
		return nil, nil, err
	}
	family := func(corners []point) *DominatingPairs {
		d := symmetricPair("dominating pair of "+f.Name, f.Source, pairFromHull(corners))
		d.TranslationInvariant, d.Bound, d.ClaimedBy = true, f.Bound, f.ClaimedBy
		return d
	}
	over = family(outer)
	if exact {
		return over, over, nil
	}
	return over, family(inner), nil
}

// Adaptive returns the privacy of adaptive composition: as many mechanisms, each as private as the corresponding part,
// chosen by an adversary who sees earlier outputs. It is the product of the tight dominating pairs, which is attained.
// It exceeds the privacy loss of the fixed uses if no single pair of datasets is the worst for all uses.
func (a *Account) Adaptive(ctx context.Context) (*Account, error) {
	over, under := &Account{name: "adaptive " + a.name, bound: a.bound}, &Account{name: a.name}
	exact := true
	for _, u := range a.uses {
		hi, lo, err := u.Of.tightPair(ctx)
		if err != nil {
			return nil, err
		}
		exact = exact && hi == lo
		over.addUse(Use{hi, u.Times})
		under.addUse(Use{lo, u.Times})
	}
	if over.assumes = adaptiveUses; len(a.uses) == 1 && a.uses[0].Times == 1 {
		over.assumes = a.assumes
	}
	over.reference, under.reference = over.uses[0].Of, under.uses[0].Of
	over.lowerBounds, over.rounded = []*Account{a}, a.rounded || !exact
	if !exact {
		over.lowerBounds = append(over.lowerBounds, under)
	}
	return over, nil
}
