package script

import (
	"errors"
	"strings"
	"testing"
)

// A message of the language that quotes a long key is a line that can be read.
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
