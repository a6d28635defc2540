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
