package script_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/script"
)

var update = flag.Bool("update", false, "write testdata/language.txt anew")

// transcript runs the chunks of a case in one session, as a prompt does, and returns what they print, show and fail
// with.
func transcript(t *testing.T, chunks string) string {
	t.Helper()
	s := languageSession()
	var out strings.Builder
	s.Stdout, s.Stderr = &out, &out
	for i, chunk := range strings.Split(chunks, "\n---\n") {
		v, err := s.Exec(t.Context(), fmt.Sprintf("<prompt %d>", i+1), chunk+"\n")
		s.Record(chunk+"\n", v, err)
		exit, failed := new(script.Exit), new(script.ScriptError)
		switch {
		case errors.As(err, &exit):
			fmt.Fprintf(&out, "(%v)\n", exit)
		case errors.As(err, &failed):
			out.WriteString(failed.Backtrace())
		case err != nil:
			t.Errorf("%q: %v", chunk, err)
		default:
			if text := s.Show(v); text != "" {
				out.WriteString("=> " + text + "\n")
			}
		}
	}
	if len(s.Crashed) > 0 {
		t.Errorf("%q crashed: %s", chunks, s.Crashed)
	}
	return bound.ReplaceAllString(out.String(), "limit BOUND (--memory)")
}

// bound matches the memory limit in an error message, which differs between machines.
var bound = regexp.MustCompile(`limit [^(]* \(--memory\)`)

// readingKinds lists the kinds of parameters. The built-in readN reads and prints a value of the kind with index N.
var readingKinds = []string{"number", "finite", "positive", "int", "int[2..3]", "int[0..]", "int[..5]", "number[0..1]", "bool", "string", "rational", "epsilon", "epsilon0", "delta", "delta0", "deviation", "upper", "seed", "function", "none", "list",
	"numbers", "rationals", "epsilons", "ints", "strings", "pairs", "rows", "rational_rows", "matrix", "matrices", `"one" | "two"`, `number | "one"`,
	"choice", "rational_choice", "choices"}

// languageSession returns a session with evidence of every kind and a built-in for each kind of parameter.
func languageSession() *script.Session {
	var builtins []script.Builtin
	for i, kind := range readingKinds {
		builtins = append(builtins, script.Func(fmt.Sprintf("read%d(x: %s) -> string", i, kind), "Reads a value.", "", func(c *script.Call) (any, error) {
			return fmt.Sprintf("%v", c.Arg("x")), nil
		}))
	}
	s := script.New(script.Vocabulary{Sections: []script.Section{script.NewSection("Readings", builtins)}})
	for name, n := range map[string]evidence.Number{
		"claimed":   evidence.Claimed{Value: 0.25, Provenance: evidence.From("Theorem 1")},
		"third":     evidence.Exact{Value: big.NewRat(1, 3), Cases: 12, Provenance: evidence.From("enumeration")},
		"two":       evidence.Exact{Value: big.NewRat(2, 1)},
		"certified": evidence.Certified{Lo: 1.2345678901, Hi: 1.2345678999, Provenance: evidence.From("sum")},
		"point":     evidence.Certified{Lo: 0.5, Hi: 0.5, Provenance: evidence.From("closed form")},
		"loss":      evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up},
		"estimated": evidence.Estimated{Value: 0.5, Lo: 0.49, Hi: 0.51, Confidence: 0.99, Draws: 1000},
	} {
		s.Set(name, script.Known(n))
	}
	return s
}

// Every kind of parameter reads the values of testdata/readings.txt as stated there, or rejects them with the stated
// error.
func TestReadings(t *testing.T) {
	s := languageSession()
	var now strings.Builder
	wanted := make(map[string]bool)
	for _, value := range []string{"1", "0", "-3", "5", "2.0", "0.1", "2.5", "-0.0", "1e300", "float('inf')", "float('nan')", "1 << 53", "(1 << 53) + 1", "1 << 400", "True", "None", "'1/3'", "'0.1'", "'one'", "''", "ln(3)", "claimed", "third", "two", "certified", "point", "loss", "estimated",
		"[1, 2.5]", "(1, 2)", "[]", "[[1, 2], [3, 4]]", "[[1, 2], [3]]", "['a', 'b']", "[[1, 'a']]", "[[0.1, '1/3']]", "matrix([[1, 2]])", "[matrix([[1]]), [[2]]]", "[(0, 1), (2, 3)]", "[(0, 1, 2)]", "[ln(3), 0.1]", "range(2)", "{1: 2}", "set([1])"} {
		fmt.Fprintf(&now, "== %s\n", value)
		for i, kind := range readingKinds {
			s.Stdout = io.Discard
			v, err := s.Exec(t.Context(), "a", fmt.Sprintf("read%d(%s)", i, value))
			text := fmt.Sprint(v)
			if failed := new(script.ScriptError); errors.As(err, &failed) {
				text = strings.TrimPrefix(failed.Msg, fmt.Sprintf("read%d: ", i))
				_, want, ok := strings.Cut(text, ", want ")
				if known := wanted[kind+want]; ok && known && strings.HasPrefix(text, "x") {
					continue
				}
				wanted[kind+want] = true
			} else if err != nil {
				t.Fatal(err)
			}
			if cut := []rune(text); len(cut) > 160 { // large numbers
				text = string(cut[:160]) + "…"
			}
			fmt.Fprintf(&now, "%-14s %s\n", kind, text)
		}
	}
	golden(t, "testdata/readings.txt", now.String())
}

