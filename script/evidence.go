package script

import (
	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Evidence is a number that knows how it is known. Arithmetic with it gives
// floats; only the exact logarithms that ln makes stay exact where they can.
// It compares as far as it is known (compare.go), so that a script says e.value
// where it means that number.
type Evidence struct {
	number evidence.Number
	first  *Evidence   // the same number before its call was noted; nil for itself
	at     *scriptLine // the statement that made it; nil where it is not known
	told   func(*Evidence)
}

// origin returns what all values that are the same number share.
func (e *Evidence) origin() *Evidence {
	if e.first != nil {
		return e.first
	}
	return e
}

var (
	_ starlark.HasBinary  = (*Evidence)(nil)
	_ starlark.HasUnary   = (*Evidence)(nil)
	_ starlark.Comparable = (*Evidence)(nil)
	_ Inspectable         = (*Evidence)(nil)
)

// Number returns the number with its evidence.
func (e *Evidence) Number() evidence.Number { return e.number }

// Float returns the number to compute with.
func (e *Evidence) Float() float64 { return e.number.Float() }

// rational returns "18545/3888", "ln(27/8)" or "".
func (e *Evidence) rational() string { return evidence.Rational(e.number) }

// String implements starlark.Value: the value to its supported digits, then how
// it is known.
func (e *Evidence) String() string {
	e.Shown()
	return e.number.String()
}

// Shown tells the session that the number becomes part of a text, where it wants to know.
func (e *Evidence) Shown() {
	if e.told != nil {
		e.told(e)
	}
}

// Script names the script and the line of the statement outside functions that made the number, "" where it is
// not known.
func (e *Evidence) Script() string { return e.at.text() }

// Type implements starlark.Value.
func (e *Evidence) Type() string { return "evidence" }

// Freeze implements starlark.Value: evidence is immutable.
func (e *Evidence) Freeze() {}

// Truth implements starlark.Value, as for a number.
func (e *Evidence) Truth() starlark.Bool { return starlark.Bool(!evidence.IsZero(e.number)) }

// Hash implements starlark.Value; equal evidence hashes alike.
func (e *Evidence) Hash() (uint32, error) { return starlark.Float(e.Float()).Hash() }

// CompareSameType implements starlark.Comparable: whether two are one key of a dict
// or a set. All that scripts compare goes past it (compare.go).
func (e *Evidence) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	if op == syntax.EQL || op == syntax.NEQ {
		return sameKey(e.number, y.(*Evidence).number) == (op == syntax.EQL), nil
	}
	return decide(op, e, y)
}

// Unary implements starlark.HasUnary.
func (e *Evidence) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return starlark.Float(-e.Float()), nil
	case syntax.PLUS:
		return e, nil
	}
	return nil, nil
}

// Binary implements starlark.HasBinary.
func (e *Evidence) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
	default:
		return nil, nil
	}
	if v, ok := e.exactly(op, other, side); ok {
		return v, nil
	}
	if _, ok := other.(starlark.String); ok {
		return nil, nil // "%s" % e is the string's affair
	}
	y, ok := NearestFloat(other)
	if !ok {
		return nil, nil
	}
	a, b := starlark.Value(starlark.Float(e.Float())), starlark.Value(starlark.Float(y))
	if side == starlark.Right {
		a, b = b, a
	}
	return starlark.Binary(op, a, b)
}
