package repl_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// awkward lists floats that file formats often fail to represent.
var awkward = []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, math.MaxFloat64, -math.MaxFloat64,
	0.1, 1.0 / 3, 1, -1, 1e15, 1e16, 1e21, 1e22, 123456789012345680, 1 << 53, 1<<53 + 2, 9223372036854775807, 1e300, 1e-300, math.Pi, math.Inf(1), math.Inf(-1)}

// anyFloats returns n floats of all magnitudes, the awkward ones first.
func anyFloats(n int, rng *rand.Rand) []float64 {
	out := append([]float64(nil), awkward...)
	for len(out) < n {
		if x := math.Float64frombits(rng.Uint64()); !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

// bits returns the bit patterns of the floats in a list of rows.
func bits(t *testing.T, v starlark.Value) (out []uint64) {
	t.Helper()
	for row := range starlark.Elements(v.(starlark.Iterable)) {
		for x := range starlark.Elements(row.(starlark.Iterable)) {
			f, ok := x.(starlark.Float)
			if !ok {
				t.Fatalf("%v is a %s, want a float", x, x.Type())
			}
			out = append(out, math.Float64bits(float64(f)))
		}
	}
	return out
}

func sameBits(t *testing.T, what string, got, want []uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d is %v, want %v", what, i, math.Float64frombits(got[i]), math.Float64frombits(want[i]))
		}
	}
}

func exec1(t *testing.T, s *repl.Session, source string) starlark.Value {
	t.Helper()
	v, err := s.Exec(t.Context(), "test.star", source)
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	return v
}

// Ten thousand floats of all magnitudes are restored bit for bit.
func TestMatrixRoundTrips(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(11, 12))
	xs := anyFloats(10000, rng)
	var rows [][]float64
	var want []uint64
	for len(xs) > 0 {
		rows = append(rows, xs[:100])
		for _, x := range xs[:100] {
			want = append(want, math.Float64bits(x))
		}
		xs = xs[100:]
	}
	s := repl.NewSession()
	s.Set("m", script.NewMatrix(rows))
	exec1(t, s, `names = ["c%d" % j if j % 3 else "ε \"%d\", x" % j for j in range(100)]
n = matrix(m, names=names)
y = matrix(m, names=[str(2000 + j) for j in range(100)])
for end in ["csv", "json"]:
    m.save("m." + end)
    n.save("n." + end)
    y.save("y." + end)
    m.save("short." + end, digits=3)
write(m, "w.json")`)
	for _, source := range []string{
		`matrix(read_csv("m.csv"))`, `read_csv("m.csv")`, `matrix(read_csv("n.csv"))`, `read_csv("n.csv", skip=1)`, `matrix(read_csv("y.csv", header=True))`,
		`matrix(read_json("m.json"))`, `matrix(read_json("n.json"))`, `matrix(read_json("y.json"))`, `matrix(read_json("w.json"))`,
	} {
		sameBits(t, source, bits(t, exec1(t, s, source)), want)
	}
	if v := exec1(t, s, `matrix(read_csv("n.csv")).names == names and matrix(read_json("n.json")).names == names and matrix(read_csv("y.csv", header=True)).names == y.names and matrix(read_json("y.json")).names == y.names`); v != starlark.True {
		t.Error("the names did not come back")
	}
	if v := exec1(t, s, `matrix(read_csv("y.csv")).names == y.names`); v != starlark.True {
		t.Error("names that look like numbers did not come back")
	}
	// digits= rounds to that many digits, in both formats.
	for _, source := range []string{`matrix(read_csv("short.csv"))`, `matrix(read_json("short.json"))`} {
		for i, got := range bits(t, exec1(t, s, source)) {
			x := math.Float64frombits(want[i])
			rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
			if err != nil { // rounding would exceed the range, so it is left unchanged
				rounded = x
			}
			if got != math.Float64bits(rounded) {
				t.Fatalf("%s: %v of %v, want %v", source, math.Float64frombits(got), x, rounded)
			}
		}
	}
	// An independent CSV reader reads the same.
	text, err := os.ReadFile("m.csv")
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, record := range records {
		for _, cell := range record {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, math.Float64bits(x))
		}
	}
	sameBits(t, "m.csv", got, want)
}

