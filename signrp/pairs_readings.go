package signrp

import (
	"context"
	"slices"

	"dpworkbench/privacy"
)

// Equal reports whether two releases are of one projection by one rule with the same parameters.
func (r *Release) Equal(o *Release) bool {
	return r == o || r.name == o.name && r.rule == o.rule && r.p == o.p && r.eps.Equal(o.eps) && r.delta.Equal(o.delta) && r.beta == o.beta &&
		(r.w == o.w || r.w != nil && o.w != nil && r.w.kind == o.w.kind && r.w.k == o.w.k && r.w.s == o.w.s && r.w.seed == o.w.seed)
}

// at is a release at one vector.
type at struct {
	r *Release
	u []float64
}

// Equal reports whether both are the same.
func (a at) Equal(o at) bool { return a.r.Equal(o.r) && slices.Equal(a.u, o.u) }

// Pairs implements privacy.Private: the pairs of laws of all neighbors with public W, uses of which share them. Numbers are
// normal laws at the largest move. Plain randomized response has one pair that dominates every other (see
// [Release.Public]). Signs of numbers with noise are a post-processing of these, an upper bound; of other releases
// the smallest ε alone tells, likewise.
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

// NeighborPairs returns the pairs of laws of u and its neighbors for the W at hand: numbers are normal laws at the
// longest move; of signs the smallest ε alone tells, an upper bound.
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
