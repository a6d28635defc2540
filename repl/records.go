package repl

import (
	"fmt"
	"math/big"
	"strconv"

	"dpworkbench/records"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const (
	recordsSetup         = "x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)\n"
	recordQuerySetup     = recordsSetup + "q = x.median()\n"
	recordMechanismSetup = recordsSetup + "m = purest(x.median(), 1)\n"
	networkRecordsSetup  = "g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)\n"
	verificationSetup    = recordsSetup + "v = verify(x.median(), records=3, values=[0, 1, 2, 3])\n"
)

// recordData is a dataset of numbers or of categories.
type recordData struct {
	numbers *records.Records
	names   *records.Categories
}

// recordsBuiltins returns queries on one dataset and the mechanisms that exist only there. purest, delta_neighborhood,
// inverse_sensitivity, ladder, laplace, exponential and staircase accept these queries too.
func recordsBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`records(x: list, lo: rational=None, hi: rational=None, grid: rational=None, neighbors: "replace"|"add_remove"|"bounded"|"unbounded"="replace", clip: bool=False, categories: list=None) -> records`,
			`One dataset of real records, where the universe of all datasets cannot be listed: its methods are queries, and mechanisms on these give the law of the output at this dataset. lo, hi and grid are public and must not depend on x: every record of every dataset lies between lo and hi, at lo + k·grid if grid is given. Numbers are exact; a float means its shortest decimal. neighbors is "replace" (one record is replaced by any other) or "add_remove" (one record is added or removed, and every dataset has at least one). clip=True moves a record outside the bounds or off the grid to the nearest value; otherwise it is an error, as are an empty x, nan, and lo ≥ hi. categories=[…] lists names or integers instead, for mode(). A dataset is a multiset: the order of records does not matter. `+verifyHelp,
			recordsSetup+"print(x, x.median(), purest(x.median(), ln(3)).distortion())\nprint(records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode().value)", newRecords),
		script.Func(`network_records(x: network|pairs, neighbors: "edge"|"node"="edge", nodes: int=None) -> network_records`,
			`One graph, where the universe of all graphs cannot be listed: its methods are queries. x is a network, or a list of pairs of node numbers without loops and repeated edges. Nodes are public, from 0 to nodes − 1; None means up to the largest in x. neighbors is "edge" (one edge is added or removed) or "node" (all edges of one node change). Under "node" components is refused, because no polynomial-time bounds are known here. edges, triangles and components are queries here, but numbers on a network, and components(s) of a matrix is a different function. `+verifyHelp,
			networkRecordsSetup+"print(g, g.triangles(), purest(g.triangles(), 1).distortion())", newNetworkRecords),
		script.Func(`record_query(value: function, distance: function=None, up: function=None, down: function=None, on: records|network_records=None, range: rationals=None, neighbors: "replace"|"add_remove"|"edge"|"node"=None, exact: bool=False) -> record_query`,
			`A query of your own on one dataset, by functions. value(x) is f(x). Give either distance(x, r), the least number of changes of x that reach the value r, or None if none does; or up(x, t) and down(x, t), bounds of how far t ≥ 1 changes can move f, math.inf for no bound. Values within these bounds are in layer t. x is the list of records in ascending order, or the pair (nodes, edges) of a graph. on is the dataset for mechanisms; without it the query is only for verify, under neighbors. range is [lo, hi, step] of the possible outputs, or [lo, hi] for an interval; None means the range and grid of the records. exact=True claims that up and down give distances. verify(q) tests all this: it says whether the layers are the distances, a valid bound, or wrong, with a dataset.`,
			"q = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]) if r in x else max(1, len([v for v in x if v > r])))\nprint(verify(q, records=3, values=range(4)))\nwrong = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]))\nprint(verify(wrong, records=3, values=range(4)).witness)", newOwnQuery),
		script.Func(`verify(x: value, records: int=5, values: numbers=[0, 1, 2, 3, 4, 5, 6, 7, 8], nodes: int=6, decay: epsilon=1) -> verification|recomputation`,
			`Recomputes x in a small case with simple, independent code. v.verdict is confirmed only if every part is, v.cases is the number of compared numbers, and v.witness the first disagreement. For finite mechanisms, layered and optimal ones included, and finite queries, it recomputes all distances, neighbors, sensitivities, layers, probabilities, distortions, ε and δ from their definitions. For XOR laws of at most 16 bits it enumerates all states, and neighbors in one or two bits, a row or an edge. For MVG designs it evaluates the extremal differences of the sensitivity set and random ones. For private projections of at most 10 signs of 32 numbers it checks σ, levels, and all patterns of signs at vectors of few digits and their neighbors, in the three threat models. For strategies for at most 10 columns it checks every entry of BC, the sensitivity over all sets of steps, and the errors. For discrete noise on the line it checks the points within float64's range. For programs, and any privacy of these or made from them by privacy, compose, subsample, two_laws and known, it computes the laws of outputs, products of laws, and laws of sampled records. For a mechanism on records it does so at all datasets or, if these cannot be listed, for its claim. Continuous noise has no finite case, and neither has sampling without replacement used twice. For a record query, or a mechanism on one, it tests layers and ε on every dataset of a small universe, with the code that is used on real datasets. The universe has all datasets of the given number of records from values, equally spaced values that replace lo, hi and grid (under add_remove all of 1 to that number), or all graphs with the given number of nodes. Layers are compared with distances found by a search of the universe: exact layers must equal them, others may be smaller, and layers of neighbors differ by at most 1. Local sensitivities at every distance, and the global one, are compared with the largest changes between neighbors. The smallest ε over all neighbors must be at most the claim. For a query the mechanism is purest(x, decay). Under add_remove a distance is compared only if the universe's datasets decide it. For a mode, values are the first categories. The test covers this universe. For all others a theorem is needed, which query.ground names, except for functions of your own.`,
			"print(verify(purest(graphs(4).count(\"triangle\"), 1)))\n"+verificationSetup+"print(v)\nprint(verify(laplace("+"x.mean(), ln(2)), records=3, values=range(4)).smallest_epsilon)", newVerification),
		script.Func(`permute_and_flip(q: record_query, eps: epsilon) -> record_mechanism`,
			`The permute-and-flip mechanism (McKenna and Sheldon 2020) for a mode: categories are visited in random order, and each is accepted with probability e^{−ε·gap/2}, where gap is the largest count minus its own count. Under add_remove the probability is e^{−ε·gap}, because all counts change in one direction. ε-differentially private. Exact if e^{−ε/2} is rational, for up to 24 categories.`,
			"q = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode()\nprint(permute_and_flip(q, ln(4)).distortion(), exponential(q, ln(4)).distortion())",
			func(c *script.Call) (any, error) {
				return records.NewPermuteAndFlip(atDataset(c, "q"), c.Epsilon("eps"))
			}),
		script.Func(`noisy_max(q: record_query, eps: epsilon, noise: "laplace"|"exponential"|"gumbel"="exponential") -> record_mechanism`,
			`The category with the largest noisy count, for a mode: "laplace" noise of scale 2/eps, 1/eps under add_remove (Dwork and Roth 2014, Claim 3.9), up to 128 categories; "exponential" noise, which gives the law of permute_and_flip (Ding et al. 2021); or "gumbel" noise, that of exponential(q, eps). ε-differentially private.`,
			"q = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode()\nprint(noisy_max(q, 1, noise=\"gumbel\").probability(\"b\"), noisy_max(q, 1, noise=\"laplace\").probability(\"b\"))",
			func(c *script.Call) (any, error) {
				return records.NewNoisyMax(atDataset(c, "q"), c.Epsilon("eps"), c.Text("noise"))
			}),
		script.Func(`noisy_mean(q: record_query, eps: epsilon, share: rational="1/2") -> record_mechanism`,
			`A mean under add_remove as a noisy sum over a noisy count: c + S/max(1, N), clamped to lo … hi. c is the midpoint of lo and hi. S is the sum of the records' differences from c plus geometric noise for sensitivity (hi − lo)/2 at share·eps. N is the number of records plus geometric noise for sensitivity 1 at the rest of eps. Adding or removing a record changes the two sums by at most these sensitivities, so the release of both is eps-differentially private, and so is their ratio. Probabilities, errors and quantiles are sums over the values of N, certified; outputs are fractions. q is the mean of records with a grid, which may be fine; clip=True moves records to it. If every dataset has at least one record, laplace(q, eps) needs no count; it has Δ = (hi − lo)/2, which is better for few records only. Source: Li, Lyu, Su and Yang 2016, Section 2.5.`,
			"x = records([3, 8, 8, 2, 5] * 20, lo=0, hi=10, grid=1, neighbors=\"add_remove\")\nm = noisy_mean(x.mean(), 1)\nprint(m.distortion(), m.error_quantile(0.9), m.probability(5, 6))\nprint(laplace(x.mean(), 1).distortion())",
			func(c *script.Call) (any, error) {
				return records.NewNoisyMean(atDataset(c, "q"), c.Epsilon("eps"), c.Rational("share"))
			}),
	}
}