// Tables with floats of all magnitudes, nan, ints of any length, and text are restored from every format. Formats for
// readers have 17 digits here, which determine a float.
func TestTableRoundTrips(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(13, 14))
	xs := append(anyFloats(9999, rng), math.NaN())
	var column []starlark.Value
	var want []uint64
	for _, x := range xs {
		column = append(column, starlark.NewList([]starlark.Value{starlark.Float(x)}))
		want = append(want, math.Float64bits(x))
	}
	want[len(want)-1] = math.Float64bits(math.NaN())
	s := repl.NewSession()
	s.Set("rows", starlark.NewList(column))
	exec1(t, s, `t = table(rows, header=["x"])
for end in ["csv", "json"]:
    t.save("t." + end)
for end in ["tex", "md", "html", "txt"]:
    t.save("t." + end, digits=17)
write(t, "w.json")`)
	sameBits(t, "t.csv", bits(t, exec1(t, s, `read_csv("t.csv", skip=1)`)), want)
	for _, path := range []string{"t.json", "w.json"} {
		source := fmt.Sprintf(`[[float(x) for x in row] for row in read_json(%q)["rows"]]`, path)
		sameBits(t, path, bits(t, exec1(t, s, source)), want)
	}
	power := regexp.MustCompile(` \\times 10\^\{(-?\d+)\}`)
	for path, cell := range map[string]*regexp.Regexp{
		"t.tex":  regexp.MustCompile(`(?m)^\$?([^$\\%]*(?: \\times 10\^\{-?\d+\})?|-?\\infty)\$? \\\\$`),
		"t.md":   regexp.MustCompile(`(?m)^\| (\S+) \|$`),
		"t.html": regexp.MustCompile(`<td[^>]*>([^<]*)</td>`),
		"t.txt":  regexp.MustCompile(`(?m)^ *(\S+)$`),
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, m := range cell.FindAllStringSubmatch(string(text), -1) {
			number := strings.NewReplacer(`\infty`, "inf").Replace(power.ReplaceAllString(html.UnescapeString(m[1]), "e$1"))
			x, err := strconv.ParseFloat(number, 64)
			if err != nil {
				continue // the header and its rule
			}
			got = append(got, math.Float64bits(x))
		}
		expected := append([]uint64(nil), want...)
		expected[1] = 0 // formats for readers print −0 as 0
		sameBits(t, path, got, expected)
	}
	exec1(t, s, `big = [[10 * 1 << 90, "a,\"b\"\nc", None, True], [-(1 << 63), "ε", "", False], [0, " 1", 2.0, None]]
table(big).save("big.csv")
table(big).save("big.json")
table([[None], [1], [None]]).save("one.csv")`)
	if v := exec1(t, s, `read_json("big.json")["rows"] == big and read_json("big.json")["header"] == []`); v != starlark.True {
		t.Errorf("JSON gives %v", exec1(t, s, `read_json("big.json")`))
	}
	if v := exec1(t, s, `read_csv("big.csv") == [[10 * 1 << 90, "a,\"b\"\nc", None, "True"], [-(1 << 63), "ε", None, "False"], [0, 1, 2.0, None]] and read_csv("one.csv") == [[None], [1], [None]]`); v != starlark.True {
		t.Errorf("CSV gives %v and %v", exec1(t, s, `read_csv("big.csv")`), exec1(t, s, `read_csv("one.csv")`))
	}
}

// Random enclosures rounded to any number of digits still contain the original interval.
func TestEndsRoundOutward(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(15, 16))
	xs := anyFloats(cases.Of(1000, 10000), rng)
	var rows []starlark.Value
	var known []evidence.Certified
	for i := 0; i+1 < len(xs); i += 2 {
		lo, hi := min(xs[i], xs[i+1]), max(xs[i], xs[i+1])
		if i%4 == 0 && !math.IsInf(lo, 0) {
			hi = math.Nextafter(lo, math.Inf(1))
		}
		known = append(known, evidence.Certified{Lo: lo, Hi: hi})
		rows = append(rows, starlark.NewList([]starlark.Value{script.Known(known[len(known)-1])}))
	}
	s := repl.NewSession()
	s.Set("rows", starlark.NewList(rows))
	for _, digits := range []int{1, 2, 3, 9, 16, 17} {
		exec1(t, s, fmt.Sprintf(`table(rows).save("c.csv", evidence="columns", digits=%d)
table(rows).save("i.csv", evidence="interval", digits=%d)`, digits, digits))
		got := exec1(t, s, `[c[1:3] + i for c, i in zip(read_csv("c.csv"), read_csv("i.csv"))]`).(*starlark.List)
		for i := range got.Len() {
			row := got.Index(i).(*starlark.List)
			lo, _ := script.NearestFloat(row.Index(0))
			hi, _ := script.NearestFloat(row.Index(1))
			if lo > known[i].Lo || hi < known[i].Hi {
				t.Fatalf("%d digits of [%v, %v] give [%v, %v]", digits, known[i].Lo, known[i].Hi, lo, hi)
			}
			text, ok := starlark.AsString(row.Index(2))
			if !ok {
				continue // both ends round to the same number
			}
			a, b, _ := strings.Cut(strings.Trim(text, "[]"), ", ")
			lo, err1 := strconv.ParseFloat(a, 64)
			hi, err2 := strconv.ParseFloat(b, 64)
			if err1 != nil && !math.IsInf(lo, 0) || err2 != nil && !math.IsInf(hi, 0) || lo > known[i].Lo || hi < known[i].Hi {
				t.Fatalf("%d digits of [%v, %v] give %s", digits, known[i].Lo, known[i].Hi, text)
			}
		}
	}
}

