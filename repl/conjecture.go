package repl

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"dpworkbench/claims"

	"go.starlark.net/starlark"
)

// conjectureBuiltins check statements that a script makes.
func conjectureBuiltins() []builtin {
	return []builtin{{
		name: "conjecture", params: "statement, holds, instances=None, draw=None, simpler=None",
		help: "A statement of one's own as a claim. holds(x) says whether it holds at the instance x, True or False. instances is a list, small instances first; " +
			"draw(seed) makes a random instance of a whole number; one of them is needed. simpler(x) lists instances simpler than x, simplest first: a counterexample is replaced by one of them " +
			"while the statement fails there too. Compare ends of evidence that decide: e.lo > bound refutes, e.hi <= bound holds.",
		example: `def holds(x):
    b = xor_allocation(x[0], 1, 1, x[1], 1)
    return b.smallest_epsilon().lo <= b.claimed_epsilon().value
c = conjecture("Algorithm 1 keeps its budget", holds, instances=[(n, a) for n in [1, 2, 3] for a in [1, 0.75, 0.5, 0.25]])
print(c.check())`,
		run: func(c *call) (starlark.Value, error) {
			k := &conjecture{statement: c.string("statement"), holds: c.function("holds"), draw: c.function("draw"), simpler: c.function("simpler")}
			if k.holds == nil {
				c.fail("holds", starlark.None, "a function")
			}
			if c.given("instances") {
				k.instances = c.list("instances")
			}
			if len(k.instances) == 0 && k.draw == nil {
				c.stop("instances and draw are both empty: want a list of instances or a function that draws them")
			}
			return conjectureClass.of(c, k), nil
		},
	}}
}

// conjecture is a statement that a script makes.
type conjecture struct {
	statement            string
	holds, draw, simpler starlark.Callable // draw and simpler may be nil
	instances            []starlark.Value
}

const conjectureSetup = "c = conjecture(\"squares are small\", lambda n: n * n < 50, instances=range(20))\n"

var conjectureClass = &class[*conjecture]{
	name: "conjecture", help: "A statement that a script makes, as a runnable check.", example: conjectureSetup + "print(c)",
	show: func(k *conjecture) string { return fmt.Sprintf("conjecture: %s", k.statement) },
	attrs: []attr[*conjecture]{{
		name: "statement", help: "What it says.", example: conjectureSetup + "print(c.statement)",
		get: func(c *call, k *conjecture) (starlark.Value, error) { return starlark.String(k.statement), nil },
	}, {
		name: "check", params: "budget=10, seed=0",
		help:    "Visits the instances, then 20 random ones for each unit of budget where there is a way to draw them, and stops at the first counterexample. The random instances follow from the seed.",
		example: conjectureSetup + "v = c.check()\nprint(v.verdict, v.witness)",
		run: func(c *call, k *conjecture) (starlark.Value, error) {
			out, err := k.on(c).Check(c.ctx, claims.Run{Budget: claimBudget(c), Seed: c.seed("seed")})
			if err != nil {
				return nil, err
			}
			return verdictClass.of(c, &out), nil
		},
	}},
}

// claimBudget reads a check's parameter budget.
func claimBudget(c *call) int {
	return int(c.floatIn("budget", 0, 1e6) * claims.DefaultBudget / 10)
}

// on returns the conjecture with its functions called in the thread of c, which
// an error of theirs ends.
func (k *conjecture) on(c *call) claims.Conjecture[starlark.Value] {
	ask := func(f starlark.Callable, x starlark.Value) starlark.Value {
		v, err := starlark.Call(c.thread, f, starlark.Tuple{x}, nil)
		if err != nil {
			panic(badArgument{err})
		}
		return v
	}
	out := claims.Conjecture[starlark.Value]{
		Family: fmt.Sprintf("%d given instances", len(k.instances)),
		Holds: func(x starlark.Value) (bool, error) {
			v := ask(k.holds, x)
			truth, ok := v.(starlark.Bool)
			if !ok {
				return false, fmt.Errorf("holds(%s) = %s, want True or False", brief(x), brief(v))
			}
			return bool(truth), nil
		},
		Witness: func(x starlark.Value) *claims.Witness {
			name := k.holds.Name()
			if name == "lambda" {
				name = "holds"
			}
			text, err := quotedOf(x, nil)
			if err != nil {
				text = brief(x)
			}
			return &claims.Witness{
				Fields: []claims.Field{{Name: "instance", Value: text}},
				Script: fmt.Sprintf("print(%s, %s(%s))", text, name, text),
			}
		},
	}
	if len(k.instances) > 0 {
		out.Each = starlark.Tuple(k.instances).Elements()
	}
	if k.draw != nil {
		out.Draw = func(rng *rand.Rand) starlark.Value {
			return ask(k.draw, starlark.MakeInt64(rng.Int64N(math.MaxInt64)))
		}
	}
	if k.simpler != nil {
		out.Simpler = func(x starlark.Value) iter.Seq[starlark.Value] {
			list := ask(k.simpler, x)
			xs, ok := elements(list)
			if !ok {
				c.stop("simpler(%s) = %s, want a list of instances", brief(x), brief(list))
			}
			return starlark.Tuple(xs).Elements()
		}
	}
	return out
}
