package script_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var errWeigh = errors.New("the scales are broken")

// weights have an algebra that knows integers, fails for floats and strings, and leaves other types to the other
// operand.
var weights = &script.Class[int8]{Name: "weight", Help: "A weight.", Example: "weight_of(2)", Algebra: &script.Algebra[int8]{
	Binary: func(op syntax.Token, v int8, y starlark.Value, right bool) (int8, bool, error) {
		switch y := y.(type) {
		case starlark.String:
			return 0, false, errWeigh
		case starlark.Int:
			n, _ := y.Int64()
			return v + int8(n), op == syntax.PLUS, nil
		}
		return 0, false, nil
	},
	Compare: func(op syntax.Token, v int8, y starlark.Value, right bool) (is, ok bool, err error) {
		switch y := y.(type) {
		case starlark.Float, starlark.String:
			return false, false, errWeigh
		case starlark.Int:
			is, err := starlark.Compare(op, starlark.MakeInt(int(v)), y)
			if right {
				is, err = starlark.Compare(op, y, starlark.MakeInt(int(v)))
			}
			return is, true, err
		}
		return false, false, nil
	},
}}

// weighing returns a session with weights.
func weighing() *script.Session {
	return withBuiltins([]script.Type{weights},
		script.Func("weight_of(n: int[0..100]) -> weight", "Makes a weight.", "weight_of(2)", func(c *script.Call) (any, error) { return int8(c.Int("n")), nil }),
	)
}

// An error of an algebra is an error of the operator or comparison, on either side. Operations that it knows return a
// result, and unknown ones are left to the other operand.
func TestAlgebraErrors(t *testing.T) {
	s := weighing()
	for source, want := range map[string]string{
		`w + 1`: "<weight>", `1 + w`: "<weight>", `w < 3`: "True", `3 < w`: "False", `w == 2`: "True", `2 != w`: "False", `[w] == [2]`: "True", `w in [1, 2]`: "True",
		`w + "a"`: "broken", `"a" + w`: "broken", `w < 1.5`: "broken", `1.5 < w`: "broken", `w == 1.5`: "broken", `1.5 != w`: "broken", `[w] == ["a"]`: "broken", `["a"] == [w]`: "broken",
		`w in [1, 1.5]`: "broken", `(lambda a, b: a >= b)(w, 1.5)`: "broken", `(lambda a, b: a >= b)(1.5, w)`: "broken",
		`w == w`: "True", `w != w`: "False", `w < weight_of(3)`: "not implemented", `w == None`: "False", `w + None`: "unknown binary op",
	} {
		v, err := s.Exec(t.Context(), "a", "w = weight_of(2)\n"+source)
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) && !(want == "<weight>" && err == nil) {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
	w := s.Get("w").(*script.Object)
	other := weights.Of(&script.Call{Session: s}, 2)
	for name, ask := range map[string]func() (bool, error){
		"same type": func() (bool, error) { return w.CompareSameType(syntax.LT, starlark.String("a"), 1) },
	} {
		if is, err := ask(); is || !errors.Is(err, errWeigh) {
			t.Errorf("%s: %t, %v", name, is, err)
		}
	}
	for op, want := range map[syntax.Token]bool{syntax.EQL: false, syntax.NEQ: true} {
		if is, err := w.CompareSameType(op, other, 1); is != want || err != nil {
			t.Errorf("%s with another: %t, %v", op, is, err)
		}
		if is, err := w.CompareSameType(op, w, 1); is == want || err != nil {
			t.Errorf("%s with itself: %t, %v", op, is, err)
		}
	}
	if is, err := w.CompareSameType(syntax.LT, other, 1); is || err == nil {
		t.Errorf("%t, %v", is, err)
	}
	if v, err := w.Binary(syntax.PLUS, starlark.String("a"), starlark.Left); !errors.Is(err, errWeigh) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := w.Hash(); err == nil || !strings.Contains(err.Error(), "unhashable type: weight") {
		t.Errorf("a weight is hashable: %v", err)
	}
}

// An invalid range in a declaration is a fault of the vocabulary.
func TestRangesOfDeclarations(t *testing.T) {
	for _, c := range []struct {
		name, bounds string
		ok           bool
	}{
		{"int", "1..3", true}, {"int", "..3", true}, {"int", "1..", true}, {"number", "0.5..1e3", true},
		{"int", "a..3", false}, {"int", "1..b", false}, {"int", "0.5..3", false}, {"number", "a..1", false}, {"number", "0..b", false}, {"number", "..1", false}, {"text", "1..3", false},
	} {
		s := taking("x: " + c.name + "[" + c.bounds + "]")
		faults := s.Vet()
		if refused := slices.ContainsFunc(faults, func(fault string) bool { return strings.HasPrefix(fault, "f: parameter x script: ") }); refused == c.ok {
			t.Errorf("%s[%s] has the faults %q", c.name, c.bounds, faults)
		}
	}
}

// timeit and timed return the error of a failing function at once and print no time.
func TestTimingFailsWithTheFunction(t *testing.T) {
	for at := 1; at <= 6; at++ {
		for _, took := range []time.Duration{time.Millisecond, time.Second} {
			synctest.Test(t, func(t *testing.T) {
				s := script.New(script.Vocabulary{})
				var told bytes.Buffer
				s.Stderr = &told
				calls := 0
				s.Set("f", starlark.NewBuiltin("f", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
					time.Sleep(took)
					if calls++; calls == at {
						return nil, errWeigh
					}
					return starlark.None, nil
				}))
				if v, err := s.Exec(t.Context(), "a", "timeit(f, seconds=60)"); err == nil || !strings.Contains(err.Error(), errWeigh.Error()) || calls != at {
					t.Errorf("failing at call %d of %v: %v, %v after %d calls", at, took, v, err, calls)
				}
				calls = at - 1
				if v, err := s.Exec(t.Context(), "a", `timed("f", f)`); err == nil || !strings.Contains(err.Error(), errWeigh.Error()) || told.Len() > 0 {
					t.Errorf("%v, %v, printed %q", v, err, told.String())
				}
			})
		}
	}
}

