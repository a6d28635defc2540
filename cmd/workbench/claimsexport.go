package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// column is a column of the ledger as a sheet.
type column struct {
	name string
	of   func(r claims.Result) string
}

// columns are those of the sheet.
func columns() []column {
	all := claims.All()
	list := func(xs []string) string { return strings.Join(xs, "; ") }
	return []column{
		{"id", func(r claims.Result) string { return r.Claim.ID }},
		{"paper", func(r claims.Result) string { return r.Claim.Paper }},
		{"place", func(r claims.Result) string { return r.Claim.Place }},
		{"quote", func(r claims.Result) string { return r.Claim.Entry.Quote.Words }},
		{"quote_at", func(r claims.Result) string { return r.Claim.Entry.Quote.At }},
		{"statement", func(r claims.Result) string { return r.Claim.Statement }},
		{"hypotheses", func(r claims.Result) string { return r.Claim.Hypotheses }},
		{"beyond", func(r claims.Result) string { return strconv.FormatBool(r.Claim.Beyond) }},
		{"verdict", func(r claims.Result) string { return string(r.Outcome.Verdict) }},
		{"remark", func(r claims.Result) string { return r.Outcome.Remark }},
		{"severity", func(r claims.Result) string { return string(r.Claim.Entry.Severity) }},
		{"still_holds", func(r claims.Result) string { return r.Claim.Entry.Holds }},
		{"cause", func(r claims.Result) string { return r.Claim.Entry.Cause }},
		{"methods", func(r claims.Result) string { return list(methodsOf(r)) }},
		{"instances", func(r claims.Result) string { return strconv.Itoa(r.Outcome.Instances) }},
		{"scope", func(r claims.Result) string { return r.Outcome.Scope }},
		{"proof", func(r claims.Result) string { return string(r.Claim.Entry.Proof.Kind) }},
		{"proof_at", func(r claims.Result) string { return r.Claim.Entry.Proof.At }},
		{"rests_on", func(r claims.Result) string { return list(r.Claim.Entry.RestsOn) }},
		{"downstream", func(r claims.Result) string { return list(claims.Downstream(all, r.Claim.ID)) }},
		{"words", func(r claims.Result) string { return list(claims.Words(all, r.Claim.ID)) }},
		{"counterexample", func(r claims.Result) string { return fieldsText(r.Outcome.Witness) }},
		{"replay", func(r claims.Result) string { return replay(r.Outcome.Witness) }},
		{"telling", func(r claims.Result) string { return fieldsText(r.Claim.Entry.Telling) }},
		{"telling_replay", func(r claims.Result) string { return replay(r.Claim.Entry.Telling) }},
		{"erratum", func(r claims.Result) string { return r.Claim.Entry.Erratum.String() }},
		{"corrected", func(r claims.Result) string { return r.Claim.Corrected }},
		{"evidence", func(r claims.Result) string {
			var out []string
			for _, e := range r.Outcome.Evidence {
				out = append(out, e.Label+" = "+e.Text())
			}
			return list(out)
		}},
		{"as_recorded", func(r claims.Result) string { return strconv.FormatBool(r.AsRecorded()) }},
	}
}

// fieldsText returns the fields of a counterexample in one line, "" of none.
func fieldsText(w *check.Witness) string {
	if w == nil {
		return ""
	}
	var out []string
	for _, f := range w.Fields {
		out = append(out, f.Name+" = "+f.Value)
	}
	return strings.Join(out, "; ")
}

// replay returns the line that shows a counterexample, "" of none.
func replay(w *check.Witness) string {
	if w == nil {
		return ""
	}
	return w.Script
}

// claimsCSV returns the ledger as a sheet with a row for each claim.
func claimsCSV(results []claims.Result) (string, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var names []string
	cols := columns()
	for _, c := range cols {
		names = append(names, c.name)
	}
	rows := [][]string{names}
	for _, r := range results {
		var row []string
		for _, c := range cols {
			row = append(row, c.of(r))
		}
		rows = append(rows, row)
	}
	err := w.WriteAll(rows)
	return b.String(), err
}

