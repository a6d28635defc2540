package repl

import (
	"fmt"
	"maps"
	"slices"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const discretizeSetup = "q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])\nd = discretize(exponential(q, ln(4)))\n"

// discretizeBuiltins turn any mechanism into layers.
func discretizeBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "discretize", Params: "m, eps=None",
		Help:    "The discretized mechanism of m (Wu et al., Definition 13): value r belongs to layer i of x where e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε}, M the largest probability over all datasets. eps = None is what m claims. Boundaries are decided exactly or by enclosure; one that cannot be is an error, never rounded. Theorem 1 claims 2ε for it. m may be a Staircase, Laplace or geometric mechanism of a linear_query too, at its own ε.",
		Example: discretizeSetup + "print(d.layers(0), d.is_basic, d.extras)\nprint(d.theorem1())",
		Run: func(c *script.Call) (any, error) {
			if m, ok := script.Unwrap(c.Value("m"), lineMechanismClass); ok {
				if c.Given("eps") {
					c.Fail("eps", c.Value("eps"), "None for a mechanism of a linear_query: its own ε")
				}
				return asLine[*discretize.Line](c, m.query)(discretize.NewLine(m.query.Linear, m.LineMechanism))
			}
			m := script.Argument(c, "m", mechanismClass)
			eps, err := evidence.Epsilon{}, error(nil)
			if c.Given("eps") {
				eps = c.Epsilon("eps")
			} else if eps, err = discretize.Guarantee(m); err != nil {
				return nil, err
			}
			d, err := discretize.New(c.Context, m, eps)
			if err != nil {
				return nil, err
			}
			return mechanismClass.Of(c, mechanism.Mechanism(d)), nil
		},
	}}
}

func discretized(m mechanism.Mechanism) *discretize.Discretization {
	d, _ := m.(*discretize.Discretization)
	return d
}

func isDiscretized(m mechanism.Mechanism) bool { return discretized(m) != nil }

func init() { mechanismClass.Attrs = append(mechanismClass.Attrs, discretizedAttrs...) }

// discretizedAttrs are what discretize adds to a layered mechanism.
var discretizedAttrs = []script.Attr[mechanism.Mechanism]{{
	Name: "source", Only: isDiscretized, Help: "The mechanism that was discretized.", Example: discretizeSetup + "print(d.source)",
	Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		return mechanismClass.Of(c, discretized(m).Source()), nil
	},
}, {
	Name: "boundaries", Only: isDiscretized, Help: "How many probabilities lay too close to a boundary for floats and were decided exactly or by enclosure.", Example: discretizeSetup + "print(d.boundaries)",
	Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		return starlark.MakeInt(discretized(m).Boundaries()), nil
	},
}, {
	Name: "is_basic", Only: isDiscretized, Help: "Whether it is basic (Wu et al., Definition 15): no R̃_i but R_0 holds a value.", Example: discretizeSetup + "print(d.is_basic)",
	Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		ok, err := discretized(m).IsBasic(c.Context)
		return starlark.Bool(ok), err
	},
}, {
	Name: "extras", Only: isDiscretized, Help: "The values of R̃_I (Wu et al., (33)): a list of (dataset, value, layer), empty for a basic mechanism.", Example: discretizeSetup + "print(d.extras)",
	Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		extras, err := discretized(m).Extras(c.Context)
		return extraList(m, extras), err
	},
}, {
	Name: "initial_values", Params: "x", Only: isDiscretized, Help: "The initial values {R_0, R̃_I} of dataset x (Wu et al., (33)): a dict from layer to list of values, R_0 under 0.", Example: discretizeSetup + "print(d.initial_values(0))",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		x := c.Index("x", m.Query().Size())
		sets, err := discretized(m).Initial(c.Context)
		if err != nil {
			return nil, err
		}
		out := starlark.NewDict(len(sets.At[x]))
		for _, i := range slices.Sorted(maps.Keys(sets.At[x])) {
			values := sets.At[x][i]
			if len(values) == 0 && i > 0 {
				continue
			}
			if err := out.SetKey(starlark.MakeInt(i), script.List(values, func(r int) starlark.Value { return scriptValue(m.Query().Range()[r]) })); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
}, {
	Name: "reconstruct", Params: `rule="printed"`, Only: isDiscretized, Help: `Whether the initial values give the layers back by rule "printed", (34) as it stands (Wu et al., Theorem 3), or "closure": a list of (dataset, value, rebuilt layer) where they do not, empty where they do. They do wherever every pair of datasets at distance ≤ k+1 has a third within 1 of the one and k of the other.`, Example: discretizeSetup + `print(d.reconstruct(), d.reconstruct(rule="closure"))`,
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		r, err := discretized(m).Reconstruct(c.Context, layers.Rule(c.Choice("rule", "printed", "closure")))
		return extraList(m, r.Differ), err
	},
}, {
	Name: "theorem1", Params: "", Only: isDiscretized, Help: "The evidence on this mechanism of what Theorem 1 states (Wu et al.).", Example: discretizeSetup + "print(d.theorem1())",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		t, err := discretized(m).Theorem1(c.Context)
		if err != nil {
			return nil, err
		}
		return theorem1Class.Of(c, &t), nil
	},
}}

