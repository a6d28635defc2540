package display

import "strings"

// Markdown returns the table as GitHub's Markdown writes one, its title in bold above it;
// what has a meaning there is escaped.
func (t *Table) Markdown() string {
	var out strings.Builder
	if t.title != "" {
		out.WriteString("**" + markdown(t.title) + "**\n\n")
	}
	line := func(cells []string) {
		for _, c := range cells {
			out.WriteString("| " + markdown(c) + " ")
		}
		out.WriteString("|\n")
	}
	header := t.header
	if header == nil {
		header = make([]string, len(t.right))
	}
	line(header)
	for _, right := range t.right {
		if right {
			out.WriteString("| ---: ")
		} else {
			out.WriteString("| --- ")
		}
	}
	out.WriteString("|\n")
	for _, row := range t.rows {
		line(row)
	}
	return out.String()
}

// markdown escapes text; numbers stay as they are.
func markdown(s string) string {
	s = clean(s)
	if isNumber(s) && !strings.ContainsAny(s, "<~") {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '&' || r == '<' || r == '>':
			out.WriteString(map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;"}[r])
			continue
		case strings.ContainsRune("\\`*_{}[]|~$#", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
