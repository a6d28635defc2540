package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/lists"
	"dpworkbench/query"
	"dpworkbench/script"
	"dpworkbench/verify"

	"go.starlark.net/starlark"
)

// queryBuiltins returns the universes and the queries on them.
func queryBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("graphs(n: int) -> graphs",
			"The universe of unlabeled simple graphs on n nodes, 1 ≤ n ≤ 10: one dataset per isomorphism class, neighbors differ by one edge, and distance counts edits. Datasets are ordered by number of edges, then by the least graph6 string of the class. n = 8 takes a fraction of a second, n = 9 about a second, and n = 10 (12,005,168 graphs) almost a minute and, with the layers of a mechanism, almost 2 GiB.",
			"u = graphs(4)\nprint(u.size, u.diameter, u.edge_pairs)", func(c *script.Call) (any, error) {
				return query.NewGraphs(c.Context, c.Int("n"))
			}),
		script.Func(`histograms(types: int, records: int, neighbors: "unbounded"|"bounded"|"add_remove"|"replace"="unbounded") -> histograms`,
			`The universe of histograms, vectors of counts by type of record, in lexicographic order. "unbounded": all with total ≤ records, neighbors differ by one record more or less, distance ‖x−y‖₁. "bounded": total = records, neighbors differ by one record changed, distance ‖x−y‖₁/2. At most two million datasets and 2^27 pairs of neighbors. Source: Wu et al., Section 3.5.`,
			"h = histograms(types=3, records=4)\nprint(h.size, h.diameter, h.dataset(5))", func(c *script.Call) (any, error) {
				return query.NewHistograms(c.Context, c.Int("types"), c.Int("records"), recordRelation(c))
			}),
		script.Func(`finite_query(values: value, edges: function|list=None, distances: function|distances=None, range: value=None, value_metric: rational_rows|"abs"|"discrete"="abs") -> query`,
			`A query on a universe of your own: values[x] is f(x), a number, a string or a list of counts; with value_metric "abs", a string such as "1/3" is a number. Numbers of any size are read exactly and stay exact in answers; a float means its shortest decimal. values is a list, or a dict from names to values. Names are strings, integers or tuples of integers, and are then used for datasets everywhere, as in m.distortion("a") and worst(). The datasets' metric is either the path metric of edges, a list of pairs of datasets or a function of two that says whether they are neighbors, or distances, a square matrix or a function of two; neighbors are the pairs with 0 < distance ≤ 1. Distances that are not a metric are refused, with the offending pair. The universe may be disconnected: a layered mechanism then gives probability 0 to a value that no path reaches. range lists the values that a mechanism may output, by default the distinct ones. value_metric is "abs" (numbers), "discrete" (0 or 1), or a matrix over range.`,
			"q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)])\nprint(q.range, q.sensitivity)\nq = finite_query({\"none\": 0, \"ann\": 1, \"ann, bob\": \"7/3\"}, edges=lambda a, b: abs(len(a.split(\", \")) - len(b.split(\", \"))) == 1 or \"none\" in (a, b) and \"ann\" in (a, b))\nprint(purest(q, ln(2)).distortion(\"ann, bob\"), purest(q, 1).worst())", newFiniteQuery),
		script.Func(`product(*parts: list, norm: "l1"|"max"|"l2"="l1", weights: rationals=None) -> query|mechanism`,
			`The product of two or more queries on the same datasets (Wu et al., Definition 6): x ↦ (f₁(x), …, fₙ(x)), a tuple, on the range R₁ × … × Rₙ with the metric N(w₁d₁, …, wₙdₙ), where N is the norm "l1", "max" or "l2" (rounded up to a millionth of the distances' unit, which keeps it a metric). Every mechanism on finite queries accepts it. For mechanisms on such queries, product returns their composition (Proposition 1): a mechanism on the product with independent parts. It claims the sum of their claims, and its smallest ε is that of compose([m1, m2]).`,
			"u = graphs(4)\nq = product(u.count(\"triangle\"), u.count(\"edge\"))\nprint(q, q.sensitivity, q.dataset(10), q.values[10])\na, b = ladder(u.count(\"triangle\"), 1), geometric(u.count(\"edge\"), 1)\nprint(product(a, b).claimed_epsilon, product(a, b).smallest_epsilon, compose([a, b]).smallest_epsilon)", newProduct),
		script.Func(`read_query(values: string, edges: string, value_metric: "abs"|"discrete"="abs", delimiter: string=",") -> query`,
			`A query of your own from two files of comma-separated values. values has a row for each dataset, with its name and its value. edges has a row for each pair of neighbors, with their names. Numbers of any size and fractions such as 1/3 are read exactly. A name that spells an integer is an integer. A header line is skipped: in values, under "abs", a first line without a number, and in edges a first line that names no dataset. A malformed row is an error with its number.`+filePlaces,
			"table([[\"a\", 0], [\"b\", \"1/3\"], [\"c\", 5]], header=[\"dataset\", \"value\"]).save(\"values.csv\")\ntable([[\"a\", \"b\"], [\"b\", \"c\"]], header=[\"from\", \"to\"]).save(\"edges.csv\")\nq = read_query(\"values.csv\", \"edges.csv\")\nprint(q.range, q.neighbors(\"b\"), purest(q, ln(2)).distortion(\"a\").rational)", readQuery),
	}
}

