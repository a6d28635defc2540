package script

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"dpworkbench/display"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Matrix is an immutable matrix of floats that indexes like a list of rows. It holds
// no NaN.
type Matrix struct {
	rows  [][]float64
	cols  int
	names []string // of the columns; nil: none

	mu     sync.Mutex
	frozen []*starlark.List // rows that Index has already returned
}

var (
	_ starlark.Indexable  = (*Matrix)(nil)
	_ starlark.Sequence   = (*Matrix)(nil)
	_ starlark.Sliceable  = (*Matrix)(nil)
	_ starlark.Comparable = (*Matrix)(nil)
	_ starlark.HasBinary  = (*Matrix)(nil)
	_ starlark.HasUnary   = (*Matrix)(nil)
	_ Inspectable         = (*Matrix)(nil)
)

// NewMatrix returns the script value of a matrix given as rows of equal length. It keeps the rows without copying them.
func NewMatrix(rows [][]float64) *Matrix {
	m := &Matrix{rows: rows, frozen: make([]*starlark.List, len(rows))}
	if len(rows) > 0 {
		m.cols = len(rows[0])
	}
	return m
}

// NamedAs gives m the column names of from, the value that m was made from, if from is a matrix with as many columns.
func (m *Matrix) NamedAs(from starlark.Value) *Matrix {
	if f, ok := from.(*Matrix); ok && f.cols == m.cols {
		return m.WithNames(f.names)
	}
	return m
}

// WithNames sets the names of the columns, one for each column or nil for none, and returns the matrix.
func (m *Matrix) WithNames(names []string) *Matrix {
	m.names = names
	return m
}

// Data returns the rows and the names of the columns. The caller must not change them.
func (m *Matrix) Data() (rows [][]float64, names []string) { return m.rows, m.names }

// String implements starlark.Value: the shape, the names and the first rows.
func (m *Matrix) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<matrix %d x %d>", len(m.rows), m.cols)
	for j, name := range m.names {
		if j == 0 {
			b.WriteString("\n ")
		}
		if j == 8 {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " %10s", cutTo(display.Line(name), 10))
	}
	for i, row := range m.rows {
		if i == 8 {
			b.WriteString("\n  …")
			break
		}
		b.WriteString("\n ")
		for j, x := range row {
			if j == 8 {
				b.WriteString(" …")
				break
			}
			fmt.Fprintf(&b, " %10.5g", x)
		}
	}
	return b.String()
}

// Type implements starlark.Value.
func (m *Matrix) Type() string { return "matrix" }

// Freeze implements starlark.Value: matrices are immutable.
func (m *Matrix) Freeze() {}

// Truth implements starlark.Value.
func (m *Matrix) Truth() starlark.Bool { return len(m.rows) > 0 }

// Hash implements starlark.Value.
func (m *Matrix) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: matrix") }

// Len implements starlark.Sequence: the number of rows.
func (m *Matrix) Len() int { return len(m.rows) }

// Index implements starlark.Indexable: row i as a frozen list.
func (m *Matrix) Index(i int) starlark.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.frozen[i] == nil {
		m.frozen[i] = floats(m.rows[i])
		m.frozen[i].Freeze()
	}
	return m.frozen[i]
}

// Slice implements starlark.Sliceable: a matrix of some rows.
func (m *Matrix) Slice(start, end, step int) starlark.Value {
	var rows [][]float64
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		rows = append(rows, m.rows[i])
	}
	out := NewMatrix(rows).WithNames(m.names)
	out.cols = m.cols
	return out
}

// Iterate implements starlark.Iterable: over the rows.
func (m *Matrix) Iterate() starlark.Iterator {
	rows := make(starlark.Tuple, len(m.rows))
	for i := range rows {
		rows[i] = m.Index(i)
	}
	return rows.Iterate()
}

// CompareSameType implements starlark.Comparable: entry by entry, whatever the names.
func (m *Matrix) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	if op != syntax.EQL && op != syntax.NEQ {
		return false, fmt.Errorf("matrices have no order")
	}
	n := y.(*Matrix)
	same := m.cols == n.cols && slices.EqualFunc(m.rows, n.rows, slices.Equal)
	return same == (op == syntax.EQL), nil
}

const matrixSetup = "m = matrix([[2, 1], [1, 3]])\n"

var matrixClass = &Class[*Matrix]{
	Name: "matrix", Setup: matrixSetup, Example: "m = matrix([[1, 2], [3, 4]])\nprint(m[0][1], len(m), m * 2 + m)",
	Help: "An immutable matrix of floats that indexes like a list of rows: m[i][j], len(m), iteration, slices of rows. Accepted wherever a list of rows is. + - * / work entry by entry, with a number or a matrix of the same shape; m.dot(b) multiplies matrices. Results are floats without evidence. Entries may be infinite but not nan; only arithmetic accepts infinite entries. The columns may have names, which ==, arithmetic and methods ignore.",
	Attrs: slices.Concat([]Attr[*Matrix]{
		Get("rows -> list", "The rows as a list of lists, a copy that may be changed.", "matrix([[1, 2], [3, 4]]).rows", func(m *Matrix) any { return m.rows }),
		Get("shape -> tuple", "Number of rows and of columns, a tuple.", "matrix([[1, 2, 3], [4, 5, 6]]).shape", func(m *Matrix) any { return Tuple{len(m.rows), m.cols} }),
		Get("names -> list?", "The names of the columns, a list of strings, or None. matrix(rows, names=…) gives them, or a first row of strings, as read_csv reads a header.", `matrix([["age", "dose"], [41, 0.5]]).names`, func(m *Matrix) any {
			if m.names == nil {
				return nil
			}
			return m.names
		}),
	}, matrixParts(), matrixAlgebra(), matrixSave()),
}

