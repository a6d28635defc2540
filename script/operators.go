package script

import (
	"maps"
	"slices"

	"go.starlark.net/syntax"
)

// Starlark has no comparisons of evidence with numbers of its own types, and it makes a sequence of any length without
// checking memory. So the syntax tree is rewritten before it is compiled:
//
//	x < y     %<[x] - y        where evidence may be compared
//	x in y    %in[x] - y
//	x + y     x + %+[y]        where a sequence may become long
//	x += y    x += %+=[y]
//	x * y     %*[x] * %*[y]
//	x *= y    x *= %*=[y]
//	f % y     %text[f] % %%[y]
//	f(*x)     f(*%spread[x])
//	x[y]      x[%whole[y]]      see whole.go
//	range(x)  range(%count[x])
//	x.join    %method[x].join
//	x.size()  %call[x].size()   see brackets.go
//	x.table   %read[x].table
//	(x, y)    (%tuple[x], %tuple[y])
//
// A guard is indexed with a value and returns it, or an operand that wraps it. The interpreter calls the operand to
// compute the operator.

// Names of guards that are not formed from an operator by guardOf.
const (
	guardSpread = "%spread"
	guardMethod = "%method"
	guardTuple  = "%tuple"
)

// guardOf returns the name of an operator's guard.
func guardOf(op syntax.Token) string { return "%" + op.String() }

// guards returns the guards of a session by name.
func (s *Session) guards() map[string]*guard {
	out := map[string]*guard{
		guardSpread:             {take: s.spread},
		guardMethod:             {take: s.guardMethod()},
		guardTuple:              {take: keptTuple},
		guardWhole:              {take: whole},
		guardCount:              {take: count},
		guardText:               {take: formatText},
		guardCall:               {take: s.guardDot(true)},
		guardRead:               {take: s.guardDot(false)},
		guardOf(syntax.PERCENT): {take: s.formatted},
		guardOf(syntax.PLUS):    {take: summand(syntax.PLUS)},
		guardOf(syntax.PLUS_EQ): {take: summand(syntax.PLUS_EQ)},
		guardOf(syntax.STAR):    {take: factor},
		guardOf(syntax.STAR_EQ): {take: multiplier},
		guardOf(syntax.IN):      {take: comparand(syntax.IN)},
		guardOf(syntax.NOT_IN):  {take: comparand(syntax.NOT_IN)},
	}
	for op := range ways {
		if ways[op] != 0 {
			out[guardOf(syntax.Token(op))] = &guard{take: comparand(syntax.Token(op))}
		}
	}
	return out
}

// guardOperators rewrites the operators of a resolved file. It returns the names of the guards used, sorted.
func guardOperators(f *syntax.File) []string {
	g := &guarder{used: make(map[string]bool), apart: make(map[syntax.Expr]bool), dots: make(map[*syntax.DotExpr]string)}
	syntax.Walk(f, func(n syntax.Node) bool {
		g.node(n)
		return true
	})
	return slices.Sorted(maps.Keys(g.used))
}

// guarder puts guards into a file.
type guarder struct {
	used  map[string]bool            // names of the guards used so far
	apart map[syntax.Expr]bool       // tuples on the left side of an assignment, and tuples that are unpacked at once, which need no guard
	dots  map[*syntax.DotExpr]string // guards of attributes that are called without arguments, or whose values are used
}

// guard returns name[e].
func (g *guarder) guard(name string, e syntax.Expr, at syntax.Position) syntax.Expr {
	g.used[name] = true
	return index(&syntax.Ident{NamePos: at, Name: name}, e, at)
}

func index(x, y syntax.Expr, at syntax.Position) syntax.Expr {
	return &syntax.IndexExpr{X: x, Lbrack: at, Y: y, Rbrack: at}
}

