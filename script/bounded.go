package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// universe returns Starlark's own functions. Those that may take much memory or time, or that recurse into values, are
// replaced by versions with limits.
func (s *Session) universe() starlark.StringDict {
	out := maps.Clone(starlark.Universe)
	for name, f := range map[string]bounded{
		"bytes":     holding("bytes", 1),
		"dict":      holding("a dict", entrySize),
		"enumerate": holding("a list", pairSize),
		"list":      holding("a list", elementSize),
		"reversed":  holding("a list", elementSize),
		"set":       holding("a set", entrySize),
		"tuple":     holding("a tuple", elementSize),
		"zip":       zip,
		"sorted":    sorted,
		"any":       polled(true),
		"all":       polled(false),
		"str":       writing(TextOf),
		"repr":      writing(QuotedOf),
		"fail":      fail,
		"print":     func(n native) (starlark.Value, error) { return n.print(n.thread, n.args, n.kwargs) },
	} {
		out[name] = s.bound(name, f)
	}
	return out
}

// withKeptTuples returns v, a new tuple, or a new list of tuples, with keptTuple applied to each tuple. If err is not
// nil, it returns err.
func withKeptTuples(v starlark.Value, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	list, ok := v.(*starlark.List)
	if !ok {
		return keptTuple(v)
	}
	for i := range list.Len() {
		kept, err := keptTuple(list.Index(i))
		if err == nil {
			err = list.SetIndex(i, kept)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// zip is Starlark's zip with a bound on memory, which follows from the length of the shortest argument and the width of
// the tuples.
func zip(n native) (starlark.Value, error) {
	rows := -1
	for _, arg := range n.args {
		if length := starlark.Len(arg); length >= 0 && (rows < 0 || length < rows) {
			rows = length
		}
	}
	if err := memory.Need("a list", float64(rows)*float64(40+elementSize*len(n.args))); err != nil {
		return nil, fmt.Errorf("zip: %w", err)
	}
	return withKeptTuples(n.run())
}

// sorted is Starlark's sorted, which stops if a comparison fails or the user interrupts.
func sorted(n native) (_ starlark.Value, err error) {
	var (
		items   starlark.Iterable
		key     starlark.Callable
		reverse bool
	)
	if err := starlark.UnpackArgs("sorted", n.args, n.kwargs, "iterable", &items, "key?", &key, "reverse?", &reverse); err != nil {
		return nil, err
	}
	o := order{session: n.Session}
	if err := n.hold("a list", 2*elementSize); err != nil {
		return nil, fmt.Errorf("sorted: %w", err)
	}
	o.values = slices.Collect(starlark.Elements(items))
	o.keys = slices.Clone(o.values)
	if key != nil {
		for i, v := range o.values {
			if o.keys[i], err = starlark.Call(n.thread, key, starlark.Tuple{v}, nil); err != nil {
				return nil, err
			}
		}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case thrown:
			err = r.err
		default:
			panic(r)
		}
	}()
	if reverse {
		sort.Stable(sort.Reverse(&o))
	} else {
		sort.Stable(&o)
	}
	return starlark.NewList(o.values), nil
}

// order sorts values by keys.
type order struct {
	session      *Session
	keys, values []starlark.Value
	compared     int
}

func (o *order) Len() int { return len(o.values) }

func (o *order) Less(i, j int) bool {
	if o.compared++; o.compared%4096 == 0 && o.session.poll() != nil {
		throw(ErrStopped)
	}
	less, err := compareValues(syntax.LT, o.keys[i], o.keys[j])
	if err != nil {
		throw(err)
	}
	return less
}

func (o *order) Swap(i, j int) {
	o.values[i], o.values[j] = o.values[j], o.values[i]
	o.keys[i], o.keys[j] = o.keys[j], o.keys[i]
}

// thrown is a panic with an error that a method of Starlark's interfaces has no result to return. It ends the chunk
// with that error.
type thrown struct{ err error }

// throw ends the chunk with an error.
func throw(err error) { panic(thrown{err}) }

// poll returns ErrStopped if the session is interrupted.
func (s *Session) poll() error {
	if s.context().Err() != nil {
		return ErrStopped
	}
	return nil
}

// polled returns a version of Starlark's any (until = true) or all (until = false) that can be interrupted.
func polled(until bool) bounded {
	return func(n native) (starlark.Value, error) {
		var items starlark.Iterable
		if err := starlark.UnpackPositionalArgs(n.b.Name(), n.args, n.kwargs, 1, &items); err != nil {
			return nil, err
		}
		i := 0
		for x := range starlark.Elements(items) {
			if i++; i%4096 == 0 && n.poll() != nil {
				return nil, ErrStopped
			}
			if bool(x.Truth()) == until {
				return starlark.Bool(until), nil
			}
		}
		return starlark.Bool(!until), nil
	}
}

// writing returns the function str or repr, which formats its argument by write.
func writing(write func(starlark.Value, func() error) (string, error)) bounded {
	return func(n native) (starlark.Value, error) {
		if len(n.args) != 1 || len(n.kwargs) > 0 {
			return n.run()
		}
		if b, ok := n.args[0].(starlark.Bytes); ok && n.b.Name() == "str" {
			if err := memory.Need("a string", 3*float64(len(b))); err != nil { // every byte may become U+FFFD, which takes three
				return nil, err
			}
			return n.run()
		}
		text, err := write(n.args[0], n.poll)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.b.Name(), err)
		}
		return starlark.String(text), nil
	}
}

// sentence joins the texts of values. Strings and bytes are written without quotes.
func (s *Session) sentence(args starlark.Tuple, sep string) (string, error) {
	if len(args) == 1 {
		return s.word(args[0])
	}
	var b strings.Builder
	for i, v := range args {
		text, err := s.word(v)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text = sep + text
		}
		if err := memory.Need("a line of text", 2*float64(b.Len()+len(text))); err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (s *Session) word(v starlark.Value) (string, error) {
	if b, ok := v.(starlark.Bytes); ok {
		return string(b), nil
	}
	return TextOf(v, s.poll)
}

// separator reads the parameter sep of print and fail.
func separator(name string, kwargs []starlark.Tuple) (string, error) {
	sep := " "
	err := starlark.UnpackArgs(name, nil, kwargs, "sep?", &sep)
	return sep, err
}

// fail is Starlark's fail: it returns an error with a message.
func fail(n native) (starlark.Value, error) {
	sep, err := separator("fail", n.kwargs)
	if err != nil {
		return nil, err
	}
	text, err := n.sentence(n.args, sep)
	if err != nil {
		return nil, fmt.Errorf("fail: %w", err)
	}
	return nil, errors.New("fail: " + text)
}
