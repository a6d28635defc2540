package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/syntax"
)

// Python describes how a vocabulary is exposed in the Python package: as a module of functions and classes, with stubs.
type Python struct {
	Kinds  map[string]string // Python types of parameters, by their kinds in the manual, besides those of pythonKinds
	Leave  []string          // built-ins that are not exported, because Python has them or only the prompt uses them
	Native map[string]Native // classes written by hand, wholly or in part
	Rules  map[string]string // result class of a function by the class of its argument
}

// Native is a class that the package writes by hand: the name of its base class and the attributes that it
// defines.
type Native struct {
	Base string
	Has  []string
}

// pythonKinds maps the kinds of parameters that every session knows to Python types.
var pythonKinds = map[string]string{
	"value": "Any", "number": "Number", "choice": "Exactly", "level": "Exactly", "finite": "Number", "positive": "Number", "upper": "Exactly",
	"int": "Whole", "seed": "Whole", "bool": "bool", "string": "str", "rational": "Exactly", "epsilon": "Exactly", "epsilon0": "Exactly", "delta": "Exactly", "delta0": "Exactly", "deviation": "Exactly",
	"function": "Callable[..., Any]", "none": "None", "list": "Iterable[Any]", "numbers": "Iterable[Number]", "rationals": "Iterable[Exactly]",
	"epsilons": "Iterable[Exactly]", "ints": "Iterable[Whole]", "strings": "Iterable[str]", "pairs": "Iterable[Any]", "rows": "Rows",
	"rational_rows": "Iterable[Iterable[Exactly]]", "matrix": "Rows", "named_rows": "Rows | Iterable[Any] | Mapping[str, Any]", "matrices": "Iterable[Rows]",
}

// pythonReturns maps results that have no class to Python types.
var pythonReturns = map[string]string{
	"number": "float", "int": "int", "bool": "bool", "string": "str", "list": "list[Any]", "dict": "dict[Any, Any]", "tuple": "tuple[Any, ...]",
	"none": "None", "function": "Callable[..., Any]", "value": "Any", "": "Any",
}

// PythonClass returns the name of a type in Python: "mvg design" is MvgDesign.
func PythonClass(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == '_' }) {
		r := []rune(word)
		b.WriteString(string(unicode.ToUpper(r[0])) + string(r[1:]))
	}
	return b.String()
}

// pythonFace writes the module and its type stubs side by side.
type pythonFace struct {
	*Session
	Python
	source, stubs strings.Builder
	faults        []string
	names         []string // names that the module exports
}

// both writes the same text to the module and to the stubs.
func (f *pythonFace) both(format string, args ...any) {
	fmt.Fprintf(&f.source, format, args...)
	fmt.Fprintf(&f.stubs, format, args...)
}

