package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Corner is a point of a trade-off function: a test of a dataset against its neighbor with type I error Alpha has
// type II error at least Beta.
type Corner struct{ Alpha, Beta evidence.Number }

// Tradeoff is the largest convex function below the trade-off functions of all pairs (Dong, Roth and Su 2022). It is
// linear between its corners. The first corner has α = 0, and the last β = 0.
type Tradeoff struct {
	Corners []Corner
	// Exact says that the corners lie on the function. Otherwise the polygon is a lower bound of the function, and the
	// upper end of each corner's Beta is an upper bound.
	Exact bool
}

// maxCorners is the largest number of corners of a polygon that is not exact.
const maxCorners = 257

// Tradeoff returns the trade-off function. It is exact for one use with rational laws, and for compositions of them of
// moderate size. Otherwise it is a polygon below the function.
func (a *Account) Tradeoff(ctx context.Context) (*Tradeoff, error) {
	outer, inner, exact, err := a.rocHulls(ctx)
	if err != nil {
		return nil, err
	}
	out := &Tradeoff{Exact: exact}
	var of any // the mechanism to which the corners' statements refer
	if exact && len(a.uses) == 1 && a.uses[0].Times == 1 {
		of = a.uses[0].Of.Mechanism
	}
	const source = "corners of the largest convex function below all pairs' trade-offs (Dong, Roth and Su 2022)"
	if !exact && len(outer) > maxCorners {
		outer = thinHull(outer)
	}
	by := a.claimedBy()
	for i, c := range outer {
		if !exact { // the hull is concave and increasing, so with a smaller q the point stays above it
			c.q = floatBelow(c.q)
		}
		beta := new(big.Rat).Sub(one, c.p)
		if by != "" {
			lo, _ := interval.Rat(beta).Bounds()
			out.Exact = false
			out.Corners = append(out.Corners, Corner{evidence.Exact{Value: c.q, Provenance: evidence.From(source)}, evidence.Claimed{Value: lo, Provenance: evidence.From(source + " of what is claimed by " + by)}})
			continue
		}
		if exact {
			corner := Corner{evidence.Exact{Value: c.q, Provenance: evidence.From(source)}, evidence.Exact{Value: beta, Side: evidence.Down, Provenance: evidence.From(source)}}
			if of != nil {
				corner.Beta = evidence.WithStatement(corner.Beta, &CornerStatement{of, c.q, slopeAt(outer, i)})
			}
			out.Corners = append(out.Corners, corner)
			continue
		}
		lo, _ := interval.Rat(beta).Bounds()
		_, hi := interval.Rat(new(big.Rat).Sub(one, heightAt(inner, c.q))).Bounds()
		out.Corners = append(out.Corners, Corner{evidence.Exact{Value: c.q, Provenance: evidence.From(source)},
			evidence.Certified{Lo: min(lo, hi), Hi: hi, Side: evidence.Down, Provenance: evidence.From(source).By("hulls of outward rounded events")}})
	}
	return out, nil
}

// CornerStatement states the value of a trade-off function at a corner.
type CornerStatement struct {
	Of    any
	Alpha *big.Rat
	Slope *big.Rat // minus the slope of a supporting line at the corner
}

// Says implements evidence.Statement.
func (s *CornerStatement) Says() string {
	name := "a mechanism"
	if m, ok := s.Of.(interface{ Name() string }); ok {
		name = m.Name()
	}
	v, _ := s.Alpha.Float64()
	return "the trade-off function of " + name + " at " + evidence.FormatFloat(v, 6)
}

// slopeAt returns the slope of the side of a hull that begins at corner i. For the last corner it returns the slope of
// the side that ends there.
func slopeAt(corners []point, i int) *big.Rat {
	if i+1 == len(corners) {
		i--
	}
	if i < 0 {
		return new(big.Rat)
	}
	a, b := corners[i], corners[i+1]
	rise := new(big.Rat).Sub(b.p, a.p)
	return rise.Quo(rise, new(big.Rat).Sub(b.q, a.q))
}

// floatBelow rounds q ≥ 0 down to a float64.
func floatBelow(q *big.Rat) *big.Rat {
	lo, _ := interval.Rat(q).Bounds()
	return new(big.Rat).SetFloat64(max(lo, 0))
}

// thinHull returns a polygon above a hull with fewer corners: the intersections of the lines through every n-th side.
func thinHull(corners []point) []point {
	every := (len(corners) + maxCorners - 2) / (maxCorners - 1)
	out := []point{corners[0]}
	var sides []int // the corners at which the chosen sides begin
	for i := 0; i+1 < len(corners); i += every {
		sides = append(sides, i)
	}
	if n := len(corners); (n-2)%every != 0 {
		sides = append(sides, n-2)
	}
	for i := 1; i < len(sides); i++ {
		// The lines intersect where p = p₁ + m₁(q − q₁) = p₂ + m₂(q − q₂).
		m1, m2 := slopeAt(corners, sides[i-1]), slopeAt(corners, sides[i])
		u, v := corners[sides[i-1]], corners[sides[i]]
		q := new(big.Rat).Sub(v.p, u.p)
		q.Add(q, new(big.Rat).Mul(m1, u.q)).Sub(q, new(big.Rat).Mul(m2, v.q))
		q.Quo(q, new(big.Rat).Sub(m1, m2))
		p := new(big.Rat).Sub(q, u.q)
		p.Mul(p, m1).Add(p, u.p)
		out = append(out, point{ratFloor(interval.Rat(q)), ratCeil(interval.Rat(p))})
	}
	return append(out, corners[len(corners)-1])
}

