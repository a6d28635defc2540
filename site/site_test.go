package site_test

import (
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/site"
)

// build builds the parts of a site that need no tool, from a checkout with the given files, and returns the site's
// folder.
func build(t *testing.T, files map[string]string) (dir string, err error) {
	t.Helper()
	root, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", "")
	maps.Copy(files, map[string]string{
		"site/static/index.html": "<p>", "README.md": "# R\n[c](docs/claims.md)\n",
		"CHANGELOG.md": "# C\n", "CONTRIBUTING.md": "# D\n", "notebooks/figures/p.svg": "<svg/>",
	})
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const index = "<meta charset=\"utf-8\"><body><nav>\n</nav><pre>x</pre>" +
		"<script>\nconst entries = [];\n</script></body>"
	reference := map[string]string{"index.html": index}
	return dir, site.Build(t.Context(), site.Options{Root: root, Dir: dir, Reference: reference, Progress: io.Discard})
}

// Links lead to pages of the site, and blocks of scripts can be run.
func TestDocumentLinksAndBlocks(t *testing.T) {
	const source = "# A *title*\n\n## xor.theorem1 (a)\n\n" +
		"[a](../b.md#part) [dead](../../privacy/pair.go) [ref](../reference/xor.md#bernoulli)\n" +
		"[all](../reference/README.md) " +
		"[far](https://example.org/x.md) [here](#part) ![f](../../notebooks/figures/p.png)\n\n" +
		"```python\nprint(1 < 2)\n```\n\n```text\nTrue\n```\n\n```python named.star\nx = 1\n```\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n"
	dir, err := build(t, map[string]string{"docs/guide/a.md": source, "docs/b.md": "# B\n"})
	if err == nil || !strings.Contains(err.Error(), "npm") {
		t.Errorf("without npm: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "docs", "guide", "a.html"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(data)
	for _, want := range []string{
		"<title>A *title*</title>", `<h2 id="xortheorem1-a">`, `<a href="../b.html#part">a</a>`, ` dead `,
		`<a href="../../reference/xor.html#bernoulli">ref</a>`, `<a href="../../reference/index.html">all</a>`,
		`<a href="https://example.org/x.md">far</a>`, `<a href="#part">here</a>`, `<img src="../../notebooks/figures/p.png"`,
		"<pre class=\"script\" tabindex=\"0\">print(1 &lt; 2)\n</pre>",
		"<pre tabindex=\"0\">True\n</pre>", "<pre tabindex=\"0\">x = 1\n</pre>", "<td>1</td>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "pair.go") {
		t.Errorf("a link to a file that the site does not have:\n%s", got)
	}
}

// Pages are written for the documents of a checkout. Pages of the reference contain no script that the policy
// forbids.
func TestPages(t *testing.T) {
	dir, _ := build(t, map[string]string{
		"docs/claims.md": "# Claims\n", "docs/guide/uses.md": "# Uses\n```python\nln(2)\n```\n",
		"docs/errata/xor.md": "# X\n", "docs/field.md": "# F\n- **Replay.** `ln(2)`\n", "docs/reference/xor.md": "# no\n",
		"notebooks/n.ipynb": `{"cells": [
			{"cell_type": "markdown", "source": ["# Title\n", "\n", "About\n", "it.\n", "\n", "More."]},
			{"cell_type": "code", "source": ["x = 1\n", "print(x)"]}]}`,
	})
	for name, want := range map[string]string{
		"README.html": `href="docs/claims.html"`, "docs/guide/uses.html": `data-blocks="together"`,
		"docs/errata/xor.html": `data-run="Replay"`,
		"docs/field.html":      `data-run="Replay" data-inline="Replay."`, "reference/index.html": `<script src="search.js">`,
		"reference/search.js": "const entries", "notebooks/figures/p.svg": "<svg/>",
		"gallery.html":     `<a href="index.html?notebook=n">Title</a>: About it.`,
		"notebooks/n.json": `"cells":["# # Title\n#\n# About\n# it.\n#\n# More.\nx = 1\nprint(x)"]`,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: no %q in %q, %v", name, want, data, err)
		}
		if strings.HasSuffix(name, ".html") && !strings.Contains(string(data), "Content-Security-Policy") {
			t.Errorf("%s has no policy", name)
		}
	}
	err := site.Build(t.Context(), site.Options{Root: dir, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "checkout") {
		t.Errorf("a folder that is not a checkout: %v", err)
	}
}

func TestHandlerLabelsPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"core.wasm.br", "run.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][2]string{
		"/core.wasm.br": {"application/wasm", "br"}, "/run.js": {"text/javascript; charset=utf-8", ""},
	} {
		w := httptest.NewRecorder()
		site.Handler(dir).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Type") != want[0] || h.Get("Content-Encoding") != want[1] ||
			!strings.Contains(h.Get("Content-Security-Policy"), "'wasm-unsafe-eval'") {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
	}
}