// golden compares now with a file line by line.
func golden(t *testing.T, path, now string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := must.For(os.ReadFile(path))(t)
	before, after := strings.Split(string(text), "\n"), strings.Split(now, "\n")
	for i := range min(len(before), len(after)) {
		if after[i] != before[i] {
			t.Fatalf("line %d of %s is %q, want %q", i+1, path, after[i], before[i])
		}
	}
	if len(after) != len(before) {
		t.Fatalf("%d lines, want the %d of %s", len(after), len(before), path)
	}
}

// Completions, signatures, help at the cursor, completeness and magic inputs agree with testdata/completions.txt.
func TestCompletions(t *testing.T) {
	path := must.For(filepath.Abs("testdata/completions.txt"))(t)
	t.Chdir(t.TempDir()) // a folder with one file and one folder to complete
	if err := errors.Join(os.WriteFile("table.csv", nil, 0o644), os.Mkdir("tables", 0o755)); err != nil {
		t.Fatal(err)
	}
	s := languageSession()
	if _, err := s.Exec(t.Context(), "a", "x = [1, 2]\nxyz = {'k': 1}\ndef f(alpha, beta=2, *args, gamma=3):\n  'Adds.'\n  return alpha\nm = matrix([[1]])\ne = ln(3)\n"); err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, source := range []string{"", "x", "xy", "xyz.", "xyz.i", "x.", "x.po", "f(", "f(al", "f(1, ", "f(1, be", "f(gamma=", "uniform(", "uniform(3, s", "uniform(3, lo=1, ", "m.", "m.sh", "e.", "e.ki", "ln(3).k", "math.sq", "json.", "'x", "# x", "read31(", "read31('", "read31('t", "read31(x='o", "read31(1, '", "read32('", "print(x", "x[0].", "nothing.", "(x", "[i for i in xy", "for", "whi", "lam", "he", "a.b.c", "1.", "\"", "f(x, [1, 2], ga", "f(beta=1, b", "ln(3).", "matrix([[1]]).", "uniform(2).", "uniform(2).app", "read31(f(1, '", "print(read31('", "json.encode(ln(3).k", "matrix(rows=[[1]]).ro", "m.rows.", "len(x)."} {
		c := s.Complete(source)
		text, _ := s.Inspect(source, len(source))
		under, _, _ := strings.Cut(text, "\n")
		fmt.Fprintf(&now, "%q: from %d %q, signature %q, under the cursor %q, goes on %d\n", source, c.Start, c.Candidates, s.Signature(source), under, script.Completeness(source))
	}
	for source, at := range map[string]int{"xyz.i": 2, "f(1, be": 0, "uniform(3, lo=1, ": 9, "m.sh": 0, "ln(3).k": 1} { // cursor inside the typed text
		_, whole := s.Inspect(source, len(source))
		if text, ok := s.Inspect(source, at); !ok || text == "" {
			t.Errorf("%q: no completion at %d, at its end %t", source, at, whole)
		}
	}
	for _, source := range []string{"x?", "?x", "x.pop?", "%time x", "%timeit x", "%time", "%nothing", "x ?", "??x", "x??", "1 % 2", "f(x)?"} {
		magic, ok := script.ParseMagic(source)
		fmt.Fprintf(&now, "%q: magic %t %+v\n", source, ok, magic)
	}
	golden(t, path, now.String())
}

// The reference lists every entry with its declaration, help and example.
func TestReferenceOfLanguage(t *testing.T) {
	golden(t, "testdata/reference.txt", languageSession().Reference())
	if faults := languageSession().Vet(); faults != nil {
		t.Logf("%q", faults)
	}
	s := languageSession()
	var out strings.Builder
	s.Stdout = &out
	if _, err := s.Exec(t.Context(), "a", "help()\n"); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/overview.txt", out.String())
}

// FreezeReached freezes every value that a function can reach, and no other value.
func TestFreezesReachableValues(t *testing.T) {
	s := languageSession()
	s.Stdout = io.Discard
	v := must.For(s.Exec(t.Context(), "a", "deep = [[1]]\nshared = {'k': deep}\nother = [2]\ndef helper(): return shared\ndef f(x=[3]): return helper()\nf\n"))(t)
	if err := s.FreezeReached(v); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{"deep[0].append(2)": "frozen", "deep.append(2)": "frozen", "shared['z'] = 1": "frozen", "f.nothing": "no .nothing", "other.append(3)": ""} {
		_, err := s.Exec(t.Context(), "b", source+"\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", source, err)
		}
	}
	v = must.For(s.Exec(t.Context(), "a", "far = []\nfor i in range(20000): far = [far]\ndef g(): return far\ng\n"))(t)
	if err := s.FreezeReached(v); err == nil || !strings.Contains(err.Error(), "nested more than 10000 deep") {
		t.Errorf("a value nested too deeply is frozen: %v", err)
	}
}

