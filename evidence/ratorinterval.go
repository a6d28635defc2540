package evidence

import (
	"math/big"

	"dpworkbench/interval"
)

// RatOrInterval is a real number: an enclosure, and the rational value if it is known. Operations on rational numbers
// return rational numbers. It is immutable.
type RatOrInterval struct {
	Enclosure interval.Interval
	Rational  *big.Rat // nil if the number is not known to be rational
}

// ExactRat returns q.
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

// Sub returns a − b, which is exactly 0 if a and b are the same value.
func (a RatOrInterval) Sub(b RatOrInterval) RatOrInterval {
	if a == b { // the same number, however wide its enclosure
		return ExactRat(new(big.Rat))
	}
	return a.combine(b, interval.Interval.Sub, (*big.Rat).Sub)
}

// Mul returns a·b.
func (a RatOrInterval) Mul(b RatOrInterval) RatOrInterval {
	return a.combine(b, interval.Interval.Mul, (*big.Rat).Mul)
}

// Quo returns a/b. It panics if b is the rational 0.
func (a RatOrInterval) Quo(b RatOrInterval) RatOrInterval {
	return a.combine(b, interval.Interval.Quo, (*big.Rat).Quo)
}

// Number returns a as evidence: exact if it is rational, and certified by method otherwise.
func (a RatOrInterval) Number(method, source string) Number {
	if a.Rational != nil {
		return Exact{Value: new(big.Rat).Set(a.Rational), Provenance: From(source)}
	}
	return Enclosed(a.Enclosure, method, source)
}
