package repl

import (
	"fmt"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// claimsBuiltins are the ledger.
func claimsBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "claims", Params: "",
		Help:    "The ledger: every published statement that can be checked, with the recorded verdict. claim(id).check() runs one.",
		Example: "print(claims())",
		Run:     func(c *script.Call) (any, error) { return newLedger(c), nil },
	}, {
		Name: "claim", Params: "id",
		Help: "One published statement, by the id that claims() lists.",
		Example: `v = claim("analytic.lemma1").check()
print(v.verdict, v.scope, v.witness)`,
		Run: func(c *script.Call) (any, error) {
			k, err := claims.Find(c.Text("id"))
			if err != nil {
				return nil, err
			}
			return claimClass.Of(c, k), nil
		},
	}}
}

// ledger lists claims; it indexes like a list of them.
type ledger struct {
	*script.Object[[]check.Claim]
	items []starlark.Value
}

func newLedger(c *script.Call) *ledger {
	all := claims.All()
	l := &ledger{Object: ledgerClass.Of(c, all), items: make([]starlark.Value, len(all))}
	for i, k := range all {
		l.items[i] = claimClass.Of(c, k)
	}
	return l
}

// Len implements starlark.Sequence.
func (l *ledger) Len() int { return len(l.items) }

// Index implements starlark.Indexable.
func (l *ledger) Index(i int) starlark.Value { return l.items[i] }

// Iterate implements starlark.Iterable.
func (l *ledger) Iterate() starlark.Iterator { return starlark.Tuple(l.items).Iterate() }

var ledgerClass = &script.Class[[]check.Claim]{
	Name: "ledger", Help: "The published statements that can be checked; it indexes like a list of claims.", Example: "print([c.id for c in claims() if c.recorded == \"refuted\"])",
	Show: func(all []check.Claim) string {
		wide := 0
		for _, k := range all {
			wide = max(wide, len(k.ID))
		}
		var b strings.Builder
		paper := ""
		for i, k := range all {
			if i > 0 {
				b.WriteString("\n")
			}
			if k.Paper != paper {
				paper = k.Paper
				b.WriteString(paper + "\n")
			}
			verdict := string(k.Recorded)
			if k.Remark != "" {
				verdict += " (" + k.Remark + ")"
			}
			fmt.Fprintf(&b, "  %-*s  %-9s  %s", wide, k.ID, verdict, k.Place)
			if k.Beyond {
				b.WriteString(" (beyond the paper)")
			}
		}
		return b.String()
	},
	Attrs: []script.Attr[[]check.Claim]{{
		Name: "ids", Help: "The ids, by paper and place.", Example: "claims().ids",
		Get: func(c *script.Call, all []check.Claim) (any, error) {
			ids := make([]string, len(all))
			for i, k := range all {
				ids[i] = k.ID
			}
			return script.Strings(ids), nil
		},
	}, {
		Name: "size", Help: "How many there are.", Example: "claims().size",
		Get: func(c *script.Call, all []check.Claim) (any, error) {
			return starlark.MakeInt(len(all)), nil
		},
	}},
}

const claimSetup = "c = claim(\"analytic.lemma1\")\n"

func claimText(name, help string, get func(check.Claim) string) script.Attr[check.Claim] {
	return script.Attr[check.Claim]{Name: name, Help: help, Example: claimSetup + "print(c." + name + ")",
		Get: func(c *script.Call, k check.Claim) (any, error) { return starlark.String(get(k)), nil }}
}

var claimClass = &script.Class[check.Claim]{
	Name: "claim", Help: "A published statement as a runnable check.", Example: claimSetup + "print(c)",
	Show: showClaim, JSON: claimJSON,
	Attrs: []script.Attr[check.Claim]{
		claimText("id", "The name it goes by.", func(k check.Claim) string { return k.ID }),
		claimText("paper", "The paper it stands in.", func(k check.Claim) string { return k.Paper }),
		claimText("place", "Its number there.", func(k check.Claim) string { return k.Place }),
		claimText("statement", "What it says, in our words.", func(k check.Claim) string { return k.Statement }),
		claimText("hypotheses", "What it assumes.", func(k check.Claim) string { return k.Hypotheses }),
		claimText("corrected", "The statement that holds instead, or \"\".", func(k check.Claim) string { return k.Corrected }),
		claimText("recorded", "The verdict that checks have had so far.", func(k check.Claim) string { return string(k.Recorded) }),
		{
			Name: "beyond", Help: "Whether the paper does not make the statement: an open question of its own, what follows for its object outside its hypotheses, or what a work says that is not at hand.", Example: claimSetup + "print(c.beyond)",
			Get: func(c *script.Call, k check.Claim) (any, error) { return starlark.Bool(k.Beyond), nil },
		},
		{
			Name: "check", Params: "budget=10, seed=0",
			Help:    "Runs the check: an enumerated family first, then random instances from the seed, 20 for each unit of budget, so that a check replays. It is given no recorded witness.",
			Example: claimSetup + "print(c.check())",
			Run: func(c *script.Call, k check.Claim) (any, error) {
				out, err := k.Check(c.Context, check.Run{Budget: claimBudget(c), Seed: c.Seed("seed")})
				if err != nil {
					return nil, err
				}
				return verdictClass.Of(c, &out), nil
			},
		},
	},
}

