package script_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// shelf is a value of the class shelves.
type shelf struct {
	name  string
	size  int
	reads int
	runs  int
}

var shelves = &script.Class[*shelf]{
	Name: "shelf", Help: "A shelf.", Setup: "s = shelf_of(\"a\", 3)\n",
	Attrs: []script.Attr[*shelf]{
		script.Get("name -> string", "Its name.", "", func(s *shelf) any { s.reads++; return s.name }),
		script.Get("size -> int", "Its size.", "", func(s *shelf) any { s.reads++; return s.size }).Varying(),
		script.Get("parts -> list", "Its parts.", "", func(s *shelf) any { s.reads++; return []string{s.name, "board"} }),
		script.Do("grown(by: int[1..]=1) -> shelf", "A larger one.", "(2)", func(c *script.Call, s *shelf) (any, error) {
			return &shelf{name: s.name, size: s.size + c.Int("by")}, nil
		}),
		script.Get("lock_code -> int", "Its code.", "print(1)", func(s *shelf) any { return 7 }).If(func(s *shelf) bool { return s.size > 5 }, "grow it"),
		script.Get("window_size -> int", "Its window.", "print(1)", func(s *shelf) any { return 7 }).If(func(s *shelf) bool { return s.size > 6 }, ""),
		script.Get("broken_part -> int", "It breaks.", "print(1)", func(*shelf) any { panic("a board") }),
		script.Do("failing -> int", "It fails.", "print(1)", func(*script.Call, *shelf) (any, error) { return nil, errors.New("no board") }),
		script.Get("hidden -> int", "", "", func(*shelf) any { return 0 }),
	},
	Show: func(s *shelf) string { return fmt.Sprintf("shelf %s of %d", s.name, s.size) },
	Draw: func(s *shelf, caps display.Caps) string { return strings.Repeat("=", s.size) },
	JSON: func(s *shelf) starlark.Value { return script.List([]any{s.name, s.size}, script.ToValue) },
}

var boxes = &script.Class[int8]{Name: "box", Wanted: "a small box", Help: "A box.", Example: "box_of(2)"}

// goValues lists Go values of the types that a built-in may return.
var goValues = []any{nil, starlark.MakeInt(1), true, 3, int64(-4), uint64(1) << 63, new(big.Int).Lsh(big.NewInt(1), 80), 2.5, "text", []float64{1, 2.5}, []int{3, 4}, []string{"a", "b"},
	[][2]int{{1, 2}, {3, 4}}, [][]float64{{1, 2}, {3, 4}}, [][]any{{1, "a"}, {}}, []any{1, []int{2}}, script.Tuple{1, "b"}, map[string]any{"b": 2, "a": 1}, script.Record{"z", 1, "a", []int{2}},
	evidence.Claimed{Value: .5, Provenance: evidence.From("x")}, &shelf{name: "c", size: 2}, []*shelf{{name: "d", size: 1}, {name: "e", size: 2}}, int8(5), []int8{1, 2}}

