package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reference returns the manual as one page of Markdown: what help says about
// every built-in, type and attribute, and about what Starlark brings.
func (s *Session) Reference() string {
	var b strings.Builder
	b.WriteString("# Reference\n\nThe vocabulary of scripts, prompt and notebooks. This page is generated from the text that `help(name)` prints " +
		"(`go generate ./repl`), and every example on it is run by a test.\n\n")
	b.WriteString("Scripts are Starlark, a dialect of Python, in which `while`, recursion, loops at top level and redefinition are allowed. " +
		"An int is accepted wherever a float is. Scalar answers are evidence: numbers that know how they are known (see [evidence](#type-evidence)).\n\n")
	var rooms []Room
	for _, r := range s.rooms() {
		r.Title = fmt.Sprintf("%d. %s", len(rooms)+1, r.Title) // the number parts the room "Claims" from the function claims
		rooms = append(rooms, r)
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", r.Title, Anchor(r.Title), links(r.Builtins))
	}
	typesTitle, pythonTitle := fmt.Sprintf("%d. Types of values", len(rooms)+1), fmt.Sprintf("%d. Of Python", len(rooms)+2)
	wordsTitle := fmt.Sprintf("%d. Words of the field", len(rooms)+3)
	for _, title := range []string{typesTitle, pythonTitle, wordsTitle} {
		fmt.Fprintf(&b, "- [%s](#%s)\n", title, Anchor(title))
	}
	for _, r := range rooms {
		fmt.Fprintf(&b, "\n## %s\n", r.Title)
		for _, e := range r.Builtins {
			b.WriteString(e.doc.markdown("###"))
		}
	}
	fmt.Fprintf(&b, "\n## %s\n", typesTitle)
	for _, t := range s.types() {
		entries := t.manual()
		b.WriteString(entries[0].markdown("### Type"))
		for _, d := range entries[1:] {
			b.WriteString(d.markdown("####"))
		}
	}
	fmt.Fprintf(&b, "\n## %s\n", pythonTitle)
	s.languageTables(&b)
	fmt.Fprintf(&b, "\n## %s\n\n`help(\"layer\")` prints one of them.\n", wordsTitle)
	for i := range s.vocabulary.Terms {
		b.WriteString(s.vocabulary.Terms[i].markdown())
	}
	return b.String()
}

// markdown returns an entry under a heading.
func (d *Doc) markdown(level string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s\n", level, EscapeMarkdown(d.Name))
	if d.Callable() {
		fmt.Fprintf(&b, "\n`%s`\n", d.title())
	}
	for line := range strings.Lines(d.Help) {
		fmt.Fprintf(&b, "\n%s\n", EscapeMarkdown(strings.TrimSpace(line)))
	}
	if d.Example != "" {
		fmt.Fprintf(&b, "\n```python\n%s\n```\n", strings.TrimRight(d.Example, "\n"))
	}
	return b.String()
}

// languageTables lists what Starlark brings, type by type.
func (s *Session) languageTables(b *strings.Builder) {
	docs := languageDocs()
	for name, d := range s.Manual() {
		if strings.HasPrefix(name, "json.") {
			docs[name] = d
		}
	}
	groups := make(map[string][]*Doc) // "" holds the functions
	for _, d := range docs {
		group, _, _ := CutLast("."+d.Name, ".")
		groups[group] = append(groups[group], d)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		title := "Methods and members of " + strings.TrimPrefix(group, ".")
		if group == "" {
			title = "Functions and values"
		}
		fmt.Fprintf(b, "\n### %s\n\n| | | |\n|---|---|---|\n", title)
		slices.SortFunc(groups[group], func(x, y *Doc) int { return strings.Compare(x.Name, y.Name) })
		for _, d := range groups[group] {
			fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", d.title(), EscapeMarkdown(d.Help), strings.ReplaceAll(d.Example, "\n", "; "))
		}
	}
}

// links returns the names of built-ins, each leading to its entry.
func links(entries []Builtin) string {
	link := func(b Builtin) string {
		return fmt.Sprintf("[%s](#%s)", EscapeMarkdown(b.doc.Name), Anchor(b.doc.Name))
	}
	return strings.Join(each(entries, link), ", ")
}

// Anchor returns what a heading is linked by: small letters, digits, hyphens and
// underscores.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		if !strings.ContainsRune("-"+nameBytes, r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
}

// EscapeMarkdown keeps the characters that Markdown takes for marks.
func EscapeMarkdown(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`", "|", `\|`)
