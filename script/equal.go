package script

import (
	"fmt"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// equal and differ implement == and != (see live.go).
func equal(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return compareValues(syntax.EQL, args[0], args[1])
}

func differ(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return compareValues(syntax.NEQ, args[0], args[1])
}

func compareValues(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	_, left := x.(*Evidence)
	_, right := y.(*Evidence)
	if left != right {
		other := y
		if right {
			other = x
		}
		switch other.(type) {
		case starlark.Int, starlark.Float:
			return nil, fmt.Errorf("%s %s %s not implemented", x.Type(), op, y.Type())
		}
	}
	same, err := starlark.Compare(op, x, y)
	return starlark.Bool(same), err
}

// beats reports whether x op y, evidence and numbers counting by value: exact
// evidence and ints without rounding, floats as the float64s they are.
func beats(op syntax.Token, x, y starlark.Value) (bool, error) {
	_, left := x.(*Evidence)
	_, right := y.(*Evidence)
	if left || right {
		a, okA := numberOf(x)
		b, okB := numberOf(y)
		if okA && okB {
			return holds(op, evidence.Compare(a, b)), nil
		}
	}
	return starlark.Compare(op, x, y)
}

// numberOf returns the number that a value is, for comparisons.
func numberOf(v starlark.Value) (evidence.Number, bool) {
	switch v := v.(type) {
	case *Evidence:
		return v.number, true
	case starlark.Int:
		return evidence.Whole(v.BigInt()), true
	case starlark.Float:
		return evidence.Plain(float64(v)), true
	}
	return nil, false
}

// holds reports whether a comparison that came out as order satisfies op.
func holds(op syntax.Token, order int) bool {
	switch op {
	case syntax.EQL:
		return order == 0
	case syntax.NEQ:
		return order != 0
	case syntax.LT:
		return order < 0
	case syntax.LE:
		return order <= 0
	case syntax.GT:
		return order > 0
	}
	return order >= 0
}
