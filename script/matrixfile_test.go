package script_test

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A saved matrix is restored exactly from formats with all digits, and to the requested digits from others.
func TestMatricesAreSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	s := script.New(script.Vocabulary{})
	for trial := range 30 {
		m, n := 1+rng.IntN(4), 1+rng.IntN(4)
		rows := make([][]float64, m)
		for i := range rows {
			for range n {
				x := math.Float64frombits(rng.Uint64())
				switch rng.IntN(8) {
				case 0:
					x = math.Copysign(0, -1)
				case 1:
					x = math.Inf(1 - 2*rng.IntN(2))
				case 2:
					x = math.Copysign(5e-324, x)
				}
				if math.IsNaN(x) {
					x = .1
				}
				rows[i] = append(rows[i], x)
			}
		}
		named := trial%2 == 0
		s.Set("m", script.NewMatrix(rows))
		if named {
			s.Set("m", starlark.None)
			s.Set("rows", script.List(rows, func(row []float64) starlark.Value { return script.ToValue(row) }))
			s.Set("names", script.List(rows[0], func(float64) starlark.Value { return starlark.String("a, \"b\"") }))
			if got := shownBy(s, "m = matrix(rows, names=names)"); got != "" {
				t.Fatal(got)
			}
		}
		for _, digits := range []string{"", ", digits=3"} {
			if got := shownBy(s, `m.save("m.csv"`+digits+`); m.save("m.json"`+digits+`)`); got != "" {
				t.Fatal(got)
			}
			f, err := os.Open("m.csv")
			if err != nil {
				t.Fatal(err)
			}
			cells, err := csv.NewReader(f).ReadAll()
			f.Close()
			if err != nil || len(cells) != m+map[bool]int{true: 1}[named] {
				t.Fatalf("%q, %v", cells, err)
			}
			if named {
				if cells[0][0] != "a, \"b\"" {
					t.Errorf("the header is %q", cells[0])
				}
				cells = cells[1:]
			}
			for i, row := range rows {
				for j, x := range row {
					if digits != "" && !math.IsInf(x, 0) {
						x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
					}
					if got, err := strconv.ParseFloat(cells[i][j], 64); (err != nil && !math.IsInf(got, 0)) || math.Float64bits(got) != math.Float64bits(x) {
						t.Errorf("%v is written %s", x, cells[i][j])
					}
				}
			}
			text, err := os.ReadFile("m.json")
			if err != nil {
				t.Fatal(err)
			}
			s.Set("text", starlark.String(text))
			back := "matrix(json.decode(text))"
			if named {
				back = "matrix(json.decode(text)['rows'], names=json.decode(text)['names'])"
			}
			if got := shownBy(s, back+`.save("back.csv"); None`); got != "" {
				t.Fatal(got)
			}
			a, err1 := os.ReadFile("m.csv")
			b, err2 := os.ReadFile("back.csv")
			if err1 != nil || err2 != nil || string(a) != string(b) {
				t.Errorf("through JSON %s becomes %s", a, b)
			}
		}
	}
	for source, want := range map[string]string{
		`matrix([[1, 2]], names=["inf", "-inf"]).save("a.csv")`: "error: matrix.save: path = \"a.csv\", want one that ends in .json",
		`matrix([[1, 2]], names=["inf", "x"]).save("a.csv")`:    "",
		`matrix([[1, 2]]).save("a.nothing")`:                    "error: matrix.save: path = \"a.nothing\"",
		`matrix([[1, 2]]).save("m.json/a.csv")`:                 "error: matrix.save: ",
		`matrix([[1, 2.123456789]]).save("a.md")`:               "",
	} {
		if got := shownBy(s, source); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
	if text, err := os.ReadFile("a.md"); err != nil || !strings.Contains(string(text), "2.12346") || strings.Contains(string(text), "2.123457") {
		t.Errorf("a table with six digits is %s, %v", text, err)
	}
}
