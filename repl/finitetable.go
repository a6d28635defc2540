package repl

import (
	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/script"
)

// finiteBuiltins write a mechanism down by its probabilities.
func finiteBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "finite_mechanism", Params: "q, table, eps=None",
		Help:    `A mechanism of your own on a finite query, by its probabilities: table[x][r] is the probability of q.range[r] at dataset x, a number or a string such as "1/3". A float means its shortest decimal. Answers are exact: what a row's sum leaves of 1, at most 1e-9, is divided out. eps is the guarantee that it claims, in nats; None claims its smallest ε. Errors: a row per dataset or a column per value too few or too many, a negative entry, a row's sum farther from 1.`,
		Example: "q = finite_query([0, 1], edges=[(0, 1)])\nm = finite_mechanism(q, [[\"2/3\", \"1/3\"], [0.25, 0.75]])\nprint(m.smallest_epsilon, m.distortion(0), discretize(m, 1).layers(1))",
		Run: func(c *script.Call) (any, error) {
			q := script.Argument(c, "q", queryClass)
			var claim evidence.Number
			if c.Given("eps") {
				claim = mechanism.Claim(c.Epsilon("eps"), "given")
			}
			return asMechanism(c)(mechanism.NewFinite(c.Context, q, c.RationalRows("table"), claim))
		},
	}}
}
