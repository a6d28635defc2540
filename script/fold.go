package script

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"go.starlark.net/starlark"
)

// folding pretty-prints long values over several lines, breaking after commas. The output is still the value in
// script syntax.
type folding struct {
	width int
	poll  func() error
	open  []starlark.Value // the enclosing collections
}

// maxFolds is the depth of nesting down to which collections are broken into lines.
const maxFolds = 16

// foldable reports whether a value is a collection that may be broken into lines.
func foldable(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		return true
	}
	return false
}

// text returns v as text that begins at column, with room for after more columns behind it. A value that begins beyond
// the width is not broken, because every further line would be indented as far.
func (f *folding) text(v starlark.Value, column, after int) (string, error) {
	text, err := QuotedOf(v, f.poll)
	if err != nil || !foldable(v) || column >= f.width || column+displaywidth.String(text)+after <= f.width || len(f.open) == maxFolds {
		return text, err
	}
	for _, around := range f.open { // a list may contain itself
		if _, tuple := v.(starlark.Tuple); !tuple && around == v {
			begin, end := brackets(v)
			return begin + "..." + end, nil
		}
	}
	f.open = append(f.open, held(v))
	defer func() { f.open = f.open[:len(f.open)-1] }()
	begin, end := brackets(v)
	items, err := f.items(v, column+len(begin), len(end)+after)
	if err != nil {
		return "", err
	}
	return begin + f.fill(items, column+len(begin), len(end)+after) + end, nil
}

// held returns what f.open holds for v: v itself, or None for a tuple, which cannot contain itself.
func held(v starlark.Value) starlark.Value {
	if _, ok := v.(starlark.Tuple); ok {
		return starlark.None
	}
	return v
}

// brackets returns the texts with which a collection begins and ends.
func brackets(v starlark.Value) (begin, end string) {
	switch v := v.(type) {
	case *starlark.List:
		return "[", "]"
	case starlark.Tuple:
		if len(v) == 1 {
			return "(", ",)"
		}
		return "(", ")"
	case *starlark.Dict:
		return "{", "}"
	}
	return "set([", "])"
}

// items returns the texts of the elements of a collection, for lines that begin at column. It leaves room for after
// more columns behind the last element.
func (f *folding) items(v starlark.Value, column, after int) (items []string, err error) {
	left := starlark.Len(v)
	add := func(key string, v starlark.Value) bool {
		var text string
		room := 1 // for a comma
		if left--; left == 0 {
			room = after
		}
		if text, err = f.text(v, column+displaywidth.String(key), room); err == nil {
			items = append(items, key+text)
		}
		return err == nil
	}
	if d, ok := v.(*starlark.Dict); ok {
		for _, item := range d.Items() {
			key, keyErr := QuotedOf(item[0], f.poll)
			if keyErr != nil {
				return nil, keyErr
			}
			if !add(key+": ", item[1]) {
				return nil, err
			}
		}
		return items, nil
	}
	for x := range starlark.Elements(v.(starlark.Iterable)) {
		if !add("", x) {
			return nil, err
		}
	}
	return items, nil
}

// fill joins items with commas and breaks them into lines that begin at column, with room for after more columns at the
// end. An item longer than a third of a line gets a line of its own.
func (f *folding) fill(items []string, column, after int) string {
	var b strings.Builder
	at, alone := column, true // alone: the next item begins a new line
	for i, item := range items {
		wide := displaywidth.String(item)
		long := strings.Contains(item, "\n") || 3*wide > f.width
		room := 1 // for the comma
		if i == len(items)-1 {
			room = after
		}
		switch {
		case i == 0:
		case long || alone || at+2+wide+room > f.width:
			b.WriteString(",\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteString(", ")
			at += 2
		}
		b.WriteString(item)
		at, alone = at+wide, long
	}
	return b.String()
}

// folded formats a collection or matrix for the session's terminal. It shortens a long list unless all is set. ok is
// false for other values, for texts beyond a limit, and without a terminal.
func (s *Session) folded(v starlark.Value, all bool) (text string, ok bool) {
	const most = 1 << 20 // the longest text in bytes that is broken if all is set
	width := s.Terminal.Width
	if width == 0 {
		return "", false
	}
	if m, is := v.(*Matrix); is {
		return m.show(width), true
	}
	if !foldable(v) {
		return "", false
	}
	f := &folding{width: max(width, 24), poll: s.poll}
	if l, is := v.(*starlark.List); is && l.Len() > maxShown && !all {
		head, err1 := f.items(l.Slice(0, maxShown/2, 1), 1, 1)
		tail, err2 := f.items(l.Slice(l.Len()-3, l.Len(), 1), 1, 1)
		text = "[" + f.fill(append(append(head, "…"), tail...), 1, 1) + fmt.Sprintf("]  # %d elements", l.Len())
		return text, err1 == nil && err2 == nil && len(text) <= maxText
	}
	limit := maxText
	if all {
		limit = most
	}
	if _, cut := startOf(v, limit); cut {
		return "", false
	}
	text, err := f.text(v, 0, 0)
	return text, err == nil
}
