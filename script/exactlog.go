package script

import (
	"math"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// exactly computes with logarithms made by ln: whole multiples, whole parts
// and sums stay exact.
func (e *Evidence) exactly(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, bool) {
	x, ok := e.number.(evidence.InputEpsilon)
	if !ok {
		return nil, false
	}
	switch y := other.(type) {
	case starlark.Int:
		n, small := y.Int64()
		switch {
		case !small || n < 1 || n > math.MaxInt32:
		case op == syntax.STAR:
			return Known(x.Times(n).Number()), true
		case op == syntax.SLASH && side == starlark.Left:
			return Known(x.Ratio(1, n).Number()), true
		}
	case *Evidence:
		if y, ok := y.number.(evidence.InputEpsilon); ok && op == syntax.PLUS {
			if sum, ok := x.Add(y.Epsilon); ok {
				return Known(sum.Number()), true
			}
		}
	}
	return nil, false
}

// lnBuiltins is the worked example of a table of bindings.
func lnBuiltins() []Builtin {
	return []Builtin{Func("ln(x: rational) -> evidence",
		`The logarithm of a rational number, kept exact: evidence of kind "exact", in nats. Accepted wherever ε is, and then answers are rational where they can be. x > 1 is a number (a float means its shortest decimal) or a fraction like "7/2". Whole multiples, whole parts and sums stay exact: 2*ln(3), ln(9)/2, ln(2) + ln(3). Any other arithmetic gives a float; math.log gives one at once.`,
		"e = ln(\"7/2\")\nprint(e, e.value, e.rational, 2*ln(3), ln(9)/2)",
		func(c *Call) (any, error) { return evidence.LogEpsilon("x", c.Rational("x")) })}
}
