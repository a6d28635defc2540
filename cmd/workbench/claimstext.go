package main

import (
	"fmt"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/evidence"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// claimsText returns what a run over the ledger found, a line for each claim by
// paper and a closing count; in full with all that the checks found.
func claimsText(results []claims.Result, full bool) string {
	var b strings.Builder
	wide := 0
	for _, r := range results {
		wide = max(wide, len(r.Claim.ID))
	}
	for _, part := range byPaper(results) {
		fmt.Fprintf(&b, "%s\n", part.paper.Name)
		for _, r := range part.results {
			if full {
				fmt.Fprintf(&b, "%s\n%s%s\n", r.Claim, entryText(r), indent("found: "+r.Outcome.String()))
				continue
			}
			fmt.Fprintf(&b, "  %-*s  %-9s  %s", wide, r.Claim.ID, r.Outcome.Verdict, r.Claim.Place)
			if r.Claim.Beyond {
				b.WriteString(" (beyond the paper)")
			}
			if !r.AsRecorded() {
				fmt.Fprintf(&b, "  << recorded: %s", r.Claim.Recorded)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(countVerdicts(results) + "\n")
	return b.String()
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// claimsTally counts verdicts on the papers' statements, and statements beyond them.
type claimsTally struct {
	of             map[evidence.Verdict]int
	stated, beyond int
	differ         int
}

func tallyClaims(results []claims.Result) claimsTally {
	t := claimsTally{of: make(map[evidence.Verdict]int)}
	for _, r := range results {
		if !r.AsRecorded() {
			t.differ++
		}
		if r.Claim.Beyond {
			t.beyond++
			continue
		}
		t.stated++
		t.of[r.Outcome.Verdict]++
	}
	return t
}

// countVerdicts says how many verdicts there are of each kind.
func countVerdicts(results []claims.Result) string {
	t := tallyClaims(results)
	noun := "statements"
	if t.stated == 1 {
		noun = "statement"
	}
	text := fmt.Sprintf("%d %s of the papers: %d confirmed, %d refuted, %d undecided; %d beyond them", t.stated, noun, t.of[evidence.Confirmed], t.of[evidence.Refuted], t.of[evidence.Undecided], t.beyond)
	if t.differ == 0 {
		return text + "; all as recorded"
	}
	return fmt.Sprintf("%s; %d not as recorded", text, t.differ)
}

type paperResults struct {
	paper   claims.Paper
	results []claims.Result
}

// byPaper parts results, keeping the order of claims.
func byPaper(results []claims.Result) []paperResults {
	var out []paperResults
	for _, p := range claims.Papers() {
		part := paperResults{paper: p}
		for _, r := range results {
			if r.Claim.Key() == p.Key {
				part.results = append(part.results, r)
			}
		}
		if part.results != nil {
			out = append(out, part)
		}
	}
	return out
}

// claimsJSON returns what a run over the ledger found as a JSON array.
func claimsJSON(results []claims.Result) (string, error) {
	return script.EncodeJSON(script.ToValue(script.Each(results, func(r claims.Result) any {
		return script.Record{"claim", repl.ClaimRecord(r.Claim), "found", repl.OutcomeRecord(&r.Outcome), "methods", methodsOf(r), "downstream", append([]string{}, claims.Downstream(claims.All(), r.Claim.ID)...), "as_recorded", r.AsRecorded(), "budget", r.Run.Budget, "seed", r.Run.Seed}
	})), 1)
}
