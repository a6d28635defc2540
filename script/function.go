package script

import (
	"fmt"

	"go.starlark.net/starlark"
)

// doc is what help prints about a name.
type Doc struct {
	Name     string // "purest", "mechanism.distortion"
	Params   string
	Callable bool
	Help     string
	Example  string
}

// title returns the name with its parameters, as one writes a call.
func (d *Doc) title() string {
	if d.Callable {
		return d.Name + "(" + d.Params + ")"
	}
	return d.Name
}

// Function is a built-in, or a method bound to its object.
type Function struct {
	doc     *Doc
	sig     signature
	session *Session
	run     func(c *Call) (starlark.Value, error)
	self    starlark.Value // nil for a built-in
}

var _ starlark.Callable = (*Function)(nil)

// newFunction binds a table entry to its session.
func NewFunction(s *Session, b Builtin) *Function {
	return &Function{
		doc:     &Doc{Name: b.Name, Params: b.Params, Callable: true, Help: b.Help, Example: b.Example},
		sig:     parseSignature(b.Params),
		session: s,
		run:     b.Run,
	}
}

// Name implements starlark.Callable.
func (f *Function) Name() string { return f.doc.Name }

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
func (f *Function) Hash() (uint32, error) { return starlark.String(f.doc.Name).Hash() }

// CallInternal implements starlark.Callable.
func (f *Function) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	c := &Call{Context: f.session.context(), Session: f.session, Thread: thread, Name: f.doc.Name, sig: f.sig, self: f.self}
	var err error
	if c.values, c.written, err = f.sig.bind(args, kwargs); err != nil {
		return nil, fmt.Errorf("%s %w; it is %s", f.doc.Name, err, f.doc.title())
	}
	return invoke(c, f.run)
}
