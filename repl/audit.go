package repl

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// auditBuiltins judge implementations.
func auditBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "audit", Params: `table_or_samples, neighbors, eps, delta=0, confidence=0.999, seed=0, bins=None, events=None, rounding=1e-9`,
		Help: `Judges an implementation that claims (eps, delta)-differential privacy, eps in nats, from what it outputs at some datasets. neighbors is a list of pairs of datasets, or "all". table_or_samples is one of
- a table: dict dataset -> dict output -> probability, a number or a fraction like "1/3"; outputs not listed have probability 0;
- samples: dict dataset -> list of outputs drawn independently, or dict dataset -> dict output -> count (whole numbers, one of them above 1);
- rows (dataset, output, probability), (dataset, output, count) or (dataset, output);
- a path to a .csv file of such rows under a header of these names, or to a .json file of such dicts, unpacked where it ends in .gz. It is looked for as by read_csv.
Names are strings, numbers or tuples; 3, 3.0 and "3" are one name.
A table is judged exactly: the smallest ε at delta over the pairs, both directions, and every event, exact where the probabilities are. Numbers of more than 12 digits, other than strings, are taken as rounded, and so is a table whose sums are not 1: then the answer is an enclosure over all laws within a relative error of rounding, and a table off by more is refused. The verdict is "confirmed" or "refuted" for the pairs given, "undecided" where rounding decides.
Samples give a lower bound on ε: events are chosen on one half of the draws (likelihood-ratio sets, single outputs, half lines) and bounded on the other half after Clopper and Pearson (1934). All bounds hold together with the confidence, so that a true claim is refuted with probability at most 1 - confidence; samples never confirm. seed splits the draws. bins groups numbers into so many bins set on the choosing half, or between a list of edges. events is a list of outputs, or of lists of outputs, fixed before the draws were seen: these are tested on all draws, without a split.`,
		Example: `r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
print(r.verdict, r.epsilon, r.witness["script"])
print(audit({0: {"yes": 7500, "no": 2500}, 1: {"yes": 2500, "no": 7500}}, "all", 1, events=["yes"]))`,
		Run: func(c *script.Call) (any, error) {
			claim := audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Rational("delta")}
			in, err := auditInput(c, "table_or_samples")
			if err != nil {
				return nil, err
			}
			neighbors := auditPairs(c, "neighbors")
			var r *audit.Result
			if in.Table != nil {
				for _, name := range []string{"bins", "events"} {
					if c.Given(name) {
						c.Fail(name, c.Value(name), "None: a table is judged over every event")
					}
				}
				in.Table.Rounding = c.Positive("rounding")
				r, err = in.Table.Audit(c.Context, neighbors, claim)
			} else {
				r, err = in.Samples.Audit(c.Context, neighbors, claim, sampling(c), c.Source("seed"))
			}
			if err != nil {
				return nil, err
			}
			return findingClass.Of(c, r), nil
		},
	}, {
		Name: "audit_draws", Params: "p, q, eps, delta=0, power=0.9, confidence=0.999, tests=None",
		Help: "How many samples of each of two datasets audit needs to refute (eps, delta) with probability power, when an event that its search finds has probability p at one and q at the other: (p - delta)/q > e^eps. It counts with a split of the draws, half of which test the event. tests is the number of tests fixed beforehand instead, events times pairs times two, on all draws.",
		Example: `p = 1/(1 + math.exp(-1.2))   # randomised response at 1.2 that claims 1
print(audit_draws(p, 1 - p, 1), audit_draws(p, 1 - p, 1, tests=4))`,
		Run: func(c *script.Call) (any, error) {
			plan := audit.Plan{P: c.Finite("p"), Q: c.Finite("q"), Claim: audit.Claim{Epsilon: c.Epsilon("eps"), Delta: c.Rational("delta")},
				Power: c.Positive("power"), Confidence: c.Positive("confidence")}
			if c.Given("tests") {
				plan.Tests = c.Int("tests", 1, math.MaxInt32)
			}
			n, err := plan.Draws(c.Context)
			return starlark.MakeInt64(n), err
		},
	}}
}

// sampling reads how samples are judged.
func sampling(c *script.Call) audit.Sampling {
	how := audit.Sampling{Confidence: c.Positive("confidence")}
	if c.Given("bins") {
		if _, ok := script.ToInt(c.Value("bins")); ok {
			how.Bins = c.Int("bins", 2, 1<<20)
		} else {
			how.Edges = c.Floats("bins")
		}
	}
	if c.Given("events") {
		how.Events = [][]string{}
		for i, v := range c.List("events") {
			outputs := []starlark.Value{v}
			if list, ok := v.(*starlark.List); ok {
				outputs, _ = script.Elements(list)
			}
			event := make([]string, len(outputs))
			for j, o := range outputs {
				event[j] = auditName(c, fmt.Sprintf("events[%d]", i), o)
			}
			how.Events = append(how.Events, event)
		}
	}
	return how
}

