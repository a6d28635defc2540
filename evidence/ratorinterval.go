package evidence

import (
	"math/big"

	"dpworkbench/interval"
)

// RatOrInterval is a real number that a closed form is computed with: enclosed, and
// rational too where it is known as a rational. What is computed from rational
// amounts alone is rational. It is immutable.
type RatOrInterval struct {
	Enclosure interval.Interval
	Rational  *big.Rat // nil where it is not known as one
}

// ExactRat returns the amount q.
func ExactRat(q *big.Rat) RatOrInterval { return RatOrInterval{interval.Rat(q), q} }

func (a RatOrInterval) combine(b RatOrInterval, enclosed func(a, b interval.Interval) interval.Interval, exact func(z, a, b *big.Rat) *big.Rat) RatOrInterval {
	if a.Rational != nil && b.Rational != nil {
		return ExactRat(exact(new(big.Rat), a.Rational, b.Rational))
	}
	return RatOrInterval{Enclosure: enclosed(a.Enclosure, b.Enclosure)}
}

// Add returns a + b.
func (a RatOrInterval) Add(b RatOrInterval) RatOrInterval {
	return a.combine(b, interval.Interval.Add, (*big.Rat).Add)
}

// Sub returns a − b, and 0 where both are one and the same amount.
func (a RatOrInterval) Sub(b RatOrInterval) RatOrInterval {
	if a == b { // however wide its enclosure
		return ExactRat(new(big.Rat))
	}
	return a.combine(b, interval.Interval.Sub, (*big.Rat).Sub)
}

// Mul returns a·b.
func (a RatOrInterval) Mul(b RatOrInterval) RatOrInterval {
	return a.combine(b, interval.Interval.Mul, (*big.Rat).Mul)
}

// Quo returns a/b; it panics where b is the rational 0.
func (a RatOrInterval) Quo(b RatOrInterval) RatOrInterval {
	return a.combine(b, interval.Interval.Quo, (*big.Rat).Quo)
}

// Number returns an amount as evidence: exact where it is rational, and certified
// elsewhere, method saying how it was enclosed.
func (a RatOrInterval) Number(method, source string) Number {
	if a.Rational != nil {
		return Exact{Value: new(big.Rat).Set(a.Rational), Provenance: From(source)}
	}
	return Enclosed(a.Enclosure, method, source)
}
