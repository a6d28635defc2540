package script

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Completion lists possible continuations of the text before the cursor.
type Completion struct {
	Start      int      // offset in the source at which the candidates begin
	Candidates []string // whole words: first the call's keywords ("eps="), then the others sorted
}

// reservedInside are the words of the language that occur in expressions, and reservedOutside those that occur only in
// statements.
var (
	reservedInside  = []string{"and", "else", "for", "if", "in", "lambda", "not", "or"}
	reservedOutside = []string{"break", "continue", "def", "elif", "load", "pass", "return", "while"}
)

// Complete returns what could stand at the end of source: names, the attributes of a value after a dot, the keywords of
// the call around the cursor, and inside a string file names or the words that the parameter accepts. It calls no
// function, and omits values of attributes that take long to compute.
func (s *Session) Complete(source string) Completion {
	st := scan(source)
	if st.quote != "" {
		quote := strings.LastIndex(source, st.quote)
		if c, ok := s.completeChoice(source, quote); ok && len(st.quote) == 1 {
			return c
		}
		return completeFile(source[quote+len(st.quote):], len(source))
	}
	word := trailingName(source)
	out := Completion{Start: len(source) - len(word)}
	before := source[:out.Start]
	var candidates, keywords []string
	if owner, dotted := strings.CutSuffix(before, "."); dotted {
		if v, ok := s.evalNames(trailingPath(owner)).(starlark.HasAttrs); ok {
			candidates = v.AttrNames()
		} else {
			candidates = s.attributesOf(s.typesAt(owner))
		}
	} else {
		if d := s.openCallee(before); d != nil && argumentBegins(before) {
			for _, name := range d.declared().params.names() {
				keywords = append(keywords, name+"=")
			}
		}
		if word != "" {
			candidates = append(s.Names(), reservedInside...)
		}
		if word != "" && len(st.open) == 0 {
			candidates = append(candidates, reservedOutside...)
		}
	}
	slices.Sort(candidates)
	for _, c := range append(keywords, slices.Compact(candidates)...) {
		if strings.HasPrefix(c, word) && !(word == "" && strings.HasPrefix(c, "_")) {
			out.Candidates = append(out.Candidates, c)
		}
	}
	return out
}

// argumentBegins reports whether an argument of a call may begin after text.
func argumentBegins(text string) bool {
	text = strings.TrimRight(text, " \n")
	return strings.HasSuffix(text, "(") || strings.HasSuffix(text, ",")
}

// Signature returns the signature of the call around the end of source, as in the title of its help. It returns "" if
// there is no call.
func (s *Session) Signature(source string) string {
	if d := s.openCallee(source); d != nil && d.Callable() {
		return d.title()
	}
	return ""
}

// evalNames evaluates a path of names, a.b.c, without calling any function. It returns nil if the path has no value, or
// if an attribute takes too long to compute.
func (s *Session) evalNames(path string) starlark.Value {
	if path == "" {
		return nil
	}
	parts := strings.Split(path, ".")
	v := s.Get(parts[0])
	for _, name := range parts[1:] {
		owner, ok := v.(starlark.HasAttrs)
		if !ok {
			return nil
		}
		v = s.peek(owner, name)
	}
	return v
}

// glance is the longest time that completion and help spend on computing an attribute.
const glance = 150 * time.Millisecond

// peek returns an attribute of a value. It returns nil if computing it fails or takes longer than glance.
func (s *Session) peek(owner starlark.HasAttrs, name string) starlark.Value {
	if !slices.Contains(owner.AttrNames(), name) {
		return nil
	}
	previous := s.current.Load()
	ctx, cancel := context.WithTimeout(s.context(), glance)
	defer cancel()
	s.current.Store(&ctx)
	defer s.current.Store(previous)
	got := make(chan starlark.Value, 1)
	go func() {
		defer func() { _ = recover() }() // an attribute that panics has no value
		v, err := owner.Attr(name)
		if err != nil {
			v = nil
		}
		got <- v
	}()
	select {
	case v := <-got:
		return v
	case <-ctx.Done():
		return nil
	}
}

// nameBytes are the characters that names consist of.
const nameBytes = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// trailing returns the longest suffix of text that consists of the characters in of. It returns "" if the suffix begins
// with a digit or a dot, as no name does.
func trailing(text, of string) string {
	end := text[len(strings.TrimRight(text, of)):]
	if end != strings.TrimLeft(end, ".0123456789") {
		return ""
	}
	return end
}

// trailingName returns the name that text ends in, or "" if it does not end in one.
func trailingName(text string) string { return trailing(text, nameBytes) }

// trailingPath returns the names joined by dots that text ends in. It returns "" if they follow something else and a
// dot, such as a call.
func trailingPath(text string) string { return trailing(text, nameBytes+".") }

// openCall returns the offset of the innermost open parenthesis of text. It is −1 if none is open or another
// bracket was opened after it.
func openCall(text string) int {
	open := scan(text).open
	if n := len(open); n > 0 && text[open[n-1]] == '(' {
		return open[n-1]
	}
	return -1
}

// completeFile completes a path inside a string whose text so far is prefix.
func completeFile(prefix string, end int) Completion {
	dir, base := filepath.Split(prefix)
	out := Completion{Start: end - len(base)}
	files, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil || strings.ContainsAny(prefix, "\n\"'") {
		return out
	}
	for _, f := range files {
		name := f.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if f.IsDir() {
			name += "/"
		}
		out.Candidates = append(out.Candidates, name)
	}
	return out
}

// Parse parses a script without running it; errors are Starlark's.
func Parse(file, source string) (*syntax.File, error) {
	return parse(file, source, syntax.RetainComments)
}

// Inspect returns help on the name that contains the offset or ends there, or else on the call around it. The text is
// the manual's entry, and for a name of the session its type and value. ok is false if there is no help.
func (s *Session) Inspect(source string, offset int) (text string, ok bool) {
	end := min(max(offset, 0), len(source))
	end = len(source) - len(strings.TrimLeft(source[end:], nameBytes))
	if text, ok := s.inspectName(trailingPath(source[:end])); ok {
		return text, true
	}
	return s.inspectName(trailingPath(source[:max(openCall(source[:end]), 0)]))
}

func (s *Session) inspectName(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	v := s.evalNames(path)
	d := s.lookupDoc(path)
	if d == nil && v == nil {
		return "", false
	}
	text := s.about(d, v)
	if _, callable := v.(starlark.Callable); v != nil && !callable {
		text = fmt.Sprintf("%s = %s\n", path, Brief(v)) + text
	}
	return text, true
}
