package repl

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/query"

	"go.starlark.net/starlark"
)

// queryBuiltins are the universes and the queries on them.
func queryBuiltins() []builtin {
	return []builtin{{
		name: "graphs", params: "n",
		help: "The universe of unlabeled simple graphs on n nodes, 1 ≤ n ≤ 10: one dataset per isomorphism class, neighbors differ by one edge, and distance counts edits. Datasets are ordered by number of edges, then by the least graph6 string of the class. n = 8 takes a fraction of a second, n = 9 some seconds, n = 10 (12,005,168 graphs) minutes and gigabytes.",
		example: `u = graphs(4)
print(u.size, u.diameter, u.edge_pairs)`,
		run: func(c *call) (starlark.Value, error) {
			var once sync.Once
			var report func(int64)
			g, err := query.NewGraphs(c.ctx, c.int("n", math.MinInt, math.MaxInt), func(done, total int64) {
				once.Do(func() { report = c.progress("graphs", total) })
				report(done)
			})
			if err != nil {
				return nil, err
			}
			return graphsClass.of(c, g), nil
		},
	}, {
		name: "histograms", params: `types, records, neighbors="unbounded"`,
		help: `The universe of histograms, vectors of counts by type of record, in lexicographic order. "unbounded": all with total ≤ records, neighbors differ by one record more or less, distance ‖x−y‖₁. "bounded": total = records, neighbors differ by one record changed, distance ‖x−y‖₁/2. At most two million datasets and 2^27 pairs of neighbors. Source: Wu et al., Section 3.5.`,
		example: `h = histograms(types=3, records=4)
print(h.size, h.diameter, h.dataset(5))`,
		run: func(c *call) (starlark.Value, error) {
			h, err := query.NewHistograms(c.ctx, c.int("types", math.MinInt, math.MaxInt), c.int("records", math.MinInt, math.MaxInt), query.Neighboring(c.choice("neighbors", "unbounded", "bounded")))
			if err != nil {
				return nil, err
			}
			return histogramsClass.of(c, h), nil
		},
	}, {
		name: "finite_query", params: `values, edges=None, distances=None, range=None, value_metric="abs"`,
		help: `A query on a universe of your own: values[x] is f(x), a number, a string or a list of counts; where value_metric is "abs", a string such as "1/3" is a number. Numbers are read exactly, a float meaning its shortest decimal. The datasets' metric is either the path metric of edges, a list of pairs of datasets, or distances, a square matrix; neighbors are the pairs with 0 < distance ≤ 1. What is no metric is refused with the offending pair, however little it is off. The universe may be disconnected: a layered mechanism then gives a value that no path reaches probability 0. range lists the values that a mechanism may output, by default the distinct ones. value_metric is "abs" (numbers), "discrete" (0 or 1), or a matrix over range.`,
		example: `q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)])
print(q.range, q.sensitivity)`,
		run: newFiniteQuery,
	}}
}

func newFiniteQuery(c *call) (starlark.Value, error) {
	var metric query.ValueMetric
	numbers := false
	if _, ok := starlark.AsString(c.value("value_metric")); ok {
		metric.Discrete = c.choice("value_metric", "abs", "discrete") == "discrete"
		numbers = !metric.Discrete
	} else {
		metric.Rational = c.rationalRows("value_metric")
	}
	values := c.queryValues("values", numbers)
	if len(values) == 0 {
		c.fail("values", c.value("values"), "at least one value")
	}
	var space *query.Space
	var err error
	switch {
	case c.given("edges") && c.given("distances"):
		c.stop("edges and distances are both given, want one of them")
	case c.given("edges"):
		space, err = query.NewPathSpace(len(values), c.pairs("edges"))
	case c.given("distances"):
		space, err = query.NewRationalSpace(c.ctx, c.distances("distances"))
	default:
		c.stop("edges = None and distances = None, want one of them")
	}
	if err != nil {
		return nil, err
	}
	var rng []query.Value
	if c.given("range") {
		if rng = c.queryValues("range", numbers); len(rng) == 0 {
			c.fail("range", c.value("range"), "at least one value")
		}
	}
	q, err := query.New("finite query", space, values, rng, metric)
	if err != nil {
		return nil, err
	}
	return queryClass.of(c, q), nil
}

