package repl_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

func TestOptimumScripts(t *testing.T) {
	out, err := run(t, `
q = graphs(4).count("triangle")
m = optimal(q, 1)
print(m.optimum.kind, round(m.optimum.value, 6), m.optimum.hi - m.optimum.lo < 1e-6 * m.optimum.hi)
print(m.smallest_epsilon.hi <= 1, abs(sum(m.prob(3).values()) - 1) < 1e-12)
print(round(optimal(q, 1, objective="worst").optimum.value, 6))
print(optimal(q, ln(3)).optimum.rational, optimal(q, ln(3), exact=False).optimum.kind)
p = purest(q, 0.5)
better = optimal(q, 1, objective="pareto", than=p)
print(better.optimum.hi < sum(p.distortions()), compare(better, p).max <= 1)
print(round(compare(p, m).ratio_to_optimum.value, 4) == round(p.expected_distortion() / optimal(q, p.smallest_epsilon.hi).optimum, 4))
t = tight(finite_query([0, 1, 2], edges=[(0, 1), (1, 2)]), ln(3))
print(t.constants, t.smallest_epsilon)
print(optimal_xor(2, 2, ln(3), neighbors="row").mean_flips.rational)
print(hasattr(p, "optimum"), hasattr(m, "optimum"))
for d in ["1/100", 0.01]:
    b = optimal(q, ln(3), delta=d)
    print(b, b.optimum.rational, b.delta_at(ln(3)).rational, b.claimed_epsilon, b.certificate["delta"])
b = optimal(q, 1, objective="worst", delta=0.01)
print(b, round(b.optimum.value, 9), b.delta_at(1).hi <= 0.01)
print(optimal(q, 1, delta=0), optimal(q, 1, delta=0).optimum == m.optimum)
`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `certified 0.48058 True
True True
0.924189
18545/42768 certified
True True
True
[0.75, 0.5, 0.75] 1.09861228866811 (exact: ln(3))
4/3
False True
<optimal(ln(3), delta=1/100) on triangle count on 4 nodes, claimed (1.09862, 1/100)-DP> 24899/59400 1/100 inf (claimed) 1/100
<optimal(ln(3), delta=1/100) on triangle count on 4 nodes, claimed (1.09862, 1/100)-DP> 24899/59400 1/100 inf (claimed) 1/100
<optimal(1, "worst", delta=1/100) on triangle count on 4 nodes, claimed (1.0, 1/100)-DP> 0.910395196 True
<optimal(1) on triangle count on 4 nodes, claimed 1.0-DP> True
`
	if out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

func TestOptimumErrors(t *testing.T) {
	const setup = "q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])\nstar = finite_query([0, 1, 2, 3, 4, 5], edges=[(0, i) for i in range(1, 6)])\n"
	for source, want := range map[string]string{
		"optimal(q, 1, prior=[0.5, 0.5])":                              "optimal: prior has 2 entries, want 3, one per dataset",
		"optimal(q, 1, prior=[1.5, -0.5, 0])":                          "optimal: prior[1] = -0.5, want a probability",
		"optimal(q, 1, prior=[0.5, 0.5, 0.5])":                         "optimal: prior sums to 1.5, want 1",
		"optimal(q, 1, objective=\"best\")":                            `want "mean", "worst" or "pareto"`,
		"optimal(q, 1, objective=\"pareto\")":                          "and only there",
		"optimal(q, 1e-13)":                                            "was not reached",
		"optimal(q, 0.5, objective=\"pareto\", than=optimal(q, 1))":    "infeasible",
		"optimal(q, 1, exact=True)":                                    "want the logarithm of a rational number",
		"optimal(q, 1, delta=1)":                                       "optimal: delta = 1, want 0 <= delta < 1",
		"optimal(q, 1, delta=-0.1)":                                    "optimal: delta = -0.1, want 0 <= delta < 1",
		"optimal(q, 1, delta=\"3/2\")":                                 "want 0 <= delta < 1",
		"optimal(q, 1, delta=float(\"nan\"))":                          "delta = nan, want 0 <= delta < 1",
		"optimal(q, 1, delta=None)":                                    "delta = None, want 0 <= delta < 1, a number",
		"optimal(q, 1, None, \"mean\", None, None, None, 0.1)":         "takes 2 to 7 arguments without a name, got 8 arguments",
		"discretize(optimal(q, 1, delta=0.1))":                         "want a positive finite number",
		"tight(star, ln(2))":                                           "negative at 1 datasets: 0 (-0.6667)",
		"optimal_xor(4, 3, 1)":                                         "want 1 to 10 bits",
		"optimal_xor(2, 3, 1, neighbors=\"edge\")":                     "want n = p",
		"compare(purest(q, 1), purest(q, 2)).ratio_to_optimum + \"x\"": "unknown binary op",
		"tight(finite_query([0, 1, 2, 3, 4], edges=[(a, 2 + b) for a in range(2) for b in range(3)]), ln(2) / 2)": "singular",
	} {
		_, err := run(t, setup+source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// An interruption in the middle says how far the solve got; a time limit returns
// the mechanism found by then.
func TestOptimumInterrupted(t *testing.T) {
	s := repl.NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	if _, err := s.Exec(t.Context(), "a", "q = graphs(6).count(\"3-star\")\nlarge = graphs(7).count(\"triangle\")"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.OnProgress = func(script.Progress) { cancel() }
	_, err := s.Exec(ctx, "b", "while True: optimal(large, 1)") // never ends by itself
	var script *script.ScriptError
	if !errors.As(err, &script) || !script.Interrupted ||
		!regexp.MustCompile(`^interrupted( before the first step| after \d+ steps?: the optimum lies in \[.+, .+\]| \(a built-in is still winding down\))?$`).MatchString(script.Msg) {
		t.Fatalf("got %v, want an interruption", err)
	}
	for _, seconds := range []string{"1e-9", "0.1"} { // whatever is found by then is sound
		v, err := s.Exec(t.Context(), "c", "m = optimal(q, 1, seconds="+seconds+")\n(m.optimum.lo <= 3.48736, m.optimum.hi >= 3.48735, m.smallest_epsilon.hi <= 1)")
		if err != nil || v.String() != "(True, True, True)" {
			t.Errorf("with a limit of %s s: %v, %v", seconds, v, err)
		}
	}
}
