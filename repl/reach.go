package repl

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// freezeReached freezes every value that a function can reach, so that several
// goroutines may call it: its defaults and free variables, the values of the
// global names in its source, and so on through the functions among them.
func (s *Session) freezeReached(f starlark.Value) {
	r := reacher{session: s, seen: make(map[*starlark.Function]bool)}
	r.value(f)
}

type reacher struct {
	session *Session
	seen    map[*starlark.Function]bool
}

// value freezes v, and follows the functions that it holds.
func (r *reacher) value(v starlark.Value) {
	v.Freeze() // also stops the walk below from changing what it walks over
	r.walk(v, 0)
}

func (r *reacher) walk(v starlark.Value, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := v.(type) {
	case *starlark.Function:
		r.function(v)
	case *starlark.Dict:
		for _, item := range v.Items() {
			r.walk(item[1], depth+1)
		}
	case *starlark.List, starlark.Tuple:
		for x := range starlark.Elements(v.(starlark.Iterable)) {
			r.walk(x, depth+1)
		}
	}
}

func (r *reacher) function(f *starlark.Function) {
	if r.seen[f] {
		return
	}
	r.seen[f] = true
	for i := range f.NumFreeVars() {
		if _, v := f.FreeVar(i); v != nil {
			r.value(v)
		}
	}
	for i := range f.NumParams() {
		if v := f.ParamDefault(i); v != nil {
			r.value(v)
		}
	}
	table := r.session.table
	if m, ok := r.session.modules[f.Position().Filename()]; ok {
		table = m.table
	}
	for _, name := range r.session.globalsOf(f, table) {
		if v := table[livePrefix+name]; v != nil {
			r.value(v)
		}
	}
}

// globalsOf returns the names in the source of a function. Where the source is
// no longer known, as at the prompt, it returns every name.
func (s *Session) globalsOf(f *starlark.Function, table starlark.StringDict) []string {
	pos := f.Position()
	lines, ok := s.sources[pos.Filename()]
	if !ok || strings.HasPrefix(pos.Filename(), "<") {
		return plainNames(table)
	}
	file, err := dialect.Parse(pos.Filename(), strings.Join(lines, "\n"), 0)
	if err != nil {
		return plainNames(table)
	}
	var body syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			if n.Def.Line == pos.Line && (n.Def.Col == pos.Col || n.Name.NamePos.Col == pos.Col) {
				body = n
			}
		case *syntax.LambdaExpr:
			if n.Lambda.Line == pos.Line && n.Lambda.Col == pos.Col {
				body = n
			}
		}
		return body == nil
	})
	if body == nil {
		return plainNames(table)
	}
	var names []string
	syntax.Walk(body, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}
