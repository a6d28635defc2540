package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/csv"
	"errors"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// ledger is what a run over claims found, as the templates of the folder ledger show it.
type ledger struct {
	Results []shown
	Links   pageLinks
	Full    bool // with all that the checks found
}

// shown is a result, with the name of its certificate's file where it has one.
type shown struct {
	claims.Result
	Certificate string
}

func newLedger(results []claims.Result) *ledger {
	l := &ledger{}
	for _, r := range results {
		l.Results = append(l.Results, shown{Result: r})
	}
	return l
}

// certify names the certificates that the results have, and returns their files.
func (l *ledger) certify(ctx context.Context) (map[string]string, error) {
	files := make(map[string]string)
	for i := range l.Results {
		r := &l.Results[i]
		f, err := repl.Refutation(ctx, &r.Outcome)
		if errors.Is(err, evidence.ErrParameter) { // it has none
			continue
		}
		if err != nil {
			return nil, err
		}
		f.Version = "" // the same file from every build
		r.Certificate = r.Claim.ID + ".json"
		text, err := f.Encode(r.Certificate)
		if err != nil {
			return nil, err
		}
		files[r.Certificate] = string(text)
	}
	return files, nil
}

// Total is the number of all claims.
func (l *ledger) Total() int { return len(claims.All()) }

// Run is the run that found the results.
func (l *ledger) Run() check.Run {
	if len(l.Results) == 0 {
		return check.Run{}
	}
	return l.Results[0].Run
}

// Wide is the width of the longest id.
func (l *ledger) Wide() (wide int) {
	for _, r := range l.Results {
		wide = max(wide, len(r.Claim.ID))
	}
	return wide
}

func (l *ledger) Tally() claimsTally { return tallied(l.Results) }

// Parts are the results by paper, in the order of claims.
func (l *ledger) Parts() (out []part) {
	for _, p := range claims.Papers() {
		if of := having(l.Results, func(r shown) bool { return r.Claim.Key() == p.Key }); of != nil {
			out = append(out, part{p, of})
		}
	}
	return out
}

// Filters are the columns by which the page for a browser selects rows, with their values.
func (l *ledger) Filters() (out []filter) {
	for _, c := range []struct {
		name string
		of   func(r shown) []string
	}{
		{"paper", func(r shown) []string { return []string{r.Claim.Paper} }},
		{"verdict", func(r shown) []string { return []string{string(r.Outcome.Verdict)} }},
		{"severity", func(r shown) []string { return []string{string(r.Claim.Entry.Severity)} }},
		{"remark", func(r shown) []string { return []string{r.Outcome.Remark} }},
		{"cause", func(r shown) []string { return []string{r.Cause()} }},
		{"method", shown.Methods},
	} {
		f := filter{Name: c.name}
		for _, r := range l.Results {
			for _, v := range c.of(r) {
				if v != "" && !slices.Contains(f.Values, v) {
					f.Values = append(f.Values, v)
				}
			}
		}
		out = append(out, f)
	}
	return out
}

type filter struct {
	Name   string
	Values []string
}

// Unjudged are the statements of all papers that have no claim.
func (l *ledger) Unjudged() []check.Unjudged { return claims.Unjudged() }

// claimsTally counts verdicts on the papers' statements, statements beyond them, and verdicts that are not as recorded.
type claimsTally struct{ Stated, Confirmed, Refuted, Undecided, Beyond, Differ int }

func tallied(results []shown) (t claimsTally) {
	of := map[evidence.Verdict]*int{evidence.Confirmed: &t.Confirmed, evidence.Refuted: &t.Refuted, evidence.Undecided: &t.Undecided}
	for _, r := range results {
		if !r.AsRecorded() {
			t.Differ++
		}
		if r.Claim.Beyond {
			t.Beyond++
			continue
		}
		t.Stated++
		*of[r.Outcome.Verdict]++
	}
	return t
}

// part is what was found of one paper.
type part struct {
	Paper   claims.Paper
	Results []shown
}

func (p part) Tally() claimsTally { return tallied(p.Results) }

// OfSeverity and OfRemark count the paper's statements with a severity and a remark.
func (p part) OfSeverity(s check.Severity) int {
	return len(having(p.Results, func(r shown) bool { return !r.Claim.Beyond && r.Claim.Entry.Severity == s }))
}

func (p part) OfRemark(remark string) int {
	return len(having(p.Results, func(r shown) bool { return !r.Claim.Beyond && r.Outcome.Remark == remark }))
}

