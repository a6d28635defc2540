package evidence

import "strings"

const caveatMark = " [caveat: "

// WithCaveat returns a source that carries what a reader must know before using
// the number: printed wherever the number is.
func WithCaveat(source, caveat string) string { return source + caveatMark + caveat + "]" }

// Caveat returns the caveat that a number's origin carries, "" for none.
func Caveat(n Number) string {
	_, rest, ok := strings.Cut(n.Origin(), caveatMark)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "]")
	return text
}
