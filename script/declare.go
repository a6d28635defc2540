package script

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A declaration is the one place that says which arguments a name of the vocabulary takes and what it returns, written
// like a signature in Python:
//
//	mvg(s: sensitivity, eps: epsilon, theta: numbers=None, modal: "uni"|"equi"="uni") -> mvg design
//
// The check of every argument and its error, completion, the title in help and the manual, and the conversion of the
// result to a script value all follow from it. argument.go describes the types. A parameter whose default is None may
// be None. An attribute that is not a method has no parentheses.
type declaration struct {
	name     string
	callable bool
	params   signature
	returns  string // names of types separated by bars, followed by "?" if None is possible; "" is any value
}

// results returns the names of the possible types.
func (d *declaration) results() []string {
	return strings.Split(strings.TrimSuffix(d.returns, "?"), "|")
}

// param is a parameter of a signature.
type param struct {
	name     string
	kind     string         // its type; "" is any value
	fallback starlark.Value // nil if the parameter is required
	literal  string         // the fallback as written
	rest     bool           // "*name": collects the remaining positional arguments
	named    bool           // keyword-only: after a "*"
}

// signature is a parsed parameter list.
type signature []param

// declared caches parsed declarations, which are constants of their packages and shared by sessions.
var declared sync.Map

// declare parses a declaration, or returns the cached result. It panics if the declaration is malformed.
func declare(text string) *declaration {
	if d, ok := declared.Load(text); ok {
		return d.(*declaration)
	}
	head, returns, _ := CutLast(text, "->")
	d := &declaration{name: strings.TrimSpace(head), returns: strings.TrimSpace(returns)}
	if open := strings.Index(head, "("); open >= 0 {
		d.name, d.callable = strings.TrimSpace(head[:open]), true
		d.params = parseSignature(head[open+1 : strings.LastIndex(head, ")")])
	}
	declared.Store(text, d)
	return d
}

// nameOf returns the name at the beginning of a declaration, without parsing the rest.
func nameOf(text string) string {
	name, _, _ := strings.Cut(text, " ")
	name, _, _ = strings.Cut(name, "(")
	return name
}

// parseSignature parses a parameter list such as `n: int[1..10], kind="gaussian", *rest`. Parameters that follow "*"
// can be given by name only.
func parseSignature(text string) signature {
	var sig signature
	named := false
	for _, field := range splitTopLevel(text, ',') {
		if field == "*" {
			named = true
			continue
		}
		parts := splitTopLevel(field, '=')
		head := splitTopLevel(parts[0], ':')
		p := param{name: head[0], named: named}
		if len(head) > 1 {
			p.kind = head[1]
		}
		if p.rest = strings.HasPrefix(p.name, "*"); p.rest {
			p.name = p.name[1:]
		}
		if len(parts) > 1 {
			v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "default", parts[1], nil)
			if err != nil {
				panic(fmt.Sprintf("script: parameter %q: %v", field, err))
			}
			v.Freeze()
			p.fallback, p.literal = v, parts[1]
		}
		sig = append(sig, p)
	}
	return sig
}

// String returns the parameters without their kinds, as in a call.
func (sig signature) String() string {
	fields := each(sig, param.String)
	if at := slices.IndexFunc(sig, func(p param) bool { return p.named }); at >= 0 {
		fields = slices.Insert(fields, at, "*")
	}
	return strings.Join(fields, ", ")
}

// String returns the parameter without its kind.
func (p param) String() string {
	text := p.name
	if p.rest {
		text = "*" + text
	}
	if p.fallback != nil {
		text += "=" + p.literal
	}
	return text
}

// splitTopLevel splits text at a character outside brackets and quotes, and trims the parts. It drops the last part if
// that is empty.
func splitTopLevel(text string, at rune) []string {
	var fields []string
	depth, start, quoted := 0, 0, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == at && depth == 0:
			fields = append(fields, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" {
		fields = append(fields, last)
	}
	return fields
}
