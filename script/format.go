package script

import (
	"cmp"
	"slices"
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
	return f.run(func() (starlark.Value, error) { return starlark.Binary(syntax.PERCENT, format, arguments) })
}

// run formats, the arguments being bounded.
func (f *formatting) run(format func() (starlark.Value, error)) (starlark.Value, error) {
	if f.err != nil {
		return nil, f.err
	}
	v, err := format()
	return v, cmp.Or(f.err, err)
}

// short reports whether arguments are numbers and strings that make a short text
// whatever the format does with them.
func short(length int, arguments starlark.Value) bool {
	all, ok := arguments.(starlark.Tuple)
	if !ok {
		all = starlark.Tuple{arguments}
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
func braces(n native) (starlark.Value, error) {
	format := n.text()
	if len(n.kwargs) == 0 && short(len(format), n.args) && strings.Count(format, "{") <= len(n.args) {
		return n.run()
	}
	f := &formatting{session: n.Session, quotes: strings.Contains(format, "!r")}
	f.add(len(format))
	n.args, n.kwargs = slices.Clone(n.args), slices.Clone(n.kwargs)
	for i, v := range n.args {
		n.args[i] = f.argument(v)
	}
	for i, kw := range n.kwargs {
		n.kwargs[i] = starlark.Tuple{kw[0], f.argument(kw[1])}
	}
	return f.run(n.run)
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
		return &dictArgument{argument{v, f}, v}
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
		case len(w) < longText, f.quotes: // in quotes or not: it counts as though it were
			f.add(4 * len(w))
			return v
		case f.now:
			f.add(len(w))
			return v
		}
		return &argument{v, f}
	case starlark.Bytes, *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		if f.now && f.err == nil {
			text, err := TextOf(v, f.session.poll)
			f.err = err
			f.add(len(text))
			return &fixed{v, text}
		}
		return &argument{v, f}
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

// argument is an argument that is written by this package.
type argument struct {
	starlark.Value
	f *formatting
}

// String implements starlark.Value.
func (a *argument) String() string {
	f := a.f
	if f.err != nil {
		return ""
	}
	text, err := TextOf(a.Value, f.session.poll)
	f.err = err
	f.add(len(text))
	if f.err != nil && f.throws {
		throw(f.err)
	}
	if f.err != nil {
		return ""
	}
	return text
}

// fixed is an argument whose text is known.
type fixed struct {
	starlark.Value
	text string
}

// String implements starlark.Value.
func (f *fixed) String() string { return f.text }

// dictArgument is a dict on the right of %, whose values %(key)s names.
type dictArgument struct {
	argument
	dict *starlark.Dict
}

// Get implements starlark.Mapping.
func (a *dictArgument) Get(k starlark.Value) (starlark.Value, bool, error) {
	v, found, err := a.dict.Get(k)
	if found {
		v = a.f.argument(v)
	}
	return v, found, err
}
