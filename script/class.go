package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dpworkbench/display"
	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Class gives the Go type T a face in scripts. A class is a constant table.
type Class[T any] struct {
	Name    string
	Wanted  string // the description of a parameter of this class; "" is "a " and the name
	Help    string
	Example string // "" prints the result of Setup
	Setup   string // lines that end in an assignment, with which the examples of attributes begin
	Attrs   []Attr[T]
	Show    func(v T) string                    // one line; nil prints <name>
	Draw    func(v T, caps display.Caps) string // several lines for the prompt; nil if show suffices
	JSON    func(v T) starlark.Value            // its JSON form; nil if there is none
	Algebra *Algebra[T]                         // its operators; nil if there are none
	Once    string                              // why the call that made a value cannot be repeated; "" if it can
	Origin  func(v T) Origin                    // the call for a value that no call made; nil if there is none
	Answers Answers[T]                          // by name: answers for functions such as compare and verify
}

// Answers are functions on the values of a class for use by Go code, not by scripts, by name.
type Answers[T any] map[string]func(c *Call, v T) (any, error)

// Algebra are the operators of a class. Each reports whether it knows the other value.
type Algebra[T any] struct {
	Unary   func(op syntax.Token, v T) (T, bool)
	Binary  func(op syntax.Token, v T, y starlark.Value, right bool) (T, bool, error) // right: v is the right operand of y
	Compare func(op syntax.Token, v T, y starlark.Value, right bool) (is, ok bool, err error)
	Truth   func(v T) // called when the value is used as a truth value
}

// Attr is an attribute or a method of a class.
type Attr[T any] struct {
	name    string
	text    string // the declaration
	help    string
	example string
	only    func(v T) bool // nil if every value has the attribute
	absent  string         // advice for values without the attribute; "" says that others have it
	varies  bool           // it may change: the result is not cached
	run     func(c *Call, v T) (any, error)
}

// Get returns the attribute of a declaration, read off a value. An example "" prints
// it of what the class's Setup makes.
func Get[T any](declaration, help, example string, f func(v T) any) Attr[T] {
	return Do(declaration, help, example, func(_ *Call, v T) (any, error) { return f(v), nil })
}

// Do returns the method of a declaration, or without parentheses the attribute, that
// is computed. An example that begins with "(" holds the arguments of a call on what
// the class's Setup makes, which is printed.
func Do[T any](declaration, help, example string, f func(c *Call, v T) (any, error)) Attr[T] {
	return Attr[T]{name: nameOf(declaration), text: declaration, help: help, example: example, run: f}
}

// If returns the attribute for values that pass a test; absent says what to do with
// others, "" that others have it.
func (a Attr[T]) If(only func(v T) bool, absent string) Attr[T] {
	a.only, a.absent = only, absent
	return a
}

// After returns the attribute with an example that begins with other lines than those of its class, which
// end in an assignment to m.
func (a Attr[T]) After(setup string) Attr[T] {
	if a.example == "" || a.example[0] == '(' {
		a.example = setup + "print(m." + a.name + a.example + ")"
	}
	return a
}

// Varying returns the attribute as one that may answer differently later.
func (a Attr[T]) Varying() Attr[T] {
	a.varies = true
	return a
}

// Without returns the attributes except for those of some names.
func Without[T any](attrs []Attr[T], names ...string) []Attr[T] {
	return slices.DeleteFunc(attrs, func(a Attr[T]) bool { return slices.Contains(names, a.name) })
}

// doc returns the manual entry of an attribute.
func (k *Class[T]) doc(a *Attr[T]) *Doc {
	d := &Doc{Name: k.Name + "." + a.name, Help: a.help, Example: a.example, text: a.text}
	if a.example == "" || a.example[0] == '(' {
		d.Example = k.printed("." + a.name + a.example)
	}
	if strings.HasPrefix(d.Example, k.Setup) {
		d.setup = k.Setup
	}
	return d
}

// printed returns the example that prints something of what Setup makes.
func (k *Class[T]) printed(what string) string {
	return k.Setup + "print(" + k.usual() + what + ")"
}

// usual returns the name of the value that Setup makes.
func (k *Class[T]) usual() string {
	return nameOf(k.Setup[strings.LastIndexByte(strings.TrimSuffix(k.Setup, "\n"), '\n')+1:])
}

