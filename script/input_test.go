package script_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/script"

	"go.starlark.net/syntax"
)

func TestCompleteness(t *testing.T) {
	const (
		complete, incomplete, block = script.InputComplete, script.InputIncomplete, script.InputBlock
	)
	for source, want := range map[string]script.Input{
		"":                                   complete,
		"x = 1":                              complete,
		"f(1,":                               incomplete,
		"f(1,\n2":                            incomplete,
		"f(1,\n2)":                           complete,
		"x = 'a":                             complete, // running it reports an error
		"x = 'a\\":                           incomplete,
		"x = 'a\\\nb'":                       complete,
		"'a\n    b":                          block, // the unclosed string ends with its line
		"x = '''a":                           incomplete,
		"x = '''a\n(":                        incomplete,
		"x = '''a\n('''":                     complete,
		"x = \"a(\"":                         complete,
		"x = 1 + \\":                         incomplete,
		"x = 1 + \\\n2":                      complete,
		"if x:":                              block,
		"if x:  # why":                       block,
		"if x: # [":                          block,
		"if x:\n    y":                       block,
		"if x:\n    y\n":                     complete,
		"if x:\n    y\nelse:":                block,
		"if x:\n    y\nz":                    complete,
		"if x: y":                            complete,
		"def f(a,\n      b):":                block,
		"def f():\n    x = [\n1,\n]":         block,
		"def f():\n    x = [\n1,\n]\n":       complete,
		"def f():\n    x = [\n":              incomplete,
		"x = {1:":                            incomplete,
		"x = {1:\n2}":                        complete,
		"f = lambda: 1":                      complete,
		"def f():\n    '''doc\n\nmore":       incomplete,
		"def f():\n    return 1\n\ndef g():": block,
		"def f():\n    return 1\n\nf()":      complete,
		"a[1:":                               incomplete,
		")":                                  complete,
		"# a comment:":                       complete,
	} {
		if got := script.Completeness(source); got != want {
			t.Errorf("Completeness(%q) = %d, want %d", source, got, want)
		}
	}
}

// Completeness and Dedent panic for no source, even with unbalanced quotes and brackets.
func FuzzCompleteness(f *testing.F) {
	for _, s := range []string{"if x:\n    y\n", "f(1,\n'", "x = '''a\n(", "\\", "'\\", "\"\"\"\\", "def f():\n\treturn {1: [2,\n", "a⏎b", "\x00\xff", "  x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		script.Completeness(source)
		script.Dedent(source)
		script.Completeness(source + "\n'''\n\"\"\"\n]]]]")
	})
}

func TestDedent(t *testing.T) {
	for in, want := range map[string]string{
		"    x = 1\n    y = 2":  "x = 1\ny = 2",
		"  if x:\n\n    y\n  z": "if x:\n\n  y\nz",
		"\tif x:\n\t\ty":        "if x:\n    y",
		"x":                     "x",
		"":                      "",
	} {
		if got := script.Dedent(in); got != want {
			t.Errorf("Dedent(%q) = %q, want %q", in, got, want)
		}
	}
}

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

// An input is an open block or otherwise incomplete if and only if Starlark's parser needs a further line.
func TestCompletenessAgainstTheParser(t *testing.T) {
	parts := []string{"x", "1", " ", "\n", "\n", "(", ")", "[", "]", "{", "}", `"`, "'", `"""`, "'''", `\`, "\\\nx", "#", ",", "=", "if x:\n  ", "def f():\n  ", "\n  else:\n    ", "\n  ", "\n", "pass", "é", "return 1", `"a"`, `'it\'s'`, `"#("`}
	rng := rand.New(rand.NewPCG(9, 21))
	met := map[script.Input]int{}
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
		got := script.Completeness(source)
		if block := strings.HasPrefix(source, "if") || strings.HasPrefix(source, "def"); block && !more && !strings.HasSuffix(source, "\n") {
			continue // the last line of source is a statement after the block, or a comment
		}
		if met[got]++; (got != script.InputComplete) != more {
			t.Errorf("%q: %d, but the parser needs more: %t", source, got, more)
		}
	}
	if met[script.InputComplete] < 300 || met[script.InputIncomplete] < 300 || met[script.InputBlock] < 100 {
		t.Errorf("counts of results: %v", met)
	}
}
