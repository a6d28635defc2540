package matrices

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// A mechanism is η-bounded in range if its loss between two neighbors lies in an interval of length η that contains 0.
// An exponential mechanism with weights exp(ηu/2Δ) has this property (Durfee and Rogers 2019). The worst such
// mechanism has only the losses t and t − η, with t chosen for the given ε (Dong, Durfee and Rogers 2020):
//
//	δ(ε) = (1 − e^{(ε−η)/2})²/(1 − e^{−η}) for ε < η, 0 beyond.

const rangedSource = "Dong, Durfee and Rogers 2020: mechanisms of bounded range"

// ranged is an upper bound on the privacy profile of a mechanism with range η. pure is the mechanism's smallest ε.
type ranged struct {
	eta  interval.Interval
	pure evidence.Number
}

// Delta implements privacy.Profile.
func (c ranged) Delta(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	most := rangedDelta(c.eta, eps.Enclosure())
	return evidence.EnclosedLoss(interval.Hull(interval.Int(0), most), "upper bound by the range of the loss", rangedSource), nil
}

// Epsilon implements privacy.Profile.
func (c ranged) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if delta.IsZero() {
		return c.pure, nil
	}
	return evidence.AsNumber(privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Pure: c.pure, Width: 1e-9, Source: rangedSource, At: c.Delta}))
}

func rangedDelta(eta, eps interval.Interval) interval.Interval {
	gap := positivePart(eta.Sub(eps))
	if sign, exact := gap.Sign(); exact && sign == 0 {
		return interval.Int(0)
	}
	root := gap.Quo(interval.Int(2)).Neg().Expm1()
	return clamp(root.Mul(root).Quo(eta.Neg().Expm1().Neg()))
}

// rangedParameter returns, rounded down, about the largest η for which the bound on δ(ε) is at most δ.
func rangedParameter(eps evidence.Epsilon, delta evidence.Delta) (evidence.Epsilon, error) {
	e := eps.Enclosure()
	most, _ := delta.Bounds()
	holds := func(eta float64) bool {
		_, hi := rangedDelta(interval.Float(eta), e).Bounds()
		return hi <= most
	}
	lo, _ := e.Bounds()
	hi := lo*2 + 4
	for holds(hi) && hi < 1e9 {
		hi *= 2
	}
	return evidence.NewEpsilon("eps", largest(lo, hi, holds))
}

// largest returns about the largest v in [lo, hi] at which holds is true. holds must be true at lo and false at hi.
func largest(lo, hi float64, holds func(v float64) bool) float64 {
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if holds(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Max(lo, math.SmallestNonzeroFloat64)
}
