package repl_test

import (
	"fmt"
	"strings"
	"testing"

	"dpworkbench/claims/check"
)

// An unknown claim of a known paper names those that there are.
func TestUnknownClaimOfAPaper(t *testing.T) {
	_, err := run(t, `claim("mvg.x")`)
	if err == nil || !strings.Contains(err.Error(), `id = "mvg.x" is no claim; of mvg there are mvg.`) || strings.Contains(err.Error(), "theorem3.proof") {
		t.Errorf("error %v", err)
	}
}

func TestConjecture(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"refuted and made simple", `print(conjecture("small", lambda x: x < 5, draw=lambda s: s % 100, simpler=lambda x: range(x)).check().witness["instance"])`, "5\n"},
		{"confirmed over a list", `print(conjecture("small", lambda x: x < 5, instances=range(5)).check().scope)`, "exhaustive: 5 given instances\n"},
		{"the same draws for the same seed", `
def drawn(seed):
    seen = []
    conjecture("any", lambda x: seen.append(x) or True, draw=lambda s: s % 1000).check(budget=1, seed=seed)
    return seen
print(drawn(3) == drawn(3), drawn(3) == drawn(4), len(drawn(3)))`, "True False 20\n"},
		{"as many draws as the ledger has", `
seen = []
conjecture("any", lambda x: seen.append(x) or True, draw=lambda s: s).check()
print(len(seen))`, fmt.Sprintln(check.DefaultBudget)},
	} {
		got, err := run(t, c.script)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, script, want string }{
		{"neither instances nor draw", `conjecture("x", lambda x: True)`, "instances and draw are both empty"},
		{"an answer that is no truth", `conjecture("x", lambda x: x, instances=[7]).check()`, "holds(7) = 7, want True or False"},
		{"simpler gives no list", `conjecture("x", lambda x: False, instances=[7], simpler=lambda x: 1).check()`, "simpler(7) = 1, want a list"},
		{"an error inside", `conjecture("x", lambda x: 1 // x, instances=[0]).check()`, "division by zero"},
	} {
		if _, err := run(t, c.script); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
