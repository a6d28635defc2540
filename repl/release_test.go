package repl_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dpworkbench/repl"

	"go.starlark.net/starlark"
)

// Every type with the method sample also has simulate and, with two exceptions, release.
func TestDrawingObjectsHaveSimulateAndRelease(t *testing.T) {
	docs, kinds := repl.NewSession().Manual(), 0
	for name := range docs {
		kind, ok := strings.CutSuffix(name, ".sample")
		if !ok {
			continue
		}
		kinds++
		for _, word := range []string{".simulate", ".release"} {
			if docs[kind+word] == nil && (word != ".release" || kind != "bernoulli" && kind != "release") {
				t.Errorf("%s has sample and no %s", kind, word[1:])
			}
		}
	}
	if kinds < 9 {
		t.Errorf("%d kinds of objects draw, want at least 9", kinds)
	}
}

// The privacy in a release's record matches the mechanism's, computed another way.
func TestReleaseRecordsMatchMechanism(t *testing.T) {
	const line = "lq = linear_query([(0, 1), (10, 11)])\npoints = linear_query([1, 3])\nk = {}\n"
	for _, c := range []struct{ setup, release, holds string }{
		{"q = graphs(4).count(\"triangle\")\nm = purest(q, ln(2))", "m.release(10)", "k[\"epsilon\"] == m.epsilon_at(0) and k[\"delta\"] == 0 and k[\"epsilon\"] <= k[\"parameters\"][\"claimed_epsilon\"]"},
		{"q = graphs(4).count(\"triangle\")\nm = optimal(q, ln(2), delta=\"1/100\")", "m.release(3)", "k[\"epsilon\"] == ln(2) and k[\"delta\"] == m.delta_at(ln(2)) and k[\"delta\"] <= 0.01"},
		{line, "laplace(lq, \"1/2\").release(0)", "k[\"epsilon\"] == 0.5 and k[\"delta\"] == 0 and k[\"grid\"] == \"1/268435456\""},
		{line, "geometric(points, ln(3)).release(0)", "k[\"epsilon\"] == ln(3) and k[\"grid\"] == None"},
		{line, "staircase(lq, ln(9)).release(0, n=3)", "k[\"epsilon\"] == ln(9) and k[\"draws\"] == 3 and len(k[\"warnings\"]) == 1"},
		{line, "discrete_laplace(points, 1).release(0, grid=50)", "k[\"epsilon\"] == 1 and k[\"grid\"] == \"50\" and \"coarser\" in k[\"warnings\"][0]"},
		{line, "discrete_gaussian(points, 12).release(0)", "k[\"epsilon\"] == float(\"inf\") and k[\"delta\"] == 0 and k[\"zcdp\"] == 0.03125 and k[\"parameters\"][\"sigma\"] == 12"},
		{line, "gaussian(lq, 2002).release(0)", "k[\"epsilon\"] == float(\"inf\") and k[\"delta\"] == 0 and abs(k[\"zcdp\"].hi - 11 * 11 / 2 / 2002 / 2002) < 1e-18 and k[\"grid\"] == \"1/4194304\""},
		{line, "gaussian(3, eps=1, delta=1e-5).release(0)", "k[\"epsilon\"].hi <= 1 and k[\"epsilon\"].lo > 1 - 1e-12 and k[\"delta\"] == 1e-5 and k[\"parameters\"][\"sigma\"] == gaussian_sigma(1, 1e-5, 3).hi"},
		{line, "purest(lq, 2).release(0)", "k[\"epsilon\"] == 2"},
		{"", "knorm([(1, 0), (0, 1)], ln(5)).release((0, 0))", "k[\"epsilon\"] == ln(5) and k[\"parameters\"][\"dimension\"] == 2"},
		{"d = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-5, condition=\"tight\")", "d.release([[0, 0, 0], [0, 0, 0]])", "k[\"epsilon\"].hi <= 1 + 1e-9 and k[\"epsilon\"].hi > 0.99 and k[\"delta\"] == 1e-5"},
		{"d = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-5)", "d.release([[0, 0, 0], [0, 0, 0]])", "k[\"epsilon\"].hi == d.epsilon_at(1e-5).hi and k[\"epsilon\"] < 1"},
		{"", "r1smg(4, 1, 1e-5).release([[0, 0], [0, 0]])", "k[\"epsilon\"] == None and \"refuted\" in k[\"warnings\"][0]"},
		{"", "laplace_release([[0, 1]], 4, 3)", "k[\"epsilon\"].rational == \"3/4\" and k[\"delta\"] == 0"},
		{"r = dp_signrp(projection(20, 4), 2)", "r.release([0.5] * 20)", "k[\"epsilon\"].hi == r.public_epsilon.hi and k[\"delta\"] == 0"},
		{"r = raw_gaussian(20, 1, 1e-6)", "r.release([0.5] * 20)", "k[\"epsilon\"].hi <= 1 + 1e-9 and k[\"epsilon\"].hi > 0.99 and k[\"delta\"] == 1e-6"},
		{"r = idp_signrp(projection(20, 4), 2)", "r.release([0.5] * 20)", "k[\"epsilon\"] == r.public_epsilon and \"not differential privacy\" in k[\"warnings\"][0]"},
		{"b = xor_allocation(2, 3, 1, 0.3, 1)", "xor_release([[1, 0, 1], [0, 0, 1]], b, sensitivity=2)", "k[\"epsilon\"].hi == b.smallest_epsilon(2).hi and k[\"parameters\"][\"sensitivity\"] == 2 and \"2 bits\" in k[\"neighbors\"]"},
		{"b = xor_allocation(3, 3, 1, 0.7, 2)", "xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b)", "k[\"epsilon\"].hi == b.smallest_epsilon(neighbors=\"edge\").hi"},
		{"b = optimal_xor(2, 2, ln(3))", "b.release([[1, 0], [0, 0]])", "k[\"epsilon\"] == ln(3)"},
	} {
		s := repl.NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		v, err := s.Exec(t.Context(), "record", c.setup+"\nr_ = "+c.release+"\nk = r_.record\n("+c.holds+")")
		if err != nil || s.Show(v) != "True" {
			k, _ := s.Exec(t.Context(), "record", "k")
			t.Errorf("%s: %s is %v, %v\n%s", c.release, c.holds, s.Show(v), err, s.Show(k))
		}
		if v, err := s.Exec(t.Context(), "record", `k["version"] != "" and k["mechanism"] != "" and k["neighbors"] != "" and type(k["parameters"]) == "dict" and len(k["parameters"]) > 0`); err != nil || s.Show(v) != "True" {
			t.Errorf("%s: the record is incomplete, %v", c.release, err)
		}
		s.Close()
	}
}

