package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dpworkbench/internal/nearest"
)

// greek maps Greek letters, and abbreviations of their names, to the names in full.
var greek = map[string]string{"ε": "epsilon", "eps": "epsilon", "δ": "delta", "Δ": "sensitivity", "α": "alpha", "β": "beta", "γ": "gamma",
	"σ": "sigma", "Σ": "sigma", "ψ": "psi", "Ψ": "psi", "ρ": "rho", "μ": "mu", "θ": "theta", "Θ": "theta", "λ": "lambda", "Λ": "lambda", "rényi": "renyi", "neighbour": "neighbor"}

// wordsOf returns the words of a text in lower case, with Greek letters spelled out, for searching.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if name, ok := greek[w]; ok {
			words[i] = name
			continue
		}
		w = strings.ToLower(w)
		words[i] = cmp.Or(greek[w], w)
	}
	return words
}

// match rates how well a search word matches the best of some words: 0 if equal, 1 if equal up to a plural ending, 2 if
// it is a prefix, −1 if none matches.
func match(want string, words []string) int {
	best := -1
	better := func(m int) {
		if best < 0 || m < best {
			best = m
		}
	}
	for _, w := range words {
		switch {
		case w == want:
			return 0
		case stem(w) == stem(want):
			better(1)
		case len(want) >= 3 && strings.HasPrefix(w, want):
			better(2)
		}
	}
	return best
}

// stem drops the ending of a plural.
func stem(word string) string {
	if y, ok := strings.CutSuffix(word, "ies"); ok && len(y) > 1 {
		return y + "y"
	}
	if word = cmp.Or(greek[word], greek[strings.TrimSuffix(word, "s")], word); len(word) > 3 && !strings.HasSuffix(word, "ss") {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// entryKind is the kind of an entry. It orders equally good search results.
type entryKind int

const (
	ofGlossary entryKind = iota
	ofVocabulary
	ofType
	ofAttribute
	ofPython
)

// hit is an entry that a search found.
type hit struct {
	title string // the name as a list of entries shows it
	text  string
	names []string // words of the name
	kind  entryKind
	of    []string // the types that have the attribute
	score int      // the distance from the search: smaller is better
	words int      // number of words of the search that match
	named bool     // its name has all words of the search
	aside bool     // listed only if all is set: a glossary term answers the search, and the name lacks one of its words
}

// searchable returns the entries that a search can find, with attributes of the same name merged.
func (s *Session) searchable() []*hit {
	var out []*hit
	add := func(title, text string, names []string, kind entryKind) {
		out = append(out, &hit{title: title, text: text, names: names, kind: kind})
	}
	for i := range s.vocabulary.Terms {
		t := &s.vocabulary.Terms[i]
		add(t.Names[0], t.Text, wordsOf(strings.Join(t.Names, " ")), ofGlossary)
	}
	for _, r := range s.sections() {
		for _, b := range r.Builtins {
			add(b.doc.Name, b.doc.Help, wordsOf(b.doc.Name), ofVocabulary)
		}
	}
	attributes := make(map[string]*hit)
	for _, t := range s.types() {
		docs := t.manual()
		if _, taken := s.base[t.name]; !taken {
			add(t.name, docs[0].Help, wordsOf(t.name), ofType)
		}
		for _, d := range docs[1:] {
			_, short, _ := CutLast(d.Name, ".")
			a := attributes[short]
			if a == nil {
				a = &hit{title: "." + short, names: wordsOf(short), kind: ofAttribute, text: d.Help}
				attributes[short] = a
				out = append(out, a)
			} else {
				a.text += "\n" + d.Help
			}
			a.of = append(a.of, t.name)
		}
	}
	for name, d := range languageDocs() {
		add(name, d.Help, wordsOf(name), ofPython)
	}
	for name, d := range s.Manual() {
		if strings.HasPrefix(name, "json.") && d != nil {
			add(name, d.Help, wordsOf(name), ofPython)
		}
	}
	return out
}

// found returns the entries that have the words of a text, the best first: matches in the name precede those in the
// first sentence, and these precede those in the text. If no entry has all words, found returns the entries with the
// most words. If the text is a term of the glossary, found orders the entries as leading does.
func (s *Session) found(text string) []*hit {
	wanted := wordsOf(text)
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	wanted = slices.DeleteFunc(wanted, func(w string) bool { return len(wanted) > 1 && slices.Contains(fillers, w) })
	var hits []*hit
	most := 0
	entries := s.searchable()
	for _, h := range entries {
		first, all := wordsOf(FirstSentence(h.text)), wordsOf(h.text)
		inName := 0
		for _, w := range wanted {
			const absent = 40 // cost of a word that the entry lacks; found words cost less
			cost := absent
			if m := match(w, h.names); m >= 0 {
				cost = m
				inName++
			} else if m := match(w, first); m >= 0 {
				cost = 10 + m
			} else if m := match(w, all); m >= 0 {
				cost = 20 + m
			} else {
				h.score += cost
				continue
			}
			h.score += cost
			h.words++
		}
		if h.words == 0 {
			continue
		}
		if h.named = inName == len(wanted); !h.named {
			h.score += 10
		} else if len(h.names) == len(wanted) { // the name has no other words
			h.score -= 5
		}
		most = max(most, h.words)
		hits = append(hits, h)
	}
	hits = slices.DeleteFunc(hits, func(h *hit) bool { return h.words < most })
	slices.SortFunc(hits, func(a, b *hit) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.kind, b.kind), strings.Compare(a.title, b.title))
	})
	if t := s.term(text); t != nil {
		hits = t.leading(entries, hits, len(wanted))
	}
	return hits
}

