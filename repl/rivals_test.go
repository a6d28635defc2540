package repl

import (
	"io"
	"strings"
	"testing"
)

// What rivals promise and keep, in scripts.
func TestRivals(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, "g = network([(0, 1), (0, 2), (1, 2), (2, 3)])\nh = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 3), (1, 0)])")
	for _, holds := range []string{
		"ldpgen(ln(4)).measured(5, neighbors=\"edge local\").smallest_epsilon == ln(4)",
		"ldpgen(ln(4)).measured(5).smallest_epsilon == ln(16)",
		"pbcn(ln(4), noisy_clusters=True).measured(3).smallest_epsilon == ln(4)",
		"pbcn(1).measured(3).smallest_epsilon == float(\"inf\")",
		"pygmalion(1, all_tuples=True).measured(5).smallest_epsilon < 1",
		"abs(pbcn(ln(4), own_degrees=True).law(3).smallest_epsilon.value - math.log(4)) < 1e-8",
		"ldpgen(ln(4), groups=2).law(2).smallest_epsilon > ln(4)",
		"g.adjacency() == h.adjacency()", // loops and repeats are dropped
		"pygmalion(1, degree_bound=2).truncated(g) == 1",
		"equal_privacy(lambda e: ldpgen(e).measured(9), 1)[\"parameter\"] == 0.5",
		"ldpgen(1).simulate(g, seed=3).adjacency() == ldpgen(1).simulate(g, seed=3).adjacency()",
		"ldpgen(ln(4)).release(g).record[\"epsilon\"] == ln(16)",
		"len(approx_deg(1).simulate(g)) == 4",
	} {
		if v, err := s.Exec(t.Context(), "rivals", holds); err != nil || s.Show(v) != "True" {
			t.Errorf("%s: %v, %v", holds, v, err)
		}
	}
	for call, want := range map[string]string{
		"pygmalion(0)":                                    "eps",
		"pygmalion(1, degree_bound=0)":                    "degree_bound",
		"pbcn(1, clusters=0)":                             "clusters",
		"ldpgen(1, share=1)":                              "share",
		"approx_deg(1, statistic=\"mean\")":               "statistic",
		"dpcd(1, 0)":                                      "communities",
		"dpcd(1, 5).simulate(g)":                          "communities",
		"dpcd(1, 2, sensitivity=-1)":                      "sensitivity",
		"pygmalion(1).law(3)":                             "not enumerated",
		"ldpgen(1).law(3)":                                "at most 2",
		"pbcn(1, decoys=2).law(3)":                        "decoys",
		"pbcn(1).measured(3, \"edge local\")":             "neighbors",
		"network([])":                                     "nodes",
		"equal_privacy(lambda e: e, 1)":                   "want something with a privacy",
		"equal_privacy(lambda e: pbcn(e).measured(3), 1)": "smallest ε",
	} {
		if _, err := s.Exec(t.Context(), "rivals", call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", call, err, want)
		}
	}
}
