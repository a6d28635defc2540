package script

import (
	"fmt"
	"strings"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
)

// native is a call of one of Starlark's own functions, or of a method of a string, list, dict or set. b has the name of
// that function or method, and the same receiver.
type native struct {
	*Session
	thread *starlark.Thread
	b      *starlark.Builtin
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

// bounded replaces one of Starlark's own functions. It checks a call and then runs the original, or computes the result
// itself.
type bounded func(n native) (starlark.Value, error)

// bound returns the built-in of the given name that runs f. It has no receiver.
func (s *Session) bound(name string, f bounded) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return f(native{s, thread, b, args, kwargs})
	})
}

// run calls the original function or method.
func (n native) run() (starlark.Value, error) {
	f := starlark.Universe[n.b.Name()]
	if r := n.b.Receiver(); r != nil {
		f, _ = r.(starlark.HasAttrs).Attr(n.b.Name())
	}
	return f.(*starlark.Builtin).CallInternal(n.thread, n.args, n.kwargs)
}

// text returns the string whose method is called.
func (n native) text() string { return string(n.b.Receiver().(starlark.String)) }

// hold returns an error if memory does not suffice for a result that takes each bytes per element of an argument.
func (n native) hold(what string, each float64) error {
	for _, arg := range n.args {
		length := starlark.Len(arg)
		if err := memory.Need(fmt.Sprintf("%s of %d elements", what, length), float64(length)*each); err != nil {
			return err
		}
	}
	return nil
}

// holding returns a bounded function for an original that puts all elements of its arguments into memory at once and
// cannot be interrupted.
func holding(what string, each float64) bounded {
	return func(n native) (starlark.Value, error) {
		if err := n.hold(what, each); err != nil {
			return nil, fmt.Errorf("%s: %w", n.b.Name(), err)
		}
		return withKeptTuples(n.run())
	}
}

// after returns a bounded function that runs the original if need returns no error.
func after(need func(native) error) bounded {
	return func(n native) (starlark.Value, error) {
		if err := need(n); err != nil {
			return nil, err
		}
		return n.run()
	}
}

// boundedMethod reports whether some type has a bounded method of that name.
func boundedMethod(name string) bool {
	return stringMethods[name] != nil || listMethods[name] != nil || dictMethods[name] != nil || setMethods[name] != nil
}

// receiver wraps a value whose method is about to be read. Its Attr returns the bounded method if there is one.
type receiver struct {
	starlark.HasAttrs
	methods map[string]*starlark.Builtin
}

// methods returns bounded methods as built-ins that are not yet bound to a receiver.
func (s *Session) methods(of map[string]bounded) map[string]*starlark.Builtin {
	out := make(map[string]*starlark.Builtin, len(of))
	for name, f := range of {
		out[name] = s.bound(name, f)
	}
	return out
}

// guardMethod returns the guard of the left side of a dot.
func (s *Session) guardMethod() func(starlark.Value) (starlark.Value, error) {
	texts, lists, dicts, sets := s.methods(stringMethods), s.methods(listMethods), s.methods(dictMethods), s.methods(setMethods)
	return func(v starlark.Value) (starlark.Value, error) {
		switch v := v.(type) {
		case starlark.String:
			return &receiver{v, texts}, nil
		case *starlark.List:
			return &receiver{v, lists}, nil
		case *starlark.Dict:
			return &receiver{v, dicts}, nil
		case *starlark.Set:
			return &receiver{v, sets}, nil
		}
		return v, nil
	}
}

// Attr implements starlark.HasAttrs.
func (r *receiver) Attr(name string) (starlark.Value, error) {
	if b, ok := r.methods[name]; ok {
		return b.BindReceiver(r.HasAttrs), nil
	}
	return r.HasAttrs.Attr(name)
}

// Methods that may need far more memory than their receiver, or that make tuples.
var (
	stringMethods = map[string]bounded{"format": braces, "join": after(joinNeeds), "replace": after(replaceNeeds), "rsplit": rsplit}
	listMethods   = map[string]bounded{"extend": holding("a list", elementSize)}
	dictMethods   = map[string]bounded{"items": holding("", 0), "popitem": holding("", 0), "update": holding("a dict", entrySize)}
	setMethods    = map[string]bounded{
		"union": holding("a set", entrySize), "update": holding("a set", entrySize),
		"difference": combining, "intersection": combining, "symmetric_difference": combining, "issubset": combining, "issuperset": combining,
	}
)

// Bytes of memory for one entry of a dict or set, including its share of the hash table, and for one pair in a list.
const (
	entrySize = 120
	pairSize  = 72
)

// joinNeeds checks the memory for the string that join makes.
func joinNeeds(n native) error {
	if len(n.args) != 1 {
		return nil
	}
	items, ok := n.args[0].(starlark.Iterable)
	if !ok {
		return nil
	}
	total := 0
	for x := range starlark.Elements(items) {
		part, ok := x.(starlark.String)
		if !ok {
			return nil // Starlark reports the error
		}
		total += len(n.text()) + len(part)
	}
	return memory.Need("a string", float64(total))
}

func replaceNeeds(n native) error {
	if len(n.args) < 2 {
		return nil
	}
	s := n.text()
	from, ok1 := starlark.AsString(n.args[0])
	to, ok2 := starlark.AsString(n.args[1])
	if !ok1 || !ok2 || len(to) <= len(from) || float64(len(s)+1)*float64(len(to)+1) < longText {
		return nil
	}
	times := float64(strings.Count(s, from))
	if len(n.args) > 2 {
		if most, ok := ToInt(n.args[2]); ok && most >= 0 {
			times = min(times, float64(most))
		}
	}
	return memory.Need("a string", float64(len(s))+times*float64(len(to)-len(from)))
}

// rsplit limits the number of splits to the number of characters, because Starlark allocates as many parts as
// requested.
func rsplit(n native) (starlark.Value, error) {
	if len(n.args) > 1 {
		if most, ok := n.args[1].(starlark.Int); ok && float64(most.Float()) > float64(len(n.text())) {
			n.args = starlark.Tuple{n.args[0], starlark.MakeInt(len(n.text()))}
		}
	}
	return n.run()
}

// combining runs a method of a set that takes another collection.
func combining(n native) (starlark.Value, error) {
	if len(n.args) == 0 && len(n.kwargs) == 0 { // Starlark would use a nil argument and panic
		return nil, fmt.Errorf("%s: got 0 arguments, want 1", n.b.Name())
	}
	return holding("a set", entrySize)(n)
}
