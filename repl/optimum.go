package repl

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/script"
	"dpworkbench/verify"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// optimumBuiltins returns the built-ins that find optimal mechanisms.
func optimumBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`optimal(q: query, eps: epsilon, prior: prior=None, objective: "mean"|"worst"|"pareto"="mean", than: mechanism=None, exact: bool=None, seconds: positive=None, *, delta: delta0=0) -> mechanism`,
			`The best eps-differentially private mechanism on the query's range, by a linear program with a certificate: m.optimum encloses the objective between what the mechanism attains and a dual bound. objective "mean" is the distortion averaged over the datasets (Wu et al., (8)), weighted by prior: a list of probabilities with sum 1 or a dict from datasets to probabilities, uniform if None. "worst" is the largest distortion of a dataset. "pareto" is the sum of the distortions, none of which may exceed that of the mechanism than (Wu et al., (7)): if the sum is below than's, than is not Pareto-optimal. delta, 0 ≤ delta < 1 and read without rounding, asks for the best (eps, delta)-differentially private mechanism: Σ_r max(0, p^x(r) − e^eps p^y(r)) ≤ delta for all neighbors x, y in both directions. If eps is an exact ln(…) and the program has at most 1,000 variables, the optimum is a rational number; exact=True computes it at any size, exact=False never. seconds limits the time: the best mechanism found by then is returned, with its wider interval. It is an error if "pareto" is infeasible, or without a time limit if the interval stays wider than a relative 1e-6 (1e-5 beyond 1,000 variables). compare(m, m).ratio_to_optimum compares another mechanism m with the optimum.`,
			querySetup+`m = optimal(q, 1)
print(m.optimum, m.smallest_epsilon, m.expected_distortion())
print(optimal(q, ln(3)).optimum.rational)
print(optimal(q, ln(3), delta="1/100").optimum.rational)
p = purest(q, 0.5)
print(optimal(q, 1, objective="pareto", than=p).optimum, sum(p.distortions()))`,
			optimal),
		script.Func("tight(q: query, eps: epsilon) -> mechanism",
			"The tight mechanism: at dataset x it draws dataset y with probability c_y e^{−eps·d̄(x,y)} and releases f(y). One constant for each output, instead of a normaliser for each input, makes it eps- instead of 2·eps-differentially private. The constants solve Σ_y e^{−eps·d̄(x,y)} c_y = 1. On a path of counts it is the geometric mechanism. It is an error if the system is singular or a constant is negative; the error names the datasets.",
			querySetup+"t = tight(q, 1)\nprint(t.smallest_epsilon, compare(t, optimal(q, 1)).ratio_to_optimum)",
			func(c *script.Call) (any, error) {
				return optimize.NewTight(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"))
			}),
		script.Func("tight_constants(q: query, eps: epsilon, evidence: bool=False) -> list",
			"The constants c_y of tight(q, eps), one for each dataset, as floats, or with evidence=True as exact or certified numbers. If one is negative, no tight mechanism exists.",
			querySetup+"print(min(tight_constants(q, 0.5)), min(tight_constants(q, 1)))",
			func(c *script.Call) (any, error) {
				if c.Bool("evidence") {
					return optimize.TightConstantNumbers(c.Context, queryClass.Arg(c, "q").Space(), c.Epsilon("eps"))
				}
				return interval.Mids(must(optimize.TightConstants(c.Context, queryClass.Arg(c, "q").Space(), c.Epsilon("eps")))), nil
			}),
		script.Func(`optimal_xor(n: int[1..10], p: int[1..10], eps: epsilon, sensitivity: int[1..10]=1, neighbors: "bits"|"row"|"edge"="bits") -> noise law`,
			`The law of the noise B of an XOR release of an n × p bit matrix, n·p ≤ 10, with the least mean number of flipped bits among all laws on {0,1}^{np} that are eps-differentially private. Neighbors: "bits" differ in one bit, "row" in any bits of one row, "edge" (n = p) in two mirrored bits, up to sensitivity times at once. At sensitivity 1, "bits" gives randomised response, and "row" gives k-ary randomised response with k = 2^p if that is optimal. Exact if eps is an exact ln(…).`,
			"b = optimal_xor(2, 2, ln(3), neighbors=\"row\")\nprint(b.mean_flips, b.prob()[:4])",
			func(c *script.Call) (any, error) {
				return xor.NewOptimalNoise(c.Context, c.Int("n"), c.Int("p"), c.Epsilon("eps"), neighbors(c.Text("neighbors"), c.Int("sensitivity")))
			}),
	}
}

const optimalSetup = "m = optimal(graphs(4).count(\"triangle\"), 1)\n"

func optimal(c *script.Call) (any, error) {
	o := optimize.Options{
		Objective: optimize.Objective(c.Text("objective")), Prior: priorOf(c, queryClass.Arg(c, "q")), Than: mechanismClass.Arg(c, "than"),
		Rational: map[any]optimize.Rationality{true: optimize.Required, false: optimize.Never}[c.Arg("exact")],
		Delta:    c.Delta("delta"),
	}
	if c.Given("seconds") {
		if s := c.Float("seconds") * float64(time.Second); s < math.MaxInt64 { // beyond 292 years there is no limit
			o.Limit = max(1, time.Duration(s))
		}
	}
	m, err := optimize.NewOptimal(c.Context, queryClass.Arg(c, "q"), c.Epsilon("eps"), o)
	var stopped *optimize.Stopped
	if m != nil && c.Context.Err() == nil && errors.As(err, &stopped) {
		err = nil // the time limit ended the search, not the user
	}
	return m, err
}

