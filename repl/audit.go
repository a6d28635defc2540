package repl

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"strings"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// auditBuiltins judge implementations.
func auditBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`audit(table_or_samples: observations, neighbors: "all"|dataset_pairs, eps: epsilon, delta: rational=0, confidence: positive=0.999, seed: seed=0, bins: int|numbers=None, events: events=None, rounding: positive=1e-9) -> finding`,
			`Judges an implementation that claims (eps, delta)-differential privacy, eps in nats, from what it outputs at some datasets. neighbors is a list of pairs of datasets, or "all". table_or_samples is one of
- a table: dict dataset -> dict output -> probability, a number or a fraction like "1/3"; outputs not listed have probability 0;
- samples: dict dataset -> list of outputs drawn independently, or dict dataset -> dict output -> count (whole numbers, one of them above 1);
- rows (dataset, output, probability), (dataset, output, count) or (dataset, output);
- a path to a .csv file of such rows under a header of these names, or to a .json file of such dicts, unpacked where it ends in .gz. It is looked for as by read_csv.
Names are strings, numbers or tuples; 3, 3.0 and "3" are one name.
A table is judged exactly: the smallest ε at delta over the pairs, both directions, and every event, exact where the probabilities are. Numbers of more than 12 digits, other than strings, are taken as rounded, and so is a table whose sums are not 1: then the answer is an enclosure over all laws within a relative error of rounding, and a table off by more is refused. The verdict is "confirmed" or "refuted" for the pairs given, "undecided" where rounding decides.
Samples give a lower bound on ε: events are chosen on one half of the draws (likelihood-ratio sets, single outputs, half lines) and bounded on the other half after Clopper and Pearson (1934). All bounds hold together with the confidence, so that a true claim is refuted with probability at most 1 - confidence; samples never confirm. seed splits the draws. bins groups numbers into so many bins set on the choosing half, or between a list of edges. events is a list of outputs, or of lists of outputs, fixed before the draws were seen: these are tested on all draws, without a split.`,
			`r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
print(r.verdict, r.epsilon, r.witness["script"])
print(audit({0: {"yes": 7500, "no": 2500}, 1: {"yes": 2500, "no": 7500}}, "all", 1, events=["yes"]))`,
			func(c *script.Call) (any, error) {
				claim := audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Rational("delta")}
				neighbors, _ := c.Arg("neighbors").([]audit.Pair) // nil: all
				in := c.Arg("table_or_samples").(*audit.Input)
				if in.Table == nil {
					return in.Samples.Audit(c.Context, neighbors, claim, sampling(c), c.Source("seed"))
				}
				for _, name := range []string{"bins", "events"} {
					if c.Given(name) {
						c.Fail(name, c.Value(name), "None: a table is judged over every event")
					}
				}
				in.Table.Rounding = c.Float("rounding")
				return in.Table.Audit(c.Context, neighbors, claim)
			}),
		script.Func("audit_draws(p: finite, q: finite, eps: epsilon, delta: rational=0, power: positive=0.9, confidence: positive=0.999, tests: int[1..2147483647]=None) -> int",
			"How many samples of each of two datasets audit needs to refute (eps, delta) with probability power, when an event that its search finds has probability p at one and q at the other: (p - delta)/q > e^eps. It counts with a split of the draws, half of which test the event. tests is the number of tests fixed beforehand instead, events times pairs times two, on all draws.",
			`p = 1/(1 + math.exp(-1.2))   # randomised response at 1.2 that claims 1
print(audit_draws(p, 1 - p, 1), audit_draws(p, 1 - p, 1, tests=4))`,
			func(c *script.Call) (any, error) {
				claim := audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Rational("delta")}
				return audit.Plan{P: c.Float("p"), Q: c.Float("q"), Claim: claim, Power: c.Float("power"), Confidence: c.Float("confidence"), Tests: c.Int("tests")}.Draws(c.Context)
			}),
	}
}

