package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/repl"

	"github.com/reeflective/readline"
)

// editing returns an editor with the given input and cursor position. The output of its commands is discarded.
func editing(t *testing.T, text string, cursor int) *editor {
	t.Helper()
	stdout := os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := newEditor(repl.NewSession().Session, Options{})
	t.Cleanup(func() {
		e.Close()
		os.Stdout = stdout
		null.Close()
	})
	os.Stdout = null
	e.shell.Line().Set([]rune(text)...)
	e.shell.Cursor().Set(cursor)
	return e
}

// input returns the editor's input with | at the cursor.
func (e *editor) input() string {
	text, at := string(*e.shell.Line()), e.shell.Cursor().Pos()
	return text[:at] + "|" + text[at:]
}

// Backspace removes a level of indentation, and one character elsewhere.
func TestBackspace(t *testing.T) {
	for before, want := range map[string]string{
		"|": "|", "a|": "|", "ab|c": "a|c",
		" |": "|", "  |": "|", "   |": "|", "    |": "|", "     |": "    |", "      |": "    |", "       |": "    |", "        |": "    |", "         |": "        |",
		"x\n|": "x|", "x\n |y": "x\n|y", "x\n    |y": "x\n|y", "x\n      |y": "x\n    |y", "x\n        |": "x\n    |",
		"x    |": "x   |", "x\ny  |": "x\ny |", "  |  x": "|  x", "x\n\n  |": "x\n\n|",
	} {
		text, cursor := strings.Replace(before, "|", "", 1), strings.Index(before, "|")
		e := editing(t, text, cursor)
		e.shell.Keymap.Commands()["backward-delete-char"]()
		if got := e.input(); got != want {
			t.Errorf("%q becomes %q, want %q", before, got, want)
		}
	}
}

// Enter continues a block with the indentation of the line before the cursor. It leaves a complete input unchanged.
func TestEnter(t *testing.T) {
	for before, want := range map[string]string{
		"def f():|":                           "def f():\n    |",
		"def f():\n    x = 1|":                "def f():\n    x = 1\n    |",
		"def f():|\n    return 1":             "def f():\n    |\n    return 1",
		"def f():\n    if x:|\n        pass":  "def f():\n    if x:\n        |\n        pass",
		"x = [1,|":                            "x = [1,\n|",
		"1 |+ 1":                              "1 |+ 1",
		"def f():\n    return 1\n|":           "def f():\n    return 1\n|",
		"def f():\n    return 1|\n    pass\n": "def f():\n    return 1|\n    pass\n",
	} {
		text, cursor := strings.Replace(before, "|", "", 1), strings.Index(before, "|")
		e := editing(t, text, cursor)
		e.indent = "      "
		e.shell.Keymap.Commands()["accept-line"]()
		if got := e.input(); got != want {
			t.Errorf("after Enter %q is %q, want %q", before, got, want)
		}
	}
}

// Enter ends a block typed at the prompt, and a block recalled from the history without changing it.
func TestEnterEndsRecalledBlock(t *testing.T) {
	e := editing(t, "", 0)
	block := "def f():\n    return 1"
	e.history.inputs = []string{block, "1 + 1", "def g():\n    return 2"}
	for text, want := range map[string]bool{block: true, block + "\n  ": true, block + "  ": true, "def g():\n    return 2": true, "def f():\n    return 2": false, "def f():": false, "%time f(": true, "%timeit '''": true, "f?": true} {
		if got := e.accept([]rune(text)); got != want {
			t.Errorf("Enter ends %q: %t", text, got)
		}
	}
}

// With colors, the bracket before the cursor and its partner are highlighted, also at the start of an input.
func TestBracketsAreHighlighted(t *testing.T) {
	const on, off = "\x1b[1;35m", "\x1b[0m"
	for _, colors := range []display.Colors{display.NoColor, display.Color256} {
		s := repl.NewSession().Session
		s.Terminal.Colors = colors
		e := newEditor(s, Options{})
		e.shell.Line().Set([]rune("(x)")...)
		e.shell.Cursor().Set(3)
		want := "(x)"
		if colors != display.NoColor {
			want = on + "(" + off + "x" + on + ")" + off
		}
		if got := e.shell.SyntaxHighlighter([]rune("(x)")); got != want {
			t.Errorf("(x) is shown as %q, want %q", got, want)
		}
		e.Close()
	}
}

// partners finds both brackets of a pair if the cursor is just behind the closing one, for any text between them.
func TestPartners(t *testing.T) {
	for _, line := range []string{"()", "(a)[b]{c}", "([{}])", "f(a, [1, (2)], {3: 4})", "((()))"} {
		runes := []rune(line)
		var open []int
		for i, r := range runes {
			switch {
			case strings.ContainsRune("([{", r):
				open = append(open, i)
			case strings.ContainsRune(")]}", r):
				if a, b := partners(runes, i+1); a != open[len(open)-1] || b != i {
					t.Errorf("behind %d of %q: %d and %d, want %d and %d", i, line, a, b, open[len(open)-1], i)
				}
				open = open[:len(open)-1]
				continue
			}
			if a, b := partners(runes, i+1); a != -1 || b != -1 {
				t.Errorf("behind %d of %q: %d and %d", i, line, a, b)
			}
		}
	}
	for _, line := range []string{"(]", "[)", "{]", ")", "a)", "(a})"} {
		if a, b := partners([]rune(line), len(line)); a != -1 || b != -1 {
			t.Errorf("%q: %d and %d", line, a, b)
		}
	}
}

