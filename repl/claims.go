package repl

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// claimsBuiltins are the ledger, and statements that a script makes.
func claimsBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("claims() -> ledger", "The ledger: every published statement that can be checked, with the recorded verdict. claim(id).check() runs one.", "print(claims())",
			func(c *script.Call) (any, error) { return newLedger(c), nil }),
		script.Func("claim(id: claim_id) -> claim", "One published statement, by the id that claims() lists.", "v = claim(\"analytic.lemma1\").check()\nprint(v.verdict, v.scope, v.witness)",
			func(c *script.Call) (any, error) { return c.Arg("id"), nil }),
		script.Func("conjecture(statement: string, holds: function, instances: list=None, draw: function=None, simpler: function=None) -> conjecture",
			"A statement of one's own as a claim. holds(x) says whether it holds at the instance x, True or False. instances is a list, small instances first; "+
				"draw(seed) makes a random instance of a whole number; one of them is needed. simpler(x) lists instances simpler than x, simplest first: a counterexample is replaced by one of them "+
				"while the statement fails there too. Compare ends of evidence that decide: e.lo > bound refutes, e.hi <= bound holds.",
			`def holds(x):
    b = xor_allocation(x[0], 1, 1, x[1], 1)
    return b.smallest_epsilon().lo <= b.claimed_epsilon().value
c = conjecture("Algorithm 1 keeps its budget", holds, instances=[(n, a) for n in [1, 2, 3] for a in [1, 0.75, 0.5, 0.25]])
print(c.check())`,
			func(c *script.Call) (any, error) {
				k := &conjecture{c.Text("statement"), c.Function("holds"), c.Function("draw"), c.Function("simpler"), c.List("instances")}
				if len(k.instances) == 0 && k.draw == nil {
					c.Stop("instances and draw are both empty: want a list of instances or a function that draws them")
				}
				return k, nil
			}),
	}
}

// ledger lists claims; it indexes like a list of them.
type ledger struct {
	*script.Object[[]check.Claim]
	items starlark.Tuple
}

func newLedger(c *script.Call) *ledger {
	l := &ledger{Object: ledgerClass.Of(c, claims.All())}
	for _, k := range claims.All() {
		l.items = append(l.items, claimClass.Of(c, k))
	}
	return l
}

// Len implements starlark.Sequence.
func (l *ledger) Len() int { return len(l.items) }

// Index implements starlark.Indexable.
func (l *ledger) Index(i int) starlark.Value { return l.items[i] }

// Iterate implements starlark.Iterable.
func (l *ledger) Iterate() starlark.Iterator { return l.items.Iterate() }

var ledgerClass = &script.Class[[]check.Claim]{
	Name: "ledger", Help: "The published statements that can be checked; it indexes like a list of claims.", Example: "print([c.id for c in claims() if c.recorded == \"refuted\"])",
	Show: check.Listing,
	Attrs: []script.Attr[[]check.Claim]{
		script.Get("ids -> list", "The ids, by paper and place.", "claims().ids", func(all []check.Claim) any { return script.Each(all, func(k check.Claim) any { return k.ID }) }),
		script.Get("size -> int", "How many there are.", "claims().size", func(all []check.Claim) any { return len(all) }),
	},
}

var claimClass = &script.Class[check.Claim]{
	Name: "claim", Help: "A published statement as a runnable check.", Setup: "c = claim(\"analytic.lemma1\")\n",
	Show: check.Claim.String,
	JSON: func(k check.Claim) starlark.Value { return script.ToValue(ClaimRecord(k)) },
	Attrs: []script.Attr[check.Claim]{
		script.Get("id -> string", "The name it goes by.", "", func(k check.Claim) any { return k.ID }),
		script.Get("paper -> string", "The paper it stands in.", "", func(k check.Claim) any { return k.Paper }),
		script.Get("place -> string", "Its number there.", "", func(k check.Claim) any { return k.Place }),
		script.Get("statement -> string", "What it says, in our words.", "", func(k check.Claim) any { return k.Statement }),
		script.Get("hypotheses -> string", "What it assumes.", "", func(k check.Claim) any { return k.Hypotheses }),
		script.Get("corrected -> string", "The statement that holds instead, or \"\".", "", func(k check.Claim) any { return k.Corrected }),
		script.Get("recorded -> string", "The verdict that checks have had so far.", "", func(k check.Claim) any { return string(k.Recorded) }),
		script.Get("beyond -> bool", "Whether the paper does not make the statement: an open question of its own, what follows for its object outside its hypotheses, or what a work says that is not at hand.", "", func(k check.Claim) any { return k.Beyond }),
		script.Do(checkDeclaration, "Runs the check: an enumerated family first, then random instances from the seed, 20 for each unit of budget, so that a check replays. It is given no recorded witness.", "()",
			func(c *script.Call, k check.Claim) (any, error) {
				out, err := k.Check(c.Context, checkRun(c))
				return &out, err
			}),
	},
}

