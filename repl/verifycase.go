package repl

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/records"
	"dpworkbench/script"
	"dpworkbench/signrp"
	"dpworkbench/verify"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// A class answers "case" with its finite case for verify: a *verify.Case, or a function of the parameters of privacy(x,
// …).
type (
	caseUnder   func(neighbors string, times int) (*verify.Case, error)
	caseBetween func(u, v []float64) (*verify.Case, error)
)

func verifyAccount(c *script.Call, a *privacy.Account) (any, error) {
	r, err := verify.Account(c.Context, a, caseOf(c, c.Value("x")))
	return &recomputation{r, script.Made(c.Value("x")), ""}, err
}

// caseOf returns the finite case of a value, and caches it. A privacy has the case of the value that it belongs to.
func caseOf(c *script.Call, v starlark.Value) *verify.Case {
	const wanted = "something with a finite case: mechanisms on finite queries and records, programs, discrete noise on the line, XOR laws by privacy(b, …), sign releases by privacy(r, u, v), two_laws, known, compose and subsample of these; not continuous noise"
	k, ok := v.(*script.Object)
	if !ok {
		c.Fail("x", v, wanted)
	}
	return must(k.Cached("case", func() (any, error) {
		made, arguments := script.MadeBy(v)
		if _, account := k.Inner().(*privacy.Account); !account {
			made = ""
		}
		switch made {
		case "compose":
			return verify.Product(usesOf(c, arguments["parts"], must(starlark.AsInt32(arguments["k"]))))
		case "subsample":
			rate, _ := c.RationalOf("rate", arguments["rate"]).Float64()
			of, err := verify.Product(usesOf(c, arguments["a"], 1))
			if err != nil {
				return nil, err
			}
			kind, _ := starlark.AsString(arguments["kind"])
			return of.Sample(rate, privacy.Sampling(kind)), nil
		case "two_laws":
			return verify.TwoLaws(floatsOf(c, arguments["p"]), floatsOf(c, arguments["q"])), nil
		case "known":
			eps, _ := starlark.AsFloat(arguments["eps"])
			if !math.IsInf(eps, 1) {
				eps = c.EpsilonOrZeroOf("eps", arguments["eps"]).Value()
			}
			delta, _ := c.RationalOf("delta", arguments["delta"]).Float64()
			return verify.Known(eps, delta), nil
		case "privacy":
			k = arguments["x"].(*script.Object)
		}
		found, err := k.Ask(c, "case")
		switch of := found.(type) {
		case caseUnder:
			neighbors, ok := starlark.AsString(arguments["neighbors"])
			if !ok {
				c.Fail("x", v, `neighbors "bits", "row" or "edge"`)
			}
			return of(neighbors, must(starlark.AsInt32(arguments["sensitivity"])))
		case caseBetween:
			if arguments["u"] == starlark.None || arguments["v"] == starlark.None || made == "" {
				c.Fail("x", v, "privacy(r, u, v) of two vectors")
			}
			return of(floatsOf(c, arguments["u"]), floatsOf(c, arguments["v"]))
		case nil:
			if err == nil {
				c.Fail("x", v, wanted)
			}
		}
		return found, err
	})).(*verify.Case)
}

// usesOf returns the cases of compose's parts, each k times, but at most 64 times: more uses have no small case.
func usesOf(c *script.Call, parts starlark.Value, k int) (out []*verify.Case) {
	const most = 64
	list, ok := script.Elements(parts)
	if !ok {
		list = []starlark.Value{parts}
	}
	for range min(k, most) {
		for _, part := range list {
			uses := 1
			if pair, ok := part.(starlark.Tuple); ok {
				part, uses = pair[0], must(starlark.AsInt32(pair[1]))
			}
			for range min(uses, most) {
				out = append(out, caseOf(c, part))
			}
		}
	}
	return out
}

func floatsOf(c *script.Call, v starlark.Value) []float64 {
	list, _ := script.Elements(v)
	return lists.Each(list, func(v starlark.Value) float64 { f, _ := c.RationalOf("x", v).Float64(); return f })
}

func caseOfMechanism(_ *script.Call, m mechanism.Mechanism) (any, error) {
	return verify.Mechanism(m), nil
}

// caseOfProgram returns a program's law at each dataset, the product of the laws of its independent numbers.
func caseOfProgram(c *script.Call, p *scripted) (any, error) {
	laws := make([][]float64, p.Space().Size())
	for i := range laws {
		laws[i] = []float64{1}
		for _, row := range p.Law(i) {
			var longer []float64
			for _, before := range laws[i] {
				for _, chance := range row {
					n, ok := chance.Number()
					if !ok {
						c.Stop("the program has a symbolic rate, want a number: p.at(eps)")
					}
					longer = append(longer, before*n.Float())
				}
			}
			laws[i] = longer
		}
	}
	return verify.Laws(laws, p.Space()), nil
}

// caseOfRecords returns the law at all datasets, or only the claim if the datasets cannot be listed.
func caseOfRecords(c *script.Call, m records.Law) (any, error) {
	all, err := records.Listed(c.Context, m)
	if err != nil {
		return nil, err
	}
	if all != nil {
		return verify.Mechanism(all), nil
	}
	delta := 0.0
	if s, ok := m.(interface{ Delta() evidence.Delta }); ok {
		delta = s.Delta().Value()
	}
	return verify.Known(m.ClaimedEpsilon().Float(), delta), nil
}

func caseOnLine(_ *script.Call, m *onLine) (any, error) {
	return verify.OnLattice(m.Mechanism, m.query.Linear)
}

func caseOfBits[T xor.Noise](_ *script.Call, b T) (any, error) {
	return caseUnder(func(neighbors string, times int) (*verify.Case, error) { return verify.Noise(b, neighbors, times) }), nil
}

func caseOfSigns(_ *script.Call, r *signrp.Release) (any, error) {
	return caseBetween(func(u, v []float64) (*verify.Case, error) { return verify.Signs(r, u, v) }), nil
}
