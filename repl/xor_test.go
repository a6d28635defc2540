package repl_test

import (
	"strings"
	"testing"
)

// A number that depends on the sensitivity says which one where none was given,
// and flips beyond a fair coin's say what to do.
func TestXORSaysWhatItMeans(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"print(xor_allocation(4, 3, 1, 0.5, 2).smallest_epsilon())", "[for sensitivity=1, neighbors that differ in one bit]"},
		{"print(xor_allocation(4, 3, 1, 0.5, 2).claimed_epsilon())", "[for sensitivity=1, neighbors that differ in one bit]"},
		{"print(xor_blocks(4, 3, 1, 0.5, 2, 2, 2).smallest_epsilon())", "[for sensitivity=1, neighbors that differ in one bit]"},
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
