package repl

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/records"
	"dpworkbench/script"
	"dpworkbench/verify"

	"go.starlark.net/starlark"
)

const (
	lineSetup          = "lq = linear_query([(0, 1), (1000, 1001)])\n"
	lineMechanismSetup = "m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)\n"
)

// lineBuiltins returns linear queries on the real line, and the mechanisms that exist only there. purest,
// delta_neighborhood, laplace and geometric accept linear queries too.
func lineBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("linear_query(intervals: points) -> linear_query",
			`A linear query on the reals, by its neighboring set V_f, the differences f(x') − f(x) of neighbors (Wu et al., Definition 9): a list of closed intervals (lo, hi) and of points (numbers). The set is symmetrised and 0 is added. All arithmetic on it is rational: a float means its shortest decimal, and "1/3" is accepted. A reversed interval, an empty list and the set {0} are refused. Evidence that is not exact is refused too, because answers would be labelled exact without being so.`,
			lineSetup+"print(lq.sensitivity, lq.volume)\nprint(linear_query([(\"1/3\", 0.5), 2]).neighboring_set)",
			func(c *script.Call) (any, error) {
				return &linearQuery{Linear: must(continuous.NewLinear(intervals(c, "intervals")))}, nil
			}),
		script.Func(`staircase(lq: linear_query|record_query|query, eps: epsilon, gamma: rational=None, cost: "abs"|"square"="abs") -> line_mechanism|record_mechanism|line_mechanism`,
			`The Staircase mechanism of Geng and Viswanath (2016) on a linear query: the density decreases by a factor e^{−ε} at γΔ and then at every Δ. ε-differentially private. gamma = None is the best γ for cost "abs" (E|noise|, γ* = 1/(1 + e^{ε/2})) or "square" (E noise²); else 0 < γ < 1. On a record query the answer is moved to the nearest value within its range, and gamma = None is the best for "abs".`,
			lineSetup+"m = staircase(lq, ln(9))\nprint(m.gamma, m.distortion())",
			func(c *script.Call) (any, error) {
				if rq, ok := recordOr(c, "lq"); ok {
					if c.Text("cost") == "square" {
						c.Stop("cost = \"square\", want \"abs\" on a record query")
					}
					return records.NewStaircase(rq, c.Epsilon("eps"), c.Rational("gamma"))
				}
				if q, ok := c.Arg("lq").(*query.Query); ok {
					c.Fail("lq", c.Value("lq"), fmt.Sprintf("a linear_query, such as linear_query(%s), which has the same differences between neighbors", differences(q)))
				}
				q, eps, gamma, cost := linearClass.Arg(c, "lq"), c.Epsilon("eps"), c.Rational("gamma"), continuous.Cost(c.Text("cost"))
				if gamma == nil {
					return q.answered(continuous.NewOptimalStaircase(q.Linear, eps, cost))
				}
				return q.answered(continuous.NewStaircase(q.Linear, eps, gamma))
			}),
		script.Func("truncated_laplace(lq: linear_query, eps: epsilon, delta: delta) -> line_mechanism",
			"Laplace noise of scale Δ/ε that is conditioned on |noise| ≤ A = (Δ/ε) ln(1 + (e^ε − 1)/(2δ)) (Geng, Ding, Guo and Kumar 2020): the least A that makes it (ε, δ)-differentially private, 0 < δ ≤ 1/2. delta_at is delta at eps and at all larger ε, because an output farther than A from the other answer reveals which answer is true.",
			"m = truncated_laplace(linear_query([1]), ln(2), \"1/14\")\nprint(m.truncation, m.distortion(), m.delta_at(ln(2)), m.delta_at(0))\nprint(m.epsilon_at(0.1), compose(m, 2).delta_at(3))",
			func(c *script.Call) (any, error) {
				q := linearClass.Arg(c, "lq")
				return q.answered(continuous.NewTruncatedLaplace(q.Linear, c.Epsilon("eps"), c.Delta("delta")))
			}),
		script.Func("discrete_laplace(lq: linear_query, eps: epsilon) -> line_mechanism",
			"Discrete Laplace noise on a linear query whose V_f must be points: another name of the geometric mechanism.",
			"print(discrete_laplace(linear_query([1, 3]), 1).delta_at(0.5))",
			func(c *script.Call) (any, error) {
				q := linearClass.Arg(c, "lq")
				return q.answered(continuous.NewGeometric(q.Linear, c.Epsilon("eps")))
			}),
		script.Func("discrete_gaussian(lq: linear_query, sigma: rational_choice) -> line_mechanism",
			"The discrete Gaussian mechanism (Canonne, Kamath and Steinke 2020) of a linear query whose V_f must be points: noise of weight e^{−r²/2σ²} on the lattice they span, sigma in units of f, from Δ/1000 to 2^50 steps of the lattice. It is not ε-differentially private for any ε: use delta_at(eps) or epsilon_at(delta), which are certified, or zcdp, Δ²/2σ².",
			"m = discrete_gaussian(linear_query([1]), 10)\nprint(m.delta_at(1), m.epsilon_at(1e-6), m.zcdp)\nprint(compose([(m, 50)]).epsilon_at(1e-6))",
			func(c *script.Call) (any, error) {
				q := linearClass.Arg(c, "lq")
				return q.answered(continuous.NewDiscreteGaussian(q.Linear, c.Rational("sigma")))
			}),
		script.Func("gaussian(q: linear_query|query|record_query|rational, sigma: rational_choice=None, *, eps: epsilon=None, delta: delta=None) -> line_mechanism",
			"The Gaussian mechanism: noise of the law N(0, σ²) on a linear query, whose values are numbers, so that its L2 sensitivity is the largest number in V_f. A number instead of q is the L2 sensitivity of any query, also of vectors with such noise on each coordinate; composition then assumes the worst such query. sigma is in units of f (a noise multiplier times the sensitivity); with eps and delta it is the least σ that is (eps, delta)-differentially private, the analytic Gaussian mechanism's as gaussian_sigma certifies it, rounded up. The neighbor relation is the one that the sensitivity refers to. subsample(m, rate) assumes adding and removing a record, and with kind=\"without_replacement\" replacing one. For accountants of repeated uses (DP-SGD) see compose and subsample. No ε is enough at δ = 0: use delta_at(eps), epsilon_at(delta) or zcdp, Δ²/2σ².",
			"m = gaussian(linear_query([1]), 2)\nprint(m.delta_at(1), m.epsilon_at(1e-6), m.zcdp)\nprint(gaussian(1, eps=1, delta=1e-5).sigma)\nprint(subsample(gaussian(1, 2), \"1/100\").delta_at(1))",
			newGaussian),
	}
}

