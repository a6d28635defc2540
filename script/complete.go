package script

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// Completion is what the text before the cursor could go on with.
type Completion struct {
	Start      int      // offset in the source where the candidates begin
	Candidates []string // whole words, the call's keywords ("eps=") first, then sorted
}

// reserved are the words of the language: those of expressions, those of
// statements.
var (
	reservedInside  = []string{"and", "else", "for", "if", "in", "lambda", "not", "or"}
	reservedOutside = []string{"break", "continue", "def", "elif", "load", "pass", "return", "while"}
)

// Complete returns what could stand at the end of source: names, the
// attributes of a live value after a dot, the keywords of the call around the
// cursor, and inside a string the words that an argument takes, or files. It calls nothing; an attribute that takes
// long to compute is passed over.
func (s *Session) Complete(source string) Completion {
	st := scan(source)
	if st.quote != "" {
		if len(st.quote) == 1 {
			if c, ok := s.completeChoice(source, strings.LastIndex(source, st.quote)); ok {
				return c
			}
		}
		return completeFile(source[strings.LastIndex(source, st.quote)+len(st.quote):], len(source))
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
	} else if i := openCall(before); word != "" || i >= 0 {
		if i >= 0 && argumentBegins(before) {
			if d := s.callee(before[:i]); d != nil {
				for _, name := range d.declared().params.names() {
					keywords = append(keywords, name+"=")
				}
			}
		}
		if word != "" {
			candidates = append(s.Names(), reservedInside...)
			if st.depth == 0 {
				candidates = append(candidates, reservedOutside...)
			}
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

// Signature returns the call around the end of source as help titles it, ""
// where there is none.
func (s *Session) Signature(source string) string {
	i := openCall(source)
	if i < 0 {
		return ""
	}
	if d := s.callee(source[:i]); d != nil && d.Callable() {
		return d.title()
	}
	return ""
}

// evalNames evaluates a path of names, a.b.c, without calling anything; nil
// where it has no value, or none soon.
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
		if v = s.peek(owner, name); v == nil {
			return nil
		}
	}
	return v
}

// glance bounds the time that completion and help spend on an attribute.
const glance = 150 * time.Millisecond

// peek returns an attribute of a value if it can be had soon.
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

func nameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// trailingName returns the name that text ends in, "" where it ends in none.
func trailingName(text string) string {
	i := len(text)
	for i > 0 && nameByte(text[i-1]) {
		i--
	}
	if i < len(text) && text[i] >= '0' && text[i] <= '9' {
		return ""
	}
	return text[i:]
}

// trailingPath returns the names joined by dots that text ends in, "" where
// they hang on something else, such as a call.
func trailingPath(text string) string {
	i := len(text)
	for i > 0 && (nameByte(text[i-1]) || text[i-1] == '.') {
		i--
	}
	path := text[i:]
	if path == "" || path[0] == '.' || path[0] >= '0' && path[0] <= '9' {
		return ""
	}
	return path
}

// openCall returns the offset of the innermost open parenthesis of text, −1
// where none is open or another bracket was opened since.
func openCall(text string) int {
	var open []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '"', '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	if len(open) == 0 || text[open[len(open)-1]] != '(' {
		return -1
	}
	return open[len(open)-1]
}

// completeFile completes a path inside a string whose text so far is prefix.
func completeFile(prefix string, end int) Completion {
	dir, base := filepath.Split(prefix)
	list := dir
	if list == "" {
		list = "."
	}
	out := Completion{Start: end - len(base)}
	files, err := os.ReadDir(list)
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
