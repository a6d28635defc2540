package signrp

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// lanes is the number of vectors that are summed side by side, in 16 bits each.
const lanes = 16

// ApplyBytes returns x for n = len(data)/p vectors of 8-bit numbers, where byte b stands for b·unit. Row v of the
// result starts at v·k. For a Rademacher W and OPORP all sums are integers, without rounding before the last product.
// A Rademacher W sums sixteen vectors at a time.
//
// It returns an error wrapping evidence.ErrParameter if len(data) is not a multiple of p or unit is not in (0,
// 1/255], or ctx's error if it ends.
func (w *Projection) ApplyBytes(ctx context.Context, data []byte, unit float64) ([]float64, error) {
	out := make([]float64, len(data)/w.p*w.k)
	if err := w.applyBytesInto(ctx, out, data, unit); err != nil {
		return nil, err
	}
	return out, nil
}

// applyBytesInto writes the result of ApplyBytes to out. It returns an error wrapping evidence.ErrParameter unless out
// has n·k numbers. After any other error the contents of out are undefined.
func (w *Projection) applyBytesInto(ctx context.Context, out []float64, data []byte, unit float64) error {
	if len(data)%w.p != 0 {
		return parameter.Errorf("data has %d bytes, want a multiple of p = %d", len(data), w.p)
	}
	if !(unit > 0 && unit <= 1.0/255) {
		return parameter.Bad("unit", unit, "0 < unit <= 1/255")
	}
	n := len(data) / w.p
	if len(out) != n*w.k {
		return parameter.Errorf("out has %d entries, want %d, k = %d per vector", len(out), n*w.k, w.k)
	}
	if w.kind != Rademacher {
		return w.applyBytesPlainly(ctx, out, data, unit)
	}
	factor := unit / math.Sqrt(float64(w.k))
	return parallel.Chunks(ctx, n, 64, func(first, last int) error {
		t := newByteSums(w.k)
		for v := first; v < last; v += lanes {
			group := min(lanes, last-v)
			t.sum(w, data[v*w.p:(v+group)*w.p])
			for lane := range group {
				total := int32(0)
				for _, b := range data[(v+lane)*w.p : (v+lane+1)*w.p] {
					total += int32(b)
				}
				row := out[(v+lane)*w.k : (v+lane+1)*w.k]
				for j := range row {
					row[j] = float64(2*t.wide[j][lane]-total) * factor
				}
			}
		}
		return nil
	})
}

// byteTables hold the sums over every subset of four coordinates, for sixteen such groups and for sixteen vectors side
// by side.
type byteTables [16][16][lanes]uint16

// byteSums hold, for each column j, the sums over the rows i with W_ij = +1.
type byteSums struct {
	tables byteTables
	acc    [][lanes]uint16
	wide   [][lanes]int32 // the totals of acc over all blocks
}

func newByteSums(k int) *byteSums {
	return &byteSums{acc: make([][lanes]uint16, k), wide: make([][lanes]int32, k)}
}

// sum sets wide to Σ_{i: W_ij=+1} of the byte of coordinate i, for each of up to sixteen
// vectors.
func (t *byteSums) sum(w *Projection, data []byte) {
	clear(t.wide)
	for b := 0; b*blockRows < w.p; b++ {
		first := b * blockRows
		rows := min(blockRows, w.p-first)
		var columns [blockRows][lanes]uint16
		for lane := 0; lane*w.p < len(data); lane++ {
			for i, v := range data[lane*w.p+first:][:rows] {
				columns[i][lane] = uint16(v)
			}
		}
		fillBytes(&t.tables, &columns)
		addBytes(t.acc, w.signs(b)[:w.k], &t.tables)
		if b%4 == 3 || first+rows == w.p { // four blocks sum to at most 256·255, which fits 16 bits
			widen(t.wide, t.acc)
		}
	}
}

// fillBytesGo is fillBytes in Go.
func fillBytesGo(t *byteTables, columns *[blockRows][lanes]uint16) {
	for g := range t {
		t[g][0] = [lanes]uint16{}
		for i := range 4 {
			for m := range 1 << i {
				for lane, v := range columns[4*g+i] {
					t[g][m|1<<i][lane] = t[g][m][lane] + v
				}
			}
		}
	}
}

// addBytesGo is addBytes in Go.
func addBytesGo(acc [][lanes]uint16, words []uint64, t *byteTables) {
	for j, c := range words {
		for g := range t {
			for lane, v := range t[g][c>>(4*g)&15] {
				acc[j][lane] += v
			}
		}
	}
}

// widenGo is widen in Go.
func widenGo(wide [][lanes]int32, acc [][lanes]uint16) {
	for j := range acc {
		for lane, v := range acc[j] {
			wide[j][lane] += int32(v)
		}
	}
	clear(acc)
}

// applyBytesPlainly is ApplyBytes for any W. It converts the bytes to float64, vector by vector.
func (w *Projection) applyBytesPlainly(ctx context.Context, out []float64, data []byte, unit float64) error {
	rows := make([][]float64, len(data)/w.p)
	if w.kind == OPORP || w.stored() != nil {
		return parallel.Chunks(ctx, len(rows), 64, func(first, last int) error {
			u, t, factor := make([]float64, w.p), new(tables), unit/w.scale()
			for v := first; v < last; v++ {
				fromBytes(u, data[v*w.p:(v+1)*w.p]) // integers: bin sums do not round
				x := out[v*w.k : (v+1)*w.k]
				clear(x)
				if err := w.dots(ctx, x, u, t); err != nil {
					return err
				}
				for j := range x {
					x[j] *= factor
				}
			}
			return nil
		})
	}
	clear(out)
	into := make([][]float64, len(rows))
	for v := range rows {
		rows[v] = make([]float64, w.p)
		into[v] = out[v*w.k : (v+1)*w.k]
		for i, b := range data[v*w.p : (v+1)*w.p] {
			rows[v][i] = float64(b) * unit
		}
	}
	return w.applyBlocks(ctx, into, rows)
}

// fromBytesGo is fromBytes in Go.
func fromBytesGo(u []float64, data []byte) {
	u = u[:len(data)]
	for i, b := range data {
		u[i] = float64(b)
	}
}
