package signrp

import (
	"context"
	"unsafe"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

const (
	dotVectors   = 6       // vectors that are multiplied side by side
	dotColumns   = 64      // columns of W that they are multiplied by
	mostPanelled = 1 << 24 // entries of a W that is laid out in bytes
)

type (
	// panelQuad holds the signs of four coordinates, of dotColumns columns side by side.
	panelQuad [dotColumns][4]int8
	// dotRows are the products of dotVectors vectors and dotColumns columns.
	dotRows [dotVectors][dotColumns]float64
)

// panels lays the signs of W out for dotBytes, dotColumns columns a panel; 0 stands beyond the last coordinate
// and the last column.
func (w *Projection) panels() [][]panelQuad {
	out := lists.Of((w.k+dotColumns-1)/dotColumns, func(int) []panelQuad { return make([]panelQuad, (w.p+3)/4) })
	for b := 0; b*blockRows < w.p; b++ {
		for j, word := range w.signs(b)[:w.k] {
			panel := out[j/dotColumns]
			for i := b * blockRows; i < min((b+1)*blockRows, w.p); i++ {
				panel[i/4][j%dotColumns][i%4] = int8(2*(word&1)) - 1
				word >>= 1
			}
		}
	}
	return out
}

// multiplyBytes is applyBytesInto where the processor multiplies bytes by signs: Σ_i W_ij of the byte of
// coordinate i, times factor.
func (w *Projection) multiplyBytes(ctx context.Context, out []float64, data []byte, factor float64) error {
	panels := w.panels()
	return parallel.Chunks(ctx, len(data)/w.p, 8*dotVectors, func(first, last int) error {
		sums, end := new(dotRows), make([]byte, dotVectors*4*len(panels[0]))
		for c, panel := range panels {
			for v := first; v < last; v += dotVectors {
				var rows [dotVectors]*byte
				group := min(dotVectors, last-v)
				for i := range rows {
					from := (v + min(i, group-1)) * w.p
					row := data[from:]
					if len(row) < 4*len(panel) { // four bytes at a time would go beyond the data
						row = end[i*4*len(panel):]
						copy(row, data[from:])
					}
					rows[i] = unsafe.SliceData(row)
				}
				dotBytes(sums, panel, &rows, factor)
				for i := range group {
					x := out[(v+i)*w.k+c*dotColumns : (v+i+1)*w.k]
					copy(x, sums[i][:])
				}
			}
		}
		return nil
	})
}

// dotBytesGo sets out[v][j] to factor·Σ_i rows[v][i]·panel[i/4][j][i%4], over 4·len(panel) bytes.
func dotBytesGo(out *dotRows, panel []panelQuad, rows *[dotVectors]*byte, factor float64) {
	for v, first := range rows {
		row := unsafe.Slice(first, 4*len(panel))
		for j := range out[v] {
			sum := int32(0)
			for i, b := range row {
				sum += int32(b) * int32(panel[i/4][j][i%4])
			}
			out[v][j] = float64(sum) * factor
		}
	}
}
