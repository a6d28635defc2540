package script

import (
	"fmt"
	"slices"

	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
)

// bind assigns arguments to parameters as Python does. A value is nil if a required parameter has no argument, which is
// an error except for "*name".
func (sig signature) bind(args starlark.Tuple, kwargs []starlark.Tuple) (values []starlark.Value, given []bool, err error) {
	values = make([]starlark.Value, len(sig))
	given = make([]bool, len(sig))
	next := 0
	place := make([]int, len(sig)) // the number of the positional argument bound to each parameter, from 1
	for i, p := range sig {
		if p.rest {
			values[i], given[i] = args[next:], true
			next = len(args)
			continue
		}
		if next < len(args) && !p.named && !sig.afterRest(i) {
			values[i], given[i] = args[next], true
			next++
			place[i] = next
		}
	}
	if next < len(args) {
		if at := slices.IndexFunc(sig, func(p param) bool { return p.named }); at >= 0 {
			return nil, nil, fmt.Errorf("takes %s, got %d arguments: the first is %s, and %s=… must be given by its name", sig.arity(), len(args), sig[0].name, sig[at].name)
		}
		return nil, nil, fmt.Errorf("takes %s, got %d arguments", sig.arity(), len(args))
	}
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		i := sig.find(name)
		switch {
		case i < 0:
			return nil, nil, fmt.Errorf("has no parameter %s%s", name, nearest.Hint(name, sig.names()))
		case place[i] > 0:
			return nil, nil, fmt.Errorf("got two values for %s: the %s positional argument, %s, took its place", name, ordinal(place[i]), Brief(values[i]))
		case given[i]:
			return nil, nil, fmt.Errorf("got two values for %s", name)
		}
		values[i], given[i] = kw[1], true
	}
	for i, p := range sig {
		switch {
		case given[i]:
		case p.fallback == nil:
			return nil, nil, fmt.Errorf("needs %s", p.name)
		default:
			values[i] = p.fallback
		}
	}
	return values, given, nil
}

// ordinal writes n ≥ 1 as "1st", "2nd", "3rd", "4th", …
func ordinal(n int) string {
	ending := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 < 4 {
		ending = [...]string{"th", "st", "nd", "rd"}[n%10]
	}
	return fmt.Sprint(n) + ending
}

// afterRest reports whether parameter i follows a "*name" and so is keyword-only.
func (sig signature) afterRest(i int) bool {
	return slices.ContainsFunc(sig[:i], func(p param) bool { return p.rest })
}

// find returns the index of the parameter with the given name, or −1.
func (sig signature) find(name string) int {
	return slices.IndexFunc(sig, func(p param) bool { return p.name == name && !p.rest })
}

// names returns the names that can be used as keywords.
func (sig signature) names() []string {
	named := slices.DeleteFunc(slices.Clone(sig), func(p param) bool { return p.rest })
	return each(named, func(p param) string { return p.name })
}

// arity describes how many arguments the signature takes.
func (sig signature) arity() string {
	least, most, named := 0, 0, ""
	for _, p := range sig {
		if p.fallback == nil && !p.rest {
			least++
		}
		if p.named {
			named = " without a name"
		} else {
			most++
		}
	}
	if len(sig) == 0 {
		return "no arguments"
	}
	text := ""
	if least != most {
		text = fmt.Sprintf("%d to ", least)
	}
	if text += fmt.Sprintf("%d argument", most); text != "1 argument" {
		text += "s"
	}
	return text + named
}
