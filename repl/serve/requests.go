package serve

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/nearest"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// noAttribute is the error for an attribute that a value does not have.
type noAttribute struct{ error }

// run executes a request.
func (v *server) run(thread *starlark.Thread, f frame) (starlark.Value, error) {
	in, err := parse(f.text)
	if err != nil {
		return nil, err
	}
	if dir, ok := in["folder"].(string); ok { // the client's working folder, which may change
		if err := os.Chdir(dir); err != nil {
			return nil, err
		}
	}
	u := &unpacker{v, f.data}
	switch f.kind {
	case kindCall:
		return u.call(thread, in)
	case kindGet:
		return u.attribute(in)
	case kindEvaluate:
		return u.evaluate(thread, in)
	case kindOperate:
		return u.operate(in)
	}
	return u.show(in)
}

// text returns a string field.
func text(in map[string]any, name string) (string, error) {
	s, ok := in[name].(string)
	if !ok {
		return "", fmt.Errorf("a request lacks the string %s", name)
	}
	return s, nil
}

// call calls a built-in, a method of a value, or a value.
func (u *unpacker) call(thread *starlark.Thread, in map[string]any) (starlark.Value, error) {
	var f starlark.Value
	var err error
	name, named := in["name"].(string)
	_, method := in["of"]
	switch {
	case method && named:
		f, err = u.attribute(in)
	case method:
		f, err = u.value(in["of"])
	default:
		if f = u.server.session.Builtin(name); f == nil {
			err = fmt.Errorf("no built-in or variable is named %s", name)
		}
	}
	if err != nil {
		return nil, err
	}
	args, err := u.values(in["args"])
	if err != nil {
		return nil, err
	}
	flat, err := u.values(in["kwargs"])
	if err != nil {
		return nil, err
	}
	var kwargs []starlark.Tuple
	for i := 0; i+1 < len(flat); i += 2 {
		if _, ok := flat[i].(starlark.String); !ok {
			return nil, errors.New("the name of an argument is not a string")
		}
		kwargs = append(kwargs, starlark.Tuple{flat[i], flat[i+1]})
	}
	return starlark.Call(thread, f, args, kwargs)
}

// attribute reads an attribute of a value.
func (u *unpacker) attribute(in map[string]any) (starlark.Value, error) {
	name, err := text(in, "name")
	if err != nil {
		return nil, err
	}
	of, err := u.value(in["of"])
	if err != nil {
		return nil, err
	}
	has, ok := of.(starlark.HasAttrs)
	if !ok {
		return nil, &noAttribute{fmt.Errorf("%s has no .%s field or method", of.Type(), name)}
	}
	x, err := has.Attr(name)
	var none starlark.NoSuchAttrError
	switch {
	case errors.As(err, &none):
		return nil, &noAttribute{errors.New(string(none) + nearest.Hint(name, has.AttrNames()))}
	case err == nil && x == nil:
		return nil, &noAttribute{fmt.Errorf("%s has no .%s field or method%s", of.Type(), name, nearest.Hint(name, has.AttrNames()))}
	}
	return x, err
}

// evaluate runs a script with additional names.
func (u *unpacker) evaluate(thread *starlark.Thread, in map[string]any) (starlark.Value, error) {
	source, err := text(in, "source")
	if err != nil {
		return nil, err
	}
	flat, err := u.values(in["names"])
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(flat); i += 2 {
		if name, ok := starlark.AsString(flat[i]); ok {
			u.server.session.Set(name, flat[i+1])
		}
	}
	return u.server.session.Chunk(thread, "<script>", source)
}

// operators are the operators that a request may apply.
var operators = map[string]syntax.Token{
	"+": syntax.PLUS, "-": syntax.MINUS, "*": syntax.STAR, "/": syntax.SLASH, "//": syntax.SLASHSLASH, "%": syntax.PERCENT,
	"==": syntax.EQL, "!=": syntax.NEQ, "<": syntax.LT, "<=": syntax.LE, ">": syntax.GT, ">=": syntax.GE,
}

// operate applies an operator to two values.
func (u *unpacker) operate(in map[string]any) (starlark.Value, error) {
	name, err := text(in, "operator")
	if err != nil {
		return nil, err
	}
	op, ok := operators[name]
	if !ok && !slices.Contains([]string{"**", "abs", "exp", "log", "sqrt"}, name) {
		return nil, fmt.Errorf("operator %q is not known", name)
	}
	x, err1 := u.value(in["x"])
	y, err2 := u.value(in["y"])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if !ok {
		return script.Elementary(name, x, y)
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		is, err := script.Compare(op, x, y)
		return starlark.Bool(is), err
	}
	return starlark.Binary(op, x, y)
}

