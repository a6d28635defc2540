package script

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"dpworkbench/display"
	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
)

// class gives the Go type T a face in scripts. A class is a constant table.
type Class[T any] struct {
	Name    string
	Wanted  string // what a parameter of this class is said to be; "" is "a " and the name
	Help    string
	Example string
	Attrs   []Attr[T]
	Show    func(v T) string                    // one line; nil prints <name>
	Draw    func(v T, caps display.Caps) string // many lines for the prompt; nil where show will do
	JSON    func(v T) starlark.Value            // what stands for it in JSON; nil where nothing does
}

// attr is an attribute (get) or a method (params, run) of a class.
type Attr[T any] struct {
	Name    string
	Params  string
	Help    string
	Example string
	Only    func(v T) bool // nil where every value has the attribute
	Absent  string         // what to do where a value has it not; "" says that others have it
	Varies  bool           // get may answer differently later: nothing is remembered
	Get     func(c *Call, v T) (starlark.Value, error)
	Run     func(c *Call, v T) (starlark.Value, error)
}

// doc returns the manual entry of an attribute.
func (k *Class[T]) doc(a *Attr[T]) *Doc {
	return &Doc{Name: k.Name + "." + a.Name, Params: a.Params, Callable: a.Run != nil, Help: a.Help, Example: a.Example}
}

// manual implements Type.
func (k *Class[T]) manual() []*Doc {
	docs := []*Doc{{Name: k.Name, Help: k.Help, Example: k.Example}}
	for i := range k.Attrs {
		docs = append(docs, k.doc(&k.Attrs[i]))
	}
	return docs
}

// of wraps v for scripts.
func (k *Class[T]) Of(c *Call, v T) *Object[T] { return &Object[T]{class: k, session: c.Session, v: v} }

// argument returns the Go value of a parameter that takes values of class k.
func Argument[T any](c *Call, name string, k *Class[T]) T {
	v, ok := Unwrap(c.Value(name), k)
	if !ok {
		wanted := k.Wanted
		if wanted == "" {
			wanted = "a " + k.Name
		}
		c.Fail(name, c.Value(name), wanted)
	}
	return v
}

// unwrap returns the Go value inside a script value of class k.
func Unwrap[T any](v starlark.Value, k *Class[T]) (T, bool) {
	if o, ok := v.(*Object[T]); ok && o.class == k {
		return o.v, true
	}
	var zero T
	return zero, false
}

// object is a script value of some class.
type Object[T any] struct {
	class   *Class[T]
	session *Session
	v       T

	mu   sync.Mutex
	made string                    // the expression that made it
	memo map[string]starlark.Value // immutable attribute values already computed
}

// inspectable is a script value whose attributes have help.
type Inspectable interface {
	starlark.HasAttrs
	classDoc() *Doc
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
func (o *Object[T]) Truth() starlark.Bool { return true }

// Hash implements starlark.Value: objects are equal only to themselves.
func (o *Object[T]) Hash() (uint32, error) { return starlark.String(fmt.Sprintf("%p", o)).Hash() }

// AttrNames implements starlark.HasAttrs.
func (o *Object[T]) AttrNames() []string {
	var names []string
	for i := range o.class.Attrs {
		if a := &o.class.Attrs[i]; a.Only == nil || a.Only(o.v) {
			names = append(names, a.Name)
		}
	}
	sort.Strings(names)
	return names
}

func (o *Object[T]) find(name string) *Attr[T] {
	for i := range o.class.Attrs {
		if a := &o.class.Attrs[i]; a.Name == name && (a.Only == nil || a.Only(o.v)) {
			return a
		}
	}
	return nil
}

// Attr implements starlark.HasAttrs.
func (o *Object[T]) Attr(name string) (starlark.Value, error) {
	a := o.find(name)
	if a == nil {
		for i := range o.class.Attrs {
			if o.class.Attrs[i].Name == name {
				why := o.class.Attrs[i].Absent
				if why == "" {
					why = "other values of type " + o.class.Name + " do"
				}
				return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s: %s", o, name, why))
			}
		}
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s%s", o.class.Name, name, o.related(name))) // Starlark adds the nearest
	}
	if a.Run != nil {
		return &Function{
			doc: o.class.doc(a), sig: parseSignature(a.Params), session: o.session, self: o,
			run: func(c *Call) (starlark.Value, error) { return a.Run(c, o.v) },
		}, nil
	}
	o.mu.Lock()
	v, ok := o.memo[name]
	o.mu.Unlock()
	if ok {
		return v, nil
	}
	c := &Call{Context: o.session.context(), Session: o.session, Name: o.class.Name + "." + name, self: o}
	v, err := invoke(c, func(c *Call) (starlark.Value, error) { return a.Get(c, o.v) })
	if err == nil && !a.Varies && immutable(v) {
		o.mu.Lock()
		if o.memo == nil {
			o.memo = make(map[string]starlark.Value)
		}
		o.memo[name] = v
		o.mu.Unlock()
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
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, *Evidence, *Matrix, Inspectable:
		return true
	}
	return false
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
	f, _ := any(o.v).(interface{ Shown() display.Figure })
	if f == nil {
		return nil
	}
	return f.Shown()
}

// Figure returns the table or picture that a value is, nil for any other.
func Figure(v starlark.Value) display.Figure {
	if o, ok := v.(interface{ figure() display.Figure }); ok {
		return o.figure()
	}
	return nil
}

// drawOn renders the value for the prompt; ok is false where String will do.
func (o *Object[T]) drawOn(caps display.Caps) (text string, ok bool) {
	if o.class.Draw == nil {
		return "", false
	}
	return o.class.Draw(o.v, caps), true
}

func (o *Object[T]) classDoc() *Doc {
	return &Doc{Name: o.class.Name, Help: o.class.Help, Example: o.class.Example}
}

func (o *Object[T]) attrDoc(name string) *Doc {
	if a := o.find(name); a != nil {
		return o.class.doc(a)
	}
	return nil
}
