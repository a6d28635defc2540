package script

import (
	"errors"
	"strings"
	"testing"
)

// A message of the language that quotes a long key is one readable line.
func TestLongKeys(t *testing.T) {
	s := New(Vocabulary{})
	for _, source := range []string{`{}["epsilon" * 1000]`, `{}[("a", "b" * 5000)]`, `{}[("a",) * 5000]`} {
		_, err := s.Exec(t.Context(), "test", source)
		var failed *ScriptError
		if !errors.As(err, &failed) || len(failed.Msg) > 700 || !strings.HasPrefix(failed.Msg, "key ") || !strings.HasSuffix(failed.Msg, " not in dict") {
			t.Errorf("%s: %.900v", source, err)
		}
	}
}

// A line of up to 200 bytes is shown in full. For a longer one the excerpt surrounds the column.
func TestExcerpts(t *testing.T) {
	for n := range 500 {
		line := "  " + strings.Repeat("a", n)
		for _, column := range []int{0, 1, 150, n} {
			got := excerpt(line, column)
			if whole := len(line) <= 200; whole && got != strings.TrimSpace(line) || !whole && (!strings.Contains(got, "…") || len(got) > 200+2*len("…")) {
				t.Errorf("line of %d bytes, column %d: %q", len(line), column, got)
			}
			if column >= 1 && column <= n {
				at := []byte(line)
				if at[column-1] = 'X'; !strings.Contains(excerpt(string(at), column), "X") {
					t.Errorf("line of %d bytes: column %d is not shown: %q", len(line), column, excerpt(string(at), column))
				}
			}
		}
	}
}
