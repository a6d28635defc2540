package script

import (
	"go.starlark.net/resolve"
	"go.starlark.net/syntax"
)

// expr rewrites an expression.
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
		for _, entry := range e.List {
			entry := entry.(*syntax.DictEntry)
			entry.Key, entry.Value = g.expr(entry.Key, inside), g.expr(entry.Value, inside)
		}
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = g.passing(e.Cond, inside), g.expr(e.True, inside), g.expr(e.False, inside)
	case *syntax.IndexExpr:
		e.X, e.Y = g.expr(e.X, inside), g.passing(e.Y, inside)
	case *syntax.SliceExpr:
		return g.slice(e, inside)
	case *syntax.Comprehension:
		g.comprehension(e, inside)
	case *syntax.UnaryExpr:
		e.X = g.expr(e.X, inside)
	case *syntax.BinaryExpr:
		return g.binary(e, inside)
	case *syntax.DotExpr:
		e.X = g.expr(e.X, inside)
		if takesMemory[e.Name.Name] {
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
	nests := false
	for _, x := range e.List {
		nests = nests || g.kinds.of(x, inside)&kindTuple != 0
	}
	g.list(e.List, inside)
	if !nests {
		return e
	}
	at := e.Lparen
	if !at.IsValid() {
		at, _ = e.List[0].Span()
	}
	return g.guard(guardTuple, e, at)
}

func (g *guarder) slice(e *syntax.SliceExpr, inside bool) syntax.Expr {
	copies := g.kinds.of(e.X, inside)&kindLong != 0
	e.X = g.expr(e.X, inside)
	if copies {
		e.X = g.guard(guardSlice, e.X, e.Lbrack)
	}
	for _, bound := range []*syntax.Expr{&e.Lo, &e.Hi, &e.Step} {
		if *bound != nil {
			*bound = g.expr(*bound, inside)
		}
	}
	return e
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
	if entry, ok := e.Body.(*syntax.DictEntry); ok {
		entry.Key, entry.Value = g.expr(entry.Key, inside), g.expr(entry.Value, inside)
		return
	}
	e.Body = g.expr(e.Body, inside)
}

func (g *guarder) call(e *syntax.CallExpr, inside bool) {
	e.Fn = g.expr(e.Fn, inside)
	for i, arg := range e.Args {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ { // name=value
				arg.Y = g.expr(arg.Y, inside)
				continue
			}
		case *syntax.UnaryExpr:
			switch arg.Op {
			case syntax.STAR:
				arg.X = g.guard(guardSpread, g.passing(arg.X, inside), arg.OpPos)
				continue
			case syntax.STARSTAR:
				arg.X = g.expr(arg.X, inside)
				continue
			}
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
	default:
		e.X, e.Y = g.expr(e.X, inside), g.expr(e.Y, inside)
	}
	return e
}

// comparison guards a side of a comparison, unless no evidence is compared there.
func (g *guarder) comparison(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	looks := e.Op == syntax.IN || e.Op == syntax.NOT_IN
	x, y := g.kinds.of(e.X, inside), g.kinds.of(e.Y, inside)
	plain := isPlain(e.X) || isPlain(e.Y) || looks && y&kindLong == 0 || !looks && (x|y)&kindEvidence == 0
	literal, _ := unparen(e.Y).(*syntax.Literal)
	e.X, e.Y = g.passing(e.X, inside), g.passing(e.Y, inside)
	switch {
	case plain:
	case looks:
		e.Y = g.guard(guardIn, e.Y, e.OpPos)
	case literal != nil && literal.Token == syntax.INT:
		e.X = g.guard(guardInt, e.X, e.OpPos)
	case literal != nil:
		e.X = g.guard(guardFloat, e.X, e.OpPos)
	default:
		return index(g.guard(guardSide(e.Op), e.X, e.OpPos), e.Y, e.OpPos)
	}
	return e
}

// operator guards an operand of +, * or %.
func (g *guarder) operator(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	x, y := g.kinds.of(e.X, inside)&kindLong, g.kinds.of(e.Y, inside)&kindLong
	left, right := "", "" // the guards
	switch e.Op {
	case syntax.PLUS:
		if x&y != 0 && !(isText(e.X) && isText(e.Y)) {
			left = guardPlus
		}
	case syntax.STAR:
		switch {
		case x|y == 0 || isFloat(e.X) || isFloat(e.Y) || sameName(e.X, e.Y):
		case x == 0 && isSmall(e.X):
			right = guardPlus
		case x == 0:
			right = guardRepeat
		case y == 0 && isSmall(e.Y):
			left = guardPlus
		case y == 0:
			left = guardRepeat
		default:
			left = guardTimes
		}
	case syntax.PERCENT:
		switch {
		case x&kindSequence == 0 || isNumber(e.Y):
		case isPlainFormat(e.X):
			right = guardArgs
		default:
			left = guardFormat
		}
	}
	e.X = g.expr(e.X, inside)
	if e.Op == syntax.PERCENT {
		e.Y = g.passing(e.Y, inside)
	} else {
		e.Y = g.expr(e.Y, inside)
	}
	if left != "" {
		e.X = g.guard(left, e.X, e.OpPos)
	}
	if right != "" {
		e.Y = g.guard(right, e.Y, e.OpPos)
	}
	return e
}
