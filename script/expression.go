package script

import (
	"fmt"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/redact"

	"go.starlark.net/starlark"
)

// Bounds in bytes on the texts of the expressions that values remember.
const (
	longestArgument   = 200
	longestExpression = 1000
)

// expression returns the call as a script would write it. Names of arguments are replaced by the calls that made them:
// "ladder(graphs(7).count("triangle"), 1).smallest_epsilon". Long parts are cut with "…".
func (c *Call) expression() string {
	longest := longestArgument
	if c.Session.WholeCalls {
		longest = 0 // no bound
	}
	text := redact.Text(c.text(func(v starlark.Value) string { return asExpression(v, longest) }))
	if len(text) > longestExpression && !c.Session.WholeCalls {
		text = "…" + text[len(text)-longestExpression:]
	}
	return text
}

// text returns the text of the call, with each argument formatted by write.
func (c *Call) text(write func(v starlark.Value) string) string {
	text := c.Name
	if c.self != nil {
		text = write(c.self) + text[strings.LastIndexByte(text, '.'):]
	}
	if c.declaration.callable {
		var arguments []string
		for i, p := range c.declaration.params {
			switch {
			case !c.written[i]:
			case p.fallback != nil:
				arguments = append(arguments, p.name+"="+write(c.values[i]))
			default:
				arguments = append(arguments, write(c.values[i]))
			}
		}
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	return text
}

// asExpression formats a value as an expression of at most longest bytes (0: no limit), or as its text if no
// expression is known.
func asExpression(v starlark.Value, longest int) string {
	if m, ok := v.(interface{ expression() string }); ok {
		if e := m.expression(); e != "" {
			return e
		}
	}
	if f, ok := v.(starlark.Callable); ok {
		return f.Name()
	}
	text, cut := startOf(v, longest)
	if cut {
		text += "…"
	}
	return text
}

// remember records in a value the call that made it, if the value can hold one and has none yet.
func (c *Call) remember(v starlark.Value) starlark.Value {
	out := c.remembered(v)
	if c.Session.Seen != nil {
		c.Session.Seen(c, out)
	}
	return out
}

func (c *Call) remembered(v starlark.Value) starlark.Value {
	if c.Session.OnShown != nil {
		tellOf(v, c.Session.OnShown, 0)
	}
	switch v := v.(type) {
	case *Evidence:
		if v.number.Citation().Call == "" {
			return &Evidence{number: evidence.WithCall(v.number, c.expression()), first: v.origin(), at: c.Session.at.Load(), told: c.Session.OnShown}
		}
	case interface{ makeBy(c *Call) }:
		v.makeBy(c)
	}
	return v
}

// tellOf sets told as the function that a number calls when it is shown (see Evidence.Shown). v is a number, or a
// collection that contains numbers.
func tellOf(v starlark.Value, told func(*Evidence), depth int) {
	switch v := v.(type) {
	case *Evidence:
		v.told = told
	case *starlark.List, starlark.Tuple:
		if items, _ := Elements(v); depth < MaxNesting && len(items) <= maxTold {
			for _, x := range items {
				tellOf(x, told, depth+1)
			}
		}
	case *starlark.Dict:
		if depth < MaxNesting && v.Len() <= maxTold {
			for _, item := range v.Items() {
				tellOf(item[1], told, depth+1)
			}
		}
	}
}

// maxTold is the largest number of elements of a collection that tellOf looks into.
const maxTold = 1 << 16

// expression returns the text of the call that made the number, or "" if none is known.
func (e *Evidence) expression() string { return e.number.Citation().Call }

// expression returns the text of the call that made the value, or "" if none is known.
func (o *Object) expression() string {
	if made := o.made.Load(); made != nil {
		return made.expression
	}
	return ""
}

// making is the call that made a value, with its text in a script.
type making struct {
	expression string
	call       *Call
}

// makeBy records the call that made the object. Later calls do not replace it.
func (o *Object) makeBy(c *Call) {
	if o.made.Load() == nil {
		o.made.CompareAndSwap(nil, &making{c.expression(), &Call{Session: c.Session, Name: c.Name, self: c.self, declaration: c.declaration, values: c.values, written: c.written, run: c.run}})
	}
}

func (o *Object) maker() *Call {
	if made := o.made.Load(); made != nil {
		return made.call
	}
	return nil
}

// MadeBy returns the name of the built-in that made a value, and the arguments of that call. It returns "" if the call
// is not known.
func MadeBy(v starlark.Value) (name string, arguments map[string]starlark.Value) {
	made, _ := v.(interface{ maker() *Call })
	if made == nil || made.maker() == nil {
		return "", nil
	}
	c := made.maker()
	arguments = make(map[string]starlark.Value)
	for i, p := range c.declaration.params {
		arguments[p.name] = c.values[i]
	}
	return c.Name, arguments
}

// Remake repeats the call that made a value, with eps as its required argument of kind epsilon. If that call takes no
// such argument but reads an attribute or calls a method of another value, Remake remakes that other value and repeats
// the call on it. ok is false if no call takes such an argument.
func Remake(c *Call, v starlark.Value, eps starlark.Value) (out starlark.Value, ok bool, err error) {
	made, _ := v.(interface{ maker() *Call })
	if made == nil || made.maker() == nil {
		return nil, false, nil
	}
	again := *made.maker()
	again.Context, again.Session, again.Thread = c.Context, c.Session, c.Thread
	for i, p := range again.declaration.params {
		if p.kind == "epsilon" && p.fallback == nil {
			again.values = slices.Clone(again.values)
			again.values[i] = eps
			out, err = invoke(&again, again.run)
			return out, true, err
		}
	}
	self, ok, err := Remake(c, again.self, eps)
	if !ok || err != nil {
		return nil, ok, err
	}
	out, err = self.(starlark.HasAttrs).Attr(again.Name[strings.LastIndexByte(again.Name, '.')+1:])
	if err == nil && again.declaration.callable {
		var arguments []starlark.Tuple
		for i, p := range again.declaration.params {
			if again.written[i] {
				arguments = append(arguments, starlark.Tuple{starlark.String(p.name), again.values[i]})
			}
		}
		out, err = starlark.Call(c.Thread, out, nil, arguments)
	}
	return out, true, err
}

// Made returns the call that made a value, as a script would write it, or "" if none is known. Long parts are cut with
// "…", and functions are written by their names.
func Made(v starlark.Value) string {
	if m, ok := v.(interface{ expression() string }); ok {
		return m.expression()
	}
	return ""
}

// MadeWith writes the call that made a value as Made does. It passes that call and every call in its arguments to the
// function instead. If this function returns a text other than "", MadeWith writes the text in place of the call.
func MadeWith(v starlark.Value, instead func(call string, arguments map[string]starlark.Value) string) string {
	made, _ := v.(interface{ maker() *Call })
	if made == nil || made.maker() == nil {
		return asExpression(v, longestArgument)
	}
	if text := instead(MadeBy(v)); text != "" {
		return text
	}
	return redact.Text(made.maker().text(func(v starlark.Value) string { return MadeWith(v, instead) }))
}

// Origin is the expression that a value can be computed from again: a call of a built-in or of a method of Self, or an
// attribute of Self. For an operator, Name is the operator and Args are the operands.
type Origin struct {
	Name   string
	Self   starlark.Value // nil for a built-in
	Called bool           // false for an attribute
	Args   starlark.Tuple
	Kwargs []starlark.Tuple
}

// OriginOf returns the origin of a value, or an error that says why it has none. If the call used the session's default
// seed, the arguments contain that seed, so any session makes the same value.
func OriginOf(v starlark.Value) (Origin, error) {
	if o, ok := v.(interface{ once() string }); ok && o.once() != "" {
		return Origin{}, fmt.Errorf("a %s cannot be pickled: %s", v.Type(), o.once())
	}
	if o, ok := v.(interface{ operation() *Origin }); ok && o.operation() != nil {
		return *o.operation(), nil
	}
	made, _ := v.(interface {
		maker() *Call
		origin() (Origin, bool)
	})
	if made == nil || made.maker() == nil {
		if made != nil {
			if r, ok := made.origin(); ok {
				return r, nil
			}
		}
		return Origin{}, fmt.Errorf("a %s cannot be pickled unless a single call made it: pickle the value that it comes from", v.Type())
	}
	c := made.maker()
	r := Origin{Name: c.Name[strings.LastIndexByte(c.Name, '.')+1:], Self: c.self, Called: c.declaration.callable}
	rest := slices.IndexFunc(c.declaration.params, func(p param) bool { return p.rest })
	for i, p := range c.declaration.params {
		v := c.values[i]
		if !c.written[i] {
			if p.kind != "seed" || v == starlark.None || c.Session.Seed == 0 {
				continue
			}
			v = starlark.MakeUint64(c.Session.Seed)
		}
		switch {
		case i < rest:
			r.Args = append(r.Args, v)
		case p.rest:
			r.Args = append(r.Args, v.(starlark.Tuple)...)
		default:
			r.Kwargs = append(r.Kwargs, starlark.Tuple{starlark.String(p.name), v})
		}
	}
	return r, nil
}

func (o *Object) once() string { return o.class.once }

func (o *Object) origin() (r Origin, ok bool) {
	if o.class.origin == nil {
		return r, false
	}
	return o.class.origin(o.v), true
}

func (o *Object) operation() *Origin { return o.operated }
