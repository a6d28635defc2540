package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"

	"go.starlark.net/starlark"
)

// mechanismBuiltins are the mechanisms that are not layered, and what compares
// and calibrates any.
func mechanismBuiltins() []builtin {
	const setup = "q = graphs(4).count(\"triangle\")\n"
	return []builtin{{
		name: "ladder", params: "q, eps",
		help:    "The Ladder mechanism on the query's range (Zhang et al. 2015, Algorithm 1), ε-differentially private: rung k has weight e^{−kε/2}. Rung 0 is f(x); another value r is on rung 1 + the number of t ≥ 0 with I_0 + … + I_t < |r − f(x)|, I_t the largest local sensitivity within distance t.",
		example: setup + "print(ladder(q, 2).distortion(10))",
		run: func(c *call) (starlark.Value, error) {
			return asMechanism(c)(mechanism.NewLadder(c.ctx, argument(c, "q", queryClass), c.epsilon("eps")))
		},
	}, {
		name: "laplace", params: "q, eps",
		help:    "The Laplace mechanism: noise of scale Δ/ε, moved to the nearest value of the range, ties to the smaller. ε-differentially private. On a linear_query the noise stays as it is.",
		example: setup + "print(laplace(q, 1).prob(0))",
		run: func(c *call) (starlark.Value, error) {
			if lq := c.linear("q"); lq != nil {
				return asLine[*mechanism.LaplaceLine](c, lq)(mechanism.NewLaplaceLine(lq.Linear, c.epsilon("eps")))
			}
			return asMechanism(c)(mechanism.NewLaplace(c.ctx, argument(c, "q", queryClass), c.epsilon("eps")))
		},
	}, {
		name: "geometric", params: "q, eps",
		help:    "The geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009): whole noise k with weight e^{−ε|k|/Δ}, moved to the nearest value of the range, ties to the smaller. ε-differentially private. f must be whole. On a linear_query, whose V_f must be points, k counts steps of the lattice they span, and the noise stays as it is.",
		example: setup + "print(geometric(q, ln(3)).distortion(0))",
		run: func(c *call) (starlark.Value, error) {
			if lq := c.linear("q"); lq != nil {
				return asLine[*mechanism.GeometricLine](c, lq)(mechanism.NewGeometricLine(lq.Linear, c.epsilon("eps")))
			}
			return asMechanism(c)(mechanism.NewGeometric(c.ctx, argument(c, "q", queryClass), c.epsilon("eps")))
		},
	}, {
		name: "exponential", params: "q, eps",
		help:    "The exponential mechanism (McSherry and Talwar 2007) with score −d(f(x), r): weight e^{−ε d/(2Δ)} on the range. ε-differentially private.",
		example: setup + "print(exponential(q, 1).smallest_epsilon)",
		run: func(c *call) (starlark.Value, error) {
			return asMechanism(c)(mechanism.NewExponential(c.ctx, argument(c, "q", queryClass), c.epsilon("eps")))
		},
	}, {
		name: "inverse_sensitivity", params: "q, eps, rho=0",
		help:    "The inverse sensitivity mechanism (Asi and Duchi 2020): weight e^{−kε/2}, k the distance to the nearest dataset whose value is within rho of r. ε-differentially private. rho = 0 is purest(q, eps/2); rho > 0, the smooth form, is delta_neighborhood(q, eps/2, rho).",
		example: setup + "print(inverse_sensitivity(q, 2).distortion(10), purest(q, 1).distortion(10))",
		run: func(c *call) (starlark.Value, error) {
			return asMechanism(c)(mechanism.NewInverseSensitivity(c.ctx, argument(c, "q", queryClass), c.epsilon("eps"), c.radius("rho", c.value("rho"))))
		},
	}, {
		name: "calibrate", params: "family, eps",
		help:    "The mechanism family(e), e a float, whose smallest ε is eps: its upper end is at most eps and the gap at most 1e-9, else an error. family is a function such as lambda e: purest(q, e), with a smallest ε that grows with e.",
		example: setup + "m = calibrate(lambda e: purest(q, e), 1)\nprint(m.decay, m.smallest_epsilon)",
		run: func(c *call) (starlark.Value, error) {
			family := c.callable("family")
			return asMechanism(c)(optimize.Calibrate(c.ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
				v, err := family(starlark.Float(e.Value()))
				if err != nil {
					return nil, err
				}
				m, ok := unwrap(v, mechanismClass)
				if !ok {
					return nil, fmt.Errorf("family(%g) = %s, want a mechanism on a finite query", e.Value(), brief(v))
				}
				return m, nil
			}, c.epsilon("eps")))
		},
	}, {
		name: "compare", params: "a, b",
		help:    "Sets the expected distortions of mechanism a against those of b, dataset by dataset. Both claim the same ε when a is purest(q, e) and b is ladder(q, 2*e).",
		example: setup + "c = compare(purest(q, 1), ladder(q, 2))\nprint(c.better, c.mean)",
		run: func(c *call) (starlark.Value, error) {
			a, b := argument(c, "a", mechanismClass), argument(c, "b", mechanismClass)
			r, err := mechanism.Compare(c.ctx, a, b)
			if err != nil {
				return nil, err
			}
			return comparisonClass.of(c, &comparison{r, a, b}), nil
		},
	}}
}

