package repl_test

import (
	"strings"
	"testing"
)

// What scripts are told about mechanisms on the line: numbers beyond float64's range,
// ends of layers, curves where e^{−decay} is no float64.
func TestLineScripts(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`d = purest(linear_query([(0, 1)]), 1).density(1e10)
print(d.lo == 0 and d.hi > 0, d.kind)`, "True certified"},
		{`print([staircase(linear_query([1]), 1).density(r).hi for r in [1e30, 1e300, 18446744073709551616]])`, "[5e-324, 5e-324, 5e-324]"},
		{`print(staircase(linear_query([1]), ln(9)).density(18446744073709551616).kind)`, "certified"},
		{`k = knorm([(1, 0), (0, 1)], 1)
print(k.layer((9223372036854775808, 0)), k.layer(("1e40", 0)) == int("1" + 40 * "0"))`, "9223372036854775808 True"},
		{`print(discretize(laplace(linear_query([1]), ln(3))).density(1).rational)`, "1/9"},
		{`print(purest(linear_query([(11, 17)]), 101).curve([101]), linear_query([(11, 17)]).distortions([0, 1], [800, 1e300]))`, "[14.0] [[14.0, 0.5], [14.0, 0.5]]"},
		{`q = linear_query([(0, 1), (10, 11)])
print([d > 0 for r, d in q.best_radius([101, 800, 1e-16], 10, steps=20)])`, "[True, True, True]"},
		{`x, q = purest(linear_query([(11, 17)]), 1e-16), linear_query([(11, 17)])
print(abs(x.curve([1e-16])[0] / x.distortion() - 1) < 1e-15)`, "True"},
		{`print(knorm([(1e80, 0), (0, 1)], 1).distortion().lo > 9.9e79)`, "True"},
		{`t = discretize(laplace(linear_query([1]), 1e-300)).theorem1()
print(t.utility, t.after.value > 9e299)`, "confirmed True"},
		{`print([m.distortion().value > 0.99 / e for e in [1e-150, 1e-80, 1e-16] for m in [f(linear_query([1]), e) for f in [staircase, laplace, geometric, purest]]])`, "[True, True, True, True, True, True, True, True, True, True, True, True]"},
		{`print("by proof" in staircase(linear_query([1]), ln(9)).smallest_epsilon.source, "by proof" in purest(linear_query([(0, 1)]), ln(9)).smallest_epsilon.source)`, "True True"},
		{`s = ["1/3", "1e-30", "0.1234567890123456789012345"]
print(linear_query(s).sensitivity.rational, linear_query([123456789012345678901234567891]).sensitivity.rational, linear_query([0.1]).sensitivity.rational)`,
			"1/3 123456789012345678901234567891 1/10"},
		{`q = linear_query([1])
print(linear_query([q.sensitivity]).sensitivity.rational)`, "1"},
		{`m = laplace(linear_query([1]), 1)
print(m.sample(70000, seed=3)[:65536] == m.sample(65536, seed=3), len(m.sample(140000)), m.sample(0))`, "True 140000 []"},
	} {
		got, err := run(t, c.script)
		if err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n gives %q, %v\n want  %q", c.script, got, err, c.want)
		}
	}
}

func TestLineErrors(t *testing.T) {
	for source, want := range map[string]string{
		"linear_query([gaussian_sigma(1, 1e-5)])":                                      "intervals[0] = 3.73063163481595 (certified), want",
		"linear_query([(0, ln(3))])":                                                   "intervals[0][1] = 1.09861228866811 (exact), want",
		"knorm([(gaussian_sigma(1, 1e-5), 0), (0, 1)], 1)":                             "columns[0][0] = 3.73063163481595 (certified), want",
		"staircase(linear_query([1]), 1, gamma=staircase(linear_query([1]), 1).gamma)": "gamma = 0.377540668798145 (certified), want",
		"linear_query([1]).distortions([gaussian_sigma(1, 1e-5)], [1])":                "radii[0] = 3.73063163481595 (certified), want",
		"knorm([1, (1, 0)], 1)":                                                        "columns = [1, (1, 0)], want all pairs or all numbers",
		"staircase(linear_query([1]), 701)":                                            "eps = 701, want at most 700",
		"laplace(linear_query([1e300]), 1e-300).sample()":                              "are outside the range of float64: rescale the query or raise eps",
		"purest(linear_query([1e300]), 1e-300).sample()":                               "are outside the range of float64: rescale the query or raise decay",
		"knorm([1, 2, -7], 1).density((1, 5))":                                         "r = (1, 5), want a number: this noise is one-dimensional",
		`ridge_rmse([[0]], [0], [[3]], [3], penalty=float("inf"))`:                     "penalty = +inf, want a positive finite number",
		`ridge_rmse([[0]], [0], [[3]], [3], penalty=0)`:                                "penalty = 0, want a positive finite number",
		`general(finite_query(["a", "b"], edges=[(0, 1)], value_metric="discrete"), 1, [["a"], ["a"]], [{1048576: ["b"]}, {1048576: ["b"]}]).layers(0)`: "dataset 0 has 1048577 layers, want at most 1048576 for a list: layer(x, r) returns one value's layer",
		"knorm([(1e80, 0), (0, 1)], 1).lattice_gap()": "want at most 2^31",
	} {
		if _, err := run(t, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s fails with %v, want %q", source, err, want)
		}
	}
}