// shop returns a session with the classes shelves and boxes and a glossary.
func shop(terms ...script.Term) *script.Session {
	return script.New(script.Vocabulary{Terms: terms, Types: []script.Type{shelves, boxes}, Sections: []script.Section{script.NewSection("Shop", []script.Builtin{
		script.Func("shelf_of(name: string, size: int=1) -> shelf", "Makes a shelf.", "shelf_of(\"a\")", func(c *script.Call) (any, error) {
			return &shelf{name: c.Text("name"), size: c.Int("size")}, nil
		}),
		script.Func("box_of(n: int[0..100]) -> box", "Makes a box.", "box_of(2)", func(c *script.Call) (any, error) { return int8(c.Int("n")), nil }),
		script.Func("put(box: box, onto: shelf=None, *rest: value) -> string", "Puts a box.", "put(box_of(2))", func(c *script.Call) (any, error) {
			return fmt.Sprint(boxes.Arg(c, "box"), shelves.Arg(c, "onto") != nil, c.Takes("onto"), c.Takes("from"), c.Spelled("onto"), c.Given("onto"), c.Self()), nil
		}),
		script.Func("given(i: int) -> shelf|box", "Gives something.", "given(1)", func(c *script.Call) (any, error) { return goValues[c.Int("i")], nil }),
		script.Func("wrong() -> shelf", "Gives what it does not say.", "wrong()", func(c *script.Call) (any, error) { return uint8(3), nil }),
		script.Func("call(f: function, x: value) -> value", "Calls f.", "call(len, \"a\")", func(c *script.Call) (any, error) { return c.Callable("f")(c.Value("x")) }),
		script.Func("drawn(seed: seed=5) -> list", "Draws.", "drawn()", func(c *script.Call) (any, error) {
			return []any{c.Source("seed").Uint64() >> 32, c.Streams("seed")(0).Uint64() >> 32, c.Streams("seed")(1).Uint64() >> 32}, nil
		}),
		script.Func("read(path: string, fail: bool=False) -> string", "Reads a file.", "read(\"a\")", func(c *script.Call) (any, error) {
			file, err := c.File(c.Text("path"))
			if err != nil {
				return nil, err
			}
			return c.Session.ReadFile(file, func(r io.Reader) (any, error) {
				if c.Bool("fail") {
					return nil, errors.New("no words")
				}
				b, err := io.ReadAll(io.LimitReader(r, 3))
				return string(b), err
			})
		}),
		script.Func("tidied(order: list) -> value", "Tidies up.", "tidied([])", func(c *script.Call) (any, error) {
			for _, v := range c.List("order") {
				c.After(func() { fmt.Fprint(c.Session.Stdout, v, " ") })
			}
			c.Stop("stopped %d", 1)
			return nil, nil
		}),
	})}})
}

// withBuiltins returns a session with some types and built-ins.
func withBuiltins(types []script.Type, builtins ...script.Builtin) *script.Session {
	return script.New(script.Vocabulary{Types: types, Sections: []script.Section{script.NewSection("Tests", builtins)}})
}

// shownBy runs a line and returns what it shows and prints. If the line fails, it returns the error without its
// position.
func shownBy(s *script.Session, source string) string {
	var out strings.Builder
	s.Stdout = &out
	v, err := s.Exec(context.Background(), "a", source+"\n")
	if failed := new(script.ScriptError); errors.As(err, &failed) {
		return out.String() + "error: " + failed.Msg
	}
	if err != nil {
		return out.String() + "error: " + err.Error()
	}
	return out.String() + s.Show(v)
}

