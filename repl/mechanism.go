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
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// mechanismBuiltins are the mechanisms that are not layered, and what compares
// and calibrates any.
func mechanismBuiltins() []script.Builtin {
	const setup = "q = graphs(4).count(\"triangle\")\n"
	return []script.Builtin{{
		Name: "ladder", Params: "q, eps",
		Help:    "The Ladder mechanism on the query's range (Zhang et al. 2015, Algorithm 1), ε-differentially private: rung k has weight e^{−kε/2}. Rung 0 is f(x); another value r is on rung 1 + the number of t ≥ 0 with I_0 + … + I_t < |r − f(x)|, I_t the largest local sensitivity within distance t.",
		Example: setup + "print(ladder(q, 2).distortion(10))",
		Run: func(c *script.Call) (any, error) {
			return asMechanism(c)(mechanism.NewLadder(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps")))
		},
	}, {
		Name: "laplace", Params: "q, eps",
		Help:    "The Laplace mechanism: noise of scale Δ/ε, moved to the nearest value of the range, ties to the smaller. ε-differentially private. On a linear_query the noise stays as it is.",
		Example: setup + "print(laplace(q, 1).prob(0))",
		Run: func(c *script.Call) (any, error) {
			if lq := linear(c, "q"); lq != nil {
				return asLine[*mechanism.LaplaceLine](c, lq)(mechanism.NewLaplaceLine(lq.Linear, c.Epsilon("eps")))
			}
			return asMechanism(c)(mechanism.NewLaplace(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps")))
		},
	}, {
		Name: "geometric", Params: "q, eps",
		Help:    "The geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009): whole noise k with weight e^{−ε|k|/Δ}, moved to the nearest value of the range, ties to the smaller. ε-differentially private. f must be whole. On a linear_query, whose V_f must be points, k counts steps of the lattice they span, and the noise stays as it is.",
		Example: setup + "print(geometric(q, ln(3)).distortion(0))",
		Run: func(c *script.Call) (any, error) {
			if lq := linear(c, "q"); lq != nil {
				return asLine[*mechanism.GeometricLine](c, lq)(mechanism.NewGeometricLine(lq.Linear, c.Epsilon("eps")))
			}
			return asMechanism(c)(mechanism.NewGeometric(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps")))
		},
	}, {
		Name: "exponential", Params: "q, eps",
		Help:    "The exponential mechanism (McSherry and Talwar 2007) with score −d(f(x), r): weight e^{−ε d/(2Δ)} on the range. ε-differentially private.",
		Example: setup + "print(exponential(q, 1).smallest_epsilon)",
		Run: func(c *script.Call) (any, error) {
			return asMechanism(c)(mechanism.NewExponential(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps")))
		},
	}, {
		Name: "inverse_sensitivity", Params: "q, eps, rho=0",
		Help:    "The inverse sensitivity mechanism (Asi and Duchi 2020): weight e^{−kε/2}, k the distance to the nearest dataset whose value is within rho of r. ε-differentially private. rho = 0 is purest(q, eps/2); rho > 0, the smooth form, is delta_neighborhood(q, eps/2, rho).",
		Example: setup + "print(inverse_sensitivity(q, 2).distortion(10), purest(q, 1).distortion(10))",
		Run: func(c *script.Call) (any, error) {
			return asMechanism(c)(mechanism.NewInverseSensitivity(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps"), radius(c, "rho", c.Value("rho"))))
		},
	}, {
		Name: "calibrate", Params: "family, eps",
		Help:    "The mechanism family(e), e a float, whose smallest ε is eps: its upper end is at most eps and the gap at most 1e-9, else an error. family is a function such as lambda e: purest(q, e), with a smallest ε that grows with e.",
		Example: setup + "m = calibrate(lambda e: purest(q, e), 1)\nprint(m.decay, m.smallest_epsilon)",
		Run: func(c *script.Call) (any, error) {
			family := c.Callable("family")
			return asMechanism(c)(optimize.Calibrate(c.Context, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
				v, err := family(starlark.Float(e.Value()))
				if err != nil {
					return nil, err
				}
				m, ok := script.Unwrap(v, mechanismClass)
				if !ok {
					return nil, fmt.Errorf("family(%g) = %s, want a mechanism on a finite query", e.Value(), script.Brief(v))
				}
				return m, nil
			}, c.Epsilon("eps")))
		},
	}, {
		Name: "compare", Params: "a, b",
		Help:    "Sets the expected distortions of mechanism a against those of b, dataset by dataset. Both claim the same ε when a is purest(q, e) and b is ladder(q, 2*e).",
		Example: setup + "c = compare(purest(q, 1), ladder(q, 2))\nprint(c.better, c.mean)",
		Run: func(c *script.Call) (any, error) {
			a, b := script.Argument(c, "a", mechanismClass), script.Argument(c, "b", mechanismClass)
			r, err := mechanism.Compare(c.Context, a, b)
			if err != nil {
				return nil, err
			}
			return comparisonClass.Of(c, &comparison{r, a, b}), nil
		},
	}}
}

// asMechanism wraps any of the Go mechanism types.
func asMechanism(c *script.Call) func(mechanism.Mechanism, error) (starlark.Value, error) {
	return func(m mechanism.Mechanism, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return mechanismClass.Of(c, m), nil
	}
}

const mechanismSetup = "m = purest(graphs(4).count(\"triangle\"), 1)\n"

var mechanismClass = &script.Class[mechanism.Mechanism]{
	Name: "mechanism", Wanted: "a mechanism on a finite query", Help: "A mechanism on a finite query: a probability law on the range for each dataset.", Example: mechanismSetup + "print(m)",
	Show: func(m mechanism.Mechanism) string {
		return fmt.Sprintf("<%s on %s, claimed %s-DP>", m.Name(), m.Query().Name(), evidence.FormatFloat(m.ClaimedEpsilon().Float(), 6))
	},
	Attrs: []script.Attr[mechanism.Mechanism]{{
		Name: "name", Help: "Which mechanism it is, with its parameter.", Example: mechanismSetup + "print(m.name)",
		Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return starlark.String(m.Name()), nil
		},
	}, {
		Name: "query", Help: "The query it answers.", Example: mechanismSetup + "print(m.query.size)",
		Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return queryClass.Of(c, m.Query()), nil
		},
	}, {
		Name: "claimed_epsilon", Help: "The ε that theory promises, in nats: 2·decay for a layered mechanism (Wu et al., Proposition 3), the given eps for the others. Claimed.", Example: mechanismSetup + "print(m.claimed_epsilon)",
		Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return script.Known(m.ClaimedEpsilon()), nil
		},
	}, {
		Name: "smallest_epsilon", Help: "The smallest ε at which it is ε-differentially private, in nats: the largest log-ratio of probabilities over all neighbors and values. Exact where the probabilities are rational, else certified; inf where one of two neighbors can output a value that the other cannot.", Example: mechanismSetup + "print(m.smallest_epsilon)",
		Get: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			e, err := mechanism.Privacy(m).Epsilon(c.Context, 0)
			if err != nil {
				return nil, err
			}
			return script.Known(e), nil
		},
	}, {
		Name: "distortion", Params: "x", Help: "The expected distance of the output to f(x) at dataset x (Wu et al., (4)), in the unit of the values. Exact or certified.", Example: mechanismSetup + "print(m.distortion(10))",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			return script.Known(mechanism.Distortion(m, c.Index("x", m.Query().Size()))), nil
		},
	}, {
		Name: "distortions", Params: "", Help: "The expected distortion of every dataset, as a list of floats, 0 only where it is 0.", Example: mechanismSetup + "print(m.distortions()[10])",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			d, err := mechanism.Distortions(c.Context, m)
			return script.Floats(d), err
		},
	}, {
		Name: "expected_distortion", Params: "prior=None", Help: "The distortion averaged over the datasets (Wu et al., (5)). prior is a list of probabilities with sum 1; None is uniform. Exact or certified.", Example: mechanismSetup + "print(m.expected_distortion())",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			var prior []*big.Rat
			if c.Given("prior") {
				prior = c.Rationals("prior")
			}
			d, err := mechanism.ExpectedDistortion(c.Context, m, prior)
			if err != nil {
				return nil, err
			}
			return script.Known(d), nil
		},
	}, {
		Name: "prob", Params: "x", Help: "The law at dataset x: a dict from value to probability (floats), values that are never output left out; no other is 0.", Example: mechanismSetup + "print(m.prob(10))",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			x := c.Index("x", m.Query().Size())
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
		Name: "delta", Params: "eps", Help: "The privacy profile: the least δ at which it is (eps, δ)-differentially private, the hockey-stick divergence over all neighbors in both directions. eps ≥ 0. Exact where the probabilities and e^eps are rational, as with eps = ln(3), else certified.", Example: mechanismSetup + "print(m.delta(0.5))",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			d, err := mechanism.Privacy(m).Delta(c.Context, c.EpsilonOrZero("eps"))
			if err != nil {
				return nil, err
			}
			return script.Known(d), nil
		},
	}, {
		Name: "optimum", Only: isOptimal, Help: optimumHelp, Example: optimumExample, Get: optimumOf,
	}, {
		Name: "certificate", Only: isOptimal, Help: certificateHelp, Example: certificateExample, Get: certificateOf,
	}, {
		Name: "constants", Only: isTight, Help: constantsHelp, Example: constantsExample, Get: constantsOf,
	}, {
		Name: "sample", Params: "x, n=1, seed=0", Help: "A list of n values drawn at dataset x. For research: a release needs a cryptographic source.", Example: mechanismSetup + "print(m.sample(10, n=5, seed=1))",
		Run: func(c *script.Call, m mechanism.Mechanism) (any, error) {
			x, n := c.Index("x", m.Query().Size()), c.Int("n", 0, 1<<28)
			rng := m.Query().Range()
			drawn, err := mechanism.Release(m, x, n, c.Source("seed"))
			if err != nil {
				return nil, err
			}
			return script.List(drawn, func(r int) starlark.Value { return scriptValue(rng[r]) }), nil
		},
	}},
}

// comparison keeps what was compared.
type comparison struct {
	mechanism.Comparison
	a, b mechanism.Mechanism
}

const comparisonSetup = "q = graphs(4).count(\"triangle\")\nc = compare(purest(q, 1), ladder(q, 2))\n"

var comparisonClass = &script.Class[*comparison]{
	Name: "comparison", Help: "The distortions of one mechanism against another's.", Example: comparisonSetup + "print(c)",
	Show: func(r *comparison) string {
		return fmt.Sprintf("<%s against %s: better on %s of %d datasets, mean ratio %s, from %s to %s>", r.a.Name(), r.b.Name(),
			evidence.FormatFloat(r.Better, 4), len(r.Ratios), evidence.FormatFloat(r.Mean, 5), evidence.FormatFloat(r.Min, 4), evidence.FormatFloat(r.Max, 4))
	},
	Attrs: []script.Attr[*comparison]{{
		Name: "ratios", Help: "P_a/P_b for every dataset: below 1 where a is better; 1 where both are 0, inf where just P_b is.", Example: comparisonSetup + "print(c.ratios)",
		Get: func(c *script.Call, r *comparison) (any, error) { return script.Floats(r.Ratios), nil },
	}, {
		Name: "better", Help: "The fraction of datasets whose ratio is below 1 by more than 1e-9.", Example: comparisonSetup + "print(c.better)",
		Get: func(c *script.Call, r *comparison) (any, error) { return starlark.Float(r.Better), nil },
	}, {
		Name: "mean", Help: "The mean ratio over all datasets.", Example: comparisonSetup + "print(c.mean)",
		Get: func(c *script.Call, r *comparison) (any, error) { return starlark.Float(r.Mean), nil },
	}, {
		Name: "min", Help: "The least ratio.", Example: comparisonSetup + "print(c.min)",
		Get: func(c *script.Call, r *comparison) (any, error) { return starlark.Float(r.Min), nil },
	}, {
		Name: "max", Help: "The largest ratio.", Example: comparisonSetup + "print(c.max)",
		Get: func(c *script.Call, r *comparison) (any, error) { return starlark.Float(r.Max), nil },
	}, {
		Name: "ratio_to_optimum", Help: ratioHelp, Example: comparisonSetup + "print(c.ratio_to_optimum)",
		Get: func(c *script.Call, r *comparison) (any, error) {
			report := c.Progress("optimum", 0)
			ratio, err := optimize.RatioToOptimum(c.Context, r.a, func(step int, lo, hi float64) { report(int64(step)) })
			if err != nil {
				return nil, err
			}
			return script.Known(ratio), nil
		},
	}},
}

// radii reads a radius per dataset: a number, a list, or a function of the
// dataset.
func radii(c *script.Call, name string, q *query.Query) []*big.Rat {
	out := make([]*big.Rat, q.Size())
	v := c.Value(name)
	if _, ok := v.(starlark.Callable); ok {
		of := c.Callable(name)
		for x := range out {
			v, err := of(starlark.MakeInt(x))
			if err != nil {
				c.Refuse(err)
			}
			out[x] = radius(c, fmt.Sprintf("%s(%d)", name, x), v)
		}
		return out
	}
	if list, ok := script.Elements(v); ok {
		out = make([]*big.Rat, len(list))
		for x, v := range list {
			out[x] = radius(c, fmt.Sprintf("%s[%d]", name, x), v)
		}
		return out
	}
	all := radius(c, name, v)
	for x := range out {
		out[x] = all
	}
	return out
}

// radius reads a radius without rounding, nil where it is infinite.
func radius(c *script.Call, name string, v starlark.Value) *big.Rat {
	if f, ok := v.(starlark.Float); ok && math.IsInf(float64(f), 1) {
		return nil
	}
	return c.RationalOf(name, v)
}

// layered returns the layered mechanism inside m.
func layered(m mechanism.Mechanism) (*layers.Mechanism, bool) {
	if d := discretized(m); d != nil {
		return d.Mechanism, true
	}
	l, ok := m.(*layers.Mechanism)
	return l, ok
}
