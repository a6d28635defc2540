package prompt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"

	"github.com/reeflective/readline/inputrc"
)

// A history file may hold inputs of up to a mebibyte. Empty and invalid lines are skipped, and reading stops at a
// longer line.
func TestHistorySkipsInvalidInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	long := strings.Repeat("a", 1<<20-10)
	var b strings.Builder
	for _, text := range []string{"one", "", "two\nlines", long} {
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	b.WriteString("no JSON\n3\n\"last\"\n")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(file)
	want := []string{"one", "two\nlines", long, "last"}
	if h.Len() != len(want) {
		t.Fatalf("%d inputs, want %d", h.Len(), len(want))
	}
	for i, text := range want {
		if got, err := h.GetLine(i); err != nil || got != text {
			t.Errorf("input %d has %d characters (%v)", i, len(got), err)
		}
	}
	for _, i := range []int{-1, h.Len()} {
		if _, err := h.GetLine(i); err == nil {
			t.Errorf("input %d exists", i)
		}
	}
	if err := os.WriteFile(file, []byte("\"one\"\n\""+strings.Repeat("a", 1<<20+10)+"\"\n\"last\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := openHistory(file); h.Len() != 1 {
		t.Errorf("%d inputs are read from a file with one that is too long", h.Len())
	}
}

// Tab at the start of a line indents to the next multiple of four blanks.
func TestTabIndents(t *testing.T) {
	for _, line := range []string{"", " ", "  ", "   ", "    ", "     ", "x\n", "x\n  "} {
		e := newEditor(repl.NewSession().Session, Options{})
		e.shell.Line().Set([]rune(line)...)
		e.shell.Cursor().Set(len(line))
		e.complete([]rune(line), len(line))
		e.Close()
		last := line[strings.LastIndexByte(line, '\n')+1:]
		got := string(*e.shell.Line())
		if want := line + strings.Repeat(" ", 4-len(last)%4); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

// The editor uses bracketed paste, sends no queries to the terminal, and accepts letters beyond ASCII. Tab completes,
// arrows move between lines, and Enter repeats the indentation of the line before.
func TestEditorIsSetUp(t *testing.T) {
	t.Setenv("INPUTRC", "/dev/null")
	t.Setenv("HOME", t.TempDir())
	e := newEditor(repl.NewSession().Session, Options{})
	defer e.Close()
	for name, want := range map[string]any{
		"enable-bracketed-paste": true, "convert-meta": false, "input-meta": true, "output-meta": true, "bell-style": "none", "cursor-position-probe": false,
		"menu-complete-display-prefix": true, "usage-hint-always": true, "search-ignore-case": true,
	} {
		if got := e.shell.Config.Get(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for key, want := range map[string]string{
		`\t`: "menu-complete", `\M-[Z`: "menu-complete-backward", `\M-[A`: "up-line-or-history", `\M-OA`: "up-line-or-history", `\M-[B`: "down-line-or-history", `\M-OB`: "down-line-or-history",
	} {
		if got := e.shell.Config.Binds["emacs"][inputrc.Unescape(key)]; got.Action != want {
			t.Errorf("%s is bound to %q, want %q", key, got.Action, want)
		}
	}
	if e.shell.AcceptMultiline == nil || e.shell.Completer == nil || e.shell.PasteTransformer == nil || e.shell.SyntaxHighlighter == nil {
		t.Error("the editor does not call the prompt's functions")
	}
	if got := string(e.shell.SyntaxHighlighter([]rune("f(x)"))); got != "f(x)" {
		t.Errorf("without colors a line is shown as %q", got)
	}
	for line, want := range map[string]bool{"1 + 1": true, "f(1,": false, "def f():": false, "def f():\n    1": false, "def f():\n    1\n": true, "x?": true, "help": true, "%time x": true} {
		e.shell.Line().Set([]rune(line)...)
		e.shell.Cursor().Set(len(line))
		if got := e.accept([]rune(line)); got != want {
			t.Errorf("Enter after %q ends the input: %t", line, got)
		}
	}
}

// A block ends at a blank line. Open brackets and strings continue the input.
func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"1 + 1":                                 true,
		"x = (1,":                               false,
		"x = (1,\n2)":                           true,
		"'''a":                                  false,
		"def f():":                              false,
		"def f():\n    return 1":                false,
		"def f():\n    return 1\n":              true,
		"def f():\n    return 1\n    ":          true,
		"def f():\n    x = 1\n\n    return x":   false,
		"def f():\n    x = 1\n\n    return x\n": true,
		"  def f(x):\n      return x\n  f(3)":   true,
		"if 1:\n    print(1)\nelse:":            false,
		"x = 1\ny = 2":                          true,
		"1 +":                                   true, // errors are reported at once
	} {
		if got := complete(text); got != want {
			t.Errorf("complete(%q) = %v", text, got)
		}
	}
}

func TestTidyPaste(t *testing.T) {
	if got, want := tidyPaste("\tx\x03\x1b[6\ny\x7f\n"), "    x[6\ny\n"; got != want {
		t.Errorf("a paste becomes %q, want %q", got, want)
	}
}
