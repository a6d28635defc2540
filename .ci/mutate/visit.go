package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// visit offers the mutants of one node and reports whether to look below it.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.InterfaceType, *ast.IndexListExpr:
		return false
	case *ast.FuncDecl:
		f.function = n.Name.Name
		if n.Recv != nil && len(n.Recv.List) == 1 {
			f.function = strings.TrimLeft(f.of(n.Recv.List[0].Type), "*") + "." + f.function
		}
		if n.Body != nil {
			f.locks(n.Body)
		}
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		f.unary(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.CallExpr:
		return f.call(n)
	case *ast.SelectorExpr:
		f.named(n, n.Sel)
	case *ast.Ident:
		if _, selector := f.parent(0).(*ast.SelectorExpr); !selector {
			f.named(n, n)
		}
	case *ast.CompositeLit:
		f.composite(n)
	case *ast.ExprStmt:
		if f.removable(n) {
			f.instead(statement, n, "")
		}
	case *ast.DeferStmt:
		if !f.isLock(n.Call) {
			f.instead(statement, n, "")
		}
	case *ast.IncDecStmt:
		f.instead(arithmetic, n, f.of(n.X)+operators[n.Tok][0].String())
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if !isNil(e) && f.isError(e) {
				f.expression(failure, e, "nil")
			}
		}
	}
	return true
}

// removable reports whether a statement is a call that the function may do
// without.
func (f *finder) removable(n *ast.ExprStmt) bool {
	call, ok := n.X.(*ast.CallExpr)
	if !ok || f.isLock(call) {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return !ok || id.Name != "panic"
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if f.info.Types[n].Value != nil { // a constant
		return
	}
	x, y := f.of(n.X), f.of(n.Y)
	if (n.Op == token.NEQ || n.Op == token.EQL) && isNil(n.Y) && f.isError(n.X) {
		f.expression(failure, n, fmt.Sprint(n.Op == token.EQL))
		return
	}
	if b, ok := f.info.Types[n.X].Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && n.Op == token.ADD {
		return
	}
	kind := arithmetic
	switch n.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ, token.LAND, token.LOR:
		kind = comparison
	}
	for _, op := range operators[n.Op] {
		f.expression(kind, n, x+" "+op.String()+" "+y)
	}
}

func (f *finder) unary(n *ast.UnaryExpr) {
	switch {
	case f.info.Types[n].Value != nil && f.info.Types[n.X].Value == nil:
	case n.Op == token.NOT:
		f.expression(comparison, n, f.of(n.X))
	case n.Op == token.SUB:
		f.expression(arithmetic, n, f.of(n.X))
	}
}

func (f *finder) literal(n *ast.BasicLit) {
	if n.Kind != token.INT && n.Kind != token.FLOAT {
		return
	}
	if pair, ok := f.parent(0).(*ast.KeyValueExpr); ok && pair.Key == n {
		return
	}
	if call, ok := f.parent(0).(*ast.CallExpr); ok && strings.HasPrefix(f.of(call.Fun), "math.I") {
		return
	}
	f.expression(constant, n, n.Value+" + 1")
}

// call offers what changes a call, and reports whether to look at its arguments:
// those of an error's text are left alone.
func (f *finder) call(n *ast.CallExpr) bool {
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			switch id.Name {
			case "fmt", "errors", "parameter", "strings":
				return false
			}
			if id.Name == "math" && sel.Sel.Name == "Nextafter" {
				f.expression(rounding, n, f.of(n.Args[0]))
			}
			if id.Name == "math" && (sel.Sel.Name == "Inf" || sel.Sel.Name == "IsInf") { // of whose argument the sign counts
				last := n.Args[len(n.Args)-1]
				if v := f.of(last); v == "1" || v == "-1" {
					f.expression(rounding, n, f.of(n)[:f.offset(last.Pos())-f.offset(n.Pos())]+map[string]string{"1": "-1", "-1": "1"}[v]+")")
				}
				return len(n.Args) > 1
			}
		}
	}
	if id, ok := n.Fun.(*ast.Ident); ok {
		switch id.Name {
		case "panic":
			return false
		case "min", "max":
			if _, builtin := f.info.Uses[id].(*types.Builtin); builtin && f.info.Types[n].Value == nil {
				f.expression(ends, n, map[string]string{"min": "max", "max": "min"}[id.Name]+f.of(n)[3:])
			}
		}
	}
	return true
}

