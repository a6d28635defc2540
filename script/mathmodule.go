package script

import (
	"maps"
	"math/big"
	"strings"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// wholeParts are the functions that turn exact evidence into whole numbers, which
// its float64 may lie on the wrong side of.
var wholeParts = map[string]func(*big.Rat) *big.Int{
	"floor": func(q *big.Rat) *big.Int { return new(big.Int).Div(q.Num(), q.Denom()) },
	"ceil": func(q *big.Rat) *big.Int {
		return new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(q.Num()), q.Denom()))
	},
}

// mathModule is Starlark's module math, taking evidence for numbers.
func mathModule(s *Session) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "math", Members: maps.Clone(starlarkmath.Module.Members)} // e and pi stay
	for name, d := range s.manual {
		member, ours := strings.CutPrefix(name, "math.")
		if !ours || !d.Callable() {
			continue
		}
		b := starlarkmath.Module.Members[member].(*starlark.Builtin)
		whole := wholeParts[member]
		m.Members[member] = &Function{doc: d, session: s, run: func(c *Call) (any, error) {
			if whole != nil {
				if q, ok := exactOf(c.values[0]); ok {
					return starlark.MakeBigInt(whole(q)), nil
				}
			}
			return withFloats(c, b)
		}}
	}
	return m
}
