package evidence

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// ErrParameter is wrapped by every error that a caller's argument causes.
var ErrParameter = parameter.Err

// Epsilon is a privacy parameter in nats: a positive rational number, or a positive rational multiple of the logarithm
// of a rational. For such a multiple e^{−kε} can be rational, and answers exact. An Epsilon is immutable and never
// rounded. The zero value is ε = 0: δ at 0 is the total variation distance, and no mechanism takes ε = 0.
type Epsilon struct {
	value float64  // the float64 nearest to ε, positive and finite
	scale *big.Rat // ε itself where base is nil
	base  *big.Rat // ε = scale · ln base otherwise
}

// NewEpsilon returns ε = v, the float64 itself. It returns an error wrapping ErrParameter unless v is positive and
// finite. The error refers to the parameter by the given name.
func NewEpsilon(name string, v float64) (Epsilon, error) {
	if !(v > 0) || math.IsInf(v, 1) {
		return Epsilon{}, parameter.Errorf("%s = %g, want a positive finite number", name, v)
	}
	return Epsilon{value: v, scale: new(big.Rat).SetFloat64(v)}, nil
}

// RationalEpsilon returns ε = q. It returns an error wrapping ErrParameter unless q is positive and within the range of
// float64.
func RationalEpsilon(name string, q *big.Rat) (Epsilon, error) {
	v, _ := q.Float64()
	switch {
	case q.Sign() <= 0:
		return Epsilon{}, parameter.Errorf("%s = %s, want a positive finite number", name, shortened(q))
	case v == 0 || math.IsInf(v, 1):
		return Epsilon{}, parameter.Errorf("%s = %s, want a number from 5e-324 to 1.7e308", name, shortened(q))
	}
	return Epsilon{value: v, scale: new(big.Rat).Set(q)}, nil
}

// shortened formats a rational in full if it has at most 80 characters, and as "≈1.5" otherwise.
func shortened(q *big.Rat) string {
	if text := q.RatString(); len(text) <= 80 {
		return text
	}
	text := new(big.Float).SetPrec(64).SetRat(q).Text('g', 6)
	if v, ok := new(big.Rat).SetString(text); ok && v.Cmp(q) == 0 {
		return text
	}
	return "≈" + text
}

// LogEpsilon returns ε = ln base. It returns an error wrapping ErrParameter unless base ≥ 1 + 2⁻²⁰⁰: closer to 1,
// intervals cannot distinguish ε from 0.
func LogEpsilon(name string, base *big.Rat) (Epsilon, error) {
	one := big.NewRat(1, 1)
	if base.Cmp(one) <= 0 {
		return Epsilon{}, parameter.Errorf("%s = ln(%s), want the logarithm of a number above 1", name, shortened(base))
	}
	if above := new(big.Rat).Sub(base, one); above.Cmp(new(big.Rat).SetFloat64(0x1p-200)) < 0 {
		return Epsilon{}, parameter.Errorf("%s = ln(1 + %s), want the logarithm of a number above 1 by at least 2^-200", name, shortened(above))
	}
	return newLog(new(big.Rat).Set(base), big.NewRat(1, 1)), nil
}

// newLog returns scale · ln base. It replaces base by its p-th root, and scale by p·scale, while the root is rational
// and p divides the denominator of scale.
func newLog(base, scale *big.Rat) Epsilon {
	if den := scale.Denom(); den.IsInt64() {
		d := den.Int64()
		for p := int64(2); p <= min(d, int64(base.Num().BitLen())); p++ { // integers between 1 and 2ᵖ have no p-th root
			for d%p == 0 {
				root, ok := ratRoot(base, p)
				if !ok {
					break
				}
				base, d = root, d/p
			}
		}
		scale = new(big.Rat).SetFrac(scale.Num(), big.NewInt(d))
	}
	e := Epsilon{base: base, scale: scale}
	e.value = clamped(e.Enclosure().Mid())
	return e
}