// bySeverity sorts refutations, the worst first, and keeps their order otherwise.
func bySeverity(results []claims.Result) []claims.Result {
	out := slices.DeleteFunc(slices.Clone(results), func(r claims.Result) bool { return r.Outcome.Verdict != evidence.Refuted })
	order := check.Severities()
	slices.SortStableFunc(out, func(a, b claims.Result) int {
		return cmp.Compare(slices.Index(order, a.Claim.Entry.Severity), slices.Index(order, b.Claim.Entry.Severity))
	})
	return out
}

// writeAll writes files into a folder, which it makes, in the order of their names.
func writeAll(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := wholefile.Write(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeErrata writes a page for each paper: what to change, the worst first.
func writeErrata(results []claims.Result, dir string) error {
	files := map[string]string{}
	var index strings.Builder
	index.WriteString("# Errata\n\nWhat the authors could change, a page for each paper, the worst first, each with a line to replay. Generated from the ledger (`workbench claims --errata DIR`).\n\n")
	for _, part := range byPaper(results) {
		text, n := errataPage(part)
		if n == 0 {
			continue
		}
		files[part.paper.Key+".md"] = text
		fmt.Fprintf(&index, "- [%s](%s.md): %d\n", part.paper.Name, part.paper.Key, n)
	}
	files["README.md"] = index.String()
	return writeAll(dir, files)
}

// errataPage returns a paper's page and the number of its errata. Statements that the paper
// does not make have none.
func errataPage(p paperResults) (string, int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Errata: %s\n\n%s.\n\nThe worst first. Each line of script computes both sides anew: paste it at the prompt of `workbench`. What is meant by the severities, and the rest that was found, stands in the [ledger](../claims.md).\n", p.paper.Name, p.paper.Citation)
	n := 0
	last := check.Severity("")
	for _, r := range bySeverity(p.results) {
		if r.Claim.Beyond {
			continue
		}
		n++
		e := r.Claim.Entry
		if e.Severity != last {
			last = e.Severity
			fmt.Fprintf(&b, "\n## %s\n", capital(strings.ReplaceAll(string(e.Severity), "proof gap, result stands", "gap in a proof, the result stands")))
		}
		fmt.Fprintf(&b, "\n### %s\n\n> %s\n>\n> %s\n\n", script.EscapeMarkdown(r.Claim.Place), script.EscapeMarkdown(e.Quote.Words), script.EscapeMarkdown(e.Quote.At))
		if e.Erratum.Replace != "" {
			fmt.Fprintf(&b, "Replace: %s\n\n", script.EscapeMarkdown(e.Erratum.Replace))
		}
		if e.Erratum.By != "" {
			fmt.Fprintf(&b, "By: %s\n\n", script.EscapeMarkdown(e.Erratum.By))
		}
		fmt.Fprintf(&b, "Refuted is: %s Because: %s.", sentence(r.Claim.Statement), script.EscapeMarkdown(causeTitle(e.Cause)))
		if e.Holds != "" {
			fmt.Fprintf(&b, " It still holds for: %s", sentence(e.Holds))
		}
		fmt.Fprintf(&b, " ([%s](../claims.md#%s))\n", r.Claim.ID, script.Anchor(r.Claim.ID))
		for _, w := range []*check.Witness{r.Outcome.Witness, e.Telling} {
			if w != nil {
				fmt.Fprintf(&b, "\n```python\n%s\n```\n", w.Script)
			}
		}
	}
	return b.String(), n
}

// writeReports writes a referee's report on each paper, in LaTeX.
func writeReports(results []claims.Result, dir string) error {
	files := map[string]string{}
	for _, part := range byPaper(results) {
		files[part.paper.Key+".tex"] = refereeReport(part)
	}
	return writeAll(dir, files)
}

// refereeReport returns a referee's report on a paper: counts, causes, what does not hold, the worst
// first, what holds and how it is known, what is open.
func refereeReport(p paperResults) string {
	var b strings.Builder
	tex := display.LaTeX
	fmt.Fprintf(&b, `\documentclass[10pt,a4paper]{article}
\usepackage[margin=25mm]{geometry}
\usepackage{iftex}
\ifpdftex\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\fi
\usepackage{amsmath,amssymb,longtable,booktabs}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}
\emergencystretch=4em\hbadness=10000\raggedright
\title{Report on %s}
\author{}
\date{}
\begin{document}
\maketitle
%s.

`, tex(p.paper.Name), tex(p.paper.Citation))
	t := tallyClaims(p.results)
	fmt.Fprintf(&b, "Of %d statements %d are confirmed, %d refuted, %d undecided; %d more go beyond the paper. The %d refutations have %d causes.\n\n",
		t.stated, t.of[evidence.Confirmed], t.of[evidence.Refuted], t.of[evidence.Undecided], t.beyond, len(bySeverity(p.results)), len(byCause(p.results)))
	b.WriteString("Each line of script computes both sides anew: paste it at the prompt of the program that wrote this.\n")
	if causes := byCause(p.results); len(causes) > 0 {
		b.WriteString("\n\\section*{Causes}\n\\begin{itemize}\n")
		for _, c := range causes {
			var ids []string
			for _, r := range c.results {
				ids = append(ids, r.Claim.ID)
			}
			fmt.Fprintf(&b, "\\item \\textbf{%s} (%d: %s). %s\n", tex(capital(c.cause.Title)), len(ids), tex(strings.Join(ids, ", ")), tex(c.cause.Text))
		}
		b.WriteString("\\end{itemize}\n")
	}
	if worst := bySeverity(p.results); len(worst) > 0 {
		b.WriteString("\n\\section*{What does not hold as stated}\n")
		for _, r := range worst {
			e := r.Claim.Entry
			beyond := ""
			if r.Claim.Beyond {
				beyond = ", beyond the paper"
			}
			fmt.Fprintf(&b, "\n\\subsection*{%s: %s%s}\n", tex(r.Claim.Place), tex(string(e.Severity)), beyond)
			if e.Quote.Words != "" {
				fmt.Fprintf(&b, "\\begin{quote}``%s'' (%s)\\end{quote}\n", tex(e.Quote.Words), tex(e.Quote.At))
			}
			for _, part := range [][2]string{
				{"Refuted", r.Claim.Statement + " (" + r.Outcome.Reach() + ")"}, {"Read with", r.Claim.Hypotheses}, {"Still holds", e.Holds}, {"Counterexample", fieldsText(r.Outcome.Witness)},
				{"A telling one", fieldsText(e.Telling)}, {"Erratum", e.Erratum.String()}, {"Holds instead", r.Claim.Corrected}, {"On it rest", strings.Join(claims.Downstream(claims.All(), r.Claim.ID), ", ")},
			} {
				if part[1] != "" {
					fmt.Fprintf(&b, "\\textit{%s:} %s\n\n", part[0], tex(part[1]))
				}
			}
			for _, w := range []*check.Witness{r.Outcome.Witness, e.Telling} {
				if w != nil {
					fmt.Fprintf(&b, "{\\footnotesize\\ttfamily %s\\par}\n", breakable(tex(w.Script)))
				}
			}
		}
	}
	table := func(title string, v evidence.Verdict) {
		first := true
		for _, r := range p.results {
			if r.Outcome.Verdict != v {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n\\section*{%s}\n\\begin{longtable}{p{.2\\textwidth}p{.42\\textwidth}rp{.22\\textwidth}}\n\\toprule place & statement & bite & method \\\\ \\midrule \\endhead\n", title)
				first = false
			}
			method := strings.Join(methodsOf(r), "; ")
			if r.Outcome.Remark != "" {
				method += "; " + r.Outcome.Remark
			}
			if k := r.Claim.Entry.Proof.Kind; k == check.None || k == check.Known {
				method += "; " + string(k)
			}
			fmt.Fprintf(&b, "%s & %s & %d & %s \\\\\n", tex(r.Claim.Place), tex(r.Claim.Statement), r.Outcome.Instances, tex(method))
		}
		if !first {
			b.WriteString("\\bottomrule\n\\end{longtable}\n")
		}
	}
	table("What holds", evidence.Confirmed)
	table("What is undecided", evidence.Undecided)
	first := true
	for _, u := range claims.Unjudged() {
		if u.Paper != p.paper.Name {
			continue
		}
		if first {
			b.WriteString("\n\\section*{What is not judged}\n\\begin{itemize}\n")
			first = false
		}
		more := ""
		if u.More != "" {
			more = " (" + tex(u.More) + ")"
		}
		fmt.Fprintf(&b, "\\item %s: %s. %s%s.\n", tex(u.Place), tex(u.Says), tex(capital(string(u.Reason))), more)
	}
	if !first {
		b.WriteString("\\end{itemize}\n")
	}
	b.WriteString("\\end{document}\n")
	return b.String()
}

// breakable lets a long line of script break after what separates its parts.
func breakable(s string) string {
	return strings.NewReplacer(",", ",\\allowbreak{}", "(", "(\\allowbreak{}", "+", "+\\allowbreak{}", "=", "=\\allowbreak{}").Replace(s)
}

//go:embed claimstable.html
var claimsTableText string

var claimsTable = template.Must(template.New("claims").Parse(claimsTableText))

// tableRow is a claim as the page shows it.
type tableRow struct {
	claims.Result
	Methods                  []string
	Downstream, Words, Cause string
	Replay, Telling, Fields  string
	Certificate              string
	Numbers                  []string
}

// writeClaimsTable writes a page with a row for each claim, and the certificates that
// refutations have.
func writeClaimsTable(ctx context.Context, results []claims.Result, dir string) error {
	files := map[string]string{}
	all := claims.All()
	var rows []tableRow
	for _, r := range results {
		row := tableRow{
			Result: r, Methods: methodsOf(r), Downstream: strings.Join(claims.Downstream(all, r.Claim.ID), ", "), Words: strings.Join(claims.Words(all, r.Claim.ID), ", "),
			Cause: causeTitle(r.Claim.Entry.Cause), Replay: replay(r.Outcome.Witness), Telling: replay(r.Claim.Entry.Telling), Fields: fieldsText(r.Outcome.Witness),
		}
		for _, e := range r.Outcome.Evidence {
			row.Numbers = append(row.Numbers, e.Label+": "+e.Text())
		}
		f, err := repl.Refutation(ctx, &r.Outcome)
		switch {
		case errors.Is(err, evidence.ErrParameter): // it has none
		case err != nil:
			return err
		default:
			f.Version = "" // the same file from every build
			row.Certificate = r.Claim.ID + ".json"
			text, err := f.Encode(row.Certificate)
			if err != nil {
				return err
			}
			files[row.Certificate] = string(text)
		}
		rows = append(rows, row)
	}
	values := func(of func(r tableRow) []string) []string {
		var out []string
		for _, r := range rows {
			for _, v := range of(r) {
				if v != "" && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
		return out
	}
	var b bytes.Buffer
	err := claimsTable.Execute(&b, map[string]any{
		"Rows": rows, "Unjudged": claims.Unjudged(), "Count": countVerdicts(results),
		"Filters": []map[string]any{
			{"Name": "paper", "Values": values(func(r tableRow) []string { return []string{r.Claim.Paper} })},
			{"Name": "verdict", "Values": values(func(r tableRow) []string { return []string{string(r.Outcome.Verdict)} })},
			{"Name": "severity", "Values": values(func(r tableRow) []string { return []string{string(r.Claim.Entry.Severity)} })},
			{"Name": "remark", "Values": values(func(r tableRow) []string { return []string{r.Outcome.Remark} })},
			{"Name": "cause", "Values": values(func(r tableRow) []string { return []string{r.Cause} })},
			{"Name": "method", "Values": values(func(r tableRow) []string { return r.Methods })},
		},
	})
	if err == nil {
		err = writeAll(filepath.Join(dir, "certificates"), files)
	}
	if err == nil {
		err = writeAll(dir, map[string]string{"index.html": b.String()})
	}
	return err
}

// Joined are the methods as the filters of the page look for them.
func (r tableRow) Joined() string { return strings.Join(r.Methods, "|") }
