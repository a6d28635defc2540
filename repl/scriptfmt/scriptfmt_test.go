package scriptfmt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl/scriptfmt"
)

func TestSource(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"x=1\n", "x = 1\n"},
		{"n=0\nwhile n<5 :\n  n+=1 # up\n", "n = 0\nwhile n < 5:\n    n += 1  # up\n"},
		{"é='while'; \nwhile(é):\n  while not é: pass\n  break\n", "é = \"while\"\nwhile (é):\n    while not é:\n        pass\n    break\n"},
		{"def f(a,b=2,*c,**d):\n  'Doc.'\n  return lambda x:(a,x)\n", "def f(a, b = 2, *c, **d):\n    \"Doc.\"\n    return lambda x: (a, x)\n"},
		{"if x==1: y=[i for i in x if i]\nelif z: pass\n", "if x == 1:\n    y = [i for i in x if i]\nelif z:\n    pass\n"},
		{"é, b = 1, 2 if é else 3\nfor i in 1, 2 if b else 3: pass", "é, b = 1, (2 if é else 3)\nfor i in 1, (2 if b else 3):\n    pass\n"},
		{"x = (1, 2 if y else 3)\nz = 1, 2 if y else 3", "x = (1, 2 if y else 3)\nz = 1, (2 if y else 3)\n"},
		{"x = 'é'\ny = 'a\\'é'\nz = '\\u00e9'\nv = \"ö\"\nw = 'é\"'\n", "x = \"é\"\ny = \"a\\'é\"\nz = \"\\u00e9\"\nv = \"ö\"\nw = 'é\"'\n"},
		{"x = '''é\n'''\ny = r'é\\n'\n", "x = \"\"\"é\n\"\"\"\ny = r\"é\\n\"\n"},
		{"x = 'é' if y else 'ö', 'a' if y else 'b', f(1 if a else 2, 3 if b else 4)", "x = (\"é\" if y else \"ö\"), (\"a\" if y else \"b\"), f(1 if a else 2, 3 if b else 4)\n"},
		{"'é'; x = 1 if y else 2, 3", "\"é\"\nx = (1 if y else 2), 3\n"},
		{"x = 1\nwhile x: pass", "x = 1\nwhile x:\n    pass\n"},
		{"# alone\n\n\nx = {1:2}\n", "# alone\n\nx = {1: 2}\n"},
	} {
		got, err := scriptfmt.Source("a.star", c.in)
		if err != nil || got != c.want {
			t.Errorf("%q gives %q, %v, want %q", c.in, got, err, c.want)
			continue
		}
		if again, err := scriptfmt.Source("a.star", got); err != nil || again != got {
			t.Errorf("formatting changes %q again: %q, %v", got, again, err)
		}
	}
}

func TestSourceRefuses(t *testing.T) {
	if _, err := scriptfmt.Source("a.star", "x = = 1"); err == nil || !strings.Contains(err.Error(), "a.star:1:5") {
		t.Errorf("a syntax error gives %v", err)
	}
	for source, want := range map[string]string{
		"while__mark = 1":      "cannot format a.star: it uses the name while__mark, which the formatter reserves",
		"if a:\n\tx = 1\n":     "cannot format a.star: a.star:2:",
		"x = b'a'":             "cannot format a.star: a.star:1:",
		"x = '\\U0001F642\\n'": "",
	} {
		got, err := scriptfmt.Source("a.star", source)
		if want == "" && err != nil || want != "" && (got != "" || !errors.Is(err, scriptfmt.ErrFormat) || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q gives %q, %v, want %q", source, got, err, want)
		}
	}
}

// The repository's scripts can be formatted, and formatting is idempotent.
func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.star")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		once, err := scriptfmt.Source(file, string(source))
		if err != nil {
			t.Error(err)
			continue
		}
		if twice, err := scriptfmt.Source(file, once); err != nil || twice != once {
			t.Errorf("%s: formatting twice differs from once, %v", file, err)
		}
	}
}
