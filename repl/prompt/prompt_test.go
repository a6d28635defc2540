package prompt

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// drive runs the prompt on the given lines and returns what it prints.
func drive(t *testing.T, in ...string) string {
	t.Helper()
	var out strings.Builder
	s := repl.NewSession().Session
	s.Stdout = &out
	lines := &plain{in: bufio.NewScanner(strings.NewReader(strings.Join(in, "\n") + "\n")), out: io.Discard}
	p := &prompt{session: s, out: &out, reader: lines, stop: make(chan os.Signal, 1)}
	if _, err := p.loop(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrompt(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"values", []string{"1 + 1", "x = 5", "None", "'a'"}, "2\n\"a\"\n"},
		{"last value", []string{"6 * 7", "x = 1", "_ + 1"}, "42\n43\n"},
		{"block", []string{"def f(x):", "    return x + 1", "", "f(1)"}, "2\n"},
		{"brackets", []string{"sum([1,", "2,", "3])"}, "6\n"},
		{"string", []string{"len('''a", "b''')"}, "3\n"},
		{"the end drops a block", []string{"1", "def f():"}, "1\n"},
		{"error keeps the session", []string{"x = 1", "y", "x"}, "error: undefined: y\n1\n"},
		{"help", []string{"len?"}, "len(x)\n    The number of elements.\n  Example:\n    len([1, 2])\n"},
		{"attribute help", []string{"e = ln(3)", "e.lo?"}, "evidence.lo\n    Lower end: no larger than the true number for exact and certified\n    evidence, with the stated confidence for an estimate; the value itself for\n    a claim.\n  Example:\n    ln(3).lo\n"},
		{"a question in a comment", []string{"1 + 1 # why?"}, "2\n"},
		{"exit", []string{"exit", "1"}, ""},
		{"exit with status", []string{"exit(3)", "1"}, ""},
		{"unknown magic", []string{"%foo"}, "%foo is not known here: there are %time and %timeit, name? and help()\n"},
		{"evidence", []string{"ln(3)"}, "1.09861228866811 (exact: ln(3))\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drive(t, c.in...); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A saved session, run as a script, prints what the prompt showed.
func TestSaveReplays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.star")
	shown := drive(t,
		"x = 3", "x + 1", "def f(a):", "    return [a, 'b']", "", "f(x)", "undefined_name", "print('hello')",
		"for i in range(2):", "    print(i)", "", "'é' + \"x\"", "[1,", "2]", "y = 1; y + 1", "ln(3)", "_", "save("+`"`+file+`"`+")")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := repl.NewSession().Session
	s.Stdout = &out
	if _, err := s.ExecScript(t.Context(), file, string(source)); err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	shown = strings.Replace(shown, "error: undefined: undefined_name\n", "", 1)
	if out.String() != shown {
		t.Errorf("the replay prints\n%s\nthe prompt showed\n%s\nthe script is\n%s", out.String(), shown, source)
	}
}
