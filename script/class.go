package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"dpworkbench/display"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Class describes how scripts see values of the Go type T. A class is a constant table.
type Class[T any] struct {
	Name    string
	Wanted  string // the description of a parameter of this class; "" is "a " and the name
	Help    string
	Example string // "" prints the result of Setup
	Setup   string // lines of a script that the examples of attributes begin with; the last one is an assignment
	Attrs   []Attr[T]
	Show    func(v T) string                    // one line; nil prints <name>
	Draw    func(v T, caps display.Caps) string // several lines for the prompt; nil if Show suffices
	JSON    func(v T) starlark.Value            // its JSON form; nil if there is none
	Algebra *Algebra[T]                         // its operators; nil if there are none
	Once    string                              // why the call that made a value cannot be repeated; "" if it can
	Origin  func(v T) Origin                    // the call that makes an equal value, for values that no call made; nil if there is none
	Answers Answers[T]                          // functions for built-ins such as compare and verify, by name

	untyped atomic.Pointer[class]
}

// class is a Class whose functions take a value of type any, so that the code common to all classes is compiled only
// once.
type class struct {
	name, wanted, help, example, setup, once string

	attrs   []*attr
	show    func(v any) string
	draw    func(v any, caps display.Caps) string
	json    func(v any) starlark.Value
	algebra Algebra[any]
	origin  func(v any) Origin
	answers map[string]func(c *Call, v any) (any, error)
	wrap    func(c *Call, v any) starlark.Value // wraps a value of the type, or a slice of them; returns nil for others
}

// class implements Type.
func (k *Class[T]) class() *class {
	if known := k.untyped.Load(); known != nil {
		return known
	}
	u := &class{
		name: k.Name, wanted: cmp.Or(k.Wanted, "a "+k.Name), help: k.Help, example: k.Example, setup: k.Setup, once: k.Once,
		answers: make(map[string]func(c *Call, v any) (any, error)),
	}
	for _, a := range k.Attrs {
		u.attrs = append(u.attrs, a.of)
	}
	for name, f := range k.Answers {
		u.answers[name] = func(c *Call, v any) (any, error) { return f(c, as[T](v)) }
	}
	if k.Show != nil {
		u.show = func(v any) string { return k.Show(as[T](v)) }
	}
	if k.Draw != nil {
		u.draw = func(v any, caps display.Caps) string { return k.Draw(as[T](v), caps) }
	}
	if k.JSON != nil {
		u.json = func(v any) starlark.Value { return k.JSON(as[T](v)) }
	}
	if k.Origin != nil {
		u.origin = func(v any) Origin { return k.Origin(as[T](v)) }
	}
	if k.Algebra != nil {
		u.algebra = k.Algebra.untyped()
	}
	u.wrap = func(c *Call, v any) starlark.Value {
		switch v := v.(type) {
		case T:
			return &Object{class: u, session: c.Session, v: v}
		case []T:
			return List(v, func(x T) starlark.Value { return &Object{class: u, session: c.Session, v: x} })
		}
		return nil
	}
	if k.untyped.CompareAndSwap(nil, u) {
		return u
	}
	return k.untyped.Load()
}

// Answers are functions on the values of a class, by name. Go code uses them, and scripts do not see them.
type Answers[T any] map[string]func(c *Call, v T) (any, error)

// Algebra holds the operators of a class. Except for Truth, each function also reports whether the operator is defined
// for its operands.
type Algebra[T any] struct {
	Unary   func(op syntax.Token, v T) (T, bool)
	Binary  func(op syntax.Token, v T, y starlark.Value, right bool) (T, bool, error) // right: v is the right operand of y
	Compare func(op syntax.Token, v T, y starlark.Value, right bool) (is, ok bool, err error)
	Truth   func(v T) // called when the value is used as a truth value
}

// Attr is an attribute or a method of a class.
type Attr[T any] struct{ of *attr }

// attr is an Attr whose functions take a value of type any.
type attr struct {
	name    string
	text    string // the declaration
	help    string
	example string
	only    func(v any) bool // nil if every value has the attribute
	absent  string           // advice in the error for values without the attribute; "" says that other values have it
	varies  bool             // the result may change and is not cached
	run     func(c *Call, v any) (any, error)
}

// Get returns an attribute with the given declaration, which f reads from a value. If example is empty, the manual's
// example prints the attribute of the value that the class's Setup makes.
func Get[T any](declaration, help, example string, f func(v T) any) Attr[T] {
	return Do(declaration, help, example, func(_ *Call, v T) (any, error) { return f(v), nil })
}

// Do returns a method with the given declaration, or an attribute if the declaration has no parentheses. f computes it.
// An example that begins with "(" holds the arguments of a call on the value that the class's Setup makes, and the
// manual prints the result.
func Do[T any](declaration, help, example string, f func(c *Call, v T) (any, error)) Attr[T] {
	run := func(c *Call, v any) (any, error) { return f(c, as[T](v)) }
	return Attr[T]{&attr{name: nameOf(declaration), text: declaration, help: help, example: example, run: run}}
}