// A value of a class has its attributes and methods. The error for a missing attribute names it and says why it is
// missing. The value can be an argument of a parameter of its class.
func TestClasses(t *testing.T) {
	for source, want := range map[string]string{
		`shelf_of("a", 3)`:                     "===",
		`str(shelf_of("a", 3))`:                `"shelf a of 3"`,
		`box_of(3)`:                            "<box>",
		`type(shelf_of("a")), type(box_of(1))`: `("shelf", "box")`,
		`bool(shelf_of("a"))`:                  "True",
		`s = shelf_of("a"); s == s, s == shelf_of("a"), {s: 2}[s]`: "(True, False, 2)",
		`shelf_of("a", 3).name`:                  `"a"`,
		`shelf_of("a", 3).grown().size`:          "4",
		`shelf_of("a", 3).grown(by=4).lock_code`: "7",
		`shelf_of("a", 3).grown(0)`:              "error: shelf.grown: by = 0, want a whole number, at least 1",
		`shelf_of("a", 3).grown("x", 1)`:         "error: shelf.grown takes 0 to 1 arguments, got 2 arguments; it is shelf.grown(by=1)",
		`shelf_of("a", 3).lock_code`:             "error: shelf a of 3 has no .lock_code: grow it",
		`shelf_of("a", 6).window_size`:           "error: shelf a of 6 has no .window_size: only some values of type shelf have it",
		`shelf_of("a", 3).code`:                  "error: shelf has no .code",
		`shelf_of("a", 7).the_code`:              "error: shelf has no .the_code: there is .lock_code",
		`shelf_of("a", 7).any_size`:              "error: shelf has no .any_size: there is .size, .window_size (did you mean .size?)",
		`shelf_of("a", 3).nam`:                   "error: shelf has no .nam (did you mean .name?)",
		`shelf_of("a", 3).failing`:               "error: shelf.failing: no board",
		`box_of(3).name`:                         "error: box has no .name",
		`dir(shelf_of("a"))`:                     `["broken_part", "failing", "grown", "hidden", "name", "parts", "size"]`,
		`dir(shelf_of("a", 7))`:                  `["broken_part", "failing", "grown", "hidden", "lock_code", "name", "parts", "size", "window_size"]`,
		`hasattr(shelf_of("a"), "lock_code"), hasattr(shelf_of("a", 9), "lock_code")`: "(False, True)",
		`put(box_of(3))`:                  `"3 false true false false false <nil>"`,
		`put(box_of(3), shelf_of("a"))`:   `"3 true true false true true <nil>"`,
		`put(box_of(3), None)`:            `"3 false true false true false <nil>"`,
		`put(box_of(3), None, 4, 5)`:      `"3 false true false true false <nil>"`,
		`put(shelf_of("a"))`:              "error: put: box = shelf a of 1, want a small box",
		`put(box_of(3), 4)`:               "error: put: onto = 4, want a shelf",
		`put()`:                           "error: put needs box; it is put(box, onto=None, *rest)",
		`json.encode([shelf_of("a", 2)])`: `"[[\"a\",2]]"`,
		`json.encode(box_of(1))`:          "error: json.encode: a box cannot be written as JSON, want its numbers",
		`call(lambda x: x + 1, 4)`:        "5",
		`call(lambda x: x + 1, "a")`:      "error: unknown binary op: string + int",
		`tidied([1, 2, 3])`:               "1 2 3 error: tidied: stopped 1",
		`shelf_of("a").grown`:             "<method shelf.grown(by=1), call it: s.grown()>",
		`shelf_of`:                        "<builtin shelf_of(name, size=1)>",
		`bool(shelf_of), {shelf_of: 1}[shelf_of], type(shelf_of)`: `(True, 1, "builtin")`,
		`wrong()`: "error: wrong: script: wrong returns a uint8, which is no shelf; this is a fault of the workbench",
	} {
		if got := shownBy(shop(), source); got != want && !(strings.HasPrefix(source, "wrong") && strings.Contains(got, "which is no shelf")) {
			t.Errorf("%s\ngives %s\nwant  %s", source, got, want)
		}
	}
	s := shop()
	if got := shownBy(s, `shelf_of("a").broken_part`); !strings.Contains(got, "a board") || len(s.Crashed) != 1 || !strings.Contains(s.Crashed[0], "shelf.broken_part") {
		t.Errorf("a panic gives %s and records %q", got, s.Crashed)
	}
}

