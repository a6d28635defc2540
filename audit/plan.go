package audit

import (
	"cmp"
	"context"

	"dpworkbench/internal/parameter"
)

// Plan describes a future audit of samples: an event has probability P at one dataset and Q at its neighbor.
type Plan struct {
	P, Q       float64
	Claim      Claim
	Power      float64 // the wanted probability of refutation
	Confidence float64 // confidence of the audit; 0 means DefaultConfidence
	// Tests is the number of tests fixed in advance, all on all draws: events times pairs times two. Zero means that
	// the audit splits the draws: two tests on half of the draws.
	Tests int
}

// mostPlanned bounds the number of draws per dataset that Draws considers.
const mostPlanned = 1 << 34

// Draws returns a number of draws per dataset with which the audit refutes the claim with probability at least Power.
// It assumes that the audit tests the plan's event and, if it splits the draws, that exactly half of them are tested.
// With probability at least Power, the frequency at P is not below its (1 − Power)/2 quantile and that at Q is not
// above its 1 − (1 − Power)/2 quantile. The bounds then refute the claim.
//
// It returns an error wrapping ErrParameter if the event cannot refute the claim, because (P − δ)/Q ≤ e^ε, or if more
// than 2³⁴ draws would be tested.
func (p Plan) Draws(ctx context.Context) (int64, error) {
	if err := p.Claim.Epsilon.Positive("eps"); err != nil {
		return 0, err
	}
	delta := p.Claim.Delta.Rat()
	if p.Confidence == 0 {
		p.Confidence = DefaultConfidence
	}
	if !(p.P > 0 && p.P <= 1) {
		return 0, parameter.Bad("p", p.P, "0 < p <= 1")
	}
	if err := cmp.Or(parameter.Unit("q", p.Q), parameter.OpenUnit("power", p.Power), parameter.OpenUnit("confidence", p.Confidence)); err != nil {
		return 0, err
	}
	if p.Tests < 0 {
		return 0, parameter.Bad("tests", p.Tests, "at least 1")
	}
	if !p.Claim.exceeded(p.P, p.Q, delta) {
		return 0, parameter.Errorf("p = %g and q = %g do not violate the claim, want (p - delta)/q above e^eps", p.P, p.Q)
	}
	tests, parts := p.Tests, int64(1)
	if tests == 0 {
		tests, parts = 2, 2
	}
	level := (1 - p.Confidence) / float64(2*tests)
	tail := (1 - p.Power) / 2 * (1 - 0x1p-50)
	refutes := func(n int64) bool {
		low := binomialLower(lowCount(n, p.P, tail), n, level)
		high := binomialUpper(highCount(n, p.Q, tail), n, level)
		return p.Claim.exceeded(low, high, delta)
	}
	hi := int64(1)
	for !refutes(hi) {
		if hi *= 2; hi > mostPlanned {
			return 0, parameter.Errorf("p = %g and q = %g are too close to the claim: the test would need more than 2^34 draws", p.P, p.Q)
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	for lo := hi / 2; hi-lo > 1 && hi-lo > hi/1000; {
		if mid := lo + (hi-lo)/2; refutes(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return parts * hi, nil
}

// lowCount returns the largest c ≤ np with Pr[Bin(n, p) < c] ≤ tail, up to rounding: a slightly smaller c is possible.
func lowCount(n int64, p, tail float64) int64 {
	if p == 1 {
		return n
	}
	lo, hi := int64(0), min(int64(float64(n)*p)+1, n) // Pr[Bin < c] ≤ tail at lo
	for hi-lo > 1 {
		if c := lo + (hi-lo)/2; upperMass(n, c-1, p)*tailBelow(n, c-1, p) <= tail {
			lo = c
		} else {
			hi = c
		}
	}
	return lo
}

// highCount returns the least c ≥ nq − 1 with Pr[Bin(n, q) > c] ≤ tail, up to rounding: a slightly larger c is
// possible.
func highCount(n int64, q, tail float64) int64 {
	if q == 0 {
		return 0
	}
	lo, hi := int64(float64(n)*q)-1, n // Pr[Bin > c] ≤ tail at hi
	for hi-lo > 1 {
		if c := lo + (hi-lo)/2; float64(c+1) >= float64(n)*q && upperMass(n, c+1, q)*tailAbove(n, c+1, q) <= tail {
			hi = c
		} else {
			lo = c
		}
	}
	return hi
}

// upperMass returns an upper bound on Pr[Bin(n, p) = c], to a few units in the last place.
func upperMass(n, c int64, p float64) float64 {
	_, mass := logMass(logChoose(n, c), n, c, p).Exp().Bounds()
	return mass * (1 + 0x1p-50)
}
