package repl

import (
	"io"
	"strings"
	"testing"
)

// Sums, differences and multiples of draws compare as draws do, whatever stands beside
// them: a number as it is written, a name, another draw, in an expression or an assignment.
func TestSumsOfDrawsCompare(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, "third = ln(2)\n") // under which a draw is 0 with probability 1/3
	for _, body := range []string{
		"return noise.geometric(third) == 0", "return noise.geometric(third) + 3 == 3", "return 3 + noise.geometric(third) == 3", "return noise.geometric(third) - 3 == -3", "return 3 - noise.geometric(third) == 3",
		"return 2 * noise.geometric(third) == 0", "return noise.geometric(third) * 2.0 == 0", "return 2.0 * noise.geometric(third) == 0.0", "return not 1 + noise.geometric(third) != 1", "return 5 == 5 + noise.geometric(third)",
		"n = 0\n  n += noise.geometric(third)\n  return n == 0", "n = 0\n  n -= noise.geometric(third)\n  return n == 0", "n = noise.geometric(third)\n  n *= 2.0\n  return n == 0", "n = noise.geometric(third)\n  n += 1\n  return n == 1",
		"n = noise.geometric(third) + 1\n  m = n - 1\n  return m == 0", "n = 0\n  for i in range(2):\n    n = n + 1\n    n += noise.geometric(third) if i else 0\n  return n == 2",
		"n = noise.geometric(third)\n  return 1 + n >= 1 and 1 + n <= 1", "n = noise.geometric(third)\n  return not (n - 1 < -1 or n - 1 > -1)",
	} {
		v, err := s.Exec(t.Context(), "draws", "def run(x, noise):\n  "+body+"\nprogram([0, 1], run).law(0)[\"True\"]\n")
		if err != nil || !strings.HasSuffix(s.Show(v), "(exact: 1/3)") {
			t.Errorf("%s: %v, %v, want 1/3", body, v, err)
		}
	}
	for body, want := range map[string]string{
		"noise.geometric(third) - noise.geometric(third) == 0":        "5/27", // Σ (2^−|k|/3)²
		"noise.geometric(third) + noise.geometric(third) == 0":        "5/27",
		"noise.geometric(third) - noise.geometric(third) > 0":         "11/27",
		"1.0 + noise.geometric(third) < noise.geometric(third) + 1.0": "11/27",
	} {
		v, err := s.Exec(t.Context(), "draws", "program([0, 1], lambda x, noise: "+body+").law(0)[\"True\"]\n")
		if err != nil || !strings.HasSuffix(s.Show(v), "(exact: "+want+")") {
			t.Errorf("%s: %v, %v, want %s", body, v, err, want)
		}
	}
	for source, want := range map[string]string{`1/(1 + exp(symbol("eps"))) == 1/2`: "False", `exp(symbol("eps")) - 1 == 0`: "False"} {
		if v, err := s.Exec(t.Context(), "powers", source); err != nil || s.Show(v) != want {
			t.Errorf("%s: %v, %v, want %s", source, v, err, want)
		}
	}
}
