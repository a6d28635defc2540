package script_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/script"

	"github.com/clipperhouse/displaywidth"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// nested returns a random collection of numbers, strings and collections.
func nested(rng *rand.Rand, depth int) starlark.Value {
	var items []starlark.Value
	for range rng.IntN(12) {
		switch k := rng.IntN(8); {
		case k < 2 && depth > 0:
			items = append(items, nested(rng, depth-1))
		case k < 4:
			items = append(items, starlark.String(strings.Repeat("né, [", rng.IntN(4))))
		default:
			items = append(items, starlark.Float(rng.NormFloat64()))
		}
	}
	switch rng.IntN(3) {
	case 0:
		return starlark.NewList(items)
	case 1:
		return starlark.Tuple(items)
	}
	d := starlark.NewDict(len(items))
	for i, v := range items {
		_ = d.SetKey(starlark.String(fmt.Sprintf("key %d", i)), v)
	}
	return d
}

// printed returns what print writes for a value.
func printed(t *testing.T, s *script.Session, v starlark.Value) (string, error) {
	var out strings.Builder
	s.Stdout = &out
	s.Set("v", v)
	_, err := s.Exec(t.Context(), "a", "print(v)\n")
	return strings.TrimSuffix(out.String(), "\n"), err
}

// The printed text evaluates to the same value. A line is wider than the terminal only if a single element does not
// fit.
func TestFoldedValuesAreTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := script.New(script.Vocabulary{})
	s.Folds = true
	broken := 0
	for range 2000 {
		v := nested(rng, 3)
		s.Terminal.Width = 30 + rng.IntN(80)
		text, err := printed(t, s, v)
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		back, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "text", text, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if same, err := starlark.Equal(v, back); err != nil || !same {
			t.Fatalf("%v is written\n%s", v, text)
		}
		lines := strings.Split(text, "\n")
		if len(lines) > 1 {
			broken++
		}
		for _, line := range lines {
			if wide := displaywidth.String(line); wide > s.Terminal.Width && strings.Count(strings.TrimSpace(line), ", ") > 4*strings.Count(line, `"`) {
				t.Fatalf("%d columns of %d: %s", wide, s.Terminal.Width, line)
			}
		}
		if plain, _ := script.QuotedOf(v, nil); displaywidth.String(plain) <= s.Terminal.Width && text != plain {
			t.Fatalf("%s is written\n%s", plain, text)
		}
	}
	if broken < 500 {
		t.Errorf("%d values were broken", broken)
	}
}

func TestFoldedByHand(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.Terminal.Width = 24
	for source, want := range map[string]string{
		`list(range(12))`:                          "[0, 1, 2, 3, 4, 5, 6, 7,\n 8, 9, 10, 11]",
		`{"a": [100, 200, 300, 400, 500], "b": 1}`: "{\"a\": [100, 200, 300,\n       400, 500],\n \"b\": 1}",
		`("a" * 30,)`:                              `("` + strings.Repeat("a", 30) + `",)`,
		`[1]`:                                      "[1]",
		`matrix([[1.5, 2000, -3], [4, 5, 6]])`:     "<matrix 2 x 3>\n   1.5  2000  -3\n     4     5   6",
		`matrix([[k / 7 for k in range(7)]])`:      "<matrix 1 x 7>\n columns 0 to 2\n   0  0.14286  0.28571\n columns 3 to 4\n   0.42857  0.57143\n columns 5 to 6\n   0.71429  0.85714",
		`matrix([["age", "a name beyond measure"], [41, 0.5]])`: "<matrix 1 x 2>\n   age  a name beyond m…\n    41               0.5",
		`matrix([[k] for k in range(10)])`:                      "<matrix 10 x 1>\n   0\n   1\n   2\n   3\n   4\n   5\n   6\n   7\n   …",
		`set([100000 + k for k in range(4)])`:                   "set([100000, 100001,\n     100002, 100003])",
	} {
		v, err := s.Exec(t.Context(), "x", source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := s.Show(v); got != want {
			t.Errorf("%s is shown\n%s\nwant\n%s", source, got, want)
		}
	}
	s.Terminal.Width = 0
	v, _ := s.Exec(t.Context(), "x", "list(range(100))")
	if got := s.Show(v); strings.Contains(got, "\n") {
		t.Errorf("without a terminal lines break: %s", got)
	}
}

// A list that contains itself is printed finitely. print folds lines at the prompt, but not in a script.
func TestPrintFoldsAtThePrompt(t *testing.T) {
	s := script.New(script.Vocabulary{})
	var out strings.Builder
	s.Stdout, s.Terminal.Width, s.Folds = &out, 40, true
	if _, err := s.Exec(t.Context(), "x", "x = [1] * 30\nx.append(x)\nprint(x)\nprint(list(range(300)))"); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "[...]") || strings.Contains(got, "elements") || !strings.Contains(got, ",\n 299]") && !strings.Contains(got, ", 299]") {
		t.Errorf("print prints %s", got)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 41 {
			t.Errorf("a line of %d: %s", len(line), line)
		}
	}
	out.Reset()
	s.Folds = false
	if _, err := s.Exec(t.Context(), "x", "print(list(range(300)))"); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("a script prints %d lines, want one (%v)", strings.Count(out.String(), "\n"), err)
	}
}

// After a key wider than the terminal nothing is folded, since every line would be indented by the key's width.
func TestFoldBehindWideKey(t *testing.T) {
	list := starlark.NewList(nil)
	for i := range 50 {
		if err := list.Append(starlark.MakeInt(1000 + i)); err != nil {
			t.Fatal(err)
		}
	}
	for key, lines := range map[string]int{"k": 6, strings.Repeat("k", 100): 1} {
		d := starlark.NewDict(1)
		if err := d.SetKey(starlark.String(key), list); err != nil {
			t.Fatal(err)
		}
		s := script.New(script.Vocabulary{})
		s.Folds, s.Terminal.Width = true, 60
		text, err := printed(t, s, d)
		if got := strings.Count(text, "\n") + 1; err != nil || got != lines || len(text) > 400+len(key)+8*lines {
			t.Errorf("key of %d letters: %d lines of %d bytes, %v", len(key), got, len(text), err)
		}
		if strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(d.String()), " ") {
			t.Errorf("%s is not the dict's text", text)
		}
	}
}
