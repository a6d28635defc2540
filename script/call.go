package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/redact"

	"go.starlark.net/starlark"
)

// Builtin is one name of the vocabulary. Its help in the manual describes its meaning, shapes, units, source and
// errors. Its example is a complete script.
type Builtin struct {
	doc *Doc
	run func(c *Call) (any, error)
}

// Func returns the built-in of a declaration. The result of run is converted to the type that the declaration names
// (see [Call.give]).
func Func(declaration, help, example string, run func(c *Call) (any, error)) Builtin {
	return Builtin{&Doc{Name: nameOf(declaration), Help: help, Example: example, text: declaration}, run}
}

// Call is one use of a built-in or method, with its arguments and its session.
type Call struct {
	Context     context.Context // ends when the user interrupts: long work polls it
	Session     *Session
	Thread      *starlark.Thread // nil while an attribute is read
	Name        string           // of the built-in or method, for messages
	self        starlark.Value   // the value whose method or attribute it is; nil for a built-in
	declaration *declaration     // nil in a computation without a name
	values      []starlark.Value
	read        []any  // the arguments, converted to their kinds
	written     []bool // parameters that the caller wrote
	cleanup     []func()
	run         func(c *Call) (any, error)
}

// badArgument carries an argument's error from a getter to invoke.
type badArgument struct{ err error }

// Fail stops the call with the error that parameter name has the value v outside the wanted range.
func (c *Call) Fail(name string, v starlark.Value, want string) {
	panic(badArgument{parameter.Bad(name, spelling(Brief(v)), "%s", want)})
}

// spelling is the text of a value as scripts write it.
type spelling string

func (s spelling) String() string { return string(s) }

// Stop ends the call with an error.
func (c *Call) Stop(format string, args ...any) { panic(badArgument{fmt.Errorf(format, args...)}) }

// Refuse ends the running call with err, an error about an argument.
func Refuse(err error) { panic(badArgument{err}) }

// After makes f run when the call has ended, after the functions that were registered earlier.
func (c *Call) After(f func()) { c.cleanup = append(c.cleanup, f) }

// Self returns the value whose attribute or method is called, nil for a built-in.
func (c *Call) Self() starlark.Value { return c.self }

// find returns the index of the named parameter.
func (c *Call) find(name string) int {
	i := slices.IndexFunc(c.declaration.params, func(p param) bool { return p.name == name })
	if i < 0 {
		panic(fmt.Sprintf("script: %s has no parameter %s", c.Name, name))
	}
	return i
}

// Takes reports whether there is a parameter of that name.
func (c *Call) Takes(name string) bool {
	return slices.ContainsFunc(c.declaration.params, func(p param) bool { return p.name == name })
}

// Value returns the argument of the named parameter, unconverted, or else its default.
func (c *Call) Value(name string) starlark.Value { return c.values[c.find(name)] }

// Given reports whether the named parameter has a value other than None, by the caller or by default.
func (c *Call) Given(name string) bool { return c.Value(name) != starlark.None }

// Spelled reports whether the caller wrote the named parameter.
func (c *Call) Spelled(name string) bool { return c.written[c.find(name)] }

// invoke runs one built-in, method or attribute. It turns panics into errors.
func invoke(c *Call, run func(*Call) (any, error)) (v starlark.Value, err error) {
	c.run = run
	end := c.listen()
	defer func() {
		r := recover()
		parallel.ReportPartial(c.Context, nil)
		end() // the cleanup functions may print where the progress line was
		for _, f := range c.cleanup {
			f()
		}
		switch r := r.(type) {
		case nil:
		case badArgument:
			v, err = nil, c.explain(r.err)
		case thrown:
			v, err = nil, c.explain(r.err)
		default:
			v, err = nil, fmt.Errorf("%s: %w", c.Name, c.Session.Caught(c.Name, r))
		}
	}()
	if err := c.Context.Err(); err != nil {
		return nil, ErrStopped
	}
	c.readArguments()
	result, err := run(c)
	if err != nil {
		return nil, c.explain(err)
	}
	v = c.give(result)
	if e, ok := v.(*Evidence); ok { // a safety net: the mathematics should reject such numbers itself
		if err := evidence.Check(e.number); err != nil {
			return nil, c.explain(fmt.Errorf("the arguments are too large or too small for float64: %w", err))
		}
	}
	return c.remember(v), nil
}

// explain puts the built-in's name before an error. It returns the error of a script function that the built-in called
// unchanged.
func (c *Call) explain(err error) error {
	var inner *starlark.EvalError
	var partial Partial
	var fault *parallel.Fault
	switch {
	case errors.As(err, &inner):
		return inner
	case c.Context.Err() != nil && errors.As(err, &partial):
		return &stoppedWith{partial}
	case c.Context.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return ErrStopped
	case errors.As(err, &fault):
		err = c.Session.Caught(c.Name, fault)
	}
	return &builtinError{name: c.Name, err: err}
}

// Partial is the error of an interrupted computation that has a partial result. If it has a method Value()
// starlark.Value, the session binds the returned value to the name _.
type Partial interface {
	error
	Partial() string
}

// stoppedWith is the error of an interruption with a partial result.
type stoppedWith struct{ known Partial }

func (e *stoppedWith) Error() string { return "interrupted " + e.known.Partial() }

func (e *stoppedWith) Unwrap() error { return ErrStopped }

// builtinError is an error of a built-in. Its text is the name, a colon and what is wrong.
type builtinError struct {
	name string
	err  error
}

func (e *builtinError) Error() string {
	return e.name + ": " + brevity(redact.Text(spelled.Replace(strings.TrimPrefix(e.err.Error(), e.name+": "))))
}

// brevity shortens a long error, and each long word in it, which quotes a script's input. It cuts in the middle,
// because the end says what was wanted.
func brevity(text string) string {
	const word, line = 160, 600
	if len(text) <= word {
		return text
	}
	words := each(strings.SplitAfter(text, " "), func(w string) string { return middleOut(w, word) })
	return middleOut(strings.Join(words, ""), line)
}

// middleOut removes the middle of a text that is longer than most bytes.
func middleOut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most*2/3], "") + "…" + strings.ToValidUTF8(text[len(text)-most/3:], "")
}

// spelled rewrites special numbers in Go's errors as scripts print them.
var spelled = strings.NewReplacer("only NaN", "only nan", "= NaN,", "= nan,", "= +Inf,", "= +inf,", "= -Inf,", "= -inf,")

func (e *builtinError) Unwrap() error { return e.err }

// Brief prints a value for an error message, cut to one short line.
func Brief(v starlark.Value) string {
	if v == nil {
		return "nothing"
	}
	text, cut := startOf(v, 4*60)
	switch v := v.(type) {
	case *Evidence:
		text, cut = evidence.Brief(v.number), false
	case *Function: // not shortened, because it says how to call it
		return v.String()
	}
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:57]) + "…"
	} else if cut {
		text += "…"
	}
	return strings.ReplaceAll(text, "\n", " ")
}
