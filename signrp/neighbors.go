package signrp

import (
	"context"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Neighbors is the individual privacy of a vector u: the privacy profile of a release between u and its β-neighbors,
// together with the worst neighbor. The β-neighbors are the vectors of [−1, 1]^p that differ from u in one coordinate
// by at most β.
//
// For signs, ε at δ = 0 is exact if the ε of each pair is. δ is exact for plain randomised response. Otherwise δ is
// enclosed: the lower end is the worst neighbor's δ, the upper end follows from ε at δ = 0 or from post-processing. For
// numbers the longest move determines the profile.
//
// A vector u without p entries in [−1, 1] is an error wrapping evidence.ErrParameter as well.
type Neighbors struct {
	privacy.Profile

	r *Release
	u []float64

	guard sync.Mutex
	swept *swept // for signs, nil until computed
}

// Worst is the worst neighbor of a vector.
type Worst struct {
	// Epsilon is the smallest ε: for signs at δ = 0, for numbers at the release's δ.
	Epsilon    evidence.Number
	Coordinate int     // the coordinate that moves, −1 if no move matters
	To         float64 // its new value, rounded towards the old one
}

// Neighbors returns the privacy of r between u and its β-neighbors.
//
// It suffices to examine the ends of each coordinate's range. Along a coordinate every d_j moves in one direction, and
// Pr[s_j = +1] is non-decreasing in d_j (a step for a sign, a staircase for signed levels, Φ for Gaussian noise). So
// every bit's law moves away from its law at u, and its log ratios grow. For iDP releases A, and with it the noise,
// depend on the neighbor. A neighbor with another A makes the loss infinite. The set |d_j| ≤ β max|W_ij| is an
// interval, and no single move is longer. So if any point of the range has another A, an end has another A.
//
// With N₊(‖u‖) shared by data (δ given to NewSignRP) the neighbors' ε' differ. The answer is then certified: the lower
// end comes from the ends of ranges, the upper end from the extremes of N₊.
func (r *Release) Neighbors(u []float64) *Neighbors {
	n := &Neighbors{r: r, u: slices.Clone(u)}
	d := &threatModel{r: r, source: r.name + ", " + readingNeighbor, caveat: r.caveat(), many: true, statement: r.states(u, nil)}
	d.move = func(ctx context.Context) (interval.Interval, error) {
		m, err := n.longest(ctx)
		return m.distance, err
	}
	d.pure = func(ctx context.Context) (evidence.Number, error) {
		s, err := n.sweep(ctx)
		if err != nil {
			return nil, err
		}
		return s.worst.Epsilon, nil
	}
	d.at = n.profile
	n.Profile = d
	return n
}

// Worst returns the worst neighbor.
func (n *Neighbors) Worst(ctx context.Context) (Worst, error) {
	var out Worst
	var delta evidence.Delta
	if n.r.rule == numbers {
		m, err := n.longest(ctx)
		if err != nil {
			return Worst{}, err
		}
		out, delta = Worst{Coordinate: m.coordinate, To: m.to}, n.r.delta
	} else {
		s, err := n.sweep(ctx)
		if err != nil {
			return Worst{}, err
		}
		out = s.worst
	}
	var err error
	out.Epsilon, err = n.Epsilon(ctx, delta)
	return out, err
}

// swept is the result of a sweep over the neighbors: the worst neighbor at δ = 0, the law at u and the law at that
// neighbor. Both laws are nil if no move matters or if ε' differs at the worst neighbor.
type swept struct {
	worst      Worst
	own, other *law

	guard sync.Mutex
	known *sides // the sides of the two laws, nil until needed
}

// sides returns the two laws with their pairs.
func (s *swept) sides() *sides {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.known == nil {
		s.known = newSides(s.own, s.other, nil)
	}
	return s.known
}

// sweep returns the worst neighbor for signs.
func (n *Neighbors) sweep(ctx context.Context) (*swept, error) {
	n.guard.Lock()
	defer n.guard.Unlock()
	if n.swept != nil {
		return n.swept, nil
	}
	r := n.r
	if err := checkVector("u", n.u, r.p); err != nil {
		return nil, err
	}
	at, err := r.w.at(ctx, n.u, r.beta)
	if err != nil {
		return nil, err
	}
	own, err := r.law(ctx, at, norm(n.u))
	if err != nil {
		return nil, err
	}
	s := &sweep{r: r, u: n.u, at: at, own: own, quick: make([][2]quickLoss, r.p)}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	n.swept, err = s.worst(ctx, r.name+", "+readingNeighbor)
	return n.swept, err
}

// profile is δ(ε) for signs. Under plain randomised response the neighbor with most flips is the worst, because
// each flip adds one copy of the same pair of laws.
func (n *Neighbors) profile(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	s, err := n.sweep(ctx)
	if err != nil {
		return nil, err
	}
	r, source := n.r, n.r.name+", "+readingNeighbor
	if covers(eps, s.worst.Epsilon) {
		return evidence.Exact{Value: zeroRat(), Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	out := privacy.PureDelta(s.worst.Epsilon, eps, source)
	out.Method = "the worst neighbor below, " + out.Method
	switch {
	case s.other != nil:
		d, err := s.sides().delta(ctx, eps, source)
		if err != nil || r.rule == randomizedSigns {
			return d, err
		}
		out.Lo, _ = d.Bounds()
	case s.worst.Coordinate >= 0:
		v := slices.Clone(n.u)
		v[s.worst.Coordinate] = s.worst.To
		d, err := r.Pair(n.u, v).Delta(ctx, eps)
		if err != nil {
			return nil, err
		}
		out.Lo, _ = d.Bounds()
	}
	if r.rule == noisySigns {
		m, err := n.longest(ctx)
		if err != nil {
			return nil, err
		}
		out.Hi = min(out.Hi, gaussian.DeltaAt(eps, r.ratio(m.distance)).Hi)
		out.Method += ", and post-processing"
	}
	out.Lo = min(out.Lo, out.Hi)
	return out, nil
}
