package script

import (
	"math/big"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// mathFunctions is the manual of the module math: name, parameters, meaning,
// example.
var mathFunctions = [][4]string{
	{"ceil", "x", "The least whole number ≥ x, an int.", "math.ceil(2.1)"},
	{"floor", "x", "The largest whole number ≤ x, an int.", "math.floor(2.9)"},
	{"round", "x", "The nearest whole number, halves away from zero, a float; the built-in round takes halves to even.", "math.round(2.5)"},
	{"fabs", "x", "Absolute value, a float.", "math.fabs(-2)"},
	{"copysign", "x, y", "The magnitude of x with the sign of y.", "math.copysign(2, -1)"},
	{"mod", "x, y", "Remainder of x/y with the sign of x.", "math.mod(7, 3)"},
	{"remainder", "x, y", "IEEE 754 remainder of x/y: the least in magnitude.", "math.remainder(7, 4)"},
	{"pow", "x, y", "x to the power y.", "math.pow(2, 0.5)"},
	{"exp", "x", "e to the power x.", "math.exp(ln(3))"},
	{"sqrt", "x", "Square root; nan below 0.", "math.sqrt(2)"},
	{"log", "x, base=2.718281828459045", "Logarithm of x to the base, e by default. ln keeps logarithms of rationals exact.", "math.log(8, 2)"},
	{"gamma", "x", "The gamma function: gamma(n + 1) is n factorial.", "math.gamma(5)"},
	{"sin", "x", "Sine of x radians.", "math.sin(1)"},
	{"cos", "x", "Cosine of x radians.", "math.cos(1)"},
	{"tan", "x", "Tangent of x radians.", "math.tan(1)"},
	{"asin", "x", "Arc sine, in radians.", "math.asin(1)"},
	{"acos", "x", "Arc cosine, in radians.", "math.acos(0)"},
	{"atan", "x", "Arc tangent, in radians.", "math.atan(1)"},
	{"atan2", "y, x", "Angle of the point (x, y), in radians.", "math.atan2(1, -1)"},
	{"hypot", "x, y", "Euclidean norm of (x, y).", "math.hypot(3, 4)"},
	{"degrees", "x", "x radians in degrees.", "math.degrees(math.pi)"},
	{"radians", "x", "x degrees in radians.", "math.radians(180)"},
	{"sinh", "x", "Hyperbolic sine.", "math.sinh(1)"},
	{"cosh", "x", "Hyperbolic cosine.", "math.cosh(1)"},
	{"tanh", "x", "Hyperbolic tangent.", "math.tanh(1)"},
	{"asinh", "x", "Inverse hyperbolic sine.", "math.asinh(1)"},
	{"acosh", "x", "Inverse hyperbolic cosine.", "math.acosh(2)"},
	{"atanh", "x", "Inverse hyperbolic tangent.", "math.atanh(0.5)"},
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
		m.Members[f[0]] = NewFunction(s, Builtin{
			Name: "math." + f[0], Params: f[1], Help: f[2], Example: f[3],
			Run: func(c *Call) (any, error) {
				if whole, ok := wholeParts[f[0]]; ok {
					if q, ok := exactOf(c.Value("x")); ok {
						return starlark.MakeBigInt(whole(q)), nil
					}
				}
				return withFloats(c, b)
			},
		})
	}
	return m
}