// brokenPipe is an output without a reader.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errWeigh }

// Unprintable values, numbers beyond float64 or with too many digits, and changes of frozen lists are errors.
func TestRefusedAnswers(t *testing.T) {
	s := withBuiltins(nil,
		script.Func("beyond() -> number", "Is beyond.", "beyond()", func(*script.Call) (any, error) { return evidence.Claimed{Value: math.NaN()}, nil }),
	)
	s.Set("long", starlark.MakeBigInt(new(big.Int).Lsh(big.NewInt(1), 4_000_000)))
	s.Stdout = brokenPipe{}
	for source, want := range map[string]string{
		"show(1)": errWeigh.Error(), "help()": errWeigh.Error(), `apropos("number")`: errWeigh.Error(),
		"beyond()": "too large or too small for float64", "fmt(long)": "digits",
	} {
		if v, err := s.Exec(t.Context(), "a", source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %.40s, %v, want %s", source, fmt.Sprint(v), err, want)
		}
	}
	list := starlark.NewList(nil)
	list.Freeze()
	s.Set("list", list)
	for _, items := range []string{"(None,)", "range(1 << 13)"} { // the session extends by the long one itself
		if _, err := s.Exec(t.Context(), "a", "list += "+items); err == nil || !strings.Contains(err.Error(), "frozen list") || list.Len() > 0 {
			t.Errorf("a frozen list grows: %v", err)
		}
	}
}

