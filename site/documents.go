package site

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	htmlrenderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// policy lets a page run only its own scripts and the program, and load only from its own host. Inline styles are
// allowed, because tables and the editor have them.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; form-action 'self'; base-uri 'none'"

// menu returns the navigation of a page; root is the relative path to the site's folder.
func menu(root string) string {
	var b strings.Builder
	for _, l := range [][2]string{
		{"index.html", "Playground"}, {"docs/guide/README.html", "Guides"}, {"reference/index.html", "Reference"},
		{"docs/errata/README.html", "Refutations"}, {"docs/claims.html", "Ledger"}, {"gallery.html", "Gallery"},
	} {
		fmt.Fprintf(&b, "<a href=\"%s%s\">%s</a>\n", root, l[0], l[1])
	}
	return b.String()
}

// page returns a page of the site; root is the relative path to the site's folder, and attributes belong to the body.
func page(title, root, attributes, content string) []byte {
	return fmt.Appendf(nil, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="%s">
<title>%s</title>
<link rel="stylesheet" href="%[3]sstyle.css">
<link rel="icon" href="data:,">
<script type="module" src="%[3]srun.js"></script>
</head>
<body%s>
<header><nav aria-label="Site">
%s</nav></header>
<main>
%s</main>
</body>
</html>
`, policy, html.EscapeString(title), root, attributes, menu(root), content)
}

// documents writes README.md and the pages of docs as HTML.
func (o Options) documents() error {
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}
	err := filepath.WalkDir(filepath.Join(o.Root, "docs"), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(o.Root, p)
		if name = filepath.ToSlash(name); strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, "docs/reference/") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(o.Root, name))
		if err != nil {
			return err
		}
		title, content, err := document(name, source, names)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		attributes := ""
		switch {
		case strings.HasPrefix(name, "docs/guide/"):
			attributes = ` data-blocks="together"`
		case strings.HasPrefix(name, "docs/errata/"):
			attributes = ` data-run="Replay"`
		case name == "docs/field.md":
			attributes = ` data-run="Replay" data-inline="Replay."` // its scripts are inline code in lists
		}
		root := strings.Repeat("../", strings.Count(name, "/"))
		if err := o.write(htmlName(name), page(title, root, attributes, content)); err != nil {
			return err
		}
	}
	return nil
}

func htmlName(name string) string { return strings.TrimSuffix(name, ".md") + ".html" }

// document returns a page of Markdown as HTML, and its title. Links lead to pages of the site. Links to other files of
// the checkout become plain text.
func document(name string, source []byte, pages []string) (title, content string, err error) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(links{name, pages}, 100)),
		),
		goldmark.WithRendererOptions(
			htmlrenderer.WithUnsafe(), // the checkout's own pages have anchors in HTML
			renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100)),
		),
	)
	var out bytes.Buffer
	if err := md.Convert(source, &out); err != nil {
		return "", "", err
	}
	title = name
	if first, _, ok := bytes.Cut(source, []byte("\n")); ok && bytes.HasPrefix(first, []byte("# ")) {
		title = string(first[2:])
	}
	return title, out.String(), nil
}

// links replaces the links on a page.
type links struct {
	page  string
	pages []string
}

// Transform implements parser.ASTTransformer.
func (l links) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var dead []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if a, ok := n.(*ast.Link); ok && entering {
			to, found := l.destination(string(a.Destination))
			if !found {
				dead = append(dead, a)
			}
			a.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	for _, a := range dead {
		for child := a.FirstChild(); child != nil; child = a.FirstChild() {
			a.Parent().InsertBefore(a.Parent(), a, child)
		}
		a.Parent().RemoveChild(a.Parent(), a)
	}
}

// destination returns the address on the site to which a link leads, and false if the site does not have the page.
func (l links) destination(to string) (string, bool) {
	file, anchor, marked := strings.Cut(to, "#")
	if strings.Contains(file, "://") || file == "" {
		return to, true
	}
	if marked {
		anchor = "#" + anchor
	}
	target := path.Join(path.Dir(l.page), file)
	switch {
	case slices.Contains(l.pages, target):
		return htmlName(file) + anchor, true
	case strings.HasPrefix(target, "docs/reference/"):
		base := strings.TrimSuffix(path.Base(file), ".md")
		if base == "README" || base == "reference" {
			base = "index"
		}
		return strings.Repeat("../", strings.Count(l.page, "/")) + "reference/" + base + ".html" + anchor, true
	case strings.HasPrefix(target, "notebooks/figures/"):
		return to, true
	}
	return to, false
}

// blocks renders fenced code blocks. Scripts get a class that run.js looks for.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderBlock)
}

func renderBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	class := ""
	if n.Info != nil && string(n.Info.Value(source)) == "python" {
		class = ` class="script"`
	}
	fmt.Fprintf(w, "<pre%s tabindex=\"0\">%s</pre>\n", class, html.EscapeString(string(n.Lines().Value(source))))
	return ast.WalkContinue, nil
}

// inlineScript is the script within the reference's index, which the policy of the site forbids.
var inlineScript = regexp.MustCompile(`(?s)<script>\n(.*?)</script>`)

// referenceHead stands in the head of the pages of the manual.
const referenceHead = `<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<link rel="icon" href="data:,">`

// reference writes the pages of the manual.
func (o Options) reference() error {
	for name, text := range o.Reference {
		if m := inlineScript.FindStringSubmatchIndex(text); m != nil {
			if err := o.write("reference/search.js", []byte(text[m[2]:m[3]])); err != nil {
				return err
			}
			text = text[:m[0]] + `<script src="search.js"></script>` + text[m[1]:]
		}
		text = strings.NewReplacer(
			`<meta charset="utf-8">`, fmt.Sprintf(referenceHead, policy),
			"<pre>", `<pre class="script" tabindex="0">`,
			"<nav>\n", "<nav>\n"+menu("../"),
			"</body>", `<script type="module" src="../run.js"></script>`+"\n</body>",
		).Replace(text)
		if err := o.write("reference/"+name, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
