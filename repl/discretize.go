package repl

import (
	"fmt"
	"maps"
	"slices"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"

	"go.starlark.net/starlark"
)

const discretizeSetup = "q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])\nd = discretize(exponential(q, ln(4)))\n"

// discretizeBuiltins turn any mechanism into layers.
func discretizeBuiltins() []builtin {
	return []builtin{{
		name: "discretize", params: "m, eps=None",
		help:    "The discretized mechanism of m (Wu et al., Definition 13): value r belongs to layer i of x where e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε}, M the largest probability over all datasets. eps = None is what m claims. Boundaries are decided exactly or by enclosure; one that cannot be is an error, never rounded. Theorem 1 claims 2ε for it. m may be a Staircase, Laplace or geometric mechanism of a linear_query too, at its own ε.",
		example: discretizeSetup + "print(d.layers(0), d.is_basic, d.extras)\nprint(d.theorem1())",
		run: func(c *call) (starlark.Value, error) {
			if m, ok := unwrap(c.value("m"), lineMechanismClass); ok {
				if c.given("eps") {
					c.fail("eps", c.value("eps"), "None for a mechanism of a linear_query: its own ε")
				}
				return asLine[*discretize.Line](c, m.query)(discretize.NewLine(m.query.Linear, m.LineMechanism))
			}
			m := argument(c, "m", mechanismClass)
			eps, err := evidence.Epsilon{}, error(nil)
			if c.given("eps") {
				eps = c.epsilon("eps")
			} else if eps, err = discretize.Guarantee(m); err != nil {
				return nil, err
			}
			d, err := discretize.New(c.ctx, m, eps)
			if err != nil {
				return nil, err
			}
			return mechanismClass.of(c, mechanism.Mechanism(d)), nil
		},
	}}
}

func discretized(m mechanism.Mechanism) *discretize.Discretization {
	d, _ := m.(*discretize.Discretization)
	return d
}

func isDiscretized(m mechanism.Mechanism) bool { return discretized(m) != nil }

func init() { mechanismClass.attrs = append(mechanismClass.attrs, discretizedAttrs...) }

// discretizedAttrs are what discretize adds to a layered mechanism.
var discretizedAttrs = []attr[mechanism.Mechanism]{{
	name: "source", only: isDiscretized, help: "The mechanism that was discretized.", example: discretizeSetup + "print(d.source)",
	get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		return mechanismClass.of(c, discretized(m).Source()), nil
	},
}, {
	name: "boundaries", only: isDiscretized, help: "How many probabilities lay too close to a boundary for floats and were decided exactly or by enclosure.", example: discretizeSetup + "print(d.boundaries)",
	get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		return starlark.MakeInt(discretized(m).Boundaries()), nil
	},
}, {
	name: "is_basic", only: isDiscretized, help: "Whether it is basic (Wu et al., Definition 15): no R̃_i but R_0 holds a value.", example: discretizeSetup + "print(d.is_basic)",
	get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		ok, err := discretized(m).IsBasic(c.ctx)
		return starlark.Bool(ok), err
	},
}, {
	name: "extras", only: isDiscretized, help: "The values of R̃_I (Wu et al., (33)): a list of (dataset, value, layer), empty for a basic mechanism.", example: discretizeSetup + "print(d.extras)",
	get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		extras, err := discretized(m).Extras(c.ctx)
		return extraList(m, extras), err
	},
}, {
	name: "initial_values", params: "x", only: isDiscretized, help: "The initial values {R_0, R̃_I} of dataset x (Wu et al., (33)): a dict from layer to list of values, R_0 under 0.", example: discretizeSetup + "print(d.initial_values(0))",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		x := c.index("x", m.Query().Size())
		sets, err := discretized(m).Initial(c.ctx)
		if err != nil {
			return nil, err
		}
		out := starlark.NewDict(len(sets.At[x]))
		for _, i := range slices.Sorted(maps.Keys(sets.At[x])) {
			values := sets.At[x][i]
			if len(values) == 0 && i > 0 {
				continue
			}
			if err := out.SetKey(starlark.MakeInt(i), listOf(values, func(r int) starlark.Value { return scriptValue(m.Query().Range()[r]) })); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
}, {
	name: "reconstruct", params: `rule="printed"`, only: isDiscretized, help: `Whether the initial values give the layers back by rule "printed", (34) as it stands (Wu et al., Theorem 3), or "closure": a list of (dataset, value, rebuilt layer) where they do not, empty where they do. They do wherever every pair of datasets at distance ≤ k+1 has a third within 1 of the one and k of the other.`, example: discretizeSetup + `print(d.reconstruct(), d.reconstruct(rule="closure"))`,
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		r, err := discretized(m).Reconstruct(c.ctx, layers.Rule(c.choice("rule", "printed", "closure")))
		return extraList(m, r.Differ), err
	},
}, {
	name: "theorem1", params: "", only: isDiscretized, help: "The evidence on this mechanism of what Theorem 1 states (Wu et al.).", example: discretizeSetup + "print(d.theorem1())",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		t, err := discretized(m).Theorem1(c.ctx)
		if err != nil {
			return nil, err
		}
		return theorem1Class.of(c, &t), nil
	},
}}

