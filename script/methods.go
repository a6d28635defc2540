package script

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
)

// method is what stands before a method of a string, a list, a dict or a set: it
// looks at the call before the method runs, and may run it itself. b is bound to
// its receiver.
type method func(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// takesMemory names the methods that are guarded.
var takesMemory = func() map[string]bool {
	out := make(map[string]bool)
	for _, methods := range []map[string]method{stringMethods, listMethods, dictMethods, setMethods} {
		for name := range methods {
			out[name] = true
		}
	}
	return out
}()

// receiver stands for a value whose method is about to be taken.
type receiver struct {
	v       starlark.HasAttrs
	methods map[string]*starlark.Builtin
}

// methods returns guarded methods as built-ins without a receiver.
func (s *Session) methods(of map[string]method) map[string]*starlark.Builtin {
	out := make(map[string]*starlark.Builtin, len(of))
	for name, run := range of {
		out[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return run(s, b, args, kwargs)
		})
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

func (r *receiver) String() string        { return r.v.String() }
func (r *receiver) Type() string          { return r.v.Type() }
func (r *receiver) Freeze()               { r.v.Freeze() }
func (r *receiver) Truth() starlark.Bool  { return r.v.Truth() }
func (r *receiver) Hash() (uint32, error) { return r.v.Hash() }
func (r *receiver) AttrNames() []string   { return r.v.AttrNames() }

// Attr implements starlark.HasAttrs.
func (r *receiver) Attr(name string) (starlark.Value, error) {
	if b, ok := r.methods[name]; ok {
		return b.BindReceiver(r.v), nil
	}
	return r.v.Attr(name)
}

// original returns Starlark's method of the same name and receiver.
func original(b *starlark.Builtin) *starlark.Builtin {
	v, err := b.Receiver().(starlark.HasAttrs).Attr(b.Name())
	if err != nil {
		panic(err) // it had the attribute
	}
	return v.(*starlark.Builtin)
}

// after runs Starlark's method where need says that there is memory.
func after(need func(receiver starlark.Value, args starlark.Tuple) error) method {
	return func(_ *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := need(b.Receiver(), args); err != nil {
			return nil, err
		}
		return original(b).CallInternal(nil, args, kwargs)
	}
}

var stringMethods = map[string]method{
	"format":     (*Session).braces,
	"join":       join,
	"replace":    after(replaceNeeds),
	"split":      after(splitNeeds),
	"rsplit":     rsplit,
	"splitlines": after(func(v starlark.Value, _ starlark.Tuple) error { return piecesNeed(v, "\n") }),
	"upper":      after(caseNeeds),
	"lower":      after(caseNeeds),
	"title":      after(caseNeeds),
	"capitalize": after(caseNeeds),
}

// join adds up the lengths before it joins.
func join(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return original(b).CallInternal(nil, args, kwargs)
	}
	if items, ok := args[0].(starlark.Iterable); ok && starlark.Len(items) < 0 {
		vs, err := s.collect("a list", items, 16)
		if err != nil {
			return nil, err
		}
		args = starlark.Tuple{starlark.Tuple(vs)}
	}
	sep := string(b.Receiver().(starlark.String))
	total := 0
	parts, ok := stringsIn(args[0])
	for _, part := range parts {
		total += len(sep) + len(part)
	}
	if !ok {
		return original(b).CallInternal(nil, args, kwargs) // which says what is wrong
	}
	if err := memory.Need("a string", float64(total)); err != nil {
		return nil, err
	}
	return starlark.String(strings.Join(parts, sep)), nil
}

// stringsIn returns the elements of a sequence of strings.
func stringsIn(v starlark.Value) ([]string, bool) {
	items, ok := v.(starlark.Sequence)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, items.Len())
	if list, ok := v.(*starlark.List); ok { // the usual case, faster than an iterator
		for i := range list.Len() {
			part, ok := list.Index(i).(starlark.String)
			if !ok {
				return nil, false
			}
			out = append(out, string(part))
		}
		return out, true
	}
	for x := range starlark.Elements(items) {
		part, ok := x.(starlark.String)
		if !ok {
			return nil, false
		}
		out = append(out, string(part))
	}
	return out, true
}

func replaceNeeds(v starlark.Value, args starlark.Tuple) error {
	s := string(v.(starlark.String))
	if len(args) < 2 {
		return nil
	}
	from, ok1 := starlark.AsString(args[0])
	to, ok2 := starlark.AsString(args[1])
	if !ok1 || !ok2 || len(to) <= len(from) || float64(len(s)+1)*float64(len(to)+1) < longText {
		return nil
	}
	n := float64(strings.Count(s, from))
	if len(args) > 2 {
		if most, ok := ToInt(args[2]); ok && most >= 0 {
			n = min(n, float64(most))
		}
	}
	return memory.Need("a string", float64(len(s))+n*float64(len(to)-len(from)))
}

