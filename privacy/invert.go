package privacy

import (
	"context"
	"math"

	"dpworkbench/evidence"
)

// maxEpsilon is the largest ε that bisection tries.
const maxEpsilon = 1e300

// Inversion is a profile δ(ε) and the δ at which to invert it.
type Inversion struct {
	// Delta is δ > 0. It is not rounded.
	Delta evidence.Delta
	// Pure is an ε from which on δ(ε) = 0; nil if none is known.
	Pure evidence.Number
	// Width is the width of ε at which bisection stops, relative to 1 + ε.
	Width float64
	// Source is the source of the profile.
	Source string
	// At returns δ(ε), which must decrease in ε.
	At func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
}

// EpsilonAt encloses the least ε ≥ 0 at which a profile is at most δ. It bisects both ends: the profile is above δ at
// the lower end of the answer, and at most δ at the upper end. It returns errors of the profile.
func EpsilonAt(ctx context.Context, in Inversion) (evidence.Certified, error) {
	if err := in.Delta.Positive("delta"); err != nil {
		return evidence.Certified{}, err
	}
	pure := math.Inf(1)
	if in.Pure != nil {
		_, pure = in.Pure.Bounds()
		pure = max(pure, 0)
	}
	lo, hi, err := in.enclose(ctx, pure)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Certified{Lo: lo, Hi: min(hi, pure), Side: evidence.Up, Provenance: evidence.From(in.Source).By("bisection of δ(ε)")}, nil
}

func (in Inversion) enclose(ctx context.Context, pure float64) (lo, hi float64, err error) {
	s := bisection{ctx: ctx, delta: in.Delta, profile: in.At, known: make(map[float64]side), over: -1, under: math.Inf(1)}
	s.least, _ = in.Delta.Bounds()
	top, width := pure, in.Width
	if !(pure <= maxEpsilon) { // infinite, or too large for bisection
		switch s.at(maxEpsilon) { // whether the profile decreases to δ at all
		case over:
			return maxEpsilon, math.Inf(1), nil
		case unknown:
			return 0, math.Inf(1), s.err
		}
		for top = 1; top < maxEpsilon && s.at(top) != under; {
			top = min(16*top, maxEpsilon)
		}
	}
	if s.at(0) == under {
		return 0, 0, nil
	}
	lo, _ = s.edge(0, top, width, func(a side) bool { return a == over })
	_, hi = s.edge(lo, top, width, func(a side) bool { return a != under })
	return lo, min(hi, s.under), s.err
}

// side is the position of a profile relative to δ.
type side int

const (
	unknown side = iota // δ lies inside the enclosure of the profile
	over                // the profile is above δ
	under               // the profile is at most δ
)

type bisection struct {
	ctx     context.Context
	delta   evidence.Delta
	least   float64 // the largest float64 that is at most δ: any float64 exceeds δ if and only if it exceeds least
	profile func(context.Context, evidence.Epsilon) (evidence.Number, error)
	known   map[float64]side
	// over is the largest ε at which the profile is known to be above δ, and under the least at which it is known to be
	// at most δ.
	over, under float64
	err         error
}

// at returns the side of the profile at ε = v. After an error it returns unknown without evaluating the profile, so
// every search ends soon.
func (s *bisection) at(v float64) side {
	if a, ok := s.known[v]; ok || s.err != nil {
		return a
	}
	switch {
	case v <= s.over:
		return over
	case v >= s.under:
		return under
	}
	var eps evidence.Epsilon
	if v > 0 {
		eps, s.err = evidence.NewEpsilon("eps", v)
	}
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return unknown
	}
	d, err := s.profile(s.ctx, eps)
	if err != nil {
		s.err = err
		return unknown
	}
	lo, hi := d.Bounds()
	isOver, isUnder := lo > s.least, hi <= s.least
	if exact, ok := d.(evidence.Exact); ok {
		isOver = exact.Value.Cmp(s.delta.Rat()) > 0
		isUnder = !isOver
	}
	a := unknown
	switch {
	case isOver:
		a, s.over = over, v
	case isUnder:
		a, s.under = under, v
	}
	s.known[v] = a
	return a
}

// edge bisects [left, right] until the ends are close. below is true at the left end and false at the right end
// throughout.
func (s *bisection) edge(left, right, width float64, below func(side) bool) (float64, float64) {
	for right-left > width*(1+right) {
		mid := left + (right-left)/2
		if mid == left || mid == right {
			break
		}
		if below(s.at(mid)) {
			left = mid
		} else {
			right = mid
		}
	}
	return left, right
}