// manual implements Type.
func (k *Class[T]) manual() []*Doc {
	docs := []*Doc{{Name: k.Name, Help: k.Help, Example: cmp.Or(k.Example, k.printed("")), text: k.Name}}
	for i := range k.Attrs {
		docs = append(docs, k.doc(&k.Attrs[i]))
	}
	return docs
}

// Of wraps v for scripts.
func (k *Class[T]) Of(c *Call, v T) *Object[T] { return &Object[T]{class: k, session: c.Session, v: v} }

// typeName implements Type.
func (k *Class[T]) typeName() string { return k.Name }

// wrap implements Type: a T, or a slice of them, as a script value.
func (k *Class[T]) wrap(c *Call, v any) starlark.Value {
	switch v := v.(type) {
	case T:
		return k.Of(c, v)
	case []T:
		return List(v, func(x T) starlark.Value { return k.Of(c, x) })
	}
	return nil
}

// kind implements Type.
func (k *Class[T]) kind() Kind {
	return KindOf(k.Name, reader(cmp.Or(k.Wanted, "a "+k.Name), func(v starlark.Value) (T, bool) { return Unwrap(v, k) }))
}

// Arg returns the Go value of a parameter that is declared to be of the class; the
// zero value for None.
func (k *Class[T]) Arg(c *Call, name string) T { return arg[T](c, name) }

// Unwrap returns the Go value inside a script value of class k.
func Unwrap[T any](v starlark.Value, k *Class[T]) (x T, ok bool) {
	if o, ok := v.(*Object[T]); ok && o.class == k {
		return o.v, true
	}
	return x, false
}

// Object is a script value of some class.
type Object[T any] struct {
	class   *Class[T]
	session *Session
	v       T

	made     atomic.Pointer[making] // the call that made it
	operated *Origin                // the operator that made it; nil elsewhere
	memo     sync.Map               // methods and immutable attribute values already computed, by name
}

// Inspectable is a script value whose attributes have help.
type Inspectable interface {
	starlark.HasAttrs
	attrDoc(name string) *Doc
}

// String implements starlark.Value.
func (o *Object[T]) String() string {
	if o.class.Show == nil {
		return "<" + o.class.Name + ">"
	}
	return o.class.Show(o.v)
}

// Type implements starlark.Value.
func (o *Object[T]) Type() string { return o.class.Name }

// Freeze implements starlark.Value: objects are immutable.
func (o *Object[T]) Freeze() {}

// Truth implements starlark.Value.
func (o *Object[T]) Truth() starlark.Bool {
	if a := o.class.Algebra; a != nil && a.Truth != nil {
		a.Truth(o.v)
	}
	return true
}

// Hash implements starlark.Value: objects are equal only to themselves, except for those that compare.
func (o *Object[T]) Hash() (uint32, error) {
	if a := o.class.Algebra; a != nil && a.Compare != nil {
		return 0, fmt.Errorf("unhashable type: %s", o.Type())
	}
	return starlark.String(fmt.Sprintf("%p", o)).Hash()
}

