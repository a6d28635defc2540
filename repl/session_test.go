package repl_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dpworkbench/repl"
)

func ExampleSession() {
	s := repl.NewSession()
	ctx := context.Background()
	_, _ = s.Exec(ctx, "<prompt 1>", "x = 1\ndef f(): return x")
	_, _ = s.Exec(ctx, "<prompt 2>", "x = 2")
	v, _ := s.Exec(ctx, "<prompt 3>", "f()")
	fmt.Println(v)
	// Output: 2
}

// run executes chunks one by one and returns what they print and the last error.
func run(t *testing.T, chunks ...string) (string, error) {
	t.Helper()
	s := repl.NewSession()
	var out strings.Builder
	s.Stdout = &out
	for i, chunk := range chunks {
		if _, err := s.Exec(t.Context(), fmt.Sprintf("<prompt %d>", i+1), chunk); err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

func TestLiveNames(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"redefined global", []string{"x = 1", "def f(): return x", "x = 2", "print(f())"}, "2\n"},
		{"in one chunk", []string{"x = 1\ndef f(): return x\nx = 2\nprint(f())"}, "2\n"},
		{"lambda", []string{"x = 1\nf = lambda: x", "x = 2", "print(f())"}, "2\n"},
		{"defined later", []string{"def f(): return g()", "def g(): return 7", "print(f())"}, "7\n"},
		{"redefined function", []string{"def g(): return 1\ndef f(): return g()", "def g(): return 2", "print(f())"}, "2\n"},
		{"own name", []string{"def f(n): return n and f(n - 1)", "old = f", "def f(n): return 'new'", "print(old(3))"}, "new\n"},
		{"augmented", []string{"x = 1", "x += 2", "x += 3\nprint(x)"}, "6\n"},
		{"augmented list", []string{"x = []\ny = x", "x += [1]", "print(y)"}, "[1]\n"},
		{"loop variable", []string{"fs = []\nfor i in range(3):\n  fs.append(lambda: i)\nprint([f() for f in fs])", "i = 9", "print([f() for f in fs])"}, "[2, 2, 2]\n[9, 9, 9]\n"},
		{"while at top level", []string{"n = 0\nwhile n < 5:\n  n += 1\nprint(n)"}, "5\n"},
		{"if at top level", []string{"if True:\n  def f(): return x\n  x = 4\nelse:\n  x = 5", "x = 6", "print(f())"}, "6\n"},
		{"unpacking", []string{"a, (b, [c, d]) = 1, (2, [3, 4])\nprint(d, c, b, a)"}, "4 3 2 1\n"},
		{"swap", []string{"a, b = 1, 2", "a, b = b, a\nprint(a, b)"}, "2 1\n"},
		{"comprehension scope", []string{"i = 5\nprint([i for i in range(3)], i)"}, "[0, 1, 2] 5\n"},
		{"closure", []string{"def f():\n  n = [0]\n  def g():\n    n[0] += 1\n    return n[0]\n  return g", "g = f()\ng()\nprint(g())"}, "2\n"},
		{"default argument", []string{"x = 1\ndef f(a=x, *args, k=x, **kw): return (a, k, kw)", "x = 2", "print(f(z=3))"}, "(1, 1, {\"z\": 3})\n"},
		{"shadowed built-in", []string{"def f(xs): return len(xs)", "def len(xs): return -1", "print(f([]))"}, "-1\n"},
		{"keyword like global", []string{"x = 1\ndef f(x=0): return x\nprint(f(x=x + 4))"}, "5\n"},
		{"attribute like global", []string{"append = 1\nx = []\nx.append(append)\nprint(x)"}, "[1]\n"},
		{"equality", []string{"x = 1\nprint(x == 1, x != 1, [1] == [1.0], 'a' == 1, not x == 2, x == 1 and x != 2)"}, "True False True False True True\n"},
		{"recursion", []string{"def fact(n): return 1 if n == 0 else n * fact(n - 1)\nprint(fact(20))"}, "2432902008176640000\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(t, c.chunks...)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
