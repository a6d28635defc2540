package repl

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"dpworkbench/repl/display"
)

// drawable is a value that the prompt draws.
type drawable interface {
	drawOn(caps display.Caps) (text string, ok bool)
}

// maxShown is the number of elements of a list that the prompt shows.
const maxShown = 200

// maxText is the number of bytes of any other value that it shows.
const maxText = 1 << 14

// printer returns print, which hands a figure printed alone to OnShow: where
// that is set, pictures are better than characters.
func (s *Session) printer() *starlark.Builtin {
	plain := starlark.Universe["print"].(*starlark.Builtin)
	return starlark.NewBuiltin(plain.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if s.OnShow != nil && len(args) == 1 && Figure(args[0]) != nil {
			return starlark.None, s.OnShow(args[0])
		}
		return plain.CallInternal(thread, args, kwargs)
	})
}

// Show returns what the prompt prints for a value, "" for None: pictures drawn
// for the session's terminal, what is long cut, anything else as in a script.
func (s *Session) Show(v starlark.Value) string {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return ""
	case drawable:
		if text, ok := v.drawOn(s.Terminal); ok {
			return strings.TrimRight(text, "\n")
		}
	case *starlark.List:
		if v.Len() > maxShown {
			head := v.Slice(0, maxShown/2, 1).String()
			tail := v.Slice(v.Len()-3, v.Len(), 1).String()
			return fmt.Sprintf("%s, …, %s  # %d elements", strings.TrimSuffix(head, "]"), strings.TrimPrefix(tail, "["), v.Len())
		}
	}
	text := v.String()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf(" …  # %d characters", len(text))
	}
	return text
}
