package matrices

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Privacy returns what the transform really gives, over all data sets that it takes:
// enclosures of the largest divergence of neighbors.
//
// Raised. The mixed records are (up to 1/√r) rows y = gx + z, where x is the record that
// moves, g its standard normal in the projection, and z, of covariance at least w²I, all
// else. Who is told the r numbers g as well learns more, and then sees z shifted by g(x' − x):
// a Gaussian mechanism with ratio at most ‖g‖·move/w. So with S of law χ²_r
//
//	δ(ε) ≤ E δ_G(ε, √S·move/w),
//
// δ_G being that of the analytic Gaussian mechanism; and where the record moves at right
// angles to itself and is long, in a data set without others, y tells g, and the bound is
// attained in the limit. It is the least δ at ε, certified by cells of S. As
// s ↦ δ_G(ε, c√s) is convex up to c²s = 2(√(1 + ε²) − 1) and concave from there on, cells
// are bounded by chords and by their means.
//
// Threshold is in jlspectrum.go.
//
// Delta returns an error where the context ends; Epsilon is infinite at δ = 0.
func (j JL) Privacy() privacy.Curve { return jlCurve{j} }

type jlCurve struct{ of JL }

// Delta implements privacy.Curve.
func (c jlCurve) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if _, err := NewJL(c.of.Form, c.of.Rows, c.of.Width, c.of.Move); err != nil {
		return nil, err
	}
	ratio := interval.Float(c.of.Move).Quo(interval.Float(c.of.Width))
	law := newChiSquare(c.of.Rows)
	if c.of.Form == Threshold {
		return thresholdDelta(ctx, law, eps, ratio)
	}
	return raisedDelta(ctx, law, eps, ratio)
}

// Epsilon implements privacy.Curve.
func (c jlCurve) Epsilon(ctx context.Context, delta float64) (evidence.Number, error) {
	if _, err := NewJL(c.of.Form, c.of.Rows, c.of.Width, c.of.Move); err != nil {
		return nil, err
	}
	if delta == 0 {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Loss: true, Method: "the privacy loss has no bound", Source: jlSource}, nil
	}
	if err := parameter.OpenUnit("delta", delta); err != nil {
		return nil, err
	}
	return privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Width: 1e-6, Source: jlSource, At: c.Delta})
}

const jlSource = "law of a Gaussian projection of two neighbors"

// raisedDelta encloses E δ_G(ε, √S·t).
func raisedDelta(ctx context.Context, law *chiSquare, eps evidence.Epsilon, t interval.Interval) (evidence.Number, error) {
	for cells := 32; ; cells *= 2 {
		out, err := raisedCells(ctx, law, eps, t, cells)
		if err != nil {
			return nil, err
		}
		lo, hi := out.Bounds()
		if hi-lo <= 1e-4*hi || cells >= 1024 {
			return evidence.EnclosedLoss(out, fmt.Sprintf("Gaussian mechanisms of random sensitivity, on %d cells", cells), jlSource), nil
		}
	}
}

func raisedCells(ctx context.Context, law *chiSquare, eps evidence.Epsilon, t interval.Interval, cells int) (interval.Interval, error) {
	one, two := interval.Int(1), interval.Int(2)
	square := t.Mul(t)
	at := func(s interval.Interval) interval.Interval {
		return evidence.Enclosure(gaussian.DeltaAt(eps, t.Mul(s.Sqrt())))
	}
	e := eps.Enclosure()
	turn := two.Mul(e.Mul(e).Add(one).Sqrt().Sub(one)) // c²s at the turning point
	cuts := law.cuts(cells)
	lo, hi := interval.Int(0), interval.Int(0)
	before := law.at(interval.Float(cuts[0]))
	first := at(interval.Float(cuts[0]))
	for i, cut := range cuts[1:] {
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		a, b := interval.Float(cuts[i]), interval.Float(cut)
		upTo, last := law.at(b), at(b)
		chance, mean := law.between(before, upTo)
		least, most := first, last
		convex := b.Mul(square).CmpHi(turn.Lower()) <= 0
		concave := a.Mul(square).CmpLo(turn.Upper()) >= 0
		if sign, _ := chance.Sign(); sign > 0 && (convex || concave) {
			if mean = mean.Quo(chance); a.CmpHi(mean.Lower()) <= 0 && mean.CmpHi(b) <= 0 {
				chord := first.Add(last.Sub(first).Mul(mean.Sub(a)).Quo(b.Sub(a)))
				if least, most = at(mean), chord; concave {
					least, most = chord, at(mean)
				}
			}
		}
		lo, hi = lo.Add(chance.Mul(least)), hi.Add(chance.Mul(most))
		before, first = upTo, last
	}
	lo, hi = lo.Add(before.above.Mul(first)), hi.Add(before.above)
	return clamp(interval.Hull(lo.Lower(), hi.Upper())), nil
}