// Of returns the results with a verdict.
func (p part) Of(v evidence.Verdict) []shown {
	return having(p.Results, func(r shown) bool { return r.Outcome.Verdict == v })
}

// Worst sorts the refutations, the worst first, and keeps their order otherwise.
func (p part) Worst() []shown {
	out, order := p.Of(evidence.Refuted), check.Severities()
	slices.SortStableFunc(out, func(a, b shown) int {
		return cmp.Compare(slices.Index(order, a.Claim.Entry.Severity), slices.Index(order, b.Claim.Entry.Severity))
	})
	return out
}

// ByCause parts the refutations by the error behind them, the error with the most first.
func (p part) ByCause() (out []caused) {
	for _, c := range p.Paper.Causes {
		if of := having(p.Of(evidence.Refuted), func(r shown) bool { return r.Claim.Entry.Cause == c.ID }); of != nil {
			out = append(out, caused{c, of})
		}
	}
	slices.SortStableFunc(out, func(a, b caused) int { return len(b.Results) - len(a.Results) })
	return out
}

// Caused returns the refutations with a cause.
func (p part) Caused() (out []shown) {
	for _, c := range p.ByCause() {
		out = append(out, c.Results...)
	}
	return out
}

type caused struct {
	Cause   check.Cause
	Results []shown
}

// having returns the results that have a property, nil where there are none.
func having(results []shown, property func(r shown) bool) (out []shown) {
	for _, r := range results {
		if property(r) {
			out = append(out, r)
		}
	}
	return out
}

// Methods are the ways in which the verdict was reached, in words.
func (r shown) Methods() []string { return methodsOf(r.Result) }

func methodsOf(r claims.Result) []string {
	out := []string{}
	for _, m := range r.Claim.Methods(&r.Outcome) {
		out = append(out, string(m))
	}
	return out
}

// Known is how the verdict is known, with the remark and what is said of a proof that is not given.
func (r shown) Known() string {
	method := strings.Join(r.Methods(), "; ")
	if r.Outcome.Remark != "" {
		method += "; " + r.Outcome.Remark
	}
	if k := r.Claim.Entry.Proof.Kind; k == check.None || k == check.Known {
		method += "; " + string(k)
	}
	return method
}

// Cause is the title of the refutation's cause.
func (r shown) Cause() string {
	for _, c := range claims.Causes() {
		if c.ID == r.Claim.Entry.Cause {
			return c.Title
		}
	}
	return ""
}

// Downstream are the claims that rest on this one, and Words those of the vocabulary.
func (r shown) Downstream() []string { return claims.Downstream(claims.All(), r.Claim.ID) }
func (r shown) Words() []string      { return claims.Words(claims.All(), r.Claim.ID) }

// Scripts are the lines that show the counterexamples.
func (r shown) Scripts() (out []string) {
	for _, w := range []*check.Witness{r.Outcome.Witness, r.Claim.Entry.Telling} {
		if w != nil {
			out = append(out, w.Script)
		}
	}
	return out
}

