package script_test

import (
	"testing"

	"dpworkbench/script"
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
		"x = 'a":                             complete, // an error to report
		"x = 'a\\":                           incomplete,
		"x = 'a\\\nb'":                       complete,
		"'a\n    b":                          block, // the quote was open up to the end of its line
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

func FuzzCompleteness(f *testing.F) {
	for _, s := range []string{"if x:\n    y\n", "f(1,\n'", "x = '''a\n(", "\\", "'\\", "\"\"\"\\", "def f():\n\treturn {1: [2,\n", "a⏎b", "\x00\xff", "  x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		script.Completeness(source)
		script.Dedent(source)
		// Closing the open brackets always gives an input that runs or fails.
		if got := script.Completeness(source + "\n'''\n\"\"\"\n" + "]]]]"); got > script.InputBlock {
			t.Errorf("%q: %d", source, got)
		}
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
