package repl

import (
	"fmt"
	"math/big"
	"strconv"

	"dpworkbench/display"
	"dpworkbench/evidence"
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

// recordsBuiltins are queries on one dataset and the mechanisms that only they have; purest,
// delta_neighborhood, inverse_sensitivity, ladder, laplace, exponential and staircase take them too.
func recordsBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`records(x: list, lo: rational=None, hi: rational=None, grid: rational=None, neighbors: "replace"|"add_remove"="replace", clip: bool=False, categories: list=None) -> records`,
			`One dataset of real records, where the universe of all datasets cannot be listed: its methods are queries, and mechanisms of these say what they output at this dataset. lo, hi and grid are public and do not depend on x: every record of every dataset lies between lo and hi, on lo + k·grid where grid is given; numbers are exact, a float meaning its shortest decimal. neighbors is "replace", one record may be any other, or "add_remove", one record more or less, every dataset having at least one. clip=True moves what lies outside or beside the grid to the nearest value; otherwise it is refused, as are an empty x, nan, and lo ≥ hi. categories=[…] takes names or whole numbers instead, for mode(). Equal records are told apart by nothing. `+verifyHelp,
			recordsSetup+"print(x, x.median(), purest(x.median(), ln(3)).distortion())\nprint(records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"]).mode().value)", newRecords),
		script.Func(`network_records(x: network|pairs, neighbors: "edge"|"node"="edge", nodes: int=None) -> network_records`,
			`One graph, where the universe of all graphs cannot be listed: its methods are queries. x is a network, or a list of pairs of node numbers, simple: a loop or a repeated edge is refused. Nodes are public, from 0 to nodes − 1; None means up to the largest of x. neighbors is "edge", one edge more or less, or "node", all edges of one node may be any others: there components is refused, which has no bounds in polynomial time here. The words edges, triangles and components mean queries here, numbers on a network; components(s) of a matrix is another thing. `+verifyHelp,
			networkRecordsSetup+"print(g, g.triangles(), purest(g.triangles(), 1).distortion())", newNetworkRecords),
		script.Func(`record_query(value: function, distance: function=None, up: function=None, down: function=None, on: records|network_records=None, range: rationals=None, neighbors: "replace"|"add_remove"|"edge"|"node"=None, exact: bool=False) -> record_query`,
			`A query of your own on one dataset, by functions. value(x) is f(x). Either distance(x, r) is the least number of changes of x that reach the value r, None where none does; or up(x, t) and down(x, t) bound how far t ≥ 1 changes can move f, math.inf for any way: values within them are in layer t. x is the list of records in ascending order, or the pair (nodes, edges) of a graph. on is the dataset that mechanisms are for; without it the query is for verify alone, under neighbors. range is [lo, hi, step] of the values that may be output, [lo, hi] for all between; None is the range and grid of the records. exact=True claims that up and down give distances. Nothing is believed: verify(q) says whether layers are the distances, a valid bound, or wrong, with a dataset.`,
			"q = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]) if r in x else max(1, len([v for v in x if v > r])))\nprint(verify(q, records=3, values=range(4)))\nwrong = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]))\nprint(verify(wrong, records=3, values=range(4)).witness)", newOwnQuery),
		script.Func(`verify(q: record_query|record_mechanism, records: int=5, values: numbers=[0, 1, 2, 3, 4, 5, 6, 7, 8], nodes: int=6, decay: epsilon=1) -> verification`,
			`Tests a query's layers, and a mechanism, on every dataset of a small universe, with the same code that answers at real ones: all datasets of so many records from values, which rise by equal steps and stand for lo, hi and grid (under add_remove all of 1 to so many), or all graphs of so many nodes. Layers are compared with the distances that a search of the universe finds, equal where they are said to be exact, at most these elsewhere, and with those of neighbors, from which they differ by at most 1; local sensitivities at every distance, and the global one, with the largest changes between neighbors; the smallest ε of the mechanism over all neighbors with what it claims, which is confirmed where it is no larger and no part is wrong. q may be a query, for purest(q, decay), or a mechanism. Under add_remove a distance is compared as far as datasets of the universe decide it. Of a mode values stand for the first categories. Tested on this universe; that it holds on all others is a theorem, which query.ground names, but for functions of one's own.`,
			verificationSetup+"print(v)\nprint(verify(laplace("+"x.mean(), ln(2)), records=3, values=range(4)).smallest_epsilon)", newVerification),
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
	}
}

const verifyHelp = "ε of a mechanism is claimed, by a theorem; verify tests it, and the layers, on small universes."