// auditPairs reads pairs of datasets; nil means all.
func auditPairs(c *script.Call, name string) []audit.Pair {
	if s, ok := starlark.AsString(c.Value(name)); ok {
		if s != "all" {
			c.Fail(name, c.Value(name), `a list of pairs of datasets or "all"`)
		}
		return nil
	}
	vs := c.List(name)
	pairs := make([]audit.Pair, len(vs))
	for i, v := range vs {
		pair, ok := script.Elements(v)
		if !ok || len(pair) != 2 {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a pair of datasets")
		}
		for j := range pair {
			pairs[i][j] = auditName(c, fmt.Sprintf("%s[%d]", name, i), pair[j])
		}
	}
	return pairs
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

// auditInput reads a table or samples.
func auditInput(c *script.Call, name string) (*audit.Input, error) {
	switch v := c.Value(name).(type) {
	case starlark.String:
		return auditFile(c, name)
	case *starlark.Dict:
		return auditDict(c, name, v)
	}
	rows, ok := script.Elements(c.Value(name))
	if !ok {
		c.Fail(name, c.Value(name), "a dict of datasets, a list of rows, or a path")
	}
	return auditRows(c, name, rows)
}

// auditFile reads a file by its ending.
func auditFile(c *script.Call, name string) (*audit.Input, error) {
	file, err := c.File(name)
	if err != nil {
		return nil, err
	}
	read := audit.ReadCSV
	switch plain := strings.ToLower(strings.TrimSuffix(file.Path, ".gz")); {
	case strings.HasSuffix(plain, ".json"):
		read = audit.ReadJSON
	case !strings.HasSuffix(plain, ".csv"):
		c.Fail(name, c.Value(name), "a path that ends in .csv or .json, or one of these and .gz")
	}
	var in *audit.Input
	_, err = c.Session.ReadFile(file, func(r io.Reader) (starlark.Value, error) {
		var err error
		in, err = read(c.Context, r)
		return nil, err
	})
	return in, err
}

// auditDict reads a dict from datasets to draws, or to numbers by output.
func auditDict(c *script.Call, name string, d *starlark.Dict) (*audit.Input, error) {
	var cells []audit.Cell
	samples := new(audit.Samples)
	drawn := 0
	for _, item := range d.Items() {
		dataset := auditName(c, name, item[0])
		where := fmt.Sprintf("%s[%s]", name, script.Brief(item[0]))
		if law, ok := item[1].(*starlark.Dict); ok {
			if law.Len() == 0 {
				c.Fail(where, law, "at least one output")
			}
			for _, entry := range law.Items() {
				cells = append(cells, auditCell(c, where, dataset, entry[0], entry[1]))
			}
			continue
		}
		draws, ok := script.Elements(item[1])
		if !ok {
			c.Fail(where, item[1], "a list of draws, or a dict from outputs to probabilities or counts")
		}
		drawn++
		samples.Declare(dataset)
		for i, v := range draws {
			if i%pollEvery == 0 && c.Context.Err() != nil {
				return nil, c.Context.Err()
			}
			if err := samples.Add(dataset, auditName(c, fmt.Sprintf("%s[%d]", where, i), v), 1); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case drawn > 0 && len(cells) > 0:
		c.Stop("%s holds lists of draws and dicts of numbers, want one of them throughout", name)
	case drawn > 0 || len(cells) == 0:
		return &audit.Input{Samples: samples}, nil // empty ones are refused later
	}
	return audit.NewInput(cells)
}

// auditRows reads rows of two or three cells.
func auditRows(c *script.Call, name string, rows []starlark.Value) (*audit.Input, error) {
	var cells []audit.Cell
	samples := new(audit.Samples)
	width := 0
	for i, v := range rows {
		if i%pollEvery == 0 && c.Context.Err() != nil {
			return nil, c.Context.Err()
		}
		where := fmt.Sprintf("%s[%d]", name, i)
		row, ok := script.Elements(v)
		if !ok || len(row) != 2 && len(row) != 3 || i > 0 && len(row) != width {
			c.Fail(where, v, "a row (dataset, output) or (dataset, output, number), all of one width")
		}
		width = len(row)
		dataset := auditName(c, where, row[0])
		if width == 3 {
			cells = append(cells, auditCell(c, where, dataset, row[1], row[2]))
			continue
		}
		if err := samples.Add(dataset, auditName(c, where, row[1]), 1); err != nil {
			return nil, err
		}
	}
	if width == 3 {
		return audit.NewInput(cells)
	}
	return &audit.Input{Samples: samples}, nil
}

// auditCell reads a probability or a count.
func auditCell(c *script.Call, where, dataset string, output, number starlark.Value) audit.Cell {
	cell := audit.Cell{Dataset: dataset, Output: auditName(c, where, output)}
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
			c.Fail(fmt.Sprintf("%s, output %s", where, script.Brief(output)), number, "a probability or a count"+script.Inexact(v))
		}
		cell.Number, cell.Exact = q.RatString(), true
	}
	return cell
}

