package repl

import (
	"dpworkbench/audit/zoo"
	"dpworkbench/script"
)

// zooBuiltins returns mechanisms to try an audit on.
func zooBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("audit_zoo() -> dict",
			"Twenty mechanisms to try an audit on, by name: ten with proven privacy, and for each a variant with a published error. A million draws in all suffice for audit to refute each wrong one at confidence 0.999.",
			`for m in list(audit_zoo().values())[:4]:
    print(m.name, audit(m.samples(seed=1), m.neighbors, m.claimed_epsilon, m.claimed_delta).verdict)`,
			func(c *script.Call) (any, error) {
				var all script.Record
				for _, m := range zoo.All() {
					all = append(all, m.Name, zooClass.Of(c, m))
				}
				return all, nil
			}),
	}
}

var zooClass = &script.Class[*zoo.Mechanism]{
	Name: "zoo_mechanism", Help: "A mechanism to try an audit on, with the privacy that it claims for two inputs.", Setup: "m = audit_zoo()[\"max_value\"]\n",
	Show: func(m *zoo.Mechanism) string { return m.Name },
	Attrs: []script.Attr[*zoo.Mechanism]{
		script.Get("name -> string", "Its name.", "", func(m *zoo.Mechanism) any { return m.Name }),
		script.Get("right -> bool", "Whether the claim is true.", "", func(m *zoo.Mechanism) any { return m.Right }),
		script.Get("what -> string",
			"Its description; for a wrong one, the error.", "",
			func(m *zoo.Mechanism) any { return m.What }),
		script.Get("source -> string",
			"The publication of the error, or of the mechanism if it is right.", "",
			func(m *zoo.Mechanism) any { return m.Source }),
		script.Get("claimed_epsilon -> evidence",
			"The ε that it claims, in nats.", "",
			func(m *zoo.Mechanism) any { return m.Claim.Evidence() }),
		script.Get("claimed_delta -> number",
			"The δ that it claims, a float.", "",
			func(m *zoo.Mechanism) any { return m.Claim.Delta.Value() }),
		script.Get("neighbors -> list", "The pair of inputs, in the form of audit.", "", func(m *zoo.Mechanism) any {
			return []any{script.Tuple{m.Pair[0], m.Pair[1]}}
		}),
		script.Get("draws -> int",
			"The number of draws of each input with which audit finds its error, if it is wrong.", "",
			func(m *zoo.Mechanism) any { return m.Draws }),
		script.Do("samples(n: int[1..16777216]=None, seed: seed=0) -> dict",
			"Outputs at each input, in the form of audit: a dict from input to a list of n independent draws, as texts. The default of n is draws.", "(n=6)",
			func(c *script.Call, m *zoo.Mechanism) (any, error) {
				n := m.Draws
				if c.Given("n") {
					n = c.Int("n")
				}
				drawn, err := m.Samples(c.Context, n, c.Source("seed"))
				return script.Record{m.Pair[0], drawn[0], m.Pair[1], drawn[1]}, err
			}),
	},
}