// distances returns rows of exact numbers, nil for an infinite one.
func (c *call) distances(name string) [][]*big.Rat {
	vs := c.list(name)
	out := make([][]*big.Rat, len(vs))
	for i, v := range vs {
		row, ok := elements(v)
		if !ok {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]*big.Rat, len(row))
		for j, v := range row {
			if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
				continue
			}
			out[i][j] = c.rationalOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
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
func spaceAttrs[T universe](example string) []attr[T] {
	return []attr[T]{{
		name: "size", help: "Number of datasets.", example: example + "\nprint(u.size)",
		get: func(c *call, u T) (starlark.Value, error) { return starlark.MakeInt(u.Size()), nil },
	}, {
		name: "diameter", help: "The largest distance between two datasets; inf where no path joins some.", example: example + "\nprint(u.diameter)",
		get: func(c *call, u T) (starlark.Value, error) {
			d, err := u.Space().FindDiameter(c.ctx)
			return scriptNumber(d), err
		},
	}, {
		name: "edge_pairs", help: "Number of unordered neighboring pairs, 0 < distance ≤ 1.", example: example + "\nprint(u.edge_pairs)",
		get: func(c *call, u T) (starlark.Value, error) { return starlark.MakeInt64(u.Space().Pairs()), nil },
	}, {
		name: "distance", params: "i, j", help: "The distance between datasets i and j; inf where no path joins them.", example: example + "\nprint(u.distance(0, 1))",
		run: func(c *call, u T) (starlark.Value, error) {
			return scriptNumber(u.Space().Distance(c.index("i", u.Size()), c.index("j", u.Size()))), nil
		},
	}, {
		name: "neighbors", params: "i", help: "The datasets at a distance of at most 1 from dataset i, ascending, without i.", example: example + "\nprint(u.neighbors(0))",
		run: func(c *call, u T) (starlark.Value, error) {
			return intList(u.Space().Neighbors(c.index("i", u.Size()))), nil
		},
	}}
}

var graphsClass = &class[*query.Graphs]{
	name: "graphs", help: "A universe of unlabeled simple graphs under the edge-edit metric.", example: "u = graphs(4)",
	show: func(g *query.Graphs) string {
		return fmt.Sprintf("<graphs on %d nodes: %d datasets, %d neighboring pairs>", g.Nodes(), g.Size(), g.EdgePairs())
	},
	attrs: append(spaceAttrs[*query.Graphs]("u = graphs(4)"), []attr[*query.Graphs]{{
		name: "graph6", params: "i", help: "The lexicographically least graph6 string of dataset i over all labellings.", example: "graphs(4).graph6(5)",
		run: func(c *call, g *query.Graphs) (starlark.Value, error) {
			return starlark.String(g.Graph6(c.index("i", g.Size()))), nil
		},
	}, {
		name: "index", params: "graph6", help: "The dataset that a graph6 string belongs to, in any labelling.", example: `graphs(4).index("C~")`,
		run: func(c *call, g *query.Graphs) (starlark.Value, error) {
			i, err := g.Index(c.string("graph6"))
			return starlark.MakeInt(i), err
		},
	}, {
		name: "dataset", params: "i", help: "The edges of dataset i in the labelling of its least graph6 string: a list of pairs of nodes.", example: "graphs(4).dataset(5)",
		run: func(c *call, g *query.Graphs) (starlark.Value, error) {
			return pairList(g.Edges(c.index("i", g.Size()))), nil
		},
	}, {
		name: "automorphisms", params: "i", help: "The number of automorphisms of dataset i: n!/this labelled graphs belong to it.", example: "graphs(4).automorphisms(0)",
		run: func(c *call, g *query.Graphs) (starlark.Value, error) {
			return starlark.MakeUint64(g.Automorphisms(c.index("i", g.Size()))), nil
		},
	}, {
		name: "count", params: "pattern", help: `The query that counts copies of a pattern, not necessarily induced: "edge", "triangle", "2-star", "3-star", "4-clique" or "4-cycle". Its range is the set of attained counts.`, example: `print(graphs(4).count("triangle").values)`,
		run: func(c *call, g *query.Graphs) (starlark.Value, error) {
			q, err := g.Count(c.string("pattern"))
			if err != nil {
				return nil, err
			}
			return queryClass.of(c, q), nil
		},
	}}...),
}

var histogramsClass = &class[*query.Histograms]{
	name: "histograms", help: "A universe of histograms.", example: "u = histograms(types=2, records=3)",
	show: func(h *query.Histograms) string {
		return fmt.Sprintf("<histograms: %d datasets, %d neighboring pairs>", h.Size(), h.Space().Pairs())
	},
	attrs: append(spaceAttrs[*query.Histograms]("u = histograms(types=2, records=3)"), []attr[*query.Histograms]{{
		name: "dataset", params: "i", help: "The counts of dataset i, one per type.", example: "histograms(types=2, records=3).dataset(4)",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) {
			return intList(h.Dataset(c.index("i", h.Size()))), nil
		},
	}, {
		name: "index", params: "counts", help: "The dataset with the given counts.", example: "histograms(types=2, records=3).index([1, 2])",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) {
			i, err := h.Index(c.ints("counts"))
			return starlark.MakeInt(i), err
		},
	}, {
		name: "counting", params: "types", help: "The query that counts the records of the given types, 0-based.", example: "print(histograms(types=3, records=2).counting([0, 2]).values)",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) {
			return asQuery(c)(h.Counting(c.ints("types")))
		},
	}, {
		name: "linear", params: "weights", help: "The query Σ weights[i]·counts[i], computed without rounding: a float means its shortest decimal, \"1/3\" is accepted.", example: "print(histograms(types=2, records=2).linear([1, 0.1]).range)",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) {
			return asQuery(c)(h.Linear(c.rationals("weights")))
		},
	}, {
		name: "median", params: "values", help: "The lower median of the records, a record of type i having value values[i]; of no records, the first value.", example: "print(histograms(types=3, records=2).median([0, 1, 2]).values)",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) {
			return asQuery(c)(h.Median(c.rationals("values")))
		},
	}, {
		name: "identity", params: "", help: "The query that returns the histogram itself; values are tuples of counts, and the value metric is the distance of the datasets.", example: "print(histograms(types=2, records=1).identity().range)",
		run: func(c *call, h *query.Histograms) (starlark.Value, error) { return asQuery(c)(h.Identity()) },
	}}...),
}

