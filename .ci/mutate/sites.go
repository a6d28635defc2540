package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// mutant is one change of the program.
type mutant struct {
	id             int
	room           string
	kind           string
	file           string // below the module
	line           int
	function       string
	before, after  string
	edits          []edit
	key            string // the same as long as the function is
	outcome        outcome
	by             string // the test that noticed
	reached, tried int    // tests
}

// edit replaces text[from:to] of a file by text, in which %d is the mutant's number.
type edit struct {
	from, to int
	text     string
}

// The kinds of mutants.
const (
	comparison = "comparison" // < for <=, == for !=, && for ||, a dropped !
	arithmetic = "arithmetic" // + for -, Mul for Quo, a dropped sign
	constant   = "constant"   // n + 1 for n
	statement  = "statement"  // an assignment or a call removed
	rounding   = "rounding"   // down for up, Floor for Ceil, a step to the next float64 dropped
	ends       = "ends"       // Lo for Hi, min for max, two ends swapped
	failure    = "error"      // an error unchecked, or nil in its place
	lock       = "lock"       // a lock not taken; its tests run under the race detector
)

func kindNames() []string {
	return []string{comparison, arithmetic, constant, statement, rounding, ends, failure, lock}
}

// operators are the changes of one operator into another.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM: {token.MUL}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// A twin is two words of which a name that holds one may have a counterpart that
// holds the other.
type twin struct{ kind, one, other string }

var twins = []twin{
	{rounding, "Down", "Up"}, {rounding, "down", "up"}, {rounding, "Lower", "Upper"}, {rounding, "lower", "upper"},
	{rounding, "Floor", "Ceil"}, {rounding, "floor", "ceil"}, {rounding, "ToNegativeInf", "ToPositiveInf"},
	{rounding, "Below", "Above"}, {rounding, "below", "above"},
	{ends, "Lo", "Hi"}, {ends, "lo", "hi"}, {ends, "low", "high"}, {ends, "Min", "Max"}, {ends, "min", "max"},
	{ends, "least", "most"}, {ends, "smallest", "largest"},
	{arithmetic, "Add", "Sub"}, {arithmetic, "Mul", "Quo"}, {arithmetic, "add", "sub"}, {arithmetic, "mul", "quo"},
}

// counterparts returns the names that a name may be mistaken for.
func counterparts(name string) map[string]string { // name → kind
	out := map[string]string{}
	for _, t := range twins {
		for _, p := range [2][2]string{{t.one, t.other}, {t.other, t.one}} {
			if strings.Contains(name, p[0]) {
				out[strings.Replace(name, p[0], p[1], 1)] = t.kind
			}
		}
	}
	return out
}

// finder collects the mutants of one file.
type finder struct {
	*room
	*source
	function string
	parents  []ast.Node
	found    []*mutant
}

func (r *room) mutants() []*mutant {
	var out []*mutant
	for _, s := range r.files {
		f := &finder{room: r, source: s}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if n == nil {
				f.parents = f.parents[:len(f.parents)-1]
				return true
			}
			if !f.visit(n) {
				return false
			}
			f.parents = append(f.parents, n)
			return true
		})
		out = append(out, f.found...)
	}
	seen := map[string]int{}
	for _, m := range out {
		m.key = fmt.Sprintf("%s %s [%s] %s → %s", m.file, m.function, m.kind, short(m.before), short(m.after))
		if seen[m.key]++; seen[m.key] > 1 {
			m.key += fmt.Sprintf(" #%d", seen[m.key])
		}
	}
	return out
}

// short returns a text on one line, cut to a readable length.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 90 {
		s = string(r[:89]) + "…"
	}
	return s
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) of(n ast.Node) string { return string(f.text[f.offset(n.Pos()):f.offset(n.End())]) }

// parent returns the k-th node above the one that is visited, from 0.
func (f *finder) parent(k int) ast.Node {
	if k < len(f.parents) {
		return f.parents[len(f.parents)-1-k]
	}
	return nil
}

func (f *finder) add(kind string, n ast.Node, before, after string, edits ...edit) {
	f.found = append(f.found, &mutant{room: f.path, kind: kind, file: f.name, function: f.function,
		line: f.fset.Position(n.Pos()).Line, before: before, after: after, edits: edits})
}

// expression offers after in the place of an expression.
func (f *finder) expression(kind string, n ast.Expr, after string) {
	before := f.of(n)
	t := f.info.Types[n].Type
	if t == nil {
		return
	}
	woven := ""
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsBoolean != 0 {
		woven = fmt.Sprintf("(mutant__.On(%%[1]d) && (%s) || !mutant__.On(%%[1]d) && (%s))", escape(after), escape(before))
	} else if text, ok := f.typeText(t); ok {
		woven = fmt.Sprintf("func() %s { if mutant__.On(%%[1]d) { return %s }; return %s }()", text, escape(after), escape(before))
	} else {
		return
	}
	f.add(kind, n, before, after, edit{f.offset(n.Pos()), f.offset(n.End()), woven})
}

func escape(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// inBlock reports whether the visited node is a statement of a list, where
// another statement may take its place.
func (f *finder) inBlock(n ast.Node) bool {
	in := func(list []ast.Stmt) bool {
		for _, s := range list {
			if s == n {
				return true
			}
		}
		return false
	}
	switch p := f.parent(0).(type) {
	case *ast.BlockStmt:
		return in(p.List)
	case *ast.CaseClause:
		return in(p.Body)
	case *ast.CommClause:
		return in(p.Body)
	}
	return false
}

// instead offers another statement, or none, in the place of one.
func (f *finder) instead(kind string, n ast.Stmt, after string) {
	if !f.inBlock(n) {
		return
	}
	before := f.of(n)
	woven := fmt.Sprintf("if mutant__.On(%%[1]d) { %s } else { %s }", escape(after), escape(before))
	if after == "" {
		woven, after = fmt.Sprintf("if !mutant__.On(%%[1]d) { %s }", escape(before)), "(removed)"
	}
	f.add(kind, n, before, after, edit{f.offset(n.Pos()), f.offset(n.End()), woven})
}

// typeText writes a type as the file can name it.
func (f *finder) typeText(t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(types.Default(t), func(p *types.Package) string {
		if p == f.types {
			return ""
		}
		for _, spec := range f.ast.Imports {
			if strings.Trim(spec.Path.Value, `"`) == p.Path() {
				if spec.Name != nil {
					return spec.Name.Name
				}
				return p.Name()
			}
		}
		ok = false
		return ""
	})
	_, tuple := t.(*types.Tuple)
	return text, ok && !tuple && !strings.Contains(text, "untyped")
}

// isError reports whether an expression is of the type error.
func (f *finder) isError(e ast.Expr) bool {
	t := f.info.Types[e].Type
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func isNil(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "nil" }
