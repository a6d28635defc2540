package script

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"go.starlark.net/syntax"
)

// asksFor reports whether Starlark's own parser needs a further line after source to end a statement, and whether
// source is one statement without an error so far.
func asksFor(source string) (more, one bool) {
	lines := strings.SplitAfter(source+"\n", "\n")
	lines = lines[:len(lines)-1]
	_, err := (&syntax.FileOptions{Set: true, While: true}).ParseCompoundStmt("a", func() ([]byte, error) {
		if len(lines) == 0 {
			more = true
			return nil, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return []byte(line), nil
	})
	return more, (more || err == nil) && len(lines) == 0
}

// An input is incomplete exactly where Starlark's parser needs a further line.
func TestCompletenessAgainstTheParser(t *testing.T) {
	parts := []string{"x", "1", " ", "\n", "\n", "(", ")", "[", "]", "{", "}", `"`, "'", `"""`, "'''", `\`, "\\\nx", "#", ",", "=", "if x:\n  ", "def f():\n  ", "\n  else:\n    ", "\n  ", "\n", "pass", "é", "return 1", `"a"`, `'it\'s'`, `"#("`}
	rng := rand.New(rand.NewPCG(9, 21))
	met := map[Input]int{}
	for range 60_000 {
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		source := b.String()
		if strings.TrimSpace(source) == "" || strings.HasPrefix(source, " ") || strings.HasPrefix(source, "\n") || strings.HasPrefix(source, "#") || strings.HasSuffix(source, "\\\n") {
			continue
		}
		more, one := asksFor(source)
		if !one {
			continue
		}
		got := Completeness(source)
		if block := strings.HasPrefix(source, "if") || strings.HasPrefix(source, "def"); block && !more && !strings.HasSuffix(source, "\n") {
			continue // its last line is another statement, or a comment
		}
		if met[got]++; (got != InputComplete) != more {
			t.Errorf("%q: %d, but the parser needs more: %t", source, got, more)
		}
	}
	if met[InputComplete] < 300 || met[InputIncomplete] < 300 || met[InputBlock] < 100 {
		t.Errorf("counts of results: %v", met)
	}
}