// auditKinds are what audit judges.
func auditKinds() []script.Kind {
	return []script.Kind{
		{Name: "observations", Read: func(c *script.Call, name string, v starlark.Value) any { return observations(c, name, v) }},
		{Name: "dataset_pairs", Read: func(c *script.Call, name string, v starlark.Value) any {
			if _, ok := script.Elements(v); !ok {
				c.Fail(name, v, "a list of pairs of datasets")
			}
			return script.ListOf(c, name, v, func(name string, v starlark.Value) (out audit.Pair) {
				pair, ok := script.Elements(v)
				if !ok || len(pair) != 2 {
					c.Fail(name, v, "a pair of datasets")
				}
				return audit.Pair{auditName(c, name, pair[0]), auditName(c, name, pair[1])}
			})
		}},
		{Name: "events", Read: func(c *script.Call, name string, v starlark.Value) any {
			return script.ListOf(c, name, v, func(name string, v starlark.Value) []string {
				list, ok := v.(*starlark.List)
				if !ok {
					return []string{auditName(c, name, v)}
				}
				event := make([]string, list.Len())
				for i := range event {
					event[i] = auditName(c, name, list.Index(i))
				}
				return event
			})
		}},
	}
}

// sampling reads how samples are judged.
func sampling(c *script.Call) audit.Sampling {
	how := audit.Sampling{Confidence: c.Float("confidence")}
	how.Events, _ = c.Arg("events").([][]string)
	switch bins := c.Arg("bins").(type) {
	case int:
		if how.Bins = bins; bins < 2 {
			c.Fail("bins", c.Value("bins"), "at least 2")
		}
	case []float64:
		how.Edges = bins
	}
	return how
}

// auditName spells the name of a dataset or an output.
func auditName(c *script.Call, where string, v starlark.Value) string {
	text, ok := spellName(v, 0)
	if !ok {
		c.Fail(where, v, "a string, a number or a tuple of these")
	}
	return text
}

func spellName(v starlark.Value, depth int) (string, bool) {
	if depth > script.MaxNesting {
		return "", false
	}
	switch v := v.(type) {
	case starlark.String:
		return string(v), true
	case starlark.Int, starlark.Bool:
		return v.String(), true
	case starlark.Float:
		return evidence.FormatFloat(float64(v), -1), true
	case starlark.Tuple, *starlark.List:
		items, _ := script.Elements(v)
		parts := make([]string, len(items))
		for i, x := range items {
			part, ok := spellName(x, depth+1)
			if !ok {
				return "", false
			}
			if _, quoted := x.(starlark.String); quoted {
				part = starlark.String(part).String()
			}
			parts[i] = part
		}
		return audit.Tuple(parts), true
	}
	return "", false
}

// observations reads a table or samples.
func observations(c *script.Call, name string, v starlark.Value) *audit.Input {
	switch v := v.(type) {
	case starlark.String:
		return auditFile(c, name, v)
	case *starlark.Dict:
		return auditDict(c, name, v)
	}
	rows, ok := script.Elements(v)
	if !ok {
		c.Fail(name, v, "a dict of datasets, a list of rows, or a path")
	}
	o := observed{c: c}
	width := 0
	for i, v := range rows {
		where := fmt.Sprintf("%s[%d]", name, i)
		row, ok := script.Elements(v)
		if !ok || len(row) != 2 && len(row) != 3 || i > 0 && len(row) != width {
			c.Fail(where, v, "a row (dataset, output) or (dataset, output, number), all of one width")
		}
		width = len(row)
		dataset := auditName(c, where, row[0])
		if width == 3 {
			o.count(where, dataset, row[1], row[2])
		} else {
			o.draw(where, dataset, row[1])
		}
	}
	return o.input()
}

