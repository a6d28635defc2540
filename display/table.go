package display

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/internal/parameter"
)

// Align says how the cells of a column stand.
type Align int

const (
	AlignAuto Align = iota // right where every cell is a number or empty, left elsewhere
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

// NewTable returns a table. Without a header its width is that of its rows. It
// returns an error wrapping evidence.ErrParameter where there is no column, or where a
// row or the alignment has not one entry for each.
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

// CSV returns the table, header first, as comma-separated values (RFC 4180,
// lines ending in a bare newline). The title is left out. A header that has a number
// stands in quotes.
func (t *Table) CSV() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	switch {
	case t.header != nil && readAsData(t.header):
		out.WriteString(quotedLine(t.header))
	case t.header != nil:
		_ = w.Write(t.header) // what fails stays with w
	}
	for _, row := range t.rows {
		if len(row) == 1 && row[0] == "" { // an empty line would be none
			w.Flush()
			out.WriteString("\"\"\n")
			continue
		}
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// readAsData reports whether a header looks like a row of numbers to who reads it: it
// has one, inf and nan among them, or nothing but empty cells.
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

// quotedLine is a line of cells that all stand in quotes.
func quotedLine(cells []string) string {
	quoted := make([]string, len(cells))
	for j, text := range cells {
		quoted[j] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return strings.Join(quoted, ",") + "\n"
}

// HTML returns the table as an HTML fragment; all text is escaped.
func (t *Table) HTML() string {
	var out strings.Builder
	out.WriteString("<table>\n")
	if t.title != "" {
		fmt.Fprintf(&out, "<caption>%s</caption>\n", html.EscapeString(t.title))
	}
	line := func(tag string, cells []string) {
		out.WriteString("<tr>")
		for j, c := range cells {
			align := "left"
			if t.right[j] {
				align = "right"
			}
			fmt.Fprintf(&out, `<%s style="text-align: %s">%s</%s>`, tag, align, html.EscapeString(strings.ToValidUTF8(c, "\uFFFD")), tag)
		}
		out.WriteString("</tr>\n")
	}
	if t.header != nil {
		out.WriteString("<thead>\n")
		line("th", t.header)
		out.WriteString("</thead>\n")
	}
	out.WriteString("<tbody>\n")
	for _, row := range t.rows {
		line("td", row)
	}
	out.WriteString("</tbody>\n</table>\n")
	return out.String()
}

// page returns the table as a whole HTML document.
func (t *Table) page() []byte {
	title := html.EscapeString(t.title)
	return []byte("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>" + title + "</title>\n" +
		"<style>body { font-family: sans-serif } table { border-collapse: collapse } caption { font-weight: bold; text-align: left }\n" +
		"td, th { padding: 0.2em 0.8em; font-variant-numeric: tabular-nums } thead tr { border-bottom: 1px solid }</style>\n" +
		"</head>\n<body>\n" + t.HTML() + "</body>\n</html>\n")
}

// Encode returns the table as a file that ends in .csv, .txt (80 columns wide), .html, .tex (booktabs)
// or .md.
func (t *Table) Encode(path string) ([]byte, error) { return t.EncodeWith(path, nil) }

// EncodeWith is Encode for tables that have a .json too, nil where they have none.
func (t *Table) EncodeWith(path string, json func() ([]byte, error)) ([]byte, error) {
	formats := []format{
		{".csv", t.CSV},
		{".txt", func() ([]byte, error) { return []byte(t.Terminal(Caps{Unicode: true})), nil }},
		{".html", func() ([]byte, error) { return t.page(), nil }},
		{".tex", func() ([]byte, error) { return []byte(t.LaTeX()), nil }},
		{".md", func() ([]byte, error) { return []byte(t.Markdown()), nil }},
	}
	if json != nil {
		formats = append(formats, format{".json", json})
	}
	return inFormat(path, formats)
}
