package script

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Doc is what help prints about a name.
type Doc struct {
	Name    string // "purest", "mechanism.distortion"
	Help    string
	Example string

	setup string       // the Setup of the type, if Example begins with it
	text  string       // the declaration
	read  *declaration // if not nil, used instead of text
}

// declared returns the parsed declaration of the name: its parameters and result.
func (d *Doc) declared() *declaration {
	if d.read != nil {
		return d.read
	}
	return declare(d.text)
}

// Callable reports whether the name can be called.
func (d *Doc) Callable() bool { return d.declared().callable }

// Parameters returns the names of the parameters.
func (d *Doc) Parameters() []string {
	return each(d.declared().params, func(p param) string { return p.name })
}

// title returns the name with its parameters, as one writes a call.
func (d *Doc) title() string { return d.Name + d.parameters() }

// parameters returns the parameters in brackets, or "" if the name cannot be called.
func (d *Doc) parameters() string {
	if d.Callable() {
		return "(" + d.declared().params.String() + ")"
	}
	return ""
}

// Function is a built-in, or a method bound to its object.
type Function struct {
	doc     *Doc
	session *Session // nil: the session of the calling thread
	run     func(c *Call) (any, error)
	self    starlark.Value // nil for a built-in
	usual   string         // the name of self in the manual's examples
}

var _ starlark.Callable = (*Function)(nil)

// NewFunction returns the function of a vocabulary's entry, bound to a session.
func NewFunction(s *Session, b Builtin) *Function {
	return &Function{doc: b.doc, session: s, run: b.run}
}

// Name implements starlark.Callable.
func (f *Function) Name() string { return f.doc.Name }

// Arguments returns the number of parameters. A parameter *args counts as one.
func (f *Function) Arguments() int { return len(f.doc.declared().params) }

// String implements starlark.Value.
func (f *Function) String() string {
	if f.self != nil {
		return fmt.Sprintf("<method %s, call it: %s>", f.doc.title(), f.call())
	}
	return fmt.Sprintf("<builtin %s>", f.doc.title())
}

// Type implements starlark.Value.
func (f *Function) Type() string {
	if f.self != nil {
		return "method"
	}
	return "builtin"
}

// Freeze implements starlark.Value: objects are immutable.
func (f *Function) Freeze() {}

// Truth implements starlark.Value.
func (f *Function) Truth() starlark.Bool { return true }

// Hash implements starlark.Value.
func (f *Function) Hash() (uint32, error) { return starlark.String(f.doc.Name).Hash() }

// compare implements comparing. Comparing a method with a number is an error that asks to call the method.
func (f *Function) compare(op syntax.Token, y starlark.Value, right bool) (is, ok bool, err error) {
	if _, number := asNumber(y); f.self == nil || !number {
		return false, false, nil
	}
	x, z := f.Type(), y.Type()
	if right {
		x, z = z, x
	}
	return false, false, fmt.Errorf("%s %s %s is not defined (call it: %s)", x, op, z, f.call())
}

// ArgumentsError is the error of a call whose arguments do not fit the signature.
type ArgumentsError struct{ text string }

func (e *ArgumentsError) Error() string { return e.text }

// CallInternal implements starlark.Callable.
func (f *Function) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := f.doc.declared()
	s := f.session
	if s == nil {
		s = thread.Local(sessionKey).(*Session)
	}
	c := &Call{Context: s.context(), Session: s, Thread: thread, Name: f.doc.Name, declaration: d, self: f.self}
	var err error
	if c.values, c.written, err = d.params.bind(args, kwargs); err != nil {
		return nil, &ArgumentsError{fmt.Sprintf("%s %v; it is %s", f.doc.Name, err, f.doc.title())}
	}
	return invoke(c, f.run)
}