// A seeded release prints one notice on standard error that it is a simulation. It returns the plain value, the same
// each time, and source="seed" means seed 0. A real release prints nothing.
func TestSeededReleasesAreLabelled(t *testing.T) {
	const setup = `lq = linear_query([(0, 1), (10, 11)])
q = graphs(4).count("triangle")
k1 = knorm([(1, 0), (0, 1)], ln(5))
d = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-5)
b = xor_allocation(2, 3, 1, 0.3, 1)
e = xor_allocation(3, 3, 1, 0.7, 2)
x, z, a = [[1, 0, 1], [0, 0, 1]], [[0, 0, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
`
	for _, c := range []struct {
		call  string
		named bool // has the older parameter source
	}{
		{"purest(q, ln(2)).release(10%s)", false}, {"laplace(lq, 1).release(0%s)", false}, {"k1.release((0, 0)%s)", false}, {"d.release(z%s)", false},
		{"r1smg(4, 1, 1e-5).release([[0, 0], [0, 0]]%s)", false}, {"laplace_release([[0, 1]], 4, 3%s)", false},
		{"dp_signrp(projection(20, 4), 2).release([0.5] * 20%s)", false}, {"raw_gaussian(20, 1, 1e-6).release([0.5] * 20%s)", false},
		{"b.release(x%s)", false}, {"optimal_xor(2, 3, ln(3)).release(x%s)", false},
		{"xor_release(x, b%s)", true}, {"xor_graph(a, e%s)", true},
	} {
		s := repl.NewSession()
		var said strings.Builder
		s.Stdout, s.Stderr = io.Discard, &said
		exec1(t, s, setup)
		give := func(with string) (shown, told string) {
			said.Reset()
			v := exec1(t, s, fmt.Sprintf(c.call, with))
			kept := slices.DeleteFunc(strings.SplitAfter(said.String(), "\n"), func(line string) bool { return strings.HasPrefix(line, "warning: noise ") })
			return v.Type() + " " + s.Show(v), strings.Join(kept, "")
		}
		const notice = "release: simulated from a seed, which is not private\n"
		zero, told := give(", seed=0")
		if again, _ := give(", seed=0"); told != notice || again != zero || strings.HasPrefix(zero, "released") {
			t.Errorf("%s with a seed is %s, then %s, and prints %q", c.call, zero, again, told)
		}
		if v, told := give(""); told != "" || !strings.HasPrefix(v, "released") {
			t.Errorf("%s is %s and prints %q", c.call, v, told)
		}
		if c.named {
			if v, told := give(`, source="seed"`); v != zero || told != notice {
				t.Errorf("%s with source=\"seed\" is %s and prints %q, and with seed=0 it is %s", c.call, v, told, zero)
			}
			if v, told := give(`, source="crypto"`); told != "" || !strings.HasPrefix(v, "released") {
				t.Errorf("%s with source=\"crypto\" is %s and prints %q", c.call, v, told)
			}
		}
		s.Close()
	}
}

// The release of a matrix keeps its column names.
func TestReleasesKeepNames(t *testing.T) {
	s := repl.NewSession()
	exec1(t, s, `x = matrix([[0, 1, 0], [0, 0, 1]], names=["a", "b", "c"])
d = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-3, theta=[0.8, 0.2])
r = r1smg(6, 1, 1e-5)
b = xor_allocation(2, 3, 40, 1, 1)
g = matrix([[0, 1], [1, 0]], names=["u", "v"])
e = xor_allocation(2, 2, 1, 0.7, 2)
bare = [[0, 1, 0], [0, 0, 1]]`)
	for _, source := range []string{
		"d.sample(%s)", "d.simulate(%s)", "d.release(%s).value", "d.release(%s, seed=1)", "r.sample(%s)", "r.simulate(%s)", "r.release(%s).value", "laplace_noise(%s, 2)",
		"laplace_release(%s, 2, 1).value", "laplace_release(%s, 2, 1, seed=1)", "xor_release(%s, b).value", "xor_release(%s, b, seed=1)", "xor_simulate(%s, b)", "b.release(%s).value",
		"optimal_xor(2, 3, ln(3)).release(%s).value",
	} {
		if v := exec1(t, s, fmt.Sprintf(source, "x")+".names == x.names"); v != starlark.True {
			t.Errorf("%s drops the names", source)
		}
		if v := exec1(t, s, fmt.Sprintf(source, "bare")+".names == None"); v != starlark.True {
			t.Errorf("%s invents names", source)
		}
	}
	for _, source := range []string{"xor_graph(g, e).value", "xor_graph(g, e, seed=1)", "xor_simulate_graph(g, e)"} {
		if v := exec1(t, s, source+".names == g.names"); v != starlark.True {
			t.Errorf("%s drops the names", source)
		}
	}
}
