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

// claimsPage returns what a run over the ledger found as a page of Markdown.
func claimsPage(results []claims.Result, links pageLinks) string {
	var b strings.Builder
	b.WriteString("# Claims\n\n")
	b.WriteString(`Published statements about differentially private mechanisms as executable checks. A check visits a bounded family of
instances, smallest first, then random instances; it is given no recorded counterexample. *Confirmed* means that no
instance in the stated scope contradicts the statement; the *method* says what else stands behind it. *Refuted* comes with
a counterexample, made as simple as the search could make it, and a line that computes both sides anew: paste it at the
prompt. *Undecided* means that what is stated does not determine a check, or that sampling alone could support it.
*Beyond the paper* are statements that the paper does not make: its open questions, what follows for its objects outside
its hypotheses, and what works say that are not at hand; they are listed apart and not counted among its own. An instance
counts, it *bites*, where the statement's hypotheses hold and its conclusion could fail; a scope says how many were visited besides.
*Severity*: *misprint*; *slack*, safe and not sharp; *proof gap, result stands*; *conclusion false*; *unsafe*, who relies on it leaks more than told. *Method*: a proof, the paper's as checked or
repaired or ours (` + "`docs/proofs`" + `); *exhaustive*, only where the stated range is finite and visited whole; *finite family visited whole*, all
instances up to a size; *grid*, points of a continuum; *random*; for what is undecided *numbers, which decide nothing*. Where a *certificate* stands below a refutation,
` + "`python3 certificate/check.py FILE`" + ` checks it without the workbench.

`)
	run := check.Run{}
	if len(results) > 0 {
		run = results[0].Run
	}
	if links.some {
		fmt.Fprintf(&b, "This page holds %d of %d claims, with %d random instances, seed %d. `workbench claims` checks all.\n", len(results), len(claims.All()), run.Budget, run.Seed)
	} else {
		fmt.Fprintf(&b, "This page is generated (`go generate ./repl`: every check with %d random instances, seed %d). "+
			"`workbench claims` runs all, `workbench claims --id xor.theorem1` one; `claim(\"xor.theorem1\").check()` does so in a script. "+
			"`--csv`, `--latex DIR` and `--html DIR` give the same to a sheet, a referee and a browser; %s are what to change. "+
			"The pictures are made by %s.\n", run.Budget, run.Seed, links.link("errata", "docs/errata"), links.link("ledger.star", "notebooks/ledger.star"))
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
	b.WriteString("\n| statement | claim | verdict | severity | bite | method |\n|---|---|---|---|---:|---|\n")
	for _, r := range p.results {
		verdict := string(r.Outcome.Verdict)
		if r.Outcome.Remark != "" {
			verdict += " (" + r.Outcome.Remark + ")"
		}
		if r.Claim.Beyond {
			verdict += ", beyond the paper"
		}
		fmt.Fprintf(b, "| %s | [%s](#%s) | %s | %s | %d | %s |\n", script.EscapeMarkdown(r.Claim.Place), r.Claim.ID, script.Anchor(r.Claim.ID), verdict, r.Claim.Entry.Severity, r.Outcome.Instances, script.EscapeMarkdown(strings.Join(methodsOf(r), "; ")))
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
			writeClaim(b, r, links)
		}
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

// writeClaim writes one claim, from the paper's words to what rests on it, and what its
// check found.
func writeClaim(b *strings.Builder, r claims.Result, links pageLinks) {
	e := r.Claim.Entry
	fmt.Fprintf(b, "\n#### %s\n", r.Claim.ID)
	if e.Quote.Words != "" {
		fmt.Fprintf(b, "\n> %s\n>\n> %s\n", script.EscapeMarkdown(e.Quote.Words), script.EscapeMarkdown(e.Quote.At))
	}
	fmt.Fprintf(b, "\n**%s.** %s\n", script.EscapeMarkdown(r.Claim.Place), sentence(r.Claim.Statement))
	if r.Claim.Hypotheses != "" {
		fmt.Fprintf(b, "\nHypotheses: %s\n", sentence(r.Claim.Hypotheses))
	}
	fmt.Fprintf(b, "\n**%s**%s, %s.\n", capital(string(r.Outcome.Verdict)), remarkText(r.Outcome.Remark), script.EscapeMarkdown(r.Outcome.Reach()))
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "- %s: %s\n", name, text)
		}
	}
	b.WriteString("\n")
	line("severity", string(e.Severity))
	line("still holds", script.EscapeMarkdown(e.Holds))
	line("cause", script.EscapeMarkdown(causeTitle(e.Cause)))
	method := script.EscapeMarkdown(strings.Join(methodsOf(r), "; "))
	if e.Proof.At != "" {
		method += " (" + links.link(string(e.Proof.Kind), "docs/proofs/"+e.Proof.At) + ")"
	} else if r.Outcome.Verdict == evidence.Confirmed && e.Proof.Kind != "" {
		method += " (" + string(e.Proof.Kind) + ")"
	}
	line("method", method)
	all := claims.All()
	line("rests on", plainOrLinked(e.RestsOn, links))
	line("on it rest", plainOrLinked(claims.Downstream(all, r.Claim.ID), links))
	if words := claims.Words(all, r.Claim.ID); len(words) > 0 {
		line("and the words", "`"+strings.Join(words, "`, `")+"`")
	}
	line("erratum", script.EscapeMarkdown(e.Erratum.String()))
	writeFindings(b, &r.Outcome)
	if e.Telling != nil && r.Outcome.Verdict == evidence.Refuted {
		writeWitness(b, "A telling one", e.Telling)
	}
	if _, err := repl.Refutation(context.Background(), &r.Outcome); err == nil {
		if path := links.to("certificate/ledger/" + r.Claim.ID + ".json"); path != "" {
			fmt.Fprintf(b, "\nCertificate: [%s.json](%s).\n", r.Claim.ID, path)
		} else {
			fmt.Fprintf(b, "\nCertificate: `workbench claims --id %s --certificates DIR`.\n", r.Claim.ID)
		}
	}
	if c := r.Outcome.Corrected; c != nil {
		fmt.Fprintf(b, "\nWhat holds instead: %s %s, %s.\n", sentence(r.Claim.Corrected), capital(string(c.Verdict)), script.EscapeMarkdown(c.Reach()))
		writeFindings(b, c)
	}
}

// plainOrLinked lists ids, linked where the page has them all.
func plainOrLinked(ids []string, links pageLinks) string {
	if links.some {
		return strings.Join(ids, ", ")
	}
	return linkedIDs(ids)
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

// writeWitness writes a counterexample and its line.
func writeWitness(b *strings.Builder, title string, w *check.Witness) {
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, f := range w.Fields {
		fmt.Fprintf(b, "- %s: %s\n", script.EscapeMarkdown(f.Name), script.EscapeMarkdown(f.Value))
	}
	fmt.Fprintf(b, "\n```python\n%s\n```\n", w.Script)
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
		writeWitness(b, "Counterexample", v.Witness)
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
