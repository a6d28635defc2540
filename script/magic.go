package script

import (
	"fmt"
	"regexp"
	"strings"
)

// Magic is an input that is no Starlark: name? and ?name explain, "%time x"
// tells how long x took, "%timeit x" how long it takes at best.
type Magic struct {
	Source  string // Starlark to run in its place; "" where the word is not known
	Keep    string // what Record should hear of; "" for nothing
	Timed   bool   // say how long it took
	Problem string // why Source is ""
}

// question is name? or ?name; a comment may end in a question mark, too.
var question = regexp.MustCompile(`^\?[\w.]+$|^[\w.]+\?$`)

// ParseMagic reads an input; ok is false where it is Starlark.
func ParseMagic(source string) (m Magic, ok bool) {
	text := strings.TrimSpace(source)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case question.MatchString(text):
		return Magic{Source: fmt.Sprintf("help(%q)", strings.Trim(text, "? "))}, true
	case !strings.HasPrefix(text, "%"):
		return Magic{}, false
	case word == "%time" && rest != "":
		return Magic{Source: rest + "\n", Keep: rest + "\n", Timed: true}, true
	case word == "%timeit" && rest != "":
		return Magic{Source: "timeit(lambda: (" + rest + "))"}, true
	}
	return Magic{Problem: word + " is not known here: there are %time and %timeit, name? and help()"}, true
}
