package repl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// At the prompt a function may use names that are defined later.
func TestPromptIsLenientInsideFunctions(t *testing.T) {
	if _, err := run(t, "def f(): return nowhere"); err != nil {
		t.Error(err)
	}
	if _, err := repl.NewSession().ExecScript(t.Context(), "a", "def f(): return nowhere"); err == nil {
		t.Error("a script with an undefined name passed")
	}
	if _, err := run(t, "nowhere"); err == nil {
		t.Error("an undefined name at top level passed")
	}
}

func TestBacktrace(t *testing.T) {
	_, err := repl.NewSession().ExecScript(t.Context(), "dir/a.star", `def inner(x):
    return ln(x)

def outer(xs):
    return [inner(x) for x in xs]

print(max([1, 2], key=lambda i: outer([3, i - 1])))
`)
	var script *script.ScriptError
	if !errors.As(err, &script) {
		t.Fatal(err)
	}
	const want = `dir/a.star:7:10:
    print(max([1, 2], key=lambda i: outer([3, i - 1])))
dir/a.star:7:38: in lambda
    print(max([1, 2], key=lambda i: outer([3, i - 1])))
dir/a.star:5:18: in outer
    return [inner(x) for x in xs]
dir/a.star:2:14: in inner
    return ln(x)
error: ln: x = 0, want a number above 1
`
	if got := script.Backtrace(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lib/a.star", "load(\"b.star\", \"two\")\nx = 1\ndef f(): return x + two()\ndef bump():\n    pass\n_hidden = 3")
	write(t, dir, "lib/b.star", "def two(): return 2")
	write(t, dir, "lib/loop.star", "load(\"loop.star\", \"f\")")
	write(t, dir, "lib/bad.star", "def g():\n    return [][1]\ng()")
	write(t, dir, "lib/syntax.star", "x = (")
	for source, want := range map[string]string{
		"load(\"lib/a.star\", \"f\", g=\"f\")\nx = 50\nprint(f(), g())": "3 3\n", // the library keeps its own names
		"load(\"lib/a.star\", \"fun\")":                                 "load: {DIR}/lib/a.star defines no fun",
		"load(\"lib/a.star\", \"ln\")":                                  "load: {DIR}/lib/a.star defines no ln",
		"load(\"lib/loop.star\", \"f\")":                                "load: {DIR}/lib/loop.star loads itself",
		"load(\"lib/none.star\", \"f\")":                                "no such file",
		"load(\"lib/bad.star\", \"g\")":                                 "{DIR}/lib/bad.star:2:14: index 1 out of range",
		"load(\"lib/syntax.star\", \"x\")":                              "{DIR}/lib/syntax.star:1:6: got end of file",
		"if True:\n    load(\"lib/a.star\", \"f\")":                     "load statement within a conditional",
	} {
		s := repl.NewSession()
		var out strings.Builder
		s.Stdout = &out
		_, err := s.ExecScript(t.Context(), filepath.Join(dir, "main.star"), source)
		got := out.String()
		if err != nil {
			got = err.Error()
		}
		if want = strings.ReplaceAll(want, "{DIR}", dir); !strings.Contains(got, want) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}