func asQuery(c *call) func(*query.Query, error) (starlark.Value, error) {
	return func(q *query.Query, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return queryClass.of(c, q), nil
	}
}

var queryClass = &class[*query.Query]{
	name: "query", wanted: "a query on a finite universe", help: "A finite query: a value per dataset of a metric space, and a range with a metric.", example: `q = graphs(4).count("triangle")`,
	show: func(q *query.Query) string {
		text := fmt.Sprintf("<query %s: %d datasets, %d values", q.Name(), q.Size(), len(q.Range()))
		if !q.Space().IsConnected() {
			text += "; disconnected: layered mechanisms give a value that no path reaches probability 0"
		}
		return text + ">"
	},
	attrs: append(slices.DeleteFunc(spaceAttrs[*query.Query](`u = graphs(4).count("triangle")`), func(a attr[*query.Query]) bool { return a.name == "size" }), []attr[*query.Query]{{
		name: "size", help: "Number of datasets.", example: `graphs(4).count("edge").size`,
		get: func(c *call, q *query.Query) (starlark.Value, error) { return starlark.MakeInt(q.Size()), nil },
	}, {
		name: "values", help: "f(x) for every dataset x.", example: `graphs(4).count("edge").values`,
		get: func(c *call, q *query.Query) (starlark.Value, error) {
			out := make([]starlark.Value, q.Size())
			for x := range out {
				out[x] = scriptValue(q.Value(x))
			}
			return starlark.NewList(out), nil
		},
	}, {
		name: "range", help: "The values that a mechanism may output.", example: `graphs(4).count("triangle").range`,
		get: func(c *call, q *query.Query) (starlark.Value, error) { return scriptValues(q.Range()), nil },
	}, {
		name: "sensitivity", help: "The global sensitivity: the largest distance of the values of two neighbors (Wu et al., Definition 12). Exact.", example: `graphs(4).count("triangle").sensitivity`,
		get: func(c *call, q *query.Query) (starlark.Value, error) { return known(q.Sensitivity()), nil },
	}, {
		name: "local_sensitivity", params: "i", help: "The largest distance of the value of dataset i to that of a neighbor (Wu et al., Definition 12). Exact.", example: `graphs(4).count("triangle").local_sensitivity(10)`,
		run: func(c *call, q *query.Query) (starlark.Value, error) {
			return known(q.LocalSensitivity(c.index("i", q.Size()))), nil
		},
	}}...),
}
