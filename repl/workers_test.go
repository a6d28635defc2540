package repl_test

import (
	"strings"
	"testing"

	"dpworkbench/repl"
)

// Workers use the same study and the same values at once, look at trials while others
// add to them, and get what one alone gets.
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
		t.Errorf("says %q", said)
	}
}