// named offers the counterparts of a name that is read: another function, field,
// method or variable of the same type.
func (f *finder) named(whole ast.Expr, name *ast.Ident) {
	switch p := f.parent(0).(type) {
	case *ast.AssignStmt:
		for _, e := range p.Lhs {
			if e == whole {
				return
			}
		}
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return
		}
	case *ast.KeyValueExpr:
		if p.Key == whole {
			return
		}
	case *ast.IncDecStmt, *ast.RangeStmt, *ast.Field, *ast.LabeledStmt, *ast.BranchStmt, *ast.CaseClause:
		return
	case *ast.CompositeLit:
		if p.Type == whole {
			return
		}
	case *ast.SelectorExpr, *ast.IndexExpr: // the inner part of a place that may be written
		if f.written() {
			return
		}
	}
	object := f.info.Uses[name]
	if object == nil {
		return
	}
	text := f.of(whole)
	for other, kind := range counterparts(name.Name) {
		if !f.sameType(whole, object, other) {
			continue
		}
		after := text[:len(text)-len(name.Name)] + other
		call, called := f.parent(0).(*ast.CallExpr)
		if !called || call.Fun != whole {
			f.expression(kind, whole, after)
			continue
		}
		rest := f.of(call)[len(text):]
		saved := f.parents
		f.parents = f.parents[:len(f.parents)-1]
		if s, ok := f.parent(0).(*ast.ExprStmt); ok {
			f.parents = f.parents[:len(f.parents)-1]
			f.instead(kind, s, after+rest)
		} else {
			f.expression(kind, call, after+rest)
		}
		f.parents = saved
	}
}

// written reports whether the visited place is part of what an assignment writes.
func (f *finder) written() bool {
	for k := 0; ; k++ {
		inner := f.parent(k)
		switch p := f.parent(k + 1).(type) {
		case *ast.AssignStmt:
			for _, e := range p.Lhs {
				if e == inner {
					return true
				}
			}
			return false
		case *ast.IncDecStmt:
			return true
		case *ast.UnaryExpr:
			return p.Op == token.AND
		case *ast.SelectorExpr, *ast.IndexExpr:
		default:
			return false
		}
	}
}

// sameType reports whether another name stands for something of the same type in
// the same place.
func (f *finder) sameType(whole ast.Expr, object types.Object, other string) bool {
	if sel, ok := whole.(*ast.SelectorExpr); ok {
		if s := f.info.Selections[sel]; s != nil {
			found, _, _ := types.LookupFieldOrMethod(s.Recv(), true, f.types, other)
			return found != nil && types.Identical(found.Type(), object.Type())
		}
	}
	if object.Parent() == nil {
		return false
	}
	found := object.Parent().Lookup(other)
	if found == nil || object.Pkg() != nil && object.Pkg() != f.types && !found.Exported() {
		return false
	}
	if found.Parent() != f.types.Scope() && object.Pkg() == f.types && found.Pos() > whole.Pos() {
		return false
	}
	return types.Identical(found.Type(), object.Type())
}

