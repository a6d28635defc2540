package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"

	"go.starlark.net/starlark"
)

// layersBuiltins are the layered mechanisms of Wu et al., Sections 4 and 5.
func layersBuiltins() []builtin {
	const setup = "q = graphs(4).count(\"triangle\")\n"
	const guarantee = " Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3)."
	return []builtin{{
		name: "purest", params: "q, decay",
		help:    "The purest mechanism (Wu et al., Definition 16): layer i holds the values of the datasets at distance i that no nearer dataset has." + guarantee + " At decay ε/2 it is the inverse sensitivity mechanism of Asi and Duchi (2020). On a linear_query it is decay-DP (Corollary 5).",
		example: setup + "m = purest(q, 1)\nprint(m.layers(10), m.smallest_epsilon)",
		run: func(c *call) (starlark.Value, error) {
			if lq := c.linear("q"); lq != nil {
				return newLine(c, lq, new(big.Rat))
			}
			return asMechanism(c)(layers.NewPurest(c.ctx, argument(c, "q", queryClass), c.epsilon("decay")))
		},
	}, {
		name: "delta_neighborhood", params: "q, decay, radius",
		help:    "The δ-neighborhood mechanism (Wu et al., Definition 18): the first layer of x is the ball of the given radius around f(x). radius is a number, a list with one per dataset, or a function of the dataset's index." + guarantee + " On a linear_query radius is one number, a float meaning its shortest decimal, and it is decay-DP (Corollary 5).",
		example: setup + "print(delta_neighborhood(q, 1, 1).distortion(10))\nprint(delta_neighborhood(q, 1, lambda i: 1 if i < 3 else 0).distortion(10))",
		run: func(c *call) (starlark.Value, error) {
			if lq := c.linear("q"); lq != nil {
				return newLine(c, lq, c.rational("radius"))
			}
			q := argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewBalls(c.ctx, q, c.epsilon("decay"), c.radii("radius", q)))
		},
	}, {
		name: "atomic", params: "q, decay, points",
		help:    "The atomic mechanism (Wu et al., Definition 17): the first layer of x is {points[x]}, a value of the range." + guarantee,
		example: "q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(atomic(q, 1, [0, 2, 2]).layers(0))",
		run: func(c *call) (starlark.Value, error) {
			q := argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewAtomic(c.ctx, q, c.epsilon("decay"), c.places("points", c.value("points"), q)))
		},
	}, {
		name: "basic", params: "q, decay, initial",
		help:    "The basic mechanism (Wu et al., Definition 15) with first layers initial: a list of values per dataset. A list may be empty as long as every dataset reaches some value." + guarantee,
		example: "q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(basic(q, 1, [[0], [0, 1], [2]]).layers(2))",
		run: func(c *call) (starlark.Value, error) {
			q := argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewBasic(c.ctx, q, c.epsilon("decay"), c.initial(q)))
		},
	}, {
		name: "general", params: `q, decay, initial, extra, rule="closure"`,
		help: `The general mechanism (Wu et al., Definition 15): first layers initial, a list of values per dataset, and extra, a dict {layer: [values]} per dataset. rule "closure" lets a value in layer i of y enter x at layer distance + i, which makes Proposition 3's 2·decay true; "printed" is rule (34) as it stands, where extra values stay at their dataset and Proposition 3 fails.`,
		example: `q = finite_query(["a", "a"], edges=[(0, 1)], range=["a", "b"], value_metric="discrete")
for rule in ["printed", "closure"]:
    m = general(q, 1, [["a"], ["a"]], [{5: ["b"]}, {1: ["b"]}], rule=rule)
    print(rule, m.claimed_epsilon, m.smallest_epsilon)`,
		run: func(c *call) (starlark.Value, error) {
			q := argument(c, "q", queryClass)
			sets := layers.Sets{At: make([]map[int][]int, q.Size())}
			for x, values := range c.initial(q) {
				sets.At[x] = map[int][]int{0: values}
			}
			c.extra(q, sets)
			return asMechanism(c)(layers.NewGeneral(c.ctx, q, c.epsilon("decay"), sets, layers.Rule(c.choice("rule", "closure", "printed"))))
		},
	}}
}

