package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpworkbench/internal/nearest"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// In Starlark a function keeps the globals of its own module, so at a prompt it would not see later definitions. Here a
// chunk owns no globals. Its syntax tree is rewritten before it is compiled:
//
//   - a use of the name x that is not local becomes a predeclared name "$x",
//     which the interpreter looks up in the module's predeclared table at the
//     moment of use; that table is the session's, one for all chunks;
//   - a binding of x at top level (=, +=, for, load) becomes an assignment to
//     an element of the value %names, which writes that table;
//   - a top-level def keeps its own name and is followed by such an assignment;
//   - the value of a final expression is bound to %value;
//   - a statement outside functions that has a call, or reads an attribute, is
//     preceded by %line[n], which records the current line (line.go);
//   - operators that may compare evidence, or take much memory, are guarded
//     (operators.go).
//
// So a function sees names that are defined or redefined after it, even a redefinition of its own name. The names that
// a script writes cannot contain '$' or '%'.

const (
	namesName    = "%names"
	loadName     = "%load"
	valueKey     = "%value"
	livePrefix   = "$"
	toplevelName = "<toplevel>"
)

// Dialect is the Starlark that scripts are written in.
var Dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, LoadBindsGlobally: true, Recursion: true}

// use is an occurrence of a name that is not local.
type use struct {
	name   string
	pos    syntax.Position
	inside bool // in a function, which is evaluated later or never
}

// prepare resolves and rewrites a parsed file. known reports whether a name is already bound. Any other name must be
// bound in the file, unless lenient is set and the name occurs in a function. names are suggested for an undefined
// name. note numbers the lines. valued reports whether the file ends in an expression.
func prepare(f *syntax.File, known func(string) bool, names []string, lenient bool, note func(syntax.Position) int) (valued bool, err error) {
	if err := resolve.File(f, func(string) bool { return true }, starlark.Universe.Has); err != nil {
		return false, err
	}
	guards := guardOperators(f)
	rw := &rewriter{note: note, bound: make(map[string]bool), defs: make(map[*syntax.Ident]bool), loaded: make(map[*syntax.ExprStmt]bool)}
	f.Stmts = rw.stmts(f.Stmts)
	rw.uses(f, false)
	binds := slices.Sorted(maps.Keys(rw.bound))
	for _, u := range rw.used {
		if rw.bound[u.name] || known(u.name) || lenient && u.inside {
			continue
		}
		hint := nearest.Hint(u.name, append(binds, names...))
		return false, resolve.ErrorList{{Pos: u.pos, Msg: "undefined: " + u.name + hint}}
	}
	if n := len(f.Stmts); n > 0 {
		if last, ok := f.Stmts[n-1].(*syntax.ExprStmt); ok && !rw.loaded[last] {
			start, _ := last.Span()
			valued = true
			f.Stmts[n-1] = assign(start, element(start, valueKey), last.X)
		}
	}
	for _, name := range guards { // copy each guard to a global, which is found faster than a name in the table
		start, _ := f.Stmts[0].Span()
		id := func() *syntax.Ident { return &syntax.Ident{NamePos: start, Name: name} }
		f.Stmts = slices.Insert(f.Stmts, 0, assign(start, id(), id()))
	}
	return valued, nil
}

// compile turns a prepared file into a program.
func compile(f *syntax.File) (*starlark.Program, error) {
	return starlark.FileProgram(f, func(name string) bool { return strings.HasPrefix(name, livePrefix) || strings.HasPrefix(name, "%") })
}

type rewriter struct {
	note   func(syntax.Position) int
	bound  map[string]bool           // names bound at top level
	defs   map[*syntax.Ident]bool    // names that stay as they are
	loaded map[*syntax.ExprStmt]bool // load statements
	used   []use
}

