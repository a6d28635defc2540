package script

import (
	"fmt"
	"slices"

	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"

	"go.starlark.net/starlark"
)

// matrixParts returns the methods that read rows, columns, blocks and the diagonal.
func matrixParts() []Attr[*Matrix] {
	return []Attr[*Matrix]{
		Do("row(i: int) -> list", "Row i as a list of floats, a copy that may be changed. -1 is the last row.", "(0)",
			func(c *Call, m *Matrix) (any, error) { return m.rows[c.place("i", c.Value("i"), len(m.rows))], nil }),
		Do("column(j: int|string) -> list", "Column j as a list of floats, by its number or its name. -1 is the last column.", `matrix([["age", "dose"], [41, 0.5], [39, 0.25]]).column("dose")`,
			func(c *Call, m *Matrix) (any, error) {
				j := m.columnOf(c, "j", c.Value("j"))
				return each(m.rows, func(row []float64) float64 { return row[j] }), nil
			}),
		Do("block(rows: ints=None, columns: list=None) -> matrix", "The submatrix of some rows and columns, in the given order. rows is a list of numbers or a range; columns is a list of numbers or names, or a range. -1 is the last one. None means all.", `print(matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).block(range(2), [0, -1]))`,
			func(c *Call, m *Matrix) (any, error) {
				rows := slices.Clone(m.rows)
				if c.Given("rows") {
					rows = nil
					for k, v := range c.Arg("rows").([]int) {
						rows = append(rows, m.rows[c.place(fmt.Sprintf("rows[%d]", k), starlark.MakeInt(v), len(m.rows))])
					}
				}
				if !c.Given("columns") {
					out := NewMatrix(rows).WithNames(m.names)
					out.cols = m.cols
					return out, nil
				}
				var columns []int
				for k, v := range c.List("columns") {
					columns = append(columns, m.columnOf(c, fmt.Sprintf("columns[%d]", k), v))
				}
				out := NewMatrix(each(rows, func(row []float64) []float64 { return each(columns, func(j int) float64 { return row[j] }) }))
				out.cols = len(columns)
				if m.names != nil {
					out.names = each(columns, func(j int) string { return m.names[j] })
				}
				return out, nil
			}),
		Do("diagonal() -> list", "The entries m[0][0], m[1][1], …, a list as long as the shorter side.", "()",
			func(_ *Call, m *Matrix) (any, error) {
				var out []float64
				for i := range min(len(m.rows), m.cols) {
					out = append(out, m.rows[i][i])
				}
				return out, nil
			}),
	}
}

// place reads the number of a row or column and returns its index. A negative number counts from the end.
func (c *Call) place(name string, v starlark.Value, size int) int {
	if size == 0 {
		Refuse(parameter.Errorf("%s = %s, but the matrix is empty", name, Brief(v)))
	}
	i := c.intOf(name, v, -size, size-1)
	if i < 0 {
		i += size
	}
	return i
}

// columnOf reads a column by its number or its name.
func (m *Matrix) columnOf(c *Call, name string, v starlark.Value) int {
	text, ok := starlark.AsString(v)
	if !ok {
		return c.place(name, v, m.cols)
	}
	j := slices.Index(m.names, text)
	switch {
	case m.names == nil:
		c.Fail(name, v, "the number of a column: this matrix has no names")
	case j < 0:
		c.Fail(name, v, "the name or the number of a column"+nearest.Hint(text, m.names))
	case slices.Contains(m.names[j+1:], text):
		c.Fail(name, v, "the number of a column: several columns have that name")
	}
	return j
}
