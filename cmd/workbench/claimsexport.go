package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/csv"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"unicode"
	"unicode/utf8"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/display"
	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// ledgerFuncs are the functions of the templates.
var ledgerFuncs = texttemplate.FuncMap{
	"args":      func(xs ...any) []any { return xs },
	"join":      strings.Join,
	"lower":     strings.ToLower,
	"indent":    func(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") },
	"fields":    fieldsText,
	"capital":   capital,
	"sentence":  sentence,
	"md":        script.EscapeMarkdown,
	"anchor":    script.Anchor,
	"tex":       display.LaTeX,
	"breakable": strings.NewReplacer(",", ",\\allowbreak{}", "(", "(\\allowbreak{}", "+", "+\\allowbreak{}", "=", "=\\allowbreak{}").Replace,
	"terms":     func() string { return claimTerms },
	"standings": check.Standings, "fieldStandings": check.FieldStandings,
	"remarks": func() []string { return check.Remarks()[:4] },
}

// fieldsText returns the fields of a counterexample on one line, or "" if there is none.
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

// sentence capitalises a text and ends it with a full stop.
func sentence(text string) string {
	return strings.TrimSuffix(script.EscapeMarkdown(capital(text)), ".") + "."
}

// capital capitalises the first letter if the text begins with a word.
func capital(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	word = strings.TrimRight(word, ",;:")
	next, size := utf8.DecodeRuneInString(rest)
	article := word == "a" && unicode.IsLetter(next) && !strings.HasPrefix(rest[size:]+" ", " ")
	if (article || len(word) > 1) && strings.Trim(word, "-abcdefghijklmnopqrstuvwxyz") == "" {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

//go:embed ledger
var ledgerFiles embed.FS

// ledgerFile returns an embedded file of the folder ledger.
func ledgerFile(name string) string {
	return string(check.Must(ledgerFiles.ReadFile("ledger/" + name)))
}

// ledgerTemplates are the text templates. Those of LaTeX use brackets as delimiters, because LaTeX uses braces.
var ledgerTemplates = sync.OnceValue(func() *texttemplate.Template {
	t := texttemplate.New("").Funcs(ledgerFuncs)
	for _, name := range []string{"text.tmpl", "page.tmpl", "field.tmpl", "errata.tmpl"} {
		texttemplate.Must(t.Parse(ledgerFile(name)))
	}
	return texttemplate.Must(t.Delims("[[", "]]").Parse(ledgerFile("report.tmpl")))
})

// render fills a text template.
func render(name string, data any) (string, error) {
	var b strings.Builder
	err := ledgerTemplates().ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// claimsText returns the results as text: a line for each claim, by paper, and the totals. If full is true, it contains
// everything that the checks found.
func claimsText(results []claims.Result, full bool) (string, error) {
	l := newLedger(results)
	l.Full = full
	return render("text", l)
}

// claimsPage returns the results as a page of Markdown with a line for each claim.
func claimsPage(ctx context.Context, results []claims.Result, links pageLinks) (string, error) {
	l := newLedger(results)
	l.Links = links
	if _, _, err := l.certify(ctx); err != nil {
		return "", err
	}
	if len(l.Field().Results) == len(l.Results) {
		return render("field", l)
	}
	return render("page", l)
}

// claimsJSON returns the results as a JSON array.
func claimsJSON(results []claims.Result) (string, error) {
	return script.EncodeJSON(script.ToValue(script.Each(results, func(r claims.Result) any {
		return script.Record{"claim", repl.ClaimRecord(r.Claim), "found", repl.OutcomeRecord(&r.Outcome), "standing", string(r.Claim.Standing(r.Outcome.Verdict)), "methods", methodsOf(r), "downstream", append([]string{}, claims.Downstream(claims.All(), r.Claim.ID)...), "as_recorded", r.AsRecorded(), "budget", r.Run.Budget, "seed", r.Run.Seed}
	})), 1)
}

// claimsCSV returns the results as a CSV file with a row for each claim. Each line of sheet.tmpl is a column: its name
// and the template of its cells.
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

// writeAll writes files into a folder, in the order of their names. It creates the folder.
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

// writeParts writes a file for each paper that has reports: a template filled with the paper's results.
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

// writeErrata writes a page for each paper with errata, with the most severe first, and an index. Statements beyond the
// paper have no erratum.
func writeErrata(results []claims.Result, dir string) error {
	l := newLedger(results)
	index, err := render("errata index", l)
	if err != nil {
		return err
	}
	return writeParts(l, dir, "errata", ".md", func(p part) bool { return p.Errata() > 0 }, map[string]string{"README.md": index})
}

// writeReports writes a referee's report on each paper in LaTeX. It gives counts, causes, false statements with the
// most severe first, confirmed statements with the method, and undecided statements.
func writeReports(results []claims.Result, dir string) error {
	return writeParts(newLedger(results), dir, "report", ".tex", func(part) bool { return true }, map[string]string{})
}

// writeClaimsTable writes an HTML page with a row for each claim, and the certificates of the refutations.
func writeClaimsTable(ctx context.Context, results []claims.Result, dir string) error {
	l := newLedger(results)
	files, _, err := l.certify(ctx)
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
