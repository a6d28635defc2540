package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// layersBuiltins are the layered mechanisms of Wu et al., Sections 4 and 5.
func layersBuiltins() []script.Builtin {
	const setup = "q = graphs(4).count(\"triangle\")\n"
	const guarantee = " Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3)."
	return []script.Builtin{{
		Name: "purest", Params: "q, decay",
		Help:    "The purest mechanism (Wu et al., Definition 16): layer i holds the values of the datasets at distance i that no nearer dataset has." + guarantee + " At decay ε/2 it is the inverse sensitivity mechanism of Asi and Duchi (2020). On a linear_query it is decay-DP (Corollary 5).",
		Example: setup + "m = purest(q, 1)\nprint(m.layers(10), m.smallest_epsilon)",
		Run: func(c *script.Call) (any, error) {
			if lq := linear(c, "q"); lq != nil {
				return newLine(c, lq, new(big.Rat))
			}
			return asMechanism(c)(layers.NewPurest(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("decay")))
		},
	}, {
		Name: "delta_neighborhood", Params: "q, decay, radius",
		Help:    "The δ-neighborhood mechanism (Wu et al., Definition 18): the first layer of x is the ball of the given radius around f(x). radius is a number, a list with one per dataset, or a function of the dataset's index." + guarantee + " On a linear_query radius is one number, a float meaning its shortest decimal, and it is decay-DP (Corollary 5).",
		Example: setup + "print(delta_neighborhood(q, 1, 1).distortion(10))\nprint(delta_neighborhood(q, 1, lambda i: 1 if i < 3 else 0).distortion(10))",
		Run: func(c *script.Call) (any, error) {
			if lq := linear(c, "q"); lq != nil {
				return newLine(c, lq, c.Rational("radius"))
			}
			q := script.Argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewBalls(c.Context, q, c.Epsilon("decay"), radii(c, "radius", q)))
		},
	}, {
		Name: "atomic", Params: "q, decay, points",
		Help:    "The atomic mechanism (Wu et al., Definition 17): the first layer of x is {points[x]}, a value of the range." + guarantee,
		Example: "q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(atomic(q, 1, [0, 2, 2]).layers(0))",
		Run: func(c *script.Call) (any, error) {
			q := script.Argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewAtomic(c.Context, q, c.Epsilon("decay"), places(c, "points", c.Value("points"), q)))
		},
	}, {
		Name: "basic", Params: "q, decay, initial",
		Help:    "The basic mechanism (Wu et al., Definition 15) with first layers initial: a list of values per dataset. A list may be empty as long as every dataset reaches some value." + guarantee,
		Example: "q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nprint(basic(q, 1, [[0], [0, 1], [2]]).layers(2))",
		Run: func(c *script.Call) (any, error) {
			q := script.Argument(c, "q", queryClass)
			return asMechanism(c)(layers.NewBasic(c.Context, q, c.Epsilon("decay"), initial(c, q)))
		},
	}, {
		Name: "general", Params: `q, decay, initial, extra, rule="closure"`,
		Help: `The general mechanism (Wu et al., Definition 15): first layers initial, a list of values per dataset, and extra, a dict {layer: [values]} per dataset. rule "closure" lets a value in layer i of y enter x at layer distance + i, which makes Proposition 3's 2·decay true; "printed" is rule (34) as it stands, where extra values stay at their dataset and Proposition 3 fails.`,
		Example: `q = finite_query(["a", "a"], edges=[(0, 1)], range=["a", "b"], value_metric="discrete")
for rule in ["printed", "closure"]:
    m = general(q, 1, [["a"], ["a"]], [{5: ["b"]}, {1: ["b"]}], rule=rule)
    print(rule, m.claimed_epsilon, m.smallest_epsilon)`,
		Run: func(c *script.Call) (any, error) {
			q := script.Argument(c, "q", queryClass)
			sets := layers.Sets{At: make([]map[int][]int, q.Size())}
			for x, values := range initial(c, q) {
				sets.At[x] = map[int][]int{0: values}
			}
			extra(c, q, sets)
			return asMechanism(c)(layers.NewGeneral(c.Context, q, c.Epsilon("decay"), sets, layers.Rule(c.Choice("rule", "closure", "printed"))))
		},
	}}
}

