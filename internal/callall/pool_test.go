package callall_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
)

// signature holds what reflection does not know about a function: its parameter names, and whether its comment
// mentions a panic.
type signature struct {
	params []string
	panics bool
}

// function is an exported function.
type function struct {
	name  string
	value reflect.Value
	signature
}

// namedType is an exported type. panics and zero report whether its comment mentions a panic and the zero value.
type namedType struct {
	name         string
	of           reflect.Type
	panics, zero bool
}

// TestEveryFunction adds a file to the package that sets these variables.
var (
	functions []function
	types     []namedType
	methods   map[string]signature
	optional  map[string]bool // fields whose comment explains nil
	constants []any
)

// most is the number of values kept for each type.
const most = 24

// pool holds the results of calls by type.
type pool struct {
	values map[reflect.Type][]reflect.Value
	order  []reflect.Type // order of first appearance, so that a seed gives the same calls
	seen   map[reflect.Type]int
	fresh  []reflect.Type // types that run has not yet looked at
}

func newPool() *pool {
	return &pool{values: map[reflect.Type][]reflect.Value{}, seen: map[reflect.Type]int{}}
}

// isOurs reports whether a type, or the type it points to, is declared in a public package.
func isOurs(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.Name() != "" && isPublicPackage(t.PkgPath())
}

// add stores v and the values that are reachable from it through exported fields.
func (p *pool) add(v reflect.Value, rng *rand.Rand, depth int) {
	if depth > 3 || !v.IsValid() {
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			p.add(v.Elem(), rng, depth)
		}
		return
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice:
		if v.IsNil() {
			return
		}
	case reflect.Array:
		for i := range v.Len() { // an array with a nil pointer is not stored
			if e := v.Index(i); e.Kind() == reflect.Pointer && e.IsNil() {
				return
			}
		}
	}
	if isOurs(t) {
		p.keep(t, v, rng)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if isOurs(t) && v.Elem().Kind() == reflect.Struct {
			p.fields(v.Elem(), rng, depth)
		}
	case reflect.Struct:
		p.fields(v, rng, depth)
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 3) {
			p.add(v.Index(i), rng, depth+1)
		}
	}
}

func (p *pool) fields(v reflect.Value, rng *rand.Rand, depth int) {
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			p.add(v.Field(i), rng, depth+1)
		}
	}
}

func (p *pool) keep(t reflect.Type, v reflect.Value, rng *rand.Rand) {
	if v.Kind() != reflect.Pointer { // copy, so that it does not alias a field
		c := reflect.New(t).Elem()
		c.Set(v)
		v = c
	}
	if p.seen[t]++; p.seen[t] == 1 {
		p.order = append(p.order, t)
		p.fresh = append(p.fresh, t)
	}
	if len(p.values[t]) < most {
		p.values[t] = append(p.values[t], v)
	} else if i := rng.IntN(p.seen[t]); i < most { // reservoir sampling
		p.values[t][i] = v
	}
}

// get returns a stored value of type t, or for an interface t of a type that implements it.
func (p *pool) get(t reflect.Type, rng *rand.Rand) (reflect.Value, bool) {
	if t.Kind() != reflect.Interface {
		vs := p.values[t]
		if len(vs) == 0 {
			return reflect.Value{}, false
		}
		return vs[rng.IntN(len(vs))], true
	}
	var fit []reflect.Type
	for _, u := range p.order {
		if u.Implements(t) {
			fit = append(fit, u)
		}
	}
	if len(fit) == 0 {
		return reflect.Value{}, false
	}
	return p.get(fit[rng.IntN(len(fit))], rng)
}

// opaque reports whether only its own package can make values of a struct type.
func opaque(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return len(f.Index) == 1 && !f.IsExported()
	})
}

// documented reports whether the comment of t's method, of t, of an embedded type, or of an interface that t implements
// mentions a panic.
func documented(t reflect.Type, method string) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if methods[nameOf(t)+"."+method].panics {
		return true
	}
	for _, n := range types {
		if n.of == t && n.panics {
			return true
		}
		if n.of.Kind() != reflect.Interface || !reflect.PointerTo(t).Implements(n.of) {
			continue
		}
		if _, ok := n.of.MethodByName(method); ok && (n.panics || methods[n.name+"."+method].panics) {
			return true
		}
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			if _, ok := reflect.PointerTo(f.Type).MethodByName(method); f.Anonymous && (ok || f.Type.Kind() == reflect.Pointer) && documented(f.Type, method) {
				return true
			}
		}
	}
	return false
}

// nameOf returns the name of a type with its package, such as privacy.Account.
func nameOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(t.PkgPath()) < len("dpworkbench/") {
		return t.String()
	}
	return t.PkgPath()[len("dpworkbench/"):] + "." + t.Name()
}