// composite offers the two ends of an interval swapped.
func (f *finder) composite(n *ast.CompositeLit) {
	if n.Type == nil {
		return
	}
	if u, ok := f.parent(0).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return
	}
	swap := func(a, b ast.Expr) {
		at := f.offset(n.Pos())
		text := f.of(n)
		a0, a1, b0, b1 := f.offset(a.Pos())-at, f.offset(a.End())-at, f.offset(b.Pos())-at, f.offset(b.End())-at
		if text[a0:a1] != text[b0:b1] {
			f.expression(ends, n, text[:a0]+text[b0:b1]+text[a1:b0]+text[a0:a1]+text[b1:])
		}
	}
	keys := map[string]ast.Expr{}
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok {
				keys[id.Name] = pair.Value
			}
		}
	}
	for _, p := range [][2]string{{"Lo", "Hi"}, {"lo", "hi"}} {
		if a, b := keys[p[0]], keys[p[1]]; a != nil && b != nil && a.Pos() < b.Pos() {
			swap(a, b)
		}
	}
	if _, ok := f.info.Types[n].Type.Underlying().(*types.Struct); ok && len(keys) == 0 && len(n.Elts) == 2 &&
		types.Identical(f.info.Types[n.Elts[0]].Type, f.info.Types[n.Elts[1]].Type) {
		swap(n.Elts[0], n.Elts[1])
	}
}

func (f *finder) assignment(n *ast.AssignStmt) {
	switch {
	case n.Tok == token.ASSIGN:
		if id, ok := n.Lhs[0].(*ast.Ident); !ok || id.Name != "_" {
			f.instead(statement, n, "")
		}
	case n.Tok != token.DEFINE:
		for _, op := range operators[n.Tok] {
			if b, ok := f.info.Types[n.Lhs[0]].Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString == 0 {
				f.instead(arithmetic, n, f.of(n.Lhs[0])+" "+op.String()+" "+f.of(n.Rhs[0]))
			}
		}
	}
	if len(n.Lhs) == 2 && len(n.Rhs) == 1 && f.inBlock(n) {
		a, aok := n.Lhs[0].(*ast.Ident)
		b, bok := n.Lhs[1].(*ast.Ident)
		if aok && bok && a.Name != "_" && b.Name != "_" && (counterparts(a.Name)[b.Name] == ends || counterparts(a.Name)[b.Name] == rounding) {
			swap := fmt.Sprintf("%s, %s = %s, %s", a.Name, b.Name, b.Name, a.Name)
			at := f.offset(n.End())
			f.add(ends, n, f.of(n), "and then "+swap, edit{at, at, "; if mutant__.On(%[1]d) { " + swap + " }"})
		}
	}
}

// isLock reports whether a call takes or gives back a lock.
func (f *finder) isLock(call *ast.CallExpr) bool { _, _, ok := f.lockOf(call); return ok }

func (f *finder) lockOf(call *ast.CallExpr) (what string, takes, ok bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) > 0 {
		return "", false, false
	}
	switch sel.Sel.Name {
	case "Lock", "Unlock":
		return f.of(sel.X), sel.Sel.Name == "Lock", true
	case "RLock", "RUnlock":
		return f.of(sel.X) + " for reading", sel.Sel.Name == "RLock", true
	}
	return "", false, false
}

// locks offers a function without each of the locks that it takes and gives back.
func (f *finder) locks(body *ast.BlockStmt) {
	type use struct {
		takes, gives bool
		first        ast.Node
		edits        []edit
	}
	uses := map[string]*use{}
	var order []string
	ast.Inspect(body, func(n ast.Node) bool {
		var call *ast.CallExpr
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, _ = n.X.(*ast.CallExpr)
		case *ast.DeferStmt:
			call = n.Call
		}
		if call == nil {
			return true
		}
		what, takes, ok := f.lockOf(call)
		if !ok {
			return true
		}
		u := uses[what]
		if u == nil {
			u = &use{first: n}
			uses[what] = u
			order = append(order, what)
		}
		u.takes, u.gives = u.takes || takes, u.gives || !takes
		u.edits = append(u.edits, edit{f.offset(n.Pos()), f.offset(n.End()), "if !mutant__.On(%[1]d) { " + escape(f.of(n)) + " }"})
		return false
	})
	for _, what := range order {
		if u := uses[what]; u.takes && u.gives {
			f.add(lock, u.first, what+" locked", "not locked", u.edits...)
		}
	}
}
