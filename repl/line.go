package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const lineSetup = "lq = linear_query([(0, 1), (1000, 1001)])\n"

// lineBuiltins are linear queries on the real line and the mechanisms that only
// they have; purest, delta_neighborhood, laplace and geometric take them too.
func lineBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "linear_query", Params: "intervals",
		Help: `A linear query on the reals, by its neighboring set V_f, the differences f(x') − f(x) of neighbors (Wu et al., Definition 9): a list of closed intervals (lo, hi) and of points, numbers on their own. The set is symmetrised and 0 is added. All arithmetic on it is rational: a float means its shortest decimal, and "1/3" is accepted. A reversed interval, an empty list and the set {0} are refused, and so is evidence that is not exact: answers would be labelled exact that are not.`,
		Example: lineSetup + `print(lq.sensitivity, lq.volume)
print(linear_query([("1/3", 0.5), 2]).neighboring_set)`,
		Run: func(c *script.Call) (any, error) {
			q, err := query.NewLinear(intervals(c, "intervals"))
			if err != nil {
				return nil, err
			}
			return linearClass.Of(c, &linearQuery{Linear: q}), nil
		},
	}, {
		Name: "staircase", Params: `lq, eps, gamma=None, cost="abs", lattice=False`,
		Help: `The Staircase mechanism of Geng and Viswanath (2016) on a linear query: the density falls by e^{−ε} at γΔ and then every Δ. ε-differentially private. gamma = None is the best γ for cost "abs" (E|noise|, γ* = 1/(1 + e^{ε/2})) or "square" (E noise²); else 0 < γ < 1. lattice=True is its integer form, on the multiples of the largest step that divides all of V_f, whose numbers must be points: γΔ is then a whole number of steps.`,
		Example: lineSetup + `m = staircase(lq, ln(9))
print(m.gamma, m.distortion())
print(staircase(linear_query([1, 3]), 1, lattice=True))`,
		Run: newStaircase,
	}, {
		Name: "knorm", Params: "columns, eps",
		Help: "The K-norm mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a linear F: ℝⁿ → ℝ² or ℝ, given by its columns: pairs, or numbers. Noise of density ∝ e^{−ε‖r‖_K}, K = conv{±F e_i}, neighbors differing by at most 1 in ‖·‖₁. ε-differentially private.",
		Example: `k = knorm([(1, 0), (0, 1)], 1)
print(k.distortion(), k.layer((0.9, 0.9)), k.is_basic(5), k.lattice_gap())`,
		Run: newKNorm,
	}}
}

// newLine builds the purest (radius 0) or δ-neighborhood mechanism.
func newLine(c *script.Call, q *linearQuery, radius *big.Rat) (any, error) {
	l, err := q.layers(c, radius)
	if err != nil {
		return nil, err
	}
	m, err := layers.NewLine(l, c.Epsilon("decay"))
	if err != nil {
		return nil, err
	}
	return lineMechanismClass.Of(c, &onLine{m, q}), nil
}

// asLine wraps the mechanisms of a linear query.
func asLine[M mechanism.LineMechanism](c *script.Call, q *linearQuery) func(M, error) (starlark.Value, error) {
	return func(m M, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return lineMechanismClass.Of(c, &onLine{m, q}), nil
	}
}

func newStaircase(c *script.Call) (any, error) {
	q, eps := script.Argument(c, "lq", linearClass), c.Epsilon("eps")
	cost := mechanism.Cost(c.Choice("cost", "abs", "square"))
	var gamma *big.Rat
	if c.Given("gamma") {
		gamma = c.Rational("gamma")
	}
	if !c.Bool("lattice") {
		if gamma == nil {
			return asLine[*mechanism.Staircase](c, q)(mechanism.NewOptimalStaircase(q.Linear, eps, cost))
		}
		return asLine[*mechanism.Staircase](c, q)(mechanism.NewStaircase(q.Linear, eps, gamma))
	}
	first := int64(0)
	if gamma != nil {
		best, err := mechanism.NewIntegerStaircase(q.Linear, eps, 0, cost)
		if err != nil {
			return nil, err
		}
		_, n := best.First()
		at := new(big.Rat).Mul(gamma, big.NewRat(n, 1))
		if !at.IsInt() || at.Sign() <= 0 || at.Cmp(big.NewRat(n, 1)) > 0 {
			c.Fail("gamma", c.Value("gamma"), fmt.Sprintf("k/%d with k from 1 to %d on this lattice", n, n))
		}
		first = at.Num().Int64()
	}
	return asLine[*mechanism.IntegerStaircase](c, q)(mechanism.NewIntegerStaircase(q.Linear, eps, first, cost))
}

