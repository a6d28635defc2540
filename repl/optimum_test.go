package repl_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// An interrupt during the solve reports how far it got. With a time limit the best mechanism found by then is
// returned.
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
		!regexp.MustCompile(`^interrupted (before the first step|after \d+ steps?): the optimum lies in \[.+, .+\]( \(a built-in is still winding down\))?$`).MatchString(script.Msg) {
		t.Fatalf("got %v, want an interruption", err)
	}
	for _, seconds := range []string{"1e-9", "0.1"} { // any mechanism found by then is valid
		v, err := s.Exec(t.Context(), "c", "m = optimal(q, 1, seconds="+seconds+")\n(m.optimum.lo <= 3.48736, m.optimum.hi >= 3.48735, m.smallest_epsilon.hi <= 1)")
		if err != nil || v.String() != "(True, True, True)" {
			t.Errorf("with a limit of %s s: %v, %v", seconds, v, err)
		}
	}
}
