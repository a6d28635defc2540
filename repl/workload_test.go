package repl_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/parallel"
	"dpworkbench/repl"
)

// A workload computes its optimum once: the optimal strategy, the distance from the optimum and comparisons share it.
func TestOptimumIsComputedOnce(t *testing.T) {
	for _, calls := range []string{
		`print(strategy(w, "optimal"), optimum(w), strategy(w, "tree").over_optimum)`,
		`print(optimum(w), compare(strategy(w, "optimal"), strategy(w, "tree")), strategy(w, "optimal").over_optimum)`,
	} {
		searches := 0
		ctx := parallel.WithProgress(t.Context(), func(done, _ int64, what string) {
			if done == 0 && strings.HasPrefix(what, "least error between") {
				searches++
			}
		})
		s := repl.NewSession()
		s.Stdout = io.Discard
		if _, err := s.Exec(ctx, "<prompt>", "w = prefix_sums(6)\n"+calls); err != nil {
			t.Fatal(err)
		}
		if searches != 1 {
			t.Errorf("%s: %d searches, want 1", calls, searches)
		}
	}
}

// A strategy written to a file and read back is the same. A stream and a release with the same seed give the same
// answers.
func TestStrategyFiles(t *testing.T) {
	for _, name := range []string{"c.npy", "c.csv"} {
		read := map[string]string{"c.npy": "read_npy", "c.csv": "read_csv"}[name]
		path := filepath.ToSlash(filepath.Join(t.TempDir(), name))
		out, err := run(t, `w = prefix_sums(6)
s = strategy(w, "optimal")
s.encoder.save("`+path+`")
t = strategy(w, `+read+`("`+path+`"))
print(t.encoder == s.encoder, t.max_error.value == s.max_error.value)
u = t.stream(1, 1e-6, seed=3)
a = [u.add(x) for x in [1, 0, 1, 0, 0, 1]]
b = s.release([1, 0, 1, 0, 0, 1], 1, 1e-6, seed=3)
print(max([abs(x - y) for x, y in zip(a, b)]) < 1e-9)
print(u, u.record)
`)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"True True\n", "True\n", "6 of 6 steps> None"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %s, want %q", name, out, want)
			}
		}
	}
}