// asMechanism wraps any of the Go mechanism types.
func asMechanism(c *call) func(mechanism.Mechanism, error) (starlark.Value, error) {
	return func(m mechanism.Mechanism, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return mechanismClass.of(c, m), nil
	}
}

const mechanismSetup = "m = purest(graphs(4).count(\"triangle\"), 1)\n"

var mechanismClass = &class[mechanism.Mechanism]{
	name: "mechanism", wanted: "a mechanism on a finite query", help: "A mechanism on a finite query: a probability law on the range for each dataset.", example: mechanismSetup + "print(m)",
	show: func(m mechanism.Mechanism) string {
		return fmt.Sprintf("<%s on %s, claimed %s-DP>", m.Name(), m.Query().Name(), evidence.FormatFloat(m.ClaimedEpsilon().Float(), 6))
	},
	attrs: []attr[mechanism.Mechanism]{{
		name: "name", help: "Which mechanism it is, with its parameter.", example: mechanismSetup + "print(m.name)",
		get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) { return starlark.String(m.Name()), nil },
	}, {
		name: "query", help: "The query it answers.", example: mechanismSetup + "print(m.query.size)",
		get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) { return queryClass.of(c, m.Query()), nil },
	}, {
		name: "claimed_epsilon", help: "The ε that theory promises, in nats: 2·decay for a layered mechanism (Wu et al., Proposition 3), the given eps for the others. Claimed.", example: mechanismSetup + "print(m.claimed_epsilon)",
		get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) { return known(m.ClaimedEpsilon()), nil },
	}, {
		name: "smallest_epsilon", help: "The smallest ε at which it is ε-differentially private, in nats: the largest log-ratio of probabilities over all neighbors and values. Exact where the probabilities are rational, else certified; inf where one of two neighbors can output a value that the other cannot.", example: mechanismSetup + "print(m.smallest_epsilon)",
		get: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			e, err := mechanism.Privacy(m).Epsilon(c.ctx, 0)
			if err != nil {
				return nil, err
			}
			return known(e), nil
		},
	}, {
		name: "distortion", params: "x", help: "The expected distance of the output to f(x) at dataset x (Wu et al., (4)), in the unit of the values. Exact or certified.", example: mechanismSetup + "print(m.distortion(10))",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			return known(mechanism.Distortion(m, c.index("x", m.Query().Size()))), nil
		},
	}, {
		name: "distortions", params: "", help: "The expected distortion of every dataset, as a list of floats, 0 only where it is 0.", example: mechanismSetup + "print(m.distortions()[10])",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			d, err := mechanism.Distortions(c.ctx, m)
			return floatList(d), err
		},
	}, {
		name: "expected_distortion", params: "prior=None", help: "The distortion averaged over the datasets (Wu et al., (5)). prior is a list of probabilities with sum 1; None is uniform. Exact or certified.", example: mechanismSetup + "print(m.expected_distortion())",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			var prior []*big.Rat
			if c.given("prior") {
				prior = c.rationals("prior")
			}
			d, err := mechanism.ExpectedDistortion(c.ctx, m, prior)
			if err != nil {
				return nil, err
			}
			return known(d), nil
		},
	}, {
		name: "prob", params: "x", help: "The law at dataset x: a dict from value to probability (floats), values that are never output left out; no other is 0.", example: mechanismSetup + "print(m.prob(10))",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			x := c.index("x", m.Query().Size())
			d := starlark.NewDict(len(m.Query().Range()))
			for r, v := range m.Query().Range() {
				if p := m.LogProb(x, r); !math.IsInf(p, -1) {
					p := max(m.Enclose(x, r).Mid(), math.SmallestNonzeroFloat64)
					if err := d.SetKey(scriptValue(v), starlark.Float(p)); err != nil {
						return nil, err
					}
				}
			}
			return d, nil
		},
	}, {
		name: "delta", params: "eps", help: "The privacy profile: the least δ at which it is (eps, δ)-differentially private, the hockey-stick divergence over all neighbors in both directions. eps ≥ 0. Exact where the probabilities and e^eps are rational, as with eps = ln(3), else certified.", example: mechanismSetup + "print(m.delta(0.5))",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			d, err := mechanism.Privacy(m).Delta(c.ctx, c.epsilonOrZero("eps"))
			if err != nil {
				return nil, err
			}
			return known(d), nil
		},
	}, {
		name: "optimum", only: isOptimal, help: optimumHelp, example: optimumExample, get: optimumOf,
	}, {
		name: "certificate", only: isOptimal, help: certificateHelp, example: certificateExample, get: certificateOf,
	}, {
		name: "constants", only: isTight, help: constantsHelp, example: constantsExample, get: constantsOf,
	}, {
		name: "sample", params: "x, n=1, seed=0", help: "A list of n values drawn at dataset x. For research: a release needs a cryptographic source.", example: mechanismSetup + "print(m.sample(10, n=5, seed=1))",
		run: func(c *call, m mechanism.Mechanism) (starlark.Value, error) {
			x, n := c.index("x", m.Query().Size()), c.int("n", 0, 1<<28)
			rng := m.Query().Range()
			drawn, err := mechanism.Release(m, x, n, c.source("seed"))
			if err != nil {
				return nil, err
			}
			return listOf(drawn, func(r int) starlark.Value { return scriptValue(rng[r]) }), nil
		},
	}},
}

