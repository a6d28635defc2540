package script_test

import (
	"fmt"
	"strings"
	"testing"

	"dpworkbench/script"
)

// taking returns a session with a built-in f that takes some parameters.
func taking(parameters string) *script.Session {
	run := func(*script.Call) (any, error) { return "ran", nil }
	return withBuiltins(nil, script.Func("f("+parameters+") -> string", "Is called.", "", run))
}

// An error gives the smallest and largest number of positional arguments, without the keyword-only ones. It lists the
// keyword-only parameters if one of them may have been meant.
func TestArity(t *testing.T) {
	for parameters, want := range map[string]string{
		"": "no arguments", "a: value": "1 argument", "a: value, b: value": "2 arguments", "a: value, b: value, d: value": "3 arguments",
		"b: value=None": "0 to 1 arguments", "a: value, b: value=None": "1 to 2 arguments", "a: value, b: value=None, d: value=None": "1 to 3 arguments", "a: value, d: value, b: value=None": "2 to 3 arguments",
		"a: value, *, c: value=None": "1 argument without a name", "a: value, d: value, *, c: value=None": "2 arguments without a name", "a: value, b: value=None, *, c: value=None": "1 to 2 arguments without a name",
	} {
		got := shownBy(taking(parameters), "f(1, 2, 3, 4)")
		if !strings.HasPrefix(got, "error: f takes "+want+", got 4 arguments") {
			t.Errorf("f(%s) gives %s, want %s", parameters, got, want)
		}
	}
	for parameters, want := range map[string]string{
		"a: value": "error: f takes 1 argument, got 2 arguments; it is f(a)", "a: value, *, c: value=None": "error: f takes 1 argument without a name, got 2 arguments: the first is a, and c=… must be given by its name; it is f(a, *, c=None)",
	} {
		if got := shownBy(taking(parameters), "f(None, None)"); got != want {
			t.Errorf("f(%s) gives %s, want %s", parameters, got, want)
		}
	}
}

// If an argument is given by position and by name, the error names the position. This also holds before a "*name".
func TestDuplicateArgumentErrors(t *testing.T) {
	var many []string
	for n := range 111 {
		many = append(many, fmt.Sprintf("p%d: value", n+1))
	}
	s := taking(strings.Join(many, ", "))
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd", 111: "111th"} {
		if got := shownBy(s, fmt.Sprintf("f(p%d=None, *range(%[1]d))", n)); !strings.HasPrefix(got, fmt.Sprintf("error: f got two values for p%d: the %s positional argument, %d, took its place", n, want, n-1)) {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	s = taking("a: value, b: value=None, *rest: value, c: value=None")
	for source, want := range map[string]string{
		`f("x", 7, True, a=None)`: `error: f got two values for a: the 1st positional argument, "x", took its place`, `f("x", 7, True, b=None)`: "error: f got two values for b: the 2nd positional argument, 7, took its place",
		`f("x", 7, True, c=None)`: `"ran"`, `f(a=None, **{"a": None})`: "error: f got two values for a;",
	} {
		if got := shownBy(s, source); !strings.HasPrefix(got, want) {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
}
