package query

import "slices"

// LayerTable holds the layer L^x(r), or Unreached, of each dataset and each value of a range. It may store equal
// rows once. It is immutable and safe for concurrent use. An index out of range panics.
type LayerTable struct {
	values int
	cells  []int32 // row by row; nil if of is used

	of   []int32 // the index in rows of each dataset's row
	rows *rowSet
}

// NewLayerTable returns the table with the given layers, row by row, with the given number of values per row.
func NewLayerTable(values int, cells []int32) *LayerTable {
	return &LayerTable{values: values, cells: cells}
}

// Shape returns the numbers of datasets and of values.
func (t *LayerTable) Shape() (datasets, values int) {
	if t.of != nil {
		return len(t.of), t.values
	}
	return len(t.cells) / max(t.values, 1), t.values
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

// Row returns the layers of x. It uses buffer if it is large enough. The caller must not change the result.
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

// RowID returns a number such that datasets with the same number have equal rows. The converse need not hold.
func (t *LayerTable) RowID(x int) int32 {
	if t.of == nil {
		return int32(x)
	}
	return t.of[x]
}

// SharesRows reports whether the table stores equal rows once.
func (t *LayerTable) SharesRows() bool { return t.of != nil }

// Cells returns the layers row by row. The caller must not change the result.
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
