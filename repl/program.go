package repl

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/privacy"
	"dpworkbench/program"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// programBuiltins returns the built-ins that make mechanisms of algorithms.
func programBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("program(data: value, run: function, neighbors: function|list=None, limit: int[1..]=2000000) -> program",
			`A mechanism written as an algorithm. run(x, noise) is a function of a dataset. It draws from noise (flip, choice, integer, geometric, one_sided, exponential, permute_and_flip; see help("noise_source")), compares draws, and returns any value that could be a key of a dict, which may contain draws. All random choices are enumerated: the law of the outputs at each dataset is exact, or certified if a probability is irrational. geometric noise is kept as a symbolic integer. A comparison of one or two such draws splits the run. If the comparisons of a path form a forest, its probability is summed in closed form, also over infinite supports. data is a universe, a query (run(x, value, noise) gets its value, too), or a list or dict of datasets of any values; a dict's keys are their names. neighbors are pairs of names or numbers, or a function of two datasets that says whether they are neighbors. None means the neighbors of the universe, or the two datasets of a list of two. With rates that are multiples of symbol("eps") the law is a function of eps, and m.private(2*eps) is decided for every eps > 0. It is an error if a run draws differently when repeated, has more than limit paths, compares draws in a cycle, or returns an unhashable output.`,
			"def run(x, noise):\n    return \"yes\" if x + noise.geometric(ln(2)) >= 1 else \"no\"\nm = program([0, 1], run)\nprint(m.law(1), m.smallest_epsilon)\neps = symbol(\"eps\")\nprint(program([0, 1], lambda x, noise: x + noise.geometric(eps)).private(eps))",
			newProgram),
		script.Func("symbol(name: string) -> symbol",
			`A privacy parameter without a value. program decides privacy for all its values.`,
			"eps = symbol(\"eps\")\nprint(eps/2, exp(eps))", func(c *script.Call) (any, error) { return symbol{c.Text("name"), big.NewRat(1, 1)}, nil }),
		script.Func("exp(x: exponent) -> number|evidence|power",
			"e to the power x. It is a float if x is a number, and evidence if x is evidence. If x is a multiple of a symbol ε, it is a power of e^ε, which can be added, multiplied and divided with other powers and with rational numbers.",
			"print(exp(1), exp(ln(3)/2), 1/(1 + exp(symbol(\"eps\"))))", exponential),
	}
}

// scripted is a program whose run is a script's function. run(c) calls the function on the thread of the call c.
type scripted struct {
	*program.Program
	run func(c *script.Call) program.Run
}

// programData holds a program's universe: the datasets that its function receives, and their values of a query.
type programData struct {
	space  *query.Space
	called []starlark.Value
	query  *query.Query     // nil if there is none
	values []starlark.Value // the query's values at the datasets
}

func newProgram(c *script.Call) (any, error) {
	d := programDataOf(c)
	f := c.Function("run")
	if err := c.Session.FreezeReached(f); err != nil {
		return nil, err
	}
	name := "program"
	if f.Name() != "lambda" {
		name = f.Name()
	}
	three := false
	if def, ok := f.(interface{ NumParams() int }); ok {
		three = def.NumParams() == 3
		if d.values == nil && three {
			c.Stop("run has the 3 parameters dataset, value and noise, but data = %s has no values, want run(x, noise)", script.Brief(c.Value("data")))
		}
	}
	run := func(c *script.Call) program.Run {
		var source *script.Object
		return func(x int, n *program.Noise) program.Output {
			if source == nil || source.Inner().(tossing).Noise != n {
				source = sourceClass.Of(c, tossing{n, make(map[starlark.Value]program.Probability)})
			}
			n.Place = func() fmt.Stringer {
				if c.Thread.CallStackDepth() == 0 {
					return nil
				}
				return c.Thread.CallFrame(0).Pos
			}
			if c.Context.Err() != nil {
				n.Fail(script.ErrStopped)
				return program.Output{}
			}
			args := []starlark.Value{d.called[x], source}
			if three {
				args = []starlark.Value{d.called[x], d.values[x], source}
			}
			v, err := starlark.Call(c.Thread, f, args, nil)
			if err != nil {
				n.End(err)
				return program.Output{}
			}
			o, err := outputOf(v)
			if err != nil {
				n.Fail(err)
			}
			return o
		}
	}
	limits := program.Default
	limits.Paths = c.Int("limit")
	p, err := program.New(c.Context, name, d.space, run(c), limits)
	if err != nil {
		return nil, err
	}
	if d.query != nil {
		p = p.Answering(d.query)
	}
	return &scripted{p, run}, nil
}

