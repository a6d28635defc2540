package repl_test

import "testing"

// The names and conventions of universes, queries and finite mechanisms that
// scripts rely on, with values that can be checked by hand.
func TestFiniteContract(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"graphs", `u = graphs(4); print(u.size, u.diameter, u.edge_pairs, u.graph6(0), u.index("C~"), u.distance(0, 10), u.neighbors(0))`,
			"11 6 14 C? 10 6 [1]"},
		{"any labelling", `u = graphs(5); print([u.index(g) == u.index("DQc") for g in ["DQc", "DqK"]])`,
			"[True, False]"},
		{"dataset", `print(graphs(4).dataset(10), graphs(4).dataset(0))`,
			"[(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)] []"},
		{"count", `q = graphs(4).count("4-cycle"); print(q.size, q.values[-1], q.range, q.sensitivity.rational, q.local_sensitivity(10).value)`,
			"11 3 [0, 1, 3] 2 2.0"},
		{"worst", `w = purest(graphs(4).count("triangle"), ln(2)).worst(); h = histograms(types=3, records=3); v = purest(h.median([1, 2, 3]), ln(2)).worst()
print(w, type(w.x), graphs(4).index(w.x), h.index(v.x) in h.neighbors(h.index(v.y)), type(v.x), purest(finite_query([0, 1], edges=[(0, 1)]), 1).worst().x)`,
			"<datasets C] and C^: 0.916290731874156 (exact: ln(5/2))> string 8 True list 0"},
		{"histograms", `h = histograms(types=2, records=2); print(h.size, h.diameter, h.dataset(0), h.index([1, 1]), h.counting([1]).values, h.median([3, 7]).values)`,
			"6 4 [0, 0] 4 [0, 1, 2, 0, 1, 0] [3, 7, 7, 3, 3, 3]"},
		{"bounded", `h = histograms(types=2, records=3, neighbors="bounded"); print(h.size, h.diameter, h.linear([1, 2]).range, h.identity().range[0])`,
			"4 3 [3, 4, 5, 6] (0, 3)"},
		{"layers", `q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)]); m = purest(q, ln(2)); print(m.layers(0), m.layer(0, 5), m.distortion(0).rational, m.smallest_epsilon.rational, m.prob(1))`,
			"[[0], [1], [5]] 2 1 ln(16/7) {0: 0.25, 1: 0.5, 5: 0.25}"},
		{"unreached", `m = purest(finite_query([0, 1], edges=[]), 1); print(m.layer(0, 1), m.prob(0), m.smallest_epsilon.value)`,
			"None {0: 1.0} 0.0"},
		{"neighborhood", `q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)]); print([delta_neighborhood(q, 1, r).layers(0) for r in [1, [1, 0, 0], lambda x: 1 - x if x < 2 else 0]])`,
			"[[[0, 1], [], [5]], [[0, 1], [], [5]], [[0, 1], [], [5]]]"},
		{"names", `q = finite_query(["a", "b"], edges=[(0, 1)], value_metric="discrete"); print(purest(q, ln(3)).distortion(0).rational, q.range)`,
			`1/4 ["a", "b"]`},
		{"matrix metric", `q = finite_query(["a", "b"], edges=[(0, 1)], value_metric=[[0, 2.5], [2.5, 0]]); print(q.sensitivity.rational)`,
			"5/2"},
		{"distances", `q = finite_query([0, 1], distances=[[0, 2], [2, 0]]); m = purest(q, 1); print(m.layers(0), m.smallest_epsilon.value)`,
			"[[0], [], [1]] 0.0"},
		{"larger range", `q = finite_query([0, 1], edges=[(0, 1)], range=[0, 0.5, 1]); print(fmt(exponential(q, ln(81)).prob(0)[0.5] * 13, 12), q.range)`, // weights 1, 1/3, 1/9
			"3 [0, 0.5, 1]"},
		{"geometric", `q = finite_query([0, 1], edges=[(0, 1)]); print(geometric(q, ln(3)).distortion(0).rational, geometric(q, ln(3)).smallest_epsilon.rational)`,
			"1/4 ln(3)"},
		{"laplace", `q = finite_query([0, 1], edges=[(0, 1)]); print(laplace(q, ln(9)).distortion(0).rational)`, // e^{−ln(9)/2}/2
			"1/6"},
		{"general", `q = finite_query(["a", "a"], edges=[(0, 1)], range=["a", "b"], value_metric="discrete")
print([fmt(general(q, 1, [["a"], ["a"]], [{5: ["b"]}, {1: ["b"]}], rule=r).smallest_epsilon, 5) for r in ["printed", "closure"]])`,
			`["3.6935", "0.81367"]`},
		{"finite_mechanism", `q = finite_query([0, 1], distances=[[0, 2], [2, 0]])
m = finite_mechanism(q, [[0.99, "1/100"], ["1/100", 0.99]], eps=ln(2)); d = discretize(m)
print(m.claimed_epsilon, m.distortion(0).rational, m.smallest_epsilon.rational, d.layers(0), d.layer(0, 1) <= q.distance(0, 1))`,
			"0.693147180559946 (claimed) 1/100 ln(1) [[0], [], [], [], [], [], [1]] False"},
		{"finite_mechanism without a claim", `q = finite_query([0, 1], edges=[(0, 1)])
m = finite_mechanism(q, [["2/3", "1/3"], [0.25, 0.75]]); print(m.claimed_epsilon.rational, m.prob(1), compare(m, m).mean.value, len(m.sample(0, n=3)), m.delta(0).value)`,
			"ln(8/3) {0: 0.25, 1: 0.75} 1.0 3 0.4166666666666667"},
		{"what is claimed in print", `q = finite_query([0, 1], edges=[(0, 1)])
print(finite_mechanism(q, [["2/3", "1/3"], [0.25, 0.75]]), finite_mechanism(q, [["2/3", "1/3"], [0.25, 0.75]], eps=2), finite_mechanism(q, [[1, 0], [0, 1]]))`,
			"<finite mechanism on finite query, smallest ε 0.98083> <finite mechanism on finite query, claimed 2.0-DP> <finite mechanism on finite query, smallest ε inf>"},
		{"migrate", `m = purest(finite_query([0, 1, 5], edges=[(0, 1), (1, 2)]), 1); n = m.migrate(0, 5); print(n.layers(0), n.layers(1), m.layers(0))`,
			"[[0, 5], [1]] [[1], [0, 5]] [[0], [1], [5]]"},
		{"compare", `q = graphs(4).count("triangle"); c = compare(purest(q, 1), purest(q, 1)); print(len(c.ratios), c.better, c.mean, c.min, c.max)`,
			"11 0.0 1 (certified: in [0.99999999999999977, 1.0000000000000005]) 1 (certified: in [0.99999999999999988, 1.0000000000000003]) 1 (certified: in [0.99999999999999988, 1.0000000000000003])"},
		{"calibrate", `q = graphs(4).count("triangle"); m = calibrate(lambda e: purest(q, e), 1); print(m.smallest_epsilon.hi <= 1, m.smallest_epsilon.hi >= 1 - 1e-9)`,
			"True True"},
		{"calibrate uses", `m = calibrate(lambda e: laplace(linear_query([1]), e), 1, uses=16); print(m.smallest_epsilon.hi <= 1 / 16, m.smallest_epsilon.hi >= 1 / 16 - 1e-10)`,
			"True True"},
		{"calibrate many uses", `m = calibrate(lambda s: gaussian(1, s), 1, delta=1e-6, uses=16); s = gaussian_sigma(1, 1e-6, 4); print(m.sigma >= s, m.sigma <= s.hi * (1 + 1e-9))`,
			"True True"},
		{"calibrate a bound", `f = lambda s: compose([laplace(linear_query([1]), s), laplace(linear_query([2]), s)]); m = calibrate(f, 1, uses=2); print(m.is_bound, compose(m, 2).smallest_epsilon.hi <= 1, compose(m, 2).smallest_epsilon.hi > 1 - 1e-8)`,
			"True True True"},
		{"profile", `m = purest(finite_query([0, 1], edges=[(0, 1)]), ln(3)); print(m.delta(0).value, m.delta(ln(3)).value)`, // (3/4 − 1/4), 0
			"0.5 0.0"},
		{"expected", `m = purest(finite_query([0, 1, 1], edges=[(0, 1), (1, 2)]), ln(3)); print(m.expected_distortion(prior=[0.5, 0.5, 0]).rational, m.claimed_epsilon.kind)`,
			"1/4 claimed"},
		{"sample", `m = purest(graphs(4).count("edge"), 1); print(m.sample(3, n=8, seed=5) == m.sample(3, n=8, seed=5), len(m.sample(0)))`,
			"True 1"},
		{"claims", `v = claim("analytic.theorem2.distance").check(); print(v.verdict, v.corrected.verdict, "laws" in v.witness)`,
			"refuted confirmed True"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(t, c.source)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want+"\n" {
				t.Errorf("%s\nprints %swant   %s", c.source, got, c.want)
			}
		})
	}
}
