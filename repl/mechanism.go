package repl

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/records"
	"dpworkbench/script"
	"dpworkbench/verify"

	"go.starlark.net/starlark"
)

// mechanismBuiltins returns the mechanisms without layers, and the built-ins that compare and calibrate mechanisms.
func mechanismBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("ladder(q: query|record_query, eps: epsilon) -> mechanism|record_mechanism",
			"The Ladder mechanism on the query's range (Zhang et al. 2015, Algorithm 1), ε-differentially private: rung k has weight e^{−kε/2}. Rung 0 is f(x). The rung of another value r is 1 plus the number of t ≥ 0 with I_0 + … + I_t < |r − f(x)|, where I_t is the largest local sensitivity within distance t. On a record query I_t is its local_sensitivity(t), and the law is the one at its dataset.",
			querySetup+"print(ladder(q, 2).distortion(10))",
			func(c *script.Call) (any, error) {
				if q, ok := recordOr(c, "q"); ok {
					return records.NewLadder(q, c.Epsilon("eps"))
				}
				return mechanism.NewLadder(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"))
			}),
		script.Func("laplace(q: linear_query|query|record_query, eps: epsilon, *, line: bool=False) -> mechanism|line_mechanism|noise_mechanism|record_mechanism",
			"The Laplace mechanism: noise of scale Δ/ε, moved to the nearest value of the range, ties to the smaller. ε-differentially private. On a linear_query, and with line=True, the sum is not moved. Errors for a lipschitz_extension are then measured against the original query. On a record query the sum is moved to the nearest value of the range, unless line=True.",
			querySetup+"print(laplace(q, 1).prob(0))\nprint(laplace(q, 1, line=True).distortion(0))",
			func(c *script.Call) (any, error) {
				if q, ok := recordOr(c, "q"); ok {
					return unmoved(c, must(records.NewLaplace(q, c.Epsilon("eps")))), nil
				}
				if lq, ok := c.Arg("q").(*linearQuery); ok {
					return lq.answered(continuous.NewLaplace(lq.Linear, c.Epsilon("eps")))
				}
				return onLineOrRange(c, queryClass.Arg(c, "q"), c.Epsilon("eps"))
			}),
		script.Func("geometric(q: linear_query|query, eps: epsilon, *, clamp: rationals=None) -> mechanism|line_mechanism",
			"The geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009): integer noise k with weight e^{−ε|k|/Δ}, and the sum is moved to the nearest value of the range, ties to the smaller. ε-differentially private. f must have integer values. On a linear_query, whose V_f must be points, k counts steps of the lattice they span, and the sum is not moved. clamp=(lo, hi) moves outputs on a finite query to the integers from lo to hi, which may be fewer than its values; errors are still measured from f(x). Its smallest_epsilon, found by enumeration, is at most eps.",
			querySetup+"print(geometric(q, ln(3)).distortion(0))\nm = geometric(finite_query([0, 1, 2, 9], edges=[(0, 1), (1, 2)]), ln(3), clamp=(0, 2))\nprint(m.prob(3), m.smallest_epsilon, m.distortion(3))",
			func(c *script.Call) (any, error) {
				if lq, ok := c.Arg("q").(*linearQuery); ok {
					if c.Given("clamp") {
						return nil, fmt.Errorf("clamp is given with a linear_query, want clamp only with a query on finite datasets")
					}
					return lq.answered(continuous.NewGeometric(lq.Linear, c.Epsilon("eps")))
				}
				if c.Given("clamp") {
					ends := c.Rationals("clamp")
					if len(ends) != 2 || !ends[0].IsInt() || !ends[1].IsInt() {
						c.Fail("clamp", c.Value("clamp"), "two whole numbers, lo and hi")
					}
					return mechanism.NewClampedGeometric(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"), ends[0].Num(), ends[1].Num())
				}
				return mechanism.NewGeometric(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"))
			}),
		script.Func(`exponential(q: query|record_query, eps: epsilon, utility: "distance"|"rank"="distance") -> mechanism|record_mechanism`,
			"The exponential mechanism (McSherry and Talwar 2007) with score −d(f(x), r): weight e^{−ε d/(2Δ)} on the range. ε-differentially private. On a record query it is the law at its dataset; for a mode the score is the count. For a quantile of records the usual mechanism is utility=\"rank\", whose score is minus the number of records that must change for r to be the quantile, the error of its rank. That score has sensitivity 1 and needs no bound on the values; the mechanism is inverse_sensitivity(q, eps).",
			querySetup+"print(exponential(q, 1).smallest_epsilon)",
			func(c *script.Call) (any, error) {
				q, isRecords := recordOr(c, "q")
				if c.Text("utility") == "rank" {
					if !isRecords || !q.IsQuantile() {
						c.Fail("utility", c.Value("utility"), "\"distance\": \"rank\" is for quantiles of records")
					}
					return records.NewInverseSensitivity(q, c.Epsilon("eps"), new(big.Rat))
				}
				if isRecords {
					return records.NewExponential(q, c.Epsilon("eps"))
				}
				return mechanism.NewExponential(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"))
			}),
		script.Func("inverse_sensitivity(q: query|record_query, eps: epsilon, rho: radius=0) -> mechanism|record_mechanism",
			"The inverse sensitivity mechanism (Asi and Duchi 2020): weight e^{−kε/2}, where k is the distance to the nearest dataset whose value is within rho of r. ε-differentially private. rho = 0 is purest(q, eps/2); rho > 0, the smooth form, is delta_neighborhood(q, eps/2, rho). On a record query it is the law at its dataset; if the query's layers are bounds, so is k.",
			querySetup+"print(inverse_sensitivity(q, 2).distortion(10), purest(q, 1).distortion(10))",
			func(c *script.Call) (any, error) {
				if q, ok := recordOr(c, "q"); ok {
					return records.NewInverseSensitivity(q, c.Epsilon("eps"), c.Rational("rho"))
				}
				return mechanism.NewInverseSensitivity(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"), c.Rational("rho"))
			}),
		script.Func("krr(k: int[2..1024], eps: epsilon) -> mechanism",
			"k-ary randomized response (Kairouz, Oh and Viswanath 2014) of one person's value from 0 to k − 1: the value itself has probability e^ε/(e^ε + k − 1), each other value 1/(e^ε + k − 1). ε-differentially private if all values are neighbors (local privacy). Its query is the identity with the discrete metric, so distortion is the probability of a false answer. k = 2 is Warner's randomized response (1965).",
			"m = krr(4, ln(3))\nprint(m.smallest_epsilon, m.delta_at(ln(2)), m.distortion(0))",
			func(c *script.Call) (any, error) {
				return mechanism.NewRandomizedResponse(c.Context, c.Int("k"), c.Epsilon("eps"))
			}),
		script.Func("calibrate(family: function, eps: epsilon, delta: delta0=0, uses: int[1..1073741824]=1) -> mechanism|noise_mechanism|line_mechanism|record_mechanism|knorm|mvg design|privacy",
			"The mechanism family(e), e a float, whose smallest ε is eps. Its upper end is at most eps and the gap at most 1e-9 (for noise mechanisms such as smooth_sensitivity(q, e), a millionth of eps); otherwise it is an error. family is a function such as lambda e: purest(q, e), with a smallest ε that increases with e. With delta or uses, the ε at delta of that many uses of family(e), computed by compose, is at most eps. It exceeds eps, certified, at an e that differs by a relative 1e-9, or by some millionths if compose cannot enclose ε more closely. If compose gives an upper bound, this holds for the bound. The family may then consist of anything that has a privacy, and its ε may increase or decrease with e, as it does with σ. The search compares e = 1 and 2, then doubles or halves."+overnight(`g = lambda r: calibrate(lambda e: delta_neighborhood(q, e, r), 1)
f = lambda t: g(t.suggest_int("radius", 0, 4)).expected_distortion()`+runOvernight),
			querySetup+"m = calibrate(lambda e: purest(q, e), 1)\nprint(m.decay, m.smallest_epsilon)\nm = calibrate(lambda s: discrete_gaussian(linear_query([1]), s), 1, delta=\"1/1000000\", uses=16)\nprint(m.sigma.value, compose(m, 16).epsilon_at(1e-6))",
			func(c *script.Call) (any, error) {
				if c.Spelled("delta") || c.Spelled("uses") {
					return calibratedUses(c)
				}
				family := c.Callable("family")
				type member struct {
					v starlark.Value // the script value, which remembers the call that made it
					m mechanism.Mechanism
				}
				found, _, err := optimize.CalibrateCurve(c.Context, func(e evidence.Epsilon) (member, error) {
					v := must(family(starlark.Float(e.Value())))
					if _, ok := script.Unwrap(v, noiseMechanismClass); ok {
						return member{}, errNoise
					}
					m, ok := script.Unwrap(v, mechanismClass)
					if !ok {
						return member{}, fmt.Errorf("family(%g) = %s, want a mechanism on a finite query", e.Value(), script.Brief(v))
					}
					return member{v, m}, nil
				}, func(x member) (evidence.Number, error) {
					return mechanism.Privacy(x.m).Epsilon(c.Context, evidence.Delta{})
				}, c.Epsilon("eps"))
				if errors.Is(err, errNoise) {
					return calibrated(c, family, c.Epsilon("eps"))
				}
				return found.v, err
			}),
		compareBuiltin,
		script.Func("finite_mechanism(q: query, table: function|dict|rational_rows, eps: epsilon=None) -> mechanism",
			`A mechanism of your own on a finite query, by its probabilities: table[x][r] is the probability of q.range[r] at dataset x, a number or a string such as "1/3". table may be a dict from datasets to rows, a row may be a dict from values to probabilities (0 for missing values), and table may also be a function of a dataset, as named by q.dataset, and a value. A float means its shortest decimal. Answers are exact: a row whose sum differs from 1 by at most 1e-9 is normalised. eps is the guarantee that it claims, in nats; with None it claims nothing, and claimed_epsilon is its smallest ε. A wrong number of rows or columns, a negative entry, or another row sum is an error.`,
			"q = finite_query([0, 1], edges=[(0, 1)])\nm = finite_mechanism(q, [[\"2/3\", \"1/3\"], [0.25, 0.75]])\nprint(m.smallest_epsilon, m.distortion(0), discretize(m, 1).layers(1))",
			func(c *script.Call) (any, error) {
				var claim evidence.Number
				if c.Given("eps") {
					claim = mechanism.Claim(c.Epsilon("eps"), "given")
				}
				return mechanism.NewFinite(c.Context, queryClass.Arg(c, "q"), lawTable(c, queryClass.Arg(c, "q")), claim)
			}),
	}
}

// calibratedUses runs optimize.CalibrateMonotone on a script's family of values that privacy accepts.
func calibratedUses(c *script.Call) (any, error) {
	const fine = 1e-6 // the relative width of an ε close to eps
	family, delta, uses := c.Callable("family"), c.Delta("delta"), c.Int("uses")
	want := c.Epsilon("eps")
	return optimize.CalibrateMonotone(c.Context, func(s float64) (*script.Object, error) {
		v := must(family(starlark.Float(s)))
		k, ok := v.(*script.Object)
		if !ok {
			return nil, fmt.Errorf("family(%g) = %s, want a mechanism, design, law or release", s, script.Brief(v))
		}
		return k, nil
	}, func(k *script.Object) (lo, hi float64, err error) {
		all := must(privacy.Compose(c.Context, []*privacy.Account{must(accountOf(c, k))}, []int{uses}))
		if lo, hi = must(all.Epsilon(c.Context, delta)).Bounds(); all.IsBound() {
			return hi, hi, nil
		}
		if eps := want.Value(); 2*lo-hi <= eps && eps <= 2*hi-lo {
			lo, hi = must(must(all.Within(fine)).Epsilon(c.Context, delta)).Bounds()
		}
		return lo, hi, nil
	}, want)
}

const mechanismSetup = "m = purest(graphs(4).count(\"triangle\"), 1)\n"

var mechanismClass = &script.Class[mechanism.Mechanism]{
	Answers: script.Answers[mechanism.Mechanism]{
		"compare": comparedBy(queryAnswered[mechanism.Mechanism], distortions...),
		"verify":  recomputed(verify.Finite),
		"case":    caseOfMechanism,
	},
	Name: "mechanism", Wanted: "a mechanism on a finite query", Help: "A mechanism on a finite query: a probability law on the range for each dataset. compare(m, m).ratio_to_optimum compares it with the best mechanism of the same privacy.", Setup: mechanismSetup,
	Show: func(m mechanism.Mechanism) string {
		epsilon := m.ClaimedEpsilon()
		claim := evidence.FormatNumber(epsilon, 6)
		if epsilon.Kind() != evidence.KindClaimed { // a smallest ε is computed, not claimed
			return fmt.Sprintf("<%s on %s, smallest ε %s>", m.Name(), m.Query().Name(), claim)
		}
		if o, ok := m.(*optimize.Optimal); ok {
			if eps, delta := o.Guarantee(); !delta.IsZero() {
				claim = fmt.Sprintf("(%s, %s)", evidence.FormatNumber(eps.Number(), 6), optimize.Brief(delta))
			}
		}
		return fmt.Sprintf("<%s on %s, claimed %s-DP>", m.Name(), m.Query().Name(), claim)
	},
	Attrs: slices.Concat([]script.Attr[mechanism.Mechanism]{
		script.Get("name -> string", "Which mechanism it is, with its parameter.", "", func(m mechanism.Mechanism) any { return m.Name() }),
		script.Get("query -> query", "The query it answers.", mechanismSetup+"print(m.query.size)", func(m mechanism.Mechanism) any { return m.Query() }),
		script.Get("claimed_epsilon -> evidence", "The claimed ε, in nats: 2·decay for a layered mechanism (Wu et al., Proposition 3), the given eps for the others; inf for optimal(q, eps, delta=…), which claims (eps, delta)- instead of ε-differential privacy. Claimed.", "", func(m mechanism.Mechanism) any { return m.ClaimedEpsilon() }),
		script.Do("smallest_epsilon -> evidence", "The smallest ε at which it is ε-differentially private, in nats: the largest log-ratio of probabilities over all neighbors and values. Exact if the probabilities are rational, else certified; inf if one of two neighbors can output a value that the other cannot. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return mechanism.Privacy(m).Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do("distortion(x: dataset) -> evidence", "The expected distance of the output to f(x) at dataset x, its number or its name (Wu et al., (4)), in the unit of the values. Exact or certified.", "(10)", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return mechanism.Distortion(m, dataset(c, "x", m)), nil
		}),
		script.Do("distortions(evidence: bool=False) -> list", "The expected distortion of every dataset, as a list of floats, or with evidence=True of exact and certified numbers. A float is 0 only if the distortion is 0.", mechanismSetup+"print(m.distortions()[10])", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			if !c.Bool("evidence") {
				return mechanism.Distortions(c.Context, m)
			}
			return lists.Of(m.Query().Size(), func(x int) any {
				stop(c.Context.Err())
				return mechanism.Distortion(m, x)
			}), nil
		}),
		script.Do("expected_distortion(prior: prior=None) -> evidence", "The distortion averaged over the datasets (Wu et al., (5)). prior is a list of probabilities with sum 1, or a dict from datasets to theirs; None is uniform. Exact or certified.", "()", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return mechanism.ExpectedDistortion(c.Context, m, priorOf(c, m.Query()))
		}),
		script.Do("prob(x: dataset, evidence: bool=False) -> dict", "The law at dataset x: a dict from value to probability (floats, or with evidence=True exact and certified numbers), without the values that are never output. No listed probability is 0.", "(10)", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			d, x := starlark.NewDict(len(m.Query().Range())), dataset(c, "x", m)
			for r, p := range must(mechanism.Law(m, x)) {
				if p == 0 {
					continue
				}
				chance := starlark.Value(starlark.Float(p))
				if c.Bool("evidence") {
					chance = script.Known(mechanism.Probability(m, x, r))
				}
				stop(d.SetKey(scriptValue(m.Query().Range()[r]), chance))
			}
			return d, nil
		}),
		script.Do("delta(eps: epsilon0) -> evidence", "The old name of delta_at: the privacy profile, the hockey-stick divergence over all neighbors in both directions. eps ≥ 0. Exact where the probabilities and e^eps are rational, as with eps = ln(3), else certified.", "(0.5)", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return mechanism.Privacy(m).Delta(c.Context, c.Epsilon("eps"))
		}),
		attrOf(as[*optimize.Optimal], "optimum -> evidence", "The optimum of the objective, for an optimal mechanism only: the mean distortion under the prior, the largest distortion (\"worst\") or the sum of the distortions (\"pareto\"). Certified: the upper end is what the mechanism attains, the lower end holds for every mechanism. Exact where the program was solved in rationals.", optimalSetup+"print(m.optimum)", func(_ *script.Call, m *optimize.Optimal) (any, error) { return m.Optimum(), nil }),
		attrOf(as[*optimize.Optimal], "certificate -> dict", `The proof of the optimum's lower end, for an optimal mechanism only: a feasible point of the dual program. It is a dict with "prices", {(x, y, r): price} for the constraint p^x(r) ≤ e^ε p^y(r), r an index in the range; "weights", one per dataset: the prior, 1 for "pareto", 0 for "worst"; "bounds", the prices of the limits on P^x, or None; "unit", the unit of distances; "delta"; "values", the indices of values that need to be output (others are never better); and "laws", the probabilities over the range for each dataset, which attain the upper end (None if they are not rational). Numbers are exact fractions as strings. With d = |f(x) − r|/unit, the distance in the value metric over unit, and R_xr = (weights[x] + bounds[x])·d + Σ_y (prices[x, y, r] − e^ε prices[y, x, r]), the optimum is at least unit·Σ_x min_r R_xr, r in values, less Σ_x bounds[x]·(than's distortion of x) for "pareto", and less unit·delta·Σ max_r prices[x, y, r] over all neighbors x, y.`, optimalSetup+"c = m.certificate\nprint(c[\"unit\"], len(c[\"prices\"]), len(c[\"laws\"]))", dualOf),
		attrOf(as[*optimize.Tight], "constants -> list", "The constants c_y of a tight mechanism, one per dataset, as floats. tight_constants(q, eps, evidence=True) has them with their evidence.", "print(tight(graphs(4).count(\"triangle\"), 1).constants)", func(_ *script.Call, m *optimize.Tight) (any, error) { return interval.Mids(m.Constants()), nil }),
		script.Do("sample(x: dataset, n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n simulated values at dataset x, for research only. Use release for values to be published.", "(10, n=5, seed=1)", sampleMechanism),
		script.Do("simulate(x: dataset, n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(10, n=5, seed=1)", sampleMechanism),
		script.Do("release(x: dataset, n: int[0..268435456]=1, seed: seed=None) -> released|list", "Releases n values at dataset x, drawn from the operating system's generator, each with exactly its probability. A mechanism whose probabilities are known only within bounds is refused."+seedHelp, mechanismSetup+"print(m.release(10))", releaseMechanism),
		script.Do("monotonic -> bool", "Whether the query that it answers is monotonic (Wu et al., Definition 10): see query.monotonic.", "", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			mono, err := m.Query().Monotonic(c.Context)
			return mono.Weak, err
		}),
		script.Do("approximation(n: int[0..]=0, eps: epsilon=None) -> list", "The datasets at which it is an approximation mechanism (Wu et al., Definition 19): f(x) is not in the layers 0 … n of x, where the definition has n = 0. It is an approximation mechanism if the list is not empty. The layers are those of a layered mechanism. For other mechanisms, or if eps is given, they are the layers of Definition 13 at eps, by default the claimed ε.", "(0)", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			at, err := discretize.Approximation(c.Context, m, c.Epsilon("eps"), c.Int("n"))
			return script.Each(at, func(x int) any { return called(m.Query().Space(), x) }), err
		}),
		script.Do("answering(q: query) -> mechanism", "The same laws as a mechanism for another query q on the same datasets, whose distortions are measured against q's values. Use it for a mechanism on a query that replaces q, such as a lipschitz_extension.", mechanismSetup+"g = lipschitz_extension(m.query, bound=1, on=[0, 1, 2])\nprint(purest(g, 1).answering(m.query).distortion(10))", func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return discretize.WithRange(c.Context, m, queryClass.Arg(c, "q"))
		}),
		script.Do(`expected_loss(loss: function|"squared", prior: prior=None, x: dataset=None) -> evidence`, "The expected loss, averaged over the datasets, or at dataset x. loss is a function of a dataset (its name, or its number if it has none) and a value, or \"squared\", (f(x) − r)². It need not be a metric. prior as in expected_distortion. Exact or certified.", "(\"squared\")", expectedLoss),
	}, ownPrivacy[mechanism.Mechanism](), discretizedAttrs, layeredAttrs),
}

