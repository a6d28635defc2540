package script

import (
	"strings"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// formatting gives Starlark's % and format arguments whose text is bounded: a
// value that holds values is replaced by one that knows its text, and every use
// of it counts.
type formatting struct {
	session *Session
	quotes  bool // strings may be written in quotes
	throws  bool // nobody looks at err
	now     bool // an argument is written when it is bounded
	bytes   float64
	err     error // of an argument that could not be written
}

// percent is format % arguments.
func (s *Session) percent(format starlark.String, arguments starlark.Value) (starlark.Value, error) {
	if short(len(format), arguments) {
		return starlark.Binary(syntax.PERCENT, format, arguments)
	}
	f := &formatting{session: s, quotes: strings.Contains(string(format), "r")}
	f.add(len(format))
	arguments = f.arguments(arguments)
	if f.err != nil {
		return nil, f.err
	}
	v, err := starlark.Binary(syntax.PERCENT, format, arguments)
	if f.err != nil {
		return nil, f.err
	}
	return v, err
}

// short reports whether arguments are numbers and strings that make a short text
// whatever the format does with them.
func short(length int, arguments starlark.Value) bool {
	var one [1]starlark.Value
	all, ok := arguments.(starlark.Tuple)
	if !ok {
		one[0] = arguments
		all = one[:]
	}
	for _, v := range all {
		switch v := v.(type) {
		case starlark.Float, starlark.Bool, starlark.NoneType, *Evidence:
		case starlark.Int:
			if _, small := v.Int64(); !small {
				return false
			}
		case starlark.String:
			length += 4 * len(v)
		default:
			return false
		}
	}
	return length < longText
}

// braces is format.format(args…).
func (s *Session) braces(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	format := string(b.Receiver().(starlark.String))
	if len(kwargs) == 0 && short(len(format), args) && strings.Count(format, "{") <= len(args) {
		return original(b).CallInternal(nil, args, kwargs)
	}
	f := &formatting{session: s, quotes: strings.Contains(format, "!r")}
	f.add(len(format))
	bounded := make(starlark.Tuple, len(args))
	for i, v := range args {
		bounded[i] = f.argument(v)
	}
	named := make([]starlark.Tuple, len(kwargs))
	for i, kw := range kwargs {
		named[i] = starlark.Tuple{kw[0], f.argument(kw[1])}
	}
	if f.err != nil {
		return nil, f.err
	}
	v, err := original(b).CallInternal(nil, bounded, named)
	if f.err != nil {
		return nil, f.err
	}
	return v, err
}

// arguments bounds the right side of %.
func (f *formatting) arguments(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.Tuple:
		out := make(starlark.Tuple, len(v))
		for i, x := range v {
			out[i] = f.argument(x)
		}
		return out
	case *starlark.Dict:
		return &writtenDict{written{f, v}, v}
	}
	return f.argument(v)
}

// argument bounds one argument.
func (f *formatting) argument(v starlark.Value) starlark.Value {
	switch w := v.(type) {
	case starlark.Int:
		if _, err := digitsOf(w); err != nil && f.err == nil {
			f.err = err
		}
		return v
	case starlark.String:
		switch {
		case len(w) < longText:
			f.add(4 * len(w))
			return v
		case f.quotes: // in quotes or not: it counts as though it were
			f.add(4 * len(w))
			return v
		case f.now:
			f.add(len(w))
			return v
		}
		return &written{f, v}
	case starlark.Bytes, *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		if f.now && f.err == nil {
			text, err := TextOf(v, f.session.poll)
			f.err = err
			f.add(len(text))
			return &fixed{v, text}
		}
		return &written{f, v}
	}
	return v // a text of its own, and not a long one
}

// add counts bytes of the text, which takes twice as many while it grows.
func (f *formatting) add(bytes int) {
	f.bytes += float64(bytes)
	if f.err == nil {
		f.err = memory.Need("a string", 2*f.bytes)
	}
}

// written is an argument that is written by this package.
type written struct {
	f *formatting
	v starlark.Value
}

// String implements starlark.Value.
func (w *written) String() string {
	if w.f.err != nil {
		return ""
	}
	text, err := TextOf(w.v, w.f.session.poll)
	if w.f.err == nil {
		w.f.err = err
	}
	w.f.add(len(text))
	switch {
	case w.f.err == nil:
		return text
	case w.f.throws:
		panic(thrown{w.f.err})
	}
	return ""
}

func (w *written) Type() string          { return w.v.Type() }
func (w *written) Freeze()               {}
func (w *written) Truth() starlark.Bool  { return w.v.Truth() }
func (w *written) Hash() (uint32, error) { return w.v.Hash() }

// fixed is an argument whose text is known.
type fixed struct {
	starlark.Value
	text string
}

// String implements starlark.Value.
func (f *fixed) String() string { return f.text }

// writtenDict is a dict on the right of %, whose values %(key)s names.
type writtenDict struct {
	written
	dict *starlark.Dict
}

// Get implements starlark.Mapping.
func (w *writtenDict) Get(k starlark.Value) (starlark.Value, bool, error) {
	v, found, err := w.dict.Get(k)
	if found {
		v = w.f.argument(v)
	}
	return v, found, err
}
