package repl

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// queryBuiltins are the universes and the queries on them.
func queryBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "graphs", Params: "n",
		Help: "The universe of unlabeled simple graphs on n nodes, 1 ≤ n ≤ 10: one dataset per isomorphism class, neighbors differ by one edge, and distance counts edits. Datasets are ordered by number of edges, then by the least graph6 string of the class. n = 8 takes a fraction of a second, n = 9 some seconds, n = 10 (12,005,168 graphs) minutes and gigabytes.",
		Example: `u = graphs(4)
print(u.size, u.diameter, u.edge_pairs)`,
		Run: func(c *script.Call) (any, error) {
			var once sync.Once
			var report func(int64)
			g, err := query.NewGraphs(c.Context, c.Int("n", math.MinInt, math.MaxInt), func(done, total int64) {
				once.Do(func() { report = c.Progress("graphs", total) })
				report(done)
			})
			if err != nil {
				return nil, err
			}
			return graphsClass.Of(c, g), nil
		},
	}, {
		Name: "histograms", Params: `types, records, neighbors="unbounded"`,
		Help: `The universe of histograms, vectors of counts by type of record, in lexicographic order. "unbounded": all with total ≤ records, neighbors differ by one record more or less, distance ‖x−y‖₁. "bounded": total = records, neighbors differ by one record changed, distance ‖x−y‖₁/2. At most two million datasets and 2^27 pairs of neighbors. Source: Wu et al., Section 3.5.`,
		Example: `h = histograms(types=3, records=4)
print(h.size, h.diameter, h.dataset(5))`,
		Run: func(c *script.Call) (any, error) {
			h, err := query.NewHistograms(c.Context, c.Int("types", math.MinInt, math.MaxInt), c.Int("records", math.MinInt, math.MaxInt), query.Neighboring(c.Choice("neighbors", "unbounded", "bounded")))
			if err != nil {
				return nil, err
			}
			return histogramsClass.Of(c, h), nil
		},
	}, {
		Name: "finite_query", Params: `values, edges=None, distances=None, range=None, value_metric="abs"`,
		Help: `A query on a universe of your own: values[x] is f(x), a number, a string or a list of counts; where value_metric is "abs", a string such as "1/3" is a number. Numbers are read exactly, a float meaning its shortest decimal. The datasets' metric is either the path metric of edges, a list of pairs of datasets, or distances, a square matrix; neighbors are the pairs with 0 < distance ≤ 1. What is no metric is refused with the offending pair, however little it is off. The universe may be disconnected: a layered mechanism then gives a value that no path reaches probability 0. range lists the values that a mechanism may output, by default the distinct ones. value_metric is "abs" (numbers), "discrete" (0 or 1), or a matrix over range.`,
		Example: `q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)])
print(q.range, q.sensitivity)`,
		Run: newFiniteQuery,
	}}
}

func newFiniteQuery(c *script.Call) (any, error) {
	var metric query.ValueMetric
	numbers := false
	if _, ok := starlark.AsString(c.Value("value_metric")); ok {
		metric.Discrete = c.Choice("value_metric", "abs", "discrete") == "discrete"
		numbers = !metric.Discrete
	} else {
		metric.Rational = c.RationalRows("value_metric")
	}
	values := queryValues(c, "values", numbers)
	if len(values) == 0 {
		c.Fail("values", c.Value("values"), "at least one value")
	}
	var space *query.Space
	var err error
	switch {
	case c.Given("edges") && c.Given("distances"):
		c.Stop("edges and distances are both given, want one of them")
	case c.Given("edges"):
		space, err = query.NewPathSpace(len(values), c.Pairs("edges"))
	case c.Given("distances"):
		space, err = query.NewRationalSpace(c.Context, distances(c, "distances"))
	default:
		c.Stop("edges = None and distances = None, want one of them")
	}
	if err != nil {
		return nil, err
	}
	var rng []query.Value
	if c.Given("range") {
		if rng = queryValues(c, "range", numbers); len(rng) == 0 {
			c.Fail("range", c.Value("range"), "at least one value")
		}
	}
	q, err := query.New("finite query", space, values, rng, metric)
	if err != nil {
		return nil, err
	}
	return queryClass.Of(c, q), nil
}

// distances returns rows of exact numbers, nil for an infinite one.
func distances(c *script.Call, name string) [][]*big.Rat {
	vs := c.List(name)
	out := make([][]*big.Rat, len(vs))
	for i, v := range vs {
		row, ok := script.Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]*big.Rat, len(row))
		for j, v := range row {
			if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
				continue
			}
			out[i][j] = c.RationalOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
		}
	}
	return out
}

