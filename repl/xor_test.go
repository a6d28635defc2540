package repl_test

import (
	"strconv"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// Noise that flips more than half of the bits gives a warning, in the record and once on standard error. The law of an
// answer follows the requested noise.
func TestWarningOnNoiseOverHalf(t *testing.T) {
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
