package repl

import (
	"fmt"

	"go.starlark.net/starlark"
)

// hoarders are Starlark's functions that put all elements of their arguments
// into memory at once, and cannot be interrupted meanwhile.
var hoarders = []string{"enumerate", "list", "reversed", "set", "sorted", "tuple", "zip"}

// maxElements is the number of elements that they accept: 2 GiB of values.
const maxElements = 1 << 27

// bounded returns Starlark's function of that name, refusing what would exhaust
// memory and with it the session.
func bounded(name string) *starlark.Builtin {
	f := starlark.Universe[name].(*starlark.Builtin)
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		for _, x := range args {
			if n := starlark.Len(x); n > maxElements {
				return nil, fmt.Errorf("%s: %d elements would take %d GiB, want at most %d elements: loop over them instead", name, n, n>>26, maxElements)
			}
		}
		return f.CallInternal(thread, args, kwargs)
	})
}

// polled returns Starlark's any (until true) or all (until false), which can be
// interrupted.
func (s *Session) polled(name string, until bool) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var items starlark.Iterable
		if err := starlark.UnpackPositionalArgs(name, args, kwargs, 1, &items); err != nil {
			return nil, err
		}
		i := 0
		for x := range starlark.Elements(items) {
			if i++; i%4096 == 0 && s.context().Err() != nil {
				return nil, errStopped
			}
			if bool(x.Truth()) == until {
				return starlark.Bool(until), nil
			}
		}
		return starlark.Bool(!until), nil
	})
}
