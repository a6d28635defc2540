package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// amount is a number known by an enclosure and, where possible, as a rational.
type amount struct {
	enclosure interval.Interval
	rational  *big.Rat
}

func rational(q *big.Rat) amount { return amount{interval.Rat(q), q} }

// decay returns e^{−ε·t/Δ}, a rational where it is one of at most exactBits bits.
func decay(eps evidence.Epsilon, t, delta *big.Rat) amount {
	k := new(big.Rat).Quo(t, delta)
	if z, ok := rationalDecay(eps, k); ok {
		return rational(z)
	}
	return amount{enclosure: exponent(eps, k).Neg().Exp()}
}

// shortfall returns 1 − e^{−ε·t/Δ}, in an enclosure that is narrow relative to
// it however small ε is.
func shortfall(eps evidence.Epsilon, t, delta *big.Rat) amount {
	k := new(big.Rat).Quo(t, delta)
	if z, ok := rationalDecay(eps, k); ok {
		return rational(z.Sub(big.NewRat(1, 1), z))
	}
	return amount{enclosure: exponent(eps, k).Neg().Expm1().Neg()}
}

// maxRationalBits bounds the size of the powers that stay rational; beyond it they
// are enclosed.
const maxRationalBits = 1 << 17

// decayed returns e^{−kε·t/Δ} for a whole k ≥ 0, given z = e^{−ε·t/Δ}.
func decayed(z amount, eps evidence.Epsilon, t, delta *big.Rat, k *big.Int) amount {
	if z.rational != nil && k.IsInt64() && k.Int64() <= maxRationalBits/int64(z.rational.Denom().BitLen()) {
		return rational(new(big.Rat).SetFrac(new(big.Int).Exp(z.rational.Num(), k, nil), new(big.Int).Exp(z.rational.Denom(), k, nil)))
	}
	times := new(big.Rat).Quo(t, delta)
	return amount{enclosure: exponent(eps, times.Mul(times, new(big.Rat).SetInt(k))).Neg().Exp()}
}

// rationalDecay returns e^{−kε} where it is rational and of moderate size.
func rationalDecay(eps evidence.Epsilon, k *big.Rat) (*big.Rat, bool) {
	if k.Sign() == 0 {
		return big.NewRat(1, 1), true
	}
	if !k.Num().IsInt64() || !k.Denom().IsInt64() {
		return nil, false
	}
	z, ok := eps.Ratio(k.Num().Int64(), k.Denom().Int64()).RationalDecay()
	if !ok || max(z.Num().BitLen(), z.Denom().BitLen()) > exactBits {
		return nil, false
	}
	return z, true
}

// exponent encloses kε.
func exponent(eps evidence.Epsilon, k *big.Rat) interval.Interval {
	return eps.Enclosure().Mul(interval.Rat(k))
}

func (a amount) combine(b amount, enclosed func(a, b interval.Interval) interval.Interval, exact func(z, a, b *big.Rat) *big.Rat) amount {
	if a.rational != nil && b.rational != nil {
		return rational(exact(new(big.Rat), a.rational, b.rational))
	}
	return amount{enclosure: enclosed(a.enclosure, b.enclosure)}
}

func (a amount) add(b amount) amount {
	return a.combine(b, interval.Interval.Add, (*big.Rat).Add)
}

func (a amount) sub(b amount) amount {
	if a == b { // one and the same number, however wide its enclosure
		return rational(new(big.Rat))
	}
	return a.combine(b, interval.Interval.Sub, (*big.Rat).Sub)
}

func (a amount) mul(b amount) amount {
	return a.combine(b, interval.Interval.Mul, (*big.Rat).Mul)
}

func (a amount) quo(b amount) amount {
	return a.combine(b, interval.Interval.Quo, (*big.Rat).Quo)
}
