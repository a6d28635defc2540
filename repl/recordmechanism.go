package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/records"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

var recordMechanismClass = &script.Class[records.Law]{
	Answers: script.Answers[records.Law]{
		"compare": comparedBy(func(m records.Law) string {
			q := m.Query()
			return fmt.Sprintf("%s under %s: %s", q.Name(), q.Neighbors(), q.Value().RatString())
		}, measured("mean error", "distortion"), measured("0.9-quantile", "error_quantile", starlark.Float(0.9))),
		"case": caseOfRecords,
		"verify": func(c *script.Call, m records.Law) (any, error) {
			return records.Verify(c.Context, m.Query(), m.Remake, smallUniverse(c))
		},
	},
	Name: "record_mechanism", Wanted: "a mechanism on a record query", Help: "A mechanism at one dataset, with its law there. Its claim is a theorem for all datasets; verify(m) tests it on small universes.", Setup: recordMechanismSetup,
	Show: func(m records.Law) string {
		return fmt.Sprintf("<%s of %s, claimed %s-DP>", m.Name(), m.Query().Name(), evidence.FormatNumber(m.ClaimedEpsilon(), 6))
	},
	Attrs: append([]script.Attr[records.Law]{
		script.Get("name -> string", "Which mechanism it is, with its parameter.", "", func(m records.Law) any { return m.Name() }),
		script.Get("query -> record_query", "The query it answers.", recordMechanismSetup+"print(m.query.value)", func(m records.Law) any { return m.Query() }),
		script.Get("claimed_epsilon -> evidence", "The ε that a theorem claims, in nats; its source names the theorem. Claimed: one dataset cannot prove it, but verify(m) tests it.", "", func(m records.Law) any { return m.ClaimedEpsilon() }),
		script.Do("distortion(against: record_query|rational=None) -> evidence", "E|r − f(x)| at this dataset, in the unit of the values; for a mode the probability of another category. against, the original query of a lipschitz_extension or a number, replaces f(x). Exact if the weights are rational and not too many, else certified.", "()", func(c *script.Call, m records.Law) (any, error) {
			if !c.Given("against") {
				return m.Distortion(c.Context)
			}
			if q, ok := recordOr(c, "against"); ok {
				return records.DistortionFrom(c.Context, m, q.Value())
			}
			return records.DistortionFrom(c.Context, m, c.Rational("against"))
		}),
		script.Do("error_quantile(p: rational) -> evidence", "The least e with Pr[|r − f(x)| ≤ e] ≥ p, 0 < p < 1. Exact on a lattice, otherwise certified.", "(0.9)", func(c *script.Call, m records.Law) (any, error) {
			return records.ErrorQuantile(c.Context, m, c.Rational("p"))
		}),
		script.Do("probability(lo: value, hi: value=None) -> evidence", "Pr[lo ≤ r ≤ hi], or the probability of the value lo if hi is None; for a mode the probability of a category. Certified.", "(4, 6)", func(c *script.Call, m records.Law) (any, error) {
			lo := recordAt(c, "lo", m.Query())
			hi := lo
			if c.Given("hi") {
				hi = recordAt(c, "hi", m.Query())
			}
			return records.Probability(c.Context, m, lo, hi)
		}),
		script.Do("layer(r: value) -> int?", "The layer of the value r in this mechanism; None if it has no layers or never outputs r.", "(9)", func(c *script.Call, m records.Law) (any, error) {
			layer, has, err := records.FindLayer(m, recordAt(c, "r", m.Query()))
			return onlyIf(has && layer >= 0, layer), err
		}),
		script.Do("pieces() -> list", "The law of a layered mechanism, a list of (lo, hi, layer, probability) in ascending order, floats: on each the law is uniform, on the lattice's values from lo to hi or on the interval. Pieces with a total probability below 2^-80 are omitted.", "()", func(c *script.Call, m records.Law) (any, error) {
			pieces, err := m.(*records.Layered).Pieces(c.Context)
			return script.Each(pieces, func(p records.Piece) any { return script.Tuple{p.Lo, p.Hi, p.Layer, p.Weight} }), err
		}).If(isLayered, "only mechanisms whose layers are intervals have pieces"),
		script.Do("prob(evidence: bool=False) -> dict", "The law of a mechanism whose range is a list: a dict from value to probability, as floats, or with evidence=True as exact or certified numbers.", "x = records([\"a\", \"b\", \"b\"], categories=[\"a\", \"b\", \"c\"])\nm = purest(x.mode(), ln(2))\nprint(m.prob())", func(c *script.Call, m records.Law) (any, error) {
			law := must(m.(*records.Choice).Law())
			d := starlark.NewDict(len(law))
			for i, p := range law {
				value, _ := m.(*records.Choice).At(i).Float64()
				chance := starlark.Value(starlark.Float(p))
				if c.Bool("evidence") {
					chance = script.Known(m.(*records.Choice).Of(i))
				}
				stop(d.SetKey(script.ToValue(recordValue(m.Query(), value)), chance))
			}
			return d, nil
		}).If(func(m records.Law) bool { _, ok := m.(*records.Choice); return ok }, "only mechanisms whose range is a list have it: see pieces() and probability(lo, hi)"),
		script.Do("plot() -> line_plot", "The density of a layered mechanism, per unit of the values, over the central range of probability 0.999.", "()", plotRecords).If(isLayered, "only mechanisms whose layers are intervals have a plot"),
		script.Do("sample(n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n values simulated in floating point, for research only. Use release for values to be published.", "(3, seed=1)", sampleRecords),
		script.Do("simulate(n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(3, seed=1)", sampleRecords),
		script.Do("release(n: int[0..268435456]=1, seed: seed=None) -> released|list", "Releases n values drawn from the operating system's generator with exactly their law; those of a continuous range are rounded to the nearest multiple of a public power of two."+seedHelp, recordMechanismSetup+"print(type(m.release().value))", releaseRecords),
		script.Do("smallest_epsilon -> evidence", "The smallest ε, in nats, over all neighboring datasets if these can be listed, otherwise the claim. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, _ records.Law) (any, error) {
			return must(accountOf(c, c.Self().(*script.Object))).Epsilon(c.Context, evidence.Delta{})
		}),
	}, ownPrivacy[records.Law]("plot")...),
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
	if d, ok := m.(*records.Smooth); ok && !d.Delta().IsZero() {
		delta = evidence.FromRat(d.Delta().Rat())
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
