package script

import (
	"strings"
	"unicode"
)

// Anchor returns the fragment by which a heading is linked: lower-case letters of any alphabet, digits, hyphens and
// underscores.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		if r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
}

// EscapeMarkdown escapes the characters with a meaning in Markdown.
func EscapeMarkdown(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`", "|", `\|`)
