package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// amount is a number known by an enclosure and, where possible, as a rational.
type amount struct {
	enclosure interval.Interval
	rational  *big.Rat
}

func rational(q *big.Rat) amount { return amount{interval.Rat(q), q} }

// decay returns e^{−ε·t/Δ}.
func decay(eps evidence.Epsilon, t, delta *big.Rat) amount {
	k := new(big.Rat).Quo(t, delta)
	if k.Sign() == 0 {
		return rational(big.NewRat(1, 1))
	}
	if k.Num().IsInt64() && k.Denom().IsInt64() {
		scaled := eps.Ratio(k.Num().Int64(), k.Denom().Int64())
		if z, ok := scaled.RationalDecay(); ok {
			return rational(z)
		}
	}
	return amount{enclosure: eps.Enclosure().Mul(interval.Rat(k)).Neg().Exp()}
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
