package script

import (
	"fmt"
	"strings"
	"unicode"
)

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

// Anchor returns what a heading is linked by: small letters of any alphabet, digits,
// hyphens and underscores.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		if r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
}

// EscapeMarkdown keeps the characters that Markdown takes for marks.
func EscapeMarkdown(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`", "|", `\|`)
