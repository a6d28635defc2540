package script

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/npy"
	"dpworkbench/internal/parameter"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// SaveFile writes a file atomically, and notifies the session.
func (c *Call) SaveFile(path string, data []byte) error {
	if err := c.Session.Write(path, data); err != nil {
		return err
	}
	if c.Session.OnWrite != nil {
		c.Session.OnWrite(path)
	}
	return nil
}

// Rounded returns x rounded to the given number of significant digits, or x itself if digits is 0.
func Rounded(x float64, digits int) float64 {
	if digits <= 0 {
		return x
	}
	if out := Parsed(strconv.FormatFloat(x, 'g', digits, 64)); !math.IsInf(out, 0) {
		return out
	}
	return x // rounded up beyond the range of floats, or infinite
}

// Parsed returns the float64 that the text of a number denotes.
func Parsed(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64) // infinite if out of range
	return x
}

// matrixSave returns the method save, which writes a matrix to a file.
func matrixSave() []Attr[*Matrix] {
	return []Attr[*Matrix]{
		Do("save(path: string, digits: int[1..17]=None) -> none", `Writes the matrix to a file, whole or not at all, in the format of the path's extension. .csv (with a header if the columns have names) and .json (the list of rows, or {"names", "rows"}) keep every float to its last bit: subnormal numbers, -0.0 and infinities, which are inf in .csv and "inf" in .json. matrix(read_csv(path)) and matrix(read_json(path)) give the same matrix and names again; a numeric name is quoted in the header. In .csv, names that are all "inf" or "-inf" are refused. .npy is NumPy's format, without names, which read_npy(path) reads. .tex (booktabs), .md, .html and .txt are tables of 6 digits. digits rounds to so many significant digits in any of them.`, `matrix([[0.1, 2], [5e-324, 4]]).save("m.csv")`,
			func(c *Call, m *Matrix) (any, error) {
				data, err := m.encode(c.Text("path"), c.Int("digits"))
				if err != nil {
					return nil, err
				}
				return nil, c.SaveFile(c.Text("path"), data)
			}),
	}
}

// encode returns the bytes that save writes. digits is the number of significant digits, or 0 for the default of the
// format.
func (m *Matrix) encode(path string, digits int) ([]byte, error) {
	m.dense() // ends the call if the matrix is empty
	json := func() ([]byte, error) {
		rows := starlark.Value(NewMatrix(each(m.rows, func(row []float64) []float64 {
			return each(row, func(x float64) float64 { return Rounded(x, digits) })
		})))
		if m.names != nil {
			names := List(m.names, func(name string) starlark.Value { return starlark.String(name) })
			rows = fieldsOf(map[string]starlark.Value{"names": names, "rows": rows})
		}
		out, err := EncodeJSON(rows, 0)
		return []byte(out + "\n"), err
	}
	text := func(x float64) string { return display.Number(x, digits) }
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return json()
	case ".npy":
		var out bytes.Buffer
		rows := each(m.rows, func(row []float64) []float64 {
			return each(row, func(x float64) float64 { return Rounded(x, digits) })
		})
		err := npy.Write(&out, mat.NewDense(len(rows), len(rows[0]), Flat(rows)))
		return out.Bytes(), err
	case ".csv":
		if len(m.names) > 0 && !slices.ContainsFunc(m.names, func(name string) bool { return !infinite(strings.TrimSpace(name)) }) {
			return nil, parameter.Bad("path", path, "one that ends in .json, or other names: the header %s would be read as infinite numbers", Brief(List(m.names, func(name string) starlark.Value { return starlark.String(name) })))
		}
		text = func(x float64) string { return evidence.FormatFloat(Rounded(x, digits), -1) }
	default:
		if digits == 0 {
			digits = 6
		}
	}
	t, err := display.NewTable(display.TableSpec{Header: m.names, Rows: each(m.rows, func(row []float64) []string { return each(row, text) })})
	if err != nil {
		return nil, err
	}
	return t.EncodeWith(path, json)
}
