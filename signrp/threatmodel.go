package signrp

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Sources of the threat models, as named in evidence.
const (
	readingPair     = "reading (i), individual: W, u and v given"
	readingNeighbor = "reading (i), individual: W and u given, all neighbors of u"
	readingBall     = "reading (i), individual: W and u given, ℓ1 ball of radius β around u"
	readingPublic   = "reading (ii), differential privacy with public W: all pairs of neighbors"
)

// threatModel is the privacy profile of a release in a threat model, that is, over a set of pairs of vectors. The
// profile of numeric releases depends on the longest move, that of sign releases on the bit probabilities.
type threatModel struct {
	r      *Release
	source string
	caveat string // caveat of numbers
	// move encloses the largest ‖x(u) − x(v)‖.
	move   func(ctx context.Context) (interval.Interval, error)
	method string // method for enclosures of numbers, if not that of the Gaussian curve

	// pure returns the smallest ε of signs with δ = 0, at returns δ(ε), and inverse returns ε(δ) for δ > 0. A nil
	// inverse means bisection of at.
	pure    func(ctx context.Context) (evidence.Number, error)
	at      func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	inverse func(ctx context.Context, delta evidence.Delta) (evidence.Number, error)
	many    bool // whether there are several pairs; if pure is then infinite, nothing is known of δ(ε)

	statement evidence.Statement // statement of ε at δ = 0, nil if there is none
}

// Delta implements privacy.Profile.
func (d *threatModel) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	n, err := d.delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	return evidence.WithCaveat(n, d.caveat), nil
}

func (d *threatModel) delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
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
func (d *threatModel) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	n, err := d.epsilon(ctx, delta)
	if err != nil {
		return nil, err
	}
	if delta.IsZero() && d.statement != nil {
		n = evidence.WithStatement(n, d.statement)
	}
	return evidence.WithCaveat(n, d.caveat), nil
}

func (d *threatModel) epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
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
	// One δ(ε) can take seconds, so the bisection stops early.
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

// numbersEpsilon encloses ε(δ) of a release of numbers, where move encloses the longest move.
func (d *threatModel) numbersEpsilon(move interval.Interval, delta evidence.Delta) (evidence.Number, error) {
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

// named sets the threat model's source and method on an enclosure of the Gaussian curve.
func (d *threatModel) named(c evidence.Certified) evidence.Certified {
	c.Source = d.source
	if d.method != "" {
		c.Method = d.method
	}
	return c
}

// ratio encloses distance/σ. Its lower end is 0 if the enclosure of the distance contains 0.
func (r *Release) ratio(distance interval.Interval) interval.Interval {
	return interval.Max(distance, interval.Int(0)).Quo(interval.Float(r.sigma.Hi))
}

// covers reports whether ε is certainly at least the loss n.
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
