package continuous

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// known returns the privacy of a mechanism on the line whose smallest ε is pure. profile computes its δ(ε), or is nil.
func known(pure evidence.Number, profile func(eps evidence.Epsilon) evidence.Number) privacy.Profile {
	out := privacy.ProfileFunc{
		Pure:   func(context.Context) (evidence.Number, error) { return pure, nil },
		Source: pure.Citation().Source,
	}
	if profile != nil {
		out.At = func(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) { return profile(eps), nil }
	}
	return out
}

// shiftedLoss returns ε as evidence for the smallest ε of a law whose log-ratio under shifts in V is at most ε and
// under the shift Δf equal to ε. proof gives the reason, and cases the number of cases checked.
func shiftedLoss(eps evidence.Epsilon, cases uint64, proof, source string) evidence.Number {
	proof = "by proof: " + proof
	if base, ok := eps.Exp(); ok {
		return evidence.ExactLog{Argument: base, Cases: cases, Side: evidence.Up, Provenance: evidence.From(proof + "; " + source)}
	}
	return evidence.EnclosedLoss(eps.Enclosure(), proof, source)
}

// smallLoss returns 1 − e^{−t} as evidence. It intersects the enclosure v with [t − t²/2, t], which is narrow for a
// small t.
func smallLoss(v, t interval.Interval, source string) evidence.Number {
	lo, hi := v.Bounds()
	_, most := t.Bounds()
	least, _ := t.Sub(t.Mul(t).Quo(interval.Int(2))).Bounds()
	return evidence.Certified{Lo: max(lo, least, 0), Hi: max(0, min(hi, most, 1)), Side: evidence.Up, Provenance: evidence.From(source).By("256-bit outward rounding")}
}

// deltaOf returns δ as evidence, clamped to [0, 1].
func deltaOf(a evidence.RatOrInterval, source string) evidence.Number {
	if a.Rational != nil {
		return a.Number(closedForm, source)
	}
	out := evidence.EnclosedLoss(a.Enclosure, closedForm, source)
	out.Lo, out.Hi = max(out.Lo, 0), max(0, min(out.Hi, 1))
	return out
}

// remainder returns 1 − e^{−(kε₀ − ε)} for k > 0, and false if kε₀ ≤ ε. The result is rational if e^ε and e^{−kε₀} are.
// Otherwise it is an enclosure, which is narrow relative to its value if ε/ε₀ is known.
func remainder(top evidence.Epsilon, k *big.Rat, eps evidence.Epsilon) (share evidence.RatOrInterval, positive bool) {
	gap := exponent(top, k).Sub(eps.Enclosure())
	if q, ok := shareOf(eps, top); ok {
		rest := new(big.Rat).Sub(k, q)
		if rest.Sign() <= 0 {
			return evidence.RatOrInterval{}, false
		}
		gap = exponent(top, rest)
	}
	if sign, exact := gap.Sign(); sign < 0 || exact && sign == 0 {
		return evidence.RatOrInterval{}, false
	}
	if z, ok := top.RationalDecayAt(k, exactBits); ok {
		if e, ok := eps.Exp(); ok && e.Num().BitLen() <= exactBits { // the sign of rest decides, even if that of gap does not
			rest := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(e, z))
			return evidence.ExactRat(rest), rest.Sign() > 0
		}
	}
	return evidence.RatOrInterval{Enclosure: gap.Neg().Expm1().Neg()}, true
}

// shareOf returns ε/ε₀ if it is known to be rational.
func shareOf(eps, top evidence.Epsilon) (*big.Rat, bool) {
	if eps.IsZero() {
		return new(big.Rat), true
	}
	return eps.Quotient(top)
}
