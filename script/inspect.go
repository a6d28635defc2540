package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Parse parses a script without running it; its errors are Starlark's own.
func Parse(file, source string) (*syntax.File, error) {
	return parse(file, source, syntax.RetainComments)
}

// Inspect returns help on the name that covers or ends at the offset in source,
// or on the call around it: the manual's entry, and for a name of the session
// its type and value. ok is false where there is nothing to say.
func (s *Session) Inspect(source string, offset int) (text string, ok bool) {
	end := min(max(offset, 0), len(source))
	end = len(source) - len(strings.TrimLeft(source[end:], nameBytes))
	if text, ok := s.inspectName(trailingPath(source[:end])); ok {
		return text, true
	}
	return s.inspectName(trailingPath(source[:max(openCall(source[:end]), 0)]))
}

func (s *Session) inspectName(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	v := s.evalNames(path)
	d := s.lookupDoc(path)
	if d == nil && v == nil {
		return "", false
	}
	text := s.about(d, v)
	if _, callable := v.(starlark.Callable); v != nil && !callable {
		text = fmt.Sprintf("%s = %s\n", path, Brief(v)) + text
	}
	return text, true
}