func newRecords(c *script.Call) (any, error) {
	neighbors := records.Neighbors(c.Text("neighbors"))
	if c.Given("categories") {
		if c.Given("lo") || c.Given("hi") || c.Given("grid") || c.Bool("clip") {
			return nil, fmt.Errorf("categories and lo, hi, grid or clip are given, want one or the others")
		}
		return &recordData{names: must(records.NewCategories(nameList(c, "x"), nameList(c, "categories"), neighbors))}, nil
	}
	o := records.Options{Neighbors: neighbors, Clip: c.Bool("clip")}
	for name, to := range map[string]**big.Rat{"lo": &o.Lo, "hi": &o.Hi, "grid": &o.Grid} {
		if c.Given(name) {
			*to = c.Rational(name)
		}
	}
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

// nameList reads names: strings, or whole numbers.
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
			return nil, fmt.Errorf("nodes = %d, want %d, those of the network, or None", c.Int("nodes"), n.nodes())
		}
		return records.NewGraph(n.nodes(), records.EdgesOf(n.bits.Rows()), neighbors)
	}
	edges := c.Pairs("x")
	nodes := 0
	for _, e := range edges {
		nodes = max(nodes, e[0]+1, e[1]+1, 2) // an edge has two
	}
	if c.Given("nodes") {
		nodes = c.Int("nodes")
	}
	return records.NewGraph(nodes, edges, neighbors)
}

// atDataset reads a record query that has a dataset.
func atDataset(c *script.Call, name string) *records.Query {
	q := recordQueryClass.Arg(c, name)
	if q.IsBare() {
		c.Stop("%s is a query of your own without a dataset, want on=… in record_query, or verify", name)
	}
	return q
}

// recordOr returns the record query of a parameter that takes others, too.
func recordOr(c *script.Call, name string) (*records.Query, bool) {
	if _, ok := c.Arg(name).(*records.Query); !ok {
		return nil, false
	}
	return atDataset(c, name), true
}

func newVerification(c *script.Call) (any, error) {
	o := records.VerifyOptions{Records: c.Int("records"), Values: c.Floats("values"), Nodes: c.Int("nodes")}
	if m, ok := c.Arg("q").(records.Law); ok {
		return records.Verify(c.Context, m.Query(), m.Remake, o)
	}
	decay := c.Epsilon("decay")
	return records.Verify(c.Context, recordQueryClass.Arg(c, "q"), func(q *records.Query) (records.Law, error) { return records.NewPurest(q, decay) }, o)
}

// numbersOnly is the query of a dataset of numbers.
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
		numbersOnly("mean() -> record_query", "The mean of the records, under replacement. Exact distances.", "()", func(_ *script.Call, r *records.Records) (*records.Query, error) { return r.Mean() }),
		numbersOnly("trimmed_mean(k: int) -> record_query", "The mean of what is left without the k smallest and the k largest records, under replacement. Exact distances.", "(1)", func(c *script.Call, r *records.Records) (*records.Query, error) { return r.TrimmedMean(c.Int("k")) }),
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

// recordValue is a value of a query as scripts have it.
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

// rangeEnd is an end of a range, None where there is none.
func rangeEnd(q *big.Rat) any {
	if q == nil {
		return starlark.None
	}
	return rationalValue(q)
}

