package script

import (
	"slices"
	"strings"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
)

// texts replaces the arguments of the operator % and of string.format by their texts. Starlark itself would write
// nested lists by recursion without a limit on depth and size.
type texts struct {
	session *Session
	bytes   float64 // length of all texts
	longest float64
}

// formatted returns the right side of %, with collections replaced by their texts.
func (s *Session) formatted(v starlark.Value) (starlark.Value, error) {
	t := &texts{session: s}
	switch v := v.(type) {
	case starlark.Int, starlark.Float:
		return v, nil
	case starlark.Tuple:
		out := slices.Clone(v)
		err := t.all(out)
		return out, err
	case *starlark.Dict:
		return &namedTexts{v, v, make(map[starlark.Value]starlark.Value), t}, nil
	}
	return t.argument(v)
}

// all replaces each of args by the result of argument.
func (t *texts) all(args starlark.Tuple) (err error) {
	for i, v := range args {
		if args[i], err = t.argument(v); err != nil {
			return err
		}
	}
	return nil
}

// argument returns v, or for bytes and collections a fixed value that holds their text. Each call adds the length of
// the text to the memory that it requests.
func (t *texts) argument(v starlark.Value) (starlark.Value, error) {
	length := 0
	switch w := v.(type) {
	case starlark.Int:
		if _, small := w.Int64(); !small {
			_, err := digitsOf(w)
			return v, err
		}
	case starlark.String:
		length = len(w)
	case starlark.Bytes, *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		text, err := TextOf(v, t.session.poll)
		if err != nil {
			return nil, err
		}
		v, length = &fixed{v, text}, len(text)
	case *fixed:
		length = len(w.text)
	}
	t.bytes, t.longest = t.bytes+float64(length), max(t.longest, float64(length))
	return v, memory.Need("a string", 2*t.bytes)
}

// fixed is a value whose text is already computed.
type fixed struct {
	starlark.Value
	text string
}

// String implements starlark.Value.
func (f *fixed) String() string { return f.text }

// namedTexts is a dict on the right of %, read by key: %(key)s.
type namedTexts struct {
	starlark.Value
	dict  *starlark.Dict
	known map[starlark.Value]starlark.Value // replaced values by key
	texts *texts
}

// Get implements starlark.Mapping.
func (n *namedTexts) Get(k starlark.Value) (v starlark.Value, found bool, err error) {
	if v, found = n.known[k]; !found {
		v, found, err = n.dict.Get(k)
	}
	if found {
		if v, err = n.texts.argument(v); err != nil {
			throw(err) // the interpreter drops the error of Get
		}
		n.known[k] = v
	}
	return v, found, err
}

// String implements starlark.Value.
func (n *namedTexts) String() string {
	text, err := TextOf(n.dict, n.texts.session.poll)
	if err != nil {
		throw(err)
	}
	return text
}

// braces runs string.format. It requests memory as if every field wrote the longest argument.
func braces(n native) (starlark.Value, error) {
	t := &texts{session: n.Session}
	n.args, n.kwargs = slices.Clone(n.args), slices.Clone(n.kwargs)
	err := t.all(n.args)
	for i, kw := range n.kwargs {
		n.kwargs[i] = slices.Clone(kw)
		if err == nil {
			err = t.all(n.kwargs[i][1:])
		}
	}
	if err == nil {
		err = memory.Need("a string", 2*(float64(len(n.text()))+t.longest*float64(strings.Count(n.text(), "{"))))
	}
	if err != nil {
		return nil, err
	}
	return n.run()
}
