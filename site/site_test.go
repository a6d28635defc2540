package site

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentLinksAndBlocks(t *testing.T) {
	const source = "# A *title*\n\n## xor.theorem1 (a)\n\n" +
		"[a](../b.md#part) [dead](../../privacy/pair.go) [ref](../reference/xor.md#bernoulli)\n" +
		"[all](../reference/README.md) " +
		"[far](https://example.org/x.md) [here](#part) ![f](../../notebooks/figures/p.png)\n\n" +
		"```python\nprint(1 < 2)\n```\n\n```text\nTrue\n```\n\n```python named.star\nx = 1\n```\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n"
	title, got, err := document("docs/guide/a.md", []byte(source), []string{"docs/guide/a.md", "docs/b.md"})
	if err != nil || title != "A *title*" {
		t.Fatal(title, err)
	}
	for _, want := range []string{
		`<h2 id="xortheorem1-a">`, `<a href="../b.html#part">a</a>`, ` dead `,
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
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"site/static/index.html": "<p>", "README.md": "# R\n[c](docs/claims.md)\n",
		"CHANGELOG.md": "# C\n", "CONTRIBUTING.md": "# D\n",
		"docs/claims.md": "# Claims\n", "docs/guide/uses.md": "# Uses\n```python\nln(2)\n```\n",
		"docs/errata/xor.md": "# X\n", "docs/field.md": "# F\n- **Replay.** `ln(2)`\n", "docs/reference/xor.md": "# no\n",
		"notebooks/figures/p.svg": "<svg/>",
		"notebooks/n.ipynb": `{"cells": [
			{"cell_type": "markdown", "source": ["# Title\n", "\n", "About\n", "it.\n", "\n", "More."]},
			{"cell_type": "code", "source": ["x = 1\n", "print(x)"]}]}`,
	} {
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
	o := Options{Root: root, Dir: dir, Reference: map[string]string{"index.html": index}}
	if err := o.pages(); err != nil {
		t.Fatal(err)
	}
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
	err := Build(t.Context(), Options{Root: dir, Dir: dir})
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
		Handler(dir).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Type") != want[0] || h.Get("Content-Encoding") != want[1] ||
			!strings.Contains(h.Get("Content-Security-Policy"), "'wasm-unsafe-eval'") {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
	}
}