func newFiniteQuery(c *script.Call) (any, error) {
	var metric query.ValueMetric
	metric.Discrete = c.Arg("value_metric") == "discrete"
	metric.Rational, _ = c.Arg("value_metric").([][]*big.Rat)
	numbers := c.Arg("value_metric") == "abs"
	names := ownNames(c, c.Value("values"))
	values := queryValues(c, "values", numbers)
	if c.Given("edges") == c.Given("distances") {
		c.Stop("edges = %s and distances = %s, want one of them", script.Brief(c.Value("edges")), script.Brief(c.Value("distances")))
	}
	space := must(query.NewPathSpace(len(values), nil)) // used only to resolve names
	keys := lists.Of(len(values), func(x int) starlark.Value { return starlark.MakeInt(x) })
	if names != nil {
		space = must(space.Named(names))
		keys = c.Value("values").(*starlark.Dict).Keys()
	}
	switch {
	case c.Given("edges"):
		space = must(query.NewPathSpace(len(values), edgesOf(c, "edges", space, keys)))
	default:
		matrix, ok := c.Arg("distances").([][]*big.Rat)
		if !ok {
			matrix = distancesBy(c, keys)
		}
		space = must(query.NewRationalSpace(c.Context, matrix))
	}
	if names != nil && space.Size() == len(names) { // otherwise New reports the error
		space = must(space.Named(names))
	}
	return query.New("finite query", space, values, queryValues(c, "range", numbers), metric)
}

// distancesBy calls a function for the distances of all pairs of datasets.
func distancesBy(c *script.Call, keys []starlark.Value) [][]*big.Rat {
	f, out := onPairs(c, "distances", keys), make([][]*big.Rat, len(keys))
	for x := range keys {
		out[x] = make([]*big.Rat, len(keys))
		for y := range keys {
			if x != y {
				out[x][y] = radius(c, fmt.Sprintf("distances(%s, %s)", script.Brief(keys[x]), script.Brief(keys[y])), f(x, y))
			} else {
				out[x][y] = new(big.Rat)
			}
		}
	}
	return out
}

// distancesOf reads a row of exact numbers; nil means infinite.
func distancesOf(c *script.Call, name string, v starlark.Value) []*big.Rat {
	if _, ok := script.Elements(v); !ok {
		c.Fail(name, v, "a list of numbers")
	}
	return script.ListOf(c, name, v, func(name string, v starlark.Value) *big.Rat {
		if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
			return nil
		}
		return c.RationalOf(name, v)
	})
}

// universe is the common interface of graph and histogram universes and of queries.
type universe interface {
	Size() int
	Space() *query.Space
}

