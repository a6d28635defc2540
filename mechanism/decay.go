package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// decay returns e^{−ε·t/Δ}, a rational where it is one of at most exactBits bits.
func decay(eps evidence.Epsilon, t, delta *big.Rat) evidence.Amount {
	return eps.DecayAt(new(big.Rat).Quo(t, delta), exactBits)
}

// shortfall returns 1 − e^{−ε·t/Δ}, in an enclosure that is narrow relative to
// it however small ε is.
func shortfall(eps evidence.Epsilon, t, delta *big.Rat) evidence.Amount {
	k := new(big.Rat).Quo(t, delta)
	if z, ok := eps.RationalDecayAt(k, exactBits); ok {
		return evidence.RationalAmount(z.Sub(big.NewRat(1, 1), z))
	}
	return evidence.Amount{Enclosure: exponent(eps, k).Neg().Expm1().Neg()}
}

// maxRationalBits bounds the size of the powers that stay rational; beyond it they
// are enclosed.
const maxRationalBits = 1 << 17

// decayed returns e^{−kε·t/Δ} for a whole k ≥ 0, given z = e^{−ε·t/Δ}.
func decayed(z evidence.Amount, eps evidence.Epsilon, t, delta *big.Rat, k *big.Int) evidence.Amount {
	if z.Rational != nil && k.IsInt64() && k.Int64() <= maxRationalBits/int64(z.Rational.Denom().BitLen()) {
		return evidence.RationalAmount(interval.RationalPower(z.Rational, k))
	}
	times := new(big.Rat).Quo(t, delta)
	return evidence.Amount{Enclosure: exponent(eps, times.Mul(times, new(big.Rat).SetInt(k))).Neg().Exp()}
}

// exponent encloses kε.
func exponent(eps evidence.Epsilon, k *big.Rat) interval.Interval {
	return eps.Enclosure().Mul(interval.Rat(k))
}
