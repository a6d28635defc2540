package script

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// choicesOf returns the words that a parameter of a function accepts, or nil if it accepts any string.
func (s *Session) choicesOf(d *Doc, parameter string) (known []string) {
	if i := d.declared().params.find(parameter); i >= 0 {
		if k := s.kind(d.declared().params[i].kind); k.Words != nil {
			known = slices.Clone(k.Words())
		}
	}
	slices.Sort(known)
	return known
}

// completeChoice completes the string that begins at the offset quote of source. ok is false unless the string is an
// argument of a parameter that accepts a list of words.
func (s *Session) completeChoice(source string, quote int) (c Completion, ok bool) {
	begin := quote + 1
	call := openCall(source[:quote])
	if call < 0 {
		return Completion{}, false
	}
	arguments := splitTopLevel(source[call+1:quote]+"?", ',') // the string is one more argument, or ends the last one
	n := len(arguments) - 1
	parameter, rest, keyword := strings.Cut(arguments[n], "=")
	d := s.callee(source[:call])
	if d == nil || keyword && strings.TrimSpace(rest) != "?" || !keyword && arguments[n] != "?" {
		return Completion{}, false
	}
	if sig := d.declared().params; !keyword && n < len(sig) {
		parameter = sig[n].name
	}
	known := s.choicesOf(d, strings.TrimSpace(parameter))
	return Completion{begin, nextParts(known, source[begin:])}, known != nil
}

// Choices returns the possible completions of the string at the end of source, if it is an argument whose parameter
// accepts a list of words. During the call, names are bound to their values.
func (s *Session) Choices(source string, names map[string]starlark.Value) Completion {
	for name, v := range names {
		before := s.Get(name)
		s.Set(name, v)
		defer func() {
			if s.Set(name, before); before == nil {
				delete(s.table, livePrefix+name)
			}
		}()
	}
	st := scan(source)
	if len(st.quote) != 1 {
		return Completion{Start: len(source)}
	}
	c, _ := s.completeChoice(source, strings.LastIndex(source, st.quote))
	return c
}

// nextParts returns the names that begin with a prefix. If several do, each is cut at its next dot, so that ids of
// claims are completed part by part.
func nextParts(names []string, prefix string) []string {
	whole := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	var parts []string
	for _, name := range whole {
		part := name
		if dot := strings.Index(name[len(prefix):], "."); dot >= 0 {
			part = name[:len(prefix)+dot+1]
		}
		if short := strings.TrimSuffix(part, "."); slices.Contains(names, short) {
			part = short
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) == 1 {
		return whole
	}
	return parts
}

// callee returns the manual entry of the function whose name text ends in, or nil if it is unknown. The function may be
// a method of a call's result, if the declaration of the called function tells its type.
func (s *Session) callee(text string) *Doc {
	if v := s.evalNames(trailingPath(text)); v != nil {
		return s.docOf(v)
	}
	name := trailingName(text)
	owner, dotted := strings.CutSuffix(strings.TrimSuffix(text, name), ".")
	if name == "" || !dotted {
		return nil
	}
	for _, t := range s.typesAt(owner) {
		if d := s.manual[t+"."+name]; d != nil {
			return d
		}
	}
	return nil
}

// openCallee returns the manual entry of the function whose call is open at the end of text, or nil if there is none.
func (s *Session) openCallee(text string) *Doc {
	if i := openCall(text); i >= 0 {
		return s.callee(text[:i])
	}
	return nil
}

// typesAt returns the names of the possible types of the expression at the end of text. It calls no function: the types
// of a call's result are those of the declaration. It returns nil if the types are unknown.
func (s *Session) typesAt(text string) []string {
	if v := s.evalNames(trailingPath(text)); v != nil {
		return []string{v.Type()}
	}
	d := s.callee(text)
	before, called := strings.CutSuffix(text, ")")
	if called {
		d = s.openCallee(before)
	}
	if d != nil && d.Callable() == called {
		return d.declared().results()
	}
	return nil
}

// attributesOf returns the names of the attributes that values of some types may have.
func (s *Session) attributesOf(types []string) (names []string) {
	for entry := range s.manual {
		if owner, attribute, ok := strings.Cut(entry, "."); ok && slices.Contains(types, owner) && !slices.Contains(names, attribute) {
			names = append(names, attribute)
		}
	}
	return names
}
