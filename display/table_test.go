package display_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"
)

var ladder = display.TableSpec{
	Title:  "Purest against Ladder",
	Header: []string{"ε", "P/P_S", "δ=10", "Remark"},
	Rows: [][]string{
		{"0.1", "0.9952", "3/4", "a longer remark, too long for the line"},
		{"1", "inf", "≤ 0.2", "日本語 ε"},
		{"10", "", "1e-9", ""},
	},
}

func TestTableText(t *testing.T) {
	twwidth.SetEastAsian(true) // like a Japanese locale, where ε takes two columns
	checkGolden(t, must.Be(display.NewTable(ladder)).Terminal(display.Caps{Width: 48, Unicode: true}), `
Purest against Ladder

  ε   P/P_S   δ=10  Remark
─────────────────────────────────────────────
0.1  0.9952    3/4  a longer remark, too long
                    for the line
  1     inf  ≤ 0.2  日本語 ε
 10           1e-9
`)
}

func TestTableBreaksIntoBlocks(t *testing.T) {
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{
		Header: []string{"id", "alpha", "beta", "gamma"},
		Rows:   [][]string{{"one", "1234567", "7654321", "1"}, {"two", "2", "---", "3"}},
		Align:  []display.Align{display.AlignLeft, display.AlignAuto, display.AlignRight, display.AlignAuto},
	})).Terminal(display.Caps{Width: 24}), `
id     alpha     beta
---------------------
one  1234567  7654321
two        2      ---

id   gamma
----------
one      1
two      3
`)
}

// Words wrap before a table breaks into blocks. The minimum width of a column is its longest word.
func TestTableWrapsWords(t *testing.T) {
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{"one two six", "one two six", "one two six", "seven ten"}}})).Terminal(display.Caps{Width: 24}), `
one  one  one  seven
two  two  two  ten
six  six  six
`)
}

func TestTableWithoutRowsOrHeader(t *testing.T) {
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Header: []string{"a", "b"}})).Terminal(display.Caps{}), `
a  b
----
`)
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{"a", "1"}, {"b", "22"}}})).Terminal(display.Caps{}), `
a   1
b  22
`)
}

func TestTableRejects(t *testing.T) {
	for _, test := range []struct {
		spec display.TableSpec
		want string
	}{
		{display.TableSpec{}, "header and rows are empty"},
		{display.TableSpec{Rows: [][]string{{}}}, "header and rows are empty"},
		{display.TableSpec{Header: []string{"a"}, Rows: [][]string{{"1"}, {"1", "2"}}}, "rows[1] has 2 cells, want 1"},
		{display.TableSpec{Header: []string{"a"}, Align: []display.Align{0, 0}}, "align has 2 entries, want 1"},
		{display.TableSpec{Header: []string{"a"}, Align: []display.Align{9}}, "align[0] = 9"},
	} {
		_, err := display.NewTable(test.spec)
		if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one that contains %q", test.spec, err, test.want)
		}
	}
}

// A column of numbers and empty cells is aligned to the right.
func TestNumbersAreRecognized(t *testing.T) {
	right := func(s string) bool {
		return strings.Contains(must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{s}}})).HTML(), "text-align: right")
	}
	for _, s := range []string{"1", "-1.5e-7", "inf", "-inf", "nan", "18545/3888", "12%", "≤ 0.2", "<1", "~3", ""} {
		if !right(s) {
			t.Errorf("%q is a number", s)
		}
	}
	for _, s := range []string{"a", "1 2", "1/", "x1", "1e", "1e9999999999/3", "[0, 1]"} {
		if right(s) {
			t.Errorf("%q is not a number", s)
		}
	}
}

// The table fits the terminal, and no character is lost.
func TestTablesFitTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCaps(t)
		spec := display.TableSpec{Title: drawText(t, "title")}
		columns := rapid.IntRange(1, 12).Draw(t, "columns")
		row := func(name string) []string {
			cells := make([]string, columns)
			for j := range cells {
				cells[j] = drawText(t, name)
			}
			return cells
		}
		if rapid.Bool().Draw(t, "headed") {
			spec.Header = row("header")
		}
		spec.Rows = [][]string{row("cell"), row("cell")}
		got := must.Be(display.NewTable(spec)).Terminal(c)
		checkLines(t, got, c)
		have := letters(got)
		for _, cells := range append(spec.Rows, spec.Header) {
			for r, n := range letters(strings.Join(cells, " ")) {
				if have[r] < n {
					t.Fatalf("%q appears %d times, want at least %d, in\n%s", r, have[r], n, got)
				}
			}
		}
	})
}

// letters counts the visible characters of s.
func letters(s string) map[rune]int {
	count := map[rune]int{}
	for _, r := range strings.Join(strings.Fields(display.Line(escapes.ReplaceAllString(s, ""))), "") {
		count[r]++
	}
	return count
}

func TestTableCSV(t *testing.T) {
	spec := display.TableSpec{Header: []string{"a", "b,c"}, Rows: [][]string{{"say \"x\"", "two\nlines"}, {"", "ε"}}}
	data := must.Be(must.Be(display.NewTable(spec)).CSV())
	got := must.Be(csv.NewReader(bytes.NewReader(data)).ReadAll())
	if want := slices.Insert(slices.Clone(spec.Rows), 0, spec.Header); !cmp.Equal(got, want) {
		t.Errorf("read back %v", got)
	}
}

func TestTableHTML(t *testing.T) {
	got := must.Be(display.NewTable(display.TableSpec{Title: "a < b", Header: []string{"x & y", "n"}, Rows: [][]string{{"<script>", "1"}}})).HTML()
	checkGolden(t, got, `
<table>
<caption>a &lt; b</caption>
<thead>
<tr><th style="text-align: left">x &amp; y</th><th style="text-align: right">n</th></tr>
</thead>
<tbody>
<tr><td style="text-align: left">&lt;script&gt;</td><td style="text-align: right">1</td></tr>
</tbody>
</table>
`)
}

func TestTableEncode(t *testing.T) {
	table := must.Be(display.NewTable(ladder))
	for name, want := range map[string]string{
		"t.csv": "ε,P/P_S,δ=10,Remark\n", "t.txt": "Purest against Ladder\n", "t.html": "<!DOCTYPE html>\n",
	} {
		if got := string(must.Be(table.Encode(name))); !strings.HasPrefix(got, want) {
			t.Errorf("%s starts with %.40q", name, got)
		}
	}
	_, err := table.Encode("t.svg")
	if !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), ".csv, .txt, .html, .tex or .md") {
		t.Errorf("error %v", err)
	}
}
