package repl

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// optimumBuiltins find the best there is.
func optimumBuiltins() []script.Builtin {
	const setup = "q = graphs(4).count(\"triangle\")\n"
	return []script.Builtin{{
		Name: "optimal", Params: `q, eps, prior=None, objective="mean", than=None, exact=None, seconds=None`,
		Help: `The best eps-differentially private mechanism on the query's range, by a linear program with a certificate: m.optimum encloses the objective between what the mechanism attains and a dual bound. objective "mean" is the distortion averaged over the datasets (Wu et al., (8)), weighted by prior, a list of probabilities with sum 1, uniform if None; "worst" the largest distortion of a dataset; "pareto" the sum of the distortions where none may exceed that of the mechanism than (Wu et al., (7)): where the sum falls below than's own, than is not Pareto-optimal. Where eps is an exact ln(…) and the program has at most 1,000 variables the optimum is a rational number; exact=True asks for it at any size, exact=False never. seconds bounds the time: the best mechanism found by then is returned, with its wider interval. An error where "pareto" is infeasible, or the interval stays wider than 1e-6 (1e-5 beyond 1,000 variables), relative, within no time limit.`,
		Example: setup + `m = optimal(q, 1)
print(m.optimum, m.smallest_epsilon, m.expected_distortion())
print(optimal(q, ln(3)).optimum.rational)
p = purest(q, 0.5)
print(optimal(q, 1, objective="pareto", than=p).optimum, sum(p.distortions()))`,
		Run: optimalRun,
	}, {
		Name: "tight", Params: "q, eps",
		Help:    "The tight mechanism: at dataset x it draws dataset y with probability c_y e^{−eps·d̄(x,y)} and releases f(y). One constant per output in place of one normaliser per input makes it eps- and not 2·eps-differentially private; the constants solve Σ_y e^{−eps·d̄(x,y)} c_y = 1. On a line of counts it is the geometric mechanism. An error where the system is singular, or naming the datasets whose constant would be negative.",
		Example: setup + "t = tight(q, 1)\nprint(t.smallest_epsilon, compare(t, optimal(q, 1)).ratio_to_optimum)",
		Run: func(c *script.Call) (any, error) {
			m, err := optimize.NewTight(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps"))
			if err != nil {
				return nil, err
			}
			return mechanismClass.Of(c, m), nil
		},
	}, {
		Name: "tight_constants", Params: "q, eps",
		Help:    "The constants c_y that tight(q, eps) would take, one per dataset, as floats, negative ones included: no tight mechanism exists where one is.",
		Example: setup + "print(min(tight_constants(q, 0.5)), min(tight_constants(q, 1)))",
		Run: func(c *script.Call) (any, error) {
			constants, err := optimize.TightConstants(c.Context, script.Argument(c, "q", queryClass).Space(), c.Epsilon("eps"))
			if err != nil {
				return nil, err
			}
			return script.List(constants, func(k interval.Interval) starlark.Value { return starlark.Float(k.Mid()) }), nil
		},
	}, {
		Name: "optimal_xor", Params: `n, p, eps, sensitivity=1, neighbors="bits"`,
		Help:    `The law of the noise B of an XOR release of an n × p bit matrix, n·p ≤ 10, with the least mean number of flipped bits among all laws on {0,1}^{np} that are eps-differentially private. Neighbors: "bits" differ in one bit, "row" in any bits of one row, "edge" (n = p) in two mirrored bits, up to sensitivity times at once. At sensitivity 1, "bits" gives randomised response, and "row" k-ary randomised response, k = 2^p, where that is optimal. Exact where eps is an exact ln(…).`,
		Example: "b = optimal_xor(2, 2, ln(3), neighbors=\"row\")\nprint(b.mean_flips, b.prob()[:4])",
		Run: func(c *script.Call) (any, error) {
			relation := xor.FlipBits
			switch c.Choice("neighbors", "bits", "row", "edge") {
			case "row":
				relation = xor.FlipRows
			case "edge":
				relation = xor.FlipEdges
			}
			l, err := optimize.NewOptimalNoise(c.Context, c.Int("n", 1, 10), c.Int("p", 1, 10), c.Epsilon("eps"), relation(c.Int("sensitivity", 1, 10)))
			if err != nil {
				return nil, err
			}
			return noiseLawClass.Of(c, l), nil
		},
	}}
}

func optimalRun(c *script.Call) (any, error) {
	o := optimize.Options{Objective: optimize.Objective(c.Choice("objective", "mean", "worst", "pareto"))}
	if c.Given("prior") {
		o.Prior = c.Rationals("prior")
	}
	if c.Given("than") {
		o.Than = script.Argument(c, "than", mechanismClass)
	}
	if c.Given("exact") {
		o.Rational = optimize.Never
		if c.Bool("exact") {
			o.Rational = optimize.Required
		}
	}
	if c.Given("seconds") {
		o.Limit = seconds(c.Positive("seconds"))
	}
	report := c.Progress("optimal", 0)
	o.Progress = func(step int, lo, hi float64) { report(int64(step)) }
	m, err := optimize.NewOptimal(c.Context, script.Argument(c, "q", queryClass), c.Epsilon("eps"), o)
	var stopped *optimize.Stopped
	if m != nil && c.Context.Err() == nil && errors.As(err, &stopped) {
		err = nil // the time limit, not the user
	}
	if err != nil {
		return nil, err
	}
	return mechanismClass.Of(c, m), nil
}

// seconds returns a time of so many seconds, at least a nanosecond and at most the
// longest there is, 292 years.
func seconds(s float64) time.Duration {
	if s *= float64(time.Second); s < math.MaxInt64 {
		return max(1, time.Duration(s))
	}
	return math.MaxInt64
}

func isOptimal(m mechanism.Mechanism) bool { _, ok := m.(*optimize.Optimal); return ok }
func isTight(m mechanism.Mechanism) bool   { _, ok := m.(*optimize.Tight); return ok }

const optimalSetup = "m = optimal(graphs(4).count(\"triangle\"), 1)\n"

const (
	optimumHelp    = "The objective's optimum, of an optimal mechanism only: the mean distortion under the prior, the largest distortion (\"worst\") or the sum of the distortions (\"pareto\"). Certified: the upper end is what the mechanism attains, the lower end holds for every mechanism. Exact where the program was solved in rationals."
	optimumExample = optimalSetup + "print(m.optimum)"

	certificateHelp = `What proves the lower end of the optimum, of an optimal mechanism only: a feasible point of the dual program. A dict with "prices", {(x, y, r): price} for the constraint p^x(r) ≤ e^ε p^y(r), r a place in the range; "weights", one per dataset: the prior, 1 for "pareto", 0 for "worst"; "bounds", the prices of the limits on P^x, or None; "unit", in which distances count; "values", the places that may be output (others are never better); and "laws", the probabilities over the range for each dataset, which attain the upper end (None where they are not rational). Numbers are fractions as strings, and exact. With d = |f(x) − r|/unit, the distance in the value metric over unit, and R_xr = (weights[x] + bounds[x])·d + Σ_y (prices[x, y, r] − e^ε prices[y, x, r]), the optimum is at least unit·Σ_x min_r R_xr, r in values, less Σ_x bounds[x]·(than's distortion of x) for "pareto".`

	certificateExample = optimalSetup + "c = m.certificate\nprint(c[\"unit\"], len(c[\"prices\"]), len(c[\"laws\"]))"

	constantsHelp    = "The constants c_y of a tight mechanism, one per dataset, as floats."
	constantsExample = "print(tight(graphs(4).count(\"triangle\"), 1).constants)"

	ratioHelp = "The expected distortion of a under a uniform prior, over that of the optimal mechanism at a's own smallest ε: 1 where a cannot be improved. Certified; inf where a is not private."
)

func optimumOf(c *script.Call, m mechanism.Mechanism) (any, error) {
	return script.Known(m.(*optimize.Optimal).Optimum()), nil
}

func constantsOf(c *script.Call, m mechanism.Mechanism) (any, error) {
	var out []float64
	for _, k := range m.(*optimize.Tight).Constants() {
		out = append(out, k.Mid())
	}
	return script.Floats(out), nil
}

func certificateOf(c *script.Call, m mechanism.Mechanism) (any, error) {
	k := m.(*optimize.Optimal).Certificate()
	fraction := func(q *big.Rat) starlark.Value { return starlark.String(q.RatString()) }
	prices := starlark.NewDict(len(k.Up))
	for _, at := range k.Keys() {
		key := starlark.Tuple{starlark.MakeInt(at[0]), starlark.MakeInt(at[1]), starlark.MakeInt(at[2])}
		if err := prices.SetKey(key, fraction(k.Up[at])); err != nil {
			return nil, err
		}
	}
	bounds := starlark.Value(starlark.None)
	if k.Bound != nil {
		bounds = script.List(k.Bound, fraction)
	}
	return script.Fields(map[string]starlark.Value{
		"laws": lawsOf(m), "prices": prices, "weights": script.List(k.Weight, fraction), "bounds": bounds,
		"unit": fraction(k.Unit), "values": script.Ints(k.Values),
	}), nil
}

// lawsOf returns the probabilities as fractions, None where some are not known
// as such.
func lawsOf(m mechanism.Mechanism) starlark.Value {
	rows := make([]starlark.Value, m.Query().Size())
	for x := range rows {
		row := make([]starlark.Value, len(m.Query().Range()))
		for r := range row {
			p, ok := m.Rational(x, r)
			if !ok {
				return starlark.None
			}
			row[r] = starlark.String(p.RatString())
		}
		rows[x] = starlark.NewList(row)
	}
	return starlark.NewList(rows)
}

const noiseLawSetup = "b = optimal_xor(2, 2, 1)\n"

var noiseLawClass = &script.Class[*optimize.NoiseLaw]{
	Name: "noise law", Help: "A law of the noise of an XOR release, state by state.", Example: noiseLawSetup + "print(b)",
	Show: func(l *optimize.NoiseLaw) string {
		return fmt.Sprintf("<noise law on %d × %d bits, mean flips %s>", l.Rows, l.Columns, evidence.FormatFloat(l.MeanFlips().Float(), 6))
	},
	Attrs: []script.Attr[*optimize.NoiseLaw]{{
		Name: "mean_flips", Help: "The least mean number of flipped bits. Exact or certified.", Example: noiseLawSetup + "print(b.mean_flips)",
		Get: func(c *script.Call, l *optimize.NoiseLaw) (any, error) {
			return script.Known(l.MeanFlips()), nil
		},
	}, {
		Name: "cells", Help: "How many different probabilities the symmetry of the program leaves.", Example: noiseLawSetup + "print(b.cells)",
		Get: func(c *script.Call, l *optimize.NoiseLaw) (any, error) {
			return starlark.MakeInt(l.Cells()), nil
		},
	}, {
		Name: "prob", Params: "", Help: "The probability of every state, as a list of 2^{np} floats. Bit (i, j) of the matrix is bit i·p + j of the state's number.", Example: noiseLawSetup + "print(b.prob())",
		Run: func(c *script.Call, l *optimize.NoiseLaw) (any, error) {
			out := make([]float64, l.States())
			for b := range out {
				out[b] = l.Prob(b)
			}
			return script.Floats(out), nil
		},
	}, {
		Name: "sample", Params: "k=1, seed=0", Help: "A list of k states drawn. For research: a release needs a cryptographic source.", Example: noiseLawSetup + "print(b.sample(5, seed=1))",
		Run: func(c *script.Call, l *optimize.NoiseLaw) (any, error) {
			draws, err := l.Noise(c.Int("k", 0, 1<<28), c.Source("seed"))
			return script.Ints(draws), err
		},
	}},
}
