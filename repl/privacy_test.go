package repl_test

import (
	"fmt"
	"strings"
	"testing"
)

// What is equal shares its worst pair, however it was made; what differs does not.
func TestEqualThingsAreComposedAsOne(t *testing.T) {
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

// A composition says whether its uses are fixed in advance or adaptive, in its text, sources and report; where it
// says either, both are the same.
func TestWhatCompositionsAssume(t *testing.T) {
	setup := `m, g = purest(graphs(4).count("triangle"), ln(2)), gaussian(1, 2)
h = geometric(histograms(2, 3).counting([0]), ln(2))
`
	for source, want := range map[string]string{
		"privacy(m)": "", "compose(m, 1)": "", "subsample(g, '1/10')": "", "compose(m, 3)": "fixed in advance", "compose([m, g])": "fixed in advance",
		"compose(m, 3).adaptive": "adaptive", "compose(compose(m, 3).adaptive, 2)": "adaptive",
		"compose(compose(m, 3), 1)": "fixed in advance", "compose(m, 3, width=1e-3)": "fixed in advance", "compose(g, 3)": "fixed in advance or adaptive",
		"compose([known(1), gaussian(1, 3)])": "fixed in advance or adaptive", "compose(subsample(g, '1/10'), 3)": "fixed in advance or adaptive",
		"compose(subsample(compose(h, 2), '1/10'), 2)": "fixed in advance", "compose(subsample(compose(g, 2), '1/10'), 2)": "fixed in advance or adaptive",
	} {
		got, err := run(t, setup+"p = "+source+"\nprint(p)\nprint(p.renyi(2).source)")
		parts := strings.SplitN(got, "\n", 2)
		if err != nil || len(parts) < 2 {
			t.Fatalf("%s: %q, %v", source, got, err)
		}
		for i, part := range parts {
			said := strings.Contains(part, "fixed in advance") || strings.Contains(part, "adaptive")
			if want == "" && said || !strings.Contains(part, want) || want == "adaptive" && strings.Contains(part, "fixed") || want == "fixed in advance" && strings.Contains(part, "or adaptive") {
				t.Errorf("%s, part %d: %q, want %q", source, i, part, want)
			}
		}
	}
	if got, err := run(t, setup+"print(compose(m, 2).report(format='text'))"); err != nil || !strings.Contains(got, "The uses are fixed in advance.") {
		t.Errorf("the report says %q, %v", got, err)
	}
	got, err := run(t, setup+"print([compose(g, 3).delta_at(1), compose(known(1), 3).epsilon_at(1e-3)], [compose(g, 3).adaptive.delta_at(1), compose(known(1), 3).adaptive.epsilon_at(1e-3)])")
	if first, second, _ := strings.Cut(strings.TrimSpace(got), "] ["); err != nil || strings.TrimPrefix(first, "[") != strings.TrimSuffix(second, "]") {
		t.Errorf("one pair: %q, %v", got, err)
	}
}
