package repl

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/script"
)

const initialSetup = "q = graphs(3).count(\"edge\")\nb = best_initial(q, 1, deepest=3)\n"

// initialBuiltins returns the search over initial values of layered mechanisms.
func initialBuiltins() []script.Builtin {
	return []script.Builtin{script.Func(
		`best_initial(q: query, decay: epsilon, prior: prior=None, rounds: int[0..100000]=20, seed: seed=0, deepest: int[0..62]=0, starts: list=[], most: int[1..]=100000000, layers: int[0..15]=0, boxes: int[1..1000000]=1) -> initial_values`,
		`The initial values {R_0, R̃_I} with the least expected distortion at a decay (Wu et al., (44), under the closure): among all layered mechanisms whose layers differ by at most 1 between neighbors, which are 2·decay-differentially private. A local search moves one value at one dataset by one layer at a time. It starts from the purest mechanism and from starts, layered mechanisms of q, and then rounds times from a random perturbation of the best one. With deepest > 0, an exhaustive search over all mechanisms in which every value of a dataset is in its first layers 0 … deepest proves or improves the result (a few seconds on graphs(4)); it is an error if it would visit more than most rows. With layers > 0, b.least encloses the least over all initial values. Its lower end is that of a branch and bound that distinguishes that many layers and visits at most boxes boxes, or of the certified optimum if that is larger. This takes (layers + 1)^values times 4 bytes for each pair of neighbors and 8 for each dataset, at most 3 GiB. The optimum of optimal(q, 2*decay) is a lower bound of all of them: see b.ratio_to_optimum.`+overnight(`more = lambda t, x, r: t.suggest_int("%d %d" % (x, r), 0, 1) == 1
first = lambda t, x, v: [r for r in q.range if r == v or more(t, x, r)]
f = lambda t: basic(q, 1, [first(t, x, v) for x, v in enumerate(q.values)]).expected_distortion()`+runOvernight),
		initialSetup+"print(b.value, b.exhaustive)\nprint(b.ratio_to_optimum)\nprint(best_initial(q, 1, layers=8).least)",
		func(c *script.Call) (any, error) {
			q := queryClass.Arg(c, "q")
			o := optimize.InitialOptions{Prior: priorOf(c, q), Rounds: c.Int("rounds"), Seed: c.Seed("seed"), Deepest: c.Int("deepest"), Most: int64(c.Int("most")), Layers: c.Int("layers"), Boxes: c.Int("boxes")}
			for i, v := range c.List("starts") {
				m, ok := script.Unwrap(v, mechanismClass)
				if !ok {
					c.Fail(fmt.Sprintf("starts[%d]", i), v, "a layered mechanism of q")
				}
				if l, ok := layered(m); ok {
					m = l
				}
				o.Starts = append(o.Starts, m)
			}
			return optimize.SearchInitial(c.Context, q, c.Epsilon("decay"), o)
		})}
}

var initialClass = &script.Class[*optimize.Initial]{
	Name: "initial_values", Help: "Initial values of a layered mechanism that a search found.", Setup: initialSetup,
	Show: func(b *optimize.Initial) string {
		text := "found by a local search"
		if b.Exhaustive {
			text = fmt.Sprintf("the best of all with at most %d layers below the first", b.Deepest)
		}
		return fmt.Sprintf("<initial values with expected distortion %s, %s>", evidence.FormatInterval(b.Value, 6), text)
	},
	Attrs: []script.Attr[*optimize.Initial]{
		script.Get("mechanism -> mechanism", "The layered mechanism.", initialSetup+"print(b.mechanism.layers(0))", func(b *optimize.Initial) any { return mechanism.Mechanism(b.Mechanism) }),
		script.Get("value -> evidence", "Its expected distortion. Exact or certified.", "", func(b *optimize.Initial) any { return b.Value }),
		script.Get("found_from -> string", "The starting point from which the search found it.", "", func(b *optimize.Initial) any { return b.From }),
		script.Get("exhaustive -> bool", "Whether the exhaustive search up to the layer deepest was completed: then no such mechanism is better by more than a relative 1e-9.", "", func(b *optimize.Initial) any { return b.Exhaustive }),
		script.Get("visited -> int", "The number of rows of layers that the exhaustive search visited.", "", func(b *optimize.Initial) any { return b.Visited }),
		script.Get("least -> evidence?", "The least expected distortion of any initial values, enclosed between the bound of the branch and bound, or of the certified optimum, and the result of the search. Certified; None if layers = 0.", initialSetup+"print(best_initial(q, 1, layers=8).least)", func(b *optimize.Initial) any { return known(b.Least, b.Least != nil) }),
		script.Get("boxes -> int", "The number of boxes that the branch and bound visited.", "", func(b *optimize.Initial) any { return b.Boxes }),
		script.Do("ratio_to_optimum -> evidence", "The expected distortion divided by that of the optimal mechanism with the same claim, optimal(q, 2*decay) under the same prior. It is at least 1 for all initial values. Certified.", "", func(c *script.Call, b *optimize.Initial) (any, error) { return b.RatioToOptimum(c.Context) }),
	},
}
