package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
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
				fmt.Fprintf(&b, "%s\n%s\n", r.Claim, indent("found: "+r.Outcome.String()))
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
		return script.Record{"claim", repl.ClaimRecord(r.Claim), "found", repl.OutcomeRecord(&r.Outcome), "as_recorded", r.AsRecorded(), "budget", r.Run.Budget, "seed", r.Run.Seed}
	})), 1)
}

// claimsPage returns what a run over the ledger found as a page of Markdown.
func claimsPage(results []claims.Result) string {
	var b strings.Builder
	b.WriteString(`# Claims

Published statements about differentially private mechanisms as executable checks. A check visits a bounded family of
instances, smallest first, then random instances; it is given no recorded counterexample. *Confirmed* means that no
instance in the stated scope contradicts the statement; it is a proof only where the scope says so. *Refuted* comes with
a counterexample, made as simple as the search could make it, and a line that computes both sides anew: paste it at the
prompt. *Undecided* means that what is stated does not determine a check, or that sampling alone could support it.
*Beyond the paper* are statements that the paper does not make: its open questions, what follows for its objects outside
its hypotheses, and what works say that are not at hand; they are listed apart and not counted among its own. An instance
counts where the statement's hypotheses hold and its conclusion could fail; a scope says how many were visited besides.
Where a *certificate* stands below a refutation, ` + "`python3 certificate/check.py FILE`" + ` checks it without the workbench
([certificates.md](certificates.md)).

`)
	run := check.Run{}
	if len(results) > 0 {
		run = results[0].Run
	}
	fmt.Fprintf(&b, "This page is generated (`go generate ./repl`: every check with %d random instances, seed %d). "+
		"`workbench claims` runs all, `workbench claims --id xor.theorem1` one; `claim(\"xor.theorem1\").check()` does so in a script. "+
		"The pictures are made by [ledger.star](../notebooks/ledger.star).\n\n", run.Budget, run.Seed)
	b.WriteString("| paper | statements | confirmed | refuted | undecided | beyond |\n|---|---:|---:|---:|---:|---:|\n")
	for _, part := range byPaper(results) {
		t := tallyClaims(part.results)
		if t.stated == 0 {
			continue // of a paper that is not at hand
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %d | %d | %d | %d |\n", part.paper.Name, script.Anchor(strings.ToLower(part.paper.Name)), t.stated, t.of[evidence.Confirmed], t.of[evidence.Refuted], t.of[evidence.Undecided], t.beyond)
	}
	for _, part := range byPaper(results) {
		part.write(&b)
	}
	return b.String()
}

// claimFigures are the pictures of ledger.star and what they show.
var claimFigures = map[string][2]string{
	"analytic": {"ledger_analytic", "Proposition 3 on random general mechanisms: three datasets, three values, decay 0.1 to 3. Points above the line contradict it; under the min-plus closure there is none."},
	"mvg":      {"ledger_mvg", "Theorems 2 and 3: the smallest ε, at the same δ, of random designs at the published precision budget. Points lie below the line by the factor that the condition gives away; designs whose smallest ε is 0 are left out."},
	"xor":      {"ledger_xor", "Theorem 1: the value of condition (4) and the smallest ε of random laws (N, P ≤ 3) and of Algorithm 1's (N, P ≤ 8). Points above the line contradict it."},
	"signrp":   {"ledger_signrp", "DP-SignRP-RR for public W: flipping with ε/N₊, N₊ by (11) and Proposition 4.4 for a vector of norm √(p/3), and with ε/k."},
}

func (p paperResults) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", p.paper.Name, p.paper.Citation)
	if f, ok := claimFigures[p.paper.Key]; ok {
		fmt.Fprintf(b, "\n![%s](../notebooks/figures/%s.svg)\n\n%s\n", f[1], f[0], f[1])
	}
	b.WriteString("\n| statement | claim | verdict | scope |\n|---|---|---|---|\n")
	for _, r := range p.results {
		verdict := string(r.Outcome.Verdict)
		if r.Outcome.Remark != "" {
			verdict += " (" + r.Outcome.Remark + ")"
		}
		if r.Claim.Beyond {
			verdict += ", beyond the paper"
		}
		fmt.Fprintf(b, "| %s | [%s](#%s) | %s | %s |\n", script.EscapeMarkdown(r.Claim.Place), r.Claim.ID, script.Anchor(r.Claim.ID), verdict, script.EscapeMarkdown(r.Outcome.Scope))
	}
	stated := func(v evidence.Verdict) func(claims.Result) bool {
		return func(r claims.Result) bool { return !r.Claim.Beyond && r.Outcome.Verdict == v }
	}
	for _, group := range []struct {
		title string
		in    func(claims.Result) bool
	}{
		{"what holds", stated(evidence.Confirmed)}, {"what does not hold as stated", stated(evidence.Refuted)},
		{"what is undecided", stated(evidence.Undecided)}, {"beyond the paper", func(r claims.Result) bool { return r.Claim.Beyond }},
	} {
		of := slices.DeleteFunc(slices.Clone(p.results), func(r claims.Result) bool { return !group.in(r) })
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s: %s\n", p.paper.Name, group.title)
		for _, r := range of {
			writeClaim(b, r)
		}
	}
}

