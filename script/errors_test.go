package script_test

import (
	"errors"
	"strings"
	"testing"

	"dpworkbench/script"
)

// A message of the language that quotes a long key is one readable line.
func TestLongKeys(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for _, source := range []string{`{}["epsilon" * 1000]`, `{}[("a", "b" * 5000)]`, `{}[("a",) * 5000]`} {
		_, err := s.Exec(t.Context(), "test", source)
		var failed *script.ScriptError
		if !errors.As(err, &failed) || len(failed.Msg) > 700 || !strings.HasPrefix(failed.Msg, "key ") || !strings.HasSuffix(failed.Msg, " not in dict") {
			t.Errorf("%s: %.900v", source, err)
		}
	}
}

// A line of up to 200 bytes is shown in full. For a longer one the excerpt surrounds the column.
func TestExcerpts(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for n := range 60 {
		for _, before := range []int{0, min(n, 1), n / 2, n} {
			list := strings.Repeat("10000, ", before) + "1//0" + strings.Repeat(", 20000", n-before)
			line := "  x = [" + list + "]"
			_, err := s.Exec(t.Context(), "a", "if True:\n"+line+"\n")
			var failed *script.ScriptError
			if !errors.As(err, &failed) || len(failed.Frames) == 0 {
				t.Fatalf("%s: %v", line, err)
			}
			got := failed.Frames[len(failed.Frames)-1].Source
			if whole := len(line) <= 200; whole && got != strings.TrimSpace(line) || !whole && (!strings.Contains(got, "…") || len(got) > 200+2*len("…")) || !strings.Contains(got, "1//0") {
				t.Errorf("line of %d bytes, column of element %d: %q", len(line), before, got)
			}
		}
	}
}
