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
			"A privacy filter with an odometer, for uses that are chosen on the go, each in the light of all outputs so far: b.admit(m) says whether one more use of m fits, and charges it. All that is admitted is (eps, delta)-differentially private together, whatever is chosen. With delta 0 a use costs its smallest ε; with delta above 0 it costs its ρ of zero-concentrated differential privacy (zcdp), and ρ becomes (eps, delta) by Canonne, Kamath and Steinke 2020, Proposition 12. Claimed, by the theorem of filters (Feldman and Zrnic 2021; Whitehouse and others 2023), which b.theorem names. What has no finite cost is never admitted: Gaussian noise where delta is 0, known(eps, delta) where it is not. Numbers are exact: 0.1 is the float, of which ten are more than 1; of 1/8 or ln(3) as many fit as should.",
			querySetup+"b = budget(1, delta=1e-6)\nprint(b.admit(gaussian(1, 20)), b.admit(gaussian(1, 2)), b.admit(purest(q, 0.05)))\nprint(b.spent, b.left, b.odometer)", func(c *script.Call) (any, error) {
				return privacy.NewFilter(c.Epsilon("eps"), c.Delta("delta"))
			}),
		script.Func(`account(event: value, neighbors: "add_remove"|"replace"|"replace_special"=None) -> privacy`,
			`The privacy of an event of dp_accounting 0.6.0, as its accountants are given one. From Python the event as it is; elsewhere its named tuple, as a dict or as JSON text: {"class_name": "GaussianDpEvent", "noise_multiplier": 2}, module_name being ignored, or a list of the names of module and class and of the fields' values, as json.dumps(event.to_named_tuple()) writes it; events inside events likewise. The fields are dp_accounting's: NoOpDpEvent, NonPrivateDpEvent, GaussianDpEvent(noise_multiplier), LaplaceDpEvent(noise_multiplier), DiscreteLaplaceDpEvent(noise_parameter, sensitivity), RandomizedResponseDpEvent(noise_parameter, num_buckets), ComposedDpEvent(events), SelfComposedDpEvent(event, count), PoissonSampledDpEvent(sampling_probability, event), SampledWithoutReplacementDpEvent(source_dataset_size, sample_size, event), ZCDpEvent(rho, xi=0), MixtureOfGaussiansDpEvent(standard_deviation, sensitivities, sampling_probs) and TruncatedSubsampledGaussianDpEvent(dataset_size, sampling_probability, truncated_batch_size, noise_multiplier); others are refused. Composition is adaptive. neighbors add or remove a record, replace one by any other, which moves a sum by twice the unit of a noise multiplier, or replace one by a special record that adds nothing; left out it is "replace" where the event has randomized response or samples without replacement, and "add_remove" elsewhere. Numbers are certified, but claimed where a ZCDpEvent is among the events, of which Rényi divergences alone are known (Canonne, Kamath and Steinke 2020, Proposition 12).`,
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
	Name: "budget", Once: "made anew it would forget what was spent", Wanted: "a budget", Help: "A budget for uses that are chosen on the go: budget makes it.", Setup: querySetup + "b = budget(ln(3))\n",
	Show: func(f *privacy.Filter) string { return "<" + f.String() + ">" },
	Attrs: []script.Attr[*privacy.Filter]{
		script.Do("admit(x: private) -> bool", "True where one use of x fits, which is charged; False where it does not, and nothing is charged. x is whatever privacy(x) takes without parameters, such as a mechanism or compose(m, 10). A use under another neighbor relation than earlier ones is an error: p.under gives it under theirs.", "(purest(q, ln(2)/2))", func(c *script.Call, f *privacy.Filter) (any, error) {
			return f.Admit(c.Context, must(accountOf(c, c.Arg("x").(script.Keeper))))
		}).Varying(),
		script.Get("limit -> evidence", "What may be charged in all: ε where delta is 0, ρ elsewhere. Claimed, rounded down.", "", func(f *privacy.Filter) any { return f.Limit() }),
		script.Get("spent -> evidence", "What has been charged, of b.limit. Claimed, rounded up.", "", func(f *privacy.Filter) any { return f.Spent() }).Varying(),
		script.Get("left -> evidence", "What may still be charged, of b.limit. Claimed, rounded down.", "", func(f *privacy.Filter) any { return f.Left() }).Varying(),
		script.Get("odometer -> evidence", "The ε that is spent so far: the privacy loss of all outputs is above it with probability delta at most, at all moments together, so that one may stop at any. Where delta is 0 it is b.spent. Elsewhere it comes from ρ by a supermartingale (Whitehouse and others 2023), at an order that suits the whole budget, and may end above eps, which the filter alone promises. Claimed.", "", func(f *privacy.Filter) any { return f.Odometer() }).Varying(),
		script.Get("theorem -> string", "The theorem by which the filter holds.", "", func(f *privacy.Filter) any { return f.Theorem() }),
		script.Get("neighbors -> string?", "Which datasets are neighbors for the uses so far, as p.neighbors says it; None where nothing says it yet.", "", func(f *privacy.Filter) any { return onlyIf(f.Relation() != "", string(f.Relation())) }).Varying(),
	},
}
