package matrices

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Privacy returns the actual privacy of the transform over all accepted data sets, as enclosures of the largest
// divergence of neighbors.
//
// Raised. Up to the factor 1/√r the mixed records are r rows y = gx + z, where x is the record that moves, g its
// standard normal in the projection, and z, with covariance at least w²I, the rest. Revealing the r numbers g as well
// can only increase the divergence, and then z is shifted by g(x' − x): a Gaussian mechanism with ratio at most
// ‖g‖·move/w. So with S of law χ²_r
//
//	δ(ε) ≤ E δ_G(ε, √S·move/w),
//
// where δ_G is that of the analytic Gaussian mechanism. The bound is attained in the limit of a long record that moves
// at right angles to itself, in a data set without others, because then y reveals g. It is the least δ at ε, certified
// by cells of S. As s ↦ δ_G(ε, c√s) is convex up to c²s = 2(√(1 + ε²) − 1) and concave beyond, cells are bounded by
// chords and by their means.
//
// Threshold is in jlspectrum.go.
//
// Delta returns the context's error. Epsilon is infinite at δ = 0.
func (j JL) Privacy() privacy.Profile { return jlCurve{j} }

type jlCurve struct{ of JL }

// Delta implements privacy.Profile.
func (c jlCurve) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if _, err := NewJL(c.of.Form, c.of.Rows, c.of.Width, c.of.Move); err != nil {
		return nil, err
	}
	share, method := 1e-4, "Gaussian mechanisms of random sensitivity, summed over cells"
	if c.of.Form == Threshold {
		share, method = 5e-3, "pairs of two eigenvalues on cells of their curve"
	}
	out, err := c.of.divergence(ctx, eps, near(share))
	if err != nil {
		return nil, err
	}
	return evidence.EnclosedLoss(out, method, jlSource), nil
}

// divergence encloses the least δ.
func (j JL) divergence(ctx context.Context, eps evidence.Epsilon, enough func(lo, hi float64) bool) (interval.Interval, error) {
	ratio := interval.Float(j.Move).Quo(interval.Float(j.Width))
	law := newChiSquare(j.Rows)
	if j.Form == Threshold {
		return thresholdDelta(ctx, law, eps, ratio, enough)
	}
	return raised(ctx, law, eps, ratio, enough)
}

// IsPrivate reports whether the transform is (ε, δ)-private: Confirmed or Refuted if the enclosure of the least δ
// decides it. It refines the enclosure only as far as that needs. Errors wrap evidence.ErrParameter or are the
// context's.
func (j JL) IsPrivate(ctx context.Context, eps evidence.Epsilon, delta evidence.Delta) (evidence.Verdict, error) {
	if _, err := NewJL(j.Form, j.Rows, j.Width, j.Move); err != nil {
		return evidence.Undecided, err
	}
	if err := delta.Positive("delta"); err != nil {
		return evidence.Undecided, err
	}
	most, _ := delta.Bounds() // a float64 above this exceeds δ
	out, err := j.divergence(ctx, eps, func(lo, hi float64) bool { return hi <= most || lo > most || near(1e-6)(lo, hi) })
	if err != nil {
		return evidence.Undecided, err
	}
	switch lo, hi := out.Bounds(); {
	case hi <= most:
		return evidence.Confirmed, nil
	case lo > most:
		return evidence.Refuted, nil
	}
	return evidence.Undecided, nil
}

// Epsilon implements privacy.Profile.
func (c jlCurve) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if _, err := NewJL(c.of.Form, c.of.Rows, c.of.Width, c.of.Move); err != nil {
		return nil, err
	}
	if delta.IsZero() {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(jlSource).By("the privacy loss has no bound")}, nil
	}
	return evidence.AsNumber(privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Width: 1e-6, Source: jlSource, At: c.Delta}))
}

const jlSource = "law of a Gaussian projection of two neighbors"

// raised encloses E δ_G(ε, √S·t).
func raised(ctx context.Context, law *chiSquare, eps evidence.Epsilon, t interval.Interval, enough func(lo, hi float64) bool) (interval.Interval, error) {
	one, two := interval.Int(1), interval.Int(2)
	square := t.Mul(t)
	at := func(s interval.Interval) interval.Interval {
		return evidence.Enclosure(gaussian.DeltaAt(eps, t.Mul(s.Sqrt())))
	}
	e := eps.Enclosure()
	turn := two.Mul(e.Mul(e).Add(one).Sqrt().Sub(one)) // c²s at the inflection point
	return expected{
		law:   law,
		value: func(s float64) interval.Interval { return at(interval.Float(s)) },
		within: func(from, to point, chance, moment interval.Interval) (least, most interval.Interval) {
			a, b := interval.Float(from.x), interval.Float(to.x)
			least, most = from.value, to.value
			convex := b.Mul(square).Less(turn)
			concave := turn.Less(a.Mul(square))
			if sign, _ := chance.Sign(); sign <= 0 || !convex && !concave {
				return least, most
			}
			mean := moment.Quo(chance)
			if mean.CmpLo(a) < 0 || mean.CmpHi(b) > 0 {
				return least, most
			}
			chord := least.Add(most.Sub(least).Mul(mean.Sub(a)).Quo(b.Sub(a)))
			if concave {
				return chord, at(mean)
			}
			return at(mean), chord
		},
		beyond: func(last point) (least, most interval.Interval) { return last.value, one },
	}.sum(ctx, enough)
}
