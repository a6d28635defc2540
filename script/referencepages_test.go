package script_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/script"
)

// glossary is the shop's.
const glossary = `plank | planks, board
A piece of wood, as long
as a shelf.
See shelf, box

nail
What holds a plank.
`

// The manual of a shop with two classes and a glossary: as pages, as a site, as man pages, in help and in completion.
func TestManualOfAShop(t *testing.T) {
	s := shop(script.Terms(glossary)...)
	var now strings.Builder
	for _, pages := range []map[string]string{s.ReferencePages(), s.ReferenceSite()} {
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			if page := pages[name]; strings.Contains(page, "shelf") || strings.Contains(page, "plank") {
				fmt.Fprintf(&now, "== %s\n", name)
				for line := range strings.SplitSeq(page, "\n") {
					if len(line) < 400 { // no style sheets and scripts
						now.WriteString(line + "\n")
					}
				}
			}
		}
	}
	for _, topic := range []string{`"shelf"`, `"shelf.grown"`, `"shelf.lock_code"`, "shelf_of", `shelf_of("a").grown`, `shelf_of("a")`, `"plank"`, `"boards"`, `"nail"`, `"a long board"`, "put", "box_of(2)", `"lock_code"`} {
		fmt.Fprintf(&now, "== help(%s)\n%s\n", topic, shownBy(s, "help("+topic+")"))
	}
	shownBy(s, `s = shelf_of("a", 9); b = box_of(2)`)
	for _, source := range []string{"s.", "s.lo", "s.grown(", "s.grown(b", "b.", "put(", "put(b, on", "shelf_of(\"a\").", "shelf_of(\"a\").grown(2).na"} {
		text, ok := s.Inspect(source, len(source))
		fmt.Fprintf(&now, "== %s\n%q %q\n%t %s\n", source, s.Complete(source).Candidates, s.Signature(source), ok, text)
	}
	golden(t, "testdata/shop.txt", now.String())
	if text, err := script.DescribeJSON(s.Get("s"), 0); err != nil || text != `["a",9]` {
		t.Errorf("a shelf is described as %s, %v", text, err)
	}
	text, err := script.DescribeJSON(s.Get("b"), 0)
	if err != nil || text != `{"type":"box","call":"box_of(2)","text":"<box>"}` {
		t.Errorf("a box is described as %s, %v", text, err)
	}
}

// An argument is a literal if it parses as one, otherwise text. Arguments are written as JSON by name. A requested
// value is written as JSON, or an error says that there is none.
func TestArgsAndJSON(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for name, text := range map[string]string{"n": "3", "x": "0.5", "b": "True", "l": "[1, \"a\"]", "t": "a word", "s": "\"a\"", "e": "1 +", "name": "n"} {
		s.SetArg(name, text)
	}
	text, err := s.Args()
	want := `{"b":true,"e":"1 +","l":[1,"a"],"n":3,"name":"n","s":"a","t":"a word","x":0.5}`
	if err != nil || text != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	for digits, want := range map[int]string{300_000: "int", 300_001: "string"} {
		s.SetArg("long", strings.Repeat("1", digits))
		if got := shownBy(s, "type(args['long'])"); got != strconv.Quote(want) {
			t.Errorf("an argument of %d digits is a %s, want %s", digits, got, want)
		}
	}
	shownBy(s, "y = {'a': [1, None]}; f = len")
	for name, want := range map[string]string{"y": `{"a":[1,null]}`, "f": "error: f: a builtin_function_or_method cannot be written as JSON", "none": "error: the script defines no none"} {
		got, err := s.JSON(name)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Libraries are listed by path and by source, in an order independent of their paths.
func TestLibrariesOfScripts(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{"b.star": "y = 1\n", "a.star": "load('b.star', z='y')\nx = z\n", "bad.star": "def\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := script.New(script.Vocabulary{})
	s.Dir = dir
	var out strings.Builder
	s.Stdout = &out
	if _, err := s.Exec(t.Context(), "<prompt>", "load('a.star', 'x')\nprint(x)\n"); err != nil || out.String() != "1\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	if _, err := s.Exec(t.Context(), "<prompt>", "load('bad.star', 'x')\n"); err == nil {
		t.Error("loading a broken library gave no error")
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if got, want := s.Loaded(), []string{at("a.star"), at("b.star"), at("bad.star")}; !slices.Equal(got, want) {
		t.Errorf("loaded %q, want %q", got, want)
	}
	if got := s.Libraries(); len(got) != 2 || !strings.HasPrefix(got[0], "load('b.star'") || !strings.HasPrefix(got[1], "y = 1") {
		t.Errorf("libraries %q", got)
	}
}
