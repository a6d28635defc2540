package repl

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/records"
	"dpworkbench/script"
	"dpworkbench/smooth"

	"go.starlark.net/starlark"
)

// smoothBuiltins returns noise scaled by smooth sensitivity, and Lipschitz extensions of queries.
func smoothBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`smooth_sensitivity(q: query|record_query, eps: epsilon, delta: delta0=0, noise: "cauchy"|"laplace"|"student"="cauchy", gamma: rational=4, d: rational=3, beta: rational=None, line: bool=False) -> noise_mechanism|record_mechanism`,
			`The smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007): f(x) + scale·S(x)·Z on the whole line, where S(x) is the largest e^{−beta·t} times the local sensitivity within distance t. noise "cauchy", density ∝ 1/(1 + |z|^gamma), gamma > 1: eps-differentially private for beta = eps/(2(gamma + 1)), scale 2(gamma + 1)/eps (Corollary 2.4); its expected absolute error is infinite for gamma ≤ 2, its squared error for gamma ≤ 3. "student", Student's t of d degrees of freedom (Bun and Steinke 2019): eps = (d + 1)(beta + 1/(2·√d·scale)), by default half for each term; the errors are infinite for d ≤ 1 and d ≤ 2. "laplace": (eps, delta), delta > 0, beta = eps/(2 ln(2/delta)), scale 2/eps. beta may be any smaller number ("student" then uses the remaining part of eps for scale). m.claimed_epsilon is the theorem's claim, and m.smallest_epsilon the certified truth over all neighbors and the whole line; calibrate finds the mechanism with a given smallest ε. On a record query it is the law at that dataset, with the local sensitivities local_sensitivity(t). Answers are then moved to the nearest value of the range, as for laplace, so expected errors are finite on a bounded range; line=True leaves them on the whole line. verify tests it on small universes.`,
			querySetup+"m = smooth_sensitivity(q, 1)\nprint(m.distortion(10), m.smallest_epsilon)\nprint(smooth_sensitivity(q, 1, noise=\"student\").distortion(10))\nprint(smooth_sensitivity(q, 1, delta=\"1/1000\", noise=\"laplace\").delta_at(1))",
			func(c *script.Call) (any, error) {
				noise := smooth.Laplace()
				switch c.Text("noise") {
				case "cauchy":
					noise = must(smooth.Cauchy(c.Rational("gamma")))
				case "student":
					noise = must(smooth.Student(c.Rational("d")))
				}
				if q, ok := recordOr(c, "q"); ok {
					m := must(records.NewSmooth(c.Context, q, must(smooth.Calibrate(noise, c.Epsilon("eps"), c.Delta("delta"), c.Rational("beta")))))
					return unmoved(c, m), nil
				}
				return smooth.New(c.Context, queryClass.Arg(c, "q"), must(smooth.Calibrate(noise, c.Epsilon("eps"), c.Delta("delta"), c.Rational("beta"))))
			}),
		script.Func(`lipschitz_extension(q: query|record_query, bound: rational=None, on: function|list|int=None, side: "upper"|"lower"|"middle"="upper") -> query|record_query`,
			`A query that replaces q, whose values are numbers under |a − b|, and is Lipschitz everywhere. On listed universes, on is a set of datasets: a list of numbers or names, a predicate of a dataset, or for graphs a number D, which means the graphs of degree at most D. |q(x) − q(y)| ≤ bound·distance must hold on this set; a pair that violates it is an error. The extension agrees with q there and is the largest bound-Lipschitz function with side="upper", the least with "lower", their mean with "middle" (McShane 1934). bound=None is the least possible bound. Values are exact. Fractional distances count as their ceiling. Every mechanism accepts the extension. laplace(g, eps, line=True) measures its errors against q, and m.answering(q) does so for any mechanism. On a record query that counts copies C of a pattern in a graph, the extension is the largest Σ x_C, 0 ≤ x_C ≤ 1, with a sum of at most bound at every node (Kasiviswanathan, Nissim, Raskhodnikova and Smith 2013). It equals the count on graphs of degree at most on = D; the default bound is the number of copies that a node of degree D can be in. Under neighbors="node" q counts edges (by a flow, at any size), or triangles or k_star(k) (by a linear program, up to some thousand copies at nodes over the bound). Under "edge" it counts triangles or k_star(k), with a sum of at most bound at every edge. A change of one node's edges, or of one edge, moves the extension by at most bound, which scales layers and noise. m.distortion(q) is the error against q.`,
			querySetup+"g = lipschitz_extension(q, bound=1, on=lambda x: q.values[x] <= 1)\nprint(q.sensitivity, g.sensitivity, g.values)",
			newExtension),
	}
}