func newRecords(c *script.Call) (any, error) {
	neighbors := recordRelation(c)
	if c.Given("categories") {
		if c.Given("lo") || c.Given("hi") || c.Given("grid") || c.Bool("clip") {
			return nil, fmt.Errorf("categories is given with lo, hi, grid or clip, want categories alone or the others without it")
		}
		return &recordData{names: must(records.NewCategories(nameList(c, "x"), nameList(c, "categories"), neighbors))}, nil
	}
	o := records.Options{Neighbors: neighbors, Clip: c.Bool("clip"), Lo: c.Rational("lo"), Hi: c.Rational("hi"), Grid: c.Rational("grid")}
	x := script.ListOf(c, "x", c.Value("x"), func(name string, v starlark.Value) float64 {
		f, ok := starlark.AsFloat(v)
		if e, is := v.(*script.Evidence); is && !ok {
			q, exact := script.ToRational(e)
			if f, ok = 0, exact; ok {
				f, _ = q.Float64()
			}
		}
		if !ok {
			c.Fail(name, v, "a number")
		}
		return f
	})
	return &recordData{numbers: must(records.New(x, o))}, nil
}

// nameList reads names: strings or integers.
func nameList(c *script.Call, name string) []string {
	return script.ListOf(c, name, c.Value(name), func(name string, v starlark.Value) string {
		if s, ok := starlark.AsString(v); ok {
			return s
		}
		k, ok := script.ToInt(v)
		if !ok {
			c.Fail(name, v, "a string or a whole number")
		}
		return strconv.Itoa(k)
	})
}