var recordQueryClass = &script.Class[*records.Query]{
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
			if q.StandsFor() == nil {
				return nil
			}
			return q.StandsFor()
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

var recordMechanismClass = &script.Class[records.Law]{
	Name: "record_mechanism", Wanted: "a mechanism on a record query", Help: "A mechanism at one dataset: its law there. What it claims is a theorem on all datasets; verify(m) tests it on small universes.", Setup: recordMechanismSetup,
	Show: withDraws(func(m records.Law) string {
		return fmt.Sprintf("<%s of %s, claimed %s-DP>", m.Name(), m.Query().Name(), evidence.Written(m.ClaimedEpsilon(), 6))
	}),
	Attrs: []script.Attr[records.Law]{
		script.Get("name -> string", "Which mechanism it is, with its parameter.", "", func(m records.Law) any { return m.Name() }),
		script.Get("query -> record_query", "The query it answers.", recordMechanismSetup+"print(m.query.value)", func(m records.Law) any { return m.Query() }),
		script.Get("claimed_epsilon -> evidence", "The ε that a theorem promises, in nats, which its origin names. Claimed: one dataset cannot show it; verify(m) tests it.", "", func(m records.Law) any { return m.ClaimedEpsilon() }),
		script.Do("distortion(against: record_query|rational=None) -> evidence", "E|r − f(x)| at this dataset, in the unit of the values; of a mode the chance of another category. against, the query that a lipschitz_extension stands for or a number, takes the place of f(x). Exact where the weights are rational and not too many, else certified.", "()", func(c *script.Call, m records.Law) (any, error) {
			if !c.Given("against") {
				return m.Distortion(c.Context)
			}
			if q, ok := recordOr(c, "against"); ok {
				return records.DistortionFrom(c.Context, m, q.Value())
			}
			return records.DistortionFrom(c.Context, m, c.Rational("against"))
		}),
		script.Do("error_quantile(p: rational) -> evidence", "The least e with Pr[|r − f(x)| ≤ e] ≥ p, 0 < p < 1. Exact on a lattice, certified elsewhere.", "(0.9)", func(c *script.Call, m records.Law) (any, error) {
			return records.ErrorQuantile(c.Context, m, c.Rational("p"))
		}),
		script.Do("probability(lo: value, hi: value=None) -> evidence", "Pr[lo ≤ r ≤ hi], of the value lo alone where hi is None; of a mode the chance of a category. Certified.", "(4, 6)", func(c *script.Call, m records.Law) (any, error) {
			lo := recordAt(c, "lo", m.Query())
			hi := lo
			if c.Given("hi") {
				hi = recordAt(c, "hi", m.Query())
			}
			return records.Probability(c.Context, m, lo, hi)
		}),
		script.Do("layer(r: value) -> int?", "The layer of the value r in this mechanism; None where it has no layers or never outputs r.", "(9)", func(c *script.Call, m records.Law) (any, error) {
			layer, has, err := records.FindLayer(m, recordAt(c, "r", m.Query()))
			return onlyIf(has && layer >= 0, layer), err
		}),
		script.Do("pieces() -> list", "The law of a layered mechanism, a list of (lo, hi, layer, probability) in ascending order, floats: over each the law is even, on the lattice's values from lo to hi or on the whole interval. What weighs less than 2^-80 together is left out.", "()", func(c *script.Call, m records.Law) (any, error) {
			pieces, err := m.(*records.Layered).Pieces(c.Context)
			return script.Each(pieces, func(p records.Piece) any { return script.Tuple{p.Lo, p.Hi, p.Layer, p.Weight} }), err
		}).If(isLayered, "only mechanisms whose layers are intervals have pieces"),
		script.Do("prob() -> dict", "The law of a mechanism whose range is a list, a dict from value to probability (floats).", "x = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"])\nm = purest(x.mode(), ln(2))\nprint(m.prob())", func(_ *script.Call, m records.Law) (any, error) {
			law := must(m.(*records.Choice).Law())
			d := starlark.NewDict(len(law))
			for i, p := range law {
				value, _ := m.(*records.Choice).At(i).Float64()
				stop(d.SetKey(script.ToValue(recordValue(m.Query(), value)), starlark.Float(p)))
			}
			return d, nil
		}).If(func(m records.Law) bool { _, ok := m.(*records.Choice); return ok }, "only mechanisms whose range is a list have it: see pieces() and probability(lo, hi)"),
		script.Do("plot() -> line_plot", "The density of a layered mechanism between the values that hold 0.999 of it, per unit of the values.", "()", plotRecords).If(isLayered, "only mechanisms whose layers are intervals have a plot"),
		script.Do("sample(n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n values, simulated in floating point: for research. release draws what may be published.", "(3, seed=1)", sampleRecords),
		script.Do("simulate(n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(3, seed=1)", sampleRecords),
		script.Do("release(n: int[0..268435456]=1, seed: seed=None) -> released|list", "Releases n values drawn from the operating system's generator with exactly their law; those of a continuous range are rounded to the nearest multiple of a public power of two."+seedHelp, recordMechanismSetup+"print(type(m.release().value))", releaseRecords),
	},
}

func isLayered(m records.Law) bool { _, ok := m.(*records.Layered); return ok }

func sampleRecords(c *script.Call, m records.Law) (any, error) {
	values, err := m.Simulate(c.Context, c.Int("n"), c.Source("seed"))
	return script.Each(values, func(v float64) any { return recordValue(m.Query(), v) }), err
}

func releaseRecords(c *script.Call, m records.Law) (any, error) {
	exact, ok := m.(records.Releaser)
	if !ok {
		return nil, fmt.Errorf("%s has no exact sampler", m.Name())
	}
	if _, ok := simulating(c); ok {
		return sampleRecords(c, m)
	}
	n := c.Int("n")
	values, grid, err := exact.Release(c.Context, n, nil)
	stop(err)
	out := script.Each(values, func(v float64) any { return recordValue(m.Query(), v) })
	var delta any = starlark.MakeInt(0)
	if d, ok := m.(*records.Smooth); ok && d.Delta() != nil {
		delta = evidence.Fraction(d.Delta())
	}
	return &released{out, m.Name(), func(*script.Call) (record, error) {
		return record{parameters: map[string]any{"claimed_epsilon": m.ClaimedEpsilon()}, neighbors: string(m.Query().Neighbors()), epsilon: m.ClaimedEpsilon(), delta: delta, draws: n, grid: fractionOf(grid)}, nil
	}}, nil
}

