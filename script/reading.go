package script

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/decimal"
	"dpworkbench/interval"

	"go.starlark.net/starlark"
)

// How a script's number is read. An int and exact evidence mean exactly their value, of any size. A string such as
// "1/3" or "0.12345678901234567890" means the number it spells, wherever exact numbers are accepted. A float means
//
//   - its shortest decimal where the answer is computed in integers and
//     fractions: values, ranges, distances, weights, end points, radii, priors,
//     probabilities, δ and rates. There 0.1 + 0.2 must reach 0.3;
//   - the float64 itself where it is a real parameter: ε, σ, matrices, vectors.
//     A number that is not a float64, such as 2⁵³ + 1 or 1/3, is refused there. Exceptions
//     are ε and δ, which are exact everywhere (see Call.Epsilon and Call.Delta), and a σ
//     written as a fraction.
//
// A design choice on which no guarantee depends, such as a mechanism's σ or an entry of a matrix, accepts any evidence
// by its value and any fraction (choiceOf). A bound whose safe side is up uses the upper end (upperOf). Everywhere else
// certified intervals, claims and estimates are refused, because no exact statement about them is possible. The script
// must say which number it means: e.value, e.lo or e.hi.

// toFloat reads a number that is a float64.
func toFloat(v starlark.Value) (float64, bool) {
	switch v := v.(type) {
	case starlark.Float:
		return float64(v), true
	case starlark.Int:
		return wholeFloat(v.BigInt())
	case *Evidence:
		switch n := v.number.(type) {
		case evidence.Claimed:
			return n.Value, true
		case evidence.Certified:
			return point(n)
		}
		if q, ok := ToRational(v); ok {
			f, exact := q.Float64()
			return f, exact || !math.IsInf(f, 0) && interval.Decimal(f).Cmp(q) == 0
		}
	}
	return 0, false
}

// point returns the value of a certified number whose ends are equal.
func point(n evidence.Certified) (float64, bool) { return n.Hi, n.Lo == n.Hi }

// wholeFloat returns n as a float64, if it is one.
func wholeFloat(n *big.Int) (float64, bool) {
	f, accuracy := new(big.Float).SetInt(n).Float64()
	return f, accuracy == big.Exact
}

// NearestFloat reads a number, or the value of evidence, as the nearest float64. Pictures, tables and arithmetic use
// it, because they carry no evidence.
func NearestFloat(v starlark.Value) (float64, bool) {
	switch v := v.(type) {
	case starlark.Float:
		return float64(v), true
	case starlark.Int:
		f, _ := new(big.Float).SetInt(v.BigInt()).Float64()
		return f, true
	case *Evidence:
		return v.Float(), true
	}
	return 0, false
}