// spaceAttrs returns the attributes of every value that has a metric space of datasets.
func spaceAttrs[T universe]() []script.Attr[T] {
	return []script.Attr[T]{
		script.Get("size -> int", "Number of datasets.", "", func(u T) any { return u.Size() }),
		script.Do("diameter -> number", "The largest distance between two datasets; inf if the universe is not connected.", "", func(c *script.Call, u T) (any, error) {
			return scriptNumber(must(u.Space().FindDiameter(c.Context))), nil
		}),
		script.Get("edge_pairs -> int", "Number of unordered neighboring pairs, 0 < distance ≤ 1.", "", func(u T) any { return u.Space().Pairs() }),
		script.Do("distance(i: dataset, j: dataset) -> number", "The distance between datasets i and j, by their numbers or names; inf if no path joins them.", "(0, 1)", func(c *script.Call, u T) (any, error) {
			return scriptNumber(u.Space().Distance(datasetAt(c, "i", u.Space()), datasetAt(c, "j", u.Space()))), nil
		}),
		ofDataset("neighbors(i: dataset) -> list", "The datasets at a distance of at most 1 from dataset i, ascending, without i: their numbers, or the names that finite_query or read_query gave them.", "(0)", func(u T, i int) any {
			if u.Space().Names() == nil {
				return script.Ints(u.Space().Neighbors(i))
			}
			return script.Each(u.Space().Neighbors(i), func(y int32) any { return called(u.Space(), int(y)) })
		}),
	}
}

// ofDataset returns a method that takes a dataset.
func ofDataset[T universe, R any](declaration, help, example string, f func(u T, i int) R) script.Attr[T] {
	return script.Do(declaration, help, example, func(c *script.Call, u T) (any, error) { return f(u, datasetAt(c, "i", u.Space())), nil })
}

var graphsClass = &script.Class[*query.Graphs]{
	Name: "graphs", Help: "A universe of unlabeled simple graphs under the edge-edit metric.", Example: "u = graphs(4)", Setup: "u = graphs(4)\n",
	Show: func(g *query.Graphs) string {
		return fmt.Sprintf("<graphs on %d nodes: %d datasets, %d neighboring pairs>", g.Nodes(), g.Size(), g.EdgePairs())
	},
	Attrs: append(spaceAttrs[*query.Graphs](),
		ofDataset("graph6(i: dataset) -> string", "The lexicographically least graph6 string of dataset i over all labellings.", "graphs(4).graph6(5)", (*query.Graphs).Graph6),
		script.Do("index(graph6: string) -> int", "The dataset of a graph6 string in any labelling.", `graphs(4).index("C~")`, func(c *script.Call, g *query.Graphs) (any, error) { return g.Index(c.Text("graph6")) }),
		ofDataset("dataset(i: dataset) -> list", "The edges of dataset i in the labelling of its least graph6 string: a list of pairs of nodes.", "graphs(4).dataset(5)", (*query.Graphs).Edges),
		ofDataset("automorphisms(i: dataset) -> int", "The number of automorphisms of dataset i: n! divided by it is the number of its labelled graphs.", "graphs(4).automorphisms(0)", (*query.Graphs).Automorphisms),
		script.Do(`count(pattern: "edge"|"triangle"|"2-star"|"3-star"|"4-clique"|"4-cycle") -> query`, `The query that counts copies of a pattern, not necessarily induced: "edge", "triangle", "2-star", "3-star", "4-clique" or "4-cycle". Its range is the set of attained counts.`, `print(graphs(4).count("triangle").values)`, func(c *script.Call, g *query.Graphs) (any, error) { return g.Count(c.Text("pattern")) }),
	),
}

