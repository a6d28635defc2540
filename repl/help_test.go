package repl

import (
	"strings"
	"testing"

	"dpworkbench/script"
)

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two.": "One",
		"A mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a query. More.": "A mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a query",
		"Upper end: no smaller.": "Upper end",
		"Alone.":                 "Alone",
	} {
		if got := script.FirstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}

// A long name or type widens who's columns.
func TestWhoKeepsColumns(t *testing.T) {
	var out strings.Builder
	s := NewSession()
	s.Stdout = &out
	if _, err := s.Exec(t.Context(), "a", "x = 1\na_name_of_many_letters = staircase(linear_query([1]), 1)\nwho()"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || strings.Index(lines[0], "line_mechanism") != strings.Index(lines[1], "int") || strings.Index(lines[0], "<") != strings.LastIndex(lines[1], "1") {
		t.Errorf("who prints\n%s", out.String())
	}
}
