package repl_test

import (
	"strconv"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// A number that depends on the sensitivity says which one where none was given,
// and flips beyond a fair coin's say what to do.
func TestXORSaysWhatItMeans(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"print(xor_allocation(4, 3, 1, 0.5, 2).smallest_epsilon())", "[for sensitivity=1, neighbors that differ in one bit]"},
		{"print(xor_allocation(4, 3, 1, 0.5, 2).claimed_epsilon())", "[for sensitivity=1, neighbors that differ in one bit]"},
		{"print(optimize_alpha(20, 10, 1, 2))", "flips 0.503984 of the bits, more than a fair coin: complement=True takes 1 - B, and this law's flips 0.496016>"},
	} {
		if got, err := run(t, c.script); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s gives %q, %v, want %s", c.script, got, err, c.want)
		}
	}
	for _, script := range []string{
		"print(xor_allocation(4, 3, 1, 0.5, 2).smallest_epsilon(2), xor_allocation(4, 3, 1, 0.5, 2).claimed_epsilon(sensitivity=1), xor_allocation(4, 3, 1, 0.5, 2).smallest_epsilon(neighbors=\"row\"))",
		"print(optimize_alpha(20, 10, 1, 2, complement=True))",
	} {
		if got, err := run(t, script); err != nil || strings.Contains(got, "for sensitivity") || strings.Contains(got, "coin") {
			t.Errorf("%s gives %q, %v", script, got, err)
		}
	}
}

// Noise that flips more than half of the bits is warned of, in the record and once on standard error; the law of an
// answer is that of the noise asked for.
func TestNoiseOverHalfIsWarnedOf(t *testing.T) {
	const setup = "s = optimize_alpha(5, 3, 4, 2, privacy=\"exact\", complement=True)\nb, v = xor_allocation(5, 3, 4, 1, 2), [[0, 1, 1]] * 5\nsquare, g = xor_allocation(2, 2, 1, 1, 1), [[0, 1], [1, 0]]\n"
	for release, warned := range map[string]bool{
		`xor_release(v, s.law)`: false, `xor_release(v, s.law, complement=True)`: true, `xor_release(v, b, complement=True)`: false, `b.release(v)`: true,
		`xor_simulate(v, s.law)`: false, `xor_simulate(v, b)`: true, `xor_release(v, b, seed=1)`: true, `xor_graph(g, square)`: true, `xor_graph(g, square, complement=True)`: false,
		`xor_simulate_graph(g, square)`: true, `xor_graph(g, square, seed=3)`: true, `xor_simulate_graph(g, square, complement=True)`: false,
		`optimal_xor(2, 1, ln(2)).release([[1], [0]])`: false, `optimal_xor(2, 1, ln(2)).release([[1], [0]], complement=True)`: true,
		`xor_release([[1]], bernoulli_uniform(1, 1, 0, 0))`: false,
	} {
		var out, told strings.Builder
		s := repl.NewSession()
		s.Stdout, s.Stderr = &out, &told
		_, err := s.Exec(t.Context(), "<prompt>", setup+"for i in range(2):\n    r = "+release+"\nif type(r) == \"released\":\n    print(len(r.record[\"warnings\"]))")
		want := map[bool]int{true: 1}[warned]
		if text := out.String(); err != nil || strings.Count(told.String(), "flips more than half of the bits") != want || text != "" && strings.TrimSpace(text) != strconv.Itoa(want) {
			t.Errorf("%s: %v, warnings %s on standard error %q", release, err, text, told.String())
		}
	}
	if got, err := run(t, setup, "print(s.law.error_rate().hi == s.error_rate.hi, s.error_rate)"); err != nil || !strings.HasPrefix(got, "True 0.1192") {
		t.Errorf("the law of an answer: %q, %v", got, err)
	}
}
