package signrp

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Sources of the readings, as evidence names them.
const (
	readingPair     = "reading (i), individual: W, u and v given"
	readingNeighbor = "reading (i), individual: W and u given, all neighbors of u"
	readingBall     = "reading (i), individual: W and u given, ℓ1 ball of radius β around u"
	readingPublic   = "reading (ii), differential privacy with public W: all pairs of neighbors"
)

// reading is the curve of a release for some pairs of vectors. Of numbers the
// longest move decides, of signs the laws do.
type reading struct {
	r      *Release
	source string
	caveat string // of its numbers
	// move encloses the largest ‖x(u) − x(v)‖.
	move   func(ctx context.Context) (interval.Interval, error)
	method string // of the enclosures of numbers, where it is not the curve's own

	// pure is the smallest ε of signs with δ = 0, at is δ(ε), and inverse ε(δ) for
	// δ > 0: nil where at is to be bisected.
	pure    func(ctx context.Context) (evidence.Number, error)
	at      func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	inverse func(ctx context.Context, delta evidence.Delta) (evidence.Number, error)
	many    bool // more pairs than one: nothing is known of δ(ε) where pure is infinite

	statement evidence.Statement // of ε at δ = 0, nil where that is not kept
}

// Delta implements privacy.Profile.
func (d *reading) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	n, err := d.delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	return evidence.WithCaveat(n, d.caveat), nil
}

func (d *reading) delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if d.r.rule != numbers {
		return d.at(ctx, eps)
	}
	m, err := d.move(ctx)
	if err != nil {
		return nil, err
	}
	if _, hi := m.Bounds(); hi == 0 {
		return evidence.Exact{Value: zeroRat(), Side: evidence.Up, Provenance: evidence.From(d.source)}, nil
	}
	return d.named(gaussian.DeltaAt(eps, d.r.ratio(m))), nil
}

// Epsilon implements privacy.Profile.
func (d *reading) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	n, err := d.epsilon(ctx, delta)
	if err != nil {
		return nil, err
	}
	if delta.IsZero() && d.statement != nil {
		n = evidence.WithStatement(n, d.statement)
	}
	return evidence.WithCaveat(n, d.caveat), nil
}

func (d *reading) epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	switch {
	case d.r.rule == numbers:
		m, err := d.move(ctx)
		if err != nil {
			return nil, err
		}
		return d.numbersEpsilon(m, delta)
	case delta.IsZero():
		return d.pure(ctx)
	case d.inverse != nil:
		return d.inverse(ctx, delta)
	}
	// A δ(ε) may take seconds, hence the width.
	const width = 1e-5
	pure, err := d.pure(ctx)
	if err != nil {
		return nil, err
	}
	const method = "bisection of an enclosure of δ(ε)"
	if d.many && math.IsInf(upper(pure), 1) {
		return evidence.Certified{Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(d.source).By(method)}, nil
	}
	out, err := privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Pure: pure, Width: width, Source: d.source, At: d.at})
	if err != nil {
		return nil, err
	}
	out.Method = method
	return out, nil
}

// numbersEpsilon encloses ε(δ) of numbers that a move takes so far.
func (d *reading) numbersEpsilon(move interval.Interval, delta evidence.Delta) (evidence.Number, error) {
	if _, hi := move.Bounds(); hi == 0 {
		return evidence.Exact{Value: zeroRat(), Side: evidence.Up, Provenance: evidence.From(d.source)}, nil
	}
	if delta.IsZero() {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(d.source).By("a Gaussian log ratio has no bound")}, nil
	}
	out, err := gaussian.EpsilonAt(delta, d.r.ratio(move))
	if err != nil {
		return nil, err
	}
	return d.named(out), nil
}

// named gives an enclosure of the Gaussian curve the reading's names.
func (d *reading) named(c evidence.Certified) evidence.Certified {
	c.Source = d.source
	if d.method != "" {
		c.Method = d.method
	}
	return c
}

// ratio encloses distance/σ. Its lower end is 0 where the distance cannot be told from
// that.
func (r *Release) ratio(distance interval.Interval) interval.Interval {
	return interval.Max(distance, interval.Int(0)).Quo(interval.Float(r.sigma.Hi))
}

// covers reports whether ε is at least the loss n, for certain.
func covers(eps evidence.Epsilon, n evidence.Number) bool {
	switch n := n.(type) {
	case evidence.Exact:
		if q, ok := eps.Rational(); ok {
			return n.Value.Cmp(q) <= 0
		}
	case evidence.ExactLog:
		if e, ok := eps.Exp(); ok {
			return n.Argument.Cmp(e) <= 0
		}
	}
	hi := upper(n)
	return !math.IsInf(hi, 1) && interval.Float(hi).CmpHi(eps.Enclosure().Lower()) <= 0
}
