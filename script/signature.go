package script

import (
	"fmt"
	"strings"

	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// param is one name of a signature.
type param struct {
	name     string
	fallback starlark.Value // nil where the parameter is required
	rest     bool           // "*name": collects the positional arguments left over
}

// signature is a parsed parameter list.
type signature []param

// parseSignature reads a parameter list as help prints it, like
// `n, kind="gaussian", seed=0`. It panics where the list is malformed: lists
// are constants of this package.
func parseSignature(text string) signature {
	var sig signature
	for _, field := range SplitTopLevel(text) {
		name, literal, optional := strings.Cut(field, "=")
		p := param{name: strings.TrimSpace(name)}
		if p.rest = strings.HasPrefix(p.name, "*"); p.rest {
			p.name = p.name[1:]
		}
		if optional {
			v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "default", literal, nil)
			if err != nil {
				panic(fmt.Sprintf("repl: parameter %q: %v", field, err))
			}
			v.Freeze()
			p.fallback = v
		}
		sig = append(sig, p)
	}
	return sig
}

// splitTopLevel splits at the commas outside brackets and quotes.
func SplitTopLevel(text string) []string {
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
		case r == ',' && depth == 0:
			fields = append(fields, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" {
		fields = append(fields, last)
	}
	return fields
}

// bind assigns arguments to parameters as Python does. Values are nil where a
// required parameter collects nothing; that is an error except for "*name".
func (sig signature) bind(args starlark.Tuple, kwargs []starlark.Tuple) (values []starlark.Value, given []bool, err error) {
	values = make([]starlark.Value, len(sig))
	given = make([]bool, len(sig))
	next := 0
	for i, p := range sig {
		if p.rest {
			values[i], given[i] = args[next:], true
			next = len(args)
			continue
		}
		if next < len(args) && !sig.afterRest(i) {
			values[i], given[i] = args[next], true
			next++
		}
	}
	if next < len(args) {
		return nil, nil, fmt.Errorf("takes %s, got %d arguments", sig.arity(), len(args))
	}
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		i := sig.find(name)
		switch {
		case i < 0:
			return nil, nil, fmt.Errorf("has no parameter %s%s", name, nearest.Hint(name, sig.names()))
		case given[i]:
			return nil, nil, fmt.Errorf("got two values for %s", name)
		}
		values[i], given[i] = kw[1], true
	}
	for i, p := range sig {
		if given[i] {
			continue
		}
		if p.fallback == nil {
			return nil, nil, fmt.Errorf("needs %s", p.name)
		}
		values[i] = p.fallback
	}
	return values, given, nil
}

// afterRest reports whether parameter i follows a "*name", so that only its
// name can reach it.
func (sig signature) afterRest(i int) bool {
	for _, p := range sig[:i] {
		if p.rest {
			return true
		}
	}
	return false
}

// find returns the index of the parameter with the given name, or −1.
func (sig signature) find(name string) int {
	for i, p := range sig {
		if p.name == name && !p.rest {
			return i
		}
	}
	return -1
}

// names returns the names that can be written as keywords.
func (sig signature) names() []string {
	var names []string
	for _, p := range sig {
		if !p.rest {
			names = append(names, p.name)
		}
	}
	return names
}

// arity says how many arguments the signature takes.
func (sig signature) arity() string {
	least := 0
	for _, p := range sig {
		if p.fallback == nil && !p.rest {
			least++
		}
	}
	switch {
	case len(sig) == 0:
		return "no arguments"
	case least == len(sig) && least == 1:
		return "1 argument"
	case least == len(sig):
		return fmt.Sprintf("%d arguments", least)
	}
	return fmt.Sprintf("%d to %d arguments", least, len(sig))
}
