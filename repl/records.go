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
			`One dataset of real records, where the universe of all datasets cannot be listed: its methods are queries, and mechanisms of these say what they output at this dataset. lo, hi and grid are public and do not depend on x: every record of every dataset lies between lo and hi, on lo + k·grid where grid is given; numbers are exact, a float meaning its shortest decimal. neighbors is "replace", one record may be any other, or "add_remove", one record more or less, every dataset having at least one. clip=True moves what lies outside or beside the grid to the nearest value; otherwise it is refused, as are an empty x, nan, and lo ≥ hi. categories=[…] takes names or whole numbers instead, for mode(). Equal records are told apart by nothing. `+verifyHelp,
			recordsSetup+"print(x, x.median(), purest(x.median(), ln(3)).distortion())\nprint(records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode().value)", newRecords),
		script.Func(`network_records(x: network|pairs, neighbors: "edge"|"node"="edge", nodes: int=None) -> network_records`,
			`One graph, where the universe of all graphs cannot be listed: its methods are queries. x is a network, or a list of pairs of node numbers, simple: a loop or a repeated edge is refused. Nodes are public, from 0 to nodes − 1; None means up to the largest of x. neighbors is "edge", one edge more or less, or "node", all edges of one node may be any others: there components is refused, which has no bounds in polynomial time here. The words edges, triangles and components mean queries here, numbers on a network; components(s) of a matrix is another thing. `+verifyHelp,
			networkRecordsSetup+"print(g, g.triangles(), purest(g.triangles(), 1).distortion())", newNetworkRecords),
		script.Func(`record_query(value: function, distance: function=None, up: function=None, down: function=None, on: records|network_records=None, range: rationals=None, neighbors: "replace"|"add_remove"|"edge"|"node"=None, exact: bool=False) -> record_query`,
			`A query of your own on one dataset, by functions. value(x) is f(x). Either distance(x, r) is the least number of changes of x that reach the value r, None where none does; or up(x, t) and down(x, t) bound how far t ≥ 1 changes can move f, math.inf for any way: values within them are in layer t. x is the list of records in ascending order, or the pair (nodes, edges) of a graph. on is the dataset that mechanisms are for; without it the query is for verify alone, under neighbors. range is [lo, hi, step] of the values that may be output, [lo, hi] for all between; None is the range and grid of the records. exact=True claims that up and down give distances. Nothing is believed: verify(q) says whether layers are the distances, a valid bound, or wrong, with a dataset.`,
			"q = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]) if r in x else max(1, len([v for v in x if v > r])))\nprint(verify(q, records=3, values=range(4)))\nwrong = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]))\nprint(verify(wrong, records=3, values=range(4)).witness)", newOwnQuery),
		script.Func(`verify(x: value, records: int=5, values: numbers=[0, 1, 2, 3, 4, 5, 6, 7, 8], nodes: int=6, decay: epsilon=1) -> verification|recomputation`,
			`Checks x in a small case by the plainest code, which shares nothing with the code that answers: v.verdict is confirmed only if every part is, v.cases the numbers that were compared, v.witness the first disagreement. Finite mechanisms, layered and optimal ones too, and finite queries: all distances, neighbors, sensitivities, layers, probabilities, distortions, ε and δ from definitions. XOR laws of at most 16 bits: all states, and neighbors in one or two bits, a row, an edge. MVG designs: the extremal differences of the sensitivity set and random ones. Private projections of at most 10 signs of 32 numbers: σ, levels, and all patterns of signs at vectors of few digits and their neighbors, in the three readings. Strategies for at most 10 columns: every entry of BC, the sensitivity over all sets of steps, and the errors. Discrete noise on the line: its points as far as float64 tells. Programs, and any privacy of these or made of them by privacy, compose, subsample, two_laws and known: the laws of their outputs, products of laws, laws of drawn records; of a mechanism on records at all datasets or, where these cannot be listed, what it claims. Continuous noise in it has no finite case, nor has sampling without replacement used twice. Of a record query, or a mechanism on one, it tests layers and ε on every dataset of a small universe, with the same code that answers at real ones: all datasets of so many records from values, which rise by equal steps and stand for lo, hi and grid (under add_remove all of 1 to so many), or all graphs of so many nodes. Layers are compared with the distances that a search of the universe finds, equal where they are said to be exact, at most these elsewhere, and with those of neighbors, from which they differ by at most 1; local sensitivities at every distance, and the global one, with the largest changes between neighbors; the smallest ε of the mechanism over all neighbors with what it claims, which is confirmed where it is no larger and no part is wrong. Of a query the mechanism is purest(x, decay). Under add_remove a distance is compared as far as datasets of the universe decide it. Of a mode values stand for the first categories. Tested on this universe; that it holds on all others is a theorem, which query.ground names, but for functions of one's own.`,
			"print(verify(purest(graphs(4).count(\"triangle\"), 1)))\n"+verificationSetup+"print(v)\nprint(verify(laplace("+"x.mean(), ln(2)), records=3, values=range(4)).smallest_epsilon)", newVerification),
		script.Func(`permute_and_flip(q: record_query, eps: epsilon) -> record_mechanism`,
			`The permute-and-flip mechanism (McKenna and Sheldon 2020) of a mode, by counts: categories come in random order, and each is taken with chance e^{−ε·gap/2}, gap its distance below the largest count; e^{−ε·gap} under add_remove, where all counts move one way. ε-differentially private. Exact where e^{−ε/2} is rational, for up to 24 categories.`,
			"q = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode()\nprint(permute_and_flip(q, ln(4)).distortion(), exponential(q, ln(4)).distortion())",
			func(c *script.Call) (any, error) {
				return records.NewPermuteAndFlip(atDataset(c, "q"), c.Epsilon("eps"))
			}),
		script.Func(`noisy_max(q: record_query, eps: epsilon, noise: "laplace"|"exponential"|"gumbel"="exponential") -> record_mechanism`,
			`The category of a mode whose count with noise is the largest: "laplace" noise of scale 2/eps, 1/eps under add_remove (Dwork and Roth 2014, Claim 3.9), up to 128 categories; "exponential" noise, which gives the law of permute_and_flip (Ding et al. 2021); or "gumbel" noise, that of exponential(q, eps). ε-differentially private.`,
			"q = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode()\nprint(noisy_max(q, 1, noise=\"gumbel\").probability(\"b\"), noisy_max(q, 1, noise=\"laplace\").probability(\"b\"))",
			func(c *script.Call) (any, error) {
				return records.NewNoisyMax(atDataset(c, "q"), c.Epsilon("eps"), c.Text("noise"))
			}),
		script.Func(`noisy_mean(q: record_query, eps: epsilon, share: rational="1/2") -> record_mechanism`,
			`A mean under add_remove as a noisy sum over a noisy count: c + S/max(1, N), clamped to lo … hi, so that a count below 1 stands for 1. c is the middle of lo and hi, S the sum of the records' distances from c with geometric noise for sensitivity (hi − lo)/2 at share·eps, N the number of records with geometric noise for sensitivity 1 at the rest of eps. One record more or less moves the two sums by at most these, so that the release of both is eps-differentially private, and so is their ratio. Probabilities, errors and quantiles are sums over the values of N, certified; outputs are fractions. q is the mean of records with a grid, which may be fine: clip=True moves records to it. laplace(q, eps) needs no count where every dataset has at least one record: Δ is (hi − lo)/2 then, which is worse but for few records. Source: Li, Lyu, Su and Yang 2016, Section 2.5.`,
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
		nodes = max(nodes, e[0]+1, e[1]+1, 2) // a graph with an edge has two nodes
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

// recordOr returns the record query of a parameter that also accepts other queries.
func recordOr(c *script.Call, name string) (*records.Query, bool) {
	if _, ok := c.Arg(name).(*records.Query); !ok {
		return nil, false
	}
	return atDataset(c, name), true
}

// numbersOnly returns a query that only datasets of numbers have.
func numbersOnly(declaration, help, example string, f func(c *script.Call, r *records.Records) (*records.Query, error)) script.Attr[*recordData] {
	return script.Do(declaration, help, example, func(c *script.Call, d *recordData) (any, error) { return f(c, d.numbers) }).
		If(func(d *recordData) bool { return d.numbers != nil }, "categories have a mode")
}

var recordsClass = &script.Class[*recordData]{
	Name: "records", Wanted: "what records gives", Help: "One dataset of records. Its methods are queries at this dataset.", Setup: recordsSetup,
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
		numbersOnly("median() -> record_query", "The lower median, the record of place ⌈n/2⌉ in ascending order. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Median() }),
		numbersOnly("quantile(p: rational) -> record_query", "The record of place ⌈pn⌉ in ascending order, 0 ≤ p ≤ 1, the first for p = 0. Exact distances.", "(0.9)", func(c *script.Call, r *records.Records) (*records.Query, error) {
			return r.Quantile(c.Rational("p"))
		}),
		numbersOnly("minimum() -> record_query", "The smallest record. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Minimum() }),
		numbersOnly("maximum() -> record_query", "The largest record. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Maximum() }),
		numbersOnly("total() -> record_query", "The sum of the records. Exact distances under replacement, bounds under add_remove, where its range has no end but 0.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Total() }),
		numbersOnly("mean() -> record_query", "The mean of the records. Exact distances under replacement, bounds under add_remove, where noisy_mean answers it by a noisy sum over a noisy count.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Mean() }),
		numbersOnly("trimmed_mean(k: int) -> record_query", "The mean of what is left without the k smallest and the k largest records, under replacement. Exact distances.", "(1)", func(c *script.Call, r *records.Records) (*records.Query, error) { return r.TrimmedMean(c.Int("k")) }),
		numbersOnly("quantile_range(p: rational=0.25, q: rational=0.75) -> record_query", "How far the record of place ⌈qn⌉ in ascending order lies above that of place ⌈pn⌉, under replacement: the interquartile range by default, max − min for 0 and 1. The places must differ. Exact distances.", "()", func(c *script.Call, r *records.Records) (*records.Query, error) {
			return r.QuantileRange(c.Rational("p"), c.Rational("q"))
		}),
		numbersOnly("variance() -> record_query", "The mean squared distance from the mean, under replacement: exact distances without a grid, bounds on one, where variances leave gaps.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Variance() }),
		numbersOnly("count(predicate: function) -> record_query", "How many records satisfy a function of one, such as lambda v: v > 5. Exact distances where values between lo and hi are known to satisfy it and to fail to, as the function is asked for up to 65537 of them, or where it is asked for all of a grid; bounds elsewhere.", recordsSetup+"print(x.count(lambda v: v > 4))", func(c *script.Call, r *records.Records) (*records.Query, error) {
			f := c.Kept("predicate")
			return r.Count(func(v *big.Rat) (bool, error) {
				is, err := f(rationalValue(v))
				return err == nil && bool(is.Truth()), err
			})
		}),
		script.Do("mode() -> record_query", "The most frequent category, of equals the first of the list. The error of another is 1. Exact distances.", "x = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"])\nprint(x.mode())", func(_ *script.Call, d *recordData) (any, error) { return d.names.Mode() }).
			If(func(d *recordData) bool { return d.names != nil }, "numbers have no categories: see the parameter categories of records"),
	},
}

var networkRecordsClass = &script.Class[*records.Graph]{
	Name: "network_records", Wanted: "what network_records gives", Help: "One graph. Its methods are queries at this graph.", Setup: networkRecordsSetup,
	Show: func(g *records.Graph) string {
		return fmt.Sprintf("<graph of %d nodes and %d edges, neighbors differ by one %s>", g.Nodes(), g.Len(), g.Neighbors())
	},
	Attrs: []script.Attr[*records.Graph]{
		script.Get("nodes -> int", "The number of nodes.", "", func(g *records.Graph) any { return g.Nodes() }),
		script.Do("edges() -> record_query", "The query of the number of edges: exact distances under edges, bounds under nodes. On a network, edges is the number itself.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.Edges() }),
		script.Do("triangles() -> record_query", "The query of the number of triangles: bounds. graphs(n).count(\"triangle\") is the query on a listed universe.", "()", func(c *script.Call, g *records.Graph) (any, error) { return g.Triangles(c.Context) }),
		script.Do("k_star(k: int) -> record_query", "The query of the number of k-stars, a node with k of its neighbors: bounds.", "(2)", func(c *script.Call, g *records.Graph) (any, error) { return g.KStar(c.Int("k")) }),
		script.Do("maximum_degree() -> record_query", "The query of the largest degree: bounds.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.MaximumDegree() }),
		script.Do("components() -> record_query", "The query of the number of connected components, under edges: bounds. On a network, components is the number itself; components(s) of a symmetric matrix are its eigenvalues and eigenvectors.", "()", func(_ *script.Call, g *records.Graph) (any, error) { return g.Components() }),
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
	Name: "record_query", Wanted: "a query of records or network_records", Help: "A query at one dataset, which knows its layers there.", Setup: recordQuerySetup,
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
		script.Get("name -> string", "Which query of what it is.", "", func(q *records.Query) any { return q.Name() }),
		script.Get("value -> evidence|string", "f(x) at this dataset, exact; the category of a mode.", "", func(q *records.Query) any {
			v := q.Value()
			if name, ok := q.Category(int(v.Num().Int64())); ok {
				return name
			}
			return q.Answer()
		}),
		script.Get("exact -> bool", "Whether layers are the distances to the nearest dataset that reaches a value. Elsewhere they are at most these, and valid: mechanisms of them keep their claim and are not the purest.", "", func(q *records.Query) any { return q.Exact() }),
		script.Get("ground -> string", "Where the layers come from; docs/records.md has the proofs.", "", func(q *records.Query) any { return q.Ground() }),
		script.Get("stands_for -> record_query?", "The query for which a lipschitz_extension stands; None of others.", networkRecordsSetup+"q = lipschitz_extension(network_records([(0, 1), (0, 2), (0, 3)], neighbors=\"node\").edges(), on=1)\nprint(q.value, q.stands_for.value)", func(q *records.Query) any {
			if q.Original() == nil {
				return nil
			}
			return q.Original()
		}),
		script.Get("neighbors -> string", `Which datasets are neighbors: "replace", "add_remove", "edge" or "node".`, "", func(q *records.Query) any { return string(q.Neighbors()) }),
		script.Get("range -> tuple", "Where values lie: (lo, hi, step), None without an end, and for step where all between are values.", "", func(q *records.Query) any {
			g := q.Range()
			return script.Tuple{rangeEnd(g.Lo), rangeEnd(g.Hi), rangeEnd(g.Step)}
		}),
		script.Do("layer(r: value) -> int?", "L^x(r): how many changes reach the value r, or a bound from below; None where none do.", "(9)", func(c *script.Call, q *records.Query) (any, error) {
			layer, err := q.Layer(recordAt(c, "r", q))
			return onlyIf(layer >= 0, layer), err
		}),
		script.Do("moves(t: int[0..]) -> tuple", "How far t changes can move the value, or bounds of it within the range: (up, down), None without an end. Layer t ends there.", "(1)", func(c *script.Call, q *records.Query) (any, error) {
			up, down, err := q.Moves(c.Int("t"))
			return script.Tuple{rangeEnd(up), rangeEnd(down)}, err
		}),
		script.Do("local_sensitivity(t: int[0..]=0) -> evidence", "I_t, the largest change between neighbors of which one is within t changes of this dataset, or a bound from above that no neighbor's at t exceeds at t + 1: what ladder sums and smooth sensitivity weighs. Exact where it is the largest change; certified elsewhere, and its value, which is hi, is the bound.", "(1)", func(c *script.Call, q *records.Query) (any, error) { return q.LocalSensitivity(c.Int("t")) }),
		script.Do("global_sensitivity -> evidence?", "The largest change between any neighbors, for which laplace and staircase take noise, exact or a bound from above, certified, as that of local_sensitivity; None where none is known.", "", func(_ *script.Call, q *records.Query) (any, error) {
			if q.Global() == nil {
				return nil, nil
			}
			return q.GlobalSensitivity()
		}),
	},
}