// PythonFace returns the source of a Python module with the session's vocabulary, and its type stubs.
func (s *Session) PythonFace(p Python) (source, stubs string, err error) {
	f := &pythonFace{Session: s, Python: p}
	var functions []*Doc
	for _, r := range s.sections() {
		for _, b := range r.Builtins {
			if !slices.Contains(p.Leave, b.doc.Name) {
				functions = append(functions, b.doc)
			}
		}
	}
	types := make(map[string][]*Doc)
	var names []string
	for _, t := range s.types() {
		types[t.name] = t.manual()
		names = append(names, PythonClass(t.name))
	}
	for _, d := range functions {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	f.names = slices.Compact(names)
	const head = "\"\"\"The vocabulary. Written by workbench reference --python from what help() knows.\"\"\"\n\n"
	f.both(head)
	f.source.WriteString("# flake8: noqa\nfrom ._face import attribute, method, word\nfrom ._values import AlgebraBase, ComparisonBase, EvidenceBase, FigureBase, MatrixBase, Object, SequenceBase, TableBase, register\n")
	f.stubs.WriteString("from collections.abc import Callable, Iterable, Mapping\nfrom typing import Any, Literal, overload\n\nfrom ._types import Exactly, Number, Path, Rows, Whole\nfrom ._values import AlgebraBase, ComparisonBase, EvidenceBase, FigureBase, MatrixBase, Object, SequenceBase, TableBase\n")
	f.both("\n__all__ = [\n")
	for _, name := range f.names {
		f.both("    %q,\n", name)
	}
	f.both("]\n")
	for _, name := range slices.Sorted(maps.Keys(types)) {
		f.class(name, types[name])
	}
	for _, d := range functions {
		f.function(d, "")
	}
	if len(f.faults) > 0 {
		return "", "", fmt.Errorf("script: no types for Python: %s", strings.Join(f.faults, "; "))
	}
	return f.source.String(), f.stubs.String(), nil
}

// class writes the Python class of a type with the given name and attributes.
func (f *pythonFace) class(name string, docs []*Doc) {
	base := "Object"
	native, own := f.Native[name]
	if own {
		base = native.Base
	}
	fmt.Fprintf(&f.source, "\n\n@register(%q)\nclass %s(%s):\n%s\n    __slots__ = ()\n", name, PythonClass(name), base, f.docstring(docs[0], "    "))
	fmt.Fprintf(&f.stubs, "\n\nclass %s(%s):\n", PythonClass(name), base)
	empty := true
	for _, d := range docs[1:] {
		attribute := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
		if own && slices.Contains(native.Has, attribute) {
			continue
		}
		empty = false
		if d.Callable() {
			f.function(d, "    ")
			continue
		}
		fmt.Fprintf(&f.source, "\n    @attribute\n    def %s(self):\n%s\n", attribute, f.docstring(d, "        "))
		fmt.Fprintf(&f.stubs, "    @property\n    def %s(self) -> %s: ...\n", attribute, f.result(d.Name, d.declared().returns))
	}
	if empty {
		f.stubs.WriteString("    pass\n")
	}
}

// function writes a built-in as a function or, with an indent, a method.
func (f *pythonFace) function(d *Doc, indent string) {
	mark, name, gap := "word", d.Name, "\n\n"
	self := []string(nil)
	if indent != "" {
		mark, name, gap, self = "method", d.Name[strings.LastIndexByte(d.Name, '.')+1:], "\n", []string{"self"}
	}
	params := d.declared().params
	plain := each(params, param.String)
	if at := slices.IndexFunc(params, func(p param) bool { return p.named }); at >= 0 {
		plain = slices.Insert(plain, at, "*")
	}
	fmt.Fprintf(&f.source, "%s%s@%s\n%sdef %s(%s):\n%s\n", gap, indent, mark, indent, name, strings.Join(slices.Concat(self, plain), ", "), f.docstring(d, indent+"    "))
	if indent == "" {
		f.stubs.WriteString("\n\n")
	}
	forms := f.overloads(d)
	if result := strings.TrimSuffix(d.declared().returns, "?"); indent != "" && len(params) == 0 && result != "matrix" && f.typeOf(result) != nil {
		f.stubs.WriteString(indent + "@property\n") // the attribute works with and without brackets, so it is a property whose value can be called
	}
	for _, form := range forms {
		if len(forms) > 1 {
			f.stubs.WriteString(indent + "@overload\n")
		}
		fmt.Fprintf(&f.stubs, "%sdef %s(%s) -> %s: ...\n", indent, name, strings.Join(slices.Concat(self, form.params), ", "), form.result)
	}
}

// form is one of the overloaded signatures of a function.
type form struct {
	params []string
	result string
}

// overloads returns the signatures of a function. There are several if the type of the result depends on an
// argument.
func (f *pythonFace) overloads(d *Doc) []form {
	sig, returns := d.declared().params, d.declared().returns
	results := strings.Split(returns, "|")
	if len(results) < 2 {
		return []form{{f.params(sig, nil), f.result(d.Name, returns)}}
	}
	for i, p := range sig { // the result depends on the type of an argument
		kinds := splitTopLevel(p.kind, '|')
		var forms []form
		for _, k := range kinds {
			if to := f.Rules[k]; len(kinds) > 1 && slices.Contains(results, to) {
				narrow := slices.Clone(sig)
				narrow[i].kind = k
				forms = append(forms, form{f.params(narrow, nil), f.result(d.Name, to)})
			}
		}
		if len(forms) == len(kinds) {
			return forms
		}
	}
	for i, p := range sig { // the result depends on which word an argument is
		if words := splitTopLevel(p.kind, '|'); len(words) == len(results) && words[0][0] == '"' && p.literal == words[0] {
			var forms []form
			for k, w := range words {
				narrow := slices.Clone(sig)
				narrow[i].kind = w
				if k > 0 {
					narrow[i].fallback, narrow[i].named = nil, true
				}
				forms = append(forms, form{f.params(narrow, nil), f.result(d.Name, results[k])})
			}
			return forms
		}
	}
	if i := sig.find("seed"); i >= 0 && results[0] == "released" { // the result depends on whether there is a seed
		without := sig.without("seed")
		return []form{
			{f.params(without, nil), f.result(d.Name, results[0])},
			{f.params(without, []string{"seed: Whole"}), f.result(d.Name, results[1])},
		}
	}
	if returns == "report|string?" { // the result depends on whether a file is named to write to
		at := sig.find("path")
		written := slices.Clone(sig)
		written[at].kind, written[at].fallback = "path", nil
		return []form{
			{f.params(sig.without("path", "format"), nil), PythonClass("report")},
			{f.params(written, nil), "None"},
			{f.params(sig.without("path", "format"), []string{`format: Literal["text", "html", "latex"]`}), "str"},
		}
	}
	return []form{{f.params(sig, nil), "Any"}}
}

// without returns the signature without the named parameters. The parameters after a removed one become keyword-only.
func (sig signature) without(names ...string) (out signature) {
	named := false
	for _, p := range sig {
		if slices.Contains(names, p.name) {
			named = true
			continue
		}
		p.named = p.named || named
		out = append(out, p)
	}
	return out
}

// params writes a signature with types; named parameters come last.
func (f *pythonFace) params(sig signature, named []string) []string {
	var out []string
	star := false
	for _, p := range sig {
		if p.named && !star {
			star = true
			out = append(out, "*")
		}
		text := p.name + ": " + f.kindOfParam(p)
		switch {
		case p.rest:
			each := strings.TrimSuffix(strings.TrimPrefix(f.kindOfParam(p), "Iterable["), "]") // of a list, its elements
			text, star = "*"+p.name+": "+each, true
		case p.fallback != nil:
			if p.literal == "None" && !strings.HasSuffix(text, " None") {
				text += " | None"
			}
			text += " = " + p.literal
		}
		out = append(out, text)
	}
	if len(named) > 0 && !star {
		out = append(out, "*")
	}
	return append(out, named...)
}

// kindOfParam returns the Python type of a parameter, and Any for kinds without a Python type.
func (f *pythonFace) kindOfParam(p param) string {
	if p.name == "path" && p.kind == "string" {
		return "Path"
	}
	var types, words []string
	for _, k := range splitTopLevel(p.kind, '|') {
		if k[0] == '"' {
			words = append(words, k)
			continue
		}
		name, _, _ := strings.Cut(k, "[")
		t, ok := pythonKinds[name]
		if !ok {
			t, ok = f.Kinds[name]
		}
		switch {
		case ok:
		case name == "path":
			t = "Path"
		case f.typeOf(name) != nil:
			t = PythonClass(name)
		default:
			t = "Any"
		}
		types = append(types, t)
	}
	if words != nil {
		types = append(types, "Literal["+strings.Join(words, ", ")+"]")
	}
	return strings.Join(types, " | ")
}

// result returns the Python type of a result.
func (f *pythonFace) result(of, returns string) string {
	name, optional := strings.CutSuffix(returns, "?")
	if strings.Contains(name, "|") {
		return "Any"
	}
	t, ok := pythonReturns[name]
	switch {
	case ok:
	case f.typeOf(name) != nil:
		t = PythonClass(name)
	default:
		f.faults = append(f.faults, fmt.Sprintf("%s returns %s", of, returns))
	}
	if optional {
		t += " | None"
	}
	return t
}

// docstringWidth is the width that docstrings are wrapped to.
const docstringWidth = 92

// docstring writes the help of a name, with its example as Python runs it.
func (f *pythonFace) docstring(d *Doc, indent string) string {
	text := strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`).Replace
	var b strings.Builder
	lines := wrapText(text(strings.TrimSpace(d.Help)), docstringWidth-len(indent))
	b.WriteString(indent + `"""` + strings.Join(lines, "\n"+indent))
	if d.Example != "" {
		b.WriteString("\n\n" + indent + "Example::\n")
		for line := range strings.Lines(f.example(strings.TrimRight(d.Example, "\n"))) {
			b.WriteString("\n" + strings.TrimRight(indent+"    "+text(strings.TrimRight(line, "\n")), " "))
		}
	}
	b.WriteString("\n" + indent + `"""`)
	return b.String()
}

// example writes an example as Python runs it: with wb. before the names that are the package's, and what it imports.
func (f *pythonFace) example(source string) string {
	file, err := Parse("example", source)
	if err != nil {
		return source
	}
	own := make(map[string]bool) // names that the example assigns to hide the built-ins of the same name
	bind := func(e syntax.Expr) {
		syntax.Walk(e, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				own[id.Name] = true
			}
			_, index := n.(*syntax.IndexExpr)
			return !index
		})
	}
	var at []syntax.Position // positions of the names of built-ins
	imports := false
	var walk func(n syntax.Node) bool
	walk = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			bind(n.LHS)
		case *syntax.DefStmt:
			own[n.Name.Name] = true
			for _, p := range n.Params {
				bind(p)
			}
		case *syntax.LambdaExpr:
			for _, p := range n.Params {
				bind(p)
			}
		case *syntax.ForStmt:
			bind(n.Vars)
		case *syntax.ForClause:
			bind(n.Vars)
		case *syntax.DotExpr:
			syntax.Walk(n.X, walk)
			return false
		case *syntax.CallExpr:
			syntax.Walk(n.Fn, walk)
			for _, arg := range n.Args {
				if named, ok := arg.(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
					arg = named.Y
				}
				syntax.Walk(arg, walk)
			}
			return false
		case *syntax.Ident:
			imports = imports || n.Name == "math"
			if slices.Contains(f.names, n.Name) {
				at = append(at, n.NamePos)
			}
		}
		return true
	}
	syntax.Walk(file, walk)
	lines := strings.Split(source, "\n")
	slices.SortFunc(at, func(a, b syntax.Position) int { return cmp.Or(cmp.Compare(b.Line, a.Line), cmp.Compare(b.Col, a.Col)) })
	for _, p := range at { // edit from the end, so that earlier columns stay valid
		line := []rune(lines[p.Line-1])
		rest := string(line[p.Col-1:])
		if name := rest[:len(rest)-len(strings.TrimLeft(rest, nameBytes))]; !own[name] {
			lines[p.Line-1] = string(line[:p.Col-1]) + "wb." + rest
		}
	}
	out := strings.Join(lines, "\n")
	if imports {
		out = "import math\n" + out
	}
	return out
}