// instancesPerBudget is how many random instances a unit of a script's budget stands
// for.
const instancesPerBudget = 20

// checkDeclaration is that of the method which checks a claim or a conjecture, with
// as many random instances as an unhurried check has unless the script says another.
var checkDeclaration = fmt.Sprintf("check(budget: number[0..1e6]=%d, seed: seed=0) -> verdict", check.DefaultBudget/instancesPerBudget)

// checkRun reads the arguments of checkDeclaration.
func checkRun(c *script.Call) check.Run {
	return check.Run{Budget: int(c.Float("budget") * instancesPerBudget), Seed: c.Seed("seed")}
}

var verdictClass = &script.Class[*check.Outcome]{
	Name: "verdict", Help: "What a check found.", Setup: "v = claim(\"analytic.lemma1\").check()\n",
	Show: (*check.Outcome).String,
	JSON: func(v *check.Outcome) starlark.Value { return script.ToValue(OutcomeRecord(v)) },
	Attrs: []script.Attr[*check.Outcome]{
		script.Get("verdict -> string", `"confirmed", "refuted" or "undecided".`, "", func(v *check.Outcome) any { return string(v.Verdict) }),
		script.Get("scope -> string", `How far it goes: "proved", "exhaustive: …" where the stated range is finite and was visited whole, or "N instances".`, "", func(v *check.Outcome) any { return v.Scope }),
		script.Get("remark -> string", `"loose", "vacuous", "ambiguous", "not reproducible", "reproduced", "reversed", "misprint" or "".`, "", func(v *check.Outcome) any { return v.Remark }),
		script.Get("instances -> int", "How many instances were visited at which the statement could fail: its hypotheses hold and its conclusion is open.", "", func(v *check.Outcome) any { return v.Instances }),
		script.Get("witness -> dict?", `The counterexample of a refutation: a dict of its parts, "script" being a line that shows the failure; None otherwise.`, "", func(v *check.Outcome) any { return witnessRecord(v) }),
		script.Get("evidence -> dict", "The numbers behind the verdict: a dict from label to evidence.", "", func(v *check.Outcome) any { return evidenceRecord(v) }),
		script.Get("corrected -> verdict?", "The outcome for the corrected statement; None where there is none.", "", func(v *check.Outcome) any { return onlyIf(v.Corrected != nil, v.Corrected) }),
	},
}

// ClaimRecord returns what JSON says of a claim.
func ClaimRecord(k check.Claim) script.Record {
	return script.Record{"id", k.ID, "paper", k.Paper, "place", k.Place, "covers", k.Covered(), "statement", k.Statement,
		"hypotheses", k.Hypotheses, "corrected", k.Corrected, "beyond", k.Beyond, "recorded", string(k.Recorded),
		"quote", script.Record{"words", k.Entry.Quote.Words, "at", k.Entry.Quote.At}, "severity", string(k.Entry.Severity), "holds", k.Entry.Holds, "cause", k.Entry.Cause,
		"proof", script.Record{"kind", string(k.Entry.Proof.Kind), "at", k.Entry.Proof.At}, "rests_on", texts(k.Entry.RestsOn), "serves", texts(k.Entry.Serves),
		"erratum", script.Record{"replace", k.Entry.Erratum.Replace, "by", k.Entry.Erratum.By}, "telling", witnessRecord(&check.Outcome{Witness: k.Entry.Telling})}
}

// texts returns a list that is empty, not absent, where there are none.
func texts(xs []string) []string { return append([]string{}, xs...) }

