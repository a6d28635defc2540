package repl

import (
	"fmt"

	"go.starlark.net/starlark"
)

// doc is what help prints about a name.
type doc struct {
	name     string // "purest", "mechanism.distortion"
	params   string
	callable bool
	help     string
	example  string
}

// title returns the name with its parameters, as one writes a call.
func (d *doc) title() string {
	if d.callable {
		return d.name + "(" + d.params + ")"
	}
	return d.name
}

// Function is a built-in, or a method bound to its object.
type Function struct {
	doc     *doc
	sig     signature
	session *Session
	run     func(c *call) (starlark.Value, error)
	self    starlark.Value // nil for a built-in
}

var _ starlark.Callable = (*Function)(nil)

// newFunction binds a table entry to its session.
func newFunction(s *Session, b builtin) *Function {
	return &Function{
		doc:     &doc{name: b.name, params: b.params, callable: true, help: b.help, example: b.example},
		sig:     parseSignature(b.params),
		session: s,
		run:     b.run,
	}
}

// Name implements starlark.Callable.
func (f *Function) Name() string { return f.doc.name }

// String implements starlark.Value.
func (f *Function) String() string { return fmt.Sprintf("<%s %s>", f.Type(), f.doc.title()) }

// Type implements starlark.Value.
func (f *Function) Type() string {
	if f.self != nil {
		return "method"
	}
	return "builtin"
}

// Freeze implements starlark.Value.
func (f *Function) Freeze() {
	if f.self != nil {
		f.self.Freeze()
	}
}

// Truth implements starlark.Value.
func (f *Function) Truth() starlark.Bool { return true }

// Hash implements starlark.Value.
func (f *Function) Hash() (uint32, error) { return starlark.String(f.doc.name).Hash() }

// CallInternal implements starlark.Callable.
func (f *Function) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	c := &call{ctx: f.session.context(), session: f.session, thread: thread, name: f.doc.name, sig: f.sig, self: f.self}
	var err error
	if c.values, c.written, err = f.sig.bind(args, kwargs); err != nil {
		return nil, fmt.Errorf("%s %w; it is %s", f.doc.name, err, f.doc.title())
	}
	return invoke(c, f.run)
}
