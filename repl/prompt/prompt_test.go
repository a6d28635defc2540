package prompt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
	"dpworkbench/repl"
	"dpworkbench/repl/prompt"
)

// run runs the prompt without a line editor on an input, and returns its status and output.
func run(t *testing.T, in string, caps display.Caps, o prompt.Options) (int, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	input := must.For(os.Open(file))(t)
	stdin := os.Stdin
	os.Stdin = input
	defer func() {
		os.Stdin = stdin
		input.Close()
	}()
	var out strings.Builder
	s := repl.NewSession()
	defer s.Close()
	s.Stdout, s.Stderr, s.Terminal = &out, &out, caps
	o.Plain = true
	status := must.For(prompt.Run(s.Session, o))(t)
	return status, out.String()
}

// unmarked removes the prompts, and the line break that the prompt prints at the end of the input.
var unmarked = strings.NewReplacer(">>> \n", "", "... \n", "", ">>> ", "", "... ", "").Replace

// drive returns what the prompt prints when it reads the given lines.
func drive(t *testing.T, in ...string) string {
	t.Helper()
	_, out := run(t, strings.Join(in, "\n")+"\n", display.Caps{}, prompt.Options{})
	return unmarked(out)
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
	source := must.For(os.ReadFile(file))(t)
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

// The prompt on a plain terminal greets and runs its input. It returns the status of a script's exit, or 0 at the end
// of the input.
func TestRunOnPlainLines(t *testing.T) {
	for _, c := range []struct {
		in, banner, want string
		status           int
	}{
		{"1 + 1\n", "hello", "hello\n>>> 2\n>>> \n", 0},
		{"x = 3\nexit(x + 1)\nx\n", "", ">>> >>> ", 4},
		{"    y = 5\n\n    y\n", "", ">>> >>> >>> 5\n>>> \n", 0},
		{"if True:\n    6\n\n", "", ">>> ... ... >>> \n", 0},
		{"", "", ">>> \n", 0},
	} {
		if status, out := run(t, c.in, display.Caps{}, prompt.Options{Banner: c.banner}); status != c.status || out != c.want {
			t.Errorf("%q: status %d, prints\n%s\nwant\n%s", c.in, status, out, c.want)
		}
	}
}

// A script's exit status is returned unchanged. An error is shown once and in red, with a back-trace if calls are
// nested, and wrapped if it is long.
func TestPromptShowsErrors(t *testing.T) {
	color := display.Caps{Colors: display.Color256, Width: 40}
	for _, c := range []struct {
		in     string
		caps   display.Caps
		want   string
		status int
	}{
		{in: "exit(3)", status: 3},
		{in: "quit", status: 0},
		{in: "nowhere", caps: color, want: "\x1b[31merror: undefined: nowhere\x1b[0m\n"},
		{in: "fail('" + strings.Repeat("word ", 10) + "')", caps: color, want: "\x1b[31merror: fail: word word word word word\n  word word word word word \x1b[0m\n"},
		{in: "def f():\n    return 1 // 0\n\nf()", want: "<prompt 2>:1:2:\n    f()\n<prompt 1>:2:14: in f\n    return 1 // 0\nerror: floored division by zero\n"},
		{in: "x = (1 //\n  0)", want: "<prompt 1>:1:8:\n    x = (1 //\nerror: floored division by zero\n"},
		{in: "%time 1 // 0", want: "error: floored division by zero\ntime: "},
		{in: " 1 + 1", want: "2\n"},
		{in: "%time 6 * 7", want: "42\ntime: "},
		{in: "%nothing", want: "%nothing is not known here"},
		{in: "  x = 1\n", want: ""},
		{in: "\n  \n", want: ""},
		{in: "print(len(help()) if False else 'h')", want: "h\n"},
		{in: "help", want: "ln"},
		{in: "len?", want: "len(x)"},
	} {
		status, got := run(t, c.in+"\n", c.caps, prompt.Options{Size: func() (int, int) { return c.caps.Width, 50 }})
		got = unmarked(got)
		whole := strings.HasSuffix(c.want, "\n") || c.want == ""
		if status != c.status || whole && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%q: status %d and\n%q, want\n%q", c.in, status, got, c.want)
		}
	}
}

// The history file lies below the state folder and is readable only by the user. HistoryFile returns "" if its folder
// cannot be created.
func TestHistoryFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_STATE_HOME", folder)
	want := filepath.Join(folder, "dpworkbench", "history")
	for range 2 { // the second time the folder exists
		if got := prompt.HistoryFile(); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		if err := os.WriteFile(want, []byte("\"x\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if open, err := filepath.Glob("/proc/self/fd/*"); err == nil { // on systems with such a folder
		for _, fd := range open {
			if to, _ := os.Readlink(fd); to == want {
				t.Errorf("%s is left open", want)
			}
		}
	}
	if text, err := os.ReadFile(want); err != nil || string(text) != "\"x\"\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	for path, mode := range map[string]os.FileMode{want: 0o600, filepath.Dir(want): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", folder)
	if got, want := prompt.HistoryFile(), filepath.Join(folder, ".local", "state", "dpworkbench", "history"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	t.Setenv("HOME", "")
	if got := prompt.HistoryFile(); got != "" {
		t.Errorf("without a home: %q", got)
	}
	t.Setenv("XDG_STATE_HOME", want) // a file in place of a folder
	if got := prompt.HistoryFile(); got != "" {
		t.Errorf("with a file in place of the folder: %q", got)
	}
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "dpworkbench", "history"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", other)
	if got := prompt.HistoryFile(); got != "" {
		t.Errorf("with a folder in place of the file: %q", got)
	}
}