// AttrNames implements starlark.HasAttrs.
func (m *Matrix) AttrNames() []string { return matrixClass.class().names(m) }

// Attr implements starlark.HasAttrs.
func (m *Matrix) Attr(name string) (starlark.Value, error) { return matrixClass.class().read(m, name) }

func (m *Matrix) attrDoc(name string) *Doc { return matrixClass.class().attrDoc(m, name) }

// matrixBuiltins returns the built-ins that make matrices.
func matrixBuiltins() []Builtin {
	return []Builtin{
		Func("matrix(rows: named_rows, names: strings=None) -> matrix", `An immutable matrix of floats from a list of rows of one length. It indexes like the list. names are the names of the columns. A first row of strings is read as the names, so matrix(read_csv("data.csv")) has the names of the file's header. If the header looks like numbers (2019,2020), use read_csv(path, header=True). Infinite entries are kept ("inf" and "-inf" are read as such), nan is refused.`, "matrix([[1, 2], [3, 4]])[1][0]",
			func(c *Call) (any, error) {
				m := arg[*Matrix](c, "rows")
				if !c.Given("names") {
					return m, nil
				}
				names := arg[[]string](c, "names")
				if len(names) != m.cols {
					c.Fail("names", c.Value("names"), fmt.Sprintf("%d names, one for each column", m.cols))
				}
				return NewMatrix(m.rows).WithNames(names), nil
			}),
		Func("identity(n: int[1..4096]) -> matrix", "The identity matrix of order n: ones on the diagonal.", "identity(2) * 3",
			func(c *Call) (any, error) {
				n := c.Int("n")
				if err := memory.Need("the matrix", 8*float64(n)*float64(n)); err != nil {
					return nil, err
				}
				rows := make([][]float64, n)
				for i := range rows {
					rows[i] = make([]float64, len(rows))
					rows[i][i] = 1
				}
				return NewMatrix(rows), nil
			}),
	}
}

// namedRowsOf reads a matrix whose columns may have names. The names are a first row of strings, with None for a column
// without a name, or the entry "names" of a dict with the entry "rows", as save writes to .json.
func (c *Call) namedRowsOf(name string, v starlark.Value) *Matrix {
	if m, ok := v.(*Matrix); ok {
		return m
	}
	if d, ok := v.(*starlark.Dict); ok {
		rows, _, _ := d.Get(starlark.String("rows"))
		names, _, _ := d.Get(starlark.String("names"))
		if rows == starlark.None || names == starlark.None {
			c.Fail(name, v, `a list of rows, or a dict of "names" and "rows"`)
		}
		all, _ := Elements(rows)
		head, _ := Elements(names)
		return c.headed(name+`["rows"]`, head, each(all, plainRow))
	}
	all, ok := Elements(v)
	if !ok || len(all) == 0 {
		return NewMatrix(c.MatrixOf(name, v))
	}
	head, _ := Elements(all[0])
	all = each(all, plainRow)
	if !slices.ContainsFunc(head, isName) || slices.ContainsFunc(head, func(v starlark.Value) bool { return !isString(v) && v != starlark.None }) {
		return NewMatrix(c.MatrixOf(name, starlark.NewList(all)))
	}
	if len(all) == 1 {
		c.Fail(name, v, "rows of numbers after the row of names")
	}
	return c.headed(name+"[1:]", head, all[1:])
}

// headed returns the matrix of rows, with the cells of head as the names of its columns.
func (c *Call) headed(name string, head, rows []starlark.Value) *Matrix {
	m := NewMatrix(c.MatrixOf(name, starlark.NewList(rows)))
	if len(head) != m.cols {
		Refuse(parameter.Errorf("%s has %d columns and %d names, want one name for each column", name, m.cols, len(head)))
	}
	return m.WithNames(each(head, columnName))
}

func isString(v starlark.Value) bool {
	_, ok := v.(starlark.String)
	return ok
}

// isName reports whether a cell is a name of a column: a string other than "inf" and "-inf". A first row with at least
// one such cell is read as the row of names.
func isName(v starlark.Value) bool {
	text, ok := starlark.AsString(v)
	return ok && !infinite(text)
}

// infinite reports whether a string is read as an infinite number.
func infinite(text string) bool { return text == "inf" || text == "-inf" }

// plainRow returns a row with evidence replaced by floats, and "inf" and "-inf", the JSON forms of infinite numbers, by
// these numbers.
func plainRow(row starlark.Value) starlark.Value {
	items, ok := Elements(row)
	replaced := func(v starlark.Value) bool { _, is := v.(*Evidence); return is || isString(v) }
	if !ok || !slices.ContainsFunc(items, replaced) {
		return row
	}
	return List(items, func(v starlark.Value) starlark.Value {
		switch v {
		case starlark.String("inf"):
			return starlark.Float(math.Inf(1))
		case starlark.String("-inf"):
			return starlark.Float(math.Inf(-1))
		}
		return floatOf(v)
	})
}

// columnName returns a cell of a header as the name of a column, "" for None.
func columnName(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return string(v)
	case starlark.NoneType:
		return ""
	}
	text, _ := startOf(v, longestArgument)
	return text
}
