package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"

	"go.starlark.net/starlark"
)

const radiiSetup = "q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])\nb = best_radii(q, ln(3))\n"

// radiiBuiltins choose the radii of a δ-neighborhood mechanism.
func radiiBuiltins() []builtin {
	return []builtin{{
		name: "best_radii", params: `q, decay, objective="mean", prior=None, search="greedy"`,
		help: `A radius per dataset of delta_neighborhood(q, decay, radius) that makes the expected distortion (Wu et al., (45), weighted by prior, uniform if None) or, with objective "worst", the largest distortion of a dataset small. search "greedy" starts from the purest mechanism and grows one ball by one ring of values at a time, the one that gains most among those that Theorem 5 predicts to gain; "exhaustive" tries every choice, at most 2^22 of them. On a linear_query, all of whose datasets share one radius, see its best_radius.`,
		example: radiiSetup + `print(b.radius, b.value)
print(best_radii(q, ln(3), search="exhaustive").value)`,
		run: func(c *call) (starlark.Value, error) {
			search := optimize.GreedyRadii
			if c.choice("search", "greedy", "exhaustive") == "exhaustive" {
				search = optimize.ExhaustiveRadii
			}
			var prior []*big.Rat
			if c.given("prior") {
				prior = c.rationals("prior")
			}
			r, err := search(c.ctx, argument(c, "q", queryClass), c.epsilon("decay"), optimize.Objective(c.choice("objective", "mean", "worst")), prior)
			if err != nil {
				return nil, err
			}
			return radiiClass.of(c, &r), nil
		},
	}}
}

var radiiClass = &class[*optimize.Radii]{
	name: "radii", help: "Radii per dataset that a search found.", example: radiiSetup + "print(b)",
	show: func(r *optimize.Radii) string {
		return fmt.Sprintf("<radii with objective %s, %d mechanisms tried>", evidence.Span(r.Value, 6), r.Cases)
	},
	attrs: []attr[*optimize.Radii]{{
		name: "radius", help: "The radius of every dataset.", example: radiiSetup + "print(b.radius)",
		get: func(c *call, r *optimize.Radii) (starlark.Value, error) { return floatList(r.Radius), nil },
	}, {
		name: "value", help: "The objective at these radii. Exact or certified.", example: radiiSetup + "print(b.value)",
		get: func(c *call, r *optimize.Radii) (starlark.Value, error) { return known(r.Value), nil },
	}, {
		name: "mechanism", help: "The δ-neighborhood mechanism with these radii.", example: radiiSetup + "print(b.mechanism.layers(0))",
		get: func(c *call, r *optimize.Radii) (starlark.Value, error) {
			return mechanismClass.of(c, mechanism.Mechanism(r.Mechanism)), nil
		},
	}, {
		name: "steps", help: "The steps of the greedy search: a list of (dataset, new radius, predicted gain, actual gain). The prediction takes each value of the ring alone (Wu et al., Theorem 5); where the ring has one value it is the gain itself, for the mean.", example: radiiSetup + "print(b.steps)",
		get: func(c *call, r *optimize.Radii) (starlark.Value, error) {
			return listOf(r.Steps, func(s optimize.RadiusStep) starlark.Value {
				return starlark.Tuple{starlark.MakeInt(s.Dataset), starlark.Float(s.Radius), starlark.Float(s.Predicted), starlark.Float(s.Actual)}
			}), nil
		},
	}, {
		name: "cases", help: "How many mechanisms were evaluated.", example: radiiSetup + "print(b.cases)",
		get: func(c *call, r *optimize.Radii) (starlark.Value, error) { return starlark.MakeUint64(r.Cases), nil },
	}},
}