// fractions returns rational numbers as exact text.
func fractions(qs []*big.Rat) any {
	return script.Each(qs, func(q *big.Rat) any { return q.RatString() })
}

// dualOf returns the dual solution that proves a mechanism optimal.
func dualOf(_ *script.Call, m *optimize.Optimal) (any, error) {
	k := m.Certificate()
	prices := starlark.NewDict(len(k.Up))
	for _, at := range k.Keys() {
		key := starlark.Tuple{starlark.MakeInt(at[0]), starlark.MakeInt(at[1]), starlark.MakeInt(at[2])}
		stop(prices.SetKey(key, starlark.String(k.Up[at].RatString())))
	}
	laws := mechanism.RationalLaws(m)
	return map[string]any{
		"laws": onlyIf(laws != nil, script.Each(laws, fractions)), "prices": prices, "weights": fractions(k.Weight),
		"bounds": onlyIf(k.Bound != nil, fractions(k.Bound)), "unit": k.Unit.RatString(), "delta": k.Delta.RatString(), "values": k.Values,
	}, nil
}

var noiseLawClass = &script.Class[*xor.OptimalNoise]{
	Answers: script.Answers[*xor.OptimalNoise]{
		"compare": comparedBy(func(l *xor.OptimalNoise) string { return bitShape(l.Rows, l.Columns) }, measure{"flip rate", func(a *asking, m *script.Object) starlark.Value {
			l := m.Inner().(*xor.OptimalNoise)
			return must(starlark.Binary(syntax.SLASH, a.attr(m, "mean_flips"), starlark.MakeInt(l.Rows*l.Columns)))
		}}),
		"verify":  recomputed(verify.OptimalXOR),
		"case":    caseOfBits[*xor.OptimalNoise],
		"privacy": flippedBits[*xor.OptimalNoise],
	},
	Name: "noise law", Help: "A law of the noise of an XOR release, state by state.", Setup: "b = optimal_xor(2, 2, 1)\n",
	Show: func(l *xor.OptimalNoise) string {
		return fmt.Sprintf("<noise law on %d × %d bits, mean flips %s>", l.Rows, l.Columns, evidence.FormatNumber(l.MeanFlips(), 6))
	},
	Attrs: []script.Attr[*xor.OptimalNoise]{
		script.Get("mean_flips -> evidence", "The least mean number of flipped bits. Exact or certified.", "", func(l *xor.OptimalNoise) any { return l.MeanFlips() }),
		script.Get("cells -> int", "The number of different probabilities after symmetry reduction of the linear program.", "", func(l *xor.OptimalNoise) any { return l.Cells() }),
		script.Do("prob(evidence: bool=False) -> list", "The probability of every state, as a list of 2^{np} floats, or with evidence=True of exact or certified numbers. Bit (i, j) of the matrix is bit i·p + j of the state's number.", "()", func(c *script.Call, l *xor.OptimalNoise) (any, error) {
			if c.Bool("evidence") {
				return l.Probabilities(), nil
			}
			return l.Probs(), nil
		}),
		script.Do(`smallest_epsilon(`+flips+`) -> evidence`, "The smallest ε at which a matrix xor this noise is ε-differentially private, in nats."+flipsHelp+" epsilon_at(delta) is the ε at a δ."+methodHere, "(1)", func(c *script.Call, l *xor.OptimalNoise) (any, error) {
			return lawAt(c, l).Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do(`delta_at(eps: profile_epsilon, `+flips+`) -> evidence`, deltaHelp+flipsHelp, "(0.5)", func(c *script.Call, l *xor.OptimalNoise) (any, error) { return deltaOf(c, lawAt(c, l)) }),
		script.Do(`epsilon_at(delta: delta0, `+flips+`) -> evidence`, epsilonHelp+flipsHelp, "(0.1)", func(c *script.Call, l *xor.OptimalNoise) (any, error) {
			return lawAt(c, l).Epsilon(c.Context, c.Delta("delta"))
		}),
		script.Do("sample(k: int[0..268435456]=1, seed: seed=0) -> list", "A list of k simulated states, for research only. Use release for values to be published.", "(5, seed=1)", sampleStates),
		script.Do("simulate(k: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(5, seed=1)", sampleStates),
		script.Do("release(matrix: bits, complement: bool=False, sensitivity: int[1..2147483647]=1, seed: seed=None) -> released|matrix", "Releases an N × P matrix of 0 and 1 xor noise, drawn from the operating system's generator with exactly its law, which must be rational; with complement, xor 1 − B. sensitivity is the number of bits in which neighbors differ, for the record."+seedHelp, "b = optimal_xor(2, 2, ln(3))\nprint(b.release([[1, 0], [0, 0]]))", func(c *script.Call, l *xor.OptimalNoise) (any, error) {
			name := fmt.Sprintf("optimal noise on %d × %d bits", l.Rows, l.Columns)
			return releaseBits(c, name, map[string]any{"rows": l.Rows, "columns": l.Columns}, overHalf(c, name, l.FlipsOverHalf(xor.Variant(c.Bool("complement")))), func(src rand.Source) (*xor.Bits, error) {
				out, err := l.Release(c.Arg("matrix").(*xor.Bits), src)
				if err == nil && c.Bool("complement") {
					out = out.Complement()
				}
				return out, err
			}, func(c *script.Call, of xor.Neighbors) (any, error) {
				return must(l.Under(of)).Epsilon(c.Context, evidence.Delta{})
			})
		}),
	},
}

func sampleStates(c *script.Call, l *xor.OptimalNoise) (any, error) {
	return continuous.Draw(c.Context, c.Int("k"), c.Source("seed"), l.Noise)
}
