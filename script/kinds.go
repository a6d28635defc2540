package script

import (
	"go.starlark.net/resolve"
	"go.starlark.net/syntax"
)

// kind says what an expression may be, as far as the memory that operators take
// goes, and the comparisons that Starlark has otherwise: nothing here is a number, a
// set, a function or any other value that + and * never make longer.
type kind uint8

const (
	kindSequence kind = 1 << iota // a string, bytes or a list
	kindTuple
	kindEvidence // evidence or another value that compares in its own way, such as a draw, or a list, a tuple or a dict, which may hold one
	kindLong     = kindSequence | kindTuple
	kindAny      = kindLong | kindEvidence
)

// kinds infers what the variables of a resolved file may be, from all that is
// assigned to them. It is right for whatever a script does: a name that other
// code may bind (a parameter, what a call or a load brings, a global that a
// function uses, which a later chunk may bind anew) is anything.
type kinds struct {
	known func(name string) bool // bound before this chunk
	base  func(name string) bool // still a built-in of the session
	vars  map[binding]*variable

	settled map[*syntax.BinaryExpr]kind // known, once the variables are
}

// binding tells variables apart: by the place where a local one is first bound,
// and by name where it is a global one of code at top level.
type binding struct {
	local  *syntax.Ident
	global string
}

// variable is what one variable may be.
type variable struct {
	kind    kind
	sources []func() kind // of what is assigned to it
}

// inferKinds looks at every assignment of a file, and repeats until nothing more
// is learnt: a kind only grows, so that this ends.
func inferKinds(f *syntax.File, known, base func(string) bool) *kinds {
	k := &kinds{known: known, base: base, vars: make(map[binding]*variable)}
	k.collect(f, false)
	for changed := true; changed; {
		changed = false
		for _, v := range k.vars {
			before := v.kind
			for _, source := range v.sources {
				if v.kind != kindAny {
					v.kind |= source()
				}
			}
			changed = changed || v.kind != before
		}
	}
	k.settled = make(map[*syntax.BinaryExpr]kind)
	return k
}

// variable returns the variable of a name, nil where anything may be bound to it.
func (k *kinds) variable(id *syntax.Ident, inside bool) *variable {
	var key binding
	switch b, _ := id.Binding.(*resolve.Binding); {
	case b == nil:
		return nil
	case b.Scope == resolve.Local || b.Scope == resolve.Cell || b.Scope == resolve.Free:
		key.local = b.First
	case b.Scope == resolve.Global && !inside && !k.known(id.Name):
		key.global = id.Name
	default:
		return nil
	}
	if k.vars[key] == nil {
		k.vars[key] = new(variable)
	}
	return k.vars[key]
}

// collect notes the assignments below a node. inside says that it is in the body
// of a function.
func (k *kinds) collect(n syntax.Node, inside bool) {
	switch n := n.(type) {
	case *syntax.AssignStmt:
		k.assign(n, inside)
	case *syntax.ForStmt:
		k.loop(n.Vars, n.X, inside)
	case *syntax.ForClause:
		k.loop(n.Vars, n.X, inside)
	case *syntax.LoadStmt:
		for _, to := range n.To {
			k.target(to, nil, inside)
		}
	case *syntax.DefStmt:
		k.parameters(n.Params)
		inside = true
	case *syntax.LambdaExpr:
		k.parameters(n.Params)
		inside = true
	}
	children(n, func(c syntax.Node) { k.collect(c, inside) })
}

// children calls f for every child of a node.
func children(n syntax.Node, f func(syntax.Node)) {
	own := true
	syntax.Walk(n, func(c syntax.Node) bool {
		switch {
		case c == nil:
		case own:
			own = false
			return true
		default:
			f(c)
		}
		return false
	})
}

func (k *kinds) parameters(params []syntax.Expr) {
	for _, p := range params {
		switch q := p.(type) {
		case *syntax.BinaryExpr: // name=default
			p = q.X
		case *syntax.UnaryExpr: // *name, **name, *
			p = q.X
		}
		k.target(p, nil, true)
	}
}

func (k *kinds) bind(id *syntax.Ident, inside bool, source func() kind) {
	if v := k.variable(id, inside); v != nil {
		v.sources = append(v.sources, source)
	}
}

