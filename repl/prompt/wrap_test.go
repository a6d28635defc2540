package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/repl/prompt"
)

// Lines are broken at blanks. Scripts are broken only inside brackets.
func TestWrap(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a short line", "a short line"},
		{"one two three four five six", "one two three four\n  five six"},
		{"a\n  label: one two three four", "a\n  label: one two\n    three four"},
		{"averyveryverylongwordthatgoeson and on", "averyveryverylongwordthatgoeson\n  and on"},
		{"‖x‖ ≤ ‖y‖ ≤ ‖z‖ ≤ ‖w‖ ≤ 1", "‖x‖ ≤ ‖y‖ ≤ ‖z‖ ≤\n  ‖w‖ ≤ 1"},
		{"  replay: x = [1, 2, 3]; print(\"a b c\", x, (1, 2), 3)", "  replay: x = [1, 2,\n    3]; print(\"a b c\",\n    x, (1, 2), 3)"},
	} {
		_, out := run(t, fmt.Sprintf("fail(%q)\n", "\n"+c.in), display.Caps{Width: 20}, prompt.Options{})
		if _, got, _ := strings.Cut(unmarked(out), "error: fail: \n"); got != c.want+"\n" {
			t.Errorf("the error %q is shown as %q, want %q", c.in, got, c.want)
		}
	}
}

// Long errors and verdicts are wrapped at the terminal's width between words.
func TestLongAnswersWrap(t *testing.T) {
	for _, in := range []string{
		`mvg(s=1, eps=2, delta=3, theta=4, direction=5)`,
		`finite_query([1, 2, 3], edges=[(0, 1)], distances=[[0, 1, 2], [1, 0, 1], [2, 1, 0]], value_metric="absolute difference")`,
		`claim("analytic.corollary2").check()`,
		`claim("analytic.corollary2")`,
	} {
		for line := range strings.SplitSeq(drive(t, in), "\n") {
			if len([]rune(line)) > 80 && strings.Contains(strings.TrimSpace(line)[60:], " ") {
				t.Errorf("%s\n shows a line of %d columns: %s", in, len([]rune(line)), line)
			}
		}
	}
}
