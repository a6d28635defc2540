package script

import (
	"strings"
	"testing"

	"go.starlark.net/syntax"
)

// Every script that parses and resolves is rewritten into one that compiles.
func FuzzRewrite(f *testing.F) {
	for _, s := range []string{
		"x = 1\ndef f(): return x\nx += f()",
		"a, (b, [c]) = 1, (2, [3])\nfor i, (j, k) in []: a[i].b = j == k",
		"load('a.star', 'b', c='d')\nb(c)",
		"if x:\n  def f(n): return f(n - 1) != None\nelse:\n  while True: break",
		"[x for x in y if x == y for z in x]",
		"lambda x, *args, y=z, **kw: x == y",
		"def f(x):\n  def g():\n    return x + y\n  y = 2\n  return g",
		"None", "True == False", "(x) = 1", "(x, y) = z", "[x, y] = z", "x.y, x[0] = z", "{x: y == z}", "x[1:y:z]", "not x == y", "f(x=x, *y, **z)",
		"'doc'", "pass", "x = y = 1", "def f(f): f = f", "for f in f: f",
	} {
		f.Add(s)
	}
	s := New(Vocabulary{})
	always := func(string) bool { return true }
	f.Fuzz(func(t *testing.T, source string) {
		file, err := parse("fuzz", source, 0)
		if err != nil {
			return
		}
		if _, err := prepare(file, always, nil, true, func(syntax.Position) int { return 0 }); err != nil {
			return
		}
		if _, err := compile(file); err != nil {
			t.Errorf("%q no longer compiles: %v", source, err)
		}
		s.Complete(source)
		finalExpression(source)
	})
}

// The value %names, which no script can reach, is not hashable. DescribeJSON writes its type.
func TestTableOfNames(t *testing.T) {
	if _, err := (names{}).Hash(); err == nil || !strings.Contains(err.Error(), "unhashable type: names") {
		t.Errorf("it is hashable: %v", err)
	}
	if text, err := DescribeJSON(names{}, 0); err != nil || !strings.Contains(text, `"type":"names"`) {
		t.Error(text, err)
	}
}