// assign notes what a statement assigns.
func (k *kinds) assign(s *syntax.AssignStmt, inside bool) {
	id, ok := unparen(s.LHS).(*syntax.Ident)
	switch {
	case s.Op == syntax.EQ:
		k.target(s.LHS, s.RHS, inside)
	case ok && s.Op == syntax.STAR_EQ:
		k.bind(id, inside, func() kind { return k.product(id, s.RHS, inside) })
	case ok && s.Op == syntax.PERCENT_EQ:
		k.bind(id, inside, func() kind { return k.of(id, inside) & kindSequence })
	case ok && (s.Op == syntax.PLUS_EQ || s.Op == syntax.MINUS_EQ || s.Op == syntax.SLASH_EQ):
		k.bind(id, inside, func() kind { return k.of(s.RHS, inside) & kindEvidence }) // beside the kind of x
	} // the others give a number, a dict or a set
}

// target notes that from is assigned to a name or a pattern of names; from nil is
// anything.
func (k *kinds) target(to, from syntax.Expr, inside bool) {
	if id, ok := unparen(to).(*syntax.Ident); ok {
		k.bind(id, inside, func() kind { return k.of(from, inside) })
		return
	}
	targets, values := elements(to), elements(from) // no targets: an element or a field
	for i, target := range targets {
		var value syntax.Expr
		if len(values) == len(targets) {
			value = values[i]
		}
		k.target(target, value, inside)
	}
}

// loop notes the variables of a loop over x.
func (k *kinds) loop(vars, x syntax.Expr, inside bool) {
	if id, ok := unparen(vars).(*syntax.Ident); ok && k.counts(x) {
		k.bind(id, inside, func() kind { return 0 })
		return
	}
	k.target(vars, nil, inside)
}

// counts reports whether an expression is a call of range, which gives numbers
// as long as nobody binds that name.
func (k *kinds) counts(x syntax.Expr) bool {
	call, ok := unparen(x).(*syntax.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fn.(*syntax.Ident)
	if !ok || id.Name != "range" || !k.base("range") {
		return false
	}
	b, ok := id.Binding.(*resolve.Binding)
	return ok && b.Scope == resolve.Predeclared
}

// of returns what an expression may be, nil being anything.
func (k *kinds) of(e syntax.Expr, inside bool) kind {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return k.of(e.X, inside)
	case *syntax.Literal:
		if isPlain(e) {
			return kindSequence
		}
		return 0
	case *syntax.Ident:
		if e.Name == "None" || e.Name == "True" || e.Name == "False" {
			return 0
		}
		if v := k.variable(e, inside); v != nil {
			return v.kind
		}
	case *syntax.ListExpr:
		return kindSequence | kindEvidence
	case *syntax.TupleExpr:
		return kindTuple | kindEvidence
	case *syntax.Comprehension:
		if e.Curly {
			return kindEvidence
		}
		return kindSequence | kindEvidence
	case *syntax.DictExpr:
		return kindEvidence
	case *syntax.UnaryExpr: // +x is x
		return k.of(e.X, inside) & kindEvidence
	case *syntax.LambdaExpr:
		return 0
	case *syntax.CondExpr:
		return k.of(e.True, inside) | k.of(e.False, inside)
	case *syntax.SliceExpr:
		return k.of(e.X, inside)
	case *syntax.BinaryExpr:
		if known, ok := k.settled[e]; ok {
			return known
		}
		known := k.operation(e, inside)
		if k.settled != nil {
			k.settled[e] = known
		}
		return known
	}
	return kindAny
}

// operation returns what a binary operation may give.
func (k *kinds) operation(e *syntax.BinaryExpr, inside bool) kind {
	switch e.Op {
	case syntax.AND, syntax.OR:
		return k.of(e.X, inside) | k.of(e.Y, inside)
	case syntax.PLUS: // of two values of one type, or of a draw and a number
		x, y := k.of(e.X, inside), k.of(e.Y, inside)
		return x&y | (x|y)&kindEvidence
	case syntax.MINUS:
		return (k.of(e.X, inside) | k.of(e.Y, inside)) & kindEvidence
	case syntax.STAR:
		return k.product(e.X, e.Y, inside)
	case syntax.PERCENT:
		return k.of(e.X, inside) & kindSequence
	case syntax.SLASH: // ln(9) / 2, and 1 / exp(eps)
		return (k.of(e.X, inside) | k.of(e.Y, inside)) & kindEvidence
	case syntax.PIPE: // the union of two dicts
		return k.of(e.X, inside) & kindEvidence
	}
	return 0
}

// product returns what x * y may be: a float repeats nothing.
func (k *kinds) product(x, y syntax.Expr, inside bool) kind {
	both := k.of(x, inside) | k.of(y, inside)
	if isFloat(x) || isFloat(y) {
		return both & kindEvidence
	}
	return both
}
