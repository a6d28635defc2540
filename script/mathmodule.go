package script

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// wholeParts holds the functions that turn exact evidence into an integer. They take the rational number, because
// rounding it to float64 first could cross an integer.
var wholeParts = map[string]func(*big.Rat) *big.Int{
	"floor": func(q *big.Rat) *big.Int { return new(big.Int).Div(q.Num(), q.Denom()) },
	"ceil": func(q *big.Rat) *big.Int {
		return new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(q.Num()), q.Denom()))
	},
}

// keepsEvidence holds the functions that return evidence if their argument is evidence.
var keepsEvidence = map[string]func(evidence.Number) (evidence.Number, error){
	"exp": evidence.Exp, "log": evidence.Log, "sqrt": evidence.Sqrt, "fabs": evidence.Abs, "abs": evidence.Abs,
}

// mathModule returns Starlark's module math, with functions that accept evidence as numbers.
func mathModule(s *Session) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "math", Members: maps.Clone(starlarkmath.Module.Members)} // with e and pi
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
			if f := keepsEvidence[member]; f != nil && !slices.Contains(c.written[1:], true) {
				if e, ok := c.values[0].(*Evidence); ok {
					return evaluated(f(e.number))
				}
			}
			if e, ok := c.values[0].(*Evidence); ok && member == "pow" {
				if k, ok := ToInt(c.values[1]); ok {
					return evaluated(evidence.Pow(e.number, k))
				}
			}
			return withFloats(c, b)
		}}
	}
	return m
}
