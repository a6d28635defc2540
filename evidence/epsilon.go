package evidence

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/interval"
	"dpworkbench/internal/parameter"
)

// ErrParameter is wrapped by every error that a caller's argument causes.
var ErrParameter = parameter.Err

// Epsilon is a privacy parameter in nats, positive and finite: a rational
// multiple either of a float64, meant exactly, or of the logarithm of a
// rational, for which e^{−kε} can be rational and answers exact.
type Epsilon struct {
	value    float64  // the float64 nearest to ε
	whole    float64  // ε = num/den · whole where base is nil
	base     *big.Rat // ε = num/den · ln base otherwise
	num, den int64
}

// NewEpsilon returns ε = v. It returns an error wrapping ErrParameter unless
// v is positive and finite; name is the parameter's name in that error.
func NewEpsilon(name string, v float64) (Epsilon, error) {
	if !(v > 0) || math.IsInf(v, 1) {
		return Epsilon{}, fmt.Errorf("%w: %s = %g, want a positive finite number", ErrParameter, name, v)
	}
	return Epsilon{value: v, whole: v, num: 1, den: 1}, nil
}

// LogEpsilon returns ε = ln base. It returns an error wrapping ErrParameter
// unless base > 1.
func LogEpsilon(name string, base *big.Rat) (Epsilon, error) {
	if base.Cmp(big.NewRat(1, 1)) <= 0 {
		return Epsilon{}, fmt.Errorf("%w: %s = ln(%s), want the logarithm of a number above 1", ErrParameter, name, base.RatString())
	}
	return newLog(new(big.Rat).Set(base), 1, 1), nil
}

// newLog folds the denominator into the base where the base has that root.
func newLog(base *big.Rat, num, den int64) Epsilon {
	for p := int64(2); p <= min(den, int64(base.Num().BitLen())); p++ { // no number below 2ᵖ but 1 has a p-th root
		for den%p == 0 {
			root, ok := ratRoot(base, p)
			if !ok {
				break
			}
			base, den = root, den/p
		}
	}
	e := Epsilon{base: base, num: num, den: den}
	e.value = e.Enclosure().Mid()
	return e
}

// Value returns ε as a float64.
func (e Epsilon) Value() float64 { return e.value }

// IsExact reports whether ε is a rational multiple of the logarithm of a rational.
func (e Epsilon) IsExact() bool { return e.base != nil }

// Times returns n·ε for n ≥ 1, as exactly as ε is known.
func (e Epsilon) Times(n int64) Epsilon { return e.Ratio(n, 1) }

// Ratio returns ε·num/den for positive num and den, as exactly as ε is known.
func (e Epsilon) Ratio(num, den int64) Epsilon {
	if num < 1 || den < 1 {
		panic("evidence: epsilon scaled by a number that is not positive")
	}
	n, d := new(big.Int).Mul(big.NewInt(e.num), big.NewInt(num)), new(big.Int).Mul(big.NewInt(e.den), big.NewInt(den))
	g := new(big.Int).GCD(nil, nil, n, d)
	n.Quo(n, g)
	d.Quo(d, g)
	if !n.IsInt64() || !d.IsInt64() { // beyond any use: give up exactness, not the value
		v := e.value * float64(num) / float64(den)
		return Epsilon{value: v, whole: v, num: 1, den: 1}
	}
	if e.base != nil {
		return newLog(e.base, n.Int64(), d.Int64())
	}
	e.num, e.den = n.Int64(), d.Int64()
	e.value = e.Enclosure().Mid()
	return e
}

// Enclosure returns an enclosure of ε, a point where ε is a float64.
func (e Epsilon) Enclosure() interval.Interval {
	unit := interval.Float(e.whole)
	if e.base != nil {
		unit = interval.Rat(e.base).Log()
	}
	switch {
	case e.num == 1 && e.den == 1:
		return unit
	case e.den == 1:
		return unit.Mul(interval.Int(e.num))
	}
	return unit.Mul(interval.Int(e.num)).Quo(interval.Int(e.den))
}

// Decay returns an enclosure of z = e^{−ε}.
func (e Epsilon) Decay() interval.Interval {
	if z, ok := e.RationalDecay(); ok {
		return interval.Rat(z)
	}
	return e.Enclosure().Neg().Exp()
}

// RationalDecay returns z = e^{−ε} where it is rational.
func (e Epsilon) RationalDecay() (*big.Rat, bool) {
	if e.base == nil || e.den != 1 || e.num > 1<<12 {
		return nil, false
	}
	return ratPow(new(big.Rat).Inv(e.base), e.num), true
}

// Exp returns e^ε where it is rational.
func (e Epsilon) Exp() (*big.Rat, bool) {
	z, ok := e.RationalDecay()
	if !ok {
		return nil, false
	}
	return new(big.Rat).Inv(z), true
}

// Rational returns ε itself where it is known as a rational number, that is
// unless it is the multiple of a logarithm.
func (e Epsilon) Rational() (*big.Rat, bool) {
	if e.base != nil {
		return nil, false
	}
	q := new(big.Rat).SetFloat64(e.whole)
	return q.Mul(q, big.NewRat(e.num, e.den)), true
}

// Add returns ε + f, exact where both are and have whole multiples.
func (e Epsilon) Add(f Epsilon) Epsilon {
	x, okx := e.Exp()
	y, oky := f.Exp()
	if okx && oky {
		return newLog(new(big.Rat).Mul(x, y), 1, 1)
	}
	v := e.value + f.value
	return Epsilon{value: v, whole: v, num: 1, den: 1}
}

// String returns "ln(3)", "ln(3)·1/2" or the shortest decimal.
func (e Epsilon) String() string {
	switch {
	case e.base == nil:
		return fmt.Sprint(e.value)
	case e.den == 1:
		if v, ok := e.Exp(); ok {
			return "ln(" + v.RatString() + ")"
		}
		return fmt.Sprintf("ln(%s)·%d", e.base.RatString(), e.num)
	}
	return fmt.Sprintf("ln(%s)·%d/%d", e.base.RatString(), e.num, e.den)
}

func ratPow(q *big.Rat, n int64) *big.Rat {
	k := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), k, nil), new(big.Int).Exp(q.Denom(), k, nil))
}

// ratRoot returns the p-th root of q > 0 where it is rational.
func ratRoot(q *big.Rat, p int64) (*big.Rat, bool) {
	num, ok := intRoot(q.Num(), p)
	if !ok {
		return nil, false
	}
	den, ok := intRoot(q.Denom(), p)
	return new(big.Rat).SetFrac(num, den), ok
}

// intRoot returns the p-th root of v > 0 where it is whole, by bisection.
func intRoot(v *big.Int, p int64) (*big.Int, bool) {
	lo, hi := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(int64(v.BitLen())/p+1))
	one, power := big.NewInt(1), big.NewInt(p)
	for lo.Cmp(hi) < 0 { // least root with rootᵖ ≥ v
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if new(big.Int).Exp(mid, power, nil).Cmp(v) < 0 {
			lo = mid.Add(mid, one)
		} else {
			hi = mid
		}
	}
	return lo, new(big.Int).Exp(lo, power, nil).Cmp(v) == 0
}