// programDataOf reads the datasets and their neighbors.
func programDataOf(c *script.Call) programData {
	v := c.Value("data")
	if k, ok := v.(*script.Object); ok {
		if u, ok := k.Inner().(universe); ok {
			d := programData{space: u.Space()}
			for x := range u.Size() {
				d.called = append(d.called, placeValue(c, k.Inner(), x))
			}
			if q, ok := k.Inner().(*query.Query); ok {
				d.query = q
				for x := range q.Size() {
					d.values = append(d.values, scriptValue(q.Value(x)))
				}
			}
			if c.Given("neighbors") {
				d.space = spaceOf(c, d)
			}
			return d
		}
	}
	d := programData{}
	var names []any
	switch v := v.(type) {
	case *starlark.Dict:
		for _, item := range v.Items() {
			name, ok := nameOf(item[0])
			if !ok {
				c.Fail("data", item[0], "names of datasets that are strings, whole numbers or tuples of whole numbers")
			}
			names = append(names, name)
			d.called = append(d.called, item[1])
		}
	default:
		list, ok := script.Elements(v)
		if !ok {
			c.Fail("data", v, "a universe, a query, or a list or dict of datasets")
		}
		d.called = list
	}
	if len(d.called) == 0 {
		c.Fail("data", v, "at least one dataset")
	}
	if !c.Given("neighbors") && len(d.called) != 2 {
		c.Stop("data has %d datasets and neighbors is None, want pairs of datasets, or a function of two that says whether they are neighbors", len(d.called))
	}
	d.space = must(query.NewPathSpace(len(d.called), nil))
	if names != nil {
		d.space = must(d.space.Named(names))
	}
	d.space = spaceOf(c, d)
	if names != nil {
		d.space = must(d.space.Named(names))
	}
	return d
}

// spaceOf returns the universe of the datasets with the call's neighbors.
func spaceOf(c *script.Call, d programData) *query.Space {
	edges := [][2]int{{0, 1}}
	if c.Given("neighbors") {
		edges = edgesOf(c, "neighbors", d.space, d.called)
	}
	return must(query.NewPathSpace(len(d.called), edges))
}

// placeValue returns u.dataset(x).
func placeValue(c *script.Call, u any, x int) starlark.Value {
	switch u := u.(type) {
	case *query.Graphs:
		return c.Give(u.Edges(x))
	case *query.Histograms:
		return c.Give(u.Dataset(x))
	case *query.Query:
		return c.Give(scriptPlace(u.Space().Dataset(x)))
	}
	return starlark.MakeInt(x)
}

const programSetup = "eps = symbol(\"eps\")\nm = program([0, 1], lambda x, noise: x + noise.geometric(eps))\n"