func newExtension(c *script.Call) (any, error) {
	if q, ok := recordOr(c, "q"); ok {
		return extendedAt(c, q)
	}
	q := queryClass.Arg(c, "q")
	if !c.Given("on") {
		c.Stop("on = None, want the datasets whose values the extension keeps: a list, a function, or for graphs a largest degree")
	}
	degree, isDegree := script.ToInt(c.Value("on"))
	bound := c.Rational("bound")
	var on []int
	if isDegree {
		on = must(smooth.UpToDegree(q, degree))
	} else {
		on = datasetsOf(c, "on", q.Space())
	}
	if bound == nil {
		least, _, _, err := smooth.LipschitzConstant(c.Context, q, on)
		stop(err)
		bound = least.Value
	}
	return smooth.McShane(c.Context, q, bound, on, smooth.Side(c.Text("side")))
}

// extendedAt returns the extension of a record query.
func extendedAt(c *script.Call, q *records.Query) (any, error) {
	if c.Given("side") && c.Text("side") != "upper" {
		c.Fail("side", c.Value("side"), `"upper" for a record query`)
	}
	degree := 0
	if c.Given("on") {
		var ok bool
		if degree, ok = script.ToInt(c.Value("on")); !ok {
			c.Fail("on", c.Value("on"), "a largest degree, for a record query")
		}
	} else if !c.Given("bound") {
		c.Stop("on and bound are missing, want a largest degree, or a bound, or both")
	}
	return records.Extend(c.Context, q, degree, c.Rational("bound"))
}

// unmoved returns m with its noise on the whole line, not moved into the range, if the call asks for it.
func unmoved(c *script.Call, m records.Law) records.Law {
	if on, ok := m.(interface{ OnLine() records.Law }); ok && c.Bool("line") {
		return on.OnLine()
	}
	return m
}

// datasetsOf reads a set of datasets: a list of numbers or names, or a predicate.
func datasetsOf(c *script.Call, name string, s *query.Space) (out []int) {
	if list, ok := c.Arg(name).([]starlark.Value); ok {
		for i, v := range list {
			out = append(out, datasetOf(c, fmt.Sprintf("%s[%d]", name, i), v, s))
		}
		return out
	}
	belongs := c.Callable(name)
	for x := range s.Size() {
		if must(belongs(script.ToValue(called(s, x)))).Truth() {
			out = append(out, x)
		}
	}
	return out
}

const smoothSetup = querySetup + "m = smooth_sensitivity(q, 1)\n"