// names returns the attributes that a value has, sorted.
func (k *Class[T]) names(v T) []string {
	var names []string
	for i := range k.Attrs {
		if a := &k.Attrs[i]; a.only == nil || a.only(v) {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return names
}

func (k *Class[T]) find(v T, name string) *Attr[T] {
	for i := range k.Attrs {
		if a := &k.Attrs[i]; a.name == name && (a.only == nil || a.only(v)) {
			return a
		}
	}
	return nil
}

// read returns an attribute of a value that belongs to no session; a method has that
// of the thread that calls it.
func (k *Class[T]) read(v T, name string) (starlark.Value, error) {
	a := k.find(v, name)
	if a == nil {
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s", k.Name, name))
	}
	c := &Call{declaration: declare(a.text)}
	if c.declaration.callable {
		return &Function{doc: k.doc(a), self: any(v).(starlark.Value), usual: k.usual(), run: func(c *Call) (any, error) { return a.run(c, v) }}, nil
	}
	result, err := a.run(c, v)
	return c.give(result), err
}

func (k *Class[T]) attrDoc(v T, name string) *Doc {
	if a := k.find(v, name); a != nil {
		return k.doc(a)
	}
	return nil
}

// AttrNames implements starlark.HasAttrs.
func (o *Object[T]) AttrNames() []string { return o.class.names(o.v) }

// Attr implements starlark.HasAttrs.
func (o *Object[T]) Attr(name string) (starlark.Value, error) {
	a := o.class.find(o.v, name)
	if a == nil {
		if i := slices.IndexFunc(o.class.Attrs, func(a Attr[T]) bool { return a.name == name }); i >= 0 {
			why := cmp.Or(o.class.Attrs[i].absent, "only some values of type "+o.class.Name+" have it")
			return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s: %s", o, name, why))
		}
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s%s", o.class.Name, name, o.related(name))) // Starlark adds the nearest
	}
	if v, ok := o.memo.Load(name); ok {
		return v.(starlark.Value), nil
	}
	run := func(c *Call) (any, error) { return a.run(c, o.v) }
	d := declare(a.text)
	if d.callable {
		f := &Function{doc: o.class.doc(a), session: o.session, self: o, usual: o.class.usual(), run: run}
		o.memo.Store(name, f)
		return f, nil
	}
	v, err := invoke(&Call{Context: o.session.context(), Session: o.session, Name: o.class.Name + "." + name, declaration: d, self: o}, run)
	if err == nil && !a.varies && immutable(v) {
		o.memo.Store(name, v)
	}
	return v, err
}

// related names the attributes that share a word with a name which is none.
func (o *Object[T]) related(name string) string {
	names := o.AttrNames()
	if nearest.Name(name, names) != "" {
		return ""
	}
	var out []string
	for _, known := range names {
		for word := range strings.SplitSeq(name, "_") {
			if len(word) >= 3 && strings.Contains("_"+known, "_"+word) && !slices.Contains(out, "."+known) {
				out = append(out, "."+known)
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ": there is " + strings.Join(out, ", ")
}

// immutable reports whether handing the same value out twice is safe.
func immutable(v starlark.Value) bool {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, Inspectable:
		return true
	}
	return false
}

// AnyObject is an [Object] of any class.
type AnyObject interface {
	starlark.Value
	// Inner returns the Go value of the class.
	Inner() any
	// Cached returns the result of make, which is called once for each name.
	Cached(name string, make func() (any, error)) (any, error)
	// Ask returns the class's answer of that name, nil if it has none.
	Ask(c *Call, name string) (any, error)
}

// cached is a cached value that is no attribute.
type cached struct{ of any }

// Inner implements AnyObject.
func (o *Object[T]) Inner() any { return o.v }

// Ask implements AnyObject.
func (o *Object[T]) Ask(c *Call, name string) (any, error) {
	if answer := o.class.Answers[name]; answer != nil {
		return answer(c, o.v)
	}
	return nil, nil
}

// Cached implements AnyObject.
func (o *Object[T]) Cached(name string, make func() (any, error)) (any, error) {
	key := "(" + name + ")" // no attribute has such a name
	if v, ok := o.memo.Load(key); ok {
		return v.(cached).of, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	first, _ := o.memo.LoadOrStore(key, cached{v})
	return first.(cached).of, nil
}

// jsonValue implements jsonable.
func (o *Object[T]) jsonValue() starlark.Value {
	if o.class.JSON == nil {
		return nil
	}
	return o.class.JSON(o.v)
}

// figure returns the table or picture that the value is, nil for any other.
func (o *Object[T]) figure() display.Figure {
	if f, ok := any(o.v).(interface{ Shown() display.Figure }); ok {
		return f.Shown()
	}
	return nil
}

// Figure returns the table or picture that a value is, nil for any other.
func Figure(v starlark.Value) display.Figure {
	if o, ok := v.(interface{ figure() display.Figure }); ok {
		return o.figure()
	}
	return nil
}

// drawOn renders the value for the prompt; ok is false if String will do.
func (o *Object[T]) drawOn(caps display.Caps) (text string, ok bool) {
	if o.class.Draw == nil {
		return "", false
	}
	return o.class.Draw(o.v, caps), true
}

func (o *Object[T]) attrDoc(name string) *Doc { return o.class.attrDoc(o.v, name) }