// inParts draws n values a part at a time, so that an interrupt need not wait for all
// of them. The values are those of one draw: they follow from the source alone.
func inParts(c *script.Call, n int, draw func(part int) error) error {
	const most = 1 << 16
	for ; ; n -= most {
		if err := c.Context.Err(); err != nil {
			return err
		}
		if err := draw(min(n, most)); err != nil || n <= most {
			return err
		}
	}
}

// onLine is a mechanism of a linear query.
type onLine struct {
	mechanism.LineMechanism
	query *linearQuery
}

// part returns what a mechanism on the line is, in one of its Go types.
func part[M any](m *onLine) (M, bool) {
	v, ok := m.LineMechanism.(M)
	return v, ok
}

func has[M any](m *onLine) bool {
	_, ok := part[M](m)
	return ok
}

const lineMechanismSetup = "m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)\n"

var lineMechanismClass = &script.Class[*onLine]{
	Name: "line_mechanism", Help: "A mechanism of a linear query on the real line. Its law is the same for every dataset up to a shift, so everything is said of the noise, the output minus f(x).", Example: lineMechanismSetup + "print(m)",
	Show: func(m *onLine) string {
		if l, ok := part[*layers.Line](m); ok {
			return fmt.Sprintf("<%s, decay %v, on the line>", m.Name(), l.Decay())
		}
		return "<" + m.Name() + " on the line>"
	},
	Attrs: []script.Attr[*onLine]{{
		Name: "name", Help: "Which mechanism it is, with its parameters.", Example: lineMechanismSetup + "print(m.name)",
		Get: func(c *script.Call, m *onLine) (any, error) { return starlark.String(m.Name()), nil },
	}, {
		Name: "query", Help: "The linear query it answers.", Example: lineMechanismSetup + "print(m.query.sensitivity)",
		Get: func(c *script.Call, m *onLine) (any, error) { return linearClass.Of(c, m.query), nil },
	}, {
		Name: "distortion", Params: "", Help: "E|noise|, in units of f: the layers to infinity summed in closed form, exact where e^{−decay} is rational and certified elsewhere. Layers weigh by length if any of them has some, and by counting points otherwise (radius 0 and V all points): the purest mechanism is the limit of radius → 0.", Example: lineMechanismSetup + "print(m.distortion())",
		Run: func(c *script.Call, m *onLine) (any, error) { return script.Known(m.Distortion()), nil },
	}, {
		Name: "layers", Params: "up_to=5", Help: "The layers R_0 … R_up_to of the noise (Wu et al., Definition 13), the most probable first: a list of lists of intervals (lo, hi), a point having lo = hi. Whether an end belongs to its interval is not shown.", Example: lineMechanismSetup + "for layer in m.layers(up_to=2):\n    print(layer)",
		Run: func(c *script.Call, m *onLine) (any, error) {
			sets, err := m.Layers(c.Context, c.Int("up_to", 0, 1<<20))
			out := make([]starlark.Value, 0, len(sets))
			for _, set := range sets {
				if err := c.Context.Err(); err != nil {
					return nil, err
				}
				out = append(out, segmentList(set))
			}
			return starlark.NewList(out), err
		},
	}, {
		Name: "density", Params: "r", Help: "The density of the noise at r, or the probability of the point r where the law is discrete. r is a number or a fraction like \"7/2\".", Example: lineMechanismSetup + "print(m.density(0), m.density(\"25/2\"))",
		Run: func(c *script.Call, m *onLine) (any, error) {
			d, err := m.Density(c.Rational("r"))
			if err != nil {
				return nil, err
			}
			return script.Known(d), nil
		},
	}, {
		Name: "sample", Params: "n=1, seed=0", Help: "A list of n independent values of the noise. For research: a release needs a cryptographic source.", Example: lineMechanismSetup + "print(m.sample(3, seed=1))",
		Run: func(c *script.Call, m *onLine) (any, error) {
			n, src := c.Int("n", 0, 1<<28), c.Source("seed")
			out := make([]float64, 0, n)
			err := inParts(c, n, func(part int) error {
				draws, err := m.Noise(part, src)
				out = append(out, draws...)
				return err
			})
			return script.Floats(out), err
		},
	}, {
		Name: "smallest_epsilon", Help: "The smallest ε at which it is ε-differentially private, in nats. For a layered mechanism it is the decay (Wu et al., Corollary 5), certified from the layers: moved by any number of V_f, none changes its layer by more than 1.", Example: lineMechanismSetup + "print(m.smallest_epsilon)",
		Get: func(c *script.Call, m *onLine) (any, error) {
			e, err := m.Privacy().Epsilon(c.Context, 0)
			if err != nil {
				return nil, err
			}
			return script.Known(e), nil
		},
	}, {
		Name: "claimed_epsilon", Help: "The ε that theory promises, in nats: the decay for a layered mechanism (Wu et al., Corollary 5), 2ε for a discretized one (Theorem 1), the given eps for the others. Claimed.", Example: lineMechanismSetup + "print(m.claimed_epsilon)",
		Get: func(c *script.Call, m *onLine) (any, error) { return script.Known(m.ClaimedEpsilon()), nil },
	}, {
		Name: "second_moment", Params: "", Only: has[interface{ SecondMoment() evidence.Number }], Help: "E noise², in squared units of f, in closed form.", Example: "m = laplace(linear_query([1]), 1)\nprint(m.second_moment())",
		Run: func(c *script.Call, m *onLine) (any, error) {
			s, _ := part[interface{ SecondMoment() evidence.Number }](m)
			return script.Known(s.SecondMoment()), nil
		},
	}, {
		Name: "gamma", Only: has[interface{ Gamma() evidence.Number }], Help: "γ of a Staircase: its first step ends at γΔ.", Example: "print(staircase(linear_query([1]), ln(9)).gamma)",
		Get: func(c *script.Call, m *onLine) (any, error) {
			s, _ := part[interface{ Gamma() evidence.Number }](m)
			return script.Known(s.Gamma()), nil
		},
	}, {
		Name: "curve", Params: "decays", Only: has[*layers.Line], Help: "The distortion of the same layers at each of a list of decays, as floats: a microsecond each once the layers are known.", Example: lineMechanismSetup + "print(m.curve([0.5, 1, 2]))",
		Run: func(c *script.Call, m *onLine) (any, error) {
			l, _ := part[*layers.Line](m)
			out, err := l.Curve(c.Epsilons("decays"))
			return script.Floats(out), err
		},
	}, {
		Name: "periodicity", Only: has[*layers.Line], Help: "From where on the layers repeat, as a dict: from \"inherits\" on A_{n+1} = A_n ∪ (A_n + Δ) ∪ (A_n − Δ), which every later layer inherits; from \"from\" on each layer is the one before, moved outward by \"shift\", with weight \"mass\". None where the layers were not followed that far.", Example: lineMechanismSetup + "print(m.periodicity)",
		Get: func(c *script.Call, m *onLine) (any, error) {
			l, _ := part[*layers.Line](m)
			p, ok := l.Periodicity()
			if !ok {
				return starlark.None, nil
			}
			shift, _ := p.Shift.Float64()
			mass, _ := p.Mass.Float64()
			return script.Fields(map[string]starlark.Value{
				"inherits": starlark.MakeInt(p.Inherits), "from": starlark.MakeInt(p.From),
				"shift": starlark.Float(shift), "mass": starlark.Float(mass),
			}), nil
		},
	}, {
		Name: "is_basic", Only: has[*discretize.Line], Help: "Whether the discretized mechanism is basic: every layer follows from R_0 and V_f (Wu et al., Definition 15 and Corollary 1).", Example: "lq = linear_query([(0, 1), (10, 11)])\nprint(discretize(laplace(lq, 1)).is_basic, discretize(staircase(lq, 1)).is_basic)",
		Get: func(c *script.Call, m *onLine) (any, error) {
			d, _ := part[*discretize.Line](m)
			return starlark.Bool(d.IsBasic()), nil
		},
	}, {
		Name: "theorem1", Params: "", Only: has[*discretize.Line], Help: "The evidence on this mechanism of what Theorem 1 states (Wu et al.).", Example: "print(discretize(laplace(linear_query([1]), 1)).theorem1())",
		Run: func(c *script.Call, m *onLine) (any, error) {
			d, _ := part[*discretize.Line](m)
			t, err := d.Theorem1(c.Context)
			if err != nil {
				return nil, err
			}
			return theorem1Class.Of(c, &t), nil
		},
	}},
}
