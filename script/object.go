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
)

// Object is a script value of some class.
type Object struct {
	class   *class
	session *Session
	v       any

	made     atomic.Pointer[making] // the call that made it
	operated *Origin                // the operator that made it, or nil
	memo     sync.Map               // methods and immutable attribute values already computed, by name
}

// Inspectable is a script value whose attributes have help.
type Inspectable interface {
	starlark.HasAttrs
	attrDoc(name string) *Doc
}

// String implements starlark.Value.
func (o *Object) String() string {
	if o.class.show == nil {
		return "<" + o.class.name + ">"
	}
	return o.class.show(o.v)
}

// Type implements starlark.Value.
func (o *Object) Type() string { return o.class.name }

// Freeze implements starlark.Value: objects are immutable.
func (o *Object) Freeze() {}

// Truth implements starlark.Value.
func (o *Object) Truth() starlark.Bool {
	if truth := o.class.algebra.Truth; truth != nil {
		truth(o.v)
	}
	return true
}

// Hash implements starlark.Value. An object is equal only to itself, unless its class defines comparisons. Objects of
// such classes are not hashable.
func (o *Object) Hash() (uint32, error) {
	if o.compares() {
		return 0, fmt.Errorf("unhashable type: %s", o.Type())
	}
	return starlark.String(fmt.Sprintf("%p", o)).Hash()
}

// AttrNames implements starlark.HasAttrs.
func (o *Object) AttrNames() []string { return o.class.names(o.v) }

// Attr implements starlark.HasAttrs.
func (o *Object) Attr(name string) (starlark.Value, error) {
	a := o.class.find(o.v, name)
	if a == nil {
		if i := slices.IndexFunc(o.class.attrs, func(a *attr) bool { return a.name == name }); i >= 0 {
			why := cmp.Or(o.class.attrs[i].absent, "only some values of type "+o.class.name+" have it")
			return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s: %s", o, name, why))
		}
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("%s has no .%s%s", o.class.name, name, o.related(name))) // Starlark appends a suggestion to this error
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
	v, err := invoke(&Call{Context: o.session.context(), Session: o.session, Name: o.class.name + "." + name, declaration: d, self: o}, run)
	if err == nil && !a.varies && immutable(v) {
		o.memo.Store(name, v)
	}
	return v, err
}

// related returns a hint at the attributes that share a word with an unknown name. It returns "" if Starlark suggests a
// similar name.
func (o *Object) related(name string) string {
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

// cached wraps a cached value that is not an attribute.
type cached struct{ of any }

// Inner returns the Go value that the object wraps.
func (o *Object) Inner() any { return o.v }

// Ask applies the function that the class registers under that name to the object's value. It returns nil if
// the class has no such function.
func (o *Object) Ask(c *Call, name string) (any, error) {
	if answer := o.class.answers[name]; answer != nil {
		return answer(c, o.v)
	}
	return nil, nil
}

// Cached returns the result of the first call of make under this name that returned no error. It may call make several
// times if goroutines run it concurrently.
func (o *Object) Cached(name string, make func() (any, error)) (any, error) {
	key := "(" + name + ")" // the brackets keep the key apart from names of attributes
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
func (o *Object) jsonValue() starlark.Value {
	if o.class.json == nil {
		return nil
	}
	return o.class.json(o.v)
}

// figure returns the value as a table or picture, or nil if it is neither.
func (o *Object) figure() display.Figure {
	if f, ok := o.v.(interface{ Shown() display.Figure }); ok {
		return f.Shown()
	}
	return nil
}

// Figure returns a value as a table or picture, or nil if it is neither.
func Figure(v starlark.Value) display.Figure {
	if o, ok := v.(interface{ figure() display.Figure }); ok {
		return o.figure()
	}
	return nil
}

// drawOn renders the value for the prompt. ok is false if its class has only the text of String.
func (o *Object) drawOn(caps display.Caps) (text string, ok bool) {
	if o.class.draw == nil {
		return "", false
	}
	return o.class.draw(o.v, caps), true
}

func (o *Object) attrDoc(name string) *Doc { return o.class.attrDoc(o.v, name) }
