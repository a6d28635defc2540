package scriptfmt

import (
	"testing"

	"dpworkbench/script"
)

// sameTree detects changes to a script's meaning and ignores its layout.
func TestSameTree(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"x = (1 + 2)", "x=1+2", true},
		{"x = 'a'", "x = \"a\"", true},
		{"x = (1 + 2) * 3", "x = 1 + 2 * 3", false},
		{"x = 1", "x = 2", false},
		{"x = 1", "x = 1.0", false},
		{"f(a=1)", "f(a==1)", false},
		{"x += 1", "x -= 1", false},
		{"for i in x: pass", "while x: pass", false},
		{"for i in x: break", "for i in x: continue", false},
	} {
		a, err := script.Parse("a", c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := script.Parse("b", c.b)
		if err != nil {
			t.Fatal(err)
		}
		if sameTree(a, b) != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.want)
		}
	}
}
