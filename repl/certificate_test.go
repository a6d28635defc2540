package repl_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// certify returns an error that says why a number has no certificate, or why the file cannot be written.
func TestCertifyRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for call, want := range map[string]string{
		`certify(2, "x.json")`:                                                 "a number with its evidence",
		`certify(ln(3), "x.txt")`:                                              "one that ends in",
		`certify(ln(3), "x.json")`:                                             "certificates do not support its method",
		`certify(m.claimed_epsilon, "x.json")`:                                 "a claimed number has no proof",
		`certify(claim("analytic.corollary5").check(1), "x.json")`:             "only refutations",
		`certify(m.smallest_epsilon, "/dev/null/x.json")`:                      "mkdir /dev/null",
		`certify(privacy(m).renyi(2), "x.json")`:                               "certificates do not support its method",
		`certify(r1smg(4, 1, 0.01).delta_at(1), "x.json.gz")`:                  "cells of radius",
		`certify(claim("mvg.theorem9").check(1), "x.json")`:                    "trapezoid",
		`certify(optimal(q, 2, than=m, objective="pareto").optimum, "x.json")`: `"pareto"`,
	} {
		_, err := run(t, "q = graphs(3).count(\"triangle\")\nm = purest(q, 1)\n"+call)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that says %q", call, err, want)
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) > 0 {
		t.Errorf("%d files remain: %v", len(left), err)
	}
}

// Certify collects each number that a script converts to text once, in order, and no others.
func TestCertifyCollectsPrintedNumbers(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	var out strings.Builder
	s.Stdout = &out
	printed := s.Certify()
	source := `q = graphs(3).count("triangle")
m = purest(q, ln(2))
unseen = m.distortion(1)
a, b, c, d = m.smallest_epsilon, m.delta_at(0.1), m.distortion(0), m.distortion(2)
print(a, "%s" % b, fmt(c, 3))
print(table([[1, d]], header=["x", "y"]), a)
print(finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [["2/3", "1/3"], ["1/4", "3/4"]]).tradeoff())
`
	if _, err := s.ExecScript(context.Background(), filepath.Join(t.TempDir(), "a.star"), source); err != nil {
		t.Fatal(err)
	}
	var said []string
	err := printed.Each(context.Background(), func(k repl.Certificate) error {
		if k.None == nil {
			said = append(said, k.Name+" "+k.Number.Number().Citation().Statement.Says())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(said, "\n")
	for i, want := range []string{"δ at ε = 0.1", "at dataset B?", "smallest ε", "at dataset BW"} {
		if i >= len(said) || !strings.Contains(said[i], want) {
			t.Errorf("certificate %d is not for %q:\n%s", i, want, got)
		}
	}
	if strings.Count(got, "smallest ε") != 1 || strings.Count(got, "trade-off") != 4 || len(said) != 8 {
		t.Errorf("want 8 certificates, 4 of them for the trade-off, got\n%s", got)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	if err := printed.Each(ended, func(repl.Certificate) error { return nil }); err == nil {
		t.Error("Each ignores an ended context")
	}
}
