package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpworkbench/repl"
)

// The test binary can run as a worker process, as the command can.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerWord {
		main()
		return
	}
	os.Exit(m.Run())
}

// BenchmarkRows measures all rows, with output for benchstat. Slow rows need WORKBENCH_SLOW.
func BenchmarkRows(b *testing.B) {
	for _, c := range comparisons {
		b.Run(fmt.Sprintf("%s/n=%d", c.name, c.n), func(b *testing.B) {
			if c.slow && os.Getenv("WORKBENCH_SLOW") == "" {
				b.Skip("set WORKBENCH_SLOW=1 to run it")
			}
			run := c.run(b.Context(), c.n)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// BenchmarkFirstNotebook runs README's first command, which compares two mechanisms on all graphs at forty ε, with
// and without quick=1.
func BenchmarkFirstNotebook(b *testing.B) {
	source := string(must(os.ReadFile("../notebooks/first.star")))
	for _, quick := range []int{1, 0} {
		b.Run(fmt.Sprintf("quick=%d", quick), func(b *testing.B) {
			if quick == 0 && os.Getenv("WORKBENCH_SLOW") == "" {
				b.Skip("set WORKBENCH_SLOW=1 to run it")
			}
			for b.Loop() {
				session := repl.NewSession()
				session.Stdout, session.Stderr = io.Discard, io.Discard
				must(session.Exec(b.Context(), "args", fmt.Sprintf("args = {\"quick\": %d, \"out\": %q}", quick, b.TempDir())))
				must(session.Exec(b.Context(), "first.star", source))
			}
		})
	}
}

// Every row runs from Go and from a script, with the same result.
func TestRows(t *testing.T) {
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "prompt" || c.slow && os.Getenv("WORKBENCH_SLOW") == "" {
				t.Skip("tested elsewhere, or slow: set WORKBENCH_SLOW=1")
			}
			t.Setenv("TMPDIR", t.TempDir())
			got := c.run(t.Context(), c.quick)()
			if c.script == nil {
				return
			}
			if again := c.script.prepare(t.Context(), c.quick)(); math.Abs(again-got) > 1e-12*math.Abs(got) {
				t.Errorf("the script returns %v, Go %v", again, got)
			}
		})
	}
}

// Row names are unique, and the rows and their series are complete.
func TestRowsAreComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range comparisons {
		if seen[c.name] || c.work == "" || c.n < c.quick || c.quick < 1 || c.run == nil {
			t.Errorf("row %+v", c)
		}
		seen[c.name] = true
		for _, p := range c.peers {
			if _, err := os.Stat(filepath.Join("peers", p.module+".py")); p.run == nil && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if s := c.series; s != nil && (!slices.IsSorted(s.sizes) || len(s.sizes) < 3 || s.unit == "" || s.expected < 0) {
			t.Errorf("%s has the series %+v", c.name, *s)
		}
	}
}

// The page has all declared rows, and each row has its peers and numbers.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/performance.md")
	if os.IsNotExist(err) {
		t.Skip("docs/performance.md does not exist; bash bench/run writes it")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n| row |")
	if !found {
		t.Fatal("the page has no table")
	}
	lines := strings.Split(table, "\n")[2:]
	for _, c := range comparisons {
		for i := range max(1, len(c.peers)) {
			cells := strings.Split(lines[0], " | ")
			lines = lines[1:]
			if len(cells) != 10 || cells[0] != "| `"+c.name+"`" {
				t.Fatalf("the row of %s is %q: run bash bench/run", c.name, cells)
			}
			if i < len(c.peers) && !strings.HasPrefix(cells[4], strings.Split(c.peers[i].name, ",")[0]) {
				t.Errorf("%s: peer %q, want %q", c.name, cells[4], c.peers[i].name)
			}
			if i == 0 && cells[7] != c.asked {
				t.Errorf("%s has the target %q, the page %q", c.name, c.asked, cells[7])
			}
			if number, _, _ := strings.Cut(cells[2], " "); i == 0 && cells[2] != leftOut {
				if v, err := strconv.ParseFloat(number, 64); err != nil || !(v > 0) {
					t.Errorf("%s took %q", c.name, cells[2])
				}
			}
		}
	}
	if strings.HasPrefix(lines[0], "|") {
		t.Errorf("the page has a row that is not declared: %q", lines[0])
	}
}

// The committed file of series has the declared sizes.
func TestSeries(t *testing.T) {
	file, err := os.Open("series.csv")
	if os.IsNotExist(err) {
		t.Skip("series.csv does not exist; bash bench/run writes it")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range comparisons {
		if c.series != nil {
			for _, n := range c.series.sizes {
				want = append(want, fmt.Sprint(c.name, n))
			}
		}
	}
	var got []string
	for _, row := range rows[1:] {
		got = append(got, row[0]+row[2])
		if seconds, err := strconv.ParseFloat(row[4], 64); err != nil || !(seconds > 0) {
			t.Errorf("%s at %s took %q", row[0], row[2], row[4])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("series.csv has\n%q, want\n%q: run bash bench/run", got, want)
	}
}

func TestOptions(t *testing.T) {
	for args, want := range map[string]string{
		"--rounds 2":      "rounds = 2, want 3 to 1000",
		"--rounds 1e9":    "invalid value",
		"--spend -1s":     "spend = -1s",
		"--patience 0s":   "patience = 0s, want a positive time",
		"xor-26 graphs-8": `no row is called "graphs-8"; there are mvg-diagonal,`,
		"--fast":          "not defined: -fast",
	} {
		if _, _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	if o, list, err := parse([]string{"--quick", "--spend", "9s", "xor-26"}); err != nil || list || o.rounds != 3 || o.spend != 9*time.Second || !slices.Equal(o.names, []string{"xor-26"}) {
		t.Errorf("options %+v, list %v, %v", o, list, err)
	}
}

// Rounds alternate between the sides. A peer that is absent, fails, ends or is too slow is reported in its row.
func TestMeasure(t *testing.T) {
	c := comparison{name: "xor-26", n: 14, quick: 4, agree: 1e-9, run: enumeration, peers: []peer{{name: "the same", run: enumeration}}}
	at := slices.IndexFunc(comparisons, func(d comparison) bool { return d.name == c.name })
	was := comparisons[at]
	comparisons[at] = c // the peer runs the same task
	defer func() { comparisons[at] = was }()
	r, err := c.measure(t.Context(), new(environment), options{rounds: 4, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.ours.seconds) != 4 || r.size != 4 {
		t.Errorf("measured %+v, want 4 rounds at size 4", r.ours)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to simulate peers")
	}
	for script, want := range map[string]string{
		"read x; echo absent no such thing":                          "no such thing",
		"read x; echo failed for a reason":                           "for a reason",
		"read x; echo told; exit 1":                                  "",
		"echo gone >&2; exit 3":                                      "failed: gone",
		"read x; echo ready 1.2; read x; echo failed late":           "late",
		"read x; echo ready 1.2; read x; exec sleep 1000":            "more than 50ms",
		"read x; echo ready 1.2; while read x; do echo 0.25 7; done": "peer 1.2",
	} {
		limit := time.Hour
		if strings.Contains(script, "sleep") {
			limit = 50 * time.Millisecond
		}
		s := start(t.Context(), "peer", []string{"sh", "-c", script}, nil, limit)
		if err := alternate(t.Context(), []*side{s}, options{rounds: 5}); err != nil {
			t.Fatal(err)
		}
		s.close()
		got := s.times.absent
		if got == "" {
			got = s.times.label
			if len(s.times.seconds) != 5 || s.times.median() != .25 || s.times.value != 7 {
				t.Errorf("%q: %+v", script, s.times)
			}
		}
		if got != want && want != "" || s.times.failed != strings.Contains(script, "exit") && !strings.Contains(script, "failed") {
			t.Errorf("%q: %+v, want %q", script, s.times, want)
		}
	}
}

// The page shows strategies at full size with the certified lower bound of the error, which is at most their error.
func TestErrorsOfStrategies(t *testing.T) {
	ours := &times{label: "Go", seconds: []float64{1, 2, 3}, processors: []float64{.5, 1.5, 4}, value: 2.5}
	peer := &times{label: "peer", absent: "not installed: peer"}
	c := &comparison{name: "strategy", n: 64, optimum: 2}
	var lines []string
	p := page{results: []result{{comparison: c, size: 64, ours: ours, peers: []*times{peer}}, {comparison: c, size: 8, ours: ours}}}
	p.errors(func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
	want := []string{
		"| `strategy` | Go | 2.5 | 2 | 25.0000 % | 1.50 s |", "| `strategy` | peer | not installed: peer | 2 |  |  |",
	}
	if len(lines) < 2 || !slices.Equal(lines[len(lines)-2:], want) {
		t.Errorf("%q, want %q", lines, want)
	}
	for _, c := range strategyRows {
		if c.n > 64 {
			continue
		}
		// Searches over Toeplitz strategies begin at the square root, whose error is 13.2 % above the optimum.
		if got := c.run(t.Context(), c.n)(); !(got >= c.optimum && got < 1.132*c.optimum) {
			t.Errorf("%s has error %v, want it above %v", c.name, got, c.optimum)
		}
	}
}

// After an interrupt, the files keep the previous results.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := measure(ctx, options{rounds: 3, cache: "cache"}, os.Stderr); err == nil {
		t.Error("no error")
	}
	if left, _ := filepath.Glob("docs*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

func TestCells(t *testing.T) {
	for seconds, want := range map[float64]string{1.5e-7: "150 ns", 0.0123456: "12.3 ms", 1: "1.00 s", 123.4: "123 s", 9.99e-4: "999 µs"} {
		if got := duration(seconds); got != want {
			t.Errorf("%g s is %s, want %s", seconds, got, want)
		}
	}
	l := limits{bytes: 1e9, normals: 1e6, products: 1e9}
	if got := l.reached(load{bytes: 5e8, normals: 9e5}, 1); got != "0.9 of drawing normals" {
		t.Error(got)
	}
}
