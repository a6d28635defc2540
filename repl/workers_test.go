package repl_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/locks"
	"dpworkbench/repl"
)

// Concurrent workers share a study and its values, read trials while others add to them, and get the same results as a
// single worker.
func TestWorkersShareValues(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	var out, news strings.Builder
	s.Stdout, s.Stderr = &out, &news
	if _, err := s.ExecScript(t.Context(), "workers.star", `
g = network([(0, 1), (1, 2), (2, 3), (5, 6)])
s = study("a", sampler="random", storage=None)
def f(t):
    rule = t.suggest_categorical("rule", ["closure", 2, None, True])
    t.suggest_categorical("other", ["x", 1.5])
    seen = [r["params"]["rule"] for r in s.trials if "rule" in r["params"]]
    if [v for v in seen if v not in ["closure", 2, None, True]]: fail("a choice is not as it was written")
    if t.number % 7 == 3: fail("odd")
    return g.diameter + len(str(rule))
s.optimize(f, trials=40, workers=4)
print(len(s.trials), len([r for r in s.trials if r["state"] == "failed"]), g.diameter, s.best_value)
`); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "40 6 3 4.0\n" {
		t.Errorf("prints %q", got)
	}
	if said := news.String(); !strings.Contains(said, "study a: 40 trials run, 6 failed (trial ") || !strings.Contains(said, "fail: odd); best 4 at trial ") {
		t.Errorf("prints %q on standard error", said)
	}
}

// printed is an output that detects concurrent writes.
type printed struct {
	locks.Alone
	strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	defer p.Enter()()
	return p.Builder.Write(b)
}

// Workers print whole lines.
func TestWorkersPrintOneAtATime(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	out := &printed{Alone: locks.Alone{TB: t, Caller: "repl.(*workerPool).start"}}
	s.Stdout, s.Stderr = out, io.Discard
	if _, err := s.ExecScript(t.Context(), "workers.star", `
def f(t):
    print("a line")
    return t.suggest_float("x", 0, 1)
study("a", sampler="random", storage=None).optimize(f, trials=20, workers=4)
`); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != strings.Repeat("a line\n", 20) {
		t.Errorf("prints %q", got)
	}
}

// A script's function that a query keeps runs with the names of the chunk that defined it, also if a later chunk, an
// attribute or a worker calls it. An interrupt of the calling chunk ends the function.
func TestKeptFunctions(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	var out strings.Builder
	s.Stdout = &out
	for _, chunk := range []string{
		"width = 1\ndef spread(x):\n    return (max(x) - min(x))*width\nq = record_query(value=spread, up=lambda x, t: t*width, down=lambda x, t: t)",
		"width = 5",
		"v = verify(q, records=2, values=range(3))\nprint(v.layers)",
		"s = study(\"a\", sampler=\"random\", storage=None)\ns.optimize(lambda t: len(verify(q, records=2, values=range(3)).layers), trials=12, workers=4)\nprint(s.best_value)",
		"k = record_query(value=lambda x: len([1 for i in range(10000000) for j in range(1000) if j < 0]), up=lambda x, t: 1, down=lambda x, t: 1)",
	} {
		if _, err := s.Exec(t.Context(), "chunk", chunk); err != nil {
			t.Fatal(chunk, err)
		}
	}
	if got := out.String(); got != "wrong\n5.0\n" {
		t.Errorf("prints %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Exec(ctx, "chunk", "verify(k, records=2, values=range(3))"); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an endless function ends with %v", err)
	}
}