func newGaussian(c *script.Call) (any, error) {
	var q *linearQuery
	switch x := c.Arg("q").(type) {
	case *linearQuery:
		q = x
	case *big.Rat:
		q = &linearQuery{Linear: must(continuous.NewSensitivity(x))}
	default:
		c.Fail("q", c.Value("q"), "linear_query([d, …]) of the differences d = f(x') − f(x) of neighbors, or the L2 sensitivity as a number: Gaussian noise on a finite range is not supported")
	}
	switch byPrivacy := c.Given("eps") && c.Given("delta"); {
	case c.Given("sigma") == byPrivacy || c.Given("eps") != c.Given("delta"):
		c.Stop("gaussian needs either sigma, or eps and delta")
	case byPrivacy:
		delta := c.Delta("delta")
		m, err := continuous.NewAnalyticGaussian(q.Linear, c.Epsilon("eps"), delta)
		return &onLine{m, q, delta}, err
	}
	return q.answered(continuous.NewGaussian(q.Linear, c.Rational("sigma")))
}

// intervals reads a list of intervals and points.
func intervals(c *script.Call, name string) (out [][2]*big.Rat) {
	for _, p := range c.Arg(name).([]continuous.Point) {
		out = append(out, [2]*big.Rat{p[0], cmp.Or(p[1], p[0])})
	}
	return out
}

