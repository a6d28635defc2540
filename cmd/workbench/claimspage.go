package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// pageLinks says where a page stands: what it links is reached from its folder.
type pageLinks struct {
	folder string // the page's own; "" for docs of this repository
	some   bool   // of the claims
}

// pageAt returns the links of a page written to a file.
func pageAt(file string, some bool) pageLinks {
	folder := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(folder, "..", "notebooks", "figures")); err == nil && filepath.Base(folder) == "docs" {
		folder = ""
	}
	return pageLinks{folder, some}
}

// to returns how the page reaches a file of the repository, "" where it cannot: the
// folder at hand is not in it.
func (l pageLinks) to(file string) string {
	if l.folder == "" {
		return "../" + file
	}
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	from, errFrom := filepath.Abs(l.folder)
	at, errAt := filepath.Abs(file)
	if errFrom != nil || errAt != nil {
		return ""
	}
	path, err := filepath.Rel(from, at)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(path)
}

// link writes a link of Markdown, or the words alone where there is nothing to link.
func (l pageLinks) link(words, file string) string {
	file, part, _ := strings.Cut(file, "#")
	path := l.to(file)
	if path == "" {
		return words
	}
	if part != "" {
		path += "#" + part
	}
	return "[" + words + "](" + path + ")"
}

// claimTerms says what the words of the ledger mean, for the page and for help.
const claimTerms = `A check visits a bounded family of instances, smallest first, then random instances; it knows no recorded counterexample.

- confirmed: no instance in the stated scope contradicts the statement; the method says what else supports it.
- refuted: there is a counterexample, made as simple as the search could make it.
- undecided: the statement does not determine a check, or sampling alone could support it.
- beyond the paper: the paper does not make the statement; it is not counted among the paper's own.
- severity: misprint; slack, safe and not sharp; proof gap, result stands; conclusion false; unsafe, who relies on it leaks more than told.
- method: a proof, the paper's or ours (docs/proofs); exhaustive, the stated range is finite and visited whole; finite family visited whole,
  all instances up to a size; grid, points of a continuum; random.
- certificate: python3 certificate/check.py FILE checks the refutation without the workbench.
`

// claimsPage returns what a run over the ledger found as a page of Markdown, a line for each claim.
func claimsPage(results []claims.Result, links pageLinks) string {
	var b strings.Builder
	b.WriteString("# Claims\n\nPublished statements about differentially private mechanisms as executable checks, one line each. `workbench claims --id ID` and, " +
		"in a script, `claim(\"ID\").check()` tell the rest of one: hypotheses, counterexample, a line that computes both sides anew, numbers, what holds instead. " +
		"`workbench claims --html DIR` writes all of it as a page for a browser.\n\n" + claimTerms + "\n")
	run := check.Run{}
	if len(results) > 0 {
		run = results[0].Run
	}
	if links.some {
		fmt.Fprintf(&b, "This page holds %d of %d claims, with %d random instances, seed %d. `workbench claims` checks all.\n", len(results), len(claims.All()), run.Budget, run.Seed)
	} else {
		fmt.Fprintf(&b, "This page is generated (`go generate ./repl`: every check with %d random instances, seed %d). "+
			"`workbench claims` runs all, `--csv` and `--latex DIR` write a sheet and a referee's report; %s lists what the authors could change. "+
			"%s draws the pictures.\n", run.Budget, run.Seed, links.link("errata", "docs/errata"), links.link("ledger.star", "notebooks/ledger.star"))
	}
	writeTallies(&b, results)
	for _, part := range byPaper(results) {
		part.write(&b, links)
	}
	return b.String()
}

// writeTallies writes the counts by paper, by remark and severity, and by cause.
func writeTallies(b *strings.Builder, results []claims.Result) {
	b.WriteString("\n| paper | statements | confirmed | refuted | undecided | beyond |\n|---|---:|---:|---:|---:|---:|\n")
	for _, part := range byPaper(results) {
		t := tallyClaims(part.results)
		if t.stated == 0 {
			continue // of a paper that is not at hand
		}
		fmt.Fprintf(b, "| [%s](#%s) | %d | %d | %d | %d | %d |\n", part.paper.Name, script.Anchor(strings.ToLower(part.paper.Name)), t.stated, t.of[evidence.Confirmed], t.of[evidence.Refuted], t.of[evidence.Undecided], t.beyond)
	}
	b.WriteString("\nOf the statements of the papers, by severity and by remark:\n\n| paper |")
	for _, s := range check.Severities() {
		fmt.Fprintf(b, " %s |", s)
	}
	for _, r := range check.Remarks()[:4] {
		fmt.Fprintf(b, " %s |", r)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(check.Severities())+4) + "\n")
	for _, part := range byPaper(results) {
		count := make(map[string]int)
		for _, r := range part.results {
			if !r.Claim.Beyond {
				count[string(r.Claim.Entry.Severity)]++
				count[r.Outcome.Remark+" "]++
			}
		}
		if tallyClaims(part.results).stated == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s |", part.paper.Name)
		for _, s := range check.Severities() {
			fmt.Fprintf(b, " %d |", count[string(s)])
		}
		for _, r := range check.Remarks()[:4] {
			fmt.Fprintf(b, " %d |", count[r+" "])
		}
		b.WriteString("\n")
	}
}

// byCause parts refutations by the error behind them, the error with the most first.
func byCause(results []claims.Result) (out []causeResults) {
	for _, c := range claims.Causes() {
		part := causeResults{cause: c}
		for _, r := range results {
			if r.Outcome.Verdict == evidence.Refuted && r.Claim.Entry.Cause == c.ID {
				part.results = append(part.results, r)
			}
		}
		if part.results != nil {
			out = append(out, part)
		}
	}
	slices.SortStableFunc(out, func(a, b causeResults) int { return len(b.results) - len(a.results) })
	return out
}

