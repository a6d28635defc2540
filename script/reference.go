package script

import (
	"strings"
	"unicode"
)

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
