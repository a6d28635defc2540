package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// point is what an event has of the two laws: q under Q, p under P. Tests that tell P from Q
// have all the points below the concave hull of those of {loss ≥ l}: (q, 1 − p) are the errors
// (α, β) of the trade-off function, and p − tq, maximal over them, is δ(t).
type point struct{ q, p *big.Rat }

// hull returns the corners of the smallest concave function on [0, 1] above all points,
// (0, 0) and (1, 1), by rising q: from the highest at q = 0 to the first at p = 1.
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
			continue // nothing is gained by more under Q
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

// pairFromHull returns the pair whose hull is given: the steps between corners are its losses.
func pairFromHull(corners []point) *DiscretePair {
	var atoms []Atom
	for i := 1; i < len(corners); i++ {
		a, b := corners[i-1], corners[i]
		atoms = append(atoms, RationalAtom(new(big.Rat).Sub(b.p, a.p), new(big.Rat).Sub(b.q, a.q), i))
	}
	last := corners[len(corners)-1]
	return NewDiscretePair(atoms, evidence.ExactRat(corners[0].p), evidence.ExactRat(new(big.Rat).Sub(one, last.q)), evidence.Epsilon{}, Hooks{})
}

// points returns those of the events {loss ≥ l}: themselves where the laws are rational, and
// elsewhere rounded so that the hull lies above theirs (outer) or below.
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

// minRational is the least positive number that masses are rounded to.
var minRational = new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 4096))

// ratCeil returns the upper end of an enclosure as a rational from 0 to 1, below its lower end: numbers below
// 2^−4096 are rounded on.
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

// clampFloat returns a number as a rational, what lies outside of 0 to 1 as the nearer end.
func clampFloat(v *big.Float) *big.Rat {
	if v.IsInf() {
		return clampRat(big.NewRat(int64(v.Sign()), 1))
	}
	q, _ := v.Rat(nil)
	return clampRat(q)
}

// clampRat returns the number from 0 to 1 that is nearest to q.
func clampRat(q *big.Rat) *big.Rat {
	switch {
	case q.Sign() < 0:
		return new(big.Rat)
	case q.Cmp(one) > 0:
		return one
	}
	return q
}

// tightPair returns the family of the tight dominating pair: the one whose divergence is the largest
// of all pairs' at every order (Zhu, Dong and Wang 2022). under, where it is another one, has at most that.
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

// Adaptive returns the privacy of as many mechanisms as are used, chosen in the light of earlier outputs
// by an adversary who has mechanisms of the parts' privacy to choose from: the product
// of the tight dominating pairs, which is attained. It is more than the uses themselves cost
// where no one pair of datasets is the worst of all.
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
	over.reference, under.reference = over.uses[0].Of, under.uses[0].Of
	over.lowerBounds, over.rounded = []*Account{a}, a.rounded || !exact
	if !exact {
		over.lowerBounds = append(over.lowerBounds, under)
	}
	return over, nil
}