// newLine returns the purest (radius 0) or δ-neighborhood mechanism.
func newLine(c *script.Call, q *linearQuery, radius *big.Rat) (any, error) {
	return q.answered(continuous.NewLayered(must(q.known.Sequence(c.Context, q.Linear, radius)), c.Epsilon("decay")))
}

// answered pairs a mechanism with its query.
func (q *linearQuery) answered(m continuous.Mechanism, err error) (any, error) {
	return &onLine{m, q, evidence.Delta{}}, err
}

// differences lists the distances between the values of neighbors, as an argument of linear_query.
func differences(q *query.Query) string {
	var all []*big.Rat
	for x := range q.Size() {
		for _, y := range q.Space().Neighbors(x) {
			all = append(all, q.Metric().Rational(q.ValueIndex(x), q.ValueIndex(int(y))))
		}
	}
	text := lists.Each(query.Distinct(all), func(d *big.Rat) string {
		if d.IsInt() {
			return d.RatString()
		}
		return strconv.Quote(d.RatString())
	})
	return "[" + strings.Join(text, ", ") + "]"
}

// nearestFloats returns the floats nearest to rational numbers.
func nearestFloats(qs ...*big.Rat) script.Tuple {
	return script.Each(qs, func(q *big.Rat) any {
		f, _ := q.Float64()
		return f
	})
}

// segments returns the ends of a set's components as floats.
func segments(s continuous.Set) any {
	return script.Each(s.Segments(), func(p continuous.Segment) any { return nearestFloats(p.Lo, p.Hi) })
}

// linearQuery is a linear query with a cache of its layers.
type linearQuery struct {
	*continuous.Linear
	known continuous.Cache
}

var linearClass = &script.Class[*linearQuery]{
	Name: "linear_query", Help: "A linear query on the reals, by its neighboring set.", Setup: lineSetup,
	Show: func(q *linearQuery) string {
		text := []rune(q.NeighboringSet().String())
		if len(text) > 60 {
			text = append(text[:57], '…')
		}
		return "<linear query, V = " + string(text) + ">"
	},
	Attrs: []script.Attr[*linearQuery]{
		script.Get("sensitivity -> evidence", "Δf, the largest number in V_f (Wu et al., Definition 12). Exact.", "", func(q *linearQuery) any { return q.Sensitivity() }),
		script.Get("volume -> evidence", "The Lebesgue measure of V_f ∩ [0, ∞), which is how the paper counts Vol(V_f). Exact.", "", func(q *linearQuery) any { return q.Volume() }),
		script.Get("neighboring_set -> list", "V_f, symmetric and with 0, as a list of closed intervals (lo, hi); a point has lo = hi.", "", func(q *linearQuery) any { return segments(q.NeighboringSet()) }),
		script.Do("distortions(radii: rationals, decays: epsilons, evidence: bool=False) -> list", "The distortion of delta_neighborhood at every radius and decay: a list of rows of floats, or with evidence=True of exact and certified numbers, one row for each decay. Layers are built once for each radius, on all cores.", "([0, 10, 20], [3, 4])", func(c *script.Call, q *linearQuery) (any, error) {
			if c.Bool("evidence") {
				return continuous.GridNumbers(c.Context, q.Linear, c.Rationals("radii"), c.Epsilons("decays"))
			}
			return continuous.Grid(c.Context, q.Linear, c.Rationals("radii"), c.Epsilons("decays"))
		}),
		script.Do("best_radius(decays: epsilons, largest: rational, steps: int[1..65536]=100) -> list", "The radius from 0 to largest that minimises the distortion of delta_neighborhood at each decay, by a search on the exact curve: a grid of the given number of steps, then ten bisections around its best point. A list of pairs (radius, distortion).", "lq = linear_query([(0, 1), (20, 21)])\nprint(lq.best_radius([2, 4], 10, steps=20))", func(c *script.Call, q *linearQuery) (any, error) {
			best, err := continuous.BestRadii(c.Context, q.Linear, c.Epsilons("decays"), c.Rational("largest"), c.Int("steps"))
			return script.Each(best, func(b continuous.BestRadius) any { return append(nearestFloats(b.Radius), b.Distortion) }), err
		}),
	},
}

