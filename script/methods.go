package script

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
)

// native is a call of a function of Starlark, or of a method of a string, a list,
// a dict or a set. b is named as it, and bound to the same receiver.
type native struct {
	*Session
	thread *starlark.Thread
	b      *starlark.Builtin
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

// bounded is what stands before a function of Starlark: it looks at the call
// before that runs, and may run it itself.
type bounded func(n native) (starlark.Value, error)

// bound returns a bounded function, without a receiver.
func (s *Session) bound(name string, f bounded) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return f(native{s, thread, b, args, kwargs})
	})
}

// run runs Starlark's function.
func (n native) run() (starlark.Value, error) {
	f := starlark.Universe[n.b.Name()]
	if r := n.b.Receiver(); r != nil {
		f, _ = r.(starlark.HasAttrs).Attr(n.b.Name())
	}
	return f.(*starlark.Builtin).CallInternal(n.thread, n.args, n.kwargs)
}

// text returns the string whose method is called.
func (n native) text() string { return string(n.b.Receiver().(starlark.String)) }

// hold asks for what is made of the elements of the arguments, of so many bytes
// each. Where nobody knows how many they are, it puts them into memory to see.
func (n native) hold(what string, each float64) error {
	for i, arg := range n.args {
		items, ok := arg.(starlark.Iterable)
		if !ok {
			continue
		}
		if length := starlark.Len(arg); length >= 0 {
			if err := memory.Need(fmt.Sprintf("%s of %d elements", what, length), float64(length)*each); err != nil {
				return err
			}
			continue
		}
		vs, err := n.collect(what, items, each)
		if err != nil {
			return err
		}
		n.args[i] = starlark.Tuple(vs) // a built-in owns its arguments
	}
	return nil
}

// holding bounds a function that puts all elements of its arguments into memory
// at once, and cannot be interrupted meanwhile.
func holding(what string, each float64) bounded {
	return func(n native) (starlark.Value, error) {
		if err := n.hold(what, each); err != nil {
			return nil, fmt.Errorf("%s: %w", n.b.Name(), err)
		}
		return withKeptTuples(n.run())
	}
}

// after runs Starlark's function where need says that there is memory.
func after(need func(native) error) bounded {
	return func(n native) (starlark.Value, error) {
		if err := need(n); err != nil {
			return nil, err
		}
		return n.run()
	}
}

// takesMemory reports whether a method of that name is guarded.
func takesMemory(name string) bool {
	return stringMethods[name] != nil || listMethods[name] != nil || dictMethods[name] != nil || setMethods[name] != nil
}

// receiver stands for a value whose method is about to be taken.
type receiver struct {
	starlark.HasAttrs
	methods map[string]*starlark.Builtin
}

// methods returns guarded methods as built-ins without a receiver.
func (s *Session) methods(of map[string]bounded) map[string]*starlark.Builtin {
	out := make(map[string]*starlark.Builtin, len(of))
	for name, f := range of {
		out[name] = s.bound(name, f)
	}
	return out
}

