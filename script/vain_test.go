package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a script asks in vain is an error that says why, wherever in a call or a value the reason lies.
func TestAskedInVain(t *testing.T) {
	s := New(Vocabulary{})
	s.Stdout = io.Discard
	s.Set("near", &Evidence{number: evidence.Certified{Lo: 0.1, Hi: 0.3, Provenance: evidence.From("b").By("a")}})
	s.Set("far", &Evidence{number: evidence.Certified{Lo: 0.2, Hi: 0.4, Provenance: evidence.From("b").By("a")}})
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
		"range(0, 10, 1 << 62)[::4]":            "a slice of a range with so long a step is no range",
		"1" + strings.Repeat("+1", 10001):       "an expression, or a chain of elifs, is nested more than 10000 deep",
		"x = " + strings.Repeat("7", 300001):    "a number of more than 300000 digits",
	} {
		_, err := s.Exec(t.Context(), "b", source+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gives %.300v, want %q", source, err, want)
		}
	}
}

// Texts are counted while they are written.
func TestRoomThatIsAskedOnTheWay(t *testing.T) {
	s := filled(t)
	if _, err := s.Exec(t.Context(), "a", "words = ['\\1' * 100] * 5000\nwide = [1] * (1 << 20)\nm = matrix([[1.0] * 512] * 512)\nrows = [[1.0] * 512] * 512\n"); err != nil {
		t.Fatal(err)
	}
	for source, what := range map[string]string{
		"json.encode(words)": "the text of x", "json.encode(wide)": "the text of a value",
		"identity(512)": "the matrix", "m + m": "a matrix of 512 x 512", "m * rows": "a matrix of 512 x 512", "m.svd()": "",
	} {
		_, err := s.Exec(t.Context(), "b", "full(); "+source+"\n")
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if !errors.As(err, &room) || !strings.HasPrefix(room.What, what) {
			t.Errorf("%s: %.200v, want memory for %s", source, err, what)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(&memory.Error{What: "the computation", Limit: 7})
	if _, err := s.Exec(ended, "c", "while True: pass\n"); !errors.Is(err, memory.Err) {
		t.Errorf("ended for memory: %v", err)
	}
}

// Folding ends at whichever look at the session it is told to, and so the value that stands there is not written.
func TestFoldingStops(t *testing.T) {
	items := make([]starlark.Value, 4100)
	for i := range items {
		items[i] = starlark.MakeInt(1)
	}
	d := starlark.NewDict(2)
	long := starlark.NewList(items)
	for _, key := range []starlark.Value{starlark.Tuple(items), starlark.String("b")} {
		if err := d.SetKey(key, starlark.Tuple{long, long}); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []starlark.Value{d, starlark.Tuple{long, d, long}} {
		stops := 0
		for at := 1; ; at++ {
			looks := 0
			f := &folding{width: 60, poll: func() error {
				if looks++; looks == at {
					return ErrStopped
				}
				return nil
			}}
			text, err := f.text(v, 0, 0)
			if err == nil {
				if looks >= at || text == "" {
					t.Errorf("look %d of %d goes on", at, looks)
				}
				break
			}
			if stops++; !errors.Is(err, ErrStopped) {
				t.Errorf("look %d: %v", at, err)
			}
		}
		if stops < 5 {
			t.Errorf("%d looks, want some in each part", stops)
		}
	}
}

// Evidence is ordered as it decides where Starlark itself compares, too.
func TestStarlarkComparesEvidence(t *testing.T) {
	low, high := Known(evidence.FromRat(big.NewRat(1, 3))), Known(evidence.FromRat(big.NewRat(1, 2)))
	for op, want := range map[syntax.Token]bool{syntax.LT: true, syntax.LE: true, syntax.GT: false, syntax.GE: false, syntax.EQL: false, syntax.NEQ: true} {
		if got, err := starlark.Compare(op, low, high); err != nil || got != want {
			t.Errorf("1/3 %v 1/2 is %t, %v", op, got, err)
		}
		if got, err := Compare(op, low, high); err != nil || got != want {
			t.Errorf("1/3 %v 1/2 is %t, %v", op, got, err)
		}
	}
	near, far := Known(evidence.Certified{Lo: 0.1, Hi: 0.3, Provenance: evidence.From("b").By("a")}), Known(evidence.Certified{Lo: 0.2, Hi: 0.4, Provenance: evidence.From("b").By("a")})
	if _, err := starlark.Compare(syntax.LT, near, far); !errors.Is(err, evidence.ErrUndecided) {
		t.Error(err)
	}
}

// Files that cannot be read to their end, or written, are errors, and leave nothing behind.
func TestFaultsOfFiles(t *testing.T) {
	s := New(Vocabulary{})
	s.NoteInputs = true
	broken := errors.New("the disk is broken")
	tee, note := s.noted(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), DataFile{Name: "a"})
	if _, err := io.CopyN(io.Discard, tee, 2); err != nil {
		t.Fatal(err)
	}
	if err := note(); !errors.Is(err, broken) || len(s.Inputs()) > 0 {
		t.Errorf("%v, noted %v", err, s.Inputs())
	}
	home := t.TempDir()
	if err := s.Confine([]string{home}, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.ConfinedStorage(filepath.Join(home, strings.Repeat("x", 250))); err == nil || !strings.Contains(err.Error(), "-journal") {
		t.Errorf("a name too long is %v", err)
	}
	if err := s.Write(filepath.Join(home, strings.Repeat("x", 255)), nil); err == nil {
		t.Error("a name too long is written")
	}
	if err := os.Mkdir(filepath.Join(home, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(filepath.Join(home, "folder"), []byte("x")); err == nil {
		t.Error("a file is written over a folder")
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("%v lie there, %v", left, err)
	}
	if runtime.GOOS == "linux" {
		gone := t.TempDir()
		t.Chdir(gone)
		if err := os.Remove(gone); err != nil {
			t.Fatal(err)
		}
		if err := New(Vocabulary{}).Confine([]string{"a"}, nil); err == nil {
			t.Error("a folder of no folder is confined to")
		}
	}
}

// A built-in that does not stop when it is told to is left alone after a while, and the chunk says so.
func TestWhoGoesOnIsLeft(t *testing.T) {
	s := New(Vocabulary{})
	s.grace = 1 // nanosecond: no time to wind down
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	free := make(chan bool)
	defer close(free)
	_, err := s.Run(ended, "a", func(*starlark.Thread) (starlark.Value, error) { <-free; return nil, nil })
	var failed *ScriptError
	if !errors.As(err, &failed) || !failed.Interrupted || !strings.HasSuffix(failed.Msg, "(a built-in is still winding down)") {
		t.Error(err)
	}
}

// A class of Python's has the words of a type, each with a capital.
func TestPythonClasses(t *testing.T) {
	for name, want := range map[string]string{"mvg design": "MvgDesign", "shelf": "Shelf", "a_b  c": "ABC", "xorLaw": "XorLaw", "éclair": "Éclair"} {
		if got := PythonClass(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// The time of a call is that of the fastest round, whichever that is.
func TestFastestRounds(t *testing.T) {
	for _, seconds := range [][]int{{1, 3, 2, 4}, {3, 1, 2, 4}, {4, 3, 2, 1}, {5, 5}} {
		synctest.Test(t, func(t *testing.T) { // time passes at once
			s := New(Vocabulary{})
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

// A vocabulary whose results have no type in Python has no face there, and the error names them.
func TestNoFaceForPython(t *testing.T) {
	s := New(Vocabulary{Rooms: []Room{NewRoom("Odd", []Builtin{Func("odd() -> nothing known", "Gives what nobody knows.", "", func(*Call) (any, error) { return nil, nil })})}})
	if _, _, err := s.PythonFace(Python{}); err == nil || !strings.Contains(err.Error(), "odd returns nothing known") {
		t.Error(err)
	}
}

type partly struct{ error }

func (partly) Partial() string { return "after three of five" }

// What calls functions of scripts ends with them, and with the context: what is known by then is said, and nothing is called any more.
func TestCallsThatEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := New(Vocabulary{Rooms: []Room{NewRoom("Ends", []Builtin{
		Func("end() -> none", "Ends the context.", "", func(*Call) (any, error) { cancel(&TimeLimit{Limit: 7}); return nil, nil }),
		Func("partly() -> none", "Ends with what it knows.", "", func(*Call) (any, error) { cancel(nil); return nil, partly{context.Canceled} }),
		Func("ask(f: function) -> value", "Calls f after the end.", "", func(c *Call) (any, error) { cancel(nil); return c.Callable("f")() }),
		Func("two(a: int, b: int=2) -> int", "The first.", "", func(c *Call) (any, error) { return c.Int("a"), nil }),
	})}})
	run := func(source string) error {
		ctx, cancel = context.WithCancelCause(t.Context())
		_, err := s.Exec(ctx, "a", source+"\n")
		return err
	}
	var late *TimeLimit
	if err := run("end()\nwhile True: pass"); !errors.As(err, &late) || late.Limit != 7 || !strings.Contains(err.Error(), "the time is up; limit 7ns (--time)") {
		t.Error(err)
	}
	var failed *ScriptError
	if err := run("partly()"); !errors.As(err, &failed) || !failed.Interrupted || !strings.Contains(failed.Msg, "interrupted after three of five") {
		t.Errorf("%#v", err)
	}
	called := false
	s.Set("f", starlark.NewBuiltin("f", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		called = true
		return starlark.None, nil
	}))
	if err := run("ask(f)"); !errors.As(err, &failed) || !failed.Interrupted || called {
		t.Errorf("%v, called %t", err, called)
	}
	for source, want := range map[string]string{
		"two(1, a=2)": "got two values for a: the 1st positional argument, 1, took its place", "two(a=1, c=2)": "has no parameter c",
		"min([1, 2], key=lambda x: fail('no'))": "fail: no",
	} {
		if err := run(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
	exit := &Exit{Status: 3}
	if err := s.ReasonOf(fmt.Errorf("a: %w", exit)); err != exit {
		t.Errorf("the reason for leaving is %v", err)
	}
	if err := s.ReasonOf(errors.New("a\nb")); err.Error() != "a" {
		t.Errorf("the reason is %q", err)
	}
	if _, err := s.ReadFile(DataFile{Path: filepath.Join(t.TempDir(), "none")}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A chunk that runs inside another sees its names, and comments are kept where they are asked for.
func TestChunksInside(t *testing.T) {
	s := New(Vocabulary{})
	v, err := s.Run(t.Context(), "a", func(thread *starlark.Thread) (starlark.Value, error) {
		if _, err := s.Chunk(thread, "a", "x = 3\n"); err != nil {
			return nil, err
		}
		return s.RunInside("b", func(inner *starlark.Thread) (starlark.Value, error) { return s.Chunk(inner, "b", "x + 1\n") })
	})
	if err != nil || v != starlark.Value(starlark.MakeInt(4)) {
		t.Error(v, err)
	}
	f, err := Parse("a", "# why\nx = 1\n")
	if err != nil || len(f.Stmts) != 1 || f.Stmts[0].Comments() == nil || f.Stmts[0].Comments().Before[0].Text != "# why" {
		t.Error(err)
	}
	if _, err := Parse("a", "x = \n"); err == nil {
		t.Error("half a statement is parsed")
	}
	if text, err := DescribeJSON(starlark.NewList([]starlark.Value{starlark.NewBuiltin("f", nil), names{}}), 0); err != nil || !strings.Contains(text, `"type":"names"`) {
		t.Error(text, err)
	}
}

// pictured is a value that is a table.
type pictured struct{ starlark.NoneType }

func (pictured) figure() display.Figure {
	t, _ := display.NewTable(display.TableSpec{Header: []string{"a"}})
	return t
}

// Where somebody else shows values, print hands over one that is a table alone, and fails as that does.
func TestPrintHandsTablesOver(t *testing.T) {
	s := New(Vocabulary{})
	var out strings.Builder
	s.Stdout = &out
	gone, shown := errors.New("nobody looks"), 0
	s.OnShow = func(starlark.Value) error { shown++; return gone }
	s.Set("p", pictured{})
	if _, err := s.Exec(t.Context(), "a", "print(p)\n"); err == nil || !strings.Contains(err.Error(), gone.Error()) || shown != 1 {
		t.Errorf("%v, shown %d times", err, shown)
	}
	if _, err := s.Exec(t.Context(), "a", "print(1, p)\n"); err != nil || shown != 1 || !strings.HasPrefix(out.String(), "1 ") {
		t.Errorf("%v, shown %d times, %q", err, shown, out.String())
	}
}
