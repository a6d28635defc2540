package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/mechanism"
	"dpworkbench/program"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// symbol is a rational multiple of a parameter without a value.
type symbol struct {
	name  string
	times *big.Rat
}

// String returns the symbol as scripts write it.
func (s symbol) String() string {
	if s.times.IsInt() && s.times.Num().IsInt64() && s.times.Num().Int64() == 1 {
		return s.name
	}
	return s.times.RatString() + "*" + s.name
}

// innerOf returns the Go value of an object. A class cannot refer to itself in its own definition.
func innerOf[T any](v starlark.Value) (x T, ok bool) {
	if k, isObject := v.(*script.Object); isObject {
		x, ok = k.Inner().(T)
	}
	return x, ok
}

var symbolClass = &script.Class[symbol]{
	Name: "symbol", Wanted: `a symbol such as symbol("eps"), or a rational multiple of one`,
	Help:  "A privacy parameter without a value, or a rational multiple of it: program(…) with noise at such rates is decided for every value of it. exp(eps) is a power of e that adds, multiplies and divides with rational numbers.",
	Setup: "eps = symbol(\"eps\")\n", Example: "eps = symbol(\"eps\")\nprint(eps, 2*eps, eps/3 + eps)",
	Show: symbol.String,
	Attrs: []script.Attr[symbol]{
		script.Get("name -> string", "Its name.", "", func(s symbol) any { return s.name }),
	},
	Algebra: &script.Algebra[symbol]{
		Unary: func(op syntax.Token, s symbol) (symbol, bool) {
			return symbol{s.name, new(big.Rat).Neg(s.times)}, op == syntax.MINUS
		},
		Binary: func(op syntax.Token, s symbol, y starlark.Value, right bool) (symbol, bool, error) {
			if o, ok := innerOf[symbol](y); ok && (op == syntax.PLUS || op == syntax.MINUS) {
				if o.name != s.name {
					return symbol{}, true, fmt.Errorf("%s and %s are two symbols, want only one in an expression", s.name, o.name)
				}
				if op == syntax.MINUS {
					o.times = new(big.Rat).Neg(o.times)
				}
				return symbol{s.name, new(big.Rat).Add(s.times, o.times)}, true, nil
			}
			q, ok := script.ToRational(y)
			_, isNumber := script.NearestFloat(y)
			switch {
			case !ok && isNumber:
				return symbol{}, true, fmt.Errorf("%v and %v are combined, want rational multiples of one symbol", s, y)
			case !ok:
			case op == syntax.STAR:
				return symbol{s.name, new(big.Rat).Mul(s.times, q)}, true, nil
			case op == syntax.SLASH && !right && q.Sign() != 0:
				return symbol{s.name, new(big.Rat).Quo(s.times, q)}, true, nil
			}
			return symbol{}, false, nil
		},
	},
}

// power is a quotient of sums of powers of e^{−ε}, where ε is a symbol.
type power struct{ num, den mechanism.ExpSum }

func rationalPower(q *big.Rat) power {
	return power{mechanism.ExpTerm(q, new(big.Rat)), mechanism.ExpTerm(big.NewRat(1, 1), new(big.Rat))}
}

func (p power) probability() program.Probability { return program.SymbolProbability(p.num, p.den) }

var powerClass = &script.Class[power]{
	Name: "power", Wanted: "a quotient of sums of powers such as 1/(1 + exp(eps))",
	Help:  "A quotient of sums of powers of e^{−ε} for a symbol ε, written with z for e^{−ε}. noise.flip and the weights of noise.choice accept it.",
	Setup: "p = 1/(1 + exp(symbol(\"eps\")))\n", Example: "eps = symbol(\"eps\")\nprint(1/(1 + exp(eps)), exp(-2*eps) + 1)",
	Show: func(p power) string { return p.probability().String() },
	Algebra: &script.Algebra[power]{
		Unary: func(op syntax.Token, p power) (power, bool) { return power{p.num.Neg(), p.den}, op == syntax.MINUS },
		Binary: func(op syntax.Token, p power, y starlark.Value, right bool) (power, bool, error) {
			o, ok := innerOf[power](y)
			if !ok {
				q, rational := script.ToRational(y)
				if !rational {
					return power{}, false, nil
				}
				o = rationalPower(q)
			}
			if right {
				p, o = o, p
			}
			switch op {
			case syntax.PLUS:
				return power{p.num.Mul(o.den).Add(o.num.Mul(p.den)), p.den.Mul(o.den)}, true, nil
			case syntax.MINUS:
				return power{p.num.Mul(o.den).Sub(o.num.Mul(p.den)), p.den.Mul(o.den)}, true, nil
			case syntax.STAR:
				return power{p.num.Mul(o.num), p.den.Mul(o.den)}, true, nil
			case syntax.SLASH:
				if o.num.String() == "0" {
					return power{}, true, fmt.Errorf("division of %v by 0", p.probability())
				}
				return power{p.num.Mul(o.den), p.den.Mul(o.num)}, true, nil
			}
			return power{}, false, nil
		},
	},
}

// exponentKind is the kind of exp's argument.
var exponentKind = script.KindOf("exponent", func(c *script.Call, name string, v starlark.Value) any {
	if s, ok := script.Unwrap(v, symbolClass); ok {
		return s
	}
	if e, ok := v.(*script.Evidence); ok {
		return e
	}
	f, ok := script.NearestFloat(v)
	if !ok || math.IsNaN(f) {
		c.Fail(name, v, "a number, or a multiple of a symbol")
	}
	return f
})

func exponential(c *script.Call) (any, error) {
	switch x := c.Arg("x").(type) {
	case *script.Evidence:
		return script.Elementary("exp", x, nil)
	case symbol: // e^{times·ε} is the power −times of e^{−ε}
		return power{mechanism.ExpTerm(big.NewRat(1, 1), new(big.Rat).Neg(x.times)), mechanism.ExpTerm(big.NewRat(1, 1), new(big.Rat))}, nil
	}
	return math.Exp(c.Arg("x").(float64)), nil
}