func newNetworkRecords(c *script.Call) (any, error) {
	neighbors := records.Neighbors(c.Text("neighbors"))
	if n, ok := c.Arg("x").(*network); ok {
		if c.Given("nodes") && c.Int("nodes") != n.nodes() {
			return nil, fmt.Errorf("nodes = %d, want %d, the number of nodes of the network, or None", c.Int("nodes"), n.nodes())
		}
		return records.NewGraph(n.nodes(), records.EdgesOf(n.bits.Rows()), neighbors)
	}
	edges := c.Pairs("x")
	nodes := 0
	for _, e := range edges {
		nodes = max(nodes, e[0]+1, e[1]+1, 2) // a graph with an edge has at least two nodes
	}
	if c.Given("nodes") {
		nodes = c.Int("nodes")
	}
	return records.NewGraph(nodes, edges, neighbors)
}

// atDataset returns the argument if it is a record query with a dataset.
func atDataset(c *script.Call, name string) *records.Query {
	q := recordQueryClass.Arg(c, name)
	if q.IsBare() {
		c.Stop("%s is a custom query without a dataset, want on=… in record_query, or verify", name)
	}
	return q
}

// recordOr returns the record query of a parameter that also accepts other queries, and whether it is one.
func recordOr(c *script.Call, name string) (*records.Query, bool) {
	if _, ok := c.Arg(name).(*records.Query); !ok {
		return nil, false
	}
	return atDataset(c, name), true
}

// numbersOnly returns the method for a query that only datasets of numbers have.
func numbersOnly(declaration, help, example string, f func(c *script.Call, r *records.Records) (*records.Query, error)) script.Attr[*recordData] {
	return script.Do(declaration, help, example, func(c *script.Call, d *recordData) (any, error) { return f(c, d.numbers) }).
		If(func(d *recordData) bool { return d.numbers != nil }, "a dataset of categories has only the query mode")
}

