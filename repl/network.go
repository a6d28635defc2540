package repl

import (
	"fmt"
	"sync"

	"dpworkbench/internal/learn"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// network is an undirected simple graph as packed rows.
type network struct {
	bits  *xor.Bits
	mu    sync.Mutex
	stats *learn.GraphStatistics
}

// describe computes the statistics, once.
func (n *network) describe(c *script.Call) (*learn.GraphStatistics, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stats == nil {
		size, _ := n.bits.Shape()
		rows := make([][]uint64, size)
		for i := range rows {
			rows[i] = n.bits.Row(i)
		}
		s, err := learn.DescribeGraph(c.Context, rows)
		if err != nil {
			return nil, err
		}
		n.stats = s
	}
	return n.stats, nil
}

func (n *network) edges() int { return n.bits.Ones() / 2 }

// newNetwork builds the graph of the given edges on the nodes that they name.
func newNetwork(edges [][2]int, largest bool) (*network, error) {
	nodes, edges, err := learn.Renumber(edges, largest)
	if err != nil {
		return nil, err
	}
	m, err := xor.NewBits(nodes, nodes)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		m.Set(e[0], e[1], true)
		m.Set(e[1], e[0], true)
	}
	return &network{bits: m}, nil
}

// networkBuiltins make and fit what the XOR experiments compare.
func networkBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "network", Params: "edges, largest=False",
		Help:    "An undirected simple graph from pairs of node numbers, as read_edges gives them: directions, loops and repeats are dropped, nodes renumbered in ascending order. largest=True keeps the largest component alone. For xor_graph, at up to 32768 nodes.",
		Example: "g = network([(0, 1), (1, 2), (2, 0), (5, 6)])\nprint(g, g.diameter)",
		Run: func(c *script.Call) (any, error) {
			n, err := newNetwork(c.Pairs("edges"), c.Bool("largest"))
			if err != nil {
				return nil, err
			}
			return networkClass.Of(c, n), nil
		},
	}, {
		Name: "degree_divergence", Params: "released, original, mix=0",
		Help:    "The Kullback–Leibler divergence in nats of the degree distribution of one network from another's with as many nodes. inf where the released one has a degree that the original lacks; mix > 0 mixes the original's law with the uniform one by that share.",
		Example: "g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\nh = network([(0, 1), (1, 2), (2, 3)])\nprint(degree_divergence(h, g), degree_divergence(g, h, mix=0.01))",
		Run: func(c *script.Call) (any, error) {
			p, err := script.Argument(c, "released", networkClass).describe(c)
			if err != nil {
				return nil, err
			}
			q, err := script.Argument(c, "original", networkClass).describe(c)
			if err != nil {
				return nil, err
			}
			if p.Nodes != q.Nodes {
				return nil, fmt.Errorf("released has %d nodes, original %d, want as many", p.Nodes, q.Nodes)
			}
			d, err := learn.DegreeDivergence(p.Degrees, q.Degrees, c.FloatIn("mix", 0, 1))
			return starlark.Float(d), err
		},
	}, {
		Name: "logistic", Params: "x, y, ridge=0.001, eps=None, seed=0",
		Help:    "Logistic regression of labels y (0 or 1) on the rows of x, without intercept: minimises the mean loss plus ridge·‖η‖²/2. With eps the objective is perturbed by nᵀη/N, ‖n‖ from Γ(P, 2/eps) in a uniform direction (PPLR as the XOR paper states it, footnote 7; eps in nats). Answers a model with weights and accuracy(x, y).",
		Example: "m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\nprint(m.weights, m.accuracy([[1, 1]], [1]))",
		Run: func(c *script.Call) (any, error) {
			x, y := c.Matrix("x"), labels(c, "y")
			opts := learn.LogisticOptions{Ridge: c.Float("ridge")}
			if c.Given("eps") {
				var err error
				if opts.Linear, err = learn.NoiseObjective(len(x[0]), c.Epsilon("eps"), c.Source("seed")); err != nil {
					return nil, err
				}
			}
			eta, err := learn.FitLogistic(x, y, opts)
			if err != nil {
				return nil, err
			}
			return logisticClass.Of(c, eta), nil
		},
	}}
}

