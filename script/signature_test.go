package script

import (
	"testing"

	"go.starlark.net/starlark"
)

// How many arguments a function takes is said from the fewest to the most, without the names that must be written.
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