// leading reorders search results for a term of the glossary. Entries with exactly the searched name come first, then
// the term's own entry and those it refers to, then the hits whose names have all words, and then the others.
func (t *Term) leading(entries, hits []*hit, words int) []*hit {
	var out []*hit
	for _, h := range hits { // an entry with exactly the searched name
		if h.named && h.kind != ofGlossary && len(h.names) == words {
			out = append(out, h)
		}
	}
	for _, name := range append([]string{t.Names[0]}, t.See...) {
		_, short, _ := CutLast(name, ".")
		if i := slices.IndexFunc(entries, func(h *hit) bool { return h.title == name || strings.Contains(name, ".") && h.title == "."+short }); i >= 0 && !slices.Contains(out, entries[i]) {
			out = append(out, entries[i])
		}
	}
	for _, named := range []bool{true, false} {
		for _, h := range hits {
			if h.named == named && !slices.Contains(out, h) {
				h.aside = !named
				out = append(out, h)
			}
		}
	}
	return out
}

// fillers are words of a question that the manual need not contain.
var fillers = []string{"a", "an", "the", "of", "for", "to", "in", "is", "how", "what", "do", "i"}

// lines formats a hit as lines of a list: its title with its first sentence, and for an attribute the types that have
// it.
func (h *hit) lines() string {
	text := listLine(24, h.title, FirstSentence(strings.SplitN(h.text, "\n", 2)[0]))
	if len(h.of) == 0 {
		return text
	}
	const most = 4 // types
	of := strings.Join(h.of[:min(most, len(h.of))], ", ")
	if n := len(h.of) - most; n > 0 {
		of += fmt.Sprintf(" and %d more", n)
	}
	return text + listLine(24, "", "of "+of)
}

// Apropos returns the results of a search in the manual, the best first. Unless all is set, they are limited to a
// screen. Without results it suggests the nearest name, and if there is no near one it returns "".
func (s *Session) Apropos(text string, all bool) string {
	if hits := s.found(text); len(hits) > 0 {
		return listed(hits, text, all)
	}
	if name, list := s.near(text); name != "" {
		return fmt.Sprintf("Nothing in the manual has %q. Did you mean %s?\n%s", text, name, list)
	}
	return ""
}

// near returns the known name nearest to an unknown one, or "" if none is near. Synonyms of the glossary are known
// names, too. list holds the results of a search for the unknown name, as help prints them; the entry of the nearest
// name is first.
func (s *Session) near(name string) (nearestName, list string) {
	entries := s.searchable()
	names := each(entries, func(h *hit) string { return strings.TrimPrefix(h.title, ".") })
	for i, t := range s.vocabulary.Terms { // their entries come first
		for _, synonym := range t.Names[1:] {
			names, entries = append(names, synonym), append(entries, entries[i])
		}
	}
	hits := s.found(name)
	if nearestName = nearest.Name(strings.TrimPrefix(name, "."), names); nearestName != "" {
		first := entries[slices.Index(names, nearestName)]
		hits = slices.DeleteFunc(hits, func(h *hit) bool { return h.title == first.title })
		hits = slices.Insert(hits, 0, first)
	}
	return nearestName, listed(hits, name, false)
}

// listed formats the hits of a search. Unless all is set, it is limited to as many as fit on a screen.
func listed(hits []*hit, text string, all bool) string {
	const screen = 12 // entries
	shown := hits
	if !all {
		shown = slices.DeleteFunc(slices.Clone(hits), func(h *hit) bool { return h.aside })
		shown = shown[:min(len(shown), screen)]
	}
	out := ""
	for _, h := range shown {
		out += h.lines()
	}
	if n := len(hits) - len(shown); n > 0 {
		out += fmt.Sprintf("    and %d more: apropos(%q, all=True), or add a word.\n", n, text)
	}
	return out
}
