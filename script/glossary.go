package script

import (
	"slices"
	"strings"
)

// Term is an entry of the glossary: a word of the field that is not a name in the vocabulary.
type Term struct {
	Names []string // the first is displayed, the others are synonyms
	Text  string
	See   []string // related names and terms
}

// Terms parses a glossary of blocks separated by blank lines. The first line of a block has names separated by bars.
// Then follow a text and a line of related names that begins with "See".
func Terms(text string) []Term {
	var out []Term
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(block, "\n")
		t := Term{Names: strings.Split(lines[0], " | ")}
		for _, line := range lines[1:] {
			if see, ok := strings.CutPrefix(line, "See "); ok {
				t.See = strings.Split(see, ", ")
			} else {
				t.Text += line + "\n"
			}
		}
		t.Text = strings.TrimSuffix(t.Text, "\n")
		out = append(out, t)
	}
	return out
}

// term returns the glossary's entry for a name, or nil. Case, plural endings and spellings of Greek letters are
// ignored.
func (s *Session) term(name string) *Term {
	spelled := func(text string) string { return strings.Join(each(wordsOf(text), stem), " ") }
	want := spelled(name)
	for i := range s.vocabulary.Terms {
		t := &s.vocabulary.Terms[i]
		if slices.ContainsFunc(t.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return t
		}
	}
	for i := range s.vocabulary.Terms {
		t := &s.vocabulary.Terms[i]
		if slices.ContainsFunc(t.Names, func(n string) bool { return spelled(n) == want }) {
			return t
		}
	}
	return nil
}

// render returns the help text of a term: its name, its meaning and related names.
func (t *Term) render() string {
	text := t.Names[0] + " (a word of the field)\n" + indented(wrapText(t.Text, helpWidth-4))
	if len(t.See) > 0 {
		text += indented(wrapText("See "+strings.Join(t.See, ", ")+".", helpWidth-4))
	}
	return text
}

// doc returns the term as an entry of the reference.
func (t *Term) doc() *Doc {
	text := strings.ReplaceAll(t.Text, "\n", " ")
	if len(t.Names) > 1 {
		text += "\nAlso: " + strings.Join(t.Names[1:], ", ") + "."
	}
	if len(t.See) > 0 {
		text += "\nSee " + strings.Join(t.See, ", ") + "."
	}
	return &Doc{Name: t.Names[0], Help: text, read: &declaration{}}
}