func plotRecords(c *script.Call, m records.Law) (any, error) {
	x, y, err := m.(*records.Layered).Density(c.Context, big.NewRat(999, 1000))
	stop(err)
	return drawn(c, map[string]any{"x": x, "density": y})(display.NewLinePlot(display.LineSpec{Title: m.Name(), XLabel: "value", YLabel: "density", X: x, Series: []display.Series{{Y: y}}}))
}

// gapValue is a witness that a sensitivity is wrong.
func gapValue(g *records.Gap) any {
	if g == nil {
		return nil
	}
	out := map[string]any{"dataset": datasetValue(g.Dataset), "changes": onlyIf(g.Changes >= 0, g.Changes), "sensitivity": rationalValue(g.Bound)}
	if g.Neighbor == nil {
		out["largest_change"] = rationalValue(g.Other)
	} else {
		out["neighbor"], out["neighbor_sensitivity"] = datasetValue(*g.Neighbor), rationalValue(g.Other)
	}
	return out
}

var verificationClass = &script.Class[*records.Verification]{
	Name: "verification", Help: "What a small universe says of a query's layers and of a mechanism made of them.", Setup: verificationSetup,
	Show: func(v *records.Verification) string {
		parts := "layers: " + v.Verdict
		if v.Verdict != "wrong" && v.Distance != nil {
			parts += ", though said to be exact"
		}
		for _, part := range [][2]string{{"local sensitivity", v.Local}, {"global sensitivity", v.Global}} {
			if part[1] != "" {
				parts += "; " + part[0] + ": " + part[1]
			}
		}
		return fmt.Sprintf("<%s; %s: smallest ε %s, claimed %s: %s; %s>", parts, v.Mechanism, evidence.Span(v.Smallest, 6), evidence.Written(v.Claimed, 6), v.Keeps, v.Scope)
	},
	Attrs: []script.Attr[*records.Verification]{
		script.Get("layers -> string", `What the layers are on this universe: "exact", the distances; "valid bound", at most these, and those of neighbors differ by at most 1; or "wrong".`, "", func(v *records.Verification) any { return v.Verdict }),
		script.Get("local_sensitivity -> string?", `What I_t is on this universe, at every t: "exact", the largest change between neighbors of which one is within t changes; "valid bound", at least that, and a neighbor's at t at most this one at t + 1; or "wrong". None where the query has none.`, "", func(v *records.Verification) any { return onlyIf(v.Local != "", v.Local) }),
		script.Get("global_sensitivity -> string?", `The same of the global sensitivity.`, "", func(v *records.Verification) any { return onlyIf(v.Global != "", v.Global) }),
		script.Get("private -> bool", "Whether the claim is confirmed on this universe: the smallest ε is at most the claimed one, to a part of 10⁹ where both touch, and neither layers nor sensitivities are wrong.", "", func(v *records.Verification) any { return v.Keeps == evidence.Confirmed }),
		script.Get("smallest_epsilon -> evidence", "The smallest ε of the mechanism over all neighbors of this universe, in nats. An attribute. Exact or certified.", "", func(v *records.Verification) any { return v.Smallest }),
		script.Get("claimed_epsilon -> evidence", "What the mechanism claims, in nats. Claimed.", "", func(v *records.Verification) any { return v.Claimed }),
		script.Get("datasets -> int", "How many datasets were visited.", "", func(v *records.Verification) any { return v.Datasets }),
		script.Get("pairs -> int", "How many pairs of neighbors.", "", func(v *records.Verification) any { return v.Pairs }),
		script.Get("below -> tuple", "How many layers lie below the distance, which is infinite to a value that no dataset takes, of how many that were compared.", "", func(v *records.Verification) any { return script.Tuple{v.Strict, v.Compared} }),
		script.Get("witness -> dict?", `Where layers are wrong, or are not the distances though they are said to be: a dict with "dataset" (a list of records, or (nodes, edges)), "value", "layer", and "distance" or "neighbor" and "neighbor_layer". Where a sensitivity is so: "dataset", "changes" (t, None of the global one), "sensitivity", and "largest_change" or "neighbor" and "neighbor_sensitivity", I_{t−1} there. None elsewhere.`, "", func(v *records.Verification) any {
			w := v.Lipschitz
			if w == nil || v.Distance != nil {
				w = v.Distance
			}
			if w == nil {
				return gapValue(v.Gap)
			}
			layer := func(t int) any { return onlyIf(t >= 0, t) }
			out := map[string]any{"dataset": datasetValue(w.Dataset), "value": rationalValue(w.Value), "layer": layer(w.Layer)}
			if w.Neighbor == nil {
				out["distance"] = layer(w.Other)
			} else {
				out["neighbor"], out["neighbor_layer"] = datasetValue(*w.Neighbor), layer(w.Other)
			}
			return out
		}),
		script.Get("scope -> string", "What was tested, and what it is tested on.", "", func(v *records.Verification) any { return v.Scope }),
	},
}