// writeClaim writes one claim and what its check found.
func writeClaim(b *strings.Builder, r claims.Result) {
	fmt.Fprintf(b, "\n#### %s\n\n**%s.** %s\n", r.Claim.ID, script.EscapeMarkdown(r.Claim.Place), sentence(r.Claim.Statement))
	if r.Claim.Hypotheses != "" {
		fmt.Fprintf(b, "\nHypotheses: %s\n", sentence(r.Claim.Hypotheses))
	}
	fmt.Fprintf(b, "\n**%s**%s, %s.\n", capital(string(r.Outcome.Verdict)), remarkText(r.Outcome.Remark), script.EscapeMarkdown(r.Outcome.Reach()))
	writeFindings(b, &r.Outcome)
	if _, err := repl.Refutation(context.Background(), &r.Outcome); err == nil {
		fmt.Fprintf(b, "\nCertificate: [%[1]s.json](../certificate/ledger/%[1]s.json).\n", r.Claim.ID)
	}
	if c := r.Outcome.Corrected; c != nil {
		fmt.Fprintf(b, "\nWhat holds instead: %s %s, %s.\n", sentence(r.Claim.Corrected), capital(string(c.Verdict)), script.EscapeMarkdown(c.Reach()))
		writeFindings(b, c)
	}
}

func remarkText(remark string) string {
	if remark == "" {
		return ""
	}
	return " (" + remark + ")"
}

// writeFindings writes a counterexample and numbers.
func writeFindings(b *strings.Builder, v *check.Outcome) {
	if v.Witness != nil {
		b.WriteString("\nCounterexample:\n\n")
		for _, f := range v.Witness.Fields {
			fmt.Fprintf(b, "- %s: %s\n", script.EscapeMarkdown(f.Name), script.EscapeMarkdown(f.Value))
		}
		fmt.Fprintf(b, "\n```python\n%s\n```\n", v.Witness.Script)
	}
	if len(v.Evidence) > 0 {
		b.WriteString("\n| number | value |\n|---|---|\n")
		for _, e := range v.Evidence {
			fmt.Fprintf(b, "| %s | %s |\n", script.EscapeMarkdown(e.Label), script.EscapeMarkdown(e.Text()))
		}
	}
}

// sentence begins text with a capital and ends it with a full stop.
func sentence(text string) string {
	text = script.EscapeMarkdown(capital(text))
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// capital begins text with a capital where it begins with a word.
func capital(text string) string {
	if word, _, _ := strings.Cut(text, " "); len(word) > 1 && !slices.ContainsFunc([]byte(word), func(c byte) bool { return c < 'a' || c > 'z' }) {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