var histogramsClass = &script.Class[*query.Histograms]{
	Name: "histograms", Help: "A universe of histograms.", Example: "u = histograms(types=2, records=3)", Setup: "u = histograms(types=2, records=3)\n",
	Show: func(h *query.Histograms) string {
		return fmt.Sprintf("<histograms: %d datasets, %d neighboring pairs>", h.Size(), h.Space().Pairs())
	},
	Attrs: append(spaceAttrs[*query.Histograms](),
		ofDataset("dataset(i: dataset) -> list", "The counts of dataset i, one per type.", "histograms(types=2, records=3).dataset(4)", (*query.Histograms).Dataset),
		script.Do("index(counts: ints) -> int", "The dataset with the given counts.", "histograms(types=2, records=3).index([1, 2])", func(c *script.Call, h *query.Histograms) (any, error) { return h.Index(c.Ints("counts")) }),
		script.Do("counting(types: ints) -> query", "The query that counts the records of the given types, 0-based.", "print(histograms(types=3, records=2).counting([0, 2]).values)", func(c *script.Call, h *query.Histograms) (any, error) { return h.Counting(c.Ints("types")) }),
		script.Do("linear(weights: rationals) -> query", "The query Σ weights[i]·counts[i], computed without rounding: a float means its shortest decimal, \"1/3\" is accepted.", "print(histograms(types=2, records=2).linear([1, 0.1]).range)", func(c *script.Call, h *query.Histograms) (any, error) { return h.Linear(c.Rationals("weights")) }),
		script.Do("median(values: rationals) -> query", "The lower median of the records, where a record of type i has value values[i]. Without records it is the first value.", "print(histograms(types=3, records=2).median([0, 1, 2]).values)", func(c *script.Call, h *query.Histograms) (any, error) { return h.Median(c.Rationals("values")) }),
		script.Do(`cumulative(norm: "max"|"l1"|"l2"="max") -> query`, "The empirical distribution function on the grid of types, a tuple of shares (Wu et al., Example 6): i ↦ the share of records of type at most i, 0 for no records. Functions are compared by the norm of their difference; \"max\" is the sup distance, \"l2\" is rounded up to a millionth of its unit.", "q = histograms(types=3, records=2).cumulative()\nprint(q.range[:4], q.sensitivity)", func(c *script.Call, h *query.Histograms) (any, error) {
			return h.Cumulative(query.Norm(c.Text("norm")))
		}),
		script.Do("classifier(labels: ints, classifiers: list, weights: rationals=None) -> query", "The classifier with the fewest errors on the records, the first of equals (Wu et al., Example 5). labels[type] is the label of a type. The finite class is a list of classifiers, each a list of answers by type. The distance of two classifiers is the fraction of types on which they disagree, weighted by weights.", "h = histograms(types=4, records=3)\nq = h.classifier([0, 1, 0, 1], [[0, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1]])\nprint(q.range, q.sensitivity)", func(c *script.Call, h *query.Histograms) (any, error) {
			return h.Classifier(c.Ints("labels"), wholeRows(c, "classifiers"), c.Rationals("weights"))
		}),
		script.Do("principal_component(vectors: list, k: int[1..16]=1) -> query", "The first k principal components of the records, where a record of type i is vectors[i], a list of integers (Wu et al., Example 4). They are orthonormal eigenvectors of Σ counts[i]·v·vᵀ, row after row in one tuple, made unique by the coordinate axes, with entries rounded to multiples of 2^-20. The distance is the Frobenius norm of the difference, rounded up; with k = 1 that is the spectral norm.", "h = histograms(types=4, records=3, neighbors=\"bounded\")\nq = h.principal_component([[1, 1], [1, -1], [-1, 1], [-1, -1]])\nprint(len(q.range), q.sensitivity)", func(c *script.Call, h *query.Histograms) (any, error) {
			return h.Principal(wholeRows(c, "vectors"), c.Int("k"))
		}),
		script.Do("identity() -> query", "The query that returns the histogram itself; values are tuples of counts, and the value metric is the distance of the datasets.", "print(histograms(types=2, records=1).identity().range)", func(_ *script.Call, h *query.Histograms) (any, error) { return h.Identity() }),
	),
}

