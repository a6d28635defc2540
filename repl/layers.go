package repl

import (
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/discretize"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/records"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// querySetup is the query of most examples of mechanisms.
const querySetup = "q = graphs(4).count(\"triangle\")\n"

// layersBuiltins returns the layered mechanisms of Wu et al., Sections 4 and 5.
func layersBuiltins() []script.Builtin {
	const guarantee = " Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3)."
	return []script.Builtin{
		script.Func("purest(q: linear_query|query|record_query, decay: epsilon) -> mechanism|line_mechanism|record_mechanism",
			"The purest mechanism (Wu et al., Definition 16): layer i holds the values of the datasets at distance i that no nearer dataset has."+guarantee+" At decay ε/2 it is the inverse sensitivity mechanism of Asi and Duchi (2020). On a linear_query it is decay-DP (Corollary 5). On a record query it is the law at that dataset, from the query's layers. If these layers are only bounds, the mechanism is layered with the same guarantee, but not the purest.",
			querySetup+"m = purest(q, 1)\nprint(m.layers(10), m.smallest_epsilon)",
			func(c *script.Call) (any, error) {
				if q, ok := recordOr(c, "q"); ok {
					return records.NewPurest(q, c.Epsilon("decay"))
				}
				if lq, ok := c.Arg("q").(*linearQuery); ok {
					return newLine(c, lq, new(big.Rat))
				}
				return layers.NewPurest(c.Context, queryClass.Arg(c, "q"), c.Epsilon("decay"))
			}),
		script.Func("delta_neighborhood(q: linear_query|query|record_query, decay: epsilon, radius: function|dict|list|radius) -> mechanism|line_mechanism|record_mechanism",
			"The δ-neighborhood mechanism (Wu et al., Definition 18): the first layer of x is the ball of the given radius around f(x). radius is a number, a list or dict with one per dataset, or a function of the dataset's name, or of its number if it has no name."+guarantee+" On a linear_query radius is one number, a float meaning its shortest decimal, and the mechanism is decay-DP (Corollary 5). On a record query radius is one number too, because the other datasets are unknown. There it is the smooth inverse sensitivity mechanism of Asi and Duchi (2020).",
			querySetup+"print(delta_neighborhood(q, 1, 1).distortion(10))\nprint(delta_neighborhood(q, 1, lambda i: 1 if i < 3 else 0).distortion(10))",
			func(c *script.Call) (any, error) {
				if q, ok := recordOr(c, "q"); ok {
					r, one := c.Arg("radius").(*big.Rat)
					if !one {
						c.Fail("radius", c.Value("radius"), "one number for all datasets: a record query has only one dataset")
					}
					return records.NewDeltaNeighborhood(q, c.Epsilon("decay"), r)
				}
				if lq, ok := c.Arg("q").(*linearQuery); ok {
					return newLine(c, lq, c.RationalOf("radius", c.Value("radius")))
				}
				q := queryClass.Arg(c, "q")
				return layers.NewBalls(c.Context, q, c.Epsilon("decay"), radii(c, "radius", q))
			}),
		script.Func("atomic(q: query, decay: epsilon, points: dict|list) -> mechanism",
			"The atomic mechanism (Wu et al., Definition 17): the first layer of x is {points[x]}, a value of the range; points is a list, or a dict by the datasets' names."+guarantee,
			"q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(atomic(q, 1, [0, 2, 2]).layers(0))",
			func(c *script.Call) (any, error) {
				q := queryClass.Arg(c, "q")
				points := perDataset(c, "points", "value", q.Space(), c.Value("points"), func(where string, v starlark.Value) int { return placeOf(c, where, v, q) })
				return layers.NewAtomic(c.Context, q, c.Epsilon("decay"), points)
			}),
		script.Func("basic(q: query, decay: epsilon, initial: dict|list) -> mechanism",
			"The basic mechanism (Wu et al., Definition 15) with first layers initial: a list of values per dataset, by number or in a dict by name. A list may be empty if the dataset still reaches a value from other datasets."+guarantee,
			"q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(basic(q, 1, [[0], [0, 1], [2]]).layers(2))",
			func(c *script.Call) (any, error) {
				q := queryClass.Arg(c, "q")
				return layers.NewBasic(c.Context, q, c.Epsilon("decay"), initial(c, q))
			}),
		script.Func(`general(q: query, decay: epsilon, initial: dict|list, extra: dict|list, rule: "closure"|"printed"="closure") -> mechanism`,
			`The general mechanism (Wu et al., Definition 15): first layers initial, a list of values per dataset, and extra, a dict {layer: [values]} per dataset, each by number or in a dict by name. rule "closure" lets a value in layer i of y enter x at layer distance + i, which makes Proposition 3's 2·decay true; "printed" is rule (34) as printed in the paper: extra values stay at their dataset, and Proposition 3 fails.`,
			`q = finite_query(["a", "a"], edges=[(0, 1)], range=["a", "b"], value_metric="discrete")
for rule in ["printed", "closure"]:
    m = general(q, 1, [["a"], ["a"]], [{5: ["b"]}, {1: ["b"]}], rule=rule)
    print(rule, m.claimed_epsilon, m.smallest_epsilon)`,
			func(c *script.Call) (any, error) {
				q := queryClass.Arg(c, "q")
				sets := layers.Sets{At: extra(c, q)}
				for x, values := range initial(c, q) {
					sets.At[x][0] = append(values, sets.At[x][0]...)
				}
				return layers.NewGeneral(c.Context, q, c.Epsilon("decay"), sets, layers.Rule(c.Text("rule")))
			}),
	}
}

// initial reads a list of values per dataset.
func initial(c *script.Call, q *query.Query) [][]int {
	return perDataset(c, "initial", "list of values", q.Space(), c.Value("initial"), func(where string, v starlark.Value) []int { return places(c, where, v, q) })
}

// extra reads the values of later layers: a dict for each dataset.
func extra(c *script.Call, q *query.Query) []map[int][]int {
	return perDataset(c, "extra", "dict of layers", q.Space(), c.Value("extra"), func(where string, v starlark.Value) map[int][]int {
		d, ok := v.(*starlark.Dict)
		if !ok {
			c.Fail(where, v, "a dict from layer to list of values")
		}
		out := make(map[int][]int)
		for _, item := range d.Items() {
			layer, ok := script.ToInt(item[0])
			if !ok || layer < 0 {
				c.Fail(where, item[0], "layers that are whole numbers, at least 0")
			}
			out[layer] = append(out[layer], places(c, fmt.Sprintf("%s[%d]", where, layer), item[1], q)...)
		}
		return out
	})
}

// radii reads the radii of the datasets: one for all, a list, or a function of the dataset.
func radii(c *script.Call, name string, q *query.Query) []*big.Rat {
	switch v := c.Arg(name).(type) {
	case *big.Rat:
		return slices.Repeat([]*big.Rat{v}, q.Size())
	case []starlark.Value, *starlark.Dict:
		return perDataset(c, name, "radius", q.Space(), c.Value(name), func(where string, v starlark.Value) *big.Rat { return radius(c, where, v) })
	}
	of, out := c.Callable(name), make([]*big.Rat, q.Size())
	for x := range out {
		key := script.ToValue(called(q.Space(), x))
		out[x] = radius(c, fmt.Sprintf("%s(%s)", name, script.Brief(key)), must(of(key)))
	}
	return out
}

// layered returns the layered mechanism that m is or contains.
func layered(m mechanism.Mechanism) (*layers.Mechanism, bool) {
	if d, ok := m.(*discretize.Discretization); ok {
		return d.Mechanism, true
	}
	return as[*layers.Mechanism](m)
}

// layeredAttrs are the attributes that only layered mechanisms have.
var layeredAttrs = []script.Attr[mechanism.Mechanism]{
	attrOf(layered, "decay -> number|evidence", "The privacy loss of one layer, in nats, as given.", "", func(_ *script.Call, m *layers.Mechanism) (any, error) { return m.Decay(), nil }),
	attrOf(layered, "layers(x: dataset) -> list", "The layers of dataset x: a list of lists of values, the first being the most probable.", "(10)", func(c *script.Call, m *layers.Mechanism) (any, error) {
		x := dataset(c, "x", m)
		const most = 1 << 20 // the most lists to return; nearly all are empty
		if deepest := m.LastLayer(x); deepest >= most {
			c.Stop("dataset %d has %d layers, want at most %d for a list: layer(x, r) returns one value's layer", x, deepest+1, most)
		}
		return script.Each(m.Layers(x), func(layer []int) any { return valuesAt(m, layer) }), nil
	}),
	attrOf(layered, "layer(x: dataset, r: value) -> int?", "The layer of value r at dataset x; None if x never outputs r.", "(10, 0)", func(c *script.Call, m *layers.Mechanism) (any, error) {
		level := m.Layer(dataset(c, "x", m), place(c, "r", m.Query()))
		return onlyIf(level != query.Unreached, level), nil
	}),
	attrOf(layered, "migrate(x0: dataset, r0: value, layer: int[0..]=0) -> mechanism", "The mechanism with value r0 added to the given layer of dataset x0, everything else rebuilt by the same rule (Wu et al., Theorem 4 and Corollary 3): at dataset x, r0 is then in layer min(distance(x0, x) + layer, its old layer).", "(0, 4).layers(0)", func(c *script.Call, m *layers.Mechanism) (any, error) {
		return m.Migrate(c.Context, layers.Move{Dataset: dataset(c, "x0", m), Value: place(c, "r0", m.Query()), Layer: c.Int("layer")})
	}),
	attrOf(layered, "migration_gains(x0: dataset, r0: value, layer: int[0..]=0) -> list", "The prediction of Theorem 5 (Wu et al.) for m.migrate(x0, r0, layer): for every dataset the distortion before minus the distortion after, positive if it improves.", "(0, 4)", func(c *script.Call, m *layers.Mechanism) (any, error) {
		return must(m.PredictMigration(layers.Move{Dataset: dataset(c, "x0", m), Value: place(c, "r0", m.Query()), Layer: c.Int("layer")})).Gains, nil
	}),
}
