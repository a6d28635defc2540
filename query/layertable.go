package query

import "slices"

// LayerTable holds a layer for each dataset and each value of a range: L^x(r), or Unreached.
// Rows that are equal may be kept once. It is immutable, and safe for concurrent use. A
// dataset or a place beyond it panics, as an index does.
type LayerTable struct {
	values int
	cells  []int32 // row by row; nil where of is not

	of   []int32 // the place of a dataset's row
	rows *rowSet
}

// NewLayerTable wraps the layers of all datasets, row by row, of so many values each.
func NewLayerTable(values int, cells []int32) *LayerTable {
	return &LayerTable{values: values, cells: cells}
}

// Layer returns L^x(r).
func (t *LayerTable) Layer(x, r int) int32 {
	if t.of == nil {
		return t.cells[x*t.values : (x+1)*t.values][r]
	}
	if r >= t.values {
		panic("query: no such value")
	}
	return layerOf(t.rows.row(t.of[x])[r/8], r%8)
}

// Row returns the layers of x. It is written into buffer, where that has room for it,
// unless the table keeps it as it is; it must not be changed.
func (t *LayerTable) Row(x int, buffer []int32) []int32 {
	if t.of == nil {
		return t.cells[x*t.values : (x+1)*t.values]
	}
	buffer = slices.Grow(buffer[:0], t.values)[:t.values]
	words := t.rows.row(t.of[x])
	for k := 0; 8*k < len(buffer); k++ {
		w := words[k]
		eight := buffer[8*k : min(8*k+8, len(buffer))]
		for i := range eight {
			eight[i] = layerOf(w, i)
		}
	}
	return buffer
}

// layerOf returns the i-th layer of a word.
func layerOf(w uint64, i int) int32 {
	if b := int32(w >> (8 * i) & 255); b != unreachedByte {
		return b
	}
	return Unreached
}

// RowID returns a number that datasets share only where their rows are equal. Not all
// that are equal need share it.
func (t *LayerTable) RowID(x int) int32 {
	if t.of == nil {
		return int32(x)
	}
	return t.of[x]
}

// SharesRows reports whether rows that are equal are kept once.
func (t *LayerTable) SharesRows() bool { return t.of != nil }

// Cells returns the layers row by row: the table's own where it keeps them so.
func (t *LayerTable) Cells() []int32 {
	if t.of == nil {
		return t.cells
	}
	out := make([]int32, 0, len(t.of)*t.values)
	for x := range t.of {
		out = append(out, t.Row(x, out[len(out):])...)
	}
	return out
}