// OutcomeRecord returns what JSON says of an outcome.
func OutcomeRecord(v *check.Outcome) script.Record {
	var corrected any
	if v.Corrected != nil {
		corrected = OutcomeRecord(v.Corrected)
	}
	return script.Record{"verdict", string(v.Verdict), "scope", v.Scope, "remark", v.Remark, "instances", v.Instances,
		"witness", witnessRecord(v), "evidence", evidenceRecord(v), "evidence_list", script.Each(v.Evidence, func(e check.Item) any { return script.Record{"label", e.Label, "number", e.Number} }), "corrected", corrected}
}

// witnessRecord returns the parts of a counterexample and its script, nil where there
// is none.
func witnessRecord(v *check.Outcome) any {
	if v.Witness == nil {
		return nil
	}
	var out script.Record
	for _, f := range v.Witness.Fields {
		out = append(out, f.Name, f.Value)
	}
	return append(out, "script", v.Witness.Script)
}

// evidenceRecord returns the numbers behind an outcome by their labels.
func evidenceRecord(v *check.Outcome) (out script.Record) {
	for _, e := range v.Evidence {
		out = append(out, e.Label, e.Number)
	}
	return out
}

// conjecture is a statement that a script makes.
type conjecture struct {
	statement            string
	holds, draw, simpler starlark.Callable // draw and simpler may be nil
	instances            []starlark.Value
}

const conjectureSetup = "c = conjecture(\"squares are small\", lambda n: n * n < 50, instances=range(20))\n"

var conjectureClass = &script.Class[*conjecture]{
	Name: "conjecture", Help: "A statement that a script makes, as a runnable check.", Setup: conjectureSetup,
	Show: func(k *conjecture) string { return fmt.Sprintf("conjecture: %s", k.statement) },
	Attrs: []script.Attr[*conjecture]{
		script.Get("statement -> string", "What it says.", "", func(k *conjecture) any { return k.statement }),
		script.Do(checkDeclaration, "Visits the instances, then 20 random ones for each unit of budget where there is a way to draw them, and stops at the first counterexample. The random instances follow from the seed.",
			conjectureSetup+"v = c.check()\nprint(v.verdict, v.witness)",
			func(c *script.Call, k *conjecture) (any, error) {
				out, err := k.on(c).Check(c.Context, checkRun(c))
				return &out, err
			}),
	},
}

// on returns the conjecture with its functions called in the thread of c, which
// an error of theirs ends.
func (k *conjecture) on(c *script.Call) check.Statement[starlark.Value] {
	ask := func(f starlark.Callable, x starlark.Value) starlark.Value {
		return must(starlark.Call(c.Thread, f, starlark.Tuple{x}, nil))
	}
	out := check.Statement[starlark.Value]{
		Family: fmt.Sprintf("%d given instances", len(k.instances)),
		Holds: func(x starlark.Value) bool {
			v := ask(k.holds, x)
			truth, ok := v.(starlark.Bool)
			if !ok {
				check.Refuse("holds(%s) = %s, want True or False", script.Brief(x), script.Brief(v))
			}
			return bool(truth)
		},
		Witness: func(x starlark.Value) *check.Witness {
			name := k.holds.Name()
			if name == "lambda" {
				name = "holds"
			}
			text, err := script.QuotedOf(x, nil)
			if err != nil {
				text = script.Brief(x)
			}
			return &check.Witness{
				Fields: []check.Field{{Name: "instance", Value: text}},
				Script: fmt.Sprintf("print(%s, %s(%s))", text, name, text),
			}
		},
	}
	if len(k.instances) > 0 {
		out.Whole = k.draw == nil
		out.Each = starlark.Tuple(k.instances).Elements()
	}
	if k.draw != nil {
		out.Draw = func(rng *rand.Rand) starlark.Value { return ask(k.draw, starlark.MakeInt64(rng.Int64N(math.MaxInt64))) }
	}
	if k.simpler != nil {
		out.Simpler = func(x starlark.Value) iter.Seq[starlark.Value] {
			list := ask(k.simpler, x)
			xs, ok := script.Elements(list)
			if !ok {
				c.Stop("simpler(%s) = %s, want a list of instances", script.Brief(x), script.Brief(list))
			}
			return starlark.Tuple(xs).Elements()
		}
	}
	return out
}
