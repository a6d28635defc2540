package repl

import (
	"fmt"
	"sync"

	"dpworkbench/internal/learn"
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
func (n *network) describe(c *call) (*learn.GraphStatistics, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stats == nil {
		size, _ := n.bits.Shape()
		rows := make([][]uint64, size)
		for i := range rows {
			rows[i] = n.bits.Row(i)
		}
		s, err := learn.DescribeGraph(c.ctx, rows)
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
func networkBuiltins() []builtin {
	return []builtin{{
		name: "network", params: "edges, largest=False",
		help:    "An undirected simple graph from pairs of node numbers, as read_edges gives them: directions, loops and repeats are dropped, nodes renumbered in ascending order. largest=True keeps the largest component alone. For xor_graph, at up to 32768 nodes.",
		example: "g = network([(0, 1), (1, 2), (2, 0), (5, 6)])\nprint(g, g.diameter)",
		run: func(c *call) (starlark.Value, error) {
			n, err := newNetwork(c.pairs("edges"), c.bool("largest"))
			if err != nil {
				return nil, err
			}
			return networkClass.of(c, n), nil
		},
	}, {
		name: "degree_divergence", params: "released, original, mix=0",
		help:    "The Kullback–Leibler divergence in nats of the degree distribution of one network from another's with as many nodes. inf where the released one has a degree that the original lacks; mix > 0 mixes the original's law with the uniform one by that share.",
		example: "g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\nh = network([(0, 1), (1, 2), (2, 3)])\nprint(degree_divergence(h, g), degree_divergence(g, h, mix=0.01))",
		run: func(c *call) (starlark.Value, error) {
			p, err := argument(c, "released", networkClass).describe(c)
			if err != nil {
				return nil, err
			}
			q, err := argument(c, "original", networkClass).describe(c)
			if err != nil {
				return nil, err
			}
			if p.Nodes != q.Nodes {
				return nil, fmt.Errorf("released has %d nodes, original %d, want as many", p.Nodes, q.Nodes)
			}
			d, err := learn.DegreeDivergence(p.Degrees, q.Degrees, c.floatIn("mix", 0, 1))
			return starlark.Float(d), err
		},
	}, {
		name: "logistic", params: "x, y, ridge=0.001, eps=None, seed=0",
		help:    "Logistic regression of labels y (0 or 1) on the rows of x, without intercept: minimises the mean loss plus ridge·‖η‖²/2. With eps the objective is perturbed by nᵀη/N, ‖n‖ from Γ(P, 2/eps) in a uniform direction (PPLR as the XOR paper states it, footnote 7; eps in nats). Answers a model with weights and accuracy(x, y).",
		example: "m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\nprint(m.weights, m.accuracy([[1, 1]], [1]))",
		run: func(c *call) (starlark.Value, error) {
			x, y := c.matrix("x"), c.labels("y")
			opts := learn.LogisticOptions{Ridge: c.float("ridge")}
			if c.given("eps") {
				var err error
				if opts.Linear, err = learn.NoiseObjective(len(x[0]), c.epsilon("eps"), c.source("seed")); err != nil {
					return nil, err
				}
			}
			eta, err := learn.FitLogistic(x, y, opts)
			if err != nil {
				return nil, err
			}
			return logisticClass.of(c, eta), nil
		},
	}}
}

// labels reads a list of 0 and 1.
func (c *call) labels(name string) []bool {
	out := []bool{}
	for i, v := range c.floats(name) {
		if v != 0 && v != 1 {
			c.stop("%s[%d] = %g, want 0 or 1", name, i, v)
		}
		out = append(out, v == 1)
	}
	return out
}

const logisticSetup = "m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\n"

var logisticClass = &class[[]float64]{
	name: "logistic", help: "A fitted logistic regression.", example: logisticSetup + "print(m)",
	show: func(eta []float64) string { return fmt.Sprintf("<logistic regression on %d features>", len(eta)) },
	attrs: []attr[[]float64]{{
		name: "weights", help: "η, a list of floats.", example: logisticSetup + "print(m.weights)",
		get: func(c *call, eta []float64) (starlark.Value, error) { return floatList(eta), nil },
	}, {
		name: "accuracy", params: "x, y", help: "The share of rows of x whose label in y the sign of ηᵀx gives.", example: logisticSetup + "print(m.accuracy([[1, 1], [0, 1]], [1, 0]))",
		run: func(c *call, eta []float64) (starlark.Value, error) {
			a, err := learn.Accuracy(eta, c.matrix("x"), c.labels("y"))
			return starlark.Float(a), err
		},
	}},
}

const networkSetup = "g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\n"

var networkClass = &class[*network]{
	name: "network", help: "An undirected simple graph.", example: networkSetup + "print(g)",
	show: func(n *network) string {
		size, _ := n.bits.Shape()
		return fmt.Sprintf("<network of %d nodes and %d edges>", size, n.edges())
	},
	attrs: []attr[*network]{{
		name: "nodes", help: "Number of nodes.", example: networkSetup + "print(g.nodes)",
		get: func(c *call, n *network) (starlark.Value, error) {
			size, _ := n.bits.Shape()
			return starlark.MakeInt(size), nil
		},
	}, {
		name: "edges", help: "Number of edges.", example: networkSetup + "print(g.edges)",
		get: func(c *call, n *network) (starlark.Value, error) { return starlark.MakeInt(n.edges()), nil },
	}, {
		name: "density", help: "Edges over pairs of nodes.", example: networkSetup + "print(g.density)",
		get: func(c *call, n *network) (starlark.Value, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.Float(s.Density), nil
		},
	}, {
		name: "diameter", help: "The longest shortest path over pairs that a path joins.", example: networkSetup + "print(g.diameter)",
		get: func(c *call, n *network) (starlark.Value, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.MakeInt(s.Diameter), nil
		},
	}, {
		name: "mean_path", help: "The mean shortest path over pairs that a path joins.", example: networkSetup + "print(g.mean_path)",
		get: func(c *call, n *network) (starlark.Value, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.Float(s.MeanPath), nil
		},
	}, {
		name: "components", help: "Number of connected components.", example: networkSetup + "print(g.components)",
		get: func(c *call, n *network) (starlark.Value, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return starlark.MakeInt(s.Components), nil
		},
	}, {
		name: "degrees", help: "The degree of every node, a list.", example: networkSetup + "print(g.degrees)",
		get: func(c *call, n *network) (starlark.Value, error) {
			s, err := n.describe(c)
			if err != nil {
				return nil, err
			}
			return intList(s.Degrees), nil
		},
	}, {
		name: "adjacency", params: "", help: "The adjacency matrix.", example: networkSetup + "print(g.adjacency())",
		run: func(c *call, n *network) (starlark.Value, error) { return matrixOf(n.bits.Floats()), nil },
	}},
}