// Value returns the finite float64 nearest to ε, positive if ε is.
func (e Epsilon) Value() float64 { return e.value }

// IsZero reports whether ε = 0.
func (e Epsilon) IsZero() bool { return e.scale == nil }

// Positive returns an error wrapping ErrParameter if ε = 0, for which there is no mechanism. The error refers to the
// parameter by the given name.
func (e Epsilon) Positive(name string) error {
	if e.IsZero() {
		return parameter.Bad(name, e, "a positive finite number")
	}
	return nil
}

// IsExact reports whether ε is a rational multiple of the logarithm of a rational.
func (e Epsilon) IsExact() bool { return e.base != nil }

// Times returns n·ε, and 0 unless n > 0.
func (e Epsilon) Times(n int64) Epsilon { return e.Ratio(n, 1) }

// Ratio returns ε·num/den, and 0 unless num and den are positive.
func (e Epsilon) Ratio(num, den int64) Epsilon {
	if num < 1 || den < 1 || e.IsZero() {
		return Epsilon{}
	}
	scale := new(big.Rat).Mul(e.scale, big.NewRat(num, den))
	if e.base != nil {
		return newLog(e.base, scale)
	}
	return newRational(scale)
}

// newRational returns ε = q > 0.
func newRational(q *big.Rat) Epsilon {
	v, _ := q.Float64()
	return Epsilon{value: clamped(v), scale: q}
}

// clamped returns the positive finite float64 nearest to v.
func clamped(v float64) float64 { return min(max(v, math.SmallestNonzeroFloat64), math.MaxFloat64) }

// Enclosure returns an enclosure of ε. It is a point if ε is a float64.
func (e Epsilon) Enclosure() interval.Interval {
	if e.IsZero() {
		return interval.Int(0)
	}
	scale := interval.Rat(e.scale)
	if e.base == nil {
		return scale
	}
	return interval.RationalLog(e.base).Mul(scale)
}

// Decay returns an enclosure of z = e^{−ε}.
func (e Epsilon) Decay() interval.Interval {
	if z, ok := e.RationalDecay(); ok {
		return interval.Rat(z)
	}
	return e.Enclosure().Neg().Exp()
}

// RationalDecay returns z = e^{−ε} if it is rational with at most about 2²² bits, and false otherwise.
func (e Epsilon) RationalDecay() (*big.Rat, bool) {
	if e.IsZero() {
		return big.NewRat(1, 1), true
	}
	if e.base == nil || !e.scale.IsInt() || !e.scale.Num().IsInt64() {
		return nil, false
	}
	if n := e.scale.Num().Int64(); n > 1<<12 || n*int64(e.base.Num().BitLen()) > 1<<22 {
		return nil, false
	}
	return interval.RationalPower(e.base, new(big.Int).Neg(e.scale.Num())), true
}

// RationalDecayAt returns e^{−tε} if it is rational with a numerator and a denominator of at most bits bits.
func (e Epsilon) RationalDecayAt(t *big.Rat, bits int) (*big.Rat, bool) {
	switch {
	case t.Sign() == 0:
		return big.NewRat(1, 1), true
	case t.Sign() < 0:
		z, ok := e.RationalDecayAt(new(big.Rat).Neg(t), bits)
		if !ok {
			return nil, false
		}
		return z.Inv(z), true
	case !t.Num().IsInt64() || !t.Denom().IsInt64():
		return nil, false
	}
	z, ok := e.Ratio(t.Num().Int64(), t.Denom().Int64()).RationalDecay()
	if !ok || max(z.Num().BitLen(), z.Denom().BitLen()) > bits {
		return nil, false
	}
	return z, true
}

// DecayAt returns e^{−tε}: rational if RationalDecayAt finds it, and an enclosure otherwise.
func (e Epsilon) DecayAt(t *big.Rat, bits int) RatOrInterval {
	if z, ok := e.RationalDecayAt(t, bits); ok {
		return ExactRat(z)
	}
	return RatOrInterval{Enclosure: e.Enclosure().Mul(interval.Rat(t)).Neg().Exp()}
}