// auditFile reads a file by its ending.
func auditFile(c *script.Call, name string, path starlark.String) *audit.Input {
	file, err := c.File(string(path))
	if err != nil {
		c.Refuse(err)
	}
	read := audit.ReadCSV
	switch plain := strings.ToLower(strings.TrimSuffix(file.Path, ".gz")); {
	case strings.HasSuffix(plain, ".json"):
		read = audit.ReadJSON
	case !strings.HasSuffix(plain, ".csv"):
		c.Fail(name, path, "a path that ends in .csv or .json, or one of these and .gz")
	}
	in, err := c.Session.ReadFile(file, func(r io.Reader) (any, error) { return read(c.Context, r) })
	if err != nil {
		c.Refuse(err)
	}
	return in.(*audit.Input)
}

// auditDict reads a dict from datasets to draws, or to numbers by output.
func auditDict(c *script.Call, name string, d *starlark.Dict) *audit.Input {
	o := observed{c: c}
	lists := false
	for _, item := range d.Items() {
		dataset := auditName(c, name, item[0])
		where := fmt.Sprintf("%s[%s]", name, script.Brief(item[0]))
		if law, ok := item[1].(*starlark.Dict); ok {
			if law.Len() == 0 {
				c.Fail(where, law, "at least one output")
			}
			for _, entry := range law.Items() {
				o.count(where, dataset, entry[0], entry[1])
			}
			continue
		}
		draws, ok := script.Elements(item[1])
		if !ok {
			c.Fail(where, item[1], "a list of draws, or a dict from outputs to probabilities or counts")
		}
		lists = true
		o.samples.Declare(dataset)
		for i, v := range draws {
			o.draw(fmt.Sprintf("%s[%d]", where, i), dataset, v)
		}
	}
	if lists && len(o.cells) > 0 {
		c.Stop("%s holds lists of draws and dicts of numbers, want one of them throughout", name)
	}
	return o.input()
}

// observed gathers the cells of a table or of counts, or draws one by one.
type observed struct {
	c       *script.Call
	cells   []audit.Cell
	samples audit.Samples
	draws   int
}

// draw adds an output that was drawn.
func (o *observed) draw(where, dataset string, output starlark.Value) {
	var err error
	if o.draws++; o.draws%1024 == 0 { // a look at the context
		err = o.c.Context.Err()
	}
	if err = cmp.Or(err, o.samples.Add(dataset, auditName(o.c, where, output), 1)); err != nil {
		o.c.Refuse(err)
	}
}

// input returns what was gathered; where that is nothing, the audit refuses it.
func (o *observed) input() *audit.Input {
	if len(o.cells) == 0 {
		return &audit.Input{Samples: &o.samples}
	}
	in, err := audit.NewInput(o.cells)
	if err != nil {
		o.c.Refuse(err)
	}
	return in
}

// count adds a probability or a count.
func (o *observed) count(where, dataset string, output, number starlark.Value) {
	cell := audit.Cell{Dataset: dataset, Output: auditName(o.c, where, output)}
	switch v := number.(type) {
	case starlark.Int:
		cell.Number = v.String()
	case starlark.Float:
		cell.Number = evidence.FormatFloat(float64(v), -1)
	case starlark.String:
		cell.Number, cell.Exact = string(v), true
	default:
		q, ok := script.ToRational(v) // of evidence
		if !ok {
			o.c.Fail(fmt.Sprintf("%s, output %s", where, script.Brief(output)), number, "a probability or a count"+script.Inexact(v))
		}
		cell.Number, cell.Exact = q.RatString(), true
	}
	o.cells = append(o.cells, cell)
}

