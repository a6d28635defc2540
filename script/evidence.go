package script

import (
	"cmp"
	"fmt"
	"strings"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Evidence is a number with its evidence, which arithmetic preserves. Comparisons succeed if the bounds decide them
// (compare.go). In scripts, e.value is the plain number.
type Evidence struct {
	number evidence.Number
	first  *Evidence   // the same number before its call was recorded; nil if e is that number
	at     *scriptLine // the statement that made it; nil if unknown
	told   func(*Evidence)
	// compound says that an operator made it, so that an expression around it needs brackets.
	compound bool
}

// origin returns a pointer that all values of the same number share.
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

// Float returns the plain number.
func (e *Evidence) Float() float64 { return e.number.Float() }

// rational returns the exact value as text, such as "18545/3888" or "ln(27/8)", or "" if there is none.
func (e *Evidence) rational() string { return evidence.Rational(e.number) }

// String implements starlark.Value. It returns the value with its supported digits, followed by its evidence.
func (e *Evidence) String() string {
	e.Shown()
	return e.number.String()
}

// Shown reports to the session that the number was formatted as text.
func (e *Evidence) Shown() {
	if e.told != nil {
		e.told(e)
	}
}

// Script returns the script's name and the line of the top-level statement that made the number, or "" if they are not
// known.
func (e *Evidence) Script() string { return e.at.text() }

// Type implements starlark.Value.
func (e *Evidence) Type() string { return "evidence" }

// Freeze implements starlark.Value: evidence is immutable.
func (e *Evidence) Freeze() {}

// Truth implements starlark.Value, as for a number.
func (e *Evidence) Truth() starlark.Bool { return starlark.Bool(!evidence.IsZero(e.number)) }

// Hash implements starlark.Value. Exact numbers and claims that are equal have the same hash; enclosures have none.
func (e *Evidence) Hash() (uint32, error) {
	if k := e.number.Kind(); k == evidence.KindCertified || k == evidence.KindEstimated {
		return 0, fmt.Errorf("unhashable: %s evidence may equal several numbers; use its .value", k)
	}
	return starlark.Float(e.Float()).Hash()
}

// CompareSameType implements starlark.Comparable. Its result for == and != decides whether two numbers are the same key
// of a dict or a set. Comparisons in scripts do not call it (compare.go).
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
		n, err := evidence.Neg(e.number)
		return operated(n, err, "-"+e.operand())
	case syntax.PLUS:
		return e, nil
	}
	return nil, nil
}

// arithmetic are the operators that keep evidence.
var arithmetic = map[syntax.Token]func(a, b evidence.Number) (evidence.Number, error){
	syntax.PLUS: evidence.Add, syntax.MINUS: evidence.Sub, syntax.STAR: evidence.Mul, syntax.SLASH: evidence.Quo,
}

// Binary implements starlark.HasBinary. Sums, differences, products and quotients keep evidence; // and % give floats.
func (e *Evidence) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	y, ok := asNumber(other)
	if !ok {
		return nil, nil // strings implement "%s" % e
	}
	a, b, x, z := e.number, y, starlark.Value(e), other
	if side == starlark.Right {
		a, b, x, z = b, a, z, x
	}
	if f := arithmetic[op]; f != nil {
		n, err := f(a, b)
		return operated(n, err, fmt.Sprintf("%s %s %s", operandText(x), op, operandText(z)))
	}
	if op != syntax.SLASHSLASH && op != syntax.PERCENT {
		return nil, nil
	}
	return starlark.Binary(op, starlark.Float(a.Float()), starlark.Float(b.Float()))
}

// operated returns the result of an operator as a script value that remembers its expression.
func operated(n evidence.Number, err error, expression string) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	if len(expression) > longestExpression {
		expression = "…" + strings.ToValidUTF8(expression[len(expression)-longestExpression:], "")
	}
	return &Evidence{number: evidence.Identify(evidence.WithCall(n, expression)), compound: true}, nil
}

// operand returns the text of the number as an operand: the expression that made it, or else the number.
func (e *Evidence) operand() string {
	text := cmp.Or(e.expression(), e.rational(), evidence.Digits(e.number))
	if e.compound || strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	return text
}

func operandText(v starlark.Value) string {
	if e, ok := v.(*Evidence); ok {
		return e.operand()
	}
	return v.String()
}

// Elementary applies a function to evidence and returns the result with evidence. name is "abs", "exp", "log" or
// "sqrt", or "**" for a power with a whole exponent.
func Elementary(name string, x, exponent starlark.Value) (starlark.Value, error) {
	e, ok := x.(*Evidence)
	k, whole := ToInt(exponent)
	f := keepsEvidence[name]
	switch {
	case ok && f != nil:
		return evaluated(f(e.number))
	case ok && whole && name == "**":
		return evaluated(evidence.Pow(e.number, k))
	case f != nil:
		return nil, fmt.Errorf("%s of %s, want a number with evidence", name, x.Type())
	}
	return nil, fmt.Errorf("%s to the power %s, want a number with evidence and a whole exponent", x.Type(), Brief(exponent))
}

// asNumber returns a numeric value as an evidence.Number, for arithmetic.
func asNumber(v starlark.Value) (evidence.Number, bool) {
	if f, ok := v.(starlark.Float); ok {
		return evidence.Given(float64(f)), true
	}
	return numberOf(v)
}

// evaluated returns the result of arithmetic as a script value.
func evaluated(n evidence.Number, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return Known(n), nil
}