// Exp returns e^ε if RationalDecay returns its inverse e^{−ε}, and false otherwise.
func (e Epsilon) Exp() (*big.Rat, bool) {
	z, ok := e.RationalDecay()
	if !ok {
		return nil, false
	}
	return new(big.Rat).Inv(z), true
}

// Rational returns ε if it is rational, and false if it is a multiple of a logarithm.
func (e Epsilon) Rational() (*big.Rat, bool) {
	if e.base != nil {
		return nil, false
	}
	if e.IsZero() {
		return new(big.Rat), true
	}
	return new(big.Rat).Set(e.scale), true
}

// Logarithm returns base and times with ε = times · ln base, and nil for both if ε is rational.
func (e Epsilon) Logarithm() (base, times *big.Rat) {
	if e.base == nil {
		return nil, nil
	}
	return new(big.Rat).Set(e.base), new(big.Rat).Set(e.scale)
}

// Add returns ε + f, and false if the sum is not known to be rational or a rational multiple of a logarithm.
func (e Epsilon) Add(f Epsilon) (Epsilon, bool) {
	switch {
	case e.IsZero():
		return f, true
	case f.IsZero():
		return e, true
	}
	if e.base == nil && f.base == nil {
		return newRational(new(big.Rat).Add(e.scale, f.scale)), true
	}
	if x, ok := e.Exp(); ok {
		if y, ok := f.Exp(); ok {
			return newLog(new(big.Rat).Mul(x, y), big.NewRat(1, 1)), true
		}
	}
	if q, ok := e.Quotient(f); ok { // e = q·f
		return newLog(f.base, q.Add(q, big.NewRat(1, 1)).Mul(q, f.scale)), true
	}
	return Epsilon{}, false
}

// String returns "ln(3)", "ln(3)·1/2", the shortest decimal of a float64, or a fraction. It shortens long numbers to
// six digits after "≈".
func (e Epsilon) String() string { return e.text(shortened) }

// Text is String with all digits.
func (e Epsilon) Text() string { return e.text((*big.Rat).RatString) }

func (e Epsilon) text(write func(q *big.Rat) string) string {
	switch {
	case e.IsZero():
		return "0"
	case e.base == nil:
		return written(e.scale, write)
	case e.scale.IsInt():
		if v, ok := e.Exp(); ok {
			return "ln(" + write(v) + ")"
		}
	}
	return fmt.Sprintf("ln(%s)·%s", write(e.base), write(e.scale))
}

// written returns the shortest decimal if q is a float64 or a float64's shortest decimal, and write(q) otherwise.
func written(q *big.Rat, write func(q *big.Rat) string) string {
	if v, exact := q.Float64(); exact || !math.IsInf(v, 0) && interval.Decimal(v).Cmp(q) == 0 {
		return fmt.Sprint(v)
	}
	return write(q)
}

// ratRoot returns the p-th root of q > 0 if it is rational.
func ratRoot(q *big.Rat, p int64) (*big.Rat, bool) {
	num, ok := intRoot(q.Num(), p)
	if !ok {
		return nil, false
	}
	den, ok := intRoot(q.Denom(), p)
	return new(big.Rat).SetFrac(num, den), ok
}

// intRoot returns the p-th root of v > 0 if it is an integer.
func intRoot(v *big.Int, p int64) (*big.Int, bool) {
	root, power := new(big.Int), big.NewInt(p)
	for bit := int(int64(v.BitLen()) / p); bit >= 0; bit-- { // the largest root with rootᵖ ≤ v
		root.SetBit(root, bit, 1)
		if new(big.Int).Exp(root, power, nil).Cmp(v) > 0 {
			root.SetBit(root, bit, 0)
		}
	}
	return root, new(big.Int).Exp(root, power, nil).Cmp(v) == 0
}
