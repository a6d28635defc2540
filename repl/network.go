package repl

import (
	"fmt"
	"sync"

	"dpworkbench/internal/lists"
	"dpworkbench/reproductions/learn"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// network is an undirected simple graph as packed rows.
type network struct {
	bits    *xor.Bits
	names   []int // the names of nodes; nil if they are numbered
	mu      sync.Mutex
	stats   *learn.GraphStatistics
	degrees []int
}

// describe returns the statistics and caches them.
func (n *network) describe(c *script.Call) *learn.GraphStatistics {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stats == nil {
		n.stats = must(learn.DescribeGraph(c.Context, n.bits.Rows()))
	}
	return n.stats
}

// degreeList returns the degrees and caches them.
func (n *network) degreeList() []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.degrees == nil {
		n.degrees = must(learn.Degrees(n.bits.Rows()))
	}
	return n.degrees
}

// nodeNames returns the names of the nodes.
func (n *network) nodeNames() []int {
	if n.names != nil {
		return n.names
	}
	return lists.Of(n.nodes(), func(i int) int { return i })
}

func (n *network) nodes() int { return shapeOf(n.bits)[0] }

func (n *network) edges() int { return n.bits.Ones() / 2 }

// networkBuiltins returns the built-ins for the graphs of the XOR experiments.
func networkBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("network(edges: pairs, largest: bool=False, strict: bool=False) -> network",
			"An undirected simple graph from pairs of node numbers, as read_edges gives them: directions, loops and repeats are dropped, and nodes are renumbered in ascending order; names has the old numbers. strict=True refuses loops and repeats. largest=True keeps only the largest component. It is for xor_graph and has at most 32768 nodes.",
			"g = network([(0, 1), (1, 2), (2, 0), (5, 6)])\nprint(g, g.diameter, g.names)", func(c *script.Call) (any, error) {
				pairs := c.Pairs("edges")
				if c.Bool("strict") {
					stop(learn.CheckSimple(pairs))
				}
				names, edges, err := learn.Renumber(pairs, c.Bool("largest"))
				stop(err)
				return &network{bits: must(xor.Adjacency(len(names), edges)), names: names}, nil
			}),
		script.Func("random_network(nodes: int[1..32768], edges: int[0..]=None, probability: choice[0..1]=None, seed: seed=0) -> network",
			"An Erdős–Rényi graph. With edges it is uniform among the graphs with that number of edges, G(n, m). With probability every pair is an edge with that probability, independently, G(n, p). Give one of the two.",
			"print(random_network(6, edges=4, seed=1), random_network(100, probability=0.1, seed=1))", func(c *script.Call) (any, error) {
				if c.Given("edges") == c.Given("probability") {
					return nil, fmt.Errorf("edges = %s and probability = %s, want one of them", script.Brief(c.Value("edges")), script.Brief(c.Value("probability")))
				}
				var rows [][]uint64
				if n := c.Int("nodes"); c.Given("edges") {
					rows = must(learn.RandomGraph(c.Context, n, c.Int("edges"), c.Source("seed")))
				} else {
					rows = must(learn.RandomPairs(c.Context, n, c.Float("probability"), c.Source("seed")))
				}
				return &network{bits: must(xor.PackedBits(len(rows), rows))}, nil
			}),
		script.Func(`degree_divergence(released: network|ints, original: network|ints, mix: number[0..1]=0, degrees: "all"|"common"="all", renormalise: bool=False, direction: "released"|"original"="released") -> number`,
			`The Kullback–Leibler divergence in nats of the degree distribution of one network from that of another with the same number of nodes. A list of degrees may replace a network. direction "released" is KL(released‖original), "original" the reverse. inf if the first law has a degree that the second lacks. mix > 0 is the weight of a uniform law that is mixed into the second law. degrees="common" sums only over the degrees that both have, and renormalise=True divides both laws by their mass there, which degree_overlap returns. Do not rank graphs by common degrees: a complete graph scores 0 against every graph without a node of full degree.`,
			"g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\nh = network([(0, 1), (1, 2), (2, 3)])\nprint(degree_divergence(h, g), degree_divergence(g, h, mix=0.01), degree_divergence([2, 2, 2, 2], g))\nprint(degree_divergence(g, h, degrees=\"common\"), degree_divergence(g, h, degrees=\"common\", renormalise=True))", func(c *script.Call) (any, error) {
				p, q := degreesOf(c, "released"), degreesOf(c, "original")
				if len(p) == len(q) && c.Text("direction") == "original" {
					p, q = q, p
				}
				return learn.DegreeDivergence(p, q, learn.DivergenceOptions{Mix: c.Float("mix"), Common: c.Text("degrees") == "common", Renormalised: c.Bool("renormalise")})
			}),
		script.Func("degree_overlap(released: network|ints, original: network|ints) -> list",
			"The common degrees of two networks with the same number of nodes: the fraction of the first one's nodes whose degree occurs in both, the same for the second one, and the number of such degrees. It shows how much degree_divergence with degrees=\"common\" omits.",
			"print(degree_overlap([1, 2, 2, 1], [2, 2, 3, 1]))", func(c *script.Call) (any, error) {
				p, q, n, err := learn.CommonDegrees(degreesOf(c, "released"), degreesOf(c, "original"))
				return []any{p, q, n}, err
			}),
		script.Func("logistic(x: matrix, y: labels, ridge: number=0.001, eps: epsilon=None, seed: seed=0) -> logistic",
			"Logistic regression of labels y (0 or 1) on the rows of x, without intercept: minimises the mean loss plus ridge·‖η‖²/2. With eps the objective is perturbed by nᵀη/N, ‖n‖ from Γ(P, 2/eps) in a uniform direction (PPLR as the XOR paper states it, footnote 7; eps in nats). It returns a model with weights and accuracy(x, y).",
			"m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\nprint(m.weights, m.accuracy([[1, 1]], [1]))", func(c *script.Call) (any, error) {
				x, opts := c.Rows("x"), learn.LogisticOptions{Ridge: c.Float("ridge")}
				if c.Given("eps") {
					opts.Linear = must(learn.NoiseObjective(len(x[0]), c.Epsilon("eps"), c.Source("seed")))
				}
				eta, err := learn.FitLogistic(x, c.Arg("y").([]bool), opts)
				return logistic(eta), err
			}),
	}
}