// heightAt returns the height of a hull at q, which is constant outside its corners, and 0 for a hull without corners.
func heightAt(corners []point, q *big.Rat) *big.Rat {
	if len(corners) == 0 {
		return new(big.Rat)
	}
	i, _ := slices.BinarySearchFunc(corners, q, func(c point, q *big.Rat) int { return c.q.Cmp(q) })
	switch {
	case i == len(corners):
		return corners[i-1].p
	case i == 0 || corners[i].q.Cmp(q) == 0:
		return corners[i].p
	}
	a, b := corners[i-1], corners[i]
	share := new(big.Rat).Quo(new(big.Rat).Sub(q, a.q), new(big.Rat).Sub(b.q, a.q))
	return share.Add(a.p, share.Mul(share, new(big.Rat).Sub(b.p, a.p)))
}

// rocHulls returns an outer and an inner bound of the convex hull of the events of all pairs.
func (a *Account) rocHulls(ctx context.Context) (outer, inner []point, exact bool, err error) {
	candidates, err := a.candidates(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	once := len(a.uses) == 1 && a.uses[0].Times == 1 && (len(candidates) == 0 || candidates[0].screens[0].logMomentFunc == nil)
	var over, under []point
	exact = !a.bound && !a.rounded
	if !once && len(candidates) > maxHullPairs {
		over, under, err = a.tangents(ctx)
		exact, candidates = false, nil
		if err != nil {
			return nil, nil, false, err
		}
	}
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		p, err := a.composition(ctx, c)
		if err != nil {
			return nil, nil, false, err
		}
		l, ok := p.single().(*DiscretePair)
		if !ok {
			if l, err = p.exactPair(ctx); err != nil {
				return nil, nil, false, err
			}
		}
		if l != nil {
			exact = exact && l.rational
			over, under = append(over, l.points(true)...), append(under, l.points(false)...)
			continue
		}
		exact = false
		o, u, err := p.points(ctx)
		if err != nil {
			return nil, nil, false, err
		}
		over, under = append(over, o...), append(under, u...)
	}
	if exact {
		h := hull(over)
		return h, h, true, nil
	}
	if a.bound || a.rounded {
		under = nil
		for _, u := range a.lowerBounds {
			_, below, _, err := u.rocHulls(ctx)
			if err != nil {
				return nil, nil, false, err
			}
			under = append(under, below...)
		}
	}
	return hull(over), hull(under), false, nil
}

// maxHullPairs is the largest number of pairs of a composition for which all events are computed.
const maxHullPairs = 64

// points returns points on or above the hull of a composition's events, and some of the events.
func (p *composition) points(ctx context.Context) (over, under []point, err error) {
	if s, ok := p.single().(*closedForm); ok {
		over, under = s.points()
		return over, under, nil
	}
	if l, err := p.exactPair(ctx); l != nil || err != nil {
		if err != nil {
			return nil, nil, err
		}
		return l.points(true), l.points(false), nil
	}
	if p.commonLattice(workingPrecision(1, 1)) == nil {
		lines, under, err := p.tangents(ctx, big.NewRat(1, 1e12))
		return envelope(lines), under, err
	}
	s, err := p.sumsAt(ctx, workingPrecision(1e-12, p.uses()))
	if err != nil {
		return nil, nil, err
	}
	over, under = s.points()
	return over, under, nil
}

// points returns the events {loss ≥ l} of the buckets. In over the truncated mass counts as infinite losses, and in
// under it is omitted.
func (s *tailSums) points() (over, under []point) {
	every := max(1, len(s.mass)/(4*maxCorners))
	for j := 0; j <= len(s.mass); j++ {
		// The outer bound needs every bucket.
		t := s.tails[j]
		down := interval.Int(1)
		if j < len(s.mass) {
			down = s.lossAt(j).Neg().Exp()
		}
		q := down.Mul(s.fromFixedRange(t.cLo, t.cHi))
		p := new(big.Int).Add(t.a, s.infinityMass)
		over = append(over, point{ratFloor(q), new(big.Rat).SetFrac(new(big.Int).Add(p, s.truncation), s.oneFixed())})
		if j%every == 0 {
			under = append(under, point{ratCeil(q), new(big.Rat).SetFrac(p, s.oneFixed())})
		}
	}
	return over, under
}
