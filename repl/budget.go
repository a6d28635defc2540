package repl

import (
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// budgetBuiltins returns the privacy filter and the built-ins for events of dp_accounting.
func budgetBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("budget(eps: epsilon, delta: delta0=0) -> budget",
			"A privacy filter with an odometer, for mechanisms that are chosen adaptively, each depending on all outputs so far. b.admit(m) reports whether one more use of m fits the budget, and charges it. All admitted uses together are (eps, delta)-differentially private, whatever is chosen. With delta 0 a use costs its smallest ε; with delta above 0 it costs its ρ of zero-concentrated differential privacy (zcdp), and ρ becomes (eps, delta) by Canonne, Kamath and Steinke 2020, Proposition 12. Claimed, by the theorem of filters (Feldman and Zrnic 2021; Whitehouse and others 2023), which b.theorem names. A mechanism with infinite cost is never admitted: Gaussian noise if delta is 0, known(eps, delta) if it is not. Arithmetic is exact. 0.1 is the float, and ten times it exceeds 1; use numbers such as 1/8 or ln(3).",
			querySetup+"b = budget(1, delta=1e-6)\nprint(b.admit(gaussian(1, 20)), b.admit(gaussian(1, 2)), b.admit(purest(q, 0.05)))\nprint(b.spent, b.left, b.odometer)", func(c *script.Call) (any, error) {
				return privacy.NewFilter(c.Epsilon("eps"), c.Delta("delta"))
			}),
		script.Func(`account(event: value, neighbors: "add_remove"|"replace"|"replace_special"=None) -> privacy`,
			`The privacy of an event of dp_accounting 0.6.0, as its accountants take it. From Python pass the event itself. Elsewhere pass its named tuple, as a dict or as JSON text. It is a dict such as {"class_name": "GaussianDpEvent", "noise_multiplier": 2}, whose module_name is ignored, or a list of the module's name, the class's name and the values of the fields, as json.dumps(event.to_named_tuple()) writes it. Events within events have the same form. The fields are dp_accounting's: NoOpDpEvent, NonPrivateDpEvent, GaussianDpEvent(noise_multiplier), LaplaceDpEvent(noise_multiplier), DiscreteLaplaceDpEvent(noise_parameter, sensitivity), RandomizedResponseDpEvent(noise_parameter, num_buckets), ComposedDpEvent(events), SelfComposedDpEvent(event, count), PoissonSampledDpEvent(sampling_probability, event), SampledWithoutReplacementDpEvent(source_dataset_size, sample_size, event), ZCDpEvent(rho, xi=0), MixtureOfGaussiansDpEvent(standard_deviation, sensitivities, sampling_probs) and TruncatedSubsampledGaussianDpEvent(dataset_size, sampling_probability, truncated_batch_size, noise_multiplier); others are refused. Composition is adaptive. neighbors is the relation: "add_remove"; "replace", one record by any other, which changes a sum by up to twice the sensitivity that noise multipliers refer to; or "replace_special", one record by a special record that adds nothing. The default is "replace" if the event has randomized response or samples without replacement, and "add_remove" otherwise. Numbers are certified, but claimed if a ZCDpEvent is among the events, because only its Rényi divergences are known (Canonne, Kamath and Steinke 2020, Proposition 12).`,
			"step = {\"class_name\": \"PoissonSampledDpEvent\", \"sampling_probability\": 0.01, \"event\": {\"class_name\": \"GaussianDpEvent\", \"noise_multiplier\": 1}}\nprint(account({\"class_name\": \"SelfComposedDpEvent\", \"event\": step, \"count\": 100}).epsilon_at(1e-6))\nprint(account('[\"dp_accounting.dp_event\", \"ZCDpEvent\", 0.1, 0]').epsilon_at(1e-6))", func(c *script.Call) (any, error) {
				text, ok := starlark.AsString(c.Value("event"))
				if !ok {
					var err error
					if text, err = script.EncodeJSON(c.Value("event"), 0); err != nil {
						return nil, err
					}
				}
				return privacy.EventAccount(c.Context, []byte(text), query.Relation(c.Text("neighbors")))
			}),
	}
}

var budgetClass = &script.Class[*privacy.Filter]{
	Name: "budget", Once: "made anew it would forget what was spent", Wanted: "a budget", Help: "A budget for adaptively chosen mechanisms, made by budget.", Setup: querySetup + "b = budget(ln(3))\n",
	Show: func(f *privacy.Filter) string { return "<" + f.String() + ">" },
	Attrs: []script.Attr[*privacy.Filter]{
		script.Do("admit(x: private) -> bool", "Returns True and charges one use of x if it fits the budget; otherwise returns False and charges nothing. x is anything that privacy(x) accepts without parameters, such as a mechanism or compose(m, 10). A use under another neighbor relation than earlier ones is an error; p.under converts it.", "(purest(q, ln(2)/2))", func(c *script.Call, f *privacy.Filter) (any, error) {
			return f.Admit(c.Context, must(accountOf(c, c.Arg("x").(*script.Object))))
		}).Varying(),
		script.Get("limit -> evidence", "The total that may be charged: ε if delta is 0, otherwise ρ. Claimed, rounded down.", "", func(f *privacy.Filter) any { return f.Limit() }),
		script.Get("spent -> evidence", "The part of b.limit that has been charged. Claimed, rounded up.", "", func(f *privacy.Filter) any { return f.Spent() }).Varying(),
		script.Get("left -> evidence", "The part of b.limit that may still be charged. Claimed, rounded down.", "", func(f *privacy.Filter) any { return f.Left() }).Varying(),
		script.Get("odometer -> evidence", "The ε spent so far: with probability at least 1 − delta, the privacy loss of all outputs is never above it, at any time, so one may stop at any time. If delta is 0 it is b.spent. Otherwise it follows from ρ by a supermartingale (Whitehouse and others 2023), at an order chosen for the whole budget. It may end above eps, the bound of the filter. Claimed.", "", func(f *privacy.Filter) any { return f.Odometer() }).Varying(),
		script.Get("theorem -> string", "The theorem behind the filter.", "", func(f *privacy.Filter) any { return f.Theorem() }),
		script.Get("neighbors -> string?", "Which datasets are neighbors for the uses so far, in the words of p.neighbors; None if it is not determined yet.", "", func(f *privacy.Filter) any { return onlyIf(f.Relation() != "", string(f.Relation())) }).Varying(),
	},
}
