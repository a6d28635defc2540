package repl

import (
	"fmt"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// claimsBuiltins returns the built-ins for claims.
func claimsBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("claims() -> ledger", "The list of all published statements that can be checked, with the recorded verdicts. claim(id).check() runs one.", "print(claims())",
			func(c *script.Call) (any, error) {
				l := newLedger(c)
				if l.Len() == 0 {
					return nil, claims.ErrNone
				}
				return l, nil
			}),
		script.Func("claim(id: claim_id) -> claim", "One published statement, by the id that claims() lists.", "v = claim(\"analytic.lemma1\").check()\nprint(v.verdict, v.scope, v.witness)",
			func(c *script.Call) (any, error) { return c.Arg("id"), nil }),
	}
}

// ledger is a list of claims. It can be indexed.
type ledger struct {
	*script.Object
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
	Name: "ledger", Help: "The published statements that can be checked. It can be indexed like a list.", Example: "print([c.id for c in claims() if c.standing == \"false as stated and unsafe\"])",
	Show: check.Listing,
	Attrs: []script.Attr[[]check.Claim]{
		script.Get("ids -> list", "The ids, by paper and place.", "claims().ids", func(all []check.Claim) any { return script.Each(all, func(k check.Claim) any { return k.ID }) }),
		script.Get("size -> int", "The number of claims.", "claims().size", func(all []check.Claim) any { return len(all) }),
	},
}

var claimClass = &script.Class[check.Claim]{
	Name: "claim", Help: "A published statement as a runnable check.", Setup: "c = claim(\"analytic.lemma1\")\n",
	Show: check.Claim.String,
	JSON: func(k check.Claim) starlark.Value { return script.ToValue(ClaimRecord(k)) },
	Origin: func(k check.Claim) script.Origin {
		return script.Origin{Name: "claim", Called: true, Args: starlark.Tuple{starlark.String(k.ID)}}
	},
	Attrs: []script.Attr[check.Claim]{
		script.Get("id -> string", "Its name.", "", func(k check.Claim) any { return k.ID }),
		script.Get("paper -> string", "The paper that states it.", "", func(k check.Claim) any { return k.Paper }),
		script.Get("place -> string", "Its place in the paper.", "", func(k check.Claim) any { return k.Place }),
		script.Get("statement -> string", "The statement, in our words.", "", func(k check.Claim) any { return k.Statement }),
		script.Get("hypotheses -> string", "Its hypotheses.", "", func(k check.Claim) any { return k.Hypotheses }),
		script.Get("corrected -> string", "The corrected statement, or \"\".", "", func(k check.Claim) any { return k.Corrected }),
		script.Get("recorded -> string", "The recorded verdict. \"refuted\" means that the wording has a counterexample, which includes misprints.", "", func(k check.Claim) any { return string(k.Recorded) }),
		script.Get("standing -> string", "Its category: \"confirmed\", \"false as stated and unsafe\", \"false as stated\", \"hypothesis missing\", \"misprint\", \"proof gap\", \"slack\", \"recorded\" or \"undecided\". The second to the fourth are refuted.", "", func(k check.Claim) any { return string(k.Standing(k.Recorded)) }),
		script.Get("beyond -> bool", "Whether the paper does not make the statement: it is an open question of the paper, a consequence outside its hypotheses, or a statement of a work that was not available.", "", func(k check.Claim) any { return k.Beyond }),
		script.Do(checkDeclaration, "Runs the check: an enumerated family first, then random instances from the seed, 20 for each unit of budget. The same seed repeats the same check. It does not use the recorded witness.", "()",
			func(c *script.Call, k check.Claim) (any, error) {
				out, err := k.Check(c.Context, checkRun(c))
				return &out, err
			}),
	},
}

// instancesPerBudget is the number of random instances for each unit of check's parameter budget.
const instancesPerBudget = 20

// checkDeclaration declares the method that checks a claim. The default budget is that of a full check.
var checkDeclaration = fmt.Sprintf("check(budget: choice[0..1e6]=%d, seed: seed=0) -> verdict", check.DefaultBudget/instancesPerBudget)

