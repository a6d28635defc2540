package evidence

import (
	"math/big"

	"dpworkbench/interval"
)

// Amount is a real number that a closed form is computed with: enclosed, and
// rational too where it is known as a rational. What is computed from rational
// amounts alone is rational. It is immutable.
type Amount struct {
	Enclosure interval.Interval
	Rational  *big.Rat // nil where it is not known as one
}

// RationalAmount returns the amount q.
func RationalAmount(q *big.Rat) Amount { return Amount{interval.Rat(q), q} }

func (a Amount) combine(b Amount, enclosed func(a, b interval.Interval) interval.Interval, exact func(z, a, b *big.Rat) *big.Rat) Amount {
	if a.Rational != nil && b.Rational != nil {
		return RationalAmount(exact(new(big.Rat), a.Rational, b.Rational))
	}
	return Amount{Enclosure: enclosed(a.Enclosure, b.Enclosure)}
}

// Add returns a + b.
func (a Amount) Add(b Amount) Amount {
	return a.combine(b, interval.Interval.Add, (*big.Rat).Add)
}

// Sub returns a − b, and 0 where both are one and the same amount.
func (a Amount) Sub(b Amount) Amount {
	if a == b { // however wide its enclosure
		return RationalAmount(new(big.Rat))
	}
	return a.combine(b, interval.Interval.Sub, (*big.Rat).Sub)
}

// Mul returns a·b.
func (a Amount) Mul(b Amount) Amount {
	return a.combine(b, interval.Interval.Mul, (*big.Rat).Mul)
}

// Quo returns a/b; it panics where b is the rational 0.
func (a Amount) Quo(b Amount) Amount {
	return a.combine(b, interval.Interval.Quo, (*big.Rat).Quo)
}

// Number returns an amount as evidence: exact where it is rational, and certified
// elsewhere, method saying how it was enclosed.
func (a Amount) Number(method, source string) Number {
	if a.Rational != nil {
		return Exact{Value: new(big.Rat).Set(a.Rational), Source: source}
	}
	return Enclosed(a.Enclosure, method, source)
}
