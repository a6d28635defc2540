package repl

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What users of other tools report as surprises has the answer of a definition here, or an error that says what to
// write.
func TestCommonSurprises(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"e.csv": "a,b,w\n1,2,0.5\n; c\n2,3,1\n", "cr.csv": "1\r2\r3", "big.csv": "1,1e400\n", "seven.csv": "007,0,-5,0.5\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, `m = purest(graphs(4).count("triangle"), ln(2))
two = two_laws(["1/2", "1/2"], ["1/4", "3/4"])
kl = max(0.5 * math.log(2) + 0.5 * math.log(2 / 3), 0.25 * math.log(0.5) + 0.75 * math.log(1.5))
same = records([3, 3, 3], lo=3, hi=3)
x = records([1, 2, 3, 9], lo=0, hi=10, grid=1)
def median_law(r):
    # the fewest of the sorted records 1, 2, 3, 9 to replace such that the second smallest is r, by hand
    return math.exp(-0.5 * [2, 1, 0, 1, 2, 2, 2, 2, 2, 2, 3][r])
box = box_sensitivity(2, 10, [1, 2])
w, mu = [100.0, 0.001], mvg(box, 1, 1e-5, condition="tight").whitened_sensitivity.value
o = mvg_optimal(box, 1, 1e-5, objective="information", weights=w, least_share=0.1)
# each of the directions has at least a share of 0.05 of the budget mu**2 = 4·p₀ + 16·p₁
best = max([math.log(1 + w[0] * mu * mu * k / 4000) + math.log(1 + w[1] * mu * mu * (1000 - k) / 16000) for k in range(50, 951)])`)
	for _, holds := range []string{
		`privacy(m).renyi(float("inf")) == m.smallest_epsilon`,
		`type({"median": x.median, "mean": x.mean}["mean"]()) == "record_query"`, // a method that is kept stays one
		`two.renyi(1).lo <= kl + 1e-15 and kl <= two.renyi(1).hi + 1e-15 and two.renyi(1).hi - two.renyi(1).lo < 1e-11`,
		`abs(gaussian(1, 2).renyi(1).value - 1 / 8) < 1e-10`, // μ²/2
		`[f(same.median(), 1).release(2).value for f in [purest, laplace, ladder, staircase]] == [[3, 3]] * 4`,
		`laplace(same.total(), 1).distortion() == 0`,
		`all([abs(exponential(x.median(), 1, utility="rank").probability(r).value * sum([median_law(k) for k in range(11)]) - median_law(r)) < 1e-9 for r in range(11)])`,
		`read_edges("e.csv", weights=2, comments=";", header=True) == [(1, 2, 0.5), (2, 3, 1.0)]`,
		`read_edges("e.csv", columns=[1, 0], comments=";", header=True) == [(2, 1), (3, 2)]`,
		`read_csv("seven.csv") == [["007", 0, -5, 0.5]]`,
		`type(geometric(linear_query([1, 3]), 1).release(5).value[0]) == "int"`,
		`type(laplace(x.total(), 1).release().value[0]) == "int"`,
		`type(geometric(linear_query([1]), 1).release("1/2").value[0]) == "float"`,
		`o.optimum.hi >= best * (1 - 1e-9) and o.optimum.lo <= best * (1 + 1e-4) and o.design.smallest_epsilon.hi <= 1`,
		`mvg_optimal(box, 1, 1e-5, objective="information", weights=w).design == None`,
	} {
		if v, err := s.Exec(t.Context(), "surprises", holds); err != nil || s.Show(v) != "True" {
			t.Errorf("%s: %v, %v", holds, v, err)
		}
	}
	for call, want := range map[string]string{
		`two.renyi("1/2")`:                                 "above 1",
		`exponential(x.mean(), 1, utility="rank")`:         "is for quantiles of records",
		`read_csv("cr.csv")`:                               "line 1, cell 1 holds a carriage return",
		`read_csv("big.csv")`:                              `cell 2 = "1e400" exceeds`,
		`read_edges("e.csv", columns=[0, 7], header=True)`: "want at least 8",
		`1 << 1000`:                "(1 << 500) << 500",
		`print(f"{x}")`:            `write "%s" % x`,
		`records([3], lo=4, hi=3)`: "lo = 4, want at most hi = 3",
		`mvg_optimal(box, 1, 1e-5, least_share=0.1)`: "least_share = 0.1, want 0",
	} {
		if _, err := s.Exec(t.Context(), "surprises", call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", call, err, want)
		}
	}
}
