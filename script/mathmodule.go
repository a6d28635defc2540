package script

import (
	"fmt"
	"math/big"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// mathFunctions is the manual of the module math: name, parameters, meaning,
// example.
var mathFunctions = [][4]string{
	{"ceil", "x: value", "The least whole number ≥ x, an int.", "math.ceil(2.1)"},
	{"floor", "x: value", "The largest whole number ≤ x, an int.", "math.floor(2.9)"},
	{"round", "x: value", "The nearest whole number, halves away from zero, a float; the built-in round takes halves to even.", "math.round(2.5)"},
	{"fabs", "x: value", "Absolute value, a float.", "math.fabs(-2)"},
	{"copysign", "x: value, y: value", "The magnitude of x with the sign of y.", "math.copysign(2, -1)"},
	{"mod", "x: value, y: value", "Remainder of x/y with the sign of x.", "math.mod(7, 3)"},
	{"remainder", "x: value, y: value", "IEEE 754 remainder of x/y: the least in magnitude.", "math.remainder(7, 4)"},
	{"pow", "x: value, y: value", "x to the power y.", "math.pow(2, 0.5)"},
	{"exp", "x: value", "e to the power x.", "math.exp(ln(3))"},
	{"sqrt", "x: value", "Square root; nan below 0.", "math.sqrt(2)"},
	{"log", "x: value, base: value=2.718281828459045", "Logarithm of x to the base, e by default. ln keeps logarithms of rationals exact.", "math.log(8, 2)"},
	{"gamma", "x: value", "The gamma function: gamma(n + 1) is n factorial.", "math.gamma(5)"},
	{"sin", "x: value", "Sine of x radians.", "math.sin(1)"},
	{"cos", "x: value", "Cosine of x radians.", "math.cos(1)"},
	{"tan", "x: value", "Tangent of x radians.", "math.tan(1)"},
	{"asin", "x: value", "Arc sine, in radians.", "math.asin(1)"},
	{"acos", "x: value", "Arc cosine, in radians.", "math.acos(0)"},
	{"atan", "x: value", "Arc tangent, in radians.", "math.atan(1)"},
	{"atan2", "y: value, x: value", "Angle of the point (x, y), in radians.", "math.atan2(1, -1)"},
	{"hypot", "x: value, y: value", "Euclidean norm of (x, y).", "math.hypot(3, 4)"},
	{"degrees", "x: value", "x radians in degrees.", "math.degrees(math.pi)"},
	{"radians", "x: value", "x degrees in radians.", "math.radians(180)"},
	{"sinh", "x: value", "Hyperbolic sine.", "math.sinh(1)"},
	{"cosh", "x: value", "Hyperbolic cosine.", "math.cosh(1)"},
	{"tanh", "x: value", "Hyperbolic tangent.", "math.tanh(1)"},
	{"asinh", "x: value", "Inverse hyperbolic sine.", "math.asinh(1)"},
	{"acosh", "x: value", "Inverse hyperbolic cosine.", "math.acosh(2)"},
	{"atanh", "x: value", "Inverse hyperbolic tangent.", "math.atanh(0.5)"},
}

// wholeParts are the functions that turn exact evidence into whole numbers, which
// its float64 may lie on the wrong side of.
var wholeParts = map[string]func(*big.Rat) *big.Int{
	"floor": func(q *big.Rat) *big.Int { return new(big.Int).Div(q.Num(), q.Denom()) },
	"ceil": func(q *big.Rat) *big.Int {
		n := new(big.Int).Neg(q.Num())
		return n.Neg(n.Div(n, q.Denom()))
	},
}

// mathModule is Starlark's module math, taking evidence for numbers.
func mathModule(s *Session) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "math", Members: make(starlark.StringDict)}
	for name, v := range starlarkmath.Module.Members {
		m.Members[name] = v // e and pi stay
	}
	for _, f := range mathFunctions {
		b := starlarkmath.Module.Members[f[0]].(*starlark.Builtin)
		m.Members[f[0]] = NewFunction(s, Func(fmt.Sprintf("math.%s(%s) -> number", f[0], f[1]), f[2], f[3], func(c *Call) (any, error) {
			if whole, ok := wholeParts[f[0]]; ok {
				if q, ok := exactOf(c.Value("x")); ok {
					return starlark.MakeBigInt(whole(q)), nil
				}
			}
			return withFloats(c, b)
		}))
	}
	return m
}
