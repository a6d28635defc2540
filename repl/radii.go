package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const radiiSetup = "q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])\nb = best_radii(q, ln(3))\n"

// radiiBuiltins choose the radii of a δ-neighborhood mechanism.
func radiiBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "best_radii", Params: `q, decay, objective="mean", prior=None, search="greedy"`,
		Help: `A radius per dataset of delta_neighborhood(q, decay, radius) that makes the expected distortion (Wu et al., (45), weighted by prior, uniform if None) or, with objective "worst", the largest distortion of a dataset small. search "greedy" starts from the purest mechanism and grows one ball by one ring of values at a time, the one that gains most among those that Theorem 5 predicts to gain; "exhaustive" tries every choice, at most 2^22 of them. On a linear_query, all of whose datasets share one radius, see its best_radius.`,
		Example: radiiSetup + `print(b.radius, b.value)
print(best_radii(q, ln(3), search="exhaustive").value)`,
		Run: func(c *script.Call) (starlark.Value, error) {
			search := optimize.GreedyRadii
			if c.Choice("search", "greedy", "exhaustive") == "exhaustive" {
				search = optimize.ExhaustiveRadii
			}
			var prior []*big.Rat
			if c.Given("prior") {
				prior = c.Rationals("prior")
			}
			r, err := search(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("decay"), optimize.Objective(c.Choice("objective", "mean", "worst")), prior)
			if err != nil {
				return nil, err
			}
			return radiiClass.Of(c, &r), nil
		},
	}}
}

var radiiClass = &script.Class[*optimize.Radii]{
	Name: "radii", Help: "Radii per dataset that a search found.", Example: radiiSetup + "print(b)",
	Show: func(r *optimize.Radii) string {
		return fmt.Sprintf("<radii with objective %s, %d mechanisms tried>", evidence.Span(r.Value, 6), r.Cases)
	},
	Attrs: []script.Attr[*optimize.Radii]{{
		Name: "radius", Help: "The radius of every dataset.", Example: radiiSetup + "print(b.radius)",
		Get: func(c *script.Call, r *optimize.Radii) (starlark.Value, error) { return script.Floats(r.Radius), nil },
	}, {
		Name: "value", Help: "The objective at these radii. Exact or certified.", Example: radiiSetup + "print(b.value)",
		Get: func(c *script.Call, r *optimize.Radii) (starlark.Value, error) { return script.Known(r.Value), nil },
	}, {
		Name: "mechanism", Help: "The δ-neighborhood mechanism with these radii.", Example: radiiSetup + "print(b.mechanism.layers(0))",
		Get: func(c *script.Call, r *optimize.Radii) (starlark.Value, error) {
			return mechanismClass.Of(c, mechanism.Mechanism(r.Mechanism)), nil
		},
	}, {
		Name: "steps", Help: "The steps of the greedy search: a list of (dataset, new radius, predicted gain, actual gain). The prediction takes each value of the ring alone (Wu et al., Theorem 5); where the ring has one value it is the gain itself, for the mean.", Example: radiiSetup + "print(b.steps)",
		Get: func(c *script.Call, r *optimize.Radii) (starlark.Value, error) {
			return script.List(r.Steps, func(s optimize.RadiusStep) starlark.Value {
				return starlark.Tuple{starlark.MakeInt(s.Dataset), starlark.Float(s.Radius), starlark.Float(s.Predicted), starlark.Float(s.Actual)}
			}), nil
		},
	}, {
		Name: "cases", Help: "How many mechanisms were evaluated.", Example: radiiSetup + "print(b.cases)",
		Get: func(c *script.Call, r *optimize.Radii) (starlark.Value, error) {
			return starlark.MakeUint64(r.Cases), nil
		},
	}},
}
