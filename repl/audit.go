package repl

import (
	"fmt"
	"io"
	"strings"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// auditBuiltins returns the built-ins that audit implementations of mechanisms.
func auditBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`audit(table_or_samples: observations, neighbors: "all"|dataset_pairs, eps: epsilon, delta: delta0=0, confidence: level=0.999, seed: seed=0, bins: int[2..]|numbers=None, events: events=None, rounding: positive=1e-9) -> finding`,
			`Tests an implementation that claims (eps, delta)-differential privacy, eps in nats, by its outputs at some datasets. neighbors is a list of pairs of datasets, or "all". table_or_samples is one of
- a table: dict dataset -> dict output -> probability, a number or a fraction like "1/3"; outputs not listed have probability 0;
- samples: dict dataset -> list of outputs drawn independently, or dict dataset -> dict output -> count (whole numbers, one of them above 1);
- rows (dataset, output, probability), (dataset, output, count) or (dataset, output);
- a path to a .csv file of such rows under a header of these names, or to a .json file of such dicts, unpacked if it ends in .gz. The path is resolved as in read_csv.
Names are strings, numbers or tuples; 3, 3.0 and "3" are one name.
A table is tested exactly: the smallest ε at delta over the pairs, in both directions, and over every event; it is exact if the probabilities are. Numbers of more than 12 digits, other than strings, count as rounded, and so does a table whose sums are not 1. The answer is then an enclosure over all laws within a relative error of rounding; a table with a larger error is refused. The verdict is "confirmed" or "refuted" for the given pairs, or "undecided" if it depends on the rounding.
Samples give a lower bound on ε: events are chosen on one half of the draws (likelihood-ratio sets, single outputs, half lines) and bounded on the other half after Clopper and Pearson (1934). Events are sets of outputs and of features of outputs: for numbers the lowest bit of the float, for tuples the items, their number, sum and differences. All bounds hold simultaneously with the confidence, so a true claim is refuted with probability at most 1 - confidence; samples never confirm. seed determines the split of the draws. bins is a number of bins for numbers, chosen on the first half, or a list of their edges; lowest bits are then not compared. events is a list of outputs, or of lists of outputs, fixed before seeing the draws: these are tested on all draws, without a split.`,
			`r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
print(r.verdict, r.epsilon, r.witness["script"])
print(audit({0: {"yes": 7500, "no": 2500}, 1: {"yes": 2500, "no": 7500}}, "all", 1, events=["yes"]))`,
			func(c *script.Call) (any, error) {
				claim := audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Delta("delta")}
				neighbors, _ := c.Arg("neighbors").([]audit.Pair) // nil means all pairs
				in := c.Arg("table_or_samples").(*audit.Input)
				if in.Table == nil {
					return in.Samples.Audit(c.Context, neighbors, claim, sampling(c), c.Source("seed"))
				}
				for _, name := range []string{"bins", "events"} {
					if c.Given(name) {
						c.Fail(name, c.Value(name), "None: a table is compared on every event")
					}
				}
				in.Table.Rounding = c.Float("rounding")
				return in.Table.Audit(c.Context, neighbors, claim)
			}),
		script.Func("audit_draws(p: choice, q: choice, eps: epsilon, delta: delta0=0, power: level=0.9, confidence: level=0.999, tests: int[1..2147483647]=None) -> int",
			"The number of samples of each of two datasets that audit needs to refute (eps, delta) with probability power, if the event that it finds has probability p at one and q at the other, (p - delta)/q > e^eps. By default one half of the draws selects the event and the other half tests it. With tests, all draws test events that were fixed beforehand: tests is the number of events times pairs times two.",
			`p = 1/(1 + math.exp(-1.2))   # randomised response at 1.2 that claims 1
print(audit_draws(p, 1 - p, 1), audit_draws(p, 1 - p, 1, tests=4))`,
			func(c *script.Call) (any, error) {
				claim := audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Delta("delta")}
				return audit.Plan{P: c.Float("p"), Q: c.Float("q"), Claim: claim, Power: c.Float("power"), Confidence: c.Float("confidence"), Tests: c.Int("tests")}.Draws(c.Context)
			}),
		script.Func("mean_interval(values: numbers, confidence: level=0.95, within: numbers=None) -> evidence",
			"The mean of a law from independent draws of it, with an interval of the confidence: Student's t, which is exact for normal draws and approximate for many draws of other laws. With within, the range of the law, it is an interval that needs no other assumption (Maurer and Pontil 2009). Estimated. Applied to the differences of paired draws, it shows which of two mechanisms is better.",
			"print(mean_interval([1, 2, 4, 3, 2]))\nprint(mean_interval([0, 1, 1, 0] * 100, confidence=0.99, within=[0, 1]))",
			func(c *script.Call) (any, error) {
				if !c.Given("within") {
					return audit.Mean(c.Floats("values"), c.Float("confidence"))
				}
				ends := c.Floats("within")
				if len(ends) != 2 {
					c.Stop("within has %d numbers, want 2: the ends of the range", len(ends))
				}
				return audit.MeanWithin(c.Floats("values"), audit.Range{Lo: ends[0], Hi: ends[1]}, c.Float("confidence"))
			}),
	}
}

