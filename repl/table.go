package repl

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// tableBuiltins returns the built-ins that make tables.
func tableBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`table(rows: table_rows, header: list=[], title: string="", digits: int[1..17]=6) -> table`,
			"A table of the given rows (a list of lists, or a matrix). digits is the number of significant digits of floats. Evidence is rounded to its safe side, up for a privacy loss. Without a safe side it shows only the digits that its bounds have in common, or both bounds, rounded outward. None is an empty cell. It is a value: print it, or save it as .csv, .json, .tex, .md, .html or .txt.",
			`print(table([["purest", ln(3)], ["ladder", 2]], header=["mechanism", "eps"], title="Claims"))`,
			func(c *script.Call) (any, error) {
				var header []string
				for _, v := range c.List("header") {
					header = append(header, cellText(v, c.Int("digits")))
				}
				return tableOf(c, c.Text("title"), header, c.Arg("rows").([][]starlark.Value), c.Int("digits"))
			}),
	}
}

// tableKinds returns the kinds of table rows.
func tableKinds() []script.Kind {
	return []script.Kind{script.KindOfList("table_rows", func(c *script.Call, name string, v starlark.Value) []starlark.Value {
		row := elements(c, name, v, "a list of cells")
		for i, cell := range row {
			if _, function := cell.(starlark.Callable); function {
				c.Fail(fmt.Sprintf("%s[%d]", name, i), cell, "a value: call the method")
			}
		}
		return row
	})}
}

// tabular is a table as a script value, with the values of its cells.
type tabular struct {
	*figure
	cells
	digits int // digits shown of floats
}

// cells are the header and the rows of a table.
type cells struct {
	header []string // nil for none
	rows   [][]starlark.Value
}

// newTable returns a table of values. Floats show the given number of digits.
func newTable(c *script.Call, title string, header []string, rows [][]any, digits int) (any, error) {
	values := make([][]starlark.Value, len(rows))
	for i, row := range rows {
		for _, x := range row {
			values[i] = append(values[i], script.ToValue(x))
		}
	}
	return tableOf(c, title, header, values, digits)
}

func tableOf(c *script.Call, title string, header []string, rows [][]starlark.Value, digits int) (any, error) {
	t := cells{header, rows}
	shown, err := t.display(title, func(v starlark.Value) string { return cellText(v, digits) })
	if err != nil {
		return nil, err
	}
	f, err := drawn(c, t.data(title))(shown, nil)
	if err != nil {
		return nil, err
	}
	return &tabular{f.(*figure), t, digits}, nil
}

// display returns the table with texts as cells.
func (t cells) display(title string, text func(starlark.Value) string) (*display.Table, error) {
	rows := make([][]string, len(t.rows))
	for i, row := range t.rows {
		for _, v := range row {
			rows[i] = append(rows[i], text(v))
		}
	}
	return display.NewTable(display.TableSpec{Title: title, Header: t.header, Rows: rows})
}

// data returns the table as JSON.
func (t cells) data(title string) map[string]any {
	return map[string]any{"title": title, "header": t.header, "rows": script.Each(t.rows, func(row []starlark.Value) any {
		return starlark.NewList(slices.Clone(row))
	})}
}

// cellText formats a value for a table.
func cellText(v starlark.Value, digits int) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return ""
	case starlark.String:
		return string(v)
	case starlark.Float:
		return display.Number(float64(v), digits)
	case *script.Evidence:
		v.Shown()
		n := v.Number()
		switch neither := evidence.SideOf(n) == evidence.Neither; {
		case neither && evidence.IsWide(n):
			return evidence.Bounds(n)
		case neither && n.Kind() == evidence.KindEstimated:
			digits = min(digits, max(2, evidence.SignificantDigits(n)))
		}
		return display.Evidence(n, digits)
	}
	return must(script.TextOf(v, nil))
}

const tableExample = `table([[1, 2.5]], header=["n", "x"])`

var tableClass = &script.Class[*tabular]{
	Name: "table", Help: "Rows of text and numbers under a header. print shows it as text.", Example: tableExample,
	Show: func(t *tabular) string { return shownText(t.figure) },
	Draw: func(t *tabular, caps display.Caps) string { return t.Terminal(caps) },
	JSON: func(t *tabular) starlark.Value { return t.figure.data },
	Attrs: []script.Attr[*tabular]{script.Do(`save(path: string, digits: int[1..17]=None, evidence: "value"|"interval"|"columns"="value") -> none`,
		`Writes the table to a file atomically, in the format of the path's extension. .csv and .json keep every number exactly: all digits of ints and all bits of floats (read_csv and read_json return the same floats, including -0.0, inf and nan). .tex (booktabs, for \input), .md, .html and .txt are for readers and show as many digits as the table does. digits sets another number of significant digits, in any format. evidence says how evidence is written. "value" is the number alone, rounded to its safe side; without a safe side it has the digits that its bounds have in common, or is [lo, hi] if they have none. In .csv without digits it is the full value, and in .json the object of json.encode. "interval" writes certified and estimated numbers as [lo, hi], rounded outward. "columns" replaces every column with evidence by four, whose names end in _value, _lo, _hi and _kind, with lo and hi rounded outward. .csv has no title. A notebook also shows the table.`,
		`t = table([["pure", ln(3)]], header=["mechanism", "eps"])`+"\nt.save(\"table.csv\", evidence=\"columns\")\nprint(read_csv(\"table.csv\"))",
		func(c *script.Call, t *tabular) (any, error) {
			data, err := t.encode(c.Text("path"), c.Int("digits"), c.Text("evidence"))
			if err != nil {
				return nil, err
			}
			stop(c.SaveFile(c.Text("path"), data))
			if c.Session.OnSave != nil {
				c.Session.OnSave(t.Figure)
			}
			return nil, nil
		})},
}

