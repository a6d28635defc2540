package repl

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/optimize"
	"dpworkbench/script"
)

const radiiSetup = "q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])\nb = best_radii(q, ln(3))\n"

// radiiBuiltins returns the built-in that chooses the radii of a δ-neighborhood mechanism.
func radiiBuiltins() []script.Builtin {
	return []script.Builtin{script.Func(
		`best_radii(q: query, decay: epsilon, objective: "mean"|"worst"="mean", prior: prior=None, search: "greedy"|"exhaustive"="greedy") -> radii`,
		`Chooses a radius for each dataset of delta_neighborhood(q, decay, radius). It minimises the expected distortion (Wu et al., (45), weighted by prior, uniform if None) or, with objective "worst", the largest distortion of a dataset. search "greedy" starts from the purest mechanism and enlarges one ball by one ring of values at a time: the one with the largest gain among those for which Theorem 5 predicts a gain. "exhaustive" tries every choice, at most 2^22 of them. On a linear_query, all of whose datasets share one radius, see its best_radius.`+overnight(`r = lambda t, x: t.suggest_int("radius %d" % x, 0, 4)
f = lambda t: delta_neighborhood(q, ln(3), [r(t, x) for x in range(4)]).expected_distortion()`+runOvernight),
		radiiSetup+"print(b.radius, b.value)\nprint(best_radii(q, ln(3), search=\"exhaustive\").value)",
		func(c *script.Call) (any, error) {
			search := optimize.GreedyRadii
			if c.Text("search") == "exhaustive" {
				search = optimize.ExhaustiveRadii
			}
			r, err := search(c.Context, queryClass.Arg(c, "q"), c.Epsilon("decay"), optimize.Objective(c.Text("objective")), priorOf(c, queryClass.Arg(c, "q")))
			return &r, err
		})}
}

var radiiClass = &script.Class[*optimize.Radii]{
	Name: "radii", Help: "Radii per dataset that a search found.", Setup: radiiSetup,
	Show: func(r *optimize.Radii) string {
		return fmt.Sprintf("<radii with objective %s, %d mechanisms tried>", evidence.FormatInterval(r.Value, 6), r.Cases)
	},
	Attrs: []script.Attr[*optimize.Radii]{
		script.Get("radius -> list", "The radius of every dataset.", "", func(r *optimize.Radii) any { return r.Radius }),
		script.Get("value -> evidence", "The objective at these radii. Exact or certified.", "", func(r *optimize.Radii) any { return r.Value }),
		script.Get("mechanism -> mechanism", "The δ-neighborhood mechanism with these radii.", radiiSetup+"print(b.mechanism.layers(0))", func(r *optimize.Radii) any { return r.Mechanism }),
		script.Get("steps -> list", "The steps of the greedy search: a list of (dataset, new radius, predicted gain, actual gain). The prediction treats each value of the ring separately (Wu et al., Theorem 5). For a ring of one value and objective \"mean\" it is the actual gain.", "", func(r *optimize.Radii) any {
			return script.Each(r.Steps, func(s optimize.RadiusStep) any {
				return script.Tuple{called(r.Mechanism.Query().Space(), s.Dataset), s.Radius, s.Predicted, s.Actual}
			})
		}),
		script.Get("cases -> int", "The number of mechanisms evaluated.", "", func(r *optimize.Radii) any { return r.Cases }),
	},
}