func showClaim(k check.Claim) string {
	text := fmt.Sprintf("%s (%s, %s): %s", k.ID, k.Paper, k.Place, k.Statement)
	if k.Hypotheses != "" {
		text += "\n  hypotheses: " + k.Hypotheses
	}
	text += "\n  recorded verdict: " + string(k.Recorded)
	if k.Corrected != "" {
		text += "\n  corrected: " + k.Corrected
	}
	return text
}

const verdictSetup = "v = claim(\"analytic.lemma1\").check()\n"

func verdictText(name, help string, get func(*check.Outcome) string) script.Attr[*check.Outcome] {
	return script.Attr[*check.Outcome]{Name: name, Help: help, Example: verdictSetup + "print(v." + name + ")",
		Get: func(c *script.Call, v *check.Outcome) (any, error) { return starlark.String(get(v)), nil }}
}

var verdictClass = &script.Class[*check.Outcome]{
	Name: "verdict", Help: "What a check found.", Example: verdictSetup + "print(v)",
	Show: showOutcome, JSON: outcomeJSON,
	Attrs: []script.Attr[*check.Outcome]{
		verdictText("verdict", `"confirmed", "refuted" or "undecided".`, func(v *check.Outcome) string { return string(v.Verdict) }),
		verdictText("scope", `How far it goes: "proved", "exhaustive: …" or "N instances".`, func(v *check.Outcome) string { return v.Scope }),
		verdictText("remark", `"loose", "vacuous", "ambiguous", "not reproducible", "misprint" or "".`, func(v *check.Outcome) string { return v.Remark }),
		{
			Name: "instances", Help: "How many instances were visited at which the statement could fail: its hypotheses hold and its conclusion is open.", Example: verdictSetup + "print(v.instances)",
			Get: func(c *script.Call, v *check.Outcome) (any, error) {
				return starlark.MakeInt(v.Instances), nil
			},
		}, {
			Name: "witness", Help: `The counterexample of a refutation: a dict of its parts, "script" being a line that shows the failure; None otherwise.`, Example: verdictSetup + "print(v.witness)",
			Get: func(c *script.Call, v *check.Outcome) (any, error) { return witnessValue(v), nil },
		}, {
			Name: "evidence", Help: "The numbers behind the verdict: a dict from label to evidence.", Example: verdictSetup + "print(v.evidence)",
			Get: func(c *script.Call, v *check.Outcome) (any, error) { return evidenceValue(v), nil },
		}},
}

// init breaks the cycle of a class whose attribute is of that class.
func init() {
	verdictClass.Attrs = append(verdictClass.Attrs, script.Attr[*check.Outcome]{
		Name: "corrected", Help: "The outcome for the corrected statement; None where there is none.", Example: verdictSetup + "print(v.corrected)",
		Get: func(c *script.Call, v *check.Outcome) (any, error) {
			if v.Corrected == nil {
				return starlark.None, nil
			}
			return verdictClass.Of(c, v.Corrected), nil
		},
	})
}

// witnessValue returns the parts of a counterexample and its script, None where
// there is none.
func witnessValue(v *check.Outcome) starlark.Value {
	if v.Witness == nil {
		return starlark.None
	}
	var fields []field
	for _, f := range v.Witness.Fields {
		fields = append(fields, field{f.Name, starlark.String(f.Value)})
	}
	return record(append(fields, field{"script", starlark.String(v.Witness.Script)})...)
}

// evidenceValue returns the numbers behind an outcome by their labels.
func evidenceValue(v *check.Outcome) starlark.Value {
	var fields []field
	for _, e := range v.Evidence {
		fields = append(fields, field{e.Label, script.Known(e.Number)})
	}
	return record(fields...)
}

func showOutcome(v *check.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", v.Verdict, scopeText(v))
	if v.Remark != "" {
		b.WriteString(", " + v.Remark)
	}
	if v.Witness != nil {
		for _, f := range v.Witness.Fields {
			fmt.Fprintf(&b, "\n  %s: %s", f.Name, f.Value)
		}
		b.WriteString("\n  replay: " + v.Witness.Script)
	}
	for _, e := range v.Evidence {
		b.WriteString("\n  " + e.Label + ": " + numberText(e.Number))
	}
	if v.Corrected != nil {
		b.WriteString("\n  corrected statement: " + strings.ReplaceAll(showOutcome(v.Corrected), "\n", "\n  "))
	}
	return b.String()
}