// show returns a value as text, as a picture or as JSON.
func (u *unpacker) show(in map[string]any) (starlark.Value, error) {
	as, err := text(in, "as")
	if err != nil {
		return nil, err
	}
	x, err := u.value(in["of"])
	if err != nil {
		return nil, err
	}
	s := u.server.session
	switch as {
	case "prompt":
		return starlark.String(s.Show(x)), nil
	case "text":
		text, err := script.TextOf(x, nil)
		return starlark.String(text), err
	case "items":
		items, ok := script.Elements(x)
		if !ok {
			return nil, fmt.Errorf("a %s has no elements", x.Type())
		}
		return starlark.NewList(items), nil
	case "names":
		var names []starlark.Value
		if has, ok := x.(starlark.HasAttrs); ok {
			for _, name := range has.AttrNames() {
				names = append(names, starlark.String(name))
			}
		}
		return starlark.NewList(names), nil
	case "data":
		if d := script.Data(x); d != nil {
			return d, nil
		}
		return starlark.None, nil
	case "stored":
		if e, ok := x.(*script.Evidence); ok {
			return stored(e)
		}
		return recipe(x)
	case "itself":
		return x, nil
	case "choices":
		return u.choices(x, in["names"])
	case "json":
		text, err := script.DescribeJSON(x, 0)
		return starlark.String(text), err
	}
	return draw(script.Figure(x), as)
}

// choices completes the string at the end of source if it is an argument whose parameter accepts a list of words. It
// returns the number of characters typed so far and the completions. names are bound during the call.
func (u *unpacker) choices(source starlark.Value, names any) (starlark.Value, error) {
	text, ok := starlark.AsString(source)
	if !ok {
		return nil, fmt.Errorf("the source to complete is a %s, want a string", source.Type())
	}
	flat, err := u.values(names)
	if err != nil {
		return nil, err
	}
	bound := make(map[string]starlark.Value)
	for i := 0; i+1 < len(flat); i += 2 {
		if name, ok := starlark.AsString(flat[i]); ok {
			bound[name] = flat[i+1]
		}
	}
	c := u.server.session.Choices(text, bound)
	var found []starlark.Value
	for _, word := range c.Candidates {
		found = append(found, starlark.String(word))
	}
	return starlark.Tuple{starlark.MakeInt(utf8.RuneCountInString(text[c.Start:])), starlark.NewList(found)}, nil
}

// stored returns a number as a dict, with its displayed form.
func stored(e *script.Evidence) (starlark.Value, error) {
	d, n := e.Stored(), e.Number()
	for name, text := range map[string]string{"text": n.String(), "origin": n.Origin(), "exact": evidence.Rational(n)} {
		if err := d.SetKey(starlark.String(name), starlark.String(text)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// recipe returns the call that made a value: its name, the receiver of the method or attribute, whether it is a call,
// and its arguments. It returns None for a value that holds a function of the client.
func recipe(x starlark.Value) (starlark.Value, error) {
	r, err := script.OriginOf(x)
	if err != nil {
		return nil, err
	}
	kwargs := starlark.NewDict(len(r.Kwargs))
	for _, kw := range r.Kwargs {
		if err := kwargs.SetKey(kw[0], kw[1]); err != nil {
			return nil, err
		}
	}
	if f := functionIn(starlark.Tuple{r.Args, kwargs}, 0); f != nil {
		return nil, fmt.Errorf("a %s that holds your function %s cannot be pickled: create it again where it is needed", x.Type(), f.name)
	}
	var self starlark.Value = starlark.None
	if r.Self != nil {
		self = r.Self
	}
	return starlark.Tuple{starlark.String(r.Name), self, starlark.Bool(r.Called), r.Args, kwargs}, nil
}

// functionIn returns the client's function that v is or contains, or nil. depth is the number of collections around v.
// Values nested deeper than a frame can hold are not searched.
func functionIn(v starlark.Value, depth int) *function {
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case *function:
		return v
	case *starlark.Dict:
		for _, item := range v.Items() {
			if f := functionIn(item, depth+1); f != nil {
				return f
			}
		}
	case starlark.Tuple, *starlark.List:
		items, _ := script.Elements(v)
		for _, x := range items {
			if f := functionIn(x, depth+1); f != nil {
				return f
			}
		}
	}
	return nil
}

// draw encodes a table or a picture. It returns None if the figure does not have the format.
func draw(f display.Figure, as string) (starlark.Value, error) {
	picture, drawn := f.(display.Picture)
	switch as {
	case "svg":
		if drawn {
			b, err := picture.SVG()
			return starlark.String(b), err
		}
	case "png":
		if drawn {
			b, err := picture.PNG()
			return starlark.Bytes(b), err
		}
	case "html":
		if t, ok := f.(*display.Table); ok {
			return starlark.String(strings.TrimSpace(t.HTML())), nil
		}
	default:
		return nil, fmt.Errorf("a value cannot be shown as %q", as)
	}
	return starlark.None, nil
}
