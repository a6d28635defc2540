package script

import (
	"maps"
	"slices"

	"go.starlark.net/syntax"
)

// The interpreter asks nobody before it makes "x" * (1 << 29), s + s or a list of
// as many elements as a range has. The syntax tree is therefore rewritten where
// an operation may take much memory, or make tuples that nest without bound:
//
//	x + y     %plus[x] + y
//	x * y     %times[x] * y
//	f % y     %format[f] % y
//	x += y    x += %more[y]
//	(a, b)    %tuple[(a, b)]
//	x[i:j]    %slice[x][i:j]
//	s.join    %of[s].join
//
// and where evidence may be compared (compare.go).
//
// A guard (guarded.go) gives back what is harmless, and puts something in its
// place that looks before the operation where it is not. An index costs two
// instructions, the cheapest way from the interpreter into Go, and there is none
// where the operands are known to be numbers (kinds.go).

// The names of the guards.
const (
	guardPlus   = "%plus"
	guardTimes  = "%times"
	guardRepeat = "%repeat"
	guardFormat = "%format"
	guardMore   = "%more"
	guardArgs   = "%args"
	guardTuple  = "%tuple"
	guardSlice  = "%slice"
	guardOf     = "%of"
	guardSpread = "%spread"
	guardCount  = "%count"
	guardIn     = "%in"
	guardInt    = "%int"
	guardFloat  = "%float"
)

// guardSide names the guard of the left side of a comparison.
func guardSide(op syntax.Token) string { return "%" + op.String() }

// guarder puts guards into a resolved file.
type guarder struct {
	kinds *kinds
	rest  map[*syntax.Ident]bool // of the parameters *args
	used  map[string]bool        // guards
}

// putGuards rewrites a resolved file, and returns the guards that it uses,
// sorted.
func putGuards(f *syntax.File, known, base func(string) bool) []string {
	g := &guarder{kinds: inferKinds(f, known, base), rest: make(map[*syntax.Ident]bool), used: make(map[string]bool)}
	g.stmts(f.Stmts, false)
	return slices.Sorted(maps.Keys(g.used))
}

// guard returns name[e], and e where the name is empty.
func (g *guarder) guard(name string, e syntax.Expr, at syntax.Position) syntax.Expr {
	if name == "" {
		return e
	}
	g.used[name] = true
	return index(&syntax.Ident{NamePos: at, Name: name}, e, at)
}

func index(x, y syntax.Expr, at syntax.Position) syntax.Expr {
	return &syntax.IndexExpr{X: x, Lbrack: at, Y: y, Rbrack: at}
}

func (g *guarder) stmts(stmts []syntax.Stmt, inside bool) {
	for _, stmt := range stmts {
		switch s := stmt.(type) {
		case *syntax.ExprStmt:
			s.X = g.expr(s.X, inside)
		case *syntax.IfStmt:
			s.Cond = g.passing(s.Cond, inside)
			g.stmts(s.True, inside)
			g.stmts(s.False, inside)
		case *syntax.AssignStmt:
			g.assign(s, inside)
		case *syntax.DefStmt:
			g.function(s.Params, inside)
			g.stmts(s.Body, true)
		case *syntax.ForStmt:
			s.X = g.iterated(s.Vars, s.X, inside)
			g.target(s.Vars, inside)
			g.stmts(s.Body, inside)
		case *syntax.WhileStmt:
			s.Cond = g.passing(s.Cond, inside)
			g.stmts(s.Body, inside)
		case *syntax.ReturnStmt:
			s.Result = g.expr(s.Result, inside)
		}
	}
}

// function rewrites the defaults of parameters, and notes *args: the interpreter
// makes that tuple, so every use of it is guarded.
func (g *guarder) function(params []syntax.Expr, inside bool) {
	g.list(params, inside)
	for _, p := range params {
		if p, ok := p.(*syntax.UnaryExpr); ok && p.Op == syntax.STAR && p.X != nil {
			g.rest[p.X.(*syntax.Ident)] = true
		}
	}
}

// target rewrites the elements and fields that are assigned to.
func (g *guarder) target(e syntax.Expr, inside bool) {
	for _, x := range elements(e) {
		g.target(x, inside)
	}
	switch e := unparen(e).(type) {
	case *syntax.IndexExpr:
		e.X, e.Y = g.expr(e.X, inside), g.expr(e.Y, inside)
	case *syntax.DotExpr:
		e.X = g.expr(e.X, inside)
	}
}

func (g *guarder) assign(s *syntax.AssignStmt, inside bool) {
	of := func(e syntax.Expr) kind { return g.kinds.of(e, inside) & kindLong }
	left, right := of(s.LHS), of(s.RHS)
	guard := ""
	switch {
	case s.Op == syntax.PLUS_EQ && left != 0 && !isNumber(s.RHS):
		guard = guardMore
	case s.Op == syntax.STAR_EQ && left != 0 && !isFloat(s.RHS):
		guard = guardTimes
	case s.Op == syntax.STAR_EQ && right != 0:
		guard = guardRepeat
	case s.Op == syntax.PERCENT_EQ && left&kindSequence != 0 && !isNumber(s.RHS):
		guard = guardArgs
	}
	if elements(s.LHS) != nil {
		s.RHS = g.passing(s.RHS, inside) // taken apart at once
	} else {
		s.RHS = g.guard(guard, g.expr(s.RHS, inside), s.OpPos)
	}
	g.target(s.LHS, inside)
}

// iterated rewrites what a loop runs over.
func (g *guarder) iterated(vars, x syntax.Expr, inside bool) syntax.Expr {
	counts := g.kinds.counts(x)
	x = g.passing(x, inside)
	if _, one := unparen(vars).(*syntax.Ident); one && counts {
		start, _ := vars.Span()
		return g.guard(guardCount, x, start)
	}
	return x
}

// passing rewrites an expression whose value is used up where it stands: a tuple
// that is written there need not be guarded.
func (g *guarder) passing(e syntax.Expr, inside bool) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = g.passing(e.X, inside)
		return e
	case *syntax.TupleExpr:
		g.list(e.List, inside)
		return e
	}
	return g.expr(e, inside)
}

func (g *guarder) list(es []syntax.Expr, inside bool) {
	for i := range es {
		es[i] = g.expr(es[i], inside)
	}
}