var recordsClass = &script.Class[*recordData]{
	Name: "records", Wanted: "the result of records", Help: "One dataset of records. Its methods are queries at this dataset.", Setup: recordsSetup,
	Show: func(d *recordData) string {
		if d.names != nil {
			return "<" + d.names.String() + ">"
		}
		return "<" + d.numbers.String() + ", " + string(d.numbers.Options().Neighbors) + ">"
	},
	Attrs: []script.Attr[*recordData]{
		script.Get("size -> int", "The number of records.", "", func(d *recordData) any {
			if d.names != nil {
				return d.names.Len()
			}
			return d.numbers.Len()
		}),
		numbersOnly("median() -> record_query", "The lower median, record number ⌈n/2⌉ in ascending order. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Median() }),
		numbersOnly("quantile(p: rational) -> record_query", "Record number ⌈pn⌉ in ascending order, 0 ≤ p ≤ 1, the first for p = 0. Exact distances.", "(0.9)", func(c *script.Call, r *records.Records) (*records.Query, error) {
			return r.Quantile(c.Rational("p"))
		}),
		numbersOnly("minimum() -> record_query", "The smallest record. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Minimum() }),
		numbersOnly("maximum() -> record_query", "The largest record. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Maximum() }),
		numbersOnly("total() -> record_query", "The sum of the records. Exact distances under replacement, bounds under add_remove. There the range is unbounded, except that it ends at 0 if lo ≥ 0 or hi ≤ 0.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Total() }),
		numbersOnly("mean() -> record_query", "The mean of the records. Exact distances under replacement, bounds under add_remove. Under add_remove noisy_mean releases it as a noisy sum divided by a noisy count.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Mean() }),
		numbersOnly("trimmed_mean(k: int) -> record_query", "The mean without the k smallest and the k largest records, under replacement. Exact distances.", "(1)", func(c *script.Call, r *records.Records) (*records.Query, error) { return r.TrimmedMean(c.Int("k")) }),
		numbersOnly("quantile_range(p: rational=0.25, q: rational=0.75) -> record_query", "The difference of records number ⌈qn⌉ and ⌈pn⌉ in ascending order, under replacement: the interquartile range by default, max − min for 0 and 1. The two numbers must differ. Exact distances.", "()", func(c *script.Call, r *records.Records) (*records.Query, error) {
			return r.QuantileRange(c.Rational("p"), c.Rational("q"))
		}),
		numbersOnly("variance() -> record_query", "The mean squared distance of the records from their mean, for records with neighbors=\"replace\". Distances are exact without a grid. With a grid they are bounds, because not every variance between the extremes occurs.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Variance() }),
		numbersOnly("count(predicate: function) -> record_query", "The number of records that satisfy a predicate, such as lambda v: v > 5. The predicate is evaluated at up to 65537 values between lo and hi. Distances are exact if some of these satisfy it and some do not, or if the whole grid was evaluated; otherwise they are bounds.", recordsSetup+"print(x.count(lambda v: v > 4))", func(c *script.Call, r *records.Records) (*records.Query, error) {
			f := c.Kept("predicate")
			return r.Count(func(v *big.Rat) (bool, error) {
				is, err := f(rationalValue(v))
				return err == nil && bool(is.Truth()), err
			})
		}),
		script.Do("mode() -> record_query", "The most frequent category, the first of equals. Any other category has error 1. Exact distances.", "x = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"])\nprint(x.mode())", func(_ *script.Call, d *recordData) (any, error) { return d.names.Mode() }).
			If(func(d *recordData) bool { return d.names != nil }, "numbers have no categories: see the parameter categories of records"),
	},
}

var networkRecordsClass = &script.Class[*records.Graph]{
	Name: "network_records", Wanted: "the result of network_records", Help: "One graph. Its methods are queries at this graph.", Setup: networkRecordsSetup,
	Show: func(g *records.Graph) string {
		return fmt.Sprintf("<graph of %d nodes and %d edges, neighbors differ by one %s>", g.Nodes(), g.Len(), g.Neighbors())
	},
	Attrs: []script.Attr[*records.Graph]{
		script.Get("nodes -> int", "The number of nodes.", "", func(g *records.Graph) any { return g.Nodes() }),
		script.Do("edges() -> record_query", "The number of edges: exact distances under edges, bounds under nodes. On a network, edges is the number itself.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.Edges() }),
		script.Do("triangles() -> record_query", "The number of triangles: bounds. graphs(n).count(\"triangle\") is the query on a listed universe.", "()", func(c *script.Call, g *records.Graph) (any, error) { return g.Triangles(c.Context) }),
		script.Do("k_star(k: int) -> record_query", "The number of k-stars, a node with k of its neighbors: bounds.", "(2)", func(c *script.Call, g *records.Graph) (any, error) { return g.KStar(c.Int("k")) }),
		script.Do("maximum_degree() -> record_query", "The largest degree: bounds.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.MaximumDegree() }),
		script.Do("components() -> record_query", "The number of connected components, under edges: bounds. On a network, components is the number itself; components(s) of a symmetric matrix are its eigenvalues and eigenvectors.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.Components() }),
	},
}

// recordValue returns a value of a query as a script value.
func recordValue(q *records.Query, v float64) any {
	if name, ok := q.Category(int(v)); ok {
		return name
	}
	return scriptNumber(v)
}

// recordAt reads a value of a query's range.
func recordAt(c *script.Call, name string, q *records.Query) *big.Rat {
	v := c.Value(name)
	if _, categories := q.Category(0); categories {
		text, ok := starlark.AsString(v)
		if k, whole := script.ToInt(v); !ok && whole {
			text = strconv.Itoa(k)
		}
		return big.NewRat(int64(must(q.Place(text))), 1)
	}
	return c.RationalOf(name, v)
}

// rangeEnd returns an end of a range, None if there is none.
func rangeEnd(q *big.Rat) any {
	if q == nil {
		return starlark.None
	}
	return rationalValue(q)
}

var recordQueryClass = &script.Class[*records.Query]{
	Answers: script.Answers[*records.Query]{
		"verify": func(c *script.Call, q *records.Query) (any, error) {
			decay := c.Epsilon("decay")
			return records.Verify(c.Context, q, func(q *records.Query) (records.Law, error) { return records.NewPurest(q, decay) }, smallUniverse(c))
		},
	},
	Name: "record_query", Wanted: "a query of records or network_records", Help: "A query at one dataset, with its layers there.", Setup: recordQuerySetup,
	Show: func(q *records.Query) string {
		if q.IsBare() {
			return "<own query, at no dataset>"
		}
		how := "bounds"
		if q.Exact() {
			how = "exact distances"
		}
		value, _ := q.Value().Float64()
		return fmt.Sprintf("<%s: %v, %s>", q.Name(), recordValue(q, value), how)
	},
	Attrs: []script.Attr[*records.Query]{
		script.Get("name -> string", "The name of the query and of its dataset.", "", func(q *records.Query) any { return q.Name() }),
		script.Get("value -> evidence|string", "f(x) at this dataset, exact; the category of a mode.", "", func(q *records.Query) any {
			v := q.Value()
			if name, ok := q.Category(int(v.Num().Int64())); ok {
				return name
			}
			return q.Answer()
		}),
		script.Get("exact -> bool", "Whether layers are the distances to the nearest dataset with a value. Otherwise they are valid lower bounds: mechanisms based on them keep their claim, but are not the purest.", "", func(q *records.Query) any { return q.Exact() }),
		script.Get("ground -> string", "The theorem behind the layers; docs/records.md has the proofs.", "", func(q *records.Query) any { return q.Ground() }),
		script.Get("stands_for -> record_query?", "The original query of a lipschitz_extension; None for other queries.", networkRecordsSetup+"q = lipschitz_extension(network_records([(0, 1), (0, 2), (0, 3)], neighbors=\"node\").edges(), on=1)\nprint(q.value, q.stands_for.value)", func(q *records.Query) any {
			if q.Original() == nil {
				return nil
			}
			return q.Original()
		}),
		script.Get("neighbors -> string", `Which datasets are neighbors: "replace", "add_remove", "edge" or "node".`, "", func(q *records.Query) any { return string(q.Neighbors()) }),
		script.Get("range -> tuple", "The range of values: (lo, hi, step), with None for no bound, and None for step if all numbers between are values.", "", func(q *records.Query) any {
			g := q.Range()
			return script.Tuple{rangeEnd(g.Lo), rangeEnd(g.Hi), rangeEnd(g.Step)}
		}),
		script.Do("layer(r: value) -> int?", "L^x(r): the number of changes that reach the value r, or a lower bound of it; None if no changes do.", "(9)", func(c *script.Call, q *records.Query) (any, error) {
			layer, err := q.Layer(recordAt(c, "r", q))
			return onlyIf(layer >= 0, layer), err
		}),
		script.Do("moves(t: int[0..]) -> tuple", "How far t changes of records can move the value up and down within the range: a pair (up, down) of exact distances or of bounds, with None where there is no bound. Layers 0 to t are the values from f(x) − down to f(x) + up.", "(1)", func(c *script.Call, q *records.Query) (any, error) {
			up, down, err := q.Moves(c.Int("t"))
			return script.Tuple{rangeEnd(up), rangeEnd(down)}, err
		}),
		script.Do("local_sensitivity(t: int[0..]=0) -> evidence", "I_t, the largest change between two neighbors one of which is within t changes of this dataset, or an upper bound; the bound of a neighbor at t is at most this dataset's at t + 1. ladder and smooth_sensitivity use it. Exact if it is the largest change; otherwise certified, with the bound as hi.", "(1)", func(c *script.Call, q *records.Query) (any, error) { return q.LocalSensitivity(c.Int("t")) }),
		script.Do("global_sensitivity -> evidence?", "The largest change between any neighbors, which scales the noise of laplace and staircase: exact, or an upper bound, certified; None if unknown.", "", func(_ *script.Call, q *records.Query) (any, error) {
			if q.Global() == nil {
				return nil, nil
			}
			return q.GlobalSensitivity()
		}),
	},
}
