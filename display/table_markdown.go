package display

import "strings"

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
