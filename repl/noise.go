package repl

import (
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/program"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// tossing is the source that a program draws from.
type tossing struct {
	*program.Noise
	read map[starlark.Value]program.Probability // a cache of parsed probabilities, since the same ones recur
}

// tossed returns the result of a draw, or the error if the run has failed.
func tossed[T any](n tossing, v T) (any, error) { return v, n.Err() }

const sourceSetup = "def run(x, noise):\n    return noise.flip(\"1/3\")\nm = program([0, 1], run)\n"

var sourceClass = &script.Class[tossing]{
	Name: "noise_source", Once: "it is part of a run of the program", Wanted: "the noise that program hands to its run",
	Help:    "The source of a program's random choices: program(data, run) calls run(x, noise) repeatedly, until every path through its choices and comparisons was taken.",
	Example: sourceSetup + "print(m.law(0))",
	Attrs: []script.Attr[tossing]{
		script.Do("flip(p: probability) -> bool", `True with probability p: a number, a fraction such as "1/3", or a power such as 1/(1 + exp(eps)). A float means its shortest decimal.`, "program([0, 1], lambda x, noise: noise.flip(\"1/3\")).law(0)",
			func(c *script.Call, n tossing) (any, error) {
				return tossed(n, n.Flip(c.Arg("p").(program.Probability)))
			}),
		script.Do("choice(values: list, weights: list=None) -> value", "One of values, with a probability proportional to its weight; None means equal weights.", "program([0, 1], lambda x, noise: noise.choice([\"a\", \"b\"], [1, 2])).law(0)", choose),
		script.Do("integer(n: int) -> int", "A uniform integer from 0 to n−1.", "program([0, 1], lambda x, noise: noise.integer(3)).law(0)",
			func(c *script.Call, n tossing) (any, error) { return tossed(n, n.Integer(c.Int("n"))) }),
		script.Do("geometric(eps: rate, sensitivity: rational=1) -> draw", "Discrete Laplace noise: an integer k with probability proportional to e^{−eps·|k|/sensitivity}. It is symbolic: comparing it, or a sum or difference of two such draws, splits the run.", "program([0, 1], lambda x, noise: x + noise.geometric(ln(2)) > 0).law(0)",
			func(c *script.Call, n tossing) (any, error) {
				return tossed(n, n.Geometric(c.Arg("eps").(program.Rate), c.Rational("sensitivity")))
			}),
		script.Do("one_sided(eps: rate) -> draw", "An integer k ≥ 0 with probability (1 − z) z^k, z = e^{−eps}. It is symbolic, like a draw of geometric.", "program([0, 1], lambda x, noise: noise.one_sided(ln(2)) == 1).law(0)",
			func(c *script.Call, n tossing) (any, error) {
				return tossed(n, n.OneSided(c.Arg("eps").(program.Rate)))
			}),
		script.Do("exponential(scores: rationals, eps: rate) -> int", "An index i with probability proportional to e^{eps·scores[i]/2}: the exponential mechanism (McSherry and Talwar 2007) for scores of sensitivity 1.", "program([0, 1], lambda x, noise: noise.exponential([x, 2], ln(4))).law(0)",
			func(c *script.Call, n tossing) (any, error) {
				return tossed(n, n.Exponential(c.Rationals("scores"), c.Arg("eps").(program.Rate)))
			}),
		script.Do("permute_and_flip(scores: rationals, eps: rate) -> int", "An index by permute-and-flip (McKenna and Sheldon 2020) for scores of sensitivity 1: in random order, i is taken with probability e^{eps·(scores[i] − max)/2}.", "program([0, 1], lambda x, n: n.permute_and_flip([x, 2], ln(4))).law(0)",
			func(c *script.Call, n tossing) (any, error) {
				return tossed(n, n.PermuteAndFlip(c.Rationals("scores"), c.Arg("eps").(program.Rate)))
			}),
	},
}

func choose(c *script.Call, n tossing) (any, error) {
	values := c.List("values")
	if len(values) == 0 {
		c.Fail("values", c.Value("values"), "at least one value")
	}
	weights := lists.Of(len(values), func(int) program.Probability { return program.RationalProbability(big.NewRat(1, 1)) })
	if c.Given("weights") {
		given := c.List("weights")
		if len(given) != len(values) {
			c.Stop("weights has %d entries, want %d, one per value", len(given), len(values))
		}
		for i, w := range given {
			weights[i] = readProbability(c, fmt.Sprintf("weights[%d]", i), w)
		}
	}
	return tossed(n, values[n.Choice(weights)])
}

// rateKind is a privacy parameter of noise: a number, or a multiple of a symbol.
var rateKind = script.KindOf("rate", func(c *script.Call, name string, v starlark.Value) program.Rate {
	if s, ok := script.Unwrap(v, symbolClass); ok {
		return must(program.Symbol(s.times))
	}
	eps := c.EpsilonOrZeroOf(name, v)
	if eps.IsZero() {
		c.Fail(name, v, "a positive finite number, ln(…) or a multiple of a symbol")
	}
	return program.Known(eps)
})

var probabilityKind = script.KindOf("probability", readProbability)

func readProbability(c *script.Call, name string, v starlark.Value) program.Probability {
	if p, ok := script.Unwrap(v, powerClass); ok {
		return p.probability()
	}
	switch v.(type) {
	case starlark.Float, starlark.String:
		if n, ok := innerOf[tossing](c.Self()); ok {
			p, known := n.read[v]
			if !known {
				p = program.RationalProbability(c.RationalOf(name, v))
				n.read[v] = p
			}
			return p
		}
	}
	return program.RationalProbability(c.RationalOf(name, v))
}

var drawClass = &script.Class[program.SymbolicDraw]{
	Name: "draw", Once: "it is part of a run of the program", Wanted: "a draw of noise",
	Help:    "A symbolic draw of geometric noise in a program, or a sum or difference of such draws and numbers. A comparison splits the run into its possible outcomes. Integer multiples are allowed, products of two draws are not. It has no truth value and cannot be a key of a dict.",
	Example: "def run(x, noise):\n    v = x + noise.geometric(ln(2))\n    return \"low\" if v < 1 else \"high\"\nprint(program([0, 1], run).law(0))",
	Show:    program.SymbolicDraw.String,
	Algebra: &script.Algebra[program.SymbolicDraw]{
		Unary: func(op syntax.Token, u program.SymbolicDraw) (program.SymbolicDraw, bool) {
			if op == syntax.PLUS {
				return u, true
			}
			return u.Neg(), op == syntax.MINUS
		},
		Binary:  drawBinary,
		Compare: drawCompare,
		Truth: func(u program.SymbolicDraw) {
			u.Fail("%v is used as a condition, want a comparison such as %[1]v > 0", u)
		},
	},
}

// operand reads y, the second operand of an operator on draws.
func operand(y starlark.Value) (program.SymbolicDraw, bool) {
	if u, ok := innerOf[program.SymbolicDraw](y); ok {
		return u, true
	}
	if _, text := y.(starlark.String); text {
		return program.SymbolicDraw{}, false
	}
	q, ok := script.ToRational(y)
	if !ok {
		return program.SymbolicDraw{}, false
	}
	return program.Constant(q), true
}

func drawBinary(op syntax.Token, u program.SymbolicDraw, y starlark.Value, right bool) (program.SymbolicDraw, bool, error) {
	v, ok := operand(y)
	if !ok {
		return u, false, nil
	}
	switch op {
	case syntax.PLUS:
		return u.Add(v), true, nil
	case syntax.MINUS:
		if right {
			return v.Sub(u), true, nil
		}
		return u.Sub(v), true, nil
	case syntax.STAR:
		q, ok := v.Constant()
		if !ok {
			return u, true, fmt.Errorf("%v * %v is a product of two draws, want a whole multiple of one draw", u, v)
		}
		if !q.IsInt() || !q.Num().IsInt64() || q.Num().Int64() > 1<<20 || q.Num().Int64() < -1<<20 {
			return u, true, fmt.Errorf("%v * %v, want a whole multiple of a draw, with a factor of at most 2^20 in absolute value", u, q.RatString())
		}
		return u.Times(int(q.Num().Int64())), true, nil
	}
	return u, false, nil
}

func drawCompare(op syntax.Token, u program.SymbolicDraw, y starlark.Value, right bool) (is, ok bool, err error) {
	v, ok := operand(y)
	if !ok {
		if op == syntax.EQL || op == syntax.NEQ {
			return op == syntax.NEQ, true, nil // a draw is a number and so differs from any other kind of value
		}
		return false, false, nil
	}
	if right {
		u, v = v, u
	}
	n := u.Run(v)
	switch op {
	case syntax.LT:
		is = n.Less(u, v)
	case syntax.GT:
		is = n.Less(v, u)
	case syntax.LE:
		is = !n.Less(v, u)
	case syntax.GE:
		is = !n.Less(u, v)
	case syntax.EQL:
		is = n.Equal(u, v)
	case syntax.NEQ:
		is = !n.Equal(u, v)
	}
	return is, true, n.Err()
}

// outputOf reads the result of a run: any hashable value, which may contain draws.
func outputOf(v starlark.Value) (program.Output, error) {
	var o program.Output
	var shape, plain strings.Builder
	var visit func(v starlark.Value, depth int) error
	visit = func(v starlark.Value, depth int) error {
		if t, ok := v.(starlark.Tuple); ok {
			if depth > 100 {
				return fmt.Errorf("an output is nested more than 100 deep")
			}
			shape.WriteByte('(')
			plain.WriteByte('(')
			for i, e := range t {
				if i > 0 {
					plain.WriteString(", ")
				}
				if err := visit(e, depth+1); err != nil {
					return err
				}
				shape.WriteByte(',')
			}
			if len(t) == 1 {
				plain.WriteByte(',')
			}
			shape.WriteByte(')')
			plain.WriteByte(')')
			return nil
		}
		if u, ok := operand(v); ok {
			shape.WriteByte('#')
			plain.WriteByte(0)
			o.Numbers = append(o.Numbers, u)
			return nil
		}
		if _, noise := innerOf[tossing](v); noise {
			return fmt.Errorf("an output contains the noise source itself, want values drawn from it")
		}
		if _, err := v.Hash(); err != nil {
			return fmt.Errorf("an output contains %s: %w, want numbers, strings, True, False, None and tuples of them", script.Brief(v), err)
		}
		shape.WriteString(v.Type())
		shape.WriteString(v.String())
		if s, ok := v.(starlark.String); ok && depth == 0 {
			plain.WriteString(string(s))
		} else {
			plain.WriteString(v.String())
		}
		return nil
	}
	if err := visit(v, 0); err != nil {
		return o, err
	}
	o.Shape = shape.String()
	words := strings.Split(plain.String(), "\x00")
	o.Show = func(numbers []string) string {
		var b strings.Builder
		for i, w := range words {
			b.WriteString(w)
			if i < len(numbers) {
				b.WriteString(numbers[i])
			}
		}
		return b.String()
	}
	return o, nil
}
