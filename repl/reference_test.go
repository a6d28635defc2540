package repl_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// The page in docs is what the manual says today.
func TestReferenceIsFresh(t *testing.T) {
	got, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != repl.NewSession().Reference() {
		t.Error("docs/reference.md is stale: run go generate ./repl")
	}
}

// Every link of the page leads to a heading, and no two headings share one.
func TestReferenceLinks(t *testing.T) {
	page := repl.NewSession().Reference()
	headings := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(page, ""), -1) {
		name := strings.NewReplacer(`\`, "", " ", "-", ".", "").Replace(strings.ToLower(m[1]))
		if headings[name] {
			t.Errorf("two headings are linked as #%s", name)
		}
		headings[name] = true
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if !headings[m[1]] {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
}