var noiseMechanismClass = &script.Class[*smooth.Mechanism]{
	Answers: script.Answers[*smooth.Mechanism]{
		"compare": comparedBy(queryAnswered[*smooth.Mechanism], distortions...),
	},
	Name: "noise_mechanism", Help: "A mechanism that adds noise to a number without moving the sum to the range. The scale may depend on the dataset. on_range() is the same on the query's range.", Setup: smoothSetup,
	Show: func(m *smooth.Mechanism) string {
		claim := evidence.FormatNumber(m.Epsilon.Number(), 6)
		if !m.Delta.IsZero() {
			claim = "(" + claim + ", " + evidence.FormatFloat(m.ClaimedDelta().Float(), 6) + ")"
		}
		return fmt.Sprintf("<%s on %s, claimed %s-DP>", m.Name(), m.Query().Name(), claim)
	},
	Attrs: append([]script.Attr[*smooth.Mechanism]{
		script.Get("name -> string", "Which mechanism it is, with its parameters.", "", func(m *smooth.Mechanism) any { return m.Name() }),
		script.Get("query -> query", "The query against whose values errors are measured; for noise on a lipschitz_extension, the original query.", smoothSetup+"print(m.query.size)", func(m *smooth.Mechanism) any { return m.Query() }),
		script.Get("claimed_epsilon -> evidence", "The ε that the theorem claims, in nats. Claimed.", "", func(m *smooth.Mechanism) any { return m.ClaimedEpsilon() }),
		script.Get("claimed_delta -> evidence", "The δ that the theorem claims: 0 except for Laplace noise of smooth_sensitivity. Claimed.", "", func(m *smooth.Mechanism) any { return m.ClaimedDelta() }),
		script.Do("smallest_epsilon -> evidence", "The smallest ε at which it is ε-differentially private, in nats: the supremum over neighbors and the whole line of the log-ratio of their densities, tails included. Certified; inf for Laplace noise of different scales.", "", func(c *script.Call, m *smooth.Mechanism) (any, error) { return m.SmallestEpsilon(c.Context) }),
		script.Do("worst() -> dict", "Neighbors with the largest privacy loss: a dict with x, y, their names, and the loss, evidence.", "()", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			w, err := m.Worst(c.Context)
			s := m.Query().Space()
			return map[string]any{"x": called(s, w.X), "y": called(s, w.Y), "loss": w.Loss}, err
		}),
		script.Get("beta -> evidence", "The smoothness of the bound on the local sensitivity: at neighbors it differs by a factor of at most e^beta. 0 if the noise is the same at all datasets.", "", func(m *smooth.Mechanism) any { return m.Beta() }),
		script.Do("smooth_bound(x: dataset) -> evidence", "The smooth sensitivity S(x), in units of f.", "(10)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			s, _ := m.SmoothBound(datasetAt(c, "x", m.Query().Space()))
			return s, nil
		}),
		script.Do("scale(x: dataset) -> evidence", "The factor of the standard noise at dataset x, in units of f.", "(10)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.NoiseScale(datasetAt(c, "x", m.Query().Space())), nil
		}),
		script.Do("distortion(x: dataset) -> evidence", "The expected absolute error at dataset x. Certified; inf if the noise has no first moment, as its source then says.", "(10)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.Distortion(datasetAt(c, "x", m.Query().Space())), nil
		}),
		script.Do("squared_error(x: dataset) -> evidence", "The expected squared error at dataset x. Certified; inf if the noise has no second moment, as its source then says.", "(10)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.SquaredError(datasetAt(c, "x", m.Query().Space())), nil
		}),
		script.Do("quantile(x: dataset, p: rational) -> evidence", "The p-quantile of the absolute error at dataset x, 0 < p < 1, where the noise is centered on the value. Certified.", "(10, 0.9)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.ErrorQuantile(datasetAt(c, "x", m.Query().Space()), c.Rational("p"))
		}),
		script.Do("density(x: dataset, r: rational) -> evidence", "The density of the answer at the number r. Certified.", "(10, 0)", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.DensityAt(datasetAt(c, "x", m.Query().Space()), c.Rational("r"))
		}),
		script.Do("distortions(evidence: bool=False) -> list", "The expected absolute error of every dataset, as a list of floats, or with evidence=True of certified numbers.", smoothSetup+"print(m.distortions()[10])", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			if !c.Bool("evidence") {
				return m.Distortions(c.Context)
			}
			return lists.Of(m.Query().Size(), func(x int) any {
				stop(c.Context.Err())
				return m.Distortion(x)
			}), nil
		}),
		script.Do("expected_distortion(prior: prior=None) -> evidence", "The expected absolute error averaged over the datasets. prior is a list of probabilities with sum 1, or a dict from datasets to theirs; None is uniform. Certified.", "()", func(c *script.Call, m *smooth.Mechanism) (any, error) {
			return m.ExpectedDistortion(c.Context, priorOf(c, m.Query()))
		}),
		script.Do("on_range() -> mechanism", "The mechanism that moves each output to the nearest value of the query's range, ties to the smaller. It is at least as private, and a finite mechanism with all methods of one. If (ε, δ) was claimed, it claims ε = inf.", smoothSetup+"print(m.on_range().distortion(10), m.on_range().smallest_epsilon)", func(c *script.Call, m *smooth.Mechanism) (any, error) { return m.OnRange(c.Context) }),
		script.Do("sample(x: dataset, n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n simulated answers at dataset x, on a grid of about 2^-32 of the least noise, for research only. Use release for values to be published.", "(10, n=3, seed=1)", sampleNoise),
		script.Do("simulate(x: dataset, n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(10, n=3, seed=1)", sampleNoise),
		script.Do("release(x: dataset, n: int[0..268435456]=1, grid: rational=None, seed: seed=None) -> released|list", "Releases n answers at dataset x: noise drawn from the operating system's generator with exactly its law, and the sum rounded to the nearest multiple of grid, decided exactly. grid None means a power of two of about 2^-32 times the least noise over all datasets, so it does not depend on the data."+seedHelp, smoothSetup+"print(m.release(10))", releaseNoise),
	}, ownPrivacy[*smooth.Mechanism]("worst")...),
}