// stmts rewrites the bindings of top-level statements.
func (rw *rewriter) stmts(in []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, stmt := range in {
		if computes(stmt) {
			start, _ := stmt.Span()
			out = append(out, rw.mark(start))
		}
		out = append(out, stmt)
		switch stmt := stmt.(type) {
		case *syntax.AssignStmt:
			stmt.LHS = rw.target(stmt.LHS)
		case *syntax.ForStmt:
			stmt.Vars = rw.target(stmt.Vars)
			stmt.Body = rw.stmts(stmt.Body)
		case *syntax.WhileStmt:
			stmt.Body = rw.stmts(stmt.Body)
		case *syntax.IfStmt:
			stmt.True, stmt.False = rw.stmts(stmt.True), rw.stmts(stmt.False)
		case *syntax.DefStmt:
			name, pos := stmt.Name.Name, stmt.Name.NamePos
			same := &syntax.Ident{NamePos: pos, Name: name}
			rw.bound[name], rw.defs[stmt.Name], rw.defs[same] = true, true, true
			out = append(out, assign(pos, element(pos, name), same))
		case *syntax.LoadStmt:
			out[len(out)-1] = rw.load(stmt)
		}
	}
	return out
}

// target rewrites the left side of a top-level binding.
func (rw *rewriter) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		rw.bound[e.Name] = true
		return element(e.NamePos, e.Name)
	case *syntax.ParenExpr:
		e.X = rw.target(e.X)
	case *syntax.TupleExpr:
		e.List = each(e.List, rw.target)
	case *syntax.ListExpr:
		e.List = each(e.List, rw.target)
	}
	return e
}

// load turns a load statement into a call of %load(module, to, from, …).
func (rw *rewriter) load(stmt *syntax.LoadStmt) syntax.Stmt {
	args := []syntax.Expr{text(stmt.Module.TokenPos, stmt.ModuleName())}
	for i, to := range stmt.To {
		rw.bound[to.Name] = true
		args = append(args, text(to.NamePos, to.Name), text(to.NamePos, stmt.From[i].Name))
	}
	out := &syntax.ExprStmt{X: &syntax.CallExpr{
		Fn: &syntax.Ident{NamePos: stmt.Load, Name: loadName}, Lparen: stmt.Load, Args: args, Rparen: stmt.Rparen,
	}}
	rw.loaded[out] = true
	return out
}

// uses renames the names below a node that are not local. inside says that the node is a function.
func (rw *rewriter) uses(root syntax.Node, inside bool) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt, *syntax.LambdaExpr:
			if n != root {
				rw.uses(n, true)
				return false
			}
		case *syntax.Ident:
			rw.ident(n, inside)
		}
		return true
	})
}

func (rw *rewriter) ident(id *syntax.Ident, inside bool) {
	bind, ok := id.Binding.(*resolve.Binding)
	if !ok || rw.defs[id] || strings.HasPrefix(id.Name, "%") {
		return // the name of a keyword argument, an attribute, a def or a guard
	}
	constant := id.Name == "None" || id.Name == "True" || id.Name == "False"
	if !constant && (bind.Scope == resolve.Global || bind.Scope == resolve.Predeclared) {
		rw.used = append(rw.used, use{id.Name, id.NamePos, inside})
		id.Name = livePrefix + id.Name
	}
}

// element returns the expression %names["name"].
func element(pos syntax.Position, name string) syntax.Expr {
	return &syntax.IndexExpr{X: &syntax.Ident{NamePos: pos, Name: namesName}, Lbrack: pos, Y: text(pos, name), Rbrack: pos}
}

func text(pos syntax.Position, s string) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: pos, Raw: fmt.Sprintf("%q", s), Value: s}
}

func assign(pos syntax.Position, to, from syntax.Expr) syntax.Stmt {
	return &syntax.AssignStmt{OpPos: pos, Op: syntax.EQ, LHS: to, RHS: from}
}

// names is the table of live names as a script value, %names.
type names struct{ table starlark.StringDict }

func (n names) String() string        { return "<names>" }
func (n names) Type() string          { return "names" }
func (n names) Freeze()               {}
func (n names) Truth() starlark.Bool  { return true }
func (n names) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: names") }

// Get implements starlark.Mapping. A statement such as x += 1 reads x with it.
func (n names) Get(key starlark.Value) (starlark.Value, bool, error) {
	name := string(key.(starlark.String))
	if v, ok := n.table[livePrefix+name]; ok {
		return v, true, nil
	}
	return nil, false, undefinedError(name)
}

// SetKey implements starlark.HasSetKey.
func (n names) SetKey(key, v starlark.Value) error {
	name := string(key.(starlark.String))
	if !strings.HasPrefix(name, "%") {
		name = livePrefix + name
	}
	n.table[name] = v
	return nil
}

// undefinedError is the error for the use of a name that is not bound, or not yet.
type undefinedError string

func (e undefinedError) Error() string { return "undefined: " + string(e) }