func extraList(m mechanism.Mechanism, extras []discretize.Extra) starlark.Value {
	return listOf(extras, func(e discretize.Extra) starlark.Value {
		layer := starlark.Value(starlark.MakeInt(e.Layer))
		if e.Layer < 0 {
			layer = starlark.None
		}
		return starlark.Tuple{starlark.MakeInt(e.Dataset), scriptValue(m.Query().Range()[e.Value]), layer}
	})
}

const theorem1Setup = discretizeSetup + "t = d.theorem1()\n"

var theorem1Class = &class[*discretize.Theorem1]{
	name: "theorem1", help: "What Theorem 1 (Wu et al.) states of one discretized mechanism q and its source p: if p is ε-DP then q is 2ε-DP, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.", example: theorem1Setup + "print(t)",
	show: func(t *discretize.Theorem1) string {
		return fmt.Sprintf("<Theorem 1 at ε = %v: p is ε-DP %s, q is 2ε-DP %s, utility %s; smallest ε %s of p, %s of q; E_p = %s, E_q = %s at dataset %d>",
			t.Epsilon, t.Hypothesis, t.Privacy, t.Utility, evidence.FormatFloat(t.Source.Float(), 6), evidence.FormatFloat(t.Discretized.Float(), 6),
			evidence.FormatFloat(t.Before.Float(), 6), evidence.FormatFloat(t.After.Float(), 6), t.Dataset)
	},
	attrs: []attr[*discretize.Theorem1]{{
		name: "epsilon", help: "ε, at which p was discretized.", example: theorem1Setup + "print(t.epsilon)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return knownEpsilon(t.Epsilon), nil },
	}, {
		name: "hypothesis", help: `Whether p is ε-DP: "confirmed", "refuted" or "undecided".`, example: theorem1Setup + "print(t.hypothesis)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) {
			return starlark.String(t.Hypothesis), nil
		},
	}, {
		name: "privacy", help: `Whether q is 2ε-DP: "confirmed", "refuted" or "undecided".`, example: theorem1Setup + "print(t.privacy)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return starlark.String(t.Privacy), nil },
	}, {
		name: "utility", help: `Whether both inequalities hold at every dataset: "confirmed", "refuted" or "undecided".`, example: theorem1Setup + "print(t.utility)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return starlark.String(t.Utility), nil },
	}, {
		name: "source_epsilon", help: "The smallest ε of p.", example: theorem1Setup + "print(t.source_epsilon)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return known(t.Source), nil },
	}, {
		name: "smallest_epsilon", help: "The smallest ε of q.", example: theorem1Setup + "print(t.smallest_epsilon)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return known(t.Discretized), nil },
	}, {
		name: "dataset", help: "A dataset at which E_p/E_q is farthest from 1.", example: theorem1Setup + "print(t.dataset)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return starlark.MakeInt(t.Dataset), nil },
	}, {
		name: "before", help: "E_p at that dataset.", example: theorem1Setup + "print(t.before)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return known(t.Before), nil },
	}, {
		name: "after", help: "E_q at that dataset.", example: theorem1Setup + "print(t.after)",
		get: func(c *call, t *discretize.Theorem1) (starlark.Value, error) { return known(t.After), nil },
	}},
}