func sampleNoise(c *script.Call, m *smooth.Mechanism) (any, error) {
	return m.Sample(c.Context, datasetAt(c, "x", m.Query().Space()), c.Int("n"), nil, c.Source("seed"))
}

func releaseNoise(c *script.Call, m *smooth.Mechanism) (any, error) {
	x, n, grid := datasetAt(c, "x", m.Query().Space()), c.Int("n"), c.Rational("grid")
	return release(c, m.Name(), func(src rand.Source) (any, error) { return m.Sample(c.Context, x, n, grid, src) }, func(c *script.Call) (record, error) {
		if grid == nil {
			grid = m.Grid()
		}
		k := record{parameters: map[string]any{"query": m.Query().Name(), "claimed_epsilon": m.ClaimedEpsilon()}, neighbors: "neighboring datasets of " + m.Query().Name(), draws: n, grid: fractionOf(grid)}
		if !m.Delta.IsZero() {
			k.epsilon, k.delta = m.Epsilon.Number(), must(m.DeltaAt(c.Context, m.Epsilon))
			return k, nil
		}
		k.epsilon, k.delta = must(m.SmallestEpsilon(c.Context)), starlark.MakeInt(0)
		return k, nil
	})
}

// onLineOrRange returns Laplace noise on a finite query, on the line or moved to the range.
func onLineOrRange(c *script.Call, q *query.Query, eps evidence.Epsilon) (any, error) {
	if c.Bool("line") {
		return smooth.NewGlobal(q, eps, q.Original())
	}
	return mechanism.NewLaplace(c.Context, q, eps)
}

// errNoise reports that a family to be calibrated consists of noise mechanisms.
var errNoise = errors.New("a noise mechanism")

// calibrated runs smooth.AtEpsilon on a script's family of noise mechanisms.
func calibrated(c *script.Call, family func(args ...starlark.Value) (starlark.Value, error), eps evidence.Epsilon) (any, error) {
	of := make(map[*smooth.Mechanism]starlark.Value) // script values remember the calls that made them
	m, err := smooth.AtEpsilon(c.Context, func(e evidence.Epsilon) (*smooth.Mechanism, error) {
		v := must(family(starlark.Float(e.Value())))
		m, ok := script.Unwrap(v, noiseMechanismClass)
		if !ok {
			return nil, fmt.Errorf("family(%g) = %s, want a noise mechanism, as at the first parameter", e.Value(), script.Brief(v))
		}
		of[m] = v
		return m, nil
	}, eps)
	if v := of[m]; v != nil {
		return v, err
	}
	return m, err
}
