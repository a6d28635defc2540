package repl

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// conjectureBuiltins check statements that a script makes.
func conjectureBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "conjecture", Params: "statement, holds, instances=None, draw=None, simpler=None",
		Help: "A statement of one's own as a claim. holds(x) says whether it holds at the instance x, True or False. instances is a list, small instances first; " +
			"draw(seed) makes a random instance of a whole number; one of them is needed. simpler(x) lists instances simpler than x, simplest first: a counterexample is replaced by one of them " +
			"while the statement fails there too. Compare ends of evidence that decide: e.lo > bound refutes, e.hi <= bound holds.",
		Example: `def holds(x):
    b = xor_allocation(x[0], 1, 1, x[1], 1)
    return b.smallest_epsilon().lo <= b.claimed_epsilon().value
c = conjecture("Algorithm 1 keeps its budget", holds, instances=[(n, a) for n in [1, 2, 3] for a in [1, 0.75, 0.5, 0.25]])
print(c.check())`,
		Run: func(c *script.Call) (any, error) {
			k := &conjecture{statement: c.Text("statement"), holds: c.Function("holds"), draw: c.Function("draw"), simpler: c.Function("simpler")}
			if k.holds == nil {
				c.Fail("holds", starlark.None, "a function")
			}
			if c.Given("instances") {
				k.instances = c.List("instances")
			}
			if len(k.instances) == 0 && k.draw == nil {
				c.Stop("instances and draw are both empty: want a list of instances or a function that draws them")
			}
			return conjectureClass.Of(c, k), nil
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

var conjectureClass = &script.Class[*conjecture]{
	Name: "conjecture", Help: "A statement that a script makes, as a runnable check.", Example: conjectureSetup + "print(c)",
	Show: func(k *conjecture) string { return fmt.Sprintf("conjecture: %s", k.statement) },
	Attrs: []script.Attr[*conjecture]{{
		Name: "statement", Help: "What it says.", Example: conjectureSetup + "print(c.statement)",
		Get: func(c *script.Call, k *conjecture) (any, error) { return starlark.String(k.statement), nil },
	}, {
		Name: "check", Params: "budget=10, seed=0",
		Help:    "Visits the instances, then 20 random ones for each unit of budget where there is a way to draw them, and stops at the first counterexample. The random instances follow from the seed.",
		Example: conjectureSetup + "v = c.check()\nprint(v.verdict, v.witness)",
		Run: func(c *script.Call, k *conjecture) (any, error) {
			out, err := k.on(c).Check(c.Context, check.Run{Budget: claimBudget(c), Seed: c.Seed("seed")})
			if err != nil {
				return nil, err
			}
			return verdictClass.Of(c, &out), nil
		},
	}},
}

// claimBudget reads a check's parameter budget.
func claimBudget(c *script.Call) int {
	return int(c.FloatIn("budget", 0, 1e6) * check.DefaultBudget / 10)
}

// on returns the conjecture with its functions called in the thread of c, which
// an error of theirs ends.
func (k *conjecture) on(c *script.Call) check.Conjecture[starlark.Value] {
	ask := func(f starlark.Callable, x starlark.Value) starlark.Value {
		v, err := starlark.Call(c.Thread, f, starlark.Tuple{x}, nil)
		if err != nil {
			c.Refuse(err)
		}
		return v
	}
	out := check.Conjecture[starlark.Value]{
		Family: fmt.Sprintf("%d given instances", len(k.instances)),
		Holds: func(x starlark.Value) (bool, error) {
			v := ask(k.holds, x)
			truth, ok := v.(starlark.Bool)
			if !ok {
				return false, fmt.Errorf("holds(%s) = %s, want True or False", script.Brief(x), script.Brief(v))
			}
			return bool(truth), nil
		},
		Witness: func(x starlark.Value) *check.Witness {
			name := k.holds.Name()
			if name == "lambda" {
				name = "holds"
			}
			text, err := script.QuotedOf(x, nil)
			if err != nil {
				text = script.Brief(x)
			}
			return &check.Witness{
				Fields: []check.Field{{Name: "instance", Value: text}},
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
			xs, ok := script.Elements(list)
			if !ok {
				c.Stop("simpler(%s) = %s, want a list of instances", script.Brief(x), script.Brief(list))
			}
			return starlark.Tuple(xs).Elements()
		}
	}
	return out
}