var programClass = &script.Class[*scripted]{
	Answers: script.Answers[*scripted]{
		"verify": verifyProgram,
		"case":   caseOfProgram,
	},
	Name: "program", Wanted: "a program", Help: "A mechanism that is written as an algorithm, with the law of its outputs at every dataset. If the rate of its noise is a symbol, the law is a function of the symbol: private decides for every value, and at returns the program for one value.",
	Setup: programSetup,
	Show: func(p *scripted) string {
		what := ""
		if p.IsSymbolic() {
			what = ", for every ε"
		}
		return fmt.Sprintf("<program %s on %d datasets, %s%s>", p.Name(), p.Space().Size(), outputsText(p), what)
	},
	Attrs: append([]script.Attr[*scripted]{
		script.Get("name -> string", "The name of its function.", "", func(p *scripted) any { return p.Name() }),
		script.Get("size -> int", "Number of datasets.", "", func(p *scripted) any { return p.Space().Size() }),
		script.Get("outputs -> list", "The outputs, by their names. Outputs beyond a bound, where the probabilities at all datasets decrease by a common factor, are merged into one such as ≥ 3: their ratios of probabilities are all the same. If outputs consist of independent numbers and are too many to list, there is a list for each number.", "", func(p *scripted) any {
			if all := p.Outputs(); len(all) > 1 {
				return script.Each(all, func(names []string) any { return names })
			}
			return p.Outputs()[0]
		}),
		script.Do("law(x: dataset) -> dict|list", "The probabilities of the outputs at dataset x: exact or certified numbers, or functions of z = e^{−eps/denominator} if the program has a symbol. It is a list of dicts if outputs consist of independent numbers.", "(0)", func(c *script.Call, p *scripted) (any, error) {
			x := datasetAt(c, "x", p.Space())
			var out []any
			for i, values := range p.Law(x) {
				row := script.Record{}
				for j, v := range values {
					row = append(row, p.Outputs()[i][j], valueOf(v))
				}
				out = append(out, row)
			}
			if len(out) == 1 {
				return out[0], nil
			}
			return out, nil
		}),
		script.Do("probability(x: dataset, output: value) -> evidence|string", "The probability of an output at dataset x, by its value or its name.", "(0, 0)", func(c *script.Call, p *scripted) (any, error) {
			o, err := outputOf(c.Value("output"))
			if err != nil {
				return nil, err
			}
			numbers := lists.Of(len(o.Numbers), func(i int) string { return o.Numbers[i].String() })
			v, err := p.Probability(datasetAt(c, "x", p.Space()), o.Show(numbers))
			if err != nil {
				return nil, err
			}
			return valueOf(v), nil
		}),
		script.Do("paths(x: dataset) -> table", "The possible paths of the program at dataset x: the results of its random choices and comparisons, with draws called X1, X2, … in order, its output, and the probability.", "(0)", func(c *script.Call, p *scripted) (any, error) {
			branches, err := p.Branches(c.Context, datasetAt(c, "x", p.Space()), p.run(c))
			if err != nil {
				return nil, err
			}
			rows := make([][]any, len(branches))
			for i, b := range branches {
				rows[i] = []any{strings.Join(b.Told, "; "), b.Output, valueOf(b.Probability)}
			}
			return newTable(c, "", []string{"conditions", "output", "probability"}, rows, 6)
		}),
		script.Get("symbolic -> bool", "Whether the rate of its noise is a symbol.", "", func(p *scripted) any { return p.IsSymbolic() }),
		script.Get("denominator -> int", "The law is a function of z = e^{−eps/denominator}.", "", func(p *scripted) any { return p.Denominator() }).If((*scripted).IsSymbolic, "the rate of its noise is a number"),
		script.Do("at(eps: epsilon) -> program", "The program at a value of its symbol, in nats.", "(ln(2))", func(c *script.Call, p *scripted) (any, error) { return &scripted{p.At(c.Epsilon("eps")), p.run}, nil }).If((*scripted).IsSymbolic, "the rate of its noise is a number"),
		script.Do("private(eps: symbol) -> decision", "Decides for every ε > 0 whether the program is eps-differentially private, eps a multiple of the symbol such as 2*eps: each inequality for an output at two neighbors is an inequality on (0, 1) of a polynomial in a power of e^{−ε} with integer coefficients, decided by isolating its roots (Descartes' rule of signs and bisection).", "(eps)", func(c *script.Call, p *scripted) (any, error) {
			d, err := p.Private(c.Context, symbolClass.Arg(c, "eps").times)
			if err != nil {
				return nil, err
			}
			return &decision{p.Program, d}, nil
		}).If((*scripted).IsSymbolic, "the rate of its noise is a number: ask smallest_epsilon"),
		script.Do("smallest_epsilon_at(eps: epsilon) -> evidence", "The smallest ε at which the program is ε-differentially private when its symbol has the value eps, in nats. Exact or certified.", "(ln(2))", func(c *script.Call, p *scripted) (any, error) {
			return p.At(c.Epsilon("eps")).SmallestEpsilon(c.Context)
		}).If((*scripted).IsSymbolic, "the rate of its noise is a number: ask smallest_epsilon"),
		script.Do("epsilon_plot(to: epsilon=4, claim: symbol=None) -> line_plot", "The smallest ε at 64 values of the symbol from to/64 to to, together with the claim if one is given, such as 2*eps.", "(2, claim=eps)", drawEpsilon).If((*scripted).IsSymbolic, "the rate of its noise is a number"),
		script.Do("smallest_epsilon -> evidence", "The smallest ε at which it is ε-differentially private, in nats, over all neighbors and outputs: inf if one of two neighbors has an output that the other does not have. epsilon_at(delta) is the ε at a δ."+attributeHere, concrete+"print(m.smallest_epsilon)", func(c *script.Call, p *scripted) (any, error) {
			return p.SmallestEpsilon(c.Context)
		}).If(isConcrete, "the rate of its noise is a symbol: ask smallest_epsilon_at(eps) or private"),
		script.Do("mechanism -> mechanism", "The program as a mechanism for its query, for compare and certify, with errors in the query's metric. Its range is the query's if that contains all outputs, otherwise outputs and values together. Its claim is its smallest ε. It exists only if data was a query, and outputs are values of the query's kind, or numbers if the query has numbers.", "q = graphs(3).count(\"edge\")\nm = program(q, lambda x, value, noise: max(0, min(3, value + noise.geometric(ln(2)))))\nprint(compare(m.mechanism, geometric(q, ln(2))).better, m.mechanism.expected_distortion())", func(c *script.Call, p *scripted) (any, error) {
			return p.Mechanism(c.Context)
		}).If(answers, "its data is not a query, or the rate of its noise is a symbol: want program(query, …), and at(eps).mechanism"),
	}, onlyConcrete(privateAttrs(func(c *script.Call, p *scripted) (*privacy.Account, error) { return p.Account(c.Context) }))...),
}