// comparison keeps what was compared.
type comparison struct {
	mechanism.Comparison
	a, b mechanism.Mechanism
}

const comparisonSetup = "q = graphs(4).count(\"triangle\")\nc = compare(purest(q, 1), ladder(q, 2))\n"

var comparisonClass = &class[*comparison]{
	name: "comparison", help: "The distortions of one mechanism against another's.", example: comparisonSetup + "print(c)",
	show: func(r *comparison) string {
		return fmt.Sprintf("<%s against %s: better on %s of %d datasets, mean ratio %s, from %s to %s>", r.a.Name(), r.b.Name(),
			evidence.FormatFloat(r.Better, 4), len(r.Ratios), evidence.FormatFloat(r.Mean, 5), evidence.FormatFloat(r.Min, 4), evidence.FormatFloat(r.Max, 4))
	},
	attrs: []attr[*comparison]{{
		name: "ratios", help: "P_a/P_b for every dataset: below 1 where a is better; 1 where both are 0, inf where just P_b is.", example: comparisonSetup + "print(c.ratios)",
		get: func(c *call, r *comparison) (starlark.Value, error) { return floatList(r.Ratios), nil },
	}, {
		name: "better", help: "The fraction of datasets whose ratio is below 1 by more than 1e-9.", example: comparisonSetup + "print(c.better)",
		get: func(c *call, r *comparison) (starlark.Value, error) { return starlark.Float(r.Better), nil },
	}, {
		name: "mean", help: "The mean ratio over all datasets.", example: comparisonSetup + "print(c.mean)",
		get: func(c *call, r *comparison) (starlark.Value, error) { return starlark.Float(r.Mean), nil },
	}, {
		name: "min", help: "The least ratio.", example: comparisonSetup + "print(c.min)",
		get: func(c *call, r *comparison) (starlark.Value, error) { return starlark.Float(r.Min), nil },
	}, {
		name: "max", help: "The largest ratio.", example: comparisonSetup + "print(c.max)",
		get: func(c *call, r *comparison) (starlark.Value, error) { return starlark.Float(r.Max), nil },
	}, {
		name: "ratio_to_optimum", help: ratioHelp, example: comparisonSetup + "print(c.ratio_to_optimum)",
		get: func(c *call, r *comparison) (starlark.Value, error) {
			report := c.progress("optimum", 0)
			ratio, err := optimize.RatioToOptimum(c.ctx, r.a, func(step int, lo, hi float64) { report(int64(step)) })
			if err != nil {
				return nil, err
			}
			return known(ratio), nil
		},
	}},
}

// epsilonOrZero returns a privacy parameter as epsilon does, and the zero Epsilon for
// the number 0.
func (c *call) epsilonOrZero(name string) evidence.Epsilon {
	if q, ok := toRational(c.value(name)); ok && q.Sign() <= 0 {
		if q.Sign() < 0 {
			c.fail(name, c.value(name), "a number of at least 0 or ln(…)")
		}
		return evidence.Epsilon{}
	}
	return c.epsilon(name)
}

// radii reads a radius per dataset: a number, a list, or a function of the
// dataset.
func (c *call) radii(name string, q *query.Query) []*big.Rat {
	out := make([]*big.Rat, q.Size())
	v := c.value(name)
	if _, ok := v.(starlark.Callable); ok {
		radius := c.callable(name)
		for x := range out {
			v, err := radius(starlark.MakeInt(x))
			if err != nil {
				panic(badArgument{err})
			}
			out[x] = c.radius(fmt.Sprintf("%s(%d)", name, x), v)
		}
		return out
	}
	if list, ok := elements(v); ok {
		out = make([]*big.Rat, len(list))
		for x, v := range list {
			out[x] = c.radius(fmt.Sprintf("%s[%d]", name, x), v)
		}
		return out
	}
	all := c.radius(name, v)
	for x := range out {
		out[x] = all
	}
	return out
}

// radius reads a radius without rounding, nil where it is infinite.
func (c *call) radius(name string, v starlark.Value) *big.Rat {
	if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
		return nil
	}
	return c.rationalOf(name, v)
}

// layered returns the layered mechanism inside m.
func layered(m mechanism.Mechanism) (*layers.Mechanism, bool) {
	if d := discretized(m); d != nil {
		return d.Mechanism, true
	}
	l, ok := m.(*layers.Mechanism)
	return l, ok
}