// The error of a failing script gives the reason and its position in a call or value.
func TestErrorsNamePosition(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.Stdout = io.Discard
	s.Set("near", script.Known(evidence.Certified{Lo: 0.1, Hi: 0.3, Provenance: evidence.From("b").By("a")}))
	s.Set("far", script.Known(evidence.Certified{Lo: 0.2, Hi: 0.4, Provenance: evidence.From("b").By("a")}))
	if _, err := s.Exec(t.Context(), "a", `
deep = []
for i in range(40): deep = [deep]
other = []
for i in range(40): other = [other]
long = int("9" * 300000)
long = long * long * long * long
tuples = [()]
def nest():
    while True: tuples[0] = (tuples[0],)
`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(t.Context(), "a", "nest()"); err == nil || !strings.Contains(err.Error(), "a tuple is nested more than 10000 deep") {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"zip(tuples)":                           "a tuple is nested more than 10000 deep",
		"zip([1], tuples)":                      "a tuple is nested more than 10000 deep",
		"enumerate(tuples)":                     "a tuple is nested more than 10000 deep",
		"{1: tuples[0]}.items()":                "a tuple is nested more than 10000 deep",
		"sorted([1, 2], key=lambda x: fail(x))": "fail: 1",
		"print(1, long)":                        "an int of 1200000 digits, want at most 1000000 to write it",
		"str([1, long])":                        "an int of 1200000 digits, want at most 1000000 to write it",
		"json.encode([1, long])":                "an int of 1200000 digits, want at most 1000000 to write it",
		"fail('a', sep=1)":                      "for parameter \"sep\": got int, want string",
		"fail(1, long)":                         "an int of 1200000 digits",
		"deep == other":                         "exceeded maximum recursion depth",
		"deep in [other]":                       "exceeded maximum recursion depth",
		"{1: deep} == {1: other}":               "exceeded maximum recursion depth",
		"min([near], [far])":                    "is not decided",
		"max([[near], [far]])":                  "is not decided",
		"int('1' * 300001)":                     "x has 300001 digits, want at most 300000",
		"json.decode('[' + '1' * 300001 + ']')": "text has a number of more than 300000 digits",
		"json.decode('[' * 10001)":              "text is nested more than 10000 deep",
		"json.encode({(1, b'x'): 2})":           "a key of type bytes cannot be written as JSON",
		"matrix([[1]]) < matrix([[2]])":         "matrices have no order",
		"matrix([['inf', 1], [1, 1]]).svd()":    "finite",
		"matrix([[1]]) + []":                    "the matrix is empty",
		"matrix([[1, 2]]) * [[1]]":              "1 x 1",
		"range(0, 10, 1 << 62)[::4]":            "the step of a slice of a range overflows",
		"1" + strings.Repeat("+1", 10001):       "an expression, or a chain of elifs, is nested more than 10000 deep",
		"x = " + strings.Repeat("7", 300001):    "a number of more than 300000 digits",
	} {
		_, err := s.Exec(t.Context(), "b", source+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gives %.300v, want %q", source, err, want)
		}
	}
}

// Evidence is also compared correctly where Starlark itself compares values.
func TestStarlarkComparesEvidence(t *testing.T) {
	low, high := script.Known(evidence.FromRat(big.NewRat(1, 3))), script.Known(evidence.FromRat(big.NewRat(1, 2)))
	for op, want := range map[syntax.Token]bool{syntax.LT: true, syntax.LE: true, syntax.GT: false, syntax.GE: false, syntax.EQL: false, syntax.NEQ: true} {
		if got, err := starlark.Compare(op, low, high); err != nil || got != want {
			t.Errorf("1/3 %v 1/2 is %t, %v", op, got, err)
		}
		if got, err := script.Compare(op, low, high); err != nil || got != want {
			t.Errorf("1/3 %v 1/2 is %t, %v", op, got, err)
		}
	}
	near, far := script.Known(evidence.Certified{Lo: 0.1, Hi: 0.3, Provenance: evidence.From("b").By("a")}), script.Known(evidence.Certified{Lo: 0.2, Hi: 0.4, Provenance: evidence.From("b").By("a")})
	if _, err := starlark.Compare(syntax.LT, near, far); !errors.Is(err, evidence.ErrUndecided) {
		t.Error(err)
	}
}

// Files that cannot be written are errors, and leave no files.
func TestFileErrors(t *testing.T) {
	s := script.New(script.Vocabulary{})
	home := t.TempDir()
	if err := s.Confine([]string{home}, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.ConfinedStorage(filepath.Join(home, strings.Repeat("x", 250))); err == nil || !strings.Contains(err.Error(), "-journal") {
		t.Errorf("a name that is too long gives %v", err)
	}
	if err := s.Write(filepath.Join(home, strings.Repeat("x", 255)), nil); err == nil {
		t.Error("writing to a name that is too long gave no error")
	}
	if err := os.Mkdir(filepath.Join(home, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(filepath.Join(home, "folder"), []byte("x")); err == nil {
		t.Error("writing to a folder gave no error")
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("the folder contains %v, %v", left, err)
	}
	if runtime.GOOS == "linux" {
		gone := t.TempDir()
		t.Chdir(gone)
		if err := os.Remove(gone); err != nil {
			t.Fatal(err)
		}
		if err := script.New(script.Vocabulary{}).Confine([]string{"a"}, nil); err == nil {
			t.Error("confining to a missing folder gave no error")
		}
	}
}

// A Python class has the words of its type, each capitalized.
func TestPythonClasses(t *testing.T) {
	for name, want := range map[string]string{"mvg design": "MvgDesign", "shelf": "Shelf", "a_b  c": "ABC", "xorLaw": "XorLaw", "éclair": "Éclair"} {
		if got := script.PythonClass(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// The time of a call is that of the fastest round.
func TestFastestRounds(t *testing.T) {
	for _, seconds := range [][]int{{1, 3, 2, 4}, {3, 1, 2, 4}, {4, 3, 2, 1}, {5, 5}} {
		synctest.Test(t, func(t *testing.T) { // time passes at once
			s := script.New(script.Vocabulary{})
			calls := 0
			s.Set("wait", starlark.NewBuiltin("wait", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				time.Sleep(time.Duration(seconds[calls]) * time.Second)
				calls++
				return starlark.None, nil
			}))
			sum := 0
			for _, took := range seconds {
				sum += took
			}
			v, err := s.Exec(t.Context(), "a", fmt.Sprintf("timeit(wait, seconds=%d)", sum))
			if err != nil || v != starlark.Float(slices.Min(seconds)) || calls != len(seconds) {
				t.Errorf("rounds of %v s: %v, %v after %d calls", seconds, v, err, calls)
			}
		})
	}
}

// A vocabulary with a result type unknown in Python has no Python interface, and the error names the function.
func TestPythonFaceNeedsKnownTypes(t *testing.T) {
	s := withBuiltins(nil, script.Func("odd() -> nothing known", "Gives what nobody knows.", "", nil))
	_, _, err := s.PythonFace(script.Python{})
	if err == nil || !strings.Contains(err.Error(), "odd returns nothing known") {
		t.Error(err)
	}
}

// A chunk run inside another sees its names. Parse keeps comments if requested.
func TestChunksInside(t *testing.T) {
	s := script.New(script.Vocabulary{})
	v, err := s.Run(t.Context(), "a", func(thread *starlark.Thread) (starlark.Value, error) {
		if _, err := s.Chunk(thread, "a", "x = 3\n"); err != nil {
			return nil, err
		}
		return s.RunInside("b", func(inner *starlark.Thread) (starlark.Value, error) {
			return s.Chunk(inner, "b", "x + 1\n")
		})
	})
	if err != nil || v != starlark.Value(starlark.MakeInt(4)) {
		t.Error(v, err)
	}
	f, err := script.Parse("a", "# why\nx = 1\n")
	if err != nil || len(f.Stmts) != 1 || f.Stmts[0].Comments() == nil || f.Stmts[0].Comments().Before[0].Text != "# why" {
		t.Error(err)
	}
	if _, err := script.Parse("a", "x = \n"); err == nil {
		t.Error("parsing half a statement gave no error")
	}
	text, err := script.DescribeJSON(starlark.NewBuiltin("f", nil), 0)
	if err != nil || !strings.Contains(text, `"type":"builtin`) {
		t.Error(text, err)
	}
}

// pictured is a value that is a table.
type pictured struct{}

func (pictured) Shown() display.Figure {
	t, _ := display.NewTable(display.TableSpec{Header: []string{"a"}})
	return t
}

// If OnShow is set, print passes on a single table and returns the error of OnShow.
func TestPrintPassesTablesToOnShow(t *testing.T) {
	s := script.New(script.Vocabulary{})
	var out strings.Builder
	s.Stdout = &out
	gone, shown := errors.New("nobody looks"), 0
	s.OnShow = func(starlark.Value) error { shown++; return gone }
	s.Set("p", (&script.Class[pictured]{Name: "picture"}).Of(&script.Call{Session: s}, pictured{}))
	if _, err := s.Exec(t.Context(), "a", "print(p)\n"); err == nil || !strings.Contains(err.Error(), gone.Error()) || shown != 1 {
		t.Errorf("%v, shown %d times", err, shown)
	}
	if _, err := s.Exec(t.Context(), "a", "print(1, p)\n"); err != nil || shown != 1 || !strings.HasPrefix(out.String(), "1 ") {
		t.Errorf("%v, shown %d times, %q", err, shown, out.String())
	}
}
