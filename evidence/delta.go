package evidence

import (
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Delta is the δ of (ε, δ)-differential privacy: a rational number, 0 ≤ δ < 1. It is
// immutable and never rounded. The zero value is δ = 0, which is pure differential privacy.
type Delta struct {
	value float64  // the float64 nearest to δ
	exact *big.Rat // nil for 0
}

// NewDelta returns the shortest decimal of v as δ: 1/10 for 0.1. It returns an error wrapping ErrParameter unless 0 ≤ v
// < 1. The error refers to the parameter by the given name.
func NewDelta(name string, v float64) (Delta, error) {
	if !(v >= 0 && v < 1) {
		return Delta{}, parameter.Bad(name, v, deltaRange, name)
	}
	if v == 0 {
		return Delta{}, nil
	}
	return Delta{v, interval.Decimal(v)}, nil
}

const deltaRange = "0 <= %s < 1"

// RationalDelta returns δ = q. It returns an error wrapping ErrParameter unless
// 0 ≤ q < 1.
func RationalDelta(name string, q *big.Rat) (Delta, error) {
	switch {
	case q.Sign() < 0 || q.Num().CmpAbs(q.Denom()) >= 0:
		return Delta{}, parameter.Bad(name, q, deltaRange, name)
	case q.Sign() == 0:
		return Delta{}, nil
	}
	v, _ := q.Float64()
	v = min(max(v, math.SmallestNonzeroFloat64), 1-interval.Unit)
	return Delta{v, new(big.Rat).Set(q)}, nil
}

// Value returns the float64 nearest to δ that is below 1, and positive if δ is.
func (d Delta) Value() float64 { return d.value }

// IsZero reports whether δ = 0.
func (d Delta) IsZero() bool { return d.exact == nil }

// Positive returns an error wrapping ErrParameter if δ = 0. The error refers to the parameter by the given name.
func (d Delta) Positive(name string) error { return parameter.OpenUnit(name, d.value) }

// Rat returns δ.
func (d Delta) Rat() *big.Rat {
	if d.IsZero() {
		return new(big.Rat)
	}
	return new(big.Rat).Set(d.exact)
}

// Enclosure returns an enclosure of δ. It is a point if δ is a float64.
func (d Delta) Enclosure() interval.Interval {
	if d.IsZero() {
		return interval.Int(0)
	}
	return interval.Rat(d.exact)
}

// Ball returns a ball around δ.
func (d Delta) Ball() interval.Ball {
	if d.IsZero() {
		return interval.BallAt(0)
	}
	return interval.RatBall(d.exact)
}

// Bounds returns the nearest float64s with lo ≤ δ ≤ hi.
func (d Delta) Bounds() (lo, hi float64) { return d.Enclosure().Bounds() }

// String returns the shortest decimal if δ is a float64 or the shortest decimal of one, and a fraction otherwise. It
// shortens a long fraction to six digits after "≈".
func (d Delta) String() string { return written(d.Rat(), shortened) }

// Equal reports whether d and e are the same number.
func (d Delta) Equal(e Delta) bool { return d.Rat().Cmp(e.Rat()) == 0 }