var queryClass = &script.Class[*query.Query]{
	Answers: script.Answers[*query.Query]{
		"verify": recomputed(verify.Query),
	},
	Name: "query", Wanted: "a query on a finite universe", Help: "A finite query: a value per dataset of a metric space, and a range with a metric.",
	Example: `q = graphs(4).count("triangle")`, Setup: "u = graphs(4).count(\"triangle\")\n",
	Show: func(q *query.Query) string {
		text := fmt.Sprintf("<query %s: %d datasets, %d values", q.Name(), q.Size(), len(q.Range()))
		if !q.Space().IsConnected() {
			text += "; disconnected: layered mechanisms give a value that no path reaches probability 0"
		}
		return text + ">"
	},
	Attrs: append(spaceAttrs[*query.Query]()[1:],
		script.Get("size -> int", "Number of datasets.", `graphs(4).count("edge").size`, func(q *query.Query) any { return q.Size() }),
		ofDataset("dataset(i: dataset) -> value", "The name of dataset i: the one given to finite_query or read_query, the graph6 string of a graph, or the counts of a histogram. Otherwise it is the number.", "(10)", func(q *query.Query, i int) any { return scriptPlace(q.Space().Dataset(i)) }),
		ofDataset("index(i: dataset) -> int", "The number of a dataset, by its name.", "(\"C~\")", func(_ *query.Query, i int) any { return i }),
		script.Get("values -> list", "f(x) for every dataset x, in their order.", `graphs(4).count("edge").values`, func(q *query.Query) any {
			return script.List(q.Values(), scriptValue)
		}),
		script.Get("range -> list", "The values that a mechanism may output.", `graphs(4).count("triangle").range`, func(q *query.Query) any { return script.List(q.Range(), scriptValue) }),
		script.Get("sensitivity -> evidence", "The global sensitivity: the largest distance of the values of two neighbors (Wu et al., Definition 12). Exact.", `graphs(4).count("triangle").sensitivity`, func(q *query.Query) any { return q.Sensitivity() }),
		script.Do("monotonic -> bool", "Whether the query is monotonic (Wu et al., Definition 10): a dataset farther from x never has a value nearer to f(x). Decided on all pairs.", `print(graphs(4).count("triangle").monotonic, graphs(4).count("edge").monotonic)`, func(c *script.Call, q *query.Query) (any, error) {
			m, err := q.Monotonic(c.Context)
			return m.Weak, err
		}),
		script.Do("strictly_monotonic -> bool", "Whether the query is strictly monotonic (Wu et al., Definition 10): a dataset farther from x always has a value farther from f(x).", `histograms(types=1, records=3).counting([0]).strictly_monotonic`, func(c *script.Call, q *query.Query) (any, error) {
			m, err := q.Monotonic(c.Context)
			return m.Strict, err
		}),
		script.Do("monotonic_witness -> tuple?", "Datasets (x, y, z), by number or name, that show why the query is not monotonic, or not strictly monotonic: y is farther from x than z, but its value is not farther from f(x). None if it is strictly monotonic.", `graphs(4).count("triangle").monotonic_witness`, func(c *script.Call, q *query.Query) (any, error) {
			m, err := q.Monotonic(c.Context)
			s := q.Space()
			return onlyIf(!m.Strict, script.Tuple{called(s, m.X), called(s, m.Y), called(s, m.Z)}), err
		}),
		script.Do(`with_loss(loss: function|rational_rows|"squared") -> query`, `The query with a loss instead of its value metric: the cost of the answer r if the value is v. The loss is a function of v and r, a matrix over range, or "squared", (v − r)². It need not be a metric. distortion, expected_distortion and the optimum of optimal are then expected losses. Mechanisms that need a metric (ladder, exponential, delta_neighborhood) refuse the query.`, "q = graphs(4).count(\"triangle\").with_loss(\"squared\")\nprint(purest(q, 1).expected_distortion(), optimal(q, 1).optimum)", withLoss),
		ofDataset("local_sensitivity(i: dataset) -> evidence", "The largest distance of the value of dataset i to that of a neighbor (Wu et al., Definition 12). Exact.", `graphs(4).count("triangle").local_sensitivity(10)`, (*query.Query).LocalSensitivity),
	),
}

