package manual_test

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/repl"
)

// Every link of the pages leads to a heading, and the headings of a page have distinct anchors.
func TestReferenceLinks(t *testing.T) {
	pages := repl.NewSession().ReferencePages()
	headings := make(map[string]bool)
	for name, page := range pages {
		headings[name] = true
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$|<a id="(.*?)"></a>`).FindAllStringSubmatch(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(page, ""), -1) {
			at := name + "#" + m[2] + strings.NewReplacer(`\`, "", " ", "-", ".", "", "(", "", ")", "", ",", "", "'", "").Replace(strings.ToLower(m[1]))
			if headings[at] {
				t.Errorf("two headings have the anchor %s", at)
			}
			headings[at] = true
		}
	}
	links := 0
	for name, page := range pages {
		for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(page, -1) {
			links++
			if !headings[m[1]] {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
		}
	}
	if links < 1000 {
		t.Errorf("the pages have %d links", links)
	}
}

// The committed reference pages equal those generated from the manual.
func TestReferencePagesAreFresh(t *testing.T) {
	pages := repl.NewSession().ReferencePages()
	files, err := filepath.Glob("../../docs/reference/*.md")
	if err != nil || len(files) != len(pages) {
		t.Errorf("docs/reference has %d pages, want %d: run go generate ./repl, and remove what it does not write (%v)", len(files), len(pages), err)
	}
	for name, want := range pages {
		if got, err := os.ReadFile(filepath.Join("../../docs/reference", name)); err != nil || string(got) != want {
			t.Errorf("docs/reference/%s is stale: run go generate ./repl (%v)", name, err)
		}
	}
}

// Every entry of the manual is on exactly one page of the site. Every link has a target, and nothing is loaded from
// elsewhere.
func TestReferenceSite(t *testing.T) {
	s := repl.NewSession()
	pages := s.ReferenceSite()
	places := make(map[string]bool)
	all := ""
	for name, page := range pages {
		places[name] = true
		for _, m := range regexp.MustCompile(`id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if places[name+"#"+m[1]] {
				t.Errorf("%s has the anchor #%s twice", name, m[1])
			}
			places[name+"#"+m[1]] = true
		}
		if name != "index.html" {
			all += page
		}
		if regexp.MustCompile(`(src|href)="?(https?:)?//`).MatchString(page) || name != "index.html" && strings.Contains(page, "<script") {
			t.Errorf("%s loads something from elsewhere, or a script", name)
		}
	}
	for name, page := range pages {
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			to := m[1]
			if strings.HasPrefix(to, "#") {
				to = name + to
			}
			if !places[to] {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
		}
	}
	for name, d := range s.Manual() {
		if d != nil && !strings.Contains(all, "<p>"+html.EscapeString(strings.TrimSpace(strings.Split(d.Help, "\n")[0]))+"</p>") {
			t.Errorf("%s is on no page", name)
		}
	}
	list := regexp.MustCompile(`(?m)^const entries = (.*);$`).FindStringSubmatch(pages["index.html"])
	var entries []struct{ N, T, P, H string }
	if list == nil || json.Unmarshal([]byte(list[1]), &entries) != nil || len(entries) < 300 {
		t.Fatal("the index has no list of entries")
	}
	for _, e := range entries {
		if !places[e.P] {
			t.Errorf("%s leads to %s, which does not exist", e.N, e.P)
		}
	}
}

// The search works in a browser without a server.
func TestReferenceSearch(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here")
	}
	dir := t.TempDir()
	for name, page := range repl.NewSession().ReferenceSite() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"ladder": `<ol id="found"><li><a href="finite-mechanisms.html#ladder">`, "best%20study": "study.best_value", "unheard-of-word": "Nothing has all of these words.",
	} {
		if query != "best%20study" && !cases.All() { // each query starts a browser
			continue
		}
		out, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+dir+"/index.html?q="+query).Output()
		if err != nil {
			t.Skip(err)
		}
		found := string(regexp.MustCompile(`(?s)<ol id="found">.*?</ol>`).Find(out))
		if !strings.Contains(found, want) {
			t.Errorf("%s finds %.300s, want %s", query, found, want)
		}
	}
}