const findingSetup = `r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
`

func findingText(name, help string, get func(*audit.Result) string) script.Attr[*audit.Result] {
	return script.Attr[*audit.Result]{Name: name, Help: help, Example: findingSetup + "print(r." + name + ")",
		Get: func(c *script.Call, r *audit.Result) (any, error) { return starlark.String(get(r)), nil }}
}

func findingNumber(name, help string, get func(*audit.Result) starlark.Value) script.Attr[*audit.Result] {
	return script.Attr[*audit.Result]{Name: name, Help: help, Example: findingSetup + "print(r." + name + ")",
		Get: func(c *script.Call, r *audit.Result) (any, error) { return get(r), nil }}
}

var findingClass = &script.Class[*audit.Result]{
	Name: "finding", Help: "What an audit found.", Example: findingSetup + "print(r)",
	Show: showFinding,
	JSON: func(r *audit.Result) starlark.Value {
		return script.Fields(map[string]starlark.Value{
			"verdict": starlark.String(r.Verdict), "scope": starlark.String(r.Scope), "remark": starlark.String(r.Remark),
			"claimed_epsilon": script.Known(r.Claim.Evidence()), "claimed_delta": starlark.Float(claimedDelta(r)),
			"epsilon": script.Known(r.Epsilon), "delta": script.Known(r.Delta), "witness": witnessDict(r.Witness),
		})
	},
	Attrs: []script.Attr[*audit.Result]{
		findingText("verdict", `"refuted" where the claim is exceeded, for samples up to a probability of 1 - confidence; "confirmed" where a table keeps it for the pairs given; "undecided" otherwise, as for all samples that do not refute.`,
			func(r *audit.Result) string { return string(r.Verdict) }),
		findingText("scope", "How far the verdict goes: the pairs and events.", func(r *audit.Result) string { return r.Scope }),
		findingText("remark", `What the reader should know, such as that probabilities were taken as rounded; or "".`, func(r *audit.Result) string { return r.Remark }),
		findingNumber("claimed_epsilon", "The ε that was claimed, in nats.", func(r *audit.Result) starlark.Value { return script.Known(r.Claim.Evidence()) }),
		findingNumber("claimed_delta", "The δ that was claimed, a float.", func(r *audit.Result) starlark.Value { return starlark.Float(claimedDelta(r)) }),
		findingNumber("epsilon", "The smallest ε at the claimed δ over the pairs given: exact or certified for a table; for samples an estimate whose value and lower end are the lower bound, without an upper end.",
			func(r *audit.Result) starlark.Value { return script.Known(r.Epsilon) }),
		findingNumber("delta", "The smallest δ at the claimed ε over the pairs given, known as epsilon is.", func(r *audit.Result) starlark.Value { return script.Known(r.Delta) }),
		findingNumber("evidence", `The numbers behind the verdict, as for a claim: a dict from label to evidence.`, func(r *audit.Result) starlark.Value {
			return script.Fields(map[string]starlark.Value{
				"claimed epsilon": script.Known(r.Claim.Evidence()), "epsilon": script.Known(r.Epsilon), "delta at the claimed epsilon": script.Known(r.Delta)})
		}),
		findingNumber("witness", `Where epsilon comes from: a dict of "first" and "second", the datasets, "event", the list of outputs or one side of a number, "p" and "q", its probabilities at the first and at the second, and "script", a line that audits the event alone and shows the same epsilon. ε is at least ln((p - delta)/q). None where epsilon may be 0.`,
			func(r *audit.Result) starlark.Value { return witnessDict(r.Witness) }),
	},
}

func claimedDelta(r *audit.Result) float64 {
	if r.Claim.Delta == nil {
		return 0
	}
	v, _ := r.Claim.Delta.Float64()
	return v
}

func witnessDict(w *audit.Witness) starlark.Value {
	if w == nil {
		return starlark.None
	}
	event := starlark.Value(script.Strings(w.Event.Outputs))
	if w.Event.Bound != "" {
		event = starlark.String(w.Event.String())
	}
	return script.Fields(map[string]starlark.Value{
		"first": starlark.String(w.First), "second": starlark.String(w.Second), "event": event,
		"p": script.Known(w.P), "q": script.Known(w.Q), "script": starlark.String(w.Script),
	})
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