// drawEpsilon plots the smallest ε against the symbol.
func drawEpsilon(c *script.Call, p *scripted) (any, error) {
	const points = 64
	to, claim := c.Epsilon("to"), new(big.Rat)
	if c.Given("claim") {
		claim = symbolClass.Arg(c, "claim").times
	}
	times, _ := claim.Float64()
	var at, lower, upper, promised []float64
	for i := range points {
		eps := to.Ratio(int64(i+1), points)
		n, err := p.At(eps).SmallestEpsilon(c.Context)
		if err != nil {
			return nil, err
		}
		lo, hi := n.Bounds()
		if math.IsInf(lo, 1) {
			return nil, fmt.Errorf("the smallest ε at %v is infinite, want a program whose smallest ε is finite on the whole plot", eps)
		}
		at, lower, upper, promised = append(at, eps.Value()), append(lower, lo), append(upper, hi), append(promised, times*eps.Value())
	}
	series := []display.Series{{Name: "smallest ε", X: at, Y: upper, Lower: lower, Upper: upper}}
	if c.Given("claim") {
		series = append(series, display.Series{Name: "claimed: " + timesText(claim), X: at, Y: promised})
	}
	return drawn(c, map[string]any{"eps": at, "lower": lower, "upper": upper})(display.NewLinePlot(display.LineSpec{
		Title: p.Name(), XLabel: "parameter ε (nats)", YLabel: "smallest ε (nats)", Series: series,
	}))
}

const concrete = "m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))\n"

// answers reports whether a program is a mechanism on a query.
func answers(p *scripted) bool { return isConcrete(p) && p.Query() != nil }

