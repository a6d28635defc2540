package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/repl"
)

// checked returns the outcomes of one paper's claims, with few random instances. With all cases it checks all papers
// as docs/claims.md says. .ci/run also compares the whole page.
var checked = sync.OnceValues(func() ([]claims.Result, error) {
	chosen, err := claims.Select(cases.Of("signrp", ""), nil)
	if err != nil {
		return nil, err
	}
	var out []claims.Result
	err = claims.CheckAll(context.Background(), chosen, check.Run{Budget: cases.Of(5, check.DefaultBudget)}, func(r claims.Result) { out = append(out, r) })
	return out, err
})

// The line of script of a witness reproduces it alone: it computes both sides and finally prints that the statement
// fails there. Other tests compare the outcomes in testdata with the checks.
func TestWitnessesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../claims/*/testdata/outcomes.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	scripts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, outcome := range strings.Split("\n"+string(text), "\n== ")[1:] {
			id, found, _ := strings.Cut(outcome, "\n")
			if _, line, ok := strings.Cut(found, "\n  replay: "); ok {
				scripts[id], _, _ = strings.Cut(line, "\n")
			}
		}
	}
	for i, c := range append(claims.All(), claims.Field()...) {
		if c.Recorded != evidence.Refuted && scripts[c.ID] == "" { // rows of the field also have exceptions
			continue
		}
		if !cases.Every(2, i) {
			continue
		}
		t.Run(c.ID, func(t *testing.T) { replays(t, scripts[c.ID]) })
		if tells := c.Entry.Telling; tells != nil {
			t.Run(c.ID+"/telling", func(t *testing.T) { replays(t, tells.Script) })
		}
	}
}

// replays fails unless a line of script prints two sides and False.
func replays(t *testing.T, script string) {
	t.Helper()
	if strings.Contains(script, "\n") {
		t.Errorf("the script has several lines: %q", script)
	}
	session := repl.NewSession()
	defer session.Close()
	if err := session.Confine(nil, nil); err != nil { // a replay needs no file
		t.Fatal(err)
	}
	var out strings.Builder
	session.Stdout = &out
	_, err := session.Exec(t.Context(), "replay", script)
	if err != nil {
		t.Fatalf("%s\n%v", script, err)
	}
	printed := out.String()
	words := strings.Fields(printed)
	if len(words) < 2 || words[len(words)-1] != "False" {
		t.Errorf("%s\nprints %q, want the two sides and False", script, printed)
	}
}

// The committed page has the lines that the checks give for the checked claims.
func TestClaimsPageIsFresh(t *testing.T) {
	t.Parallel()
	results, err := checked()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := claimsPage(t.Context(), results, pageLinks{})
	if err != nil {
		t.Fatal(err)
	}
	if stale(page, string(committed), "| <a id=", len(results)) {
		t.Error("docs/claims.md is stale: run go generate ./repl")
	}
	dir := t.TempDir()
	if err := writeErrata(results, dir); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadDir(dir)
	if err != nil || len(pages) < 2 {
		t.Fatal(len(pages), err)
	}
	for _, page := range pages {
		if page.Name() == "README.md" && !cases.All() { // the index of all papers
			continue
		}
		want, errWant := os.ReadFile(filepath.Join(dir, page.Name()))
		got, err := os.ReadFile(filepath.Join("../../docs/errata", page.Name()))
		if err != nil || errWant != nil {
			t.Fatal(err, errWant)
		}
		if string(got) != string(want) {
			t.Errorf("docs/errata/%s is stale: run go generate ./repl", page.Name())
		}
	}
}

// stale reports whether a page differs from the committed page. The page must have n rows, which begin with start. If
// not all cases run, only its rows and sections are compared.
func stale(page, committed, start string, n int) bool {
	lines := 0
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, start) {
			lines++
			if !strings.Contains(committed, "\n"+line) {
				return true
			}
		}
	}
	for _, part := range strings.Split(page, "\n### ")[1:] {
		if !strings.Contains(committed, "\n### "+part) {
			return true
		}
	}
	return lines != n || cases.All() && page != committed
}

// The page links all committed certificates and no others.
func TestPageLinksCertificates(t *testing.T) {
	page, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var linked []string
	for _, m := range regexp.MustCompile(`\(\.\./certificate/ledger/([\w.]+)\)`).FindAllStringSubmatch(string(page), -1) {
		linked = append(linked, m[1])
	}
	entries, err := os.ReadDir("../../certificate/ledger")
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	slices.Sort(linked)
	slices.Sort(there)
	if !slices.Equal(linked, there) {
		t.Errorf("docs/claims.md links %v, certificate/ledger has %v", linked, there)
	}
}

// The committed page of statements outside the papers matches the checks. Every row has a source, an alternative, and a
// line of script that computes its number. A refutation has a certificate or a reason for having none.
func TestFieldPageIsFresh(t *testing.T) {
	t.Parallel()
	rows := claims.Field()
	if len(rows) < 30 {
		t.Errorf("%d rows, want at least 30", len(rows))
	}
	var some []check.Claim
	for i, c := range rows {
		if cases.Every(16, i) {
			some = append(some, c)
		}
	}
	var results []claims.Result
	if err := claims.CheckAll(t.Context(), some, check.Run{Budget: cases.Of(5, check.DefaultBudget)}, func(r claims.Result) { results = append(results, r) }); err != nil {
		t.Fatal(err)
	}
	page, err := claimsPage(t.Context(), results, pageLinks{})
	if err != nil {
		t.Fatal(err)
	}
	if committed, err := os.ReadFile("../../docs/field.md"); err != nil || stale(page, string(committed), "| [", len(results)) {
		t.Errorf("docs/field.md is stale: run go generate ./repl (%v)", err)
	}
	l := newLedger(results)
	files, _, err := l.certify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range l.Results {
		e := r.Claim.Entry
		if e.Quote.At == "" || e.Instead == "" || !r.AsRecorded() {
			t.Errorf("%s lacks its source, its alternative, or its recorded verdict", r.Claim.ID)
		}
		if e.Severity.Refutes() && (e.Readings == "" || r.Certificate == "" && r.NoCertificate == "") {
			t.Errorf("%s is refuted without readings, or without a certificate and a reason", r.Claim.ID)
		}
		if strings.HasPrefix(e.Quote.At, "as quoted") && r.Outcome.Verdict != evidence.Undecided {
			t.Errorf("%s is decided, but its original is not available", r.Claim.ID)
		}
		session := repl.NewSession()
		session.Stdout = io.Discard
		if _, err := session.Exec(t.Context(), r.Claim.ID, e.Compute); err != nil || e.Compute == "" {
			t.Errorf("%s: %s: %v", r.Claim.ID, e.Compute, err)
		}
		session.Close()
	}
	entries, err := os.ReadDir("../../certificate/field")
	if err != nil || cases.All() && len(entries) != len(files) || len(files) == 0 {
		t.Errorf("%d certificates are committed, want %d (%v)", len(entries), len(files), err)
	}
	for name, text := range files {
		if got, err := os.ReadFile(filepath.Join("../../certificate/field", name)); err != nil || string(got) != text {
			t.Errorf("certificate/field/%s is stale: run go generate ./repl (%v)", name, err)
		}
	}
	if text, err := claimsText(results, false); err != nil || !strings.Contains(text, fmt.Sprintf("%d statements outside the papers", len(results))) || strings.Contains(text, "of the papers:") {
		t.Errorf("the list of the field has the count %q, %v", text, err)
	}
}
