package repl

import (
	"io"
	"strings"
	"testing"
)

// Mechanisms at equal exact privacy have the errors of closed forms, an exact ε just below the one that is asked for,
// and what cannot be scaled is refused by name.
func TestCompare(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, `lq, q, box = linear_query([(0, 1), (1000, 1001)]), graphs(4).count("triangle"), box_sensitivity(2, 3, [1, 10])
c = compare(purest(lq, 0.5), staircase(lq, 1), laplace(lq, 1), eps=[0.5, 2])
# Geng and Viswanath 2016: E|noise| = Δ e^{ε/2}/(e^ε − 1)
def off(e, row):
    return abs(row["mean error"].value / (1001 * math.exp(e / 2) / (math.exp(e) - 1)) - 1)
def near(c, eps):
    return all([eps - 1e-9 <= r["exact ε"].lo and r["exact ε"].hi <= eps for r in c.rows])
table = finite_mechanism(q, lambda x, r: "1/4", eps=1)
`)
	for _, holds := range []string{
		"len(c.rows) == 6 and off(0.5, c.rows[1]) < 1e-12 and off(2, c.rows[4]) < 1e-12",
		`c.rows[5]["mean error"] == 1001 / 2`,
		`near(compare([purest(q, 1), ladder(q, 2), exponential(q, 1), optimal(q, 2), tight(q, 2)], at=1.5), 1.5)`,
		`near(compare(xor_allocation(2, 2, 1, .5, 1), bernoulli_uniform(2, 2, -1, .1), optimal_xor(2, 2, 1), at=0.75), 0.75)`,
		`near(compare(mvg(box, 1, 1e-5), mvg_optimal(box, 2, 1e-5).design, mvg(box, 1, 1e-5, condition="tight"), at=1), 1)`,
		`near(compare(mvg(box, 1, 1e-5, condition="tight"), laplace_rival(box, 1), at=1), 1)`,
		`near(compare(mvg(gram_sensitivity(3, 1, "replace"), 1, 1e-5, condition="tight"), symmetric_gauss(3, 2, 1e-5, neighbors="replace"), at=1), 1)`,
		`[r["exact ε"] for r in compare(purest(lq, ln(3)), staircase(lq, 1), laplace(lq, 2), at="smallest").rows] == [ln(3)] * 3`,
		`compare(purest(q, 1), ladder(q, 2)).mean < 1`,
		`compare(gaussian(lq, 2000), laplace(lq, 1), delta=1e-6).rows[1]["exact ε"].hi <= 1`,
		`type(compare(laplace(lq, 1), staircase(lq, 1)).plot()) == "line_plot"`,
	} {
		if v, err := s.Exec(t.Context(), "compare", holds); err != nil || s.Show(v) != "True" {
			t.Errorf("%s: %v, %v", holds, v, err)
		}
	}
	for call, want := range map[string]string{
		"compare()":                             "want at least one",
		"compare(1)":                            "mechanisms[0] = 1, want a mechanism",
		"compare(purest(q, 1), laplace(lq, 1))": "mechanisms[1] answers a linear query",
		"compare(purest(q, 1), table, at=1)":    "finite mechanism on triangle count",
		"compare(gaussian(lq, 1), laplace(lq, 1), at=\"smallest\")": "give delta",
		"compare(purest(lq, 1), laplace(lq, 1)).mean":               "see .rows",
		"staircase(q, 1)": "linear_query([0, 1, 2])",
	} {
		if _, err := s.Exec(t.Context(), "compare", call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", call, err, want)
		}
	}
}