func isConcrete(p *scripted) bool { return !p.IsSymbolic() }

func onlyConcrete(attrs []script.Attr[*scripted]) []script.Attr[*scripted] {
	for i := range attrs {
		attrs[i] = attrs[i].If(isConcrete, "the rate of its noise is a symbol: ask at(eps)").After(concrete)
	}
	return attrs
}

func outputsText(p *scripted) string {
	all := p.Outputs()
	if len(all) == 1 {
		return fmt.Sprintf("%d outputs", len(all[0]))
	}
	return fmt.Sprintf("outputs of %d independent numbers", len(all))
}

// valueOf returns a probability as a script value.
func valueOf(v program.Value) any {
	if n, ok := v.Number(); ok {
		return n
	}
	return v.String()
}

// decision is the result of private, with the program, which has the names of the datasets.
type decision struct {
	of *program.Program
	*program.Decision
}

// certifiable returns the decision.
func (d *decision) certifiable() any { return d.Decision }

var decisionClass = &script.Class[*decision]{
	Name: "decision", Help: "Whether a program is private for every value of its symbol: confirmed with a proof for all ε > 0, or refuted with the ε for which it fails and a witness.",
	Setup: programSetup + "d = m.private(eps/2)\n",
	Show: func(d *decision) string {
		if d.Verdict == evidence.Confirmed {
			return fmt.Sprintf("<confirmed for every eps > 0: %s-differentially private, scope proved, %d polynomials of degree at most %d>", timesText(d.Times), d.Decided, d.Degree)
		}
		var where []string
		for _, r := range d.Fails {
			where = append(where, rangeText(r))
		}
		return fmt.Sprintf("<refuted: not %s-differentially private for eps in %s>", timesText(d.Times), strings.Join(where, ", "))
	},
	Attrs: []script.Attr[*decision]{
		script.Get("verdict -> string", `"confirmed" or "refuted".`, "", func(d *decision) any { return string(d.Verdict) }),
		script.Get("scope -> string", `"proved": for every ε > 0 and the universe that the program was given.`, "", func(*decision) any { return "proved" }),
		script.Get("times -> string", "The factor k of the question private(k*eps), as a fraction.", "", func(d *decision) any { return d.Times.RatString() }),
		script.Get("fails -> list", "The open ranges of ε in which it fails, as pairs of evidence, with None for no end; empty if it is confirmed.", "", func(d *decision) any {
			return script.Each(d.Fails, func(r program.Range) any {
				if r.To == nil {
					return script.Tuple{r.From, nil}
				}
				return script.Tuple{r.From, r.To}
			})
		}),
		script.Get("witness -> dict?", "A value of ε at which an output violates the claim: the neighbors x and y; the output; z, a rational value of e^{−eps/denominator}; p and q, its exact probabilities at x and y; eps; and loss = ln(p/q), which exceeds times·eps. None if it is confirmed.", "", func(d *decision) any {
			w := d.Witness
			if w == nil {
				return nil
			}
			return script.Record{
				"x", called(d.of.Space(), w.X), "y", called(d.of.Space(), w.Y), "output", w.Output,
				"z", w.Z.RatString(), "denominator", w.Denominator, "eps", w.Epsilon(),
				"p", w.P.RatString(), "q", w.Q.RatString(), "loss", w.Loss(),
			}
		}),
		script.Get("polynomials -> int", "The number of different inequalities that were decided, without the trivial ones.", "", func(d *decision) any { return d.Decided }),
		script.Get("degree -> int", "The largest degree of their polynomials.", "", func(d *decision) any { return d.Degree }),
	},
}

// timesText returns a multiple of the symbol as scripts write it.
func timesText(q *big.Rat) string { return symbol{"eps", q}.String() }

// rangeText returns the printed form of a range.
func rangeText(r program.Range) string {
	to := "inf"
	if r.To != nil {
		to = evidence.FormatNumber(r.To, 6)
	}
	return "(" + evidence.FormatNumber(r.From, 6) + ", " + to + ")"
}