// labels reads a list of 0 and 1.
func labels(c *script.Call, name string) []bool {
	out := []bool{}
	for i, v := range c.Floats(name) {
		if v != 0 && v != 1 {
			c.Stop("%s[%d] = %g, want 0 or 1", name, i, v)
		}
		out = append(out, v == 1)
	}
	return out
}

const logisticSetup = "m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\n"

var logisticClass = &script.Class[[]float64]{
	Name: "logistic", Help: "A fitted logistic regression.", Example: logisticSetup + "print(m)",
	Show: func(eta []float64) string { return fmt.Sprintf("<logistic regression on %d features>", len(eta)) },
	Attrs: []script.Attr[[]float64]{{
		Name: "weights", Help: "η, a list of floats.", Example: logisticSetup + "print(m.weights)",
		Get: func(c *script.Call, eta []float64) (any, error) { return script.Floats(eta), nil },
	}, {
		Name: "accuracy", Params: "x, y", Help: "The share of rows of x whose label in y the sign of ηᵀx gives.", Example: logisticSetup + "print(m.accuracy([[1, 1], [0, 1]], [1, 0]))",
		Run: func(c *script.Call, eta []float64) (any, error) {
			a, err := learn.Accuracy(eta, c.Matrix("x"), labels(c, "y"))
			return starlark.Float(a), err
		},
	}},
}

const networkSetup = "g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\n"

var networkClass = &script.Class[*network]{
	Name: "network", Help: "An undirected simple graph.", Example: networkSetup + "print(g)",
	Show: func(n *network) string {
		size, _ := n.bits.Shape()
		return fmt.Sprintf("<network of %d nodes and %d edges>", size, n.edges())
	},
	Attrs: []script.Attr[*network]{{
		Name: "nodes", Help: "Number of nodes.", Example: networkSetup + "print(g.nodes)",
		Get: func(c *script.Call, n *network) (any, error) {
			size, _ := n.bits.Shape()
			return starlark.MakeInt(size), nil
		},
	}, {
		Name: "edges", Help: "Number of edges.", Example: networkSetup + "print(g.edges)",
		Get: func(c *script.Call, n *network) (any, error) { return starlark.MakeInt(n.edges()), nil },
	}, {
		Name: "density", Help: "Edges over pairs of nodes.", Example: networkSetup + "print(g.density)",
		Get: func(c *script.Call, n *network) (any, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.Float(s.Density), nil
		},
	}, {
		Name: "diameter", Help: "The longest shortest path over pairs that a path joins.", Example: networkSetup + "print(g.diameter)",
		Get: func(c *script.Call, n *network) (any, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.MakeInt(s.Diameter), nil
		},
	}, {
		Name: "mean_path", Help: "The mean shortest path over pairs that a path joins.", Example: networkSetup + "print(g.mean_path)",
		Get: func(c *script.Call, n *network) (any, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.Float(s.MeanPath), nil
		},
	}, {
		Name: "components", Help: "Number of connected components.", Example: networkSetup + "print(g.components)",
		Get: func(c *script.Call, n *network) (any, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.MakeInt(s.Components), nil
		},
	}, {
		Name: "degrees", Help: "The degree of every node, a list.", Example: networkSetup + "print(g.degrees)",
		Get: func(c *script.Call, n *network) (any, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return script.Ints(s.Degrees), nil
		},
	}, {
		Name: "adjacency", Params: "", Help: "The adjacency matrix.", Example: networkSetup + "print(g.adjacency())",
		Run: func(c *script.Call, n *network) (any, error) {
			return script.NewMatrix(n.bits.Floats()), nil
		},
	}},
}