// scriptValue returns a point of a value metric space as a script value: an int, a float, a string (a name, or a
// fraction that is not a float), or a tuple of counts.
func scriptValue(v query.Value) starlark.Value {
	switch v := v.(type) {
	case query.Number:
		if f := float64(v); f == math.Trunc(f) {
			q, _ := query.RationalOf(v)
			return starlark.MakeBigInt(q.Num()) // the shortest decimal of an integer-valued float is an integer
		}
		return starlark.Float(v)
	case query.Fraction:
		if q := v.Rational(); q.IsInt() {
			return starlark.MakeBigInt(q.Num())
		}
	case query.Tuple:
		var t starlark.Tuple
		for _, p := range v {
			t = append(t, scriptValue(p))
		}
		return t
	case interface{ Counts() query.Counts }:
		var t starlark.Tuple
		for _, n := range v.Counts() {
			t = append(t, starlark.MakeInt(n))
		}
		return t
	}
	return starlark.String(v.String())
}

// scriptNumber returns an int if v is an integer, else a float.
func scriptNumber(v float64) starlark.Value {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return starlark.MakeInt64(int64(v))
	}
	return starlark.Float(v)
}

// queryValue reads a value: a number, a string, or a list of integers. If numbers is true, a string that spells a
// number is read as that number.
func queryValue(v starlark.Value, numbers bool) (query.Value, bool) {
	text, isText := starlark.AsString(v)
	if q, ok := script.ToRational(v); ok && (numbers || !isText) {
		return query.RationalValue(q), true
	}
	if isText {
		return query.Name(text), true
	}
	counts, ok := countsOf(v)
	if !ok {
		return nil, false
	}
	return query.Counts(counts), true
}

// queryValues reads a list of values, nil for None.
func queryValues(c *script.Call, name string, numbers bool) []query.Value {
	if !c.Given(name) {
		return nil
	}
	read := func(name string, v starlark.Value) query.Value {
		value, ok := queryValue(v, numbers)
		if !ok {
			c.Fail(name, v, "a number, a string or a list of counts"+script.Inexact(v))
		}
		return value
	}
	var out []query.Value
	if d, ok := c.Value(name).(*starlark.Dict); ok && name == "values" {
		for _, item := range d.Items() {
			out = append(out, read(fmt.Sprintf("values[%s]", script.Brief(item[0])), item[1]))
		}
	} else {
		out = script.ListOf(c, name, c.Value(name), read)
	}
	if len(out) == 0 {
		c.Fail(name, c.Value(name), "at least one value")
	}
	return out
}

// place returns the index in the range of the named parameter's value.
func place(c *script.Call, name string, q *query.Query) int {
	return placeOf(c, name, c.Value(name), q)
}

func placeOf(c *script.Call, name string, v starlark.Value, q *query.Query) int {
	for _, numbers := range []bool{false, true} { // a string is first looked up as a name, then as a number
		if value, ok := queryValue(v, numbers); ok {
			if r, ok := q.Find(value); ok {
				return r
			}
		}
	}
	if parts, ok := script.Elements(v); ok {
		for _, numbers := range []bool{false, true} {
			if t, ok := tupleOf(parts, numbers); ok {
				if r, ok := q.Find(t); ok {
					return r
				}
			}
		}
	}
	c.Fail(name, v, "a value of the query's range (q.range)")
	return 0
}

// tupleOf reads a point of a product.
func tupleOf(parts []starlark.Value, numbers bool) (query.Tuple, bool) {
	t := make(query.Tuple, len(parts))
	for i, p := range parts {
		var ok bool
		if t[i], ok = queryValue(p, numbers); ok {
			continue
		}
		inner, list := script.Elements(p)
		if !list {
			return nil, false
		}
		if t[i], ok = tupleOf(inner, numbers); !ok {
			return nil, false
		}
	}
	return t, true
}

// places returns the indices in the range of a list of values.
func places(c *script.Call, name string, v starlark.Value, q *query.Query) []int {
	return script.ListOf(c, name, v, func(name string, v starlark.Value) int { return placeOf(c, name, v, q) })
}

// wholeRows reads a list of lists of integers.
func wholeRows(c *script.Call, name string) [][]int {
	return script.ListOf(c, name, c.Value(name), func(name string, v starlark.Value) []int {
		return script.ListOf(c, name, v, func(name string, v starlark.Value) int { return c.IntOf(name, v) })
	})
}

// recordRelation returns the neighbor relation of records in a call.
func recordRelation(c *script.Call) query.Relation {
	return must(query.ParseRelation(c.Text("neighbors")))
}