// guardOf returns the guard of the left side of a dot.
func (s *Session) guardOf() func(starlark.Value) (starlark.Value, error) {
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

var stringMethods = map[string]bounded{
	"format":     braces,
	"join":       join,
	"replace":    after(replaceNeeds),
	"split":      after(splitNeeds),
	"rsplit":     rsplit,
	"splitlines": after(func(n native) error { return piecesNeed(n.text(), "\n") }),
	"upper":      after(caseNeeds),
	"lower":      after(caseNeeds),
	"title":      after(caseNeeds),
	"capitalize": after(caseNeeds),
}

// join adds up the lengths before it joins.
func join(n native) (starlark.Value, error) {
	if len(n.args) != 1 || len(n.kwargs) > 0 {
		return n.run()
	}
	items, ok := n.args[0].(starlark.Iterable)
	if !ok {
		return n.run()
	}
	list, ok := items.(starlark.Indexable)
	if !ok {
		vs, err := n.collect("a list", items, elementSize)
		if err != nil {
			return nil, err
		}
		list, n.args[0] = starlark.Tuple(vs), starlark.Tuple(vs)
	}
	sep, total, parts := n.text(), 0, make([]string, 0, min(list.Len(), longList))
	for i := range list.Len() {
		part, ok := list.Index(i).(starlark.String)
		if !ok {
			return n.run() // which says what is wrong
		}
		parts = append(parts, string(part))
		total += len(sep) + len(part)
	}
	if err := memory.Need("a string", float64(total)); err != nil {
		return nil, err
	}
	return starlark.String(strings.Join(parts, sep)), nil
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

func splitNeeds(n native) error {
	sep := ""
	if len(n.args) > 0 {
		sep, _ = starlark.AsString(n.args[0])
	}
	return piecesNeed(n.text(), sep)
}

// piecesNeed asks for the memory of a list of the parts of a string.
func piecesNeed(s, sep string) error {
	const each = 48 // the part, its header twice
	if len(s) < longText {
		return nil
	}
	n := len(s)/2 + 1 // between blanks
	if sep != "" {
		n = strings.Count(s, sep) + 1
	}
	return memory.Need(fmt.Sprintf("a list of %d strings", n), each*float64(n))
}

// rsplit splits at blanks at most as often as there are characters: Starlark
// would make room for as many parts as it is told.
func rsplit(n native) (starlark.Value, error) {
	if len(n.args) > 1 {
		if most, ok := n.args[1].(starlark.Int); ok && float64(most.Float()) > float64(len(n.text())) {
			n.args = starlark.Tuple{n.args[0], starlark.MakeInt(len(n.text()))}
		}
	}
	return after(splitNeeds)(n)
}

// caseNeeds asks for a string in other letters, the longest of which take as many
// bytes as any.
func caseNeeds(n native) error {
	s, each := n.text(), 1.0
	if len(s) < longText {
		return nil
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		each = utf8.UTFMax
	}
	return memory.Need("a string", each*float64(len(s)))
}

var listMethods = map[string]bounded{
	"extend": func(n native) (starlark.Value, error) {
		if len(n.args) == 1 && len(n.kwargs) == 0 {
			if items, ok := n.args[0].(starlark.Iterable); ok {
				_, err := n.extend(n.b.Receiver().(*starlark.List), items)
				return starlark.None, err
			}
		}
		return n.run()
	},
}

// Bytes of one entry of a dict or set, its share of the table included, and of
// one pair in a list.
const (
	entrySize = 120
	pairSize  = 72
)

var dictMethods = map[string]bounded{
	"items":   func(n native) (starlark.Value, error) { return withKeptTuples(listing(pairSize)(n)) },
	"popitem": func(n native) (starlark.Value, error) { return withKeptTuples(n.run()) },
	"keys":    listing(elementSize),
	"values":  listing(40),
	"update":  holding("a dict", entrySize),
}

// listing bounds a method that makes a list of what a dict holds, of so many bytes
// each.
func listing(each float64) bounded {
	return after(func(n native) error { return memory.Need("a list", each*float64(starlark.Len(n.b.Receiver()))) })
}

// setMethods take one other set or list each, union and update any number of
// them.
var setMethods = map[string]bounded{
	"union": holding("a set", entrySize), "update": holding("a set", entrySize),
	"difference": combining, "intersection": combining, "symmetric_difference": combining,
	"issubset": combining, "issuperset": combining,
}

func combining(n native) (starlark.Value, error) {
	if len(n.args) == 0 && len(n.kwargs) == 0 { // Starlark takes it for a set that is not there
		return nil, fmt.Errorf("%s: got 0 arguments, want 1", n.b.Name())
	}
	if err := memory.Need("a set", entrySize*float64(starlark.Len(n.b.Receiver()))); err != nil {
		return nil, err
	}
	return holding("a set", entrySize)(n)
}
