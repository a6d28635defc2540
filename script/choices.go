package script

import (
	"slices"
	"strings"
)

// choicesOf returns the words that a parameter of a function takes, nil where any
// string may stand.
func (s *Session) choicesOf(d *Doc, parameter string) (known []string) {
	if i := d.declared().params.find(parameter); i >= 0 {
		if k := s.kind(d.declared().params[i].kind); k.Words != nil {
			known = slices.Clone(k.Words())
		}
	}
	slices.Sort(known)
	return known
}

// completeChoice completes the string that begins at the offset quote of source
// where it is an argument that takes one of some words; ok is false elsewhere.
func (s *Session) completeChoice(source string, quote int) (c Completion, ok bool) {
	begin := quote + 1
	call := openCall(source[:quote])
	if call < 0 {
		return Completion{}, false
	}
	arguments := splitTopLevel(source[call+1:quote]+"?", ',') // the string is one more, or the rest of one
	n := len(arguments) - 1
	name, rest, keyword := strings.Cut(arguments[n], "=")
	if keyword && strings.TrimSpace(rest) != "?" || !keyword && arguments[n] != "?" {
		return Completion{}, false
	}
	for _, d := range s.callees(source[:call]) {
		parameter := strings.TrimSpace(name)
		if sig := d.declared().params; !keyword && n < len(sig) {
			parameter = sig[n].name
		}
		known := s.choicesOf(d, parameter)
		if known == nil {
			continue
		}
		return Completion{begin, nextParts(known, source[begin:])}, true
	}
	return Completion{}, false
}

// nextParts returns the names that go on from a prefix, as far as their next dot
// where several do: of the claims, those of a paper and then their parts.
func nextParts(names []string, prefix string) []string {
	var whole, parts []string
	dots := strings.Count(prefix, ".")
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		whole = append(whole, name)
		part := name
		if fields := strings.SplitAfterN(name, ".", dots+2); len(fields) == dots+2 {
			part = strings.Join(fields[:dots+1], "")
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

// callees returns the entries of the function whose name text ends in, or those of
// all methods of that name where it hangs on a call, such as graphs(4).count.
func (s *Session) callees(text string) []*Doc {
	if path := trailingPath(text); path != "" {
		if v := s.evalNames(path); v != nil {
			if d := s.docOf(v); d != nil {
				return []*Doc{d}
			}
		}
	}
	name := trailingName(text)
	if name == "" || !strings.HasSuffix(strings.TrimSuffix(text, name), ".") {
		return nil
	}
	var docs []*Doc
	for _, d := range s.manual {
		if strings.HasSuffix(d.Name, "."+name) && d.Callable() {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, func(a, b *Doc) int { return strings.Compare(a.Name, b.Name) })
	return docs
}