// degreesOf reads a list of degrees, or the degrees of a network.
func degreesOf(c *script.Call, name string) []int {
	if n, ok := c.Arg(name).(*network); ok {
		return n.degreeList()
	}
	return c.Ints(name)
}

// labelOf reads 0 or 1.
func labelOf(c *script.Call, name string, v starlark.Value) bool {
	return eitherOf(c, name, v, 0, 1) == 1
}

// logistic are the weights of a fitted logistic regression.
type logistic []float64

var logisticClass = &script.Class[logistic]{
	Name: "logistic", Help: "A fitted logistic regression.", Setup: "m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])\n",
	Show: func(eta logistic) string { return fmt.Sprintf("<logistic regression on %d features>", len(eta)) },
	Attrs: []script.Attr[logistic]{
		script.Get("weights -> list", "η, a list of floats.", "", func(eta logistic) any { return []float64(eta) }),
		script.Do("accuracy(x: matrix, y: labels) -> number", "The fraction of rows of x whose label in y is the sign of ηᵀx.", "([[1, 1], [0, 1]], [1, 0])", func(c *script.Call, eta logistic) (any, error) {
			return learn.Accuracy(eta, c.Rows("x"), c.Arg("y").([]bool))
		}),
	},
}

var networkClass = &script.Class[*network]{
	Name: "network", Help: "An undirected simple graph.", Setup: "g = network([(0, 1), (1, 2), (2, 0), (2, 3)])\n",
	Show: func(n *network) string {
		return fmt.Sprintf("<network of %d nodes and %d edges>", n.nodes(), n.edges())
	},
	Attrs: []script.Attr[*network]{
		script.Get("nodes -> int", "Number of nodes.", "", func(n *network) any { return n.nodes() }),
		script.Get("edges -> int", "Number of edges. network_records(g).edges() is the query.", "", func(n *network) any { return n.edges() }),
		script.Get("density -> number", "The fraction of pairs of nodes that are edges.", "", func(n *network) any {
			if n.nodes() < 2 {
				return 0.0
			}
			return float64(n.edges()) / (float64(n.nodes()) * float64(n.nodes()-1) / 2)
		}),
		described("diameter -> int", "The longest shortest path over connected pairs.", func(s *learn.GraphStatistics) any { return s.Diameter }),
		described("mean_path -> number", "The mean shortest path over connected pairs.", func(s *learn.GraphStatistics) any { return s.MeanPath }),
		described("components -> int", "Number of connected components. network_records(g).components() is the query; components(s) of a matrix is a different function.", func(s *learn.GraphStatistics) any { return s.Components }),
		script.Get("degrees -> list", "The degree of every node, a list.", "", func(n *network) any { return n.degreeList() }),
		script.Get("names -> list", "The nodes' old numbers: node i had the number names[i].", "network([(7, 9), (9, 12)]).names", func(n *network) any { return n.nodeNames() }),
		script.Do("degree_law -> list", "The degree distribution p(k), k from 0 to the number of nodes less one: the fraction of nodes with each degree.", "", func(_ *script.Call, n *network) (any, error) {
			return learn.DegreeLaw(n.degreeList())
		}),
		script.Do("random_law -> list", "The law of a node's degree in an Erdős–Rényi graph with as many nodes and the same mean degree: binomial(nodes - 1, density).", "", func(_ *script.Call, n *network) (any, error) {
			return learn.RandomLaw(n.degreeList())
		}),
		script.Do("random_divergence -> number", "The Kullback–Leibler divergence in nats of degree_law from random_law, computed with logarithms, so it is finite even for very small probabilities. 0 means the degrees of an Erdős–Rényi graph. For n degrees drawn from the law itself it is about (s - 1)/2n, where s is the number of degrees that occur often.", "", func(_ *script.Call, n *network) (any, error) {
			return learn.RandomDivergence(n.degreeList())
		}),
		script.Do("adjacency() -> matrix", "The adjacency matrix.", "()", func(_ *script.Call, n *network) (any, error) { return bitMatrix(n.bits), nil }),
	},
}

// described returns an attribute for one of the statistics.
func described(declaration, help string, of func(s *learn.GraphStatistics) any) script.Attr[*network] {
	return script.Do(declaration, help, "", func(c *script.Call, n *network) (any, error) { return of(n.describe(c)), nil })
}
