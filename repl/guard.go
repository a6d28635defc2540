package repl

import (
	"slices"
	"strings"

	"go.starlark.net/resolve"
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
)

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
	var names []string
	for name := range g.used {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// guard returns name[e].
func (g *guarder) guard(name string, e syntax.Expr, at syntax.Position) syntax.Expr {
	g.used[name] = true
	return &syntax.IndexExpr{X: &syntax.Ident{NamePos: at, Name: name}, Lbrack: at, Y: e, Rbrack: at}
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
			if s.Result != nil {
				s.Result = g.expr(s.Result, inside)
			}
		}
	}
}

// function rewrites the defaults of parameters, and notes *args: the interpreter
// makes that tuple, so every use of it is guarded.
func (g *guarder) function(params []syntax.Expr, inside bool) {
	for _, p := range params {
		switch p := p.(type) {
		case *syntax.BinaryExpr:
			p.Y = g.expr(p.Y, inside)
		case *syntax.UnaryExpr:
			if id, ok := p.X.(*syntax.Ident); ok && p.Op == syntax.STAR {
				g.rest[id] = true
			}
		}
	}
}

// target rewrites the elements and fields that are assigned to.
func (g *guarder) target(e syntax.Expr, inside bool) {
	switch e := unparen(e).(type) {
	case *syntax.TupleExpr:
		for _, x := range e.List {
			g.target(x, inside)
		}
	case *syntax.ListExpr:
		for _, x := range e.List {
			g.target(x, inside)
		}
	case *syntax.IndexExpr:
		e.X = g.expr(e.X, inside)
		e.Y = g.expr(e.Y, inside)
	case *syntax.DotExpr:
		e.X = g.expr(e.X, inside)
	}
}

func (g *guarder) assign(s *syntax.AssignStmt, inside bool) {
	of := func(e syntax.Expr) kind { return g.kinds.of(e, inside) }
	left, right := of(s.LHS), of(s.RHS)
	number := isNumber(s.RHS)
	float := isFloat(s.RHS)
	switch unparen(s.LHS).(type) {
	case *syntax.TupleExpr, *syntax.ListExpr:
		s.RHS = g.passing(s.RHS, inside) // taken apart at once
	default:
		s.RHS = g.expr(s.RHS, inside)
	}
	g.target(s.LHS, inside)
	switch s.Op {
	case syntax.PLUS_EQ:
		if left != 0 && !number {
			s.RHS = g.guard(guardMore, s.RHS, s.OpPos)
		}
	case syntax.STAR_EQ:
		switch {
		case left|right == 0 || float:
		case left == 0:
			s.RHS = g.guard(guardRepeat, s.RHS, s.OpPos)
		default:
			s.RHS = g.guard(guardTimes, s.RHS, s.OpPos)
		}
	case syntax.PERCENT_EQ:
		if left&kindSequence != 0 && !number {
			s.RHS = g.guard(guardArgs, s.RHS, s.OpPos)
		}
	}
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
	copies := g.kinds.of(e.X, inside) != 0
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
		e.X, e.Y = g.passing(e.X, inside), g.passing(e.Y, inside)
	default:
		e.X, e.Y = g.expr(e.X, inside), g.expr(e.Y, inside)
	}
	return e
}

// operator guards an operand of +, * or %.
func (g *guarder) operator(e *syntax.BinaryExpr, inside bool) syntax.Expr {
	x, y := g.kinds.of(e.X, inside), g.kinds.of(e.Y, inside)
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

// isNumber reports whether an expression is a number as it stands.
func isNumber(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	return ok && (lit.Token == syntax.INT || lit.Token == syntax.FLOAT)
}

// isSmall reports whether an expression is a number that repeats next to nothing.
func isSmall(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	if !ok {
		return false
	}
	n, ok := lit.Value.(int64)
	return ok && n <= few
}

// isText reports whether an expression is a string as it stands.
func isText(e syntax.Expr) bool {
	lit, ok := unparen(e).(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}

// isPlainFormat reports whether an expression is a string, as it stands, that is
// formatted with arguments one after the other, none of them quoted.
func isPlainFormat(e syntax.Expr) bool {
	if !isText(e) {
		return false
	}
	text := unparen(e).(*syntax.Literal).Value.(string)
	return !strings.Contains(text, "%(") && !strings.Contains(text, "%r")
}

// sameName reports whether both sides are one variable: no value that can be
// multiplied by itself grows by it.
func sameName(x, y syntax.Expr) bool {
	a, ok1 := unparen(x).(*syntax.Ident)
	b, ok2 := unparen(y).(*syntax.Ident)
	return ok1 && ok2 && a.Name == b.Name
}