// write accepts every value of a script, and writes valid JSON.
func TestWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	s := repl.NewSession()
	for name, n := range samples() {
		s.Set(name, script.Known(n))
	}
	for expression, want := range map[string]string{
		"None":                      "null",
		"[1, 1 << 70, 0.1, -0.0]":   "[1,1180591620717411303424,0.1,-0.0]",
		"{len: 1, (1, 2): third}":   `{"<built-in function len>":1,"1,2":{"kind":"exact","value":0.3333333333333333,"lo":0.3333333333333333,"hi":0.33333333333333337,"source":"enumeration","rational":"1/3"}}`,
		"matrix([[1, 2]])":          "[[1.0,2.0]]",
		"[graphs(2)]":               `[{"type":"graphs","call":"graphs(2)","text":"<graphs on 2 nodes: 2 datasets, 1 neighboring pairs>"}]`,
		"lambda x: x":               `{"type":"function","text":"<function lambda>"}`,
		"float('nan')":              `"nan"`,
		"table([[graphs(2), 1.5]])": `{"header":[],"rows":[[{"type":"graphs","call":"graphs(2)","text":"<graphs on 2 nodes: 2 datasets, 1 neighboring pairs>"},1.5]],"title":""}`,
	} {
		exec1(t, s, fmt.Sprintf("write(%s, \"x.json\")", expression))
		got, err := os.ReadFile("x.json")
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(got) || string(got) != want+"\n" {
			t.Errorf("write(%s) gives\n%swant\n%s", expression, got, want)
		}
	}
	exec1(t, s, `write(1, "new/one/x.json")`) // the folder is created
	if got, err := os.ReadFile("new/one/x.json"); string(got) != "1\n" || os.RemoveAll("new") != nil {
		t.Errorf("%q, %v", got, err)
	}
	// A failed write leaves the previous file and no other.
	for source, want := range map[string]string{
		`write(1, "x.txt")`:                          `write: path = "x.txt", want one that ends in .json`,
		`x = []; x.append(x); write(x, "x.json")`:    "write: x contains itself",
		`write({1: 2, "1": 3}, "x.json")`:            `write: two keys of a dict become "1" in JSON, want distinct keys`,
		`write(1, "x.json/x.json")`:                  "write: mkdir x.json: not a directory",
		`matrix([[1]]).save("x.svg")`:                `matrix.save: path = "x.svg", want one that ends in .csv, .txt, .html, .tex, .md or .json`,
		`matrix([[1]]).save("x.csv", digits=0)`:      "matrix.save: digits = 0, want a whole number from 1 to 17",
		`matrix([[1]]).save("x.json/x.csv")`:         "matrix.save: mkdir x.json: not a directory",
		`table([[1]]).save("x.pdf")`:                 `table.save: path = "x.pdf", want one that ends in .csv, .txt, .html, .tex, .md or .json`,
		`table([[1]]).save("x.csv", evidence="all")`: `table.save: evidence = "all", want "value", "interval" or "columns"`,
		`table([[1]]).save("x.json/no/x.tex")`:       "table.save: mkdir x.json: not a directory",
		`read_json("none.json")`:                     `read_json: path = "none.json": there is no such file`,
	} {
		before, _ := os.ReadFile("x.json")
		_, err := s.Exec(t.Context(), "test", source)
		if err == nil || err.(*script.ScriptError).Msg != want {
			t.Errorf("%s\n gives %v\n want  %s", source, err, want)
		}
		after, _ := os.ReadFile("x.json")
		names, _ := filepath.Glob("*")
		hidden, _ := filepath.Glob(".*")
		if string(before) != string(after) || len(names) != 1 || len(hidden) != 0 {
			t.Errorf("%s leaves %v %v", source, names, hidden)
		}
	}
}