// universe is what graph and histogram universes have in common.
type universe interface {
	Size() int
	Space() *query.Space
}

// spaceAttrs are the attributes of every value that stands on a dataset metric
// space; example builds one called u.
func spaceAttrs[T universe](example string) []script.Attr[T] {
	return []script.Attr[T]{{
		Name: "size", Help: "Number of datasets.", Example: example + "\nprint(u.size)",
		Get: func(c *script.Call, u T) (any, error) { return starlark.MakeInt(u.Size()), nil },
	}, {
		Name: "diameter", Help: "The largest distance between two datasets; inf where no path joins some.", Example: example + "\nprint(u.diameter)",
		Get: func(c *script.Call, u T) (any, error) {
			d, err := u.Space().FindDiameter(c.Context)
			return scriptNumber(d), err
		},
	}, {
		Name: "edge_pairs", Help: "Number of unordered neighboring pairs, 0 < distance ≤ 1.", Example: example + "\nprint(u.edge_pairs)",
		Get: func(c *script.Call, u T) (any, error) { return starlark.MakeInt64(u.Space().Pairs()), nil },
	}, {
		Name: "distance", Params: "i, j", Help: "The distance between datasets i and j; inf where no path joins them.", Example: example + "\nprint(u.distance(0, 1))",
		Run: func(c *script.Call, u T) (any, error) {
			return scriptNumber(u.Space().Distance(c.Index("i", u.Size()), c.Index("j", u.Size()))), nil
		},
	}, {
		Name: "neighbors", Params: "i", Help: "The datasets at a distance of at most 1 from dataset i, ascending, without i.", Example: example + "\nprint(u.neighbors(0))",
		Run: func(c *script.Call, u T) (any, error) {
			return script.Ints(u.Space().Neighbors(c.Index("i", u.Size()))), nil
		},
	}}
}

var graphsClass = &script.Class[*query.Graphs]{
	Name: "graphs", Help: "A universe of unlabeled simple graphs under the edge-edit metric.", Example: "u = graphs(4)",
	Show: func(g *query.Graphs) string {
		return fmt.Sprintf("<graphs on %d nodes: %d datasets, %d neighboring pairs>", g.Nodes(), g.Size(), g.EdgePairs())
	},
	Attrs: append(spaceAttrs[*query.Graphs]("u = graphs(4)"), []script.Attr[*query.Graphs]{{
		Name: "graph6", Params: "i", Help: "The lexicographically least graph6 string of dataset i over all labellings.", Example: "graphs(4).graph6(5)",
		Run: func(c *script.Call, g *query.Graphs) (any, error) {
			return starlark.String(g.Graph6(c.Index("i", g.Size()))), nil
		},
	}, {
		Name: "index", Params: "graph6", Help: "The dataset that a graph6 string belongs to, in any labelling.", Example: `graphs(4).index("C~")`,
		Run: func(c *script.Call, g *query.Graphs) (any, error) {
			i, err := g.Index(c.Text("graph6"))
			return starlark.MakeInt(i), err
		},
	}, {
		Name: "dataset", Params: "i", Help: "The edges of dataset i in the labelling of its least graph6 string: a list of pairs of nodes.", Example: "graphs(4).dataset(5)",
		Run: func(c *script.Call, g *query.Graphs) (any, error) {
			return script.Pairs(g.Edges(c.Index("i", g.Size()))), nil
		},
	}, {
		Name: "automorphisms", Params: "i", Help: "The number of automorphisms of dataset i: n!/this labelled graphs belong to it.", Example: "graphs(4).automorphisms(0)",
		Run: func(c *script.Call, g *query.Graphs) (any, error) {
			return starlark.MakeUint64(g.Automorphisms(c.Index("i", g.Size()))), nil
		},
	}, {
		Name: "count", Params: "pattern", Help: `The query that counts copies of a pattern, not necessarily induced: "edge", "triangle", "2-star", "3-star", "4-clique" or "4-cycle". Its range is the set of attained counts.`, Example: `print(graphs(4).count("triangle").values)`,
		Run: func(c *script.Call, g *query.Graphs) (any, error) {
			q, err := g.Count(c.Text("pattern"))
			if err != nil {
				return nil, err
			}
			return queryClass.Of(c, q), nil
		},
	}}...),
}