// initial reads a list of values per dataset.
func (c *call) initial(q *query.Query) [][]int {
	rows := c.list("initial")
	if len(rows) != q.Size() {
		c.stop("initial has %d entries, want %d, one list of values per dataset", len(rows), q.Size())
	}
	out := make([][]int, len(rows))
	for x, row := range rows {
		out[x] = c.places(fmt.Sprintf("initial[%d]", x), row, q)
	}
	return out
}

// extra adds the values of further layers to sets.
func (c *call) extra(q *query.Query, sets layers.Sets) {
	rows := c.list("extra")
	if len(rows) != q.Size() {
		c.stop("extra has %d entries, want %d, one dict of layers per dataset", len(rows), q.Size())
	}
	for x, row := range rows {
		d, ok := row.(*starlark.Dict)
		if !ok {
			c.fail(fmt.Sprintf("extra[%d]", x), row, "a dict from layer to list of values")
		}
		for _, item := range d.Items() {
			layer, ok := toInt(item[0])
			if !ok || layer < 0 {
				c.fail(fmt.Sprintf("extra[%d]", x), item[0], "layers that are whole numbers, at least 0")
			}
			name := fmt.Sprintf("extra[%d][%d]", x, layer)
			sets.At[x][layer] = append(sets.At[x][layer], c.places(name, item[1], q)...)
		}
	}
}

func isLayered(m mechanism.Mechanism) bool {
	_, ok := layered(m)
	return ok
}

// init breaks the cycle of a class whose methods return values of that class.
func init() { mechanismClass.attrs = append(mechanismClass.attrs, layeredAttrs...) }

// layeredAttrs are the attributes that layered mechanisms have beyond the
// others.
var layeredAttrs = []attr[mechanism.Mechanism]{{
	name: "decay", only: isLayered, help: "The loss in nats that a layer stands for, as it was given.", example: mechanismSetup + "print(m.decay)",
	get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		l, _ := layered(m)
		return knownEpsilon(l.Decay()), nil
	},
}, {
	name: "layers", only: isLayered, params: "x", help: "The layers of dataset x: a list of lists of values, the first being the most probable.", example: mechanismSetup + "print(m.layers(10))",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		l, _ := layered(m)
		rng, x := m.Query().Range(), c.index("x", m.Query().Size())
		const most = 1 << 20 // lists, most of them empty
		if deepest := l.Deepest(x); deepest >= most {
			c.stop("dataset %d has %d layers, want at most %d in a list: see layer(x, r)", x, deepest+1, most)
		}
		return listOf(l.Layers(x), func(layer []int) starlark.Value {
			return listOf(layer, func(r int) starlark.Value { return scriptValue(rng[r]) })
		}), nil
	},
}, {
	name: "layer", only: isLayered, params: "x, r", help: "The layer of value r at dataset x; None where x never outputs r.", example: mechanismSetup + "print(m.layer(10, 0))",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		l, _ := layered(m)
		level := l.Level(c.index("x", m.Query().Size()), c.place("r", m.Query()))
		if level == query.Unreached {
			return starlark.None, nil
		}
		return starlark.MakeInt(level), nil
	},
}, {
	name: "migrate", only: isLayered, params: "x0, r0, layer=0", help: "The mechanism with value r0 added to the given layer of dataset x0, everything else rebuilt by the same rule (Wu et al., Theorem 4 and Corollary 3): r0 then stands at x in layer min(distance(x0, x) + layer, where it was).", example: mechanismSetup + "print(m.migrate(0, 4).layers(0))",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		l, _ := layered(m)
		return asMechanism(c)(l.Migrate(c.ctx, c.index("x0", m.Query().Size()), c.place("r0", m.Query()), c.int("layer", 0, math.MaxInt)))
	},
}, {
	name: "migration_gains", only: isLayered, params: "x0, r0, layer=0", help: "What Theorem 5 (Wu et al.) predicts of m.migrate(x0, r0, layer) before it is done: for every dataset its distortion before minus after, positive where it profits.", example: mechanismSetup + "print(m.migration_gains(0, 4))",
	run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
		l, _ := layered(m)
		p, err := l.PredictMigration(c.index("x0", m.Query().Size()), c.place("r0", m.Query()), c.int("layer", 0, math.MaxInt))
		return floatList(p.Gains), err
	},
}}
