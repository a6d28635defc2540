package repl

import (
	"maps"
	"slices"

	"dpworkbench/discretize"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const (
	discretizeSetup = "q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])\nd = discretize(exponential(q, ln(4)))\n"
	theorem1Setup   = discretizeSetup + "t = d.theorem1()\n"
)

// discretizeBuiltins returns the built-in that turns any mechanism into a layered one.
func discretizeBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("discretize(m: line_mechanism|mechanism, eps: epsilon=None) -> mechanism|line_mechanism",
		"The discretized mechanism of m (Wu et al., Definition 13): value r belongs to layer i of x where e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε}, where M is the largest probability over all datasets. eps = None is the claim of m. Boundaries are decided exactly or by enclosure; an undecided one is an error. Theorem 1 claims 2ε for the result. m may also be a Staircase, Laplace or geometric mechanism of a linear_query, at its own ε.",
		discretizeSetup+"print(d.layers(0), d.is_basic, d.extras)\nprint(d.theorem1())",
		func(c *script.Call) (any, error) {
			if m, ok := c.Arg("m").(*onLine); ok {
				if c.Given("eps") {
					c.Fail("eps", c.Value("eps"), "None: a mechanism on a linear_query is discretized at its own ε")
				}
				return m.query.answered(discretize.NewLine(m.query.Linear, m.Mechanism))
			}
			m, eps := mechanismClass.Arg(c, "m"), c.Epsilon("eps")
			if !c.Given("eps") {
				eps = must(discretize.Guarantee(m))
			}
			return discretize.New(c.Context, m, eps)
		})}
}

// discretizedAttrs are the attributes of a discretized mechanism besides those of layered mechanisms.
var discretizedAttrs = []script.Attr[mechanism.Mechanism]{
	attrOf(as[*discretize.Discretization], "source -> mechanism", "The mechanism that was discretized.", discretizeSetup+"print(d.source)", func(_ *script.Call, d *discretize.Discretization) (any, error) { return d.Source(), nil }),
	attrOf(as[*discretize.Discretization], "boundaries -> int", "The number of probabilities too close to a boundary for floats, which were decided exactly or by enclosure.", discretizeSetup+"print(d.boundaries)", func(_ *script.Call, d *discretize.Discretization) (any, error) { return d.Boundaries(), nil }),
	attrOf(as[*discretize.Discretization], "is_basic -> bool", "Whether it is basic (Wu et al., Definition 15): every R̃_i except R_0 is empty.", discretizeSetup+"print(d.is_basic)", func(c *script.Call, d *discretize.Discretization) (any, error) { return d.IsBasic(c.Context) }),
	attrOf(as[*discretize.Discretization], "extras -> list", "The values of R̃_I (Wu et al., (33)): a list of (dataset, value, layer), empty for a basic mechanism.", discretizeSetup+"print(d.extras)", func(c *script.Call, d *discretize.Discretization) (any, error) {
		return extraList(d, must(d.Extras(c.Context))), nil
	}),
	attrOf(as[*discretize.Discretization], "initial_values(x: dataset) -> dict", "The initial values {R_0, R̃_I} of dataset x (Wu et al., (33)): a dict from layer to list of values, R_0 under 0.", discretizeSetup+"print(d.initial_values(0))", func(c *script.Call, d *discretize.Discretization) (any, error) {
		x := dataset(c, "x", d)
		sets := must(d.Initial(c.Context)).At[x]
		out := starlark.NewDict(len(sets))
		for _, i := range slices.Sorted(maps.Keys(sets)) {
			if len(sets[i]) > 0 || i == 0 {
				stop(out.SetKey(starlark.MakeInt(i), script.ToValue(valuesAt(d, sets[i]))))
			}
		}
		return out, nil
	}),
	attrOf(as[*discretize.Discretization], `reconstruct(rule: "printed"|"closure"="printed") -> list`, `Whether the initial values reproduce the layers by rule "printed", (34) as printed (Wu et al., Theorem 3), or "closure": a list of (dataset, value, rebuilt layer) for the differences. The list is empty if, for every k, two datasets at distance ≤ k+1 always have a third one within 1 of the first and within k of the second.`, discretizeSetup+`print(d.reconstruct(), d.reconstruct(rule="closure"))`, func(c *script.Call, d *discretize.Discretization) (any, error) {
		return extraList(d, must(d.Reconstruct(c.Context, layers.Rule(c.Text("rule")))).Differ), nil
	}),
	attrOf(as[*discretize.Discretization], "theorem1() -> theorem1", "The check of Theorem 1 (Wu et al.) for this mechanism.", discretizeSetup+"print(d.theorem1())", func(c *script.Call, d *discretize.Discretization) (any, error) { return d.Theorem1(c.Context) }),
}

func extraList(d *discretize.Discretization, extras []discretize.Extra) any {
	return script.Each(extras, func(e discretize.Extra) any {
		value := scriptValue(d.Query().Range()[e.Value])
		return script.Tuple{called(d.Query().Space(), e.Dataset), value, onlyIf(e.Layer >= 0, e.Layer)}
	})
}

var theorem1Class = &script.Class[discretize.Theorem1]{
	Name: "theorem1", Help: "The check of Theorem 1 (Wu et al.) for a discretized mechanism q and its source p: if p is ε-DP then q is 2ε-DP, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.", Setup: theorem1Setup,
	Show: discretize.Theorem1.String,
	Attrs: []script.Attr[discretize.Theorem1]{
		script.Get("epsilon -> value", "ε, at which p was discretized.", "", func(t discretize.Theorem1) any { return t.Epsilon }),
		script.Get("hypothesis -> string", `Whether p is ε-DP: "confirmed", "refuted" or "undecided".`, "", func(t discretize.Theorem1) any { return string(t.Hypothesis) }),
		script.Get("privacy -> string", `Whether q is 2ε-DP: "confirmed", "refuted" or "undecided".`, "", func(t discretize.Theorem1) any { return string(t.Privacy) }),
		script.Get("utility -> string", `Whether both inequalities hold at every dataset: "confirmed", "refuted" or "undecided".`, "", func(t discretize.Theorem1) any { return string(t.Utility) }),
		script.Get("source_epsilon -> evidence", "The smallest ε of p.", "", func(t discretize.Theorem1) any { return t.Source }),
		script.Get("smallest_epsilon -> evidence", "The smallest ε of q.", "", func(t discretize.Theorem1) any { return t.Discretized }),
		script.Get("dataset -> int", "A dataset at which E_p/E_q is farthest from 1.", "", func(t discretize.Theorem1) any { return t.Dataset }),
		script.Get("before -> evidence", "E_p, the expected distortion of p, at t.dataset.", "", func(t discretize.Theorem1) any { return t.Before }),
		script.Get("after -> evidence", "E_q, the expected distortion of q, at t.dataset.", "", func(t discretize.Theorem1) any { return t.After }),
	},
}
