package script

import (
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"
)

// expr rewrites an expression, which may be nil.
func (g *guarder) expr(e syntax.Expr, inside bool) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		if b, ok := e.Binding.(*resolve.Binding); ok && g.rest[b.First] {
			return g.guard(guardTuple, e, e.NamePos)
		}
	case *syntax.ParenExpr:
		e.X = g.expr(e.X, inside)
	case *syntax.TupleExpr:
		return g.tuple(e, inside)
	case *syntax.ListExpr:
		g.list(e.List, inside)
	case *syntax.DictExpr:
		g.list(e.List, inside)
	case *syntax.DictEntry:
		e.Key, e.Value = g.expr(e.Key, inside), g.expr(e.Value, inside)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = g.passing(e.Cond, inside), g.expr(e.True, inside), g.expr(e.False, inside)
	case *syntax.IndexExpr:
		e.X, e.Y = g.expr(e.X, inside), g.passing(e.Y, inside)
	case *syntax.SliceExpr:
		copies := g.kinds.of(e.X, inside)&kindLong != 0
		e.X, e.Lo, e.Hi, e.Step = g.expr(e.X, inside), g.expr(e.Lo, inside), g.expr(e.Hi, inside), g.expr(e.Step, inside)
		if copies {
			e.X = g.guard(guardSlice, e.X, e.Lbrack)
		}
	case *syntax.Comprehension:
		g.comprehension(e, inside)
	case *syntax.UnaryExpr:
		e.X = g.expr(e.X, inside)
	case *syntax.BinaryExpr:
		return g.binary(e, inside)
	case *syntax.DotExpr:
		e.X = g.expr(e.X, inside)
		if takesMemory(e.Name.Name) {
			e.X = g.guard(guardOf, e.X, e.Dot)
		}
	case *syntax.CallExpr:
		g.call(e, inside)
	case *syntax.LambdaExpr:
		g.function(e.Params, inside)
		e.Body = g.expr(e.Body, true)
	}
	return e
}

// tuple guards a tuple that may hold a tuple.
func (g *guarder) tuple(e *syntax.TupleExpr, inside bool) syntax.Expr {
	nests := slices.ContainsFunc(e.List, func(x syntax.Expr) bool { return g.kinds.of(x, inside)&kindTuple != 0 })
	g.list(e.List, inside)
	if !nests {
		return e
	}
	at, _ := e.Span()
	return g.guard(guardTuple, e, at)
}

func (g *guarder) comprehension(e *syntax.Comprehension, inside bool) {
	for _, clause := range e.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			c.X = g.iterated(c.Vars, c.X, inside)
			g.target(c.Vars, inside)
		case *syntax.IfClause:
			c.Cond = g.passing(c.Cond, inside)
		}
	}
	e.Body = g.expr(e.Body, inside)
}

func (g *guarder) call(e *syntax.CallExpr, inside bool) {
	e.Fn = g.expr(e.Fn, inside)
	for i, arg := range e.Args {
		if arg, ok := arg.(*syntax.UnaryExpr); ok && arg.Op == syntax.STAR {
			arg.X = g.guard(guardSpread, g.passing(arg.X, inside), arg.OpPos)
			continue
		}
		e.Args[i] = g.expr(arg, inside)
	}
}

func (g *guarder) binary(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	switch e.Op {
	case syntax.PLUS, syntax.STAR, syntax.PERCENT:
		return g.operator(e, inside)
	case syntax.IN, syntax.NOT_IN, syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		return g.comparison(e, inside)
	}
	e.X, e.Y = g.expr(e.X, inside), g.expr(e.Y, inside)
	return e
}

// comparison guards a side of a comparison, unless no evidence is compared there.
func (g *guarder) comparison(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	looks := e.Op == syntax.IN || e.Op == syntax.NOT_IN
	x, y := g.kinds.of(e.X, inside), g.kinds.of(e.Y, inside)
	plain := isPlain(e.X) || isPlain(e.Y) || looks && y&kindLong == 0 || !looks && (x|y)&kindEvidence == 0
	number := literal(e.Y).Token
	e.X, e.Y = g.passing(e.X, inside), g.passing(e.Y, inside)
	switch {
	case plain:
	case looks:
		e.Y = g.guard(guardIn, e.Y, e.OpPos)
	case number == syntax.INT:
		e.X = g.guard(guardInt, e.X, e.OpPos)
	case number == syntax.FLOAT:
		e.X = g.guard(guardFloat, e.X, e.OpPos)
	default:
		return index(g.guard(guardSide(e.Op), e.X, e.OpPos), e.Y, e.OpPos)
	}
	return e
}

// operator guards an operand of +, * or %.
func (g *guarder) operator(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	left, right := g.operands(e, inside)
	e.X = g.guard(left, g.expr(e.X, inside), e.OpPos)
	if e.Op == syntax.PERCENT {
		e.Y = g.passing(e.Y, inside)
	} else {
		e.Y = g.expr(e.Y, inside)
	}
	e.Y = g.guard(right, e.Y, e.OpPos)
	return e
}

// operands returns the guards of the operands of +, * or %, at most one that is
// not empty.
func (g *guarder) operands(e *syntax.BinaryExpr, inside bool) (left, right string) {
	x, y := g.kinds.of(e.X, inside)&kindLong, g.kinds.of(e.Y, inside)&kindLong
	switch {
	case e.Op == syntax.PLUS && (x&y == 0 || isText(e.X) && isText(e.Y)):
	case e.Op == syntax.PLUS:
		return guardPlus, ""
	case e.Op == syntax.PERCENT && (x&kindSequence == 0 || isNumber(e.Y)):
	case e.Op == syntax.PERCENT && isPlainFormat(e.X):
		return "", guardArgs
	case e.Op == syntax.PERCENT:
		return guardFormat, ""
	case x|y == 0 || isFloat(e.X) || isFloat(e.Y) || sameName(e.X, e.Y):
	case x == 0:
		return "", repeatedBy(e.X)
	case y == 0:
		return repeatedBy(e.Y), ""
	default:
		return guardTimes, ""
	}
	return "", ""
}

// repeatedBy returns the guard of what is multiplied by a number.
func repeatedBy(number syntax.Expr) string {
	if isSmall(number) {
		return guardPlus
	}
	return guardRepeat
}