type causeResults struct {
	cause   check.Cause
	results []claims.Result
}

// ids lists the claims, linked within the page.
func linkedIDs(ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, fmt.Sprintf("[%s](#%s)", id, script.Anchor(id)))
	}
	return strings.Join(out, ", ")
}

// methodsOf returns the ways in which a verdict was reached, in words.
func methodsOf(r claims.Result) []string {
	out := []string{}
	for _, m := range r.Claim.Methods(&r.Outcome) {
		out = append(out, string(m))
	}
	return out
}

// entryText returns what a claim's entry says beside its verdict, a line each.
func entryText(r claims.Result) string {
	e := r.Claim.Entry
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", name, text)
		}
	}
	if e.Quote.Words != "" {
		line("the paper's words", e.Quote.Words+" ("+e.Quote.At+")")
	}
	line("severity", string(e.Severity))
	line("still holds", e.Holds)
	line("cause", causeTitle(e.Cause))
	line("method", strings.Join(methodsOf(r), "; "))
	line("proof", strings.TrimSpace(string(e.Proof.Kind)+" "+e.Proof.At))
	line("rests on", strings.Join(e.RestsOn, ", "))
	line("on it rest", strings.Join(claims.Downstream(claims.All(), r.Claim.ID), ", "))
	line("erratum", e.Erratum.String())
	line("a telling replay", replay(e.Telling))
	return b.String()
}

// claimFigures are the pictures of ledger.star and what they show.
var claimFigures = map[string][2]string{
	"analytic": {"ledger_analytic", "Proposition 3 on random general mechanisms: three datasets, three values, decay 0.1 to 3. Points above the line contradict it; under the min-plus closure there is none."},
	"mvg":      {"ledger_mvg", "Theorems 2 and 3: the smallest ε, at the same δ, of random designs at the published precision budget. Points lie below the line by the factor that the condition gives away; designs whose smallest ε is 0 are left out."},
	"xor":      {"ledger_xor", "Theorem 1: the value of condition (4) and the smallest ε of random laws (N, P ≤ 3) and of Algorithm 1's (N, P ≤ 8). Points above the line contradict it."},
	"signrp":   {"ledger_signrp", "DP-SignRP-RR for public W: flipping with ε/N₊, N₊ by (11) and Proposition 4.4 for a vector of norm √(p/3), and with ε/k."},
}

func (p paperResults) write(b *strings.Builder, links pageLinks) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", p.paper.Name, p.paper.Citation)
	if f, ok := claimFigures[p.paper.Key]; ok {
		if path := links.to("notebooks/figures/" + f[0] + ".svg"); path != "" {
			fmt.Fprintf(b, "\n![%s](%s)\n\n%s\n", f[1], path, f[1])
		}
	}
	if causes := byCause(p.results); len(causes) > 0 {
		refuted := 0
		for _, c := range causes {
			refuted += len(c.results)
		}
		fmt.Fprintf(b, "\nRefutations: %d, by causes: %d.\n\n| cause | refutes |\n|---|---|\n", refuted, len(causes))
		for _, c := range causes {
			var ids []string
			for _, r := range c.results {
				ids = append(ids, r.Claim.ID)
			}
			fmt.Fprintf(b, "| **%s**: %s | %d: %s |\n", script.EscapeMarkdown(c.cause.Title), sentence(c.cause.Text), len(ids), linkedIDs(ids))
		}
	}
	b.WriteString("\n| claim | statement | verdict | severity | method |\n|---|---|---|---|---|\n")
	for _, r := range p.results {
		p.writeRow(b, r, links)
	}
	if links.some {
		return
	}
	first := true
	for _, u := range claims.Unjudged() {
		if u.Paper != p.paper.Name {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n### %s: what is not judged\n\n| place | says | reason |\n|---|---|---|\n", p.paper.Name)
			first = false
		}
		reason := string(u.Reason)
		if u.More != "" {
			reason += "; " + u.More
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", script.EscapeMarkdown(u.Place), script.EscapeMarkdown(u.Says), script.EscapeMarkdown(reason))
	}
}

// writeRow writes one claim with what its check found.
func (p paperResults) writeRow(b *strings.Builder, r claims.Result, links pageLinks) {
	verdict := string(r.Outcome.Verdict)
	if r.Outcome.Remark != "" {
		verdict += " (" + r.Outcome.Remark + ")"
	}
	if r.Claim.Beyond {
		verdict += ", beyond the paper"
	}
	if _, err := repl.Refutation(context.Background(), &r.Outcome); err == nil {
		if path := links.to("certificate/ledger/" + r.Claim.ID + ".json"); path != "" {
			verdict += ", [certificate](" + path + ")"
		}
	}
	method := script.EscapeMarkdown(strings.Join(methodsOf(r), "; "))
	if at := r.Claim.Entry.Proof.At; at != "" {
		method += " (" + links.link("proof", "docs/proofs/"+at) + ")"
	}
	fmt.Fprintf(b, "| <a id=\"%s\"></a>`%s` | **%s.** %s | %s | %s | %s |\n", script.Anchor(r.Claim.ID), r.Claim.ID, script.EscapeMarkdown(r.Claim.Place), sentence(r.Claim.Statement), verdict, r.Claim.Entry.Severity, method)
}

// causeTitle returns the title of a cause.
func causeTitle(id string) string {
	for _, c := range claims.Causes() {
		if c.ID == id {
			return c.Title
		}
	}
	return ""
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