// Tab completes from the start of the word that the editor recognizes. It shows the signature of a call if the cursor
// is at the start of its arguments.
func TestTabCompletes(t *testing.T) {
	s := repl.NewSession().Session
	if _, err := s.Exec(t.Context(), "a", "answer = 42\ndef own(alpha, beta=1): pass\n"); err != nil {
		t.Fatal(err)
	}
	e := newEditor(s, Options{})
	defer e.Close()
	for _, c := range []struct {
		before, prefix, usage string
		values                []string
	}{
		{"answ", "answ", "", []string{"answer"}},
		{"x = answ", "answ", "", []string{"answer"}},
		{"x\nansw", "answ", "", []string{"answer"}},
		{"f(answ", "f(answ", "", []string{"f(answer"}},
		{"math.sq", "math.sq", "", []string{"math.sqrt"}},
		{"é+answ", "+answ", "", []string{"+answer"}},
		{"À+answ", "+answ", "", []string{"+answer"}},
		{"\u0080+answ", "+answ", "", []string{"+answer"}},
		{"½", "", "", nil},
		{"own(", "own(", "own(alpha, beta=1)", []string{"own(alpha=", "own(beta="}},
		{"own(1, ", "", "own(alpha, beta=1)", []string{"alpha=", "beta="}},
		{"own(1, bet", "bet", "", []string{"beta="}},
	} {
		out := e.complete([]rune(c.before+" beyond"), len([]rune(c.before)))
		var values []string
		out.EachValue(func(v readline.Completion) readline.Completion {
			values = append(values, v.Value)
			return v
		})
		usage := reflect.ValueOf(out).FieldByName("usage").String()
		if out.PREFIX != c.prefix || usage != c.usage || !slices.Equal(values, c.values) {
			t.Errorf("%q: %q in place of %q, and the hint %q; want %q, %q, %q", c.before, values, out.PREFIX, usage, c.values, c.prefix, c.usage)
		}
	}
	_, height := terminalSize()
	line := []rune("s" + strings.Repeat("\n", height-8))
	n := len(s.Complete("s").Candidates)
	if usage := reflect.ValueOf(e.complete(line, 1)).FieldByName("usage").String(); usage != fmt.Sprintf("%d names begin like this: type another letter", n) {
		t.Errorf("with too many names to show (%d) the hint is %q", n, usage)
	}
}

// The keys that start a history search step through its matches while it is active.
func TestSearchKeysStepThroughMatches(t *testing.T) {
	e := editing(t, "", 0)
	var did []string
	probe := func(name string) func() { return func() { did = append(did, name) } }
	e.shell.Keymap.Register(map[string]func(){"probe": probe("search"), "probe-step": probe("step")})
	e.repeatSearch("probe", "probe-step")
	e.shell.Keymap.Commands()["probe"]()
	e.shell.Keymap.SetLocal("isearch")
	e.shell.Keymap.Commands()["probe"]()
	e.shell.Keymap.SetLocal("")
	if !slices.Equal(did, []string{"search", "step"}) {
		t.Errorf("a key before a search and during it runs %v", did)
	}
	for command, made := range map[string]string{
		"reverse-search-history": "repeatSearch", "forward-search-history": "repeatSearch", "backward-delete-char": "outdent", "edit-and-execute-command": "ontoTerminal", "edit-command-line": "ontoTerminal", "accept-line": "newEditor", "stop": "newEditor",
	} {
		if name := runtime.FuncForPC(reflect.ValueOf(e.shell.Keymap.Commands()[command]).Pointer()).Name(); !strings.Contains(name, made) {
			t.Errorf("%s is bound to %s, want the wrapper of %s", command, name, made)
		}
	}
	if n := e.shell.History.Current(); n != e.history {
		t.Errorf("the editor's search uses the history %v", n)
	}
}

// A pasted session with prompts is reduced to its inputs, whether or not it is indented as a whole.
func TestIndentedPastes(t *testing.T) {
	for in, want := range map[string]string{
		"  >>> x = 1\n  2\n  >>> y": "x = 1\ny",
		"\n >>> x":                  "x",
		">>>x":                      ">>>x",
		"  x = 1\n>>> y":            "  x = 1\n>>> y",
	} {
		if got := tidyPaste(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// The history file is readable only by the user and is closed after each use. If it exceeds its limit by a quarter,
// only the latest inputs are kept.
func TestHistoryFileIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	h := openHistory(file)
	if _, err := h.Write("first"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	for extra, kept := range map[int]int{maxHistory / 4: maxHistory * 5 / 4, maxHistory/4 + 1: maxHistory} {
		var b strings.Builder
		n := maxHistory + extra
		for i := range n {
			fmt.Fprintf(&b, "\"%d\"\n", i)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		h := openHistory(file)
		if h.Len() != kept || h.inputs[0] != fmt.Sprint(n-kept) || h.inputs[kept-1] != fmt.Sprint(n-1) {
			t.Errorf("%[2]d of %[1]d inputs are kept, from %[3]s to %[4]s, want %[5]d",
				n, h.Len(), h.inputs[0], h.inputs[h.Len()-1], kept)
		}
		text, err := os.ReadFile(file)
		if lines := strings.Count(string(text), "\n"); err != nil || lines != kept {
			t.Errorf("the file keeps %[2]d of %[1]d inputs, %[3]v", n, lines, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("after rewriting it has the mode %v, %v", info.Mode(), err)
		}
	}
	if open, err := filepath.Glob("/proc/self/fd/*"); err == nil { // on systems with such a folder
		for _, fd := range open {
			if to, _ := os.Readlink(fd); to == file {
				t.Errorf("%s is left open", file)
			}
		}
	}
	again := &history{inputs: []string{"def f():\n    return 1", "x"}}
	if !again.recalled("def f():\n    return 1 \n\n") || again.recalled("x") {
		t.Error("the oldest block is no longer recognized, or a single line is")
	}
}
