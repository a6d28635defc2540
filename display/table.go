package display

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"dpworkbench/internal/parameter"
)

// Align is the alignment of a column's cells.
type Align int

const (
	AlignAuto Align = iota // right if every cell is a number or empty, left otherwise
	AlignLeft
	AlignRight
)

// TableSpec describes a table.
type TableSpec struct {
	Title  string
	Header []string
	Rows   [][]string
	Align  []Align // nil means AlignAuto for all
}

// Table is rows of text under a header.
type Table struct {
	title  string
	header []string // nil: none
	rows   [][]string
	right  []bool
}

// NewTable returns a table. Without a header its width is that of its rows. It returns an error wrapping
// evidence.ErrParameter if there is no column, or if a row or the alignment does not have one entry per column.
func NewTable(s TableSpec) (*Table, error) {
	columns := len(s.Header)
	if columns == 0 && len(s.Rows) > 0 {
		columns = len(s.Rows[0])
	}
	if columns == 0 {
		return nil, parameter.Errorf("header and rows are empty, want at least one column")
	}
	t := &Table{title: clean(s.Title), header: slices.Clone(s.Header)}
	for i, row := range s.Rows {
		if len(row) != columns {
			return nil, parameter.Errorf("rows[%d] has %d cells, want %d", i, len(row), columns)
		}
		t.rows = append(t.rows, slices.Clone(row))
	}
	if s.Align != nil && len(s.Align) != columns {
		return nil, parameter.Errorf("align has %d entries, want %d", len(s.Align), columns)
	}
	t.right = make([]bool, columns)
	for j := range t.right {
		align := AlignAuto
		if s.Align != nil {
			align = s.Align[j]
		}
		switch align {
		case AlignAuto:
			t.right[j] = len(t.rows) > 0
			for _, row := range t.rows {
				t.right[j] = t.right[j] && (row[j] == "" || isNumber(row[j]))
			}
		case AlignRight:
			t.right[j] = true
		case AlignLeft:
		default:
			return nil, parameter.Errorf("align[%d] = %d, want AlignAuto, AlignLeft or AlignRight", j, align)
		}
	}
	return t, nil
}

// isNumber reports whether s reads as a number: "0.5", "1e-9", "inf", "3/4",
// "12%", or one after a relation sign.
func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	for _, sign := range []string{"≤", "≥", "<=", ">=", "<", ">", "≈", "~", "−"} {
		s = strings.TrimSpace(strings.TrimPrefix(s, sign))
	}
	s = strings.TrimSuffix(s, "%")
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return true
	}
	if strings.ContainsAny(s, "eEpPxX_") || len(s) > 10000 { // big.Rat would expand 1e999999
		return false
	}
	_, ok := new(big.Rat).SetString(s)
	return ok
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// CSV returns the table, header first, as comma-separated values (RFC 4180, with lines ending in a newline),
// without the title. A header with a number is quoted.
func (t *Table) CSV() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	switch {
	case t.header != nil && readAsData(t.header):
		out.WriteString(quotedLine(t.header))
	case t.header != nil:
		_ = w.Write(t.header) // w keeps the error
	}
	for _, row := range t.rows {
		if len(row) == 1 && row[0] == "" { // readers do not see a row in an empty line
			w.Flush()
			out.WriteString("\"\"\n")
			continue
		}
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// readAsData reports whether a reader could take a header for data: it contains a number, inf or nan, or only empty
// cells.
func readAsData(header []string) bool {
	empty := 0
	for _, name := range header {
		name = strings.TrimSpace(name)
		if _, err := strconv.ParseFloat(name, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return true
		}
		if name == "" {
			empty++
		}
	}
	return empty == len(header)
}

// quotedLine returns a CSV line in which all cells are quoted.
func quotedLine(cells []string) string {
	quoted := make([]string, len(cells))
	for j, text := range cells {
		quoted[j] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return strings.Join(quoted, ",") + "\n"
}

//go:embed table.tmpl
var tableFile string

// tableTemplates are the table in HTML, LaTeX and Markdown.
var tableTemplates = template.Must(template.New("table").Delims("[[", "]]").Funcs(template.FuncMap{
	"text": htmlText, "tex": LaTeX, "texCell": latexCell, "apart": latexApart, "md": markdown,
}).Parse(tableFile))

// filled returns the table in the format of the named template.
func (t *Table) filled(name string) string {
	sides := make([]string, len(t.right))
	for j, right := range t.right {
		sides[j] = map[bool]string{false: "left", true: "right"}[right]
	}
	text, err := filled(tableTemplates, name, struct {
		Title         string
		Headed        bool
		Header, Sides []string
		Rows          [][]string
	}{t.title, t.header != nil, t.header, sides, t.rows})
	if err != nil {
		panic(err) // the templates work for every table
	}
	return string(text)
}

// HTML returns the table as an HTML fragment; all text is escaped.
func (t *Table) HTML() string { return t.filled("html") }

// LaTeX returns the table as a tabular environment of the package booktabs, in a table
// environment with a caption where it has a title.
func (t *Table) LaTeX() string { return t.filled("latex") }

// Markdown returns the table in GitHub's Markdown, escaped, with its title in bold above it.
func (t *Table) Markdown() string { return t.filled("markdown") }

// Encode returns the table as a file that ends in .csv, .txt (80 columns wide), .html, .tex (booktabs)
// or .md.
func (t *Table) Encode(path string) ([]byte, error) { return t.EncodeWith(path, nil) }

// EncodeWith is Encode for tables with a .json format; json is nil if there is none.
func (t *Table) EncodeWith(path string, json func() ([]byte, error)) ([]byte, error) {
	formats := []format{
		{".csv", t.CSV},
		{".txt", func() ([]byte, error) { return []byte(t.Terminal(Caps{Unicode: true})), nil }},
		{".html", func() ([]byte, error) { return []byte(t.filled("page")), nil }},
		{".tex", func() ([]byte, error) { return []byte(t.LaTeX()), nil }},
		{".md", func() ([]byte, error) { return []byte(t.Markdown()), nil }},
	}
	if json != nil {
		formats = append(formats, format{".json", json})
	}
	return inFormat(path, formats)
}
