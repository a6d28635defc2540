package main

import (
	"context"
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
	"dpworkbench/repl"
)

// checked holds the outcome of every claim by the run that docs/claims.md shows.
var checked = sync.OnceValues(func() ([]claims.Result, error) {
	var out []claims.Result
	err := claims.CheckAll(context.Background(), claims.All(), check.Run{Budget: check.DefaultBudget}, func(r claims.Result) { out = append(out, r) })
	return out, err
})

// A witness is replayed by its line of script alone: it computes both sides anew
// and prints last that the statement does not hold there.
func TestWitnessesReplay(t *testing.T) {
	results, err := checked()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Outcome.Verdict != evidence.Refuted {
			continue
		}
		witnesses := map[string]*check.Witness{r.Claim.ID: r.Outcome.Witness}
		if tells := r.Claim.Entry.Telling; tells != nil {
			witnesses[r.Claim.ID+"/telling"] = tells
		}
		for name, w := range witnesses {
			t.Run(name, func(t *testing.T) { replays(t, w.Script) })
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

// The page in docs is what the checks find today.
func TestClaimsPageIsFresh(t *testing.T) {
	results, err := checked()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := claimsPage(t.Context(), results, pageLinks{}); err != nil || string(got) != want {
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

// The page links the committed certificates, every one and no other.
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