// An attribute is cached if it cannot change. Attributes that vary and attributes with mutable values are computed at
// each use.
func TestAttributesAreCached(t *testing.T) {
	s, v := shop(), &shelf{name: "a", size: 3}
	o := shelves.Of(&script.Call{Session: s}, v)
	for range 3 {
		for name, want := range map[string]string{"name": `"a"`, "size": "3", "parts": `["a", "board"]`} {
			if got, err := o.Attr(name); err != nil || got.String() != want {
				t.Errorf("%s is %v, %v, want %s", name, got, err, want)
			}
		}
	}
	if v.reads != 1+3+3 {
		t.Errorf("%d reads, want one of the name and one for each other access", v.reads)
	}
	for range 2 {
		kept, err := o.Cached("runs", func() (any, error) { v.runs++; return v.runs, nil })
		if kept != 1 || err != nil || o.Inner() != v {
			t.Errorf("kept %v of %v, %v", kept, o.Inner(), err)
		}
	}
	if _, err := o.Cached("fails", func() (any, error) { return nil, io.EOF }); err != io.EOF {
		t.Errorf("an error is cached: %v", err)
	}
	if got, ok := script.Unwrap(starlark.Value(o), boxes); ok {
		t.Errorf("a shelf is converted to the box %v", got)
	}
	if script.Figure(o) != nil || script.Figure(starlark.None) != nil {
		t.Error("a shelf is converted to a picture")
	}
	shownBy(s, `s = shelf_of("a", size=2).grown(by=3)`)
	for name, want := range map[string]string{"s": `shelf_of("a", size=2).grown(by=3)`, "len": ""} {
		if got := script.Made(s.Get(name)); got != want {
			t.Errorf("%s has the expression %q, want %q", name, got, want)
		}
	}
	if names := slices.Collect(maps.Keys(s.Manual())); !slices.Contains(names, "type shelf.lock_code") || !slices.Contains(names, "type shelf") {
		t.Errorf("the manual has %q", names)
	}
	rest := &script.Class[*shelf]{Name: "rest", Attrs: script.Without(slices.Clone(shelves.Attrs), "name", "size")}
	if got, want := rest.Of(&script.Call{Session: s}, v).AttrNames(), []string{"broken_part", "failing", "grown", "hidden", "parts"}; !slices.Equal(got, want) {
		t.Errorf("the attributes %q remain, want %q", got, want)
	}
}

// Each Go value that a built-in may return becomes a script value.
func TestGoValuesInScripts(t *testing.T) {
	want := []string{"", "1", "True", "3", "-4", "9223372036854775808", "1208925819614629174706176", "2.5", `"text"`, "[1.0, 2.5]", "[3, 4]", `["a", "b"]`,
		"[(1, 2), (3, 4)]", "[[1.0, 2.0], [3.0, 4.0]]", `[[1, "a"], []]`, "[1, [2]]", `(1, "b")`, `{"a": 1, "b": 2}`, `{"z": 1, "a": [2]}`, "0.5 (claimed)", "==", "[shelf d of 1, shelf e of 2]", "<box>", "[<box>, <box>]"}
	s := shop()
	for i, v := range goValues {
		if got := shownBy(s, fmt.Sprintf("given(%d)", i)); got != want[i] {
			t.Errorf("%#v becomes %s, want %s", v, got, want[i])
		}
	}
	if got := script.ToValue([]any{1, script.Tuple{"a"}}).String(); got != `[1, ("a",)]` {
		t.Errorf("%s", got)
	}
}

// A seed is the caller's argument, or else the session's seed, or else the default. The streams of one seed differ.
func TestSeedsOfSessions(t *testing.T) {
	s := shop()
	first, other := shownBy(s, "drawn()"), shownBy(s, "drawn(6)")
	if first != shownBy(s, "drawn(5)") || first == other {
		t.Errorf("%s for the default, %s for seed 6", first, other)
	}
	s.Seed = 6
	if shownBy(s, "drawn()") != other || shownBy(s, "drawn(5)") != first {
		t.Error("the session's seed overrides an explicit one, or is ignored")
	}
	if got := shownBy(s, "d = drawn(); d[0] == d[1], d[1] == d[2]"); got != "(True, False)" {
		t.Errorf("streams are equal: %s", got)
	}
	for seed, want := range map[string]string{"18446744073709551615": "", "-1": "a whole number from 0 to 2^64-1", "18446744073709551616": "a whole number from 0 to 2^64-1", "1.5": "a whole number from 0 to 2^64-1"} {
		if got := shownBy(s, "drawn("+seed+")"); strings.Contains(got, "error") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("seed %s: %s", seed, got)
		}
	}
}