// initial reads a list of values per dataset.
func initial(c *script.Call, q *query.Query) [][]int {
	rows := c.List("initial")
	if len(rows) != q.Size() {
		c.Stop("initial has %d entries, want %d, one list of values per dataset", len(rows), q.Size())
	}
	out := make([][]int, len(rows))
	for x, row := range rows {
		out[x] = places(c, fmt.Sprintf("initial[%d]", x), row, q)
	}
	return out
}

// extra adds the values of further layers to sets.
func extra(c *script.Call, q *query.Query, sets layers.Sets) {
	rows := c.List("extra")
	if len(rows) != q.Size() {
		c.Stop("extra has %d entries, want %d, one dict of layers per dataset", len(rows), q.Size())
	}
	for x, row := range rows {
		d, ok := row.(*starlark.Dict)
		if !ok {
			c.Fail(fmt.Sprintf("extra[%d]", x), row, "a dict from layer to list of values")
		}
		for _, item := range d.Items() {
			layer, ok := script.ToInt(item[0])
			if !ok || layer < 0 {
				c.Fail(fmt.Sprintf("extra[%d]", x), item[0], "layers that are whole numbers, at least 0")
			}
			name := fmt.Sprintf("extra[%d][%d]", x, layer)
			sets.At[x][layer] = append(sets.At[x][layer], places(c, name, item[1], q)...)
		}
	}
}

func isLayered(m mechanism.Mechanism) bool {
	_, ok := layered(m)
	return ok
}

// init breaks the cycle of a class whose methods return values of that class.
func init() { mechanismClass.Attrs = append(mechanismClass.Attrs, layeredAttrs...) }

// layeredAttrs are the attributes that layered mechanisms have beyond the
// others.
var layeredAttrs = []script.Attr[mechanism.Mechanism]{{
	Name: "decay", Only: isLayered, Help: "The loss in nats that a layer stands for, as it was given.", Example: mechanismSetup + "print(m.decay)",
	Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		l, _ := layered(m)
		return script.KnownEpsilon(l.Decay()), nil
	},
}, {
	Name: "layers", Only: isLayered, Params: "x", Help: "The layers of dataset x: a list of lists of values, the first being the most probable.", Example: mechanismSetup + "print(m.layers(10))",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		l, _ := layered(m)
		rng, x := m.Query().Range(), c.Index("x", m.Query().Size())
		const most = 1 << 20 // lists, most of them empty
		if deepest := l.Deepest(x); deepest >= most {
			c.Stop("dataset %d has %d layers, want at most %d in a list: see layer(x, r)", x, deepest+1, most)
		}
		return script.List(l.Layers(x), func(layer []int) starlark.Value {
			return script.List(layer, func(r int) starlark.Value { return scriptValue(rng[r]) })
		}), nil
	},
}, {
	Name: "layer", Only: isLayered, Params: "x, r", Help: "The layer of value r at dataset x; None where x never outputs r.", Example: mechanismSetup + "print(m.layer(10, 0))",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		l, _ := layered(m)
		level := l.Level(c.Index("x", m.Query().Size()), place(c, "r", m.Query()))
		if level == query.Unreached {
			return starlark.None, nil
		}
		return starlark.MakeInt(level), nil
	},
}, {
	Name: "migrate", Only: isLayered, Params: "x0, r0, layer=0", Help: "The mechanism with value r0 added to the given layer of dataset x0, everything else rebuilt by the same rule (Wu et al., Theorem 4 and Corollary 3): r0 then stands at x in layer min(distance(x0, x) + layer, where it was).", Example: mechanismSetup + "print(m.migrate(0, 4).layers(0))",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		l, _ := layered(m)
		return asMechanism(c)(l.Migrate(c.Context, c.Index("x0", m.Query().Size()), place(c, "r0", m.Query()), c.Int("layer", 0, math.MaxInt)))
	},
}, {
	Name: "migration_gains", Only: isLayered, Params: "x0, r0, layer=0", Help: "What Theorem 5 (Wu et al.) predicts of m.migrate(x0, r0, layer) before it is done: for every dataset its distortion before minus after, positive where it profits.", Example: mechanismSetup + "print(m.migration_gains(0, 4))",
	Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
		l, _ := layered(m)
		p, err := l.PredictMigration(c.Index("x0", m.Query().Size()), place(c, "r0", m.Query()), c.Int("layer", 0, math.MaxInt))
		return script.Floats(p.Gains), err
	},
}}