// A citation names the number, its ends, its method, the expression, the version, and the statement outside functions
// that computed it, wherever cite is called.
func TestCite(t *testing.T) {
	s := repl.NewSession()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lib.star"), []byte("\n\nshared = gaussian_delta(1, 3)\ndef late(): return gaussian_delta(1, 4)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	source := `load("lib.star", "shared", "late")
q = graphs(3).count("edge")

def f(x):
    y = x + 1
    return gaussian_delta(y, 2)

m = purest(q, 1)
e = m.smallest_epsilon
for i in range(2):
    if i == 1:
        d = [f(i) for _ in range(2)][0]
g = late(
)
lines = [e.cite(), d.cite(), g.cite(), shared.cite(), m.smallest_epsilon.cite()]
`
	if _, err := s.Exec(t.Context(), filepath.Join(dir, "study.star"), source); err != nil {
		t.Fatal(err)
	}
	lines := s.Get("lines").(*starlark.List)
	for i, want := range []string{"study.star, line 9", "study.star, line 12", "study.star, line 13", "lib.star, line 3", "study.star, line 9"} {
		line, _ := starlark.AsString(lines.Index(i))
		parts := strings.Split(line, "; ")
		if len(parts) < 5 || parts[len(parts)-2] != want || !strings.HasPrefix(parts[len(parts)-1], "dpworkbench ") {
			t.Errorf("line %d: %s, want %s", i, line, want)
		}
	}
	first, _ := starlark.AsString(lines.Index(0))
	for _, part := range []string{"1.18633367647526 (certified: in [1.1863336764752501", `; purest(graphs(3).count("edge"), 1).smallest_epsilon; `, "256-bit"} {
		if !strings.Contains(first, part) {
			t.Errorf("%s does not contain %s", first, part)
		}
	}
	// At the prompt, a number from elsewhere is cited with the line that asks for it.
	s.Set("third", script.Known(samples()["third"]))
	v := exec1(t, s, "\nthird.cite()")
	if got, _ := starlark.AsString(v); !strings.HasPrefix(got, "0.333333333333333 (exact: 1/3); enumeration; test.star, line 2; dpworkbench ") {
		t.Error(got)
	}
}

// Names that look like numbers are restored as names, or rejected.
func TestNumericNames(t *testing.T) {
	t.Chdir(t.TempDir())
	s := repl.NewSession()
	for _, names := range []string{`["1", "2"]`, `["inf", "nan"]`, `["nan", "nan"]`, `["", ""]`, `["1", ""]`, `["a", "-0"]`, `["1\"", "1\n2"]`, `["inf", "a,b"]`} {
		exec1(t, s, `x = matrix([[1, 2], [3, 4]], names=`+names+`)
x.save("n.csv")`)
		for _, read := range []string{`read_csv("n.csv")`, `read_csv("n.csv", header=True)`} {
			if v := exec1(t, s, `y = matrix(`+read+`)
y == x and y.names == x.names`); v != starlark.True {
				t.Errorf("%s: %s gives %v", names, read, exec1(t, s, "y.names"))
			}
		}
	}
	exec1(t, s, `table([[1, 2]], header=["2019", "2020"]).save("t.csv")`)
	if v := exec1(t, s, `read_csv("t.csv") == [["2019", "2020"], [1, 2]] and read_csv("t.csv", skip=1) == [[1, 2]]`); v != starlark.True {
		t.Errorf("a table gives %v", exec1(t, s, `read_csv("t.csv")`))
	}
	if err := os.WriteFile("years.csv", []byte("2019,2020\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := exec1(t, s, `matrix(read_csv("years.csv", header=True)).names == ["2019", "2020"] and len(read_csv("years.csv")) == 2`); v != starlark.True {
		t.Error("header=True has no names")
	}
	_, err := s.Exec(t.Context(), "test", `matrix([[1, 2]], names=["inf", "-inf"]).save("i.csv")`)
	if err == nil || !strings.Contains(err.Error(), `path = "i.csv", want one that ends in .json, or other names`) {
		t.Error(err)
	}
}