var histogramsClass = &script.Class[*query.Histograms]{
	Name: "histograms", Help: "A universe of histograms.", Example: "u = histograms(types=2, records=3)",
	Show: func(h *query.Histograms) string {
		return fmt.Sprintf("<histograms: %d datasets, %d neighboring pairs>", h.Size(), h.Space().Pairs())
	},
	Attrs: append(spaceAttrs[*query.Histograms]("u = histograms(types=2, records=3)"), []script.Attr[*query.Histograms]{{
		Name: "dataset", Params: "i", Help: "The counts of dataset i, one per type.", Example: "histograms(types=2, records=3).dataset(4)",
		Run: func(c *script.Call, h *query.Histograms) (any, error) {
			return script.Ints(h.Dataset(c.Index("i", h.Size()))), nil
		},
	}, {
		Name: "index", Params: "counts", Help: "The dataset with the given counts.", Example: "histograms(types=2, records=3).index([1, 2])",
		Run: func(c *script.Call, h *query.Histograms) (any, error) {
			i, err := h.Index(c.Ints("counts"))
			return starlark.MakeInt(i), err
		},
	}, {
		Name: "counting", Params: "types", Help: "The query that counts the records of the given types, 0-based.", Example: "print(histograms(types=3, records=2).counting([0, 2]).values)",
		Run: func(c *script.Call, h *query.Histograms) (any, error) {
			return asQuery(c)(h.Counting(c.Ints("types")))
		},
	}, {
		Name: "linear", Params: "weights", Help: "The query Σ weights[i]·counts[i], computed without rounding: a float means its shortest decimal, \"1/3\" is accepted.", Example: "print(histograms(types=2, records=2).linear([1, 0.1]).range)",
		Run: func(c *script.Call, h *query.Histograms) (any, error) {
			return asQuery(c)(h.Linear(c.Rationals("weights")))
		},
	}, {
		Name: "median", Params: "values", Help: "The lower median of the records, a record of type i having value values[i]; of no records, the first value.", Example: "print(histograms(types=3, records=2).median([0, 1, 2]).values)",
		Run: func(c *script.Call, h *query.Histograms) (any, error) {
			return asQuery(c)(h.Median(c.Rationals("values")))
		},
	}, {
		Name: "identity", Params: "", Help: "The query that returns the histogram itself; values are tuples of counts, and the value metric is the distance of the datasets.", Example: "print(histograms(types=2, records=1).identity().range)",
		Run: func(c *script.Call, h *query.Histograms) (any, error) { return asQuery(c)(h.Identity()) },
	}}...),
}

func asQuery(c *script.Call) func(*query.Query, error) (starlark.Value, error) {
	return func(q *query.Query, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return queryClass.Of(c, q), nil
	}
}

var queryClass = &script.Class[*query.Query]{
	Name: "query", Wanted: "a query on a finite universe", Help: "A finite query: a value per dataset of a metric space, and a range with a metric.", Example: `q = graphs(4).count("triangle")`,
	Show: func(q *query.Query) string {
		text := fmt.Sprintf("<query %s: %d datasets, %d values", q.Name(), q.Size(), len(q.Range()))
		if !q.Space().IsConnected() {
			text += "; disconnected: layered mechanisms give a value that no path reaches probability 0"
		}
		return text + ">"
	},
	Attrs: append(slices.DeleteFunc(spaceAttrs[*query.Query](`u = graphs(4).count("triangle")`), func(a script.Attr[*query.Query]) bool { return a.Name == "size" }), []script.Attr[*query.Query]{{
		Name: "size", Help: "Number of datasets.", Example: `graphs(4).count("edge").size`,
		Get: func(c *script.Call, q *query.Query) (any, error) { return starlark.MakeInt(q.Size()), nil },
	}, {
		Name: "values", Help: "f(x) for every dataset x.", Example: `graphs(4).count("edge").values`,
		Get: func(c *script.Call, q *query.Query) (any, error) {
			out := make([]starlark.Value, q.Size())
			for x := range out {
				out[x] = scriptValue(q.Value(x))
			}
			return starlark.NewList(out), nil
		},
	}, {
		Name: "range", Help: "The values that a mechanism may output.", Example: `graphs(4).count("triangle").range`,
		Get: func(c *script.Call, q *query.Query) (any, error) { return scriptValues(q.Range()), nil },
	}, {
		Name: "sensitivity", Help: "The global sensitivity: the largest distance of the values of two neighbors (Wu et al., Definition 12). Exact.", Example: `graphs(4).count("triangle").sensitivity`,
		Get: func(c *script.Call, q *query.Query) (any, error) {
			return script.Known(q.Sensitivity()), nil
		},
	}, {
		Name: "local_sensitivity", Params: "i", Help: "The largest distance of the value of dataset i to that of a neighbor (Wu et al., Definition 12). Exact.", Example: `graphs(4).count("triangle").local_sensitivity(10)`,
		Run: func(c *script.Call, q *query.Query) (any, error) {
			return script.Known(q.LocalSensitivity(c.Index("i", q.Size()))), nil
		},
	}}...),
}
