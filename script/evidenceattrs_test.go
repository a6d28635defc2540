package script_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"
)

// The table of names has a column of names, 16 to 30 characters wide, and one of types, 12 to 20. Each fits its
// longest entry.
func TestNameTableColumns(t *testing.T) {
	names := func(lines string) (out []string) {
		s := script.New(script.Vocabulary{})
		var text strings.Builder
		s.Stdout = &text
		if _, err := s.ExecScript(t.Context(), "a", lines+"who()\n"); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	}
	for name, width := range map[string]int{"a": 16, strings.Repeat("b", 16): 16, strings.Repeat("c", 17): 17, strings.Repeat("d", 29): 29, strings.Repeat("e", 30): 30, strings.Repeat("f", 40): 30} {
		for _, line := range names(name + " = 3\nz = 4\n") {
			written, rest, ok := strings.Cut(line, " ")
			if !ok || len(line)-len(strings.TrimLeft(rest, " ")) != max(width, len(written))+1 {
				t.Errorf("a name of %d characters: %q, want a column of %d", len(name), line, width)
			}
			if kind := strings.TrimLeft(rest, " "); !strings.HasPrefix(kind, "int          ") {
				t.Errorf("%q, want a type in a column of 12", line)
			}
		}
	}
}

// Evidence is written with its lower end as lo and its upper end as hi.
func TestRecordsHaveBothEnds(t *testing.T) {
	for _, n := range []evidence.Number{
		evidence.Certified{Lo: 1, Hi: 2, Provenance: evidence.From("s").By("m")}, evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up, Provenance: evidence.From("s").By("m")},
		evidence.Estimated{Value: 1.5, Lo: 1, Hi: 2, Confidence: .9, Draws: 10, Provenance: evidence.From("s")},
	} {
		text, err := script.EncodeJSON(script.Known(n), 0)
		if err != nil {
			t.Fatal(err)
		}
		var record struct{ Lo, Hi float64 }
		if err := json.Unmarshal([]byte(text), &record); err != nil || record.Lo != 1 || record.Hi != 2 {
			t.Errorf("%v is written %s, %v", n, text, err)
		}
	}
}

// If one list or tuple is a prefix of another, the longer one is larger.
func TestLongerListsAreLarger(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.Set("e", script.Known(evidence.Certified{Lo: 1, Hi: 1, Provenance: evidence.From("s").By("m")}))
	for source, want := range map[string]string{
		"[e] < [e, 2], [e, 2] < [e], [e, 2] > [e], [e] >= [e, 2], [] < [e]": "(True, False, True, False, True)",
		"(e,) < (e, 2), (e, 2) < (e,), () < (e,), (e, 0) <= (e,)":           "(True, False, True, False)",
	} {
		v, err := s.Exec(t.Context(), "a", source+"\n")
		if err != nil || v.String() != want {
			t.Errorf("%s: %v, %v, want %s", source, v, err, want)
		}
	}
}