// onLine is a mechanism of a linear query.
type onLine struct {
	continuous.Mechanism
	query *linearQuery
	delta evidence.Delta // the δ that a Gaussian was calibrated to, else 0
}

// lineAs returns a mechanism on the line as a Go type.
func lineAs[M any](m *onLine) (M, bool) {
	x, ok := m.Mechanism.(M)
	return x, ok
}

var lineMechanismClass = &script.Class[*onLine]{
	Answers: script.Answers[*onLine]{
		"case": caseOnLine,
		"verify": recomputed(func(ctx context.Context, m *onLine) (*verify.Report, error) {
			return verify.Line(ctx, m.Mechanism, m.query.Linear)
		}),
		"compare": comparedBy(func(m *onLine) string { return fmt.Sprintf("a linear query with V = %v", m.query.NeighboringSet()) }, momentsOf...),
	},
	Name: "line_mechanism", Help: "A mechanism of a linear query on the real line. Its law is the same for every dataset up to a shift, so the attributes describe the noise, the output minus f(x).", Setup: lineMechanismSetup,
	Show: func(m *onLine) string {
		if l, ok := lineAs[*continuous.Layered](m); ok {
			return fmt.Sprintf("<%s, decay %v, on the line>", m.Name(), l.Decay())
		}
		if _, ok := lineAs[*continuous.Gaussian](m); ok {
			return fmt.Sprintf("<%s on the line; neighbors: a record added, removed or replaced, which moves the answer by at most %s>", m.Name(), m.query.Sensitivity().Value.RatString())
		}
		return "<" + m.Name() + " on the line>"
	},
	Attrs: append([]script.Attr[*onLine]{
		script.Get("name -> string", "Which mechanism it is, with its parameters.", "", func(m *onLine) any { return m.Name() }),
		script.Get("query -> linear_query", "The linear query it answers.", lineMechanismSetup+"print(m.query.sensitivity)", func(m *onLine) any { return m.query }),
		script.Do("distortion() -> evidence", "E|noise|, in units of f: summed over all layers in closed form, exact if e^{−decay} is rational and otherwise certified. Layers are weighted by length if any has a positive length, and by number of points otherwise (radius 0, and V a set of points). The purest mechanism is the limit of radius → 0.", "()", func(_ *script.Call, m *onLine) (any, error) { return m.Distortion(), nil }),
		script.Do("layers(up_to: int[0..1048576]=5) -> list", "The layers R_0 … R_up_to of the noise (Wu et al., Definition 13), the most probable first: a list of lists of intervals (lo, hi); a point has lo = hi. It does not show whether an end belongs to its interval.", lineMechanismSetup+"for layer in m.layers(up_to=2):\n    print(layer)", func(c *script.Call, m *onLine) (any, error) {
			sets, err := m.Layers(c.Context, c.Int("up_to"))
			return script.Each(sets, func(set continuous.Set) any {
				stop(c.Context.Err())
				return segments(set)
			}), err
		}),
		script.Do("density(r: rational) -> evidence", "The density of the noise at r, or the probability of the point r if the law is discrete. r is a number or a fraction like \"7/2\".", lineMechanismSetup+"print(m.density(0), m.density(\"25/2\"))", func(c *script.Call, m *onLine) (any, error) { return m.Density(c.Rational("r")) }),
		script.Do("sample(n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n independent values of the noise, simulated in floating point, for research only. Use release for values to be published.", "(3, seed=1)", sampleLine),
		script.Do("simulate(n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(3, seed=1)", sampleLine),
		script.Do("release(answer: rational, n: int[0..268435456]=1, grid: rational=None, seed: seed=None) -> released|list", "Releases answer + noise n times: noise drawn from the operating system's generator with exactly its law, and the sum rounded to the nearest multiple of grid, decided exactly. grid None means a power of two of about 2^-32 times the noise, or no rounding if the noise is discrete. It is an error if the layers were not followed until they repeat."+seedHelp, lineMechanismSetup+"print(m.release(\"7/2\"))", releaseLine),
		script.Do("smallest_epsilon -> evidence", "The smallest ε at which it is ε-differentially private, in nats. For a layered mechanism it is the decay (Wu et al., Corollary 5), certified from the layers: a shift by any number of V_f changes the layer of a value by at most 1. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, m *onLine) (any, error) { return m.Privacy().Epsilon(c.Context, evidence.Delta{}) }),
		script.Get("claimed_epsilon -> evidence", "The claimed ε, in nats: the decay for a layered mechanism (Wu et al., Corollary 5), 2ε for a discretized one (Theorem 1), inf for Gaussian and truncated Laplace noise, the given eps for the others. Claimed.", "", func(m *onLine) any { return m.ClaimedEpsilon() }),
		attrOf(lineAs[interface{ SecondMoment() evidence.Number }], "second_moment() -> evidence", "E noise², in squared units of f, in closed form.", "m = laplace(linear_query([1]), 1)\nprint(m.second_moment())", func(_ *script.Call, m interface{ SecondMoment() evidence.Number }) (any, error) {
			return m.SecondMoment(), nil
		}),
		attrOf(lineAs[interface{ Sigma() evidence.Number }], "sigma -> evidence", "σ of Gaussian noise, in units of f: its standard deviation. The standard deviation of a discrete Gaussian is a little less than its σ.", "print(gaussian(1, eps=1, delta=1e-6).sigma)", func(_ *script.Call, m interface{ Sigma() evidence.Number }) (any, error) {
			return m.Sigma(), nil
		}),
		attrOf(lineAs[interface{ Gamma() evidence.Number }], "gamma -> evidence", "γ of a Staircase: its first step ends at γΔ.", "print(staircase(linear_query([1]), ln(9)).gamma)", func(_ *script.Call, m interface{ Gamma() evidence.Number }) (any, error) {
			return m.Gamma(), nil
		}),
		attrOf(lineAs[*continuous.TruncatedLaplace], "truncation -> evidence", "The largest |noise| of a truncated_laplace, in units of f.", "print(truncated_laplace(linear_query([1]), 1, 0.01).truncation)", func(_ *script.Call, t *continuous.TruncatedLaplace) (any, error) {
			return t.Truncation(), nil
		}),
		attrOf(lineAs[*continuous.Layered], "curve(decays: epsilons, evidence: bool=False) -> list", "The distortion of the same layers at each of a list of decays, as floats; each takes a microsecond once the layers are known. With evidence=True they are exact and certified numbers.", "([0.5, 1, 2])", func(c *script.Call, l *continuous.Layered) (any, error) {
			if c.Bool("evidence") {
				return l.Distortions(c.Epsilons("decays"))
			}
			return l.Curve(c.Epsilons("decays"))
		}),
		attrOf(lineAs[*continuous.Layered], "periodicity -> dict?", "Where the layers start to repeat, as a dict: from layer \"inherits\" on, A_{n+1} = A_n ∪ (A_n + Δ) ∪ (A_n − Δ), A_n being the union of layers 0 to n; after layer \"from\" each layer is the previous one, moved outward by \"shift\", with weight \"mass\". None if the layers were not followed that far.", "", func(_ *script.Call, l *continuous.Layered) (any, error) {
			p, ok := l.Periodicity()
			if !ok {
				return nil, nil
			}
			at := nearestFloats(p.Shift, p.Mass)
			return map[string]any{"inherits": p.Inherits, "from": p.From, "shift": at[0], "mass": at[1]}, nil
		}),
		attrOf(lineAs[*discretize.Line], "is_basic -> bool", "Whether the discretized mechanism is basic: every layer follows from R_0 and V_f (Wu et al., Definition 15 and Corollary 1).", "lq = linear_query([(0, 1), (10, 11)])\nprint(discretize(laplace(lq, 1)).is_basic, discretize(staircase(lq, 1)).is_basic)", func(_ *script.Call, d *discretize.Line) (any, error) { return d.IsBasic(), nil }),
		attrOf(lineAs[*discretize.Line], "theorem1() -> theorem1", "The check of Theorem 1 (Wu et al.) for this mechanism.", "print(discretize(laplace(linear_query([1]), 1)).theorem1())", func(c *script.Call, d *discretize.Line) (any, error) { return d.Theorem1(c.Context) }),
	}, ownPrivacy[*onLine]()...),
}

func sampleLine(c *script.Call, m *onLine) (any, error) {
	return continuous.Draw(c.Context, c.Int("n"), c.Source("seed"), m.Noise)
}

func releaseLine(c *script.Call, m *onLine) (any, error) {
	n, grid := c.Int("n"), c.Rational("grid")
	law, isDiscretized := m.Mechanism.(*discretize.Line)
	drawn := m.Mechanism
	if isDiscretized {
		drawn = law.Law()
	}
	return release(c, m.Name(), func(src rand.Source) (any, error) {
		values, err := continuous.Release(c.Context, drawn, c.Rational("answer"), n, grid, src)
		fraction := func(p continuous.Segment) bool { return !p.Lo.IsInt() }
		if continuous.IsDiscrete(drawn) && grid == nil && c.Rational("answer").IsInt() && !slices.ContainsFunc(m.query.NeighboringSet().Segments(), fraction) { // integers
			return script.Each(values, func(v float64) any { return scriptNumber(v) }), err
		}
		return values, err
	}, func(c *script.Call) (record, error) {
		k := record{
			parameters: lineParameters(m), neighbors: "answers that differ by a number of V = " + m.query.NeighboringSet().String(), draws: n,
			epsilon: must(m.Privacy().Epsilon(c.Context, m.delta)), delta: starlark.MakeInt(0),
		}
		if !m.delta.IsZero() {
			k.delta = starlark.Float(m.delta.Value())
		}
		if grid == nil && !continuous.IsDiscrete(drawn) {
			grid = continuous.DefaultGrid(drawn)
		}
		if _, ok := lineAs[interface{ Sigma() evidence.Number }](m); ok {
			k.rho = must(must(privacy.Of(c.Context, m)).ZCDP(c.Context))
		}
		if t, ok := lineAs[*continuous.TruncatedLaplace](m); ok { // no ε is enough at δ = 0
			k.epsilon, k.delta = t.Guarantee()
		}
		k.grid = fractionOf(grid)
		if grid != nil {
			k.warnings = coarse(grid, m.Distortion().Float())
		}
		return k, nil
	})
}

// lineParameters returns the parameters of the mechanism.
func lineParameters(m *onLine) map[string]any {
	out := map[string]any{"sensitivity": m.query.Sensitivity(), "claimed_epsilon": m.ClaimedEpsilon()}
	if g, ok := lineAs[interface{ Gamma() evidence.Number }](m); ok {
		out["gamma"] = g.Gamma()
	}
	if g, ok := lineAs[interface{ Sigma() evidence.Number }](m); ok {
		out["sigma"] = g.Sigma()
	}
	return out
}
