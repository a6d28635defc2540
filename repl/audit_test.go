package repl_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"dpworkbench/repl"
)

// A witness's line of script gives the same ε and verdict as the whole audit.
func TestAuditReplays(t *testing.T) {
	out, err := run(t, `
law = {"x": {1: "1/2", 2: "3/10", 3: "1/5"}, "y": {1: "1/5", 2: "3/10", 3: "1/2"}, 7: {1: "1/10", 2: "1/10", 4: "4/5"}}
print(audit(law, "all", 1, "1/20").witness["script"])
print(audit(law, "all", 1).witness["script"])
noise = [((k * 7919) % 1000) for k in range(1000)]
draws = {0: noise, "a \"b\"": [v + 300 for v in noise]}
print(audit(draws, "all", 0.1).witness["script"])
print(audit(draws, "all", 0.1, events=[["0", "1"], list(range(300)), list(range(1000, 1300))], confidence=0.99).witness["script"])
`)
	if err != nil {
		t.Fatal(err)
	}
	const setup = `
law = {"x": {1: "1/2", 2: "3/10", 3: "1/5"}, "y": {1: "1/5", 2: "3/10", 3: "1/2"}, 7: {1: "1/10", 2: "1/10", 4: "4/5"}}
noise = [((k * 7919) % 1000) for k in range(1000)]
draws = {0: noise, "a \"b\"": [v + 300 for v in noise]}
`
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, original := range []string{
		`audit(law, "all", 1, "1/20")`, `audit(law, "all", 1)`, `audit(draws, "all", 0.1)`,
		`audit(draws, "all", 0.1, events=[["0", "1"], list(range(300)), list(range(1000, 1300))], confidence=0.99)`,
	} {
		got, err := run(t, setup+"a, b = "+original+", "+lines[i]+"\nprint(a.epsilon.value == b.epsilon.value, a.verdict == b.verdict, a.epsilon.value > 0)")
		if err != nil || got != "True True True\n" {
			t.Errorf("%s\nreplayed by %s\ngives %s%v", original, lines[i], got, err)
		}
	}
}

// An audit with many draws stops when its context ends.
func TestAuditStops(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	_, err := repl.NewSession().Exec(ctx, "x", `audit({0: {"a": 500000000000, "b": 500000000000}, 1: {"a": 500000000000, "b": 499999999999}}, "all", 1)`)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted") && !strings.Contains(err.Error(), ": interrupted") {
		t.Errorf("%v, want an interruption", err)
	}
}

// Each script in docs/auditing.md that is followed by its output prints that output.
func TestAuditingPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/auditing.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 1 {
		t.Fatalf("%d scripts with outputs, want 1", len(blocks))
	}
	for _, b := range blocks {
		if out, err := run(t, b[1]); err != nil || out != b[2] {
			t.Errorf("%s\nprints\n%s%v\nwant\n%s", b[1], out, err, b[2])
		}
	}
}
