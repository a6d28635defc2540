package script

import (
	"fmt"
	"testing"

	"go.starlark.net/starlark"
)

// An error gives the smallest and largest number of positional arguments, without the keyword-only ones.
func TestArity(t *testing.T) {
	needed, spare := param{name: "a"}, param{name: "b", fallback: starlark.None}
	named := param{name: "c", fallback: starlark.None, named: true}
	for _, c := range []struct {
		sig  signature
		want string
	}{
		{nil, "no arguments"}, {signature{needed}, "1 argument"}, {signature{needed, needed}, "2 arguments"}, {signature{needed, needed, needed}, "3 arguments"},
		{signature{spare}, "0 to 1 arguments"}, {signature{needed, spare}, "1 to 2 arguments"}, {signature{needed, spare, spare}, "1 to 3 arguments"}, {signature{needed, needed, spare}, "2 to 3 arguments"},
		{signature{needed, named}, "1 argument without a name"}, {signature{needed, needed, named}, "2 arguments without a name"}, {signature{needed, spare, named}, "1 to 2 arguments without a name"},
	} {
		if got := c.sig.arity(); got != c.want {
			t.Errorf("%+v takes %s, want %s", c.sig, got, c.want)
		}
	}
}

// If an argument is given by position and by name, the error names the position. This also holds before a "*name".
func TestDuplicateArgumentErrors(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd", 111: "111th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	sig := signature{{name: "a"}, {name: "b", fallback: starlark.None}, {name: "rest", rest: true}, {name: "c", fallback: starlark.None}}
	args := starlark.Tuple{starlark.String("x"), starlark.MakeInt(7), starlark.True}
	for name, want := range map[string]string{
		"a": `got two values for a: the 1st positional argument, "x", took its place`, "b": "got two values for b: the 2nd positional argument, 7, took its place", "c": "",
	} {
		_, _, err := sig.bind(args, []starlark.Tuple{{starlark.String(name), starlark.None}})
		if text := fmt.Sprint(err); text != want && !(err == nil && want == "") {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	twice := []starlark.Tuple{{starlark.String("a"), starlark.None}, {starlark.String("a"), starlark.None}}
	if _, _, err := sig.bind(nil, twice); err == nil || err.Error() != "got two values for a" {
		t.Error(err)
	}
}