// ToInt reads an integer that fits an int.
func ToInt(v starlark.Value) (int, bool) {
	switch w := v.(type) {
	case starlark.Int:
		n, ok := w.Int64()
		return int(n), ok
	case *Evidence:
		if q, ok := ToRational(w); ok {
			return int(q.Num().Int64()), q.IsInt() && q.Num().IsInt64()
		}
	}
	f, ok := toFloat(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// ToRational reads a number without rounding: a float means its shortest decimal.
func ToRational(v starlark.Value) (*big.Rat, bool) {
	switch v := v.(type) {
	case starlark.Int:
		return new(big.Rat).SetInt(v.BigInt()), true
	case starlark.Float:
		switch f := float64(v); {
		case f == math.Trunc(f) && math.Abs(f) < 1<<53:
			return new(big.Rat).SetInt64(int64(f)), true
		case !math.IsNaN(f) && !math.IsInf(f, 0):
			return interval.Decimal(f), true
		}
	case starlark.String:
		return decimal.Rational(string(v))
	case *Evidence:
		switch n := v.number.(type) {
		case evidence.Exact:
			return new(big.Rat).Set(n.Value), true
		case evidence.ExactLog:
			return new(big.Rat), n.Argument.Cmp(big.NewRat(1, 1)) == 0
		case evidence.InputEpsilon:
			return n.Rational()
		case evidence.Certified:
			if v, ok := point(n); ok && !math.IsInf(v, 0) {
				return new(big.Rat).SetFloat64(v), true
			}
		}
	}
	return nil, false
}

// upperOf reads a number whose safe side is up. Exact and certified evidence counts by its upper end. A fraction such
// as "1/1000" is rounded up to a float64.
func (c *Call) upperOf(name string, v starlark.Value) float64 {
	if text, ok := v.(starlark.String); ok {
		if q, ok := ToRational(text); ok {
			f, exact := q.Float64()
			if d := interval.Decimal(f); !exact && d != nil && d.Cmp(q) != 0 { // the float 0.001 also means 1/1000
				_, f = interval.Rat(q).Bounds()
			}
			v = starlark.Float(f)
		}
	}
	if e, ok := v.(*Evidence); ok && (e.number.Kind() == evidence.KindExact || e.number.Kind() == evidence.KindCertified) {
		_, hi := e.number.Bounds()
		return hi
	}
	return c.floatOf(name, v)
}

// unread explains in an error why a number cannot be a float64; "" if v is not a number.
func unread(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.Int:
		if f, ok := wholeFloat(v.BigInt()); !ok && !math.IsInf(f, 0) {
			return fmt.Sprintf(" that a float64 can hold: %.0f is the nearest", f)
		}
	case *Evidence:
		if v.number.Kind() == evidence.KindExact {
			return fmt.Sprintf(" that a float64 can hold: .value is %s", evidence.FormatFloat(v.Float(), -1))
		}
	}
	return Inexact(v)
}

// Inexact explains in an error why evidence is not an exact number; "" if v is not evidence.
func Inexact(v starlark.Value) string {
	e, ok := v.(*Evidence)
	if !ok {
		return ""
	}
	_, rational := ToRational(e)
	switch kind := e.number.Kind(); {
	case kind == evidence.KindExact && rational:
		return ""
	case kind == evidence.KindExact:
		return ": this one is irrational"
	case kind == evidence.KindClaimed:
		return ": this one is claimed, write .value"
	}
	return ": this one is known between two bounds, write .value, .lo or .hi"
}

// epsilonOf reads a privacy parameter exactly: a positive finite number, a fraction like "1/3", or ln(…). Exact
// evidence counts as its value, and a claimed ε as the parameter that it was made from.
func (c *Call) epsilonOf(name string, v starlark.Value) evidence.Epsilon {
	e, err := toEpsilon(name, v)
	if err != nil {
		Refuse(err)
	}
	if e.IsZero() {
		c.Fail(name, v, "a positive finite number or ln(…)"+unread(v))
	}
	return e
}

// toEpsilon returns v as a privacy parameter, or an error if v is not a number. A certified loss counts by its upper
// end, which is the safe side. Later answers are about that number.
func toEpsilon(name string, v starlark.Value) (evidence.Epsilon, error) {
	switch v := v.(type) {
	case starlark.Float:
		return evidence.NewEpsilon(name, float64(v))
	case *Evidence:
		switch n := v.number.(type) {
		case evidence.InputEpsilon:
			return n.Epsilon, nil
		case evidence.LogMultiple:
			if !n.Negative {
				return n.Epsilon, nil
			}
		case evidence.ExactLog:
			return evidence.LogEpsilon(name, n.Argument)
		case evidence.Claimed:
			if !n.Epsilon.IsZero() {
				return n.Epsilon, nil
			}
			return evidence.NewEpsilon(name, n.Value)
		case evidence.Certified:
			if n.Side == evidence.Up || n.Lo == n.Hi {
				return evidence.NewEpsilon(name, n.Hi)
			}
		}
	}
	q, ok := ToRational(v)
	if !ok {
		return evidence.Epsilon{}, nil
	}
	return evidence.RationalEpsilon(name, q)
}

// deltaOf reads a δ above 0 exactly: a number, a fraction like "1/1000", or exact evidence. A certified loss counts by
// its upper end, as for ε.
func (c *Call) deltaOf(name string, v starlark.Value) evidence.Delta {
	return c.deltaWhere(name, v, "0 < "+name+" < 1", false)
}

// deltaOrZeroOf is deltaOf, but accepts 0.
func (c *Call) deltaOrZeroOf(name string, v starlark.Value) evidence.Delta {
	return c.deltaWhere(name, v, "0 <= "+name+" < 1", true)
}

func (c *Call) deltaWhere(name string, v starlark.Value, want string, zero bool) evidence.Delta {
	q, ok := ToRational(v)
	if e, is := v.(*Evidence); is && !ok {
		switch n := e.number.(type) {
		case evidence.Claimed:
			q, ok = ToRational(starlark.Float(n.Value))
		case evidence.Certified:
			if n.Side == evidence.Up && !math.IsInf(n.Hi, 0) {
				q, ok = new(big.Rat).SetFloat64(n.Hi), true
			}
		}
	}
	if !ok {
		if _, is := v.(starlark.Float); !is { // NaN and the infinities are reported below
			want += `, a number or a fraction like "1/1000"` + Inexact(v)
		}
		c.Fail(name, v, want)
	}
	d, err := evidence.RationalDelta(name, q)
	if err != nil || d.IsZero() && !zero {
		c.Fail(name, v, want)
	}
	return d
}

// deviationOf reads a σ or a sensitivity exactly: the float64 itself, or a fraction like "7/2". A certified upper bound
// counts by its upper end.
func (c *Call) deviationOf(name string, v starlark.Value) *big.Rat {
	if e, ok := v.(*Evidence); ok && e.number.Kind() == evidence.KindCertified && evidence.SideOf(e.number) == evidence.Up {
		v = starlark.Float(e.Float())
	}
	q, ok := ToRational(v)
	if f, is := toFloat(v); is {
		if q, ok = new(big.Rat), true; q.SetFloat64(f) == nil {
			c.Fail(name, v, "a positive finite number")
		}
	}
	if !ok {
		c.Fail(name, v, `a positive finite number or a fraction like "7/2"`+Inexact(v))
	}
	if q.Sign() <= 0 {
		c.Fail(name, v, "a positive finite number")
	}
	return q
}

// EpsilonOrZeroOf is epsilonOf, but reads 0 as the zero Epsilon.
func (c *Call) EpsilonOrZeroOf(name string, v starlark.Value) evidence.Epsilon {
	if q, ok := ToRational(v); ok && q.Sign() <= 0 {
		if q.Sign() < 0 {
			c.Fail(name, v, "a number of at least 0 or ln(…)")
		}
		return evidence.Epsilon{}
	}
	return c.epsilonOf(name, v)
}