// ledgerFuncs are the functions of the templates.
var ledgerFuncs = texttemplate.FuncMap{
	"args":       func(xs ...any) []any { return xs },
	"join":       strings.Join,
	"lower":      strings.ToLower,
	"indent":     func(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") },
	"fields":     fieldsText,
	"capital":    capital,
	"sentence":   sentence,
	"md":         script.EscapeMarkdown,
	"anchor":     script.Anchor,
	"tex":        display.LaTeX,
	"breakable":  strings.NewReplacer(",", ",\\allowbreak{}", "(", "(\\allowbreak{}", "+", "+\\allowbreak{}", "=", "=\\allowbreak{}").Replace,
	"terms":      func() string { return claimTerms },
	"severities": check.Severities,
	"remarks":    func() []string { return check.Remarks()[:4] },
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

// sentence begins text with a capital and ends it with a full stop.
func sentence(text string) string {
	return strings.TrimSuffix(script.EscapeMarkdown(capital(text)), ".") + "."
}

// capital begins text with a capital where it begins with a word.
func capital(text string) string {
	if word, _, _ := strings.Cut(text, " "); len(word) > 1 && !slices.ContainsFunc([]byte(word), func(c byte) bool { return c < 'a' || c > 'z' }) {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

//go:embed ledger
var ledgerFiles embed.FS

// ledgerFile returns a file of the folder ledger, which is part of the program.
func ledgerFile(name string) string {
	return string(check.Must(ledgerFiles.ReadFile("ledger/" + name)))
}

// ledgerTemplates are the templates of text. Those of LaTeX, which has braces of its own, have brackets.
var ledgerTemplates = sync.OnceValue(func() *texttemplate.Template {
	t := texttemplate.New("").Funcs(ledgerFuncs)
	for _, name := range []string{"text.tmpl", "page.tmpl", "errata.tmpl"} {
		texttemplate.Must(t.Parse(ledgerFile(name)))
	}
	return texttemplate.Must(t.Delims("[[", "]]").Parse(ledgerFile("report.tmpl")))
})

// render fills a template of text.
func render(name string, data any) (string, error) {
	var b strings.Builder
	err := ledgerTemplates().ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// claimsText returns what a run over the ledger found, a line for each claim by
// paper and a closing count; in full with all that the checks found.
func claimsText(results []claims.Result, full bool) (string, error) {
	l := newLedger(results)
	l.Full = full
	return render("text", l)
}

// claimsPage returns what a run over the ledger found as a page of Markdown, a line for each claim.
func claimsPage(ctx context.Context, results []claims.Result, links pageLinks) (string, error) {
	l := newLedger(results)
	l.Links = links
	if _, err := l.certify(ctx); err != nil {
		return "", err
	}
	return render("page", l)
}

// claimsJSON returns what a run over the ledger found as a JSON array.
func claimsJSON(results []claims.Result) (string, error) {
	return script.EncodeJSON(script.ToValue(script.Each(results, func(r claims.Result) any {
		return script.Record{"claim", repl.ClaimRecord(r.Claim), "found", repl.OutcomeRecord(&r.Outcome), "methods", methodsOf(r), "downstream", append([]string{}, claims.Downstream(claims.All(), r.Claim.ID)...), "as_recorded", r.AsRecorded(), "budget", r.Run.Budget, "seed", r.Run.Seed}
	})), 1)
}

// claimsCSV returns the ledger as a sheet with a row for each claim. Each line of sheet.tmpl is a column: its name and
// the template of its cells.
func claimsCSV(results []claims.Result) (string, error) {
	rows := make([][]string, 1+len(results))
	for line := range strings.Lines(ledgerFile("sheet.tmpl")) {
		name, cell, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		column := texttemplate.Must(texttemplate.New(name).Funcs(ledgerFuncs).Parse(cell))
		rows[0] = append(rows[0], name)
		for i, r := range newLedger(results).Results {
			var b strings.Builder
			if err := column.Execute(&b, r); err != nil {
				return "", err
			}
			rows[i+1] = append(rows[i+1], b.String())
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.String(), err
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

// writeParts writes a file for each paper that has what it is for: a template filled with the paper's part.
func writeParts(l *ledger, dir, name, ending string, has func(p part) bool, files map[string]string) (err error) {
	for _, p := range l.Parts() {
		if !has(p) {
			continue
		}
		if files[p.Paper.Key+ending], err = render(name, p); err != nil {
			return err
		}
	}
	return writeAll(dir, files)
}

// writeErrata writes a page for each paper with errata, what to change, the worst first, and an index.
// Statements that the paper does not make have none.
func writeErrata(results []claims.Result, dir string) error {
	l := newLedger(results)
	index, err := render("errata index", l)
	if err != nil {
		return err
	}
	return writeParts(l, dir, "errata", ".md", func(p part) bool { return p.Tally().Refuted > 0 }, map[string]string{"README.md": index})
}

// writeReports writes a referee's report on each paper, in LaTeX: counts, causes, what does not hold, the worst first,
// what holds and how it is known, what is open.
func writeReports(results []claims.Result, dir string) error {
	return writeParts(newLedger(results), dir, "report", ".tex", func(part) bool { return true }, map[string]string{})
}

// writeClaimsTable writes a page for a browser with a row for each claim, and the certificates that
// refutations have.
func writeClaimsTable(ctx context.Context, results []claims.Result, dir string) error {
	l := newLedger(results)
	files, err := l.certify(ctx)
	if err != nil {
		return err
	}
	count, err := render("count", l.Tally())
	if err != nil {
		return err
	}
	page := template.Must(template.New("table").Funcs(template.FuncMap(ledgerFuncs)).Parse(ledgerFile("table.html")))
	var b strings.Builder
	if err := page.Execute(&b, map[string]any{"Ledger": l, "Count": count}); err != nil {
		return err
	}
	if err := writeAll(filepath.Join(dir, "certificates"), files); err != nil {
		return err
	}
	return writeAll(dir, map[string]string{"index.html": b.String()})
}
