package repl_test

import (
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

func TestInspect(t *testing.T) {
	s := repl.NewSession()
	if _, err := s.Exec(t.Context(), "a", "e = ln(3)\nx = [1, 2]\ndef f(a, b=2):\n  'Adds.'\n  return a + b"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ before, after, want string }{
		{"pur", "est(q", "purest(q, decay)"},
		{"purest", "", "purest(q, decay)"},
		{"1 + purest(", "", "purest(q, decay)"},
		{"purest(q, decay=", "1)", "purest(q, decay)"},
		{"f(", "", "f(a, b=2)\n    Adds."},
		{"e", "", "e = 1.09861228866811 (exact)\nevidence"},
		{"e.k", "ind", "evidence.kind"},
		{"x", "", "x = [1, 2]\nA value of type list."},
		{"é = e.lo", "", "evidence.lo"},
		{"nonsense", "", ""},
		{"", "", ""},
		{"'purest", "'", "purest"},
	} {
		got, ok := s.Inspect(c.before+c.after, len(c.before))
		if ok != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("Inspect(%q|%q) = %q, %v, want %q", c.before, c.after, got, ok, c.want)
		}
	}
}

func TestMagic(t *testing.T) {
	for source, want := range map[string]script.Magic{
		"ln?\n":        {Source: `help("ln")`},
		"?m.layers":    {Source: `help("m.layers")`},
		"%time 1 + 1":  {Source: "1 + 1\n", Keep: "1 + 1\n", Timed: true},
		"%timeit f(2)": {Source: "timeit(lambda: (f(2)))"},
		"%time":        {Problem: "%time is not known here: there are %time and %timeit, name? and help()"},
	} {
		if got, ok := script.ParseMagic(source); !ok || got != want {
			t.Errorf("ParseMagic(%q) = %+v, %v, want %+v", source, got, ok, want)
		}
	}
	for _, source := range []string{"1 + 1", "x = 5 % 2", "# why?", ""} {
		if _, ok := script.ParseMagic(source); ok {
			t.Errorf("%q is taken for magic", source)
		}
	}
}