// attrOf returns an attribute that a value has if held finds an M in it.
func attrOf[M, T any](held func(v T) (M, bool), declaration, help, example string, f func(c *script.Call, m M) (any, error)) script.Attr[T] {
	return script.Do(declaration, help, example, func(c *script.Call, v T) (any, error) {
		m, _ := held(v)
		return f(c, m)
	}).If(func(v T) bool {
		_, ok := held(v)
		return ok
	}, "")
}

// as returns a mechanism as a Go type.
func as[M any](m mechanism.Mechanism) (M, bool) {
	x, ok := m.(M)
	return x, ok
}

// dataset returns the dataset of a parameter, given by number or name.
func dataset(c *script.Call, name string, m mechanism.Mechanism) int {
	return datasetAt(c, name, m.Query().Space())
}

func sampleMechanism(c *script.Call, m mechanism.Mechanism) (any, error) {
	return valuesAt(m, must(mechanism.Sample(m, dataset(c, "x", m), c.Int("n"), c.Source("seed")))), nil
}

func releaseMechanism(c *script.Call, m mechanism.Mechanism) (any, error) {
	if _, ok := simulating(c); ok {
		return sampleMechanism(c, m)
	}
	n := c.Int("n")
	values := valuesAt(m, must(mechanism.Release(c.Context, m, dataset(c, "x", m), n, nil)))
	return &released{values, m.Name(), func(c *script.Call) (record, error) {
		k := record{parameters: map[string]any{"query": m.Query().Name(), "claimed_epsilon": m.ClaimedEpsilon()}, neighbors: "neighboring datasets of " + m.Query().Name(), draws: n, grid: starlark.None}
		if o, ok := m.(*optimize.Optimal); ok {
			if eps, delta := o.Guarantee(); !delta.IsZero() {
				k.epsilon, k.delta = eps.Number(), must(mechanism.Privacy(m).Delta(c.Context, eps))
				return k, nil
			}
		}
		k.epsilon, k.delta = must(mechanism.Privacy(m).Epsilon(c.Context, evidence.Delta{})), starlark.MakeInt(0)
		return k, nil
	}}, nil
}

// valuesAt returns the values at these indices of the range.
func valuesAt(m mechanism.Mechanism, places []int) []any {
	return script.Each(places, func(r int) any { return scriptValue(m.Query().Range()[r]) })
}

// radius reads a radius without rounding. It returns nil for an infinite one.
func radius(c *script.Call, name string, v starlark.Value) *big.Rat {
	if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
		return nil
	}
	return c.RationalOf(name, v)
}