// as converts the Go value that an object of a class holds to T. For nil, which a T of an interface type may be, it
// returns the zero value.
func as[T any](v any) T {
	x, _ := v.(T)
	return x
}

// If returns the attribute restricted to values that pass the test only. absent is the advice in the error for other
// values. If it is "", the error says that other values have the attribute.
func (a Attr[T]) If(only func(v T) bool, absent string) Attr[T] {
	return Attr[T]{a.of.when(func(v any) bool { return only(as[T](v)) }, absent)}
}

func (a *attr) when(only func(v any) bool, absent string) *attr {
	b := *a
	b.only, b.absent = only, absent
	return &b
}

// After returns the attribute with an example that begins with setup instead of the class's Setup. The last line of
// setup must assign to m.
func (a Attr[T]) After(setup string) Attr[T] { return Attr[T]{a.of.after(setup)} }

func (a *attr) after(setup string) *attr {
	b := *a
	if a.example == "" || a.example[0] == '(' {
		b.example = setup + "print(m." + a.name + a.example + ")"
	}
	return &b
}

// Varying returns the attribute marked as one whose value may change, so that it is not cached.
func (a Attr[T]) Varying() Attr[T] { return Attr[T]{a.of.varying()} }

func (a *attr) varying() *attr {
	b := *a
	b.varies = true
	return &b
}

// Without returns the attributes except for those with the given names.
func Without[T any](attrs []Attr[T], names ...string) []Attr[T] {
	return slices.DeleteFunc(attrs, func(a Attr[T]) bool { return slices.Contains(names, a.of.name) })
}

// doc returns the manual entry of an attribute.
func (k *class) doc(a *attr) *Doc {
	d := &Doc{Name: k.name + "." + a.name, Help: a.help, Example: a.example, text: a.text}
	if a.example == "" || a.example[0] == '(' {
		d.Example = k.printed("." + a.name + a.example)
	}
	if strings.HasPrefix(d.Example, k.setup) {
		d.setup = k.setup
	}
	return d
}

// printed returns the example that prints the value that Setup makes, followed by what, such as ".size".
func (k *class) printed(what string) string {
	return k.setup + "print(" + k.usual() + what + ")"
}

// usual returns the name of the variable that Setup assigns.
func (k *class) usual() string {
	return nameOf(k.setup[strings.LastIndexByte(strings.TrimSuffix(k.setup, "\n"), '\n')+1:])
}

// manual returns the entries of the class and of its attributes.
func (k *class) manual() []*Doc {
	docs := []*Doc{{Name: k.name, Help: k.help, Example: cmp.Or(k.example, k.printed("")), text: k.name}}
	for _, a := range k.attrs {
		docs = append(docs, k.doc(a))
	}
	return docs
}

// Of wraps v for scripts.
func (k *Class[T]) Of(c *Call, v T) *Object {
	return &Object{class: k.class(), session: c.Session, v: v}
}

// kind returns the parameter kind that accepts values of the class.
func (k *class) kind() Kind {
	return KindOf(k.name, reader(k.wanted, func(v starlark.Value) (any, bool) {
		o, ok := v.(*Object)
		if !ok || o.class != k {
			return nil, false
		}
		return o.v, true
	}))
}

// Arg returns the Go value of the argument of a parameter declared with this class, and the zero value for None.
func (k *Class[T]) Arg(c *Call, name string) T { return arg[T](c, name) }

// Unwrap returns the Go value inside a script value of class k.
func Unwrap[T any](v starlark.Value, k *Class[T]) (x T, ok bool) {
	if o, ok := v.(*Object); ok && o.class == k.class() {
		return as[T](o.v), true
	}
	return x, false
}

// names returns the names of the attributes that a value has, sorted.
func (k *class) names(v any) []string {
	var names []string
	for _, a := range k.attrs {
		if a.only == nil || a.only(v) {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return names
}

func (k *class) find(v any, name string) *attr {
	for _, a := range k.attrs {
		if a.name == name && (a.only == nil || a.only(v)) {
			return a
		}
	}
	return nil
}

// read returns an attribute of a value that belongs to no session. If the attribute is a method, it uses the session of
// the thread that calls it.
func (k *class) read(v any, name string) (starlark.Value, error) {
	a := k.find(v, name)
	if a == nil {
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s", k.name, name))
	}
	c := &Call{declaration: declare(a.text)}
	if c.declaration.callable {
		return &Function{doc: k.doc(a), self: v.(starlark.Value), usual: k.usual(), run: func(c *Call) (any, error) { return a.run(c, v) }}, nil
	}
	result, err := a.run(c, v)
	return c.give(result), err
}

func (k *class) attrDoc(v any, name string) *Doc {
	if a := k.find(v, name); a != nil {
		return k.doc(a)
	}
	return nil
}
