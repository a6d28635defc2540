package repl

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"dpworkbench/internal/nearest"
	"dpworkbench/repl/display"

	"go.starlark.net/starlark"
)

// class gives the Go type T a face in scripts. A class is a constant table.
type class[T any] struct {
	name    string
	wanted  string // what a parameter of this class is said to be; "" is "a " and the name
	help    string
	example string
	attrs   []attr[T]
	show    func(v T) string                    // one line; nil prints <name>
	draw    func(v T, caps display.Caps) string // many lines for the prompt; nil where show will do
	json    func(v T) starlark.Value            // what stands for it in JSON; nil where nothing does
}

// attr is an attribute (get) or a method (params, run) of a class.
type attr[T any] struct {
	name    string
	params  string
	help    string
	example string
	only    func(v T) bool // nil where every value has the attribute
	absent  string         // what to do where a value has it not; "" says that others have it
	varies  bool           // get may answer differently later: nothing is remembered
	get     func(c *call, v T) (starlark.Value, error)
	run     func(c *call, v T) (starlark.Value, error)
}

// doc returns the manual entry of an attribute.
func (k *class[T]) doc(a *attr[T]) *doc {
	return &doc{name: k.name + "." + a.name, params: a.params, callable: a.run != nil, help: a.help, example: a.example}
}

// entries implements manual.
func (k *class[T]) entries() []*doc {
	docs := []*doc{{name: k.name, help: k.help, example: k.example}}
	for i := range k.attrs {
		docs = append(docs, k.doc(&k.attrs[i]))
	}
	return docs
}

// of wraps v for scripts.
func (k *class[T]) of(c *call, v T) *object[T] { return &object[T]{class: k, session: c.session, v: v} }

// argument returns the Go value of a parameter that takes values of class k.
func argument[T any](c *call, name string, k *class[T]) T {
	v, ok := unwrap(c.value(name), k)
	if !ok {
		wanted := k.wanted
		if wanted == "" {
			wanted = "a " + k.name
		}
		c.fail(name, c.value(name), wanted)
	}
	return v
}

// unwrap returns the Go value inside a script value of class k.
func unwrap[T any](v starlark.Value, k *class[T]) (T, bool) {
	if o, ok := v.(*object[T]); ok && o.class == k {
		return o.v, true
	}
	var zero T
	return zero, false
}

// object is a script value of some class.
type object[T any] struct {
	class   *class[T]
	session *Session
	v       T

	mu   sync.Mutex
	made string                    // the expression that made it
	memo map[string]starlark.Value // immutable attribute values already computed
}

// inspectable is a script value whose attributes have help.
type inspectable interface {
	starlark.HasAttrs
	classDoc() *doc
	attrDoc(name string) *doc
}

// String implements starlark.Value.
func (o *object[T]) String() string {
	if o.class.show == nil {
		return "<" + o.class.name + ">"
	}
	return o.class.show(o.v)
}

// Type implements starlark.Value.
func (o *object[T]) Type() string { return o.class.name }

// Freeze implements starlark.Value: objects are immutable.
func (o *object[T]) Freeze() {}

// Truth implements starlark.Value.
func (o *object[T]) Truth() starlark.Bool { return true }

// Hash implements starlark.Value: objects are equal only to themselves.
func (o *object[T]) Hash() (uint32, error) { return starlark.String(fmt.Sprintf("%p", o)).Hash() }

// AttrNames implements starlark.HasAttrs.
func (o *object[T]) AttrNames() []string {
	var names []string
	for i := range o.class.attrs {
		if a := &o.class.attrs[i]; a.only == nil || a.only(o.v) {
			names = append(names, a.name)
		}
	}
	sort.Strings(names)
	return names
}

func (o *object[T]) find(name string) *attr[T] {
	for i := range o.class.attrs {
		if a := &o.class.attrs[i]; a.name == name && (a.only == nil || a.only(o.v)) {
			return a
		}
	}
	return nil
}

// Attr implements starlark.HasAttrs.
func (o *object[T]) Attr(name string) (starlark.Value, error) {
	a := o.find(name)
	if a == nil {
		for i := range o.class.attrs {
			if o.class.attrs[i].name == name {
				why := o.class.attrs[i].absent
				if why == "" {
					why = "other values of type " + o.class.name + " do"
				}
				return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s: %s", o, name, why))
			}
		}
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s%s", o.class.name, name, o.related(name))) // Starlark adds the nearest
	}
	if a.run != nil {
		return &Function{
			doc: o.class.doc(a), sig: parseSignature(a.params), session: o.session, self: o,
			run: func(c *call) (starlark.Value, error) { return a.run(c, o.v) },
		}, nil
	}
	o.mu.Lock()
	v, ok := o.memo[name]
	o.mu.Unlock()
	if ok {
		return v, nil
	}
	c := &call{ctx: o.session.context(), session: o.session, name: o.class.name + "." + name, self: o}
	v, err := invoke(c, func(c *call) (starlark.Value, error) { return a.get(c, o.v) })
	if err == nil && !a.varies && immutable(v) {
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
func (o *object[T]) related(name string) string {
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
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, *Evidence, *Matrix, inspectable:
		return true
	}
	return false
}

// jsonValue implements jsonable.
func (o *object[T]) jsonValue() starlark.Value {
	if o.class.json == nil {
		return nil
	}
	return o.class.json(o.v)
}

// drawOn renders the value for the prompt; ok is false where String will do.
func (o *object[T]) drawOn(caps display.Caps) (text string, ok bool) {
	if o.class.draw == nil {
		return "", false
	}
	return o.class.draw(o.v, caps), true
}

func (o *object[T]) classDoc() *doc {
	return &doc{name: o.class.name, help: o.class.help, example: o.class.example}
}

func (o *object[T]) attrDoc(name string) *doc {
	if a := o.find(name); a != nil {
		return o.class.doc(a)
	}
	return nil
}