// encode returns the file that save writes. digits 0 means the format's default.
func (t *tabular) encode(path string, digits int, mode string) ([]byte, error) {
	extension := strings.ToLower(filepath.Ext(path))
	whole := extension == ".csv" || extension == ".json"
	if !whole {
		digits = cmp.Or(digits, t.digits)
	}
	title := t.title()
	w := writing{digits: cmp.Or(digits, -1), list: extension == ".json", whole: whole}
	out := t.cells
	switch mode {
	case "columns":
		out = t.columns(w)
	case "interval":
		out = t.each(w.interval)
	}
	json := func() ([]byte, error) {
		if digits > 0 {
			out = out.each(func(v starlark.Value) starlark.Value { return w.number(v) })
		}
		text, err := script.DescribeJSON(script.ToValue(out.data(title)), 0)
		return []byte(text + "\n"), err
	}
	switch {
	case extension == ".json":
		return json()
	case extension == ".csv":
		table, err := out.display(title, w.text)
		if err != nil {
			return nil, err
		}
		return table.EncodeWith(path, json)
	}
	table, err := out.display(title, func(v starlark.Value) string { return cellText(v, digits) })
	if err != nil {
		return nil, err
	}
	return table.EncodeWith(path, json)
}

// title returns the table's title from its JSON.
func (t *tabular) title() string {
	v, _, _ := t.figure.data.(*starlark.Dict).Get(starlark.String("title"))
	text, _ := starlark.AsString(v)
	return text
}

// each returns the cells with f applied to each.
func (t cells) each(f func(starlark.Value) starlark.Value) cells {
	out := cells{header: t.header}
	for _, row := range t.rows {
		next := lists.Of(len(row), func(j int) starlark.Value { return f(row[j]) })
		out.rows = append(out.rows, next)
	}
	return out
}

// columns returns the cells with four columns instead of each column of evidence.
func (t cells) columns(w writing) cells {
	width := len(t.header)
	if len(t.rows) > 0 {
		width = len(t.rows[0])
	}
	known := make([]bool, width)
	for _, row := range t.rows {
		for j, v := range row {
			_, is := v.(*script.Evidence)
			known[j] = known[j] || is
		}
	}
	var out cells
	for j, name := range t.header {
		if !known[j] {
			out.header = append(out.header, name)
			continue
		}
		for _, part := range []string{"value", "lo", "hi", "kind"} {
			out.header = append(out.header, strings.TrimPrefix(name+"_"+part, "_"))
		}
	}
	for _, row := range t.rows {
		var next []starlark.Value
		for j, v := range row {
			e, is := v.(*script.Evidence)
			switch {
			case !known[j]:
				next = append(next, v)
			case !is:
				next = append(next, v, starlark.None, starlark.None, starlark.None)
			default:
				lo, hi := e.Number().Bounds()
				next = append(next, w.value(e), w.end(lo, evidence.FormatDown), w.end(hi, evidence.FormatUp), starlark.String(e.Number().Kind()))
			}
		}
		out.rows = append(out.rows, next)
	}
	return out
}

// writing says how numbers are written to a file.
type writing struct {
	digits int  // −1 for all
	list   bool // write an interval as a list of two numbers, not as text
	whole  bool // the file is for programs (.csv or .json), not for readers
}

// number returns a float or evidence rounded to the digits, and any other value unchanged.
func (w writing) number(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *script.Evidence:
		if w.digits > 0 && evidence.SideOf(v.Number()) == evidence.Neither && evidence.IsWide(v.Number()) {
			return w.interval(v)
		}
		return w.value(v)
	case starlark.Float:
		return starlark.Float(script.Rounded(float64(v), w.digits))
	}
	return v
}

// value returns evidence as one number; for readers it is formatted as in a table.
func (w writing) value(e *script.Evidence) starlark.Value {
	n := e.Number()
	switch sided := evidence.SideOf(n) != evidence.Neither; {
	case !w.whole:
		return starlark.String(cellText(e, w.digits))
	case w.digits < 0 && (w.list || !sided):
		return starlark.Float(e.Float())
	case !sided && evidence.IsWide(n):
		return starlark.Float(script.Rounded(e.Float(), w.digits))
	}
	return w.spelled(evidence.FormatNumber(n, w.digits))
}

// end returns an end of an enclosure, rounded by format.
func (w writing) end(x float64, format func(float64, int) string) starlark.Value {
	if w.digits < 0 && w.list {
		return starlark.Float(x)
	}
	return w.spelled(format(x, w.digits))
}

// spelled returns a rounded number as text. In JSON, or if the number is out of range, it returns the float that the
// text stands for.
func (w writing) spelled(text string) starlark.Value {
	if x := script.Parsed(text); w.list || math.IsInf(x, 0) {
		return starlark.Float(x)
	}
	return starlark.String(text)
}

// interval returns an enclosure as its two ends.
func (w writing) interval(v starlark.Value) starlark.Value {
	e, ok := v.(*script.Evidence)
	if !ok {
		return v
	}
	lo, hi := e.Number().Bounds()
	if kind := e.Number().Kind(); lo == hi || kind != evidence.KindCertified && kind != evidence.KindEstimated {
		return v
	}
	if w.list {
		return starlark.NewList([]starlark.Value{w.end(lo, evidence.FormatDown), w.end(hi, evidence.FormatUp)})
	}
	return starlark.String(evidence.FormatBounds(lo, hi, w.digits))
}

// text formats a cell of a .csv file.
func (w writing) text(v starlark.Value) string {
	v = w.number(v)
	if x, ok := v.(starlark.Float); ok {
		return evidence.FormatFloat(float64(x), -1)
	}
	return cellText(v, w.digits)
}