var findingClass = &script.Class[*audit.Result]{
	Name: "finding", Help: "What an audit found.", Setup: "r = audit({\"x\": {\"yes\": \"3/4\", \"no\": \"1/4\"}, \"y\": {\"yes\": \"1/4\", \"no\": \"3/4\"}}, [(\"x\", \"y\")], 1)\n",
	Show: showFinding,
	JSON: func(r *audit.Result) starlark.Value {
		return script.ToValue(map[string]any{
			"verdict": string(r.Verdict), "scope": r.Scope, "remark": r.Remark, "claimed_epsilon": r.Claim.Evidence(), "claimed_delta": claimedDelta(r),
			"epsilon": r.Epsilon, "delta": r.Delta, "witness": witnessDict(r.Witness),
		})
	},
	Attrs: []script.Attr[*audit.Result]{
		script.Get("verdict -> string", `"refuted" where the claim is exceeded, for samples up to a probability of 1 - confidence; "confirmed" where a table keeps it for the pairs given; "undecided" otherwise, as for all samples that do not refute.`, "", func(r *audit.Result) any { return string(r.Verdict) }),
		script.Get("scope -> string", "How far the verdict goes: the pairs and events.", "", func(r *audit.Result) any { return r.Scope }),
		script.Get("remark -> string", `What the reader should know, such as that probabilities were taken as rounded; or "".`, "", func(r *audit.Result) any { return r.Remark }),
		script.Get("claimed_epsilon -> evidence", "The ε that was claimed, in nats.", "", func(r *audit.Result) any { return r.Claim.Evidence() }),
		script.Get("claimed_delta -> number", "The δ that was claimed, a float.", "", func(r *audit.Result) any { return claimedDelta(r) }),
		script.Get("epsilon -> evidence", "The smallest ε at the claimed δ over the pairs given: exact or certified for a table; for samples an estimate whose value and lower end are the lower bound, without an upper end.", "", func(r *audit.Result) any { return r.Epsilon }),
		script.Get("delta -> evidence", "The smallest δ at the claimed ε over the pairs given, known as epsilon is.", "", func(r *audit.Result) any { return r.Delta }),
		script.Get("evidence -> dict", `The numbers behind the verdict, as for a claim: a dict from label to evidence.`, "", func(r *audit.Result) any {
			return map[string]any{"claimed epsilon": r.Claim.Evidence(), "epsilon": r.Epsilon, "delta at the claimed epsilon": r.Delta}
		}),
		script.Get("witness -> dict?", `Where epsilon comes from: a dict of "first" and "second", the datasets, "event", the list of outputs or one side of a number, "p" and "q", its probabilities at the first and at the second, and "script", a line that audits the event alone and shows the same epsilon. ε is at least ln((p - delta)/q). None where epsilon may be 0.`, "", func(r *audit.Result) any { return witnessDict(r.Witness) }),
	},
}

func claimedDelta(r *audit.Result) float64 {
	if r.Claim.Delta == nil {
		return 0
	}
	v, _ := r.Claim.Delta.Float64()
	return v
}

func witnessDict(w *audit.Witness) any {
	if w == nil {
		return nil
	}
	var event any = w.Event.Outputs
	if w.Event.Bound != "" {
		event = w.Event.String()
	}
	return map[string]any{"first": w.First, "second": w.Second, "event": event, "p": w.P, "q": w.Q, "script": w.Script}
}

func showFinding(r *audit.Result) string {
	var b strings.Builder
	claimed := "epsilon " + r.Claim.Epsilon.String()
	if r.Claim.Delta != nil && r.Claim.Delta.Cmp(new(big.Rat)) != 0 {
		claimed += fmt.Sprintf(", delta %s", evidence.FormatFloat(claimedDelta(r), -1))
	}
	fmt.Fprintf(&b, "%s: claimed %s (%s)", r.Verdict, claimed, r.Scope)
	if r.Remark != "" {
		b.WriteString("\n  remark: " + r.Remark)
	}
	bound := ""
	if r.Epsilon.Kind() == evidence.KindEstimated {
		bound = " at least"
	}
	fmt.Fprintf(&b, "\n  epsilon%s: %s", bound, r.Epsilon)
	fmt.Fprintf(&b, "\n  delta at the claimed epsilon%s: %s", bound, r.Delta)
	if w := r.Witness; w != nil {
		fmt.Fprintf(&b, "\n  event: %s, %s at %s, %s at %s", w.Event, evidence.Short(w.P), w.First, evidence.Short(w.Q), w.Second)
		b.WriteString("\n  replay: " + w.Script)
	}
	return b.String()
}
