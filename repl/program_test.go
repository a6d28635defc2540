package repl_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"dpworkbench/repl"
)

// A program defined at the prompt freezes only the values that its function reaches.
func TestProgramFreezesReachableValues(t *testing.T) {
	s := repl.NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	for i, entry := range []struct{ source, want string }{
		{"kept, other = [], []", ""},
		{"def run(x, noise):\n    return len(kept) + noise.integer(2)", ""},
		{"m = program([0, 1], run)", ""},
		{"other.append(m)", ""},
		{"kept.append(m)", "frozen list"},
	} {
		_, err := s.Exec(t.Context(), fmt.Sprintf("<prompt %d>", i), entry.source)
		if entry.want == "" && err != nil || entry.want != "" && (err == nil || !strings.Contains(err.Error(), entry.want)) {
			t.Errorf("%s: %v, want %q", entry.source, err, entry.want)
		}
	}
}
