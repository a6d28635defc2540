package privacy

import (
	"context"
	"math"

	"dpworkbench/evidence"
)

// maxEpsilon is the largest ε that bisection tries.
const maxEpsilon = 1e300

// Inversion is a profile whose ε at a δ is asked for.
type Inversion struct {
	// Delta is δ, above 0. The profile is compared with δ itself, not with a float64 near it.
	Delta evidence.Delta
	// Pure is an ε from which on the profile is 0; nil where none is known.
	Pure evidence.Number
	// Width is the relative width, absolute below 1, at which bisection stops: the
	// answer is that wide where the profile is known well.
	Width float64
	// Source is where the profile's numbers come from.
	Source string
	// At returns δ(ε), which falls as ε grows.
	At func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
}

// EpsilonAt encloses the least ε ≥ 0 at which a profile is at most δ, by bisection of
// both of its ends: at the lower end of the answer the profile is above δ, at the
// upper end it is not. Errors are those of the profile.
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
	if !(pure <= maxEpsilon) { // infinite, or too far to halve
		switch s.at(maxEpsilon) { // does it fall to δ at all?
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

// side says where a profile lies.
type side int

const (
	unknown side = iota // δ lies between the profile's ends
	over                // the profile is above δ
	under               // it is at most δ
)

type bisection struct {
	ctx     context.Context
	delta   evidence.Delta
	least   float64 // the largest float64 that is at most δ: another is above δ where it is above this
	profile func(context.Context, evidence.Epsilon) (evidence.Number, error)
	known   map[float64]side
	// The largest ε at which the profile is known to be above δ, and the least at
	// which it is not: it falls.
	over, under float64
	err         error
}

// at says where the profile lies at ε = v: after an error nowhere, which ends every
// search without another question.
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

// edge halves left to right until below holds at the first, fails at the second,
// and they are close. The start is taken to be so.
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
