package repl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"dpworkbench/repl"
)

func TestAuditScripts(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"law.csv":     "dataset,output,probability\nx,a,3/4\nx,b,1/4\ny,a,1/4\ny,b,3/4\n",
		"counts.csv":  "dataset,output,count\nx,a,7500\nx,b,2500\ny,a,2500\ny,b,7500\n",
		"draws.json":  `{"x": [` + strings.Repeat(`1, 1, 1, 0, `, 999) + `1], "y": [` + strings.Repeat(`0, 0, 0, 1, `, 999) + `0]}`,
		"law.json":    `{"x": {"a": "3/4", "b": 0.25}, "y": {"a": 0.25, "b": "3/4"}}`,
		"counts.json": `{"x": {"a": 7500, "b": 2500}, "y": {"a": 2500, "b": 7500}}`,
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(t, `
table_ = {"x": {"a": "3/4", "b": 0.25}, "y": {"a": 0.25, "b": "3/4"}}
counts = {"x": {"a": 7500, "b": 2500}, "y": {"a": 2500, "b": 7500}}
rows = [(d, o, p) for d, law in table_.items() for o, p in law.items()]
for data in [table_, rows, "law.csv", "law.json"]:
    r = audit(data, "all", ln(2))
    print(r.verdict, r.epsilon.rational, r.delta.rational, r.witness["event"], r.witness["p"].rational)
for data in [counts, "counts.csv", "counts.json"]:
    r = audit(data, [("x", "y")], 1, events=["a"])
    print(r.verdict, fmt(r.epsilon, 4), r.epsilon.kind, r.epsilon.confidence, r.epsilon.hi, r.epsilon.draws)
a = audit({"x": [1, 1, 1, 0] * 999 + [1], "y": [0, 0, 0, 1] * 999 + [0]}, "all", 0.5)
b = audit("draws.json", "all", 0.5)
c = audit([("x", v) for v in [1, 1, 1, 0] * 999 + [1]] + [("y", v) for v in [0, 0, 0, 1] * 999 + [0]], "all", 0.5)
print(a.verdict, a.epsilon.value == b.epsilon.value, a.epsilon.value == c.epsilon.value, audit("draws.json", "all", 0.5, seed=1).epsilon.value == b.epsilon.value)
print(audit(counts, "all", ln(3), events=["a", ["a", "b"]]).verdict, audit(table_, "all", ln(3)).verdict)
print(audit({0: [0.1, 0.2, 2.5] * 2000, 1: [1.1, 2.2, 3.5] * 2000}, "all", 1, bins=[1, 2], events=[["below 1"]]).verdict)
print(audit({(0, 1): {"a": 1}, (0, 2): {"a": 1}}, [((0, 1), (0, 2))], 1).epsilon.value)
print(audit({0: [1] * 50, 1: [2] * 50}, "all", 1, events=[[1, 2], "x"]).remark)
print(json.decode(json.encode(audit(table_, "all", 1)))["epsilon"]["rational"])
`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `refuted ln(3) 1/4 ["a"] 3/4
refuted ln(3) 1/4 ["a"] 3/4
refuted ln(3) 1/4 ["a"] 3/4
refuted ln(3) 1/4 ["a"] 3/4
refuted 1.018 estimated 0.999 +inf 20000
refuted 1.018 estimated 0.999 +inf 20000
refuted 1.018 estimated 0.999 +inf 20000
refuted True True False
undecided confirmed
refuted
0.0
no output of events[1] was drawn
ln(3)
`
	if out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// The line of script of a witness shows the same ε as the whole audit.
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

func TestAuditErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte("dataset,output\n" + strings.Repeat("x,1\ny,2\n", 5000)))
	w.Close()
	for name, content := range map[string]string{
		"cut.csv.gz": zipped.String()[:zipped.Len()-9],
		"cut.json":   `{"x": [1, 2, 3], "y": [1`,
		"cut.csv":    "dataset,output,count\nx,a,75\ny",
		"data.txt":   "",
		"empty.csv":  "",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const law = `{"x": {"a": 1}, "y": {"a": 1}}`
	for source, want := range map[string]string{
		`audit({}, "all", 1)`:                                                   "audit: table_or_samples is empty",
		`audit([], "all", 1)`:                                                   "audit: table_or_samples is empty",
		`audit(3, "all", 1)`:                                                    "audit: table_or_samples = 3, want a dict of datasets, a list of rows, or a path",
		`audit({"x": {}, "y": {"a": 1}}, "all", 1)`:                             `audit: table_or_samples["x"] = {}, want at least one output`,
		`audit({"x": [], "y": [1]}, "all", 1)`:                                  `audit: dataset "x" has no samples`,
		`audit({"x": 3, "y": [1]}, "all", 1)`:                                   `audit: table_or_samples["x"] = 3, want a list of draws`,
		`audit({"x": {"a": 1}, "y": [1]}, "all", 1)`:                            "want one of them throughout",
		`audit({"x": {"a": -0.5, "b": 1.5}}, "all", 1)`:                         `audit: dataset "x", output "a": probability = -0.5, want a number in [0, 1]`,
		`audit({"x": {"a": float("nan")}}, "all", 1)`:                           `audit: dataset "x", output "a": probability = "nan"`,
		`audit({"x": {"a": [1]}}, "all", 1)`:                                    "want a probability or a count",
		`audit({"x": {"a": 0.5}, "y": {"a": 1}}, "all", 1)`:                     `audit: dataset "x": the probabilities sum to 0.5, off by -0.5`,
		`audit({"x": {"a": -1, "b": 5}}, "all", 1)`:                             `audit: dataset "x", output "a": count = -1`,
		`audit([("x", "a"), ("x", "a", 3)], "all", 1)`:                          "table_or_samples[1]",
		`audit([("x", None)], "all", 1)`:                                        "table_or_samples[0] = None, want a string, a number or a tuple of these",
		`audit(` + law + `, [("x", "z")], 1)`:                                   `audit: neighbors[0] names dataset "z", want one of x, y`,
		`audit(` + law + `, [("x", "x")], 1)`:                                   `audit: neighbors[0] = "x" twice`,
		`audit(` + law + `, [], 1)`:                                             "audit: neighbors is empty",
		`audit(` + law + `, ["x"], 1)`:                                          `audit: neighbors[0] = "x", want a pair of datasets`,
		`audit(` + law + `, "every", 1)`:                                        `audit: neighbors = "every", want a list of pairs of datasets or "all"`,
		`audit(` + law + `, "all", 0)`:                                          "audit: eps = 0, want a positive finite number",
		`audit(` + law + `, "all", -1)`:                                         "audit: eps = -1, want a positive finite number",
		`audit(` + law + `, "all", 1, delta=1)`:                                 "audit: delta = 1, want 0 <= delta < 1",
		`audit(` + law + `, "all", 1, delta=-0.1)`:                              "audit: delta = -0.1, want 0 <= delta < 1",
		`audit(` + law + `, "all", 1, rounding=0.5)`:                            "audit: rounding = 0.5, want a number in (0, 0.01]",
		`audit(` + law + `, "all", 1, bins=5)`:                                  "audit: bins = 5, want None: of a table every event is compared",
		`audit({0: [1], 1: [2]}, "all", 1, confidence=1)`:                       "audit: confidence = 1, want 0 < confidence < 1",
		`audit({0: [1], 1: [2]}, "all", 1, bins=[2, 1])`:                        "audit: bins[1] = 1, want finite numbers in ascending order",
		`audit({0: [1], 1: [2]}, "all", 1, events=[])`:                          "audit: events is empty",
		`audit({0: [1], 1: [2]}, "all", 1, events=[1], bins=3)`:                 "audit: bins = 3 with events",
		`audit("none.csv", "all", 1)`:                                           `path = "none.csv": there is no such file`,
		`audit("data.txt", "all", 1)`:                                           "want a path that ends in .csv or .json",
		`audit("empty.csv", "all", 1)`:                                          "audit: empty.csv: the file is empty, want a header",
		`audit("cut.csv", "all", 1)`:                                            "audit: cut.csv: line 3 has 1 cell, want 3 like the header (the file may be truncated)",
		`audit("cut.json", "all", 1)`:                                           "audit: cut.json: json.decode: at offset 24, unexpected end of file",
		`audit("cut.csv.gz", "all", 1)`:                                         "audit: cut.csv.gz: the file is truncated",
		`audit({"x": [0.75, 0.25], "y": ["1/3", "2/3"]}, "all", 1)`:             "draws that look like probabilities",
		`audit({"x": {"a": gaussian_sigma(1, 1e-5)}, "y": {"a": 1}}, "all", 1)`: "output \"a\" = 3.73063163481595 (certified), want a probability or a count: this one is known between two bounds",
		`audit_draws(0.5, 0.4, 1)`:                                              "audit_draws: p = 0.5 and q = 0.4 do not violate the claim",
	} {
		if _, err := run(t, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gives %v\n want  %s", source, err, want)
		}
	}
}

// An audit of many draws stops when it is told to.
func TestAuditStops(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	_, err := repl.NewSession().Exec(ctx, "x", `audit({0: {"a": 500000000000, "b": 500000000000}, 1: {"a": 500000000000, "b": 499999999999}}, "all", 1)`)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted") && !strings.Contains(err.Error(), ": interrupted") {
		t.Errorf("%v, want an interruption", err)
	}
}

// Each script of docs/auditing.md that its output follows prints that output.
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