// node rewrites a node before its children.
func (g *guarder) node(n syntax.Node) {
	g.reads(n)
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		g.binary(n)
	case *syntax.AssignStmt:
		switch n.Op {
		case syntax.EQ:
			if g.target(n.LHS) {
				g.apart[unparen(n.RHS)] = true
			}
		case syntax.PLUS_EQ, syntax.STAR_EQ:
			if lit := literal(n.RHS); lit == 0 || lit == syntax.INT && n.Op == syntax.STAR_EQ {
				n.RHS = g.guard(guardOf(n.Op), n.RHS, n.OpPos)
			}
		case syntax.PERCENT_EQ:
			n.RHS = g.guard(guardOf(syntax.PERCENT), n.RHS, n.OpPos)
		}
	case *syntax.ForStmt:
		g.target(n.Vars)
	case *syntax.ForClause:
		g.target(n.Vars)
	case *syntax.TupleExpr:
		for i, x := range n.List {
			if !g.apart[n] && literal(x) == 0 {
				n.List[i] = g.guard(guardTuple, x, position(x))
			}
		}
	case *syntax.DotExpr:
		g.dot(n)
		if boundedMethod(n.Name.Name) {
			n.X = g.guard(guardMethod, n.X, n.Dot)
		}
	case *syntax.IndexExpr:
		if id, ok := n.X.(*syntax.Ident); !ok || id.Name[0] != '%' {
			g.places(guardWhole, &n.Y)
		}
	case *syntax.SliceExpr:
		g.places(guardWhole, &n.Lo, &n.Hi, &n.Step)
	case *syntax.DictEntry:
		g.places(guardWhole, &n.Key)
	case *syntax.CallExpr:
		g.called(n)
		g.counted(n)
		for _, arg := range n.Args {
			if arg, ok := arg.(*syntax.UnaryExpr); ok && arg.Op == syntax.STAR {
				arg.X = g.guard(guardSpread, arg.X, arg.OpPos)
			}
		}
	}
}

// target records the tuples of an assignment's left side, and reports whether it is a pattern.
func (g *guarder) target(e syntax.Expr) bool {
	var parts []syntax.Expr
	switch e := unparen(e).(type) {
	case *syntax.TupleExpr:
		g.apart[e], parts = true, e.List
	case *syntax.ListExpr:
		parts = e.List
	default:
		return false
	}
	for _, part := range parts {
		g.target(part)
	}
	return true
}

// binary rewrites an operator unless a literal operand makes a guard unnecessary: evidence never equals a text or None,
// and a sum with a number or a short text is not much longer.
func (g *guarder) binary(e *syntax.BinaryExpr) {
	x, y := literal(e.X), literal(e.Y)
	either := func(tokens ...syntax.Token) bool { return slices.Contains(tokens, x) || slices.Contains(tokens, y) }
	switch e.Op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN:
		if !either(syntax.STRING, syntax.BYTES, syntax.IDENT) {
			e.X, e.Op = g.guard(guardOf(e.Op), e.X, e.OpPos), syntax.MINUS
		}
	case syntax.PLUS:
		if y == 0 && !either(syntax.INT, syntax.FLOAT) {
			e.Y = g.guard(guardOf(e.Op), e.Y, e.OpPos)
		}
	case syntax.STAR:
		if either(syntax.FLOAT) || x == syntax.INT && y == syntax.INT {
			return
		}
		for _, side := range []*syntax.Expr{&e.X, &e.Y} {
			if literal(*side) != syntax.INT {
				*side = g.guard(guardOf(e.Op), *side, e.OpPos)
			}
		}
	case syntax.PERCENT:
		if y == 0 {
			e.X, e.Y = g.guard(guardText, e.X, e.OpPos), g.guard(guardOf(e.Op), e.Y, e.OpPos)
		}
	}
}

// literal returns the token of a literal expression, IDENT for None, and 0 for any other expression.
func literal(e syntax.Expr) syntax.Token {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		return e.Token
	case *syntax.Ident:
		if e.Name == "None" {
			return syntax.IDENT
		}
	}
	return 0
}

// unparen returns an expression without the parentheses around it.
func unparen(e syntax.Expr) syntax.Expr {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return unparen(p.X)
	}
	return e
}
