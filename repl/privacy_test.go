package repl_test

import (
	"fmt"
	"strings"
	"testing"
)

// Equal objects share their worst pair, however they were constructed. Different ones do not.
func TestEqualObjectsShareWorstPair(t *testing.T) {
	const setup = "def same(a, b):\n    both, twice = compose([a, b]), compose(a, 2)\n    x, y = both.delta_at(0.1), twice.delta_at(0.1)\n" +
		"    return both.is_bound == twice.is_bound and abs(x.lo - y.lo) < 1e-8 and abs(x.hi - y.hi) < 1e-8\n"
	for _, c := range []struct {
		first, second string
		want          bool
	}{
		{`geometric(linear_query([1]), 0.1)`, `geometric(linear_query([1.0, "1"]), "1/10")`, true},
		{`staircase(linear_query([(0, 1), 3]), 0.1)`, `staircase(linear_query([-3, (-1, "1/2"), 3]), 0.1)`, true},
		{`staircase(linear_query([1]), 0.1)`, `staircase(linear_query([2, 1]), 0.1)`, false},
		{`staircase(linear_query([1]), 0.1)`, `staircase(linear_query([-1]), 0.1)`, true},
		{`staircase(linear_query([1, 2]), 0.1)`, `discretize(staircase(linear_query([2, 1]), 0.1))`, true},
		{`discrete_gaussian(linear_query([1]), 10)`, `discrete_gaussian(linear_query([1]), 10)`, true},
		{`purest(linear_query([1, 3]), ln(2))`, `purest(linear_query([3, 1]), ln("8/4"))`, true},
		{`delta_neighborhood(linear_query([1]), 0.1, 0.5)`, `delta_neighborhood(linear_query([1]), 0.1, "1/2")`, true},
		{`delta_neighborhood(linear_query([1]), 0.1, 0.5)`, `delta_neighborhood(linear_query([1]), 0.1, 0.25)`, false},
		{`purest(graphs(4).count("edge"), 0.1)`, `purest(graphs(4).count("edge"), 0.1)`, true},
		{`purest(histograms(types=2, records=3).counting([0]), 0.1)`, `purest(histograms(types=2, records=3).counting([0]), 0.1)`, true},
		{`purest(finite_query([1, 2, 4], [(0, 1), (1, 2)]), 0.1)`, `purest(finite_query([1.0, 2, 4], [(2, 1), (1, 0)], range=[1, 2, 4]), 0.1)`, true},
		{`mvg(l2_sensitivity(2, 3, 1, 4), 1, 1e-5)`, `mvg(l2_sensitivity(2, 3, 1, 4), 1, 1e-5)`, true},
		{`mvg(l2_sensitivity(2, 3, 1, 4), 1, 1e-5)`, `mvg(l2_sensitivity(2, 3, 2, 4), 1, 1e-5)`, false},
		{`mvg(box_sensitivity(2, 3, 1), 1, 1e-5)`, `mvg(box_sensitivity(2, 3, 1.0), 1, 1e-5)`, true},
		{`mvg(difference_sensitivity([[[1, 0]], [[0, 2]]]), 1, 1e-5, condition="tight")`, `mvg(difference_sensitivity([[[0, -2]], [[1, 0]]]), 1, 1e-5, condition="tight")`, true},
		{`mvg(difference_sensitivity([[[1, 0]], [[0, 2]]]), 1, 1e-5, condition="tight")`, `mvg(difference_sensitivity([[[0, 2]]]), 1, 1e-5, condition="tight")`, false},
		{`mvg(l2_sensitivity(2, 2, 1, 4), 1, 1e-5, directions=[[0.6, 0.8], [-0.8, 0.6]], theta=[0.25, 0.75])`, `mvg(l2_sensitivity(2, 2, 1, 4), 1, 1e-5, directions=[[0.6, 0.8], [-0.8, 0.6]], theta=[0.25, 0.75])`, true},
		{`mvg(l2_sensitivity(2, 2, 1, 4), 1, 1e-5, directions=[[0.6, 0.8], [-0.8, 0.6]], theta=[0.25, 0.75])`, `mvg(l2_sensitivity(2, 2, 1, 4), 1, 1e-5, theta=[0.25, 0.75])`, false},
		{`privacy(bernoulli([[-1, 0.5], [0.5, -1]], {}, 2))`, `privacy(bernoulli([[-1, 0.5], [0.5, -1]], {(0, 1): [[0, 0], [0, 0]]}, 2))`, true},
		{`privacy(bernoulli([[-1, 0.5], [0.5, -1]], {}, 2))`, `privacy(bernoulli([[-1, 0.5], [0.5, -1]], {(0, 1): [[0, 1], [1, 0]]}, 2))`, false},
		{`privacy(bernoulli_uniform(2, 1, -1, 0.25))`, `privacy(bernoulli([[-1]], {(0, 1): [[0.25]]}, 2))`, true},
		{`privacy(bernoulli_uniform(2, 1, -1, 0.25))`, `privacy(bernoulli_uniform(2, 1, -1, 0.5))`, false},
		{`privacy(bernoulli_uniform(2, 2, -1, 0.25), neighbors=[[[1, 0], [0, 0]]])`, `privacy(bernoulli_uniform(2, 2, -1, 0.25), neighbors=[matrix([[1, 0], [0, 0]])])`, true},
		{`privacy(optimal_xor(2, 1, ln(2)))`, `privacy(optimal_xor(2, 1, ln(2)))`, true},
		{`dp_rp(projection(8, 4), 1, 1e-5)`, `dp_rp(projection(8, 4, seed=0), 1, 1e-5)`, true},
		{`dp_rp(projection(8, 4), 1, 1e-5)`, `dp_rp(projection(8, 4, seed=1), 1, 1e-5)`, false},
		{`dp_signrp(projection(8, 4), 1)`, `dp_signrp(projection(8, 4), 1)`, true},
		{`privacy(dp_rp(projection(8, 4), 1, 1e-5), u=[0.5] * 8)`, `privacy(dp_rp(projection(8, 4), 1, 1e-5), u=[0.5] * 8)`, true},
		{`privacy(dp_rp(projection(8, 4), 1, 1e-5), u=[0.5] * 8)`, `privacy(dp_rp(projection(8, 4), 1, 1e-5), u=[0.25] * 8)`, false},
	} {
		got, err := run(t, setup, fmt.Sprintf("print(same(%s, %s))", c.first, c.second))
		if want := map[bool]string{true: "True", false: "False"}[c.want]; err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s and %s: %q, %v, want %s", c.first, c.second, got, err, want)
		}
	}
	q := "c = compose([geometric(linear_query([1]), 0.1), laplace(linear_query([1]), 0.1), discretize(laplace(linear_query([-1]), 0.1)), discrete_gaussian(linear_query([1]), 9)])\nprint(c.is_bound)"
	if got, err := run(t, q); err != nil || got != "False\n" {
		t.Errorf("noise on one query: %q, %v", got, err)
	}
}