func splitNeeds(v starlark.Value, args starlark.Tuple) error {
	sep := ""
	if len(args) > 0 {
		sep, _ = starlark.AsString(args[0])
	}
	return piecesNeed(v, sep)
}

// piecesNeed asks for the memory of a list of the parts of a string.
func piecesNeed(v starlark.Value, sep string) error {
	const each = 48 // the part, its header twice
	s := string(v.(starlark.String))
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
func rsplit(_ *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	s := b.Receiver().(starlark.String)
	if err := splitNeeds(s, args); err != nil {
		return nil, err
	}
	if len(args) > 1 {
		if n, ok := args[1].(starlark.Int); ok && float64(n.Float()) > float64(len(s)) {
			args = starlark.Tuple{args[0], starlark.MakeInt(len(s))}
		}
	}
	return original(b).CallInternal(nil, args, kwargs)
}

// caseNeeds asks for a string in other letters, the longest of which take as many
// bytes as any.
func caseNeeds(v starlark.Value, _ starlark.Tuple) error {
	s := string(v.(starlark.String))
	if len(s) < longText {
		return nil
	}
	each := 1.0
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			each = utf8.UTFMax
			break
		}
	}
	return memory.Need("a string", each*float64(len(s)))
}

var listMethods = map[string]method{
	"extend": func(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 && len(kwargs) == 0 {
			if items, ok := args[0].(starlark.Iterable); ok {
				_, err := s.extend(b.Receiver().(*starlark.List), items)
				return starlark.None, err
			}
		}
		return original(b).CallInternal(nil, args, kwargs)
	},
}

// Bytes of one entry of a dict or set, its share of the table included, and of
// one pair in a list.
const (
	entrySize = 120
	pairSize  = 72
)

var dictMethods = map[string]method{
	"items":   pairs,
	"popitem": pairs,
	"keys": after(func(v starlark.Value, _ starlark.Tuple) error {
		return memory.Need("a list", 16*float64(starlark.Len(v)))
	}),
	"values": after(func(v starlark.Value, _ starlark.Tuple) error {
		return memory.Need("a list", 40*float64(starlark.Len(v)))
	}),
	"update": func(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		args, err := s.held("a dict", args, entrySize)
		if err != nil {
			return nil, err
		}
		return original(b).CallInternal(nil, args, kwargs)
	},
}

// pairs calls a method that makes tuples of what a dict holds.
func pairs(_ *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.Name() == "items" {
		if err := memory.Need("a list", pairSize*float64(starlark.Len(b.Receiver()))); err != nil {
			return nil, err
		}
	}
	v, err := original(b).CallInternal(nil, args, kwargs)
	if err != nil {
		return nil, err
	}
	return withKeptTuples(v)
}

// setMethods take one other set or list each, union and update any number of
// them.
var setMethods = map[string]method{
	"union": uniting, "update": uniting,
	"difference": combining, "intersection": combining, "symmetric_difference": combining,
	"issubset": combining, "issuperset": combining,
}

func uniting(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	args, err := s.held("a set", args, entrySize)
	if err != nil {
		return nil, err
	}
	return original(b).CallInternal(nil, args, kwargs)
}

func combining(s *Session, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 && len(kwargs) == 0 { // Starlark takes it for a set that is not there
		return nil, fmt.Errorf("%s: got 0 arguments, want 1", b.Name())
	}
	if err := memory.Need("a set", entrySize*float64(starlark.Len(b.Receiver()))); err != nil {
		return nil, err
	}
	return uniting(s, b, args, kwargs)
}

// held asks for what is made of the elements of iterables, of so many bytes each.
// Where nobody knows how many they are, it puts them into memory to see.
func (s *Session) held(what string, args starlark.Tuple, each float64) (starlark.Tuple, error) {
	for i, arg := range args {
		items, ok := arg.(starlark.Iterable)
		if !ok {
			continue
		}
		if n := starlark.Len(arg); n >= 0 {
			if err := memory.Need(fmt.Sprintf("%s of %d elements", what, n), float64(n)*each); err != nil {
				return nil, err
			}
			continue
		}
		vs, err := s.collect(what, items, each)
		if err != nil {
			return nil, err
		}
		args[i] = starlark.Tuple(vs) // a built-in owns its arguments
	}
	return args, nil
}
