package script

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Matrix is an immutable matrix of floats that indexes like a list of rows.
type Matrix struct {
	rows [][]float64
	cols int

	mu     sync.Mutex
	frozen []*starlark.List // rows already asked for
}

var (
	_ starlark.Indexable  = (*Matrix)(nil)
	_ starlark.Sequence   = (*Matrix)(nil)
	_ starlark.Sliceable  = (*Matrix)(nil)
	_ starlark.Comparable = (*Matrix)(nil)
	_ Inspectable         = (*Matrix)(nil)
)

// NewMatrix returns the script value of a matrix given as rows of one length, which
// it keeps.
func NewMatrix(rows [][]float64) *Matrix {
	m := &Matrix{rows: rows, frozen: make([]*starlark.List, len(rows))}
	if len(rows) > 0 {
		m.cols = len(rows[0])
	}
	return m
}

func (m *Matrix) copyRows() [][]float64 { return each(m.rows, slices.Clone[[]float64]) }

// String implements starlark.Value: the shape and the first rows.
func (m *Matrix) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<matrix %d x %d>", len(m.rows), m.cols)
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
	out := NewMatrix(rows)
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

// CompareSameType implements starlark.Comparable: entry by entry.
func (m *Matrix) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	if op != syntax.EQL && op != syntax.NEQ {
		return false, fmt.Errorf("matrices have no order")
	}
	n := y.(*Matrix)
	same := m.cols == n.cols && slices.EqualFunc(m.rows, n.rows, slices.Equal)
	return same == (op == syntax.EQL), nil
}

var matrixClass = &Class[*Matrix]{
	Name: "matrix", Setup: "m = matrix([[1, 2], [3, 4]])\n", Example: "m = matrix([[1, 2], [3, 4]])\nprint(m[0][1], len(m))",
	Help: "An immutable matrix of floats that indexes like a list of rows: m[i][j], len(m), iteration, slices of rows. Accepted wherever a list of rows is.",
	Attrs: []Attr[*Matrix]{
		Get("rows -> list", "The rows as a list of lists, a copy that may be changed.", "matrix([[1, 2], [3, 4]]).rows", func(m *Matrix) any { return m.rows }),
		Get("shape -> tuple", "Number of rows and of columns, a tuple.", "matrix([[1, 2, 3], [4, 5, 6]]).shape", func(m *Matrix) any { return Tuple{len(m.rows), m.cols} }),
	},
}

// AttrNames implements starlark.HasAttrs.
func (m *Matrix) AttrNames() []string { return matrixClass.names(m) }

// Attr implements starlark.HasAttrs.
func (m *Matrix) Attr(name string) (starlark.Value, error) { return matrixClass.read(m, name) }

func (m *Matrix) attrDoc(name string) *Doc { return matrixClass.attrDoc(m, name) }

// matrixBuiltins holds the constructor.
func matrixBuiltins() []Builtin {
	return []Builtin{Func("matrix(rows: matrix) -> matrix", "An immutable matrix of floats from a list of rows of one length. It indexes like the list.", "matrix([[1, 2], [3, 4]])[1][0]",
		func(c *Call) (any, error) {
			if m, ok := c.Value("rows").(*Matrix); ok {
				return m, nil
			}
			return NewMatrix(c.Rows("rows")), nil
		})}
}
