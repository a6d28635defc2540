package script

import (
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// An attribute, or a method without arguments, may be written with or without brackets: x.size() is x.size, and c.table
// is c.table() where its value is needed. Values are needed as operands, before a dot or an index, in a loop, as a
// statement, and in print and other functions of values. Elsewhere, as in an assignment or a dict, c.table is the
// method itself, which can be called later. A method with arguments is not evaluated without brackets. Its text and the
// errors about it say how to call it.
//
// Two guards (operators.go) are inserted on the left side of a dot:
//
//	x.name()    %call[x].name()
//	x.name      %read[x].name     where its value is needed

const (
	guardCall = "%call"
	guardRead = "%read"
)

// called records that an attribute is called without arguments, and which attributes a function of values needs as
// arguments.
func (g *guarder) called(n *syntax.CallExpr) {
	if dot, ok := unparen(n.Fn).(*syntax.DotExpr); ok {
		if len(n.Args) == 0 {
			g.dots[dot] = guardCall
		}
	}
	if f, ok := n.Fn.(*syntax.Ident); ok && slices.Contains(ofValues, f.Name) {
		g.read(n.Args...)
	}
}

// ofValues are functions that need the values of their arguments, not methods.
var ofValues = []string{"print", "str", "repr", "len", "list", "tuple", "dict", "sorted", "sum", "min", "max", "fmt", "round", "float", "int", "abs", "show", "enumerate", "zip"}

// reads records the attributes whose values a node of the syntax tree needs.
func (g *guarder) reads(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		g.read(n.X, n.Y)
	case *syntax.UnaryExpr:
		g.read(n.X)
	case *syntax.DotExpr:
		g.read(n.X)
	case *syntax.IndexExpr:
		g.read(n.X)
	case *syntax.SliceExpr:
		g.read(n.X)
	case *syntax.ForStmt:
		g.read(n.X)
	case *syntax.ForClause:
		g.read(n.X)
	case *syntax.ExprStmt:
		g.read(n.X)
	}
}

// read records, for each expression that is an attribute, that its value is needed.
func (g *guarder) read(exprs ...syntax.Expr) {
	for _, e := range exprs {
		if dot, ok := unparen(e).(*syntax.DotExpr); ok {
			g.dots[dot] = guardRead
		}
	}
}

// dot inserts the recorded guard on the left side of a dot.
func (g *guarder) dot(n *syntax.DotExpr) {
	if name := g.dots[n]; name != "" {
		n.X = g.guard(name, n.X, n.Dot)
	}
}

// owner wraps a value while one of its attributes is read, or called without arguments.
type owner struct {
	Inspectable
	session *Session
	call    bool
}

// guardDot returns the guard of the left side of a dot.
func (s *Session) guardDot(call bool) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		if o, ok := v.(Inspectable); ok {
			return &owner{o, s, call}, nil
		}
		return v, nil
	}
}

// Attr implements starlark.HasAttrs.
func (o *owner) Attr(name string) (starlark.Value, error) {
	v, err := o.Inspectable.Attr(name)
	if err != nil {
		return nil, err
	}
	switch f, callable := v.(starlark.Callable); {
	case o.call && !callable:
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return v, nil
		}), nil
	case o.call || !callable:
		return v, nil
	default:
		if m, ok := f.(*Function); ok && m.self != nil && m.Arguments() == 0 {
			return m.CallInternal(o.session.newThread(name), nil, nil)
		}
		return f, nil
	}
}

// call formats a method call with its arguments: m.distortion(x).
func (f *Function) call() string {
	_, name, _ := CutLast(f.doc.Name, ".")
	return f.owner() + "." + name + f.doc.needed()
}

// owner returns a name for the value that has the method: the session's variable if there is one, and otherwise the
// name in the manual's examples.
func (f *Function) owner() string {
	if f.session != nil {
		for _, name := range f.session.Defined() {
			if f.session.Get(name) == starlark.Value(f.self) {
				return name
			}
		}
	}
	return f.usual
}

// needed returns the brackets of a call with the names of the required parameters.
func (d *Doc) needed() string {
	var names []string
	for _, p := range d.declared().params {
		if p.fallback == nil && !p.rest {
			names = append(names, p.name)
		}
	}
	return "(" + strings.Join(names, ", ") + ")"
}

var (
	ofMethod   = regexp.MustCompile(`\bmethod\b`)
	dottedName = regexp.MustCompile(`[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)+`)
)

// withCall extends an error about a method. It says how to call the methods that the line names without brackets.
func (s *Session) withCall(msg, line string) string {
	if !ofMethod.MatchString(strings.ReplaceAll(msg, " field or method", "")) || strings.Contains(msg, "call it: ") {
		return msg
	}
	for _, at := range dottedName.FindAllStringIndex(line, -1) {
		if strings.HasPrefix(line[at[1]:], "(") {
			continue
		}
		for name, dotted := line[at[0]:at[1]], true; dotted; name, _, dotted = CutLast(name, ".") {
			if d := s.lookupDoc(name); d != nil && d.Callable() {
				return msg + " (call it: " + name + d.needed() + ")"
			}
		}
	}
	return msg + " (a method is called first, with brackets: x.name())"
}