// checkRun reads the arguments of checkDeclaration.
func checkRun(c *script.Call) check.Run {
	return check.Run{Budget: int(c.Float("budget") * instancesPerBudget), Seed: c.Seed("seed")}
}

var verdictClass = &script.Class[*check.Outcome]{
	Name: "verdict", Help: "The result of a check.", Setup: "v = claim(\"analytic.lemma1\").check()\n",
	Show: (*check.Outcome).String,
	JSON: func(v *check.Outcome) starlark.Value { return script.ToValue(OutcomeRecord(v)) },
	Attrs: []script.Attr[*check.Outcome]{
		script.Get("verdict -> string", `"confirmed", "refuted" or "undecided".`, "", func(v *check.Outcome) any { return string(v.Verdict) }),
		script.Get("scope -> string", `The range of the verdict: "proved", "exhaustive: …" if the stated range is finite and was fully visited, or "N instances".`, "", func(v *check.Outcome) any { return v.Scope }),
		script.Get("remark -> string", `"loose", "vacuous", "ambiguous", "not reproducible", "reproduced", "reversed", "misprint" or "".`, "", func(v *check.Outcome) any { return v.Remark }),
		script.Get("instances -> int", "The number of visited instances at which the hypotheses hold and the conclusion could fail.", "", func(v *check.Outcome) any { return v.Instances }),
		script.Get("witness -> dict?", `The counterexample of a refutation: a dict of its parts, where "script" is a line that shows the failure. None otherwise.`, "", func(v *check.Outcome) any { return witnessRecord(v) }),
		script.Get("evidence -> dict", "The numbers for the verdict: a dict from label to evidence.", "", func(v *check.Outcome) any { return evidenceRecord(v) }),
		script.Get("corrected -> verdict?", "The outcome for the corrected statement, or None.", "", func(v *check.Outcome) any { return onlyIf(v.Corrected != nil, v.Corrected) }),
	},
}

// ClaimRecord returns a claim as JSON.
func ClaimRecord(k check.Claim) script.Record {
	return script.Record{"id", k.ID, "paper", k.Paper, "place", k.Place, "covers", k.Covered(), "statement", k.Statement,
		"hypotheses", k.Hypotheses, "corrected", k.Corrected, "beyond", k.Beyond, "inferred", k.Inferred, "recorded", string(k.Recorded), "standing", string(k.Standing(k.Recorded)),
		"quote", script.Record{"words", k.Entry.Quote.Words, "at", k.Entry.Quote.At}, "severity", string(k.Entry.Severity), "readings", k.Entry.Readings, "holds", k.Entry.Holds, "study", k.Entry.Study, "cause", k.Entry.Cause,
		"proof", script.Record{"kind", string(k.Entry.Proof.Kind), "at", k.Entry.Proof.At}, "rests_on", texts(k.Entry.RestsOn), "serves", texts(k.Entry.Serves),
		"erratum", script.Record{"replace", k.Entry.Erratum.Replace, "by", k.Entry.Erratum.By}, "telling", witnessRecord(&check.Outcome{Witness: k.Entry.Telling})}
}

// texts returns an empty list instead of nil, which JSON would write as null.
func texts(xs []string) []string { return append([]string{}, xs...) }

// OutcomeRecord returns an outcome as JSON.
func OutcomeRecord(v *check.Outcome) script.Record {
	var corrected any
	if v.Corrected != nil {
		corrected = OutcomeRecord(v.Corrected)
	}
	return script.Record{"verdict", string(v.Verdict), "scope", v.Scope, "range", v.Range, "remark", v.Remark, "instances", v.Instances,
		"witness", witnessRecord(v), "evidence", evidenceRecord(v), "evidence_list", script.Each(v.Evidence, func(e check.Item) any { return script.Record{"label", e.Label, "number", e.Number} }), "corrected", corrected}
}

// witnessRecord returns the parts of a counterexample and its script, or nil.
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

// evidenceRecord returns the numbers of an outcome by label.
func evidenceRecord(v *check.Outcome) (out script.Record) {
	for _, e := range v.Evidence {
		out = append(out, e.Label, e.Number)
	}
	return out
}