// Data files are found beside the script and in the data folders, and decompressed if necessary. The session records
// the hash of the whole file under the name that the script uses. Errors name the file's path.
func TestDataFiles(t *testing.T) {
	here, data := t.TempDir(), t.TempDir()
	zip := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	long := strings.Repeat("words and more ", 10_000)
	for path, text := range map[string][]byte{filepath.Join(here, "a.txt"): []byte("here"), filepath.Join(data, "a.txt"): []byte("data"), filepath.Join(data, "b.txt"): []byte(long), filepath.Join(data, "c.gz"): zip(long),
		filepath.Join(data, "cut.gz"): zip(long)[:5], filepath.Join(data, "bad.gz"): []byte("no zip, though it is called one"), filepath.Join(data, "empty.gz"): nil} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := shop()
	s.Dir, s.DataDirs, s.NoteInputs = here, []string{data}, true
	run := func(source string) string {
		var out strings.Builder
		s.Stdout = &out
		_, err := s.Exec(t.Context(), "<prompt>", "print("+source+")\n")
		if failed := new(script.ScriptError); errors.As(err, &failed) {
			return strings.NewReplacer(here, "HERE", data, "DATA").Replace(failed.Msg)
		}
		return out.String()
	}
	for source, want := range map[string]string{
		`read("a.txt")`: "her\n", `read("b.txt")`: "wor\n", `read("c.gz")`: "wor\n", fmt.Sprintf("read(%q)", filepath.Join(data, "a.txt")): "dat\n",
		`read("none.txt")`:         `read: path = "none.txt": there is no such file, nor in DATA`,
		`read("b.txt", fail=True)`: "read: DATA/b.txt: no words",
		`read("cut.gz")`:           "read: DATA/cut.gz: the file is truncated",
		`read("empty.gz")`:         "read: DATA/empty.gz: the file is truncated",
		`read("bad.gz")`:           "read: DATA/bad.gz: the file is damaged: gzip: invalid header",
		`read("/")`:                "read: /: is a directory",
	} {
		if got := run(source); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
	if err := s.Missed("graphs"); err != nil {
		t.Error(err)
	}
	sum := func(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
	if got, want := s.Inputs(), map[string]string{"a.txt": sum([]byte("here")), "b.txt": sum([]byte(long)), "c.gz": sum(zip(long)), filepath.Join(data, "a.txt"): sum([]byte("data")), "graphs": "absent"}; !maps.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	if err := os.WriteFile(filepath.Join(data, "b.txt"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(`read("b.txt")`); got != "read: DATA/b.txt has changed since the script first read it" {
		t.Errorf("a changed file: %s", got)
	}
	s.NoteInputs = false
	if got := run(`read("b.txt")`); got != "new\n" || s.Missed("b.txt") != nil {
		t.Errorf("without recording: %s", got)
	}
	if plain := shop(); !strings.HasSuffix(shownBy(plain, `read("none.txt")`), `there is no such file`) {
		t.Errorf("without folders: %s", shownBy(plain, `read("none.txt")`))
	}
}

// Long operations of the language can be interrupted at each of their polls.
func TestLanguageStops(t *testing.T) {
	s := shop()
	s.Stdout = io.Discard
	repeated := func(v starlark.Value, n int) *starlark.List {
		return starlark.NewList(slices.Repeat([]starlark.Value{v}, n))
	}
	list := repeated(starlark.None, 9000)
	for i := range list.Len() {
		if err := list.SetIndex(i, starlark.MakeInt(i*7919%9000)); err != nil {
			t.Fatal(err)
		}
	}
	for name, arg := range map[string]starlark.Value{"sorted": list, "sum": list, "max": list, "min": list, "any": repeated(starlark.MakeInt(0), 9000), "all": repeated(starlark.MakeInt(1), 9000),
		"str": list, "repr": starlark.Tuple{list, list}, "print": list} {
		do := func(n int) (all int, err error) {
			ending := ctxtest.CancelAfter(t.Context(), n)
			_, err = s.Run(ending, "a", func(thread *starlark.Thread) (starlark.Value, error) {
				return starlark.Call(thread, s.Get(name), starlark.Tuple{arg}, nil)
			})
			return ending.Polls(), err
		}
		all, err := do(1 << 40)
		if err != nil || all < 3 {
			t.Errorf("%s: %v after %d polls", name, err, all)
		}
		for n := range all - 1 { // the last poll comes after the result is complete
			if made, err := do(n); !errors.Is(err, script.ErrStopped) || made > n+4 {
				t.Errorf("%s, cancelled at poll %d of %d: %v after %d", name, n, all, err, made)
			}
		}
	}
}

// Slices of a matrix equal the slices of its list of rows, and keep its names.
func TestPartsOfMatrices(t *testing.T) {
	s := script.New(script.Vocabulary{})
	shownBy(s, `names = ["a", "b", "c"]; m = matrix([[10 * i + j for j in range(3)] for i in range(5)], names=names); r = [[10.0 * i + j for j in range(3)] for i in range(5)]`)
	for _, at := range []string{":", "1:", ":3", "1:4", "::2", "::-1", "4:0:-1", "4:0:-2", "3:1", "1:3:-1", "-2:", ":-2", "9:", "2:2", ":0:-3"} {
		if got := shownBy(s, fmt.Sprintf("p = m[%s]; [list(x) for x in p] == r[%[1]s], p.names, p.shape[1]", at)); got != `(True, ["a", "b", "c"], 3)` {
			t.Errorf("m[%s]: %s", at, got)
		}
	}
	for source, want := range map[string]string{"matrix([[1, 2, 3], [4, 5, 6]]).diagonal()": "[1.0, 5.0]", "matrix([[1, 2], [3, 4], [5, 6]]).diagonal()": "[1.0, 4.0]", "matrix([[7]]).diagonal()": "[7.0]"} {
		if got := shownBy(s, source); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

// The call that made a value is recorded in full up to a limit. A longer one is abbreviated.
func TestLongExpressionsAreAbbreviated(t *testing.T) {
	const longestArgument, longestExpression = 200, 1000
	s := shop()
	source := `shelf_of("a")`
	for range 120 {
		source += ".grown(by=2)"
		shownBy(s, "s = "+source)
		want := source
		if len(want) > longestExpression {
			want = "…" + want[len(want)-longestExpression:]
		}
		if got := script.Made(s.Get("s")); got != want {
			t.Fatalf("%d bytes are recorded as %q, want %q", len(source), got, want)
		}
	}
	long := `shelf_of("` + strings.Repeat("a", 5*longestArgument) + `")`
	for _, whole := range []bool{false, true} {
		s.WholeCalls = whole
		shownBy(s, "s = "+long+strings.Repeat(".grown(by=2)", 40))
		if got := script.Made(s.Get("s")); (got == long+strings.Repeat(".grown(by=2)", 40)) != whole {
			t.Errorf("whole calls recorded is %t: %q", whole, got)
		}
	}
}

// Session.OnShow may return an error for a displayed value. It is not called for None.
func TestOnShow(t *testing.T) {
	s := shop()
	var shown []string
	s.OnShow = func(v starlark.Value) error {
		if shown = append(shown, v.String()); v == starlark.MakeInt(2) {
			return errors.New("no two")
		}
		return nil
	}
	for source, want := range map[string]string{"show(1)": "", "show(2)": "error: show: no two", "show(None)": ""} {
		if got := shownBy(s, source); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	if slices.Sort(shown); !slices.Equal(shown, []string{"1", "2"}) {
		t.Errorf("shown %q", shown)
	}
}

// Values nested up to the limit are accepted by all functions that traverse them. Deeper ones are rejected.
func TestNestingLimit(t *testing.T) {
	s := shop()
	for n, refused := range map[int]bool{script.MaxNesting: false, script.MaxNesting + 1: true} {
		v := starlark.Value(starlark.MakeInt(1))
		for range n {
			v = starlark.NewList([]starlark.Value{v})
		}
		s.Set("deep", v)
		for _, source := range []string{"f = fmt(deep); None", "j = json.encode(deep); None", "t = str(deep); None"} {
			if got := shownBy(s, source); strings.Contains(got, fmt.Sprintf("nested more than %d deep", script.MaxNesting)) != refused || !refused && got != "" {
				t.Errorf("%s of %d lists: %s", source, n, got)
			}
		}
	}
}