// auditKinds returns the parameter kinds of observations, pairs of datasets and events.
func auditKinds() []script.Kind {
	return []script.Kind{
		script.KindOf("observations", observations),
		script.KindOf("dataset_pairs", datasetPairs),
		script.KindOfList("events", event),
	}
}

func datasetPairs(c *script.Call, name string, v starlark.Value) []audit.Pair {
	elements(c, name, v, "a list of pairs of datasets")
	return script.ListOf(c, name, v, func(name string, v starlark.Value) audit.Pair {
		pair := elements(c, name, v, "a pair of datasets", 2)
		return audit.Pair{auditName(c, name, pair[0]), auditName(c, name, pair[1])}
	})
}

// event reads an event: a list of outputs, or a single output.
func event(c *script.Call, name string, v starlark.Value) []string {
	if _, ok := v.(*starlark.List); !ok {
		return []string{auditName(c, name, v)}
	}
	return script.ListOf(c, name, v, func(name string, v starlark.Value) string { return auditName(c, name, v) })
}

// sampling reads the options for samples.
func sampling(c *script.Call) audit.Sampling {
	how := audit.Sampling{Confidence: c.Float("confidence")}
	how.Events, _ = c.Arg("events").([][]string)
	how.Bins, _ = c.Arg("bins").(int)
	how.Edges, _ = c.Arg("bins").([]float64)
	return how
}

// auditName returns the name of a dataset or an output as text.
func auditName(c *script.Call, where string, v starlark.Value) string {
	return spellName(v, 0, func() { c.Fail(where, v, "a string, a number or a tuple of these") })
}

func spellName(v starlark.Value, depth int, refuse func()) string {
	switch v := v.(type) {
	case starlark.String:
		return string(v)
	case starlark.Int, starlark.Bool:
		return v.String()
	case starlark.Float:
		return evidence.FormatFloat(float64(v), -1)
	case starlark.Tuple, *starlark.List:
		if depth >= script.MaxNesting {
			break
		}
		items, _ := script.Elements(v)
		parts := make([]string, len(items))
		for i, x := range items {
			parts[i] = spellName(x, depth+1, refuse)
			if _, quoted := x.(starlark.String); quoted {
				parts[i] = x.String()
			}
		}
		return audit.Tuple(parts)
	}
	refuse()
	return ""
}

// observations reads a table or samples. The audit itself rejects an empty input.
func observations(c *script.Call, name string, v starlark.Value) *audit.Input {
	o := observed{c: c}
	switch v := v.(type) {
	case starlark.String:
		return auditFile(c, name, v)
	case *starlark.Dict:
		o.dict(name, v)
	default:
		o.rows(name, elements(c, name, v, "a dict of datasets, a list of rows, or a path"))
	}
	if len(o.cells) == 0 {
		return &audit.Input{Samples: &o.samples}
	}
	return must(audit.NewInput(o.cells))
}

// auditFile reads a file in the format that its extension names.
func auditFile(c *script.Call, name string, path starlark.String) *audit.Input {
	file := must(c.File(string(path)))
	return must(c.Session.ReadFile(file, func(r io.Reader) (any, error) {
		switch plain := strings.ToLower(strings.TrimSuffix(file.Path, ".gz")); {
		case strings.HasSuffix(plain, ".csv"):
			return audit.ReadCSV(c.Context, r)
		case !strings.HasSuffix(plain, ".json"):
			c.Fail(name, path, "a path that ends in .csv, .json, .csv.gz or .json.gz")
		}
		v, err := jsonOf(c, r)
		if err != nil {
			return nil, err
		}
		datasets, ok := v.(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("the file holds a %s, want an object from datasets to draws, or to numbers by output", v.Type())
		}
		return observations(c, "the file", datasets), nil
	})).(*audit.Input)
}

// observed collects the cells of a table of probabilities or counts, or single draws.
type observed struct {
	c       *script.Call
	cells   []audit.Cell
	samples audit.Samples
	draws   int
}

// rows reads rows (dataset, output) or rows (dataset, output, number), all of one width.
func (o *observed) rows(name string, rows []starlark.Value) {
	sizes := []int{2, 3}
	for i, v := range rows {
		where := fmt.Sprintf("%s[%d]", name, i)
		row := elements(o.c, where, v, "a row (dataset, output) or (dataset, output, number), all of one width", sizes...)
		sizes = []int{len(row)}
		o.add(where, auditName(o.c, where, row[0]), row[1:]...)
	}
}

