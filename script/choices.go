package script

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// choices are the words that parameters take, for Tab, in families where functions
// differ. Help says which of a family a function takes.
var Choices = map[string][][]string{
	"axes":         {{"given", "free"}},
	"condition":    {{"theorem2", "theorem3", "tight"}},
	"cost":         {{"abs", "square"}},
	"direction":    {{"minimize", "maximize"}},
	"kind":         {{"rademacher", "gaussian", "uniform", "sparse"}},
	"log":          {{"x", "y", "xy"}},
	"method":       {{"auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"}},
	"modal":        {{"uni", "equi", "both"}},
	"neighbors":    {{"unbounded", "bounded"}, {"bits", "row", "edge"}},
	"noise":        {{"rr", "gaussian"}},
	"norm":         {{"l1", "l2"}},
	"objective":    {{"error", "information"}, {"mean", "worst", "pareto"}},
	"pattern":      {{"edge", "triangle", "2-star", "3-star", "4-clique", "4-cycle"}},
	"privacy":      {{"claimed", "exact"}},
	"rule":         {{"closure", "printed"}, {"chernoff", "binomial"}},
	"search":       {{"greedy", "exhaustive"}},
	"source":       {{"seed", "crypto"}},
	"value_metric": {{"abs", "discrete"}},
	"zeta":         {{"root", "printed"}},
}

// choicesOf returns the words that a parameter of a function takes, nil where any
// string may stand.
func (s *Session) choicesOf(d *Doc, parameter string) []string {
	var known []string
	if s.vocabulary.Words != nil {
		known = slices.Clone(s.vocabulary.Words(d.Name, parameter))
	}
	if known == nil {
		var family []string
		standard := d.standard(parameter)
		for _, f := range Choices[parameter] {
			if standard == "" || slices.Contains(f, standard) {
				family = append(family, f...)
			}
		}
		for _, word := range family {
			if word == standard || strings.Contains(d.Help, `"`+word+`"`) {
				known = append(known, word)
			}
		}
		if len(known) == 1 { // where help leaves them to another entry
			known = slices.Clone(family)
		}
	}
	slices.Sort(known)
	return known
}

// standard returns the default of a parameter where that is a string.
func (d *Doc) standard(parameter string) string {
	sig := parseSignature(d.Params)
	if i := sig.find(parameter); i >= 0 && sig[i].fallback != nil {
		word, _ := starlark.AsString(sig[i].fallback)
		return word
	}
	return ""
}

// completeChoice completes the string that begins at the offset quote of source
// where it is an argument that takes one of some words; ok is false elsewhere.
func (s *Session) completeChoice(source string, quote int) (c Completion, ok bool) {
	begin := quote + 1
	call := openCall(source[:quote])
	if call < 0 {
		return Completion{}, false
	}
	arguments := SplitTopLevel(source[call+1:quote] + "?") // the string is one more, or the rest of one
	n := len(arguments) - 1
	name, rest, keyword := strings.Cut(arguments[n], "=")
	if keyword && strings.TrimSpace(rest) != "?" || !keyword && arguments[n] != "?" {
		return Completion{}, false
	}
	for _, d := range s.callees(source[:call]) {
		parameter := strings.TrimSpace(name)
		if sig := parseSignature(d.Params); !keyword && n < len(sig) {
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
		if strings.HasSuffix(d.Name, "."+name) && d.Callable {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, func(a, b *Doc) int { return strings.Compare(a.Name, b.Name) })
	return docs
}
