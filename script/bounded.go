package script

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// universe returns Starlark's own functions, those that may take much memory or
// time, or walk over values by recursion, bounded.
func (s *Session) universe() starlark.StringDict {
	out := make(starlark.StringDict, len(starlark.Universe))
	for name, v := range starlark.Universe {
		out[name] = v
	}
	bound := func(name string, run builtinFunction) {
		out[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return run(thread, args, kwargs)
		})
	}
	// Bytes of one element in what these make.
	for name, each := range map[string]float64{"bytes": 1, "dict": entrySize, "enumerate": pairSize, "list": 16, "reversed": 16, "set": entrySize, "tuple": 16} {
		bound(name, s.holding(name, each))
	}
	bound("zip", s.zip)
	bound("sorted", s.sorted)
	bound("any", s.polled("any", true))
	bound("all", s.polled("all", false))
	bound("str", s.written("str", TextOf))
	bound("repr", s.written("repr", QuotedOf))
	bound("fail", s.fail)
	bound("print", s.print)
	bound("getattr", s.getattr)
	return out
}

// builtinFunction runs a built-in of Starlark.
type builtinFunction func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// starlarks returns Starlark's function of that name.
func starlarks(name string) builtinFunction {
	return starlark.Universe[name].(*starlark.Builtin).CallInternal
}

// holding bounds a function that puts all elements of its arguments into memory
// at once, and cannot be interrupted meanwhile.
func (s *Session) holding(name string, each float64) builtinFunction {
	f, what := starlarks(name), "a "+name
	switch name {
	case "bytes":
		what = "bytes"
	case "enumerate", "reversed":
		what = "a list"
	}
	return func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		args, err := s.held(what, args, each)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v, err := f(thread, args, kwargs)
		if err != nil {
			return nil, err
		}
		return withKeptTuples(v)
	}
}

// withKeptTuples returns v, a tuple or a list that was just made, its tuples of
// tuples bounded.
func withKeptTuples(v starlark.Value) (starlark.Value, error) {
	list, ok := v.(*starlark.List)
	if !ok {
		return keptTuple(v)
	}
	for i := range list.Len() {
		t, ok := list.Index(i).(starlark.Tuple)
		if !ok || !nests(t) {
			continue
		}
		kept, err := keptTuple(t)
		if err != nil {
			return nil, err
		}
		if err := list.SetIndex(i, kept); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// zip bounds zip by its shortest argument, and the width of its tuples.
func (s *Session) zip(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	rows, known := 0.0, false
	for i, arg := range args {
		items, ok := arg.(starlark.Iterable)
		if n := starlark.Len(arg); ok && n >= 0 {
			if !known || float64(n) < rows {
				rows, known = float64(n), true
			}
		} else if ok {
			vs, err := s.collect("a list", items, 16)
			if err != nil {
				return nil, fmt.Errorf("zip: %w", err)
			}
			args[i] = starlark.Tuple(vs)
		}
	}
	if err := memory.Need("a list", rows*float64(40+16*len(args))); err != nil {
		return nil, fmt.Errorf("zip: %w", err)
	}
	v, err := starlarks("zip")(thread, args, kwargs)
	if err != nil {
		return nil, err
	}
	return withKeptTuples(v)
}

// sorted is Starlark's, stopped where a comparison fails or the user interrupts.
func (s *Session) sorted(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (_ starlark.Value, err error) {
	var (
		items   starlark.Iterable
		key     starlark.Callable
		reverse bool
	)
	if err := starlark.UnpackArgs("sorted", args, kwargs, "iterable", &items, "key?", &key, "reverse?", &reverse); err != nil {
		return nil, err
	}
	o := order{session: s}
	if o.values, err = s.collect("a list", items, 32); err != nil {
		return nil, fmt.Errorf("sorted: %w", err)
	}
	o.keys = o.values
	if key != nil {
		o.keys = make([]starlark.Value, len(o.values))
		for i, v := range o.values {
			if o.keys[i], err = starlark.Call(thread, key, starlark.Tuple{v}, nil); err != nil {
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
	if o.compared++; o.compared%4096 == 0 {
		if err := o.session.poll(); err != nil {
			panic(thrown{err})
		}
	}
	less, err := compareValues(syntax.LT, o.keys[i], o.keys[j])
	if err != nil {
		panic(thrown{err})
	}
	return less
}

func (o *order) Swap(i, j int) {
	o.values[i], o.values[j] = o.values[j], o.values[i]
	if len(o.keys) > 0 && &o.keys[0] != &o.values[0] {
		o.keys[i], o.keys[j] = o.keys[j], o.keys[i]
	}
}

// thrown is a panic with an error that a method of Starlark's interfaces cannot
// return; the chunk ends with it.
type thrown struct{ err error }

// throw ends the chunk with an error.
func Throw(err error) { panic(thrown{err}) }

// poll reports an interruption.
func (s *Session) poll() error {
	if s.context().Err() != nil {
		return ErrStopped
	}
	return nil
}

// polled returns Starlark's any (until true) or all (until false), which can be
// interrupted.
func (s *Session) polled(name string, until bool) builtinFunction {
	return func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var items starlark.Iterable
		if err := starlark.UnpackPositionalArgs(name, args, kwargs, 1, &items); err != nil {
			return nil, err
		}
		i := 0
		for x := range starlark.Elements(items) {
			if i++; i%4096 == 0 && s.context().Err() != nil {
				return nil, ErrStopped
			}
			if bool(x.Truth()) == until {
				return starlark.Bool(until), nil
			}
		}
		return starlark.Bool(!until), nil
	}
}

// written returns str or repr.
func (s *Session) written(name string, write func(starlark.Value, func() error) (string, error)) builtinFunction {
	return func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 && len(kwargs) == 0 {
			if b, ok := args[0].(starlark.Bytes); !ok || name == "repr" {
				text, err := write(args[0], s.poll)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				return starlark.String(text), nil
			} else if err := memory.Need("a string", 3*float64(len(b))); err != nil { // U+FFFD for every byte
				return nil, err
			}
		}
		return starlarks(name)(thread, args, kwargs)
	}
}

// sentence joins the texts of values, strings and bytes as they are.
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

// fail is Starlark's: an error with a message.
func (s *Session) fail(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep, err := separator("fail", kwargs)
	if err != nil {
		return nil, err
	}
	text, err := s.sentence(args, sep)
	if err != nil {
		return nil, fmt.Errorf("fail: %w", err)
	}
	return nil, errors.New("fail: " + text)
}

// getattr is Starlark's, with the methods that guard.go guards after a dot.
func (s *Session) getattr(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 1 && len(kwargs) == 0 {
		if name, ok := starlark.AsString(args[1]); ok && takesMemory[name] {
			v, err := s.guarding[guardOf].take(args[0])
			if err != nil {
				return nil, err
			}
			args[0] = v
		}
	}
	return starlarks("getattr")(thread, args, kwargs)
}