// dict reads a dict from datasets to draws, or to dicts from outputs to numbers.
func (o *observed) dict(name string, d *starlark.Dict) {
	for _, item := range d.Items() {
		dataset, where := auditName(o.c, name, item[0]), fmt.Sprintf("%s[%s]", name, script.Brief(item[0]))
		if law, ok := item[1].(*starlark.Dict); ok {
			if law.Len() == 0 {
				o.c.Fail(where, law, "at least one output")
			}
			for _, entry := range law.Items() {
				o.add(where, dataset, entry...)
			}
			continue
		}
		draws := elements(o.c, where, item[1], "a list of draws, or a dict from outputs to probabilities or counts")
		o.samples.Declare(dataset)
		for i, v := range draws {
			o.add(fmt.Sprintf("%s[%d]", where, i), dataset, v)
		}
	}
	if len(o.cells) > 0 && len(o.samples.Datasets()) > 0 {
		o.c.Stop("%s holds lists of draws and dicts of numbers, want one of them throughout", name)
	}
}

// add adds a drawn output, or an output with its probability or count.
func (o *observed) add(where, dataset string, entry ...starlark.Value) {
	output := auditName(o.c, where, entry[0])
	if len(entry) == 1 {
		if o.draws++; o.draws%1024 == 0 {
			stop(o.c.Context.Err())
		}
		stop(o.samples.Add(dataset, output, 1))
		return
	}
	cell := audit.Cell{Dataset: dataset, Output: output}
	switch v := entry[1].(type) {
	case starlark.Int, starlark.Float:
		cell.Number = auditName(o.c, where, v)
	case starlark.String:
		cell.Number, cell.Exact = string(v), true
	default:
		q, ok := script.ToRational(v) // for evidence, its value
		if !ok {
			o.c.Fail(fmt.Sprintf("%s, output %s", where, script.Brief(entry[0])), v, "a probability or a count"+script.Inexact(v))
		}
		cell.Number, cell.Exact = q.RatString(), true
	}
	o.cells = append(o.cells, cell)
}

var findingClass = &script.Class[*audit.Result]{
	Name: "finding", Help: "The result of an audit.", Setup: "r = audit({\"x\": {\"yes\": \"3/4\", \"no\": \"1/4\"}, \"y\": {\"yes\": \"1/4\", \"no\": \"3/4\"}}, [(\"x\", \"y\")], 1)\n",
	Show: (*audit.Result).String,
	JSON: func(r *audit.Result) starlark.Value {
		return script.ToValue(map[string]any{
			"verdict": string(r.Verdict), "scope": r.Scope, "remark": r.Remark, "claimed_epsilon": r.Claim.Evidence(), "claimed_delta": r.Claim.Delta.Value(),
			"epsilon": r.Epsilon, "delta": r.Delta, "witness": witnessDict(r.Witness),
		})
	},
	Attrs: []script.Attr[*audit.Result]{
		script.Get("verdict -> string",
			`"refuted" if the claim is exceeded (for samples, with error probability at most 1 - confidence); "confirmed" if a table satisfies it for the given pairs; otherwise "undecided", as for all samples that do not refute.`, "",
			func(r *audit.Result) any { return string(r.Verdict) }),
		script.Get("scope -> string",
			"The pairs and events that the verdict covers.", "",
			func(r *audit.Result) any { return r.Scope }),
		script.Get("remark -> string",
			`A note to the reader, such as that probabilities count as rounded; or "".`, "",
			func(r *audit.Result) any { return r.Remark }),
		script.Get("claimed_epsilon -> evidence",
			"The claimed ε, in nats.", "",
			func(r *audit.Result) any { return r.Claim.Evidence() }),
		script.Get("claimed_delta -> number",
			"The claimed δ, a float.", "",
			func(r *audit.Result) any { return r.Claim.Delta.Value() }),
		script.Get("epsilon -> evidence",
			"The smallest ε at the claimed δ over the given pairs: exact or certified for a table; for samples an estimate whose value and lower end are the lower bound, without an upper end.", "",
			func(r *audit.Result) any { return r.Epsilon }),
		script.Get("delta -> evidence",
			"The smallest δ at the claimed ε over the given pairs, with the same kind of evidence as epsilon.", "",
			func(r *audit.Result) any { return r.Delta }),
		script.Get("evidence -> dict",
			`The numbers for the verdict: a dict from label to evidence.`, "",
			func(r *audit.Result) any {
				return map[string]any{"claimed epsilon": r.Claim.Evidence(), "epsilon": r.Epsilon, "delta at the claimed epsilon": r.Delta}
			}),
		script.Get("witness -> dict?", `The event that gives epsilon, a dict: "first" and "second", the datasets; "event", the list of outputs, or a text for a half line or a feature; "p" and "q", its probabilities at the first and the second dataset; and "script", a line that audits only this event and prints the same epsilon. ε is at least ln((p - delta)/q). None if epsilon may be 0.`, "", func(r *audit.Result) any { return witnessDict(r.Witness) }),
	},
}

func witnessDict(w *audit.Witness) any {
	if w == nil {
		return nil
	}
	var event any = w.Event.Outputs
	if w.Event.Bound != "" || w.Event.Feature != "" {
		event = w.Event.String()
	}
	return map[string]any{"first": w.First, "second": w.Second, "event": event, "p": w.P, "q": w.Q, "script": w.Script}
}
