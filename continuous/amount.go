package continuous

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// closedForm is the method that the evidence of closed forms states.
const closedForm = "closed form, rounded outward"

func whole(n int64) evidence.RatOrInterval { return evidence.ExactRat(big.NewRat(n, 1)) }

func fraction(a, b int64) evidence.RatOrInterval { return evidence.ExactRat(big.NewRat(a, b)) }

// sum returns a + b + ….
func sum(a evidence.RatOrInterval, more ...evidence.RatOrInterval) evidence.RatOrInterval {
	for _, b := range more {
		a = a.Add(b)
	}
	return a
}

// product returns a·b·….
func product(a evidence.RatOrInterval, more ...evidence.RatOrInterval) evidence.RatOrInterval {
	for _, b := range more {
		a = a.Mul(b)
	}
	return a
}

// end returns a if it is rational. Otherwise it returns the middle of the enclosure, rounded to float64.
func end(a evidence.RatOrInterval) *big.Rat {
	if a.Rational != nil {
		return a.Rational
	}
	v, _ := a.Enclosure.MidFloat(53).Rat(nil)
	return v
}

// exactBits bounds the number of bits of the powers e^{−kε} in exact results.
const exactBits = 1 << 18

// decay returns e^{−ε·t/Δ}: a rational if the power is rational and has at most exactBits bits, and an enclosure
// otherwise.
func decay(eps evidence.Epsilon, t, delta *big.Rat) evidence.RatOrInterval {
	return eps.DecayAt(new(big.Rat).Quo(t, delta), exactBits)
}

// shortfall returns 1 − e^{−ε·t/Δ}. The enclosure is narrow relative to the value, however small ε is.
func shortfall(eps evidence.Epsilon, t, delta *big.Rat) evidence.RatOrInterval {
	k := new(big.Rat).Quo(t, delta)
	if z, ok := eps.RationalDecayAt(k, exactBits); ok {
		return evidence.ExactRat(z.Sub(big.NewRat(1, 1), z))
	}
	return evidence.RatOrInterval{Enclosure: exponent(eps, k).Neg().Expm1().Neg()}
}

// decayed returns e^{−kε·t/Δ} for an integer k ≥ 0, given z = e^{−ε·t/Δ}.
func decayed(z evidence.RatOrInterval, eps evidence.Epsilon, t, delta *big.Rat, k *big.Int) evidence.RatOrInterval {
	if z.Rational != nil && k.IsInt64() && k.Int64() <= maxExactBits/int64(z.Rational.Denom().BitLen()) {
		return evidence.ExactRat(interval.RationalPower(z.Rational, k))
	}
	times := new(big.Rat).Quo(t, delta)
	return evidence.RatOrInterval{Enclosure: exponent(eps, times.Mul(times, new(big.Rat).SetInt(k))).Neg().Exp()}
}

// exponent encloses kε.
func exponent(eps evidence.Epsilon, k *big.Rat) interval.Interval {
	return eps.Enclosure().Mul(interval.Rat(k))
}