// The first sentence of a help text ends at a full stop before a blank or a line end, but not at the point of a decimal
// number.
func TestFirstSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Adds two. Or three.": "Adds two", "Adds 2.5 to it. So.": "Adds 2.5 to it", "Adds two.\nMore.": "Adds two", "No stop": "No stop", "": "", "One.": "One",
	} {
		if got := script.FirstSentence(text); strings.TrimSuffix(got, ".") != want {
			t.Errorf("the first sentence of %q is %q", text, got)
		}
	}
}

// The inputs of a prompt are saved as a script that displays the same values.
func TestSessionsAreSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	transcript(t, "x = 1\n---\nx + 1\n---\ny = ln(0)\n---\ndef f():\n  return 3\n---\na = f(); a * 2\n---\nNone\n---\nsave('s.star')")
	text := must.For(os.ReadFile("s.star"))(t)
	const want = "# A session of the workbench; run it with: workbench run FILE\nx = 1\n_ = x + 1\nshow(_)\n# failed: y = ln(0)\ndef f():\n  return 3\na = f(); _ = a * 2\nshow(_)\nNone\n"
	if string(text) != want {
		t.Errorf("saved\n%s\nwant\n%s", text, want)
	}
	if got := transcript(t, strings.TrimSpace(string(text))); got != "2\n6\n" {
		t.Errorf("the script prints %q", got)
	}
}

// Input files are recorded by name and content. It is an error if one name stands for two different files, or if a file
// has changed.
func TestInputsAreRecorded(t *testing.T) {
	s := script.New(script.Vocabulary{})
	s.NoteInputs = true
	dir := t.TempDir()
	for i, c := range []struct {
		name, path, text string
		ok               bool
	}{
		{"a.csv", "d", "1", true}, {"a.csv", "d", "1", true}, {"a.csv", "d", "2", false}, {"b.csv", "d", "1", true}, {"b.csv", "d", "3", false},
		{"a.csv", "e", "1", true}, {"a.csv", "f", "4", false}, {"c.csv", "", "", true}, {"d.csv", "", "", true},
	} {
		var err error
		if c.path == "" {
			err = s.Missed(c.name)
		} else {
			path := filepath.Join(dir, c.path)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = s.ReadFile(script.DataFile{Name: c.name, Path: path}, func(io.Reader) (any, error) { return nil, nil })
		}
		if (err == nil) != c.ok {
			t.Errorf("file %d: %v", i, err)
		}
	}
	one := fmt.Sprintf("%x", sha256.Sum256([]byte("1")))
	if got, want := s.Inputs(), map[string]string{"a.csv": one, "b.csv": one, "c.csv": "absent", "d.csv": "absent"}; !maps.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
}

// Each case in testdata/language.txt begins with a line "== ". The session prints and returns the result that follows
// the line "->". Lines "---" separate successive inputs.
func TestLanguage(t *testing.T) {
	path := must.For(filepath.Abs("testdata/language.txt"))(t)
	text := must.For(os.ReadFile(path))(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, source := range map[string]string{
		"lib.star": "def twice(x): return 2 * x\n_hidden = 1\nseven = 7\n", "broken.star": "def f(:\n", "fails.star": "x = 1\nfail('in the library')\n",
		"self.star": "load('self.star', 'x')\n", "outer.star": "load('lib.star', t='twice')\ndef four(x): return t(t(x))\n",
	} {
		if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var now strings.Builder
	cases := strings.Split(string(text), "\n== ")
	now.WriteString(cases[0])
	for _, c := range cases[1:] {
		source, want, _ := strings.Cut(strings.TrimSuffix(c, "\n"), "\n->\n")
		got := strings.TrimSuffix(strings.ReplaceAll(transcript(t, source), dir, "DIR"), "\n")
		if got != want && !*update {
			t.Errorf("%s\nprints\n%s\nwant\n%s", source, got, want)
		}
		now.WriteString("\n== " + source + "\n->\n" + got + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(cases) < 50 {
		t.Errorf("%d cases", len(cases))
	}
}

// Every example of the manual runs. The reference has entries for modules, built-ins and attributes.
func TestManualOfLanguage(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{}
	manual := script.New(script.Vocabulary{}).Manual()
	for name := range manual {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		d := manual[name]
		if d == nil || d.Example == "" || name == "exit" || name == "fail" || name == "type evidence.call" {
			continue
		}
		s := script.New(script.Vocabulary{})
		var out strings.Builder
		s.Stdout = &out
		if _, err := s.Exec(t.Context(), "<example>", d.Example+"\n"); err != nil {
			if name == "save" {
				continue // save works only at a prompt, which keeps its inputs
			}
			t.Errorf("%s: %s\n%v", name, d.Example, err)
		}
	}
	reference := script.New(script.Vocabulary{}).Reference()
	for _, want := range []string{"# ", "json.encode(", "timeit(", "evidence.lo", "ln("} {
		if !strings.Contains(reference, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
}
