package repl

import (
	"fmt"

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
