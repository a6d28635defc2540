package repl_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/parallel"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// Ending the context stops any running code. The session keeps its values and continues.
func TestInterrupt(t *testing.T) {
	for name, source := range map[string]string{
		"loop":               "while True: pass",
		"loop in a function": "def f():\n  while True: pass\nf()",
		"comprehension":      "[0 for i in range(1 << 40)]",
		"sum":                "sum(range(1 << 50))",
		"max":                "max(range(1 << 50))",
		"all":                "all(range(1, 1 << 50))",
		"callback":           "max(range(1 << 50), key=lambda i: i)",
		"timeit":             "timeit(lambda: 1, seconds=3600)",
		"graphs":             "graphs(9).count(\"triangle\").sensitivity",
		"mutual recursion":   "def f(n):\n  return g(n)\ndef g(n):\n  for i in range(1 << 40): pass\nf(1)",
		"deaf built-in":      "x in range(10)\n(1 << 40) in [i for i in range(10)]\nwhile True: reversed(range(100000))",
	} {
		t.Run(name, func(t *testing.T) {
			s := repl.NewSession()
			s.Stdout, s.Stderr = io.Discard, io.Discard
			if _, err := s.Exec(t.Context(), "a", "x = 41"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := s.Exec(ctx, "b", source) // it would run for hours
			var script *script.ScriptError
			if !errors.As(err, &script) || !script.Interrupted || !strings.HasPrefix(script.Msg, "interrupted") {
				t.Fatalf("got %v, want an interruption", err)
			}
			v, err := s.Exec(t.Context(), "c", "x + 1")
			if err != nil || v.String() != "42" {
				t.Errorf("afterwards x + 1 = %v, %v", v, err)
			}
		})
	}
}

func TestRunawayRecursionFails(t *testing.T) {
	for _, source := range []string{
		"def f(): return f()\nf()",
		"def f(n): return g(n)\ndef g(n): return max([n], key=f)\nf(1)",
	} {
		if _, err := run(t, source); err == nil || !strings.Contains(err.Error(), "calls inside each other") {
			t.Errorf("%s\n gives %v", source, err)
		}
	}
}

func TestDeepNestingFails(t *testing.T) {
	for _, source := range []string{
		"x = []\nfor i in range(100000): x = [x]\njson.encode(x)",
		"x = []\nx.append(x)\njson.encode(x)",
		"x = {}\nx[1] = x\njson.encode(x)",
		"json.decode(100000 * '[')",
		"json.decode(100000 * '[' + 100000 * ']')",
		"list(range(1 << 40))",
	} {
		if out, err := run(t, source); err == nil {
			t.Errorf("%s\n gives %q, want an error", source, out)
		}
	}
}

func TestProgress(t *testing.T) {
	s := repl.NewSession()
	s.Stdout = io.Discard
	var reports []script.Progress
	s.OnProgress = func(p script.Progress) { reports = append(reports, p) }
	if _, err := s.Exec(t.Context(), "a", "graphs(5).size"); err != nil {
		t.Fatal(err)
	}
	if len(reports) > 0 {
		t.Errorf("short work reported %v", reports)
	}
	for _, source := range []string{
		"smooth_sensitivity(q, 1).on_range()", "claim(\"analytic.lemma1\").check(budget=1)",
		"pygmalion(1, all_tuples=True).measured(4)", "strategy(prefix_sums(8), \"banded\", bands=3)",
		"lipschitz_extension(q, bound=9, on=2)", "lipschitz_extension(q, on=2)",
	} {
		s, count, most := repl.NewSession(), 0, int64(0)
		ctx := parallel.WithProgress(t.Context(), func(done, total int64, _ string) {
			if count, most = count+1, max(most, total); total > 0 && done > total {
				t.Errorf("%s reports %d done of %d", source, done, total)
			}
		})
		if _, err := s.Exec(ctx, "a", "q = graphs(4).count(\"triangle\")\n"+source); err != nil || count < 4 || most < 3 {
			t.Errorf("%s: %v, %d reports of at most %d parts", source, err, count, most)
		}
	}
}