func extraList(m mechanism.Mechanism, extras []discretize.Extra) starlark.Value {
	return script.List(extras, func(e discretize.Extra) starlark.Value {
		layer := starlark.Value(starlark.MakeInt(e.Layer))
		if e.Layer < 0 {
			layer = starlark.None
		}
		return starlark.Tuple{starlark.MakeInt(e.Dataset), scriptValue(m.Query().Range()[e.Value]), layer}
	})
}

const theorem1Setup = discretizeSetup + "t = d.theorem1()\n"

var theorem1Class = &script.Class[*discretize.Theorem1]{
	Name: "theorem1", Help: "What Theorem 1 (Wu et al.) states of one discretized mechanism q and its source p: if p is ε-DP then q is 2ε-DP, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.", Example: theorem1Setup + "print(t)",
	Show: func(t *discretize.Theorem1) string {
		return fmt.Sprintf("<Theorem 1 at ε = %v: p is ε-DP %s, q is 2ε-DP %s, utility %s; smallest ε %s of p, %s of q; E_p = %s, E_q = %s at dataset %d>",
			t.Epsilon, t.Hypothesis, t.Privacy, t.Utility, evidence.FormatFloat(t.Source.Float(), 6), evidence.FormatFloat(t.Discretized.Float(), 6),
			evidence.FormatFloat(t.Before.Float(), 6), evidence.FormatFloat(t.After.Float(), 6), t.Dataset)
	},
	Attrs: []script.Attr[*discretize.Theorem1]{{
		Name: "epsilon", Help: "ε, at which p was discretized.", Example: theorem1Setup + "print(t.epsilon)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return script.KnownEpsilon(t.Epsilon), nil
		},
	}, {
		Name: "hypothesis", Help: `Whether p is ε-DP: "confirmed", "refuted" or "undecided".`, Example: theorem1Setup + "print(t.hypothesis)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return starlark.String(t.Hypothesis), nil
		},
	}, {
		Name: "privacy", Help: `Whether q is 2ε-DP: "confirmed", "refuted" or "undecided".`, Example: theorem1Setup + "print(t.privacy)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return starlark.String(t.Privacy), nil
		},
	}, {
		Name: "utility", Help: `Whether both inequalities hold at every dataset: "confirmed", "refuted" or "undecided".`, Example: theorem1Setup + "print(t.utility)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return starlark.String(t.Utility), nil
		},
	}, {
		Name: "source_epsilon", Help: "The smallest ε of p.", Example: theorem1Setup + "print(t.source_epsilon)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return script.Known(t.Source), nil
		},
	}, {
		Name: "smallest_epsilon", Help: "The smallest ε of q.", Example: theorem1Setup + "print(t.smallest_epsilon)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return script.Known(t.Discretized), nil
		},
	}, {
		Name: "dataset", Help: "A dataset at which E_p/E_q is farthest from 1.", Example: theorem1Setup + "print(t.dataset)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return starlark.MakeInt(t.Dataset), nil
		},
	}, {
		Name: "before", Help: "E_p at that dataset.", Example: theorem1Setup + "print(t.before)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return script.Known(t.Before), nil
		},
	}, {
		Name: "after", Help: "E_q at that dataset.", Example: theorem1Setup + "print(t.after)",
		Get: func(c *script.Call, t *discretize.Theorem1) (any, error) {
			return script.Known(t.After), nil
		},
	}},
}
