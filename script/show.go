package script

import (
	"fmt"
	"strings"

	"dpworkbench/display"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/redact"

	"go.starlark.net/starlark"
)

// maxShown is the number of elements of a list that the prompt shows.
const maxShown = 200

// maxText is the number of bytes of any other value that the prompt shows.
const maxText = 1 << 14

// print is Starlark's print, except that a single figure goes to OnShow if that is set, because a picture is better
// than characters.
func (s *Session) print(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep, err := separator("print", kwargs)
	if err != nil {
		return nil, err
	}
	if s.OnShow != nil && len(args) == 1 && Figure(args[0]) != nil {
		return starlark.None, s.OnShow(args[0])
	}
	if s.Folds && len(args) == 1 {
		if text, ok := s.folded(args[0], true); ok {
			thread.Print(thread, text)
			return starlark.None, nil
		}
	}
	text, err := s.sentence(args, sep)
	if err == nil {
		err = memory.Need("a line of text", float64(len(text)))
	}
	if err != nil {
		return nil, fmt.Errorf("print: %w", err)
	}
	thread.Print(thread, text)
	return starlark.None, nil
}

// Show returns what the prompt prints for a value, "" for None. Figures are drawn for the session's terminal, and long
// values are cut. Other values print as in a script.
func (s *Session) Show(v starlark.Value) string {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return ""
	case interface {
		drawOn(display.Caps) (string, bool)
	}:
		if text, ok := v.drawOn(s.Terminal); ok {
			return strings.TrimRight(text, "\n")
		}
	}
	return redact.Text(s.written(v))
}

// written returns what Show returns for a value that is not drawn, without removing passwords.
func (s *Session) written(v starlark.Value) string {
	if text, ok := s.folded(v, false); ok {
		return text
	}
	switch v := v.(type) {
	case *starlark.List:
		if v.Len() > maxShown {
			head, cut1 := startOf(v.Slice(0, maxShown/2, 1), maxText)
			tail, cut2 := startOf(v.Slice(v.Len()-3, v.Len(), 1), maxText)
			if !cut1 && !cut2 {
				return fmt.Sprintf("%s, …, %s  # %d elements", strings.TrimSuffix(head, "]"), strings.TrimPrefix(tail, "["), v.Len())
			}
		}
	}
	text, err := QuotedOf(v, s.poll)
	if err != nil {
		text, _ = startOf(v, maxText)
		return fmt.Sprintf("%s …  # %v", strings.ToValidUTF8(text[:min(len(text), maxText)], ""), err)
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf(" …  # %d characters", len(text))
	}
	return text
}
