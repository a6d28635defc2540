package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
)

// The CSV file has a row for each claim, with the original text in its columns.
func TestCSVOfClaims(t *testing.T) {
	results := invented()
	results[1].Claim.Statement = "a \"quoted\", b\nand more"
	text, err := claimsCSV(results)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(results)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range results {
		cells := map[string]string{}
		for k, name := range rows[0] {
			cells[name] = rows[i+1][k]
		}
		for name, want := range map[string]string{"id": r.Claim.ID, "statement": r.Claim.Statement, "beyond": fmt.Sprint(r.Claim.Beyond), "methods": strings.Join(methodsOf(r), "; "), "instances": fmt.Sprint(r.Outcome.Instances),
			"counterexample": fieldsText(r.Outcome.Witness), "erratum": r.Claim.Entry.Erratum.String(), "as_recorded": fmt.Sprint(r.AsRecorded())} {
			if cells[name] != want {
				t.Errorf("%s of %s is %q, want %q", name, r.Claim.ID, cells[name], want)
			}
		}
	}
}

// The JSON output has every number of an outcome, also if several numbers have the same label.
func TestJSONLosesNoEvidence(t *testing.T) {
	results := invented()[:1]
	third := evidence.Exact{Value: big.NewRat(3, 1), Provenance: evidence.From("count")}
	results[0].Outcome.Evidence = append(results[0].Outcome.Evidence, check.Item{Label: "left", Number: third}, check.Item{Label: "left", Number: third})
	text, err := claimsJSON(results)
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Found struct {
			Evidence     map[string]any
			EvidenceList []struct {
				Label  string
				Number map[string]any
			} `json:"evidence_list"`
		}
		Claim struct {
			Quote    struct{ Words, At string }
			Severity string
			Erratum  struct{ Replace, By string }
		}
		Methods []string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if f := got[0].Found; len(f.Evidence) != 1 || len(f.EvidenceList) != 3 || f.EvidenceList[2].Label != "left" || f.EvidenceList[2].Number["kind"] != "exact" {
		t.Errorf("evidence %v, list %v", f.Evidence, f.EvidenceList)
	}
	if c := got[0].Claim; c.Quote.Words != "rows are hidden" || c.Severity != "false as stated and unsafe" || c.Erratum.By != "b" || len(got[0].Methods) != 1 {
		t.Errorf("%+v", got[0])
	}
}

// The HTML page has a row for each claim, with the data for filters and the lines to replay. Its element ids are
// unique.
func TestTableOfClaims(t *testing.T) {
	dir := t.TempDir()
	results := invented()
	results[2].Claim.Statement = "a < b & \"c\""
	if err := writeClaimsTable(context.Background(), results, dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	rows, seen := map[string]string{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`<(\w+) id="([^"]*)"([^>]*)>`).FindAllStringSubmatch(string(text), -1) {
		if seen[m[2]] {
			t.Errorf("two elements have the id %q", m[2])
		}
		if seen[m[2]] = true; m[1] == "tr" {
			rows[m[2]] = html.UnescapeString(m[3])
		}
	}
	if len(rows) != len(results) {
		t.Errorf("%d rows, want %d", len(rows), len(results))
	}
	if r, want := rows["xor.theorem1"], ` data-paper="XOR" data-standing="false as stated and unsafe" data-remark="loose" data-cause="`+newLedger(results).Results[0].Cause()+`" data-method="counterexample"`; r != want {
		t.Errorf("the row is %v, want %v", r, want)
	}
	for _, want := range []string{"a &lt; b &amp; ", "<code>print(1, 2, False)</code>", "<code>print(9, False)</code>", "rows are hidden"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// Errata are ordered by severity, with their lines of script. A paper without errata has no page.
func TestErrataPages(t *testing.T) {
	dir := t.TempDir()
	results := invented()
	slight := results[0]
	slight.Claim.ID, slight.Claim.Place, slight.Claim.Entry.Severity = "xor.lemma1", "Lemma 1", check.Misprint
	if err := writeErrata(append([]claims.Result{slight}, results...), dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "xor.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"\n## False as stated and unsafe\n\n### Theorem 1\n", "Replace: a\n\nBy: b\n", "It still holds for: N = 2.", "print(1, 2, False)", "print(9, False)", "\n## Misprint\n\n### Lemma 1\n"} {
		at := strings.Index(page, want)
		if at < 0 {
			t.Fatalf("no %q in\n%s", want, text)
		}
		page = page[at:]
	}
	if _, err := os.Stat(filepath.Join(dir, "mvg.md")); err == nil {
		t.Error("a paper without an erratum has a page")
	}
}

// The reports of all papers compile, if LaTeX is installed and all cases run.
func TestReportsCompile(t *testing.T) {
	if _, err := exec.LookPath("pdflatex"); err != nil || !cases.All() {
		t.Skip("needs pdflatex and WORKBENCH_FULL=1")
	}
	results, err := checked()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeReports(results, dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range newLedger(results).Parts() {
		run := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", p.Paper.Key+".tex")
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.Paper.Key, err, out[max(0, len(out)-2000):])
		}
	}
}

// A report has all its parts, and no text that LaTeX would read as a command.
func TestReports(t *testing.T) {
	for _, p := range newLedger(invented()).Parts() {
		text := check.Must(render("report", p))
		if strings.Count(text, "{") != strings.Count(text, "}") && !strings.Contains(text, `\{`) || !strings.HasSuffix(text, "\\end{document}\n") {
			t.Errorf("the report is %s", text)
		}
		if p.Paper.Key == "xor" && !(strings.Contains(text, `\subsection*{Theorem 1: false as stated and unsafe}`) && strings.Contains(text, "rows are hidden") && strings.Contains(text, `\section*{What is undecided}`)) {
			t.Errorf("the report is %s", text)
		}
	}
}
