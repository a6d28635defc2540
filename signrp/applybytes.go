package signrp

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// lanes is the number of vectors that one word carries, 16 bits each.
const lanes = 4

// ApplyBytes returns x for n = len(data)/p vectors of 8-bit numbers, byte b
// standing for b·unit; row v of the result starts at v·k. A Rademacher W and
// OPORP are summed in whole numbers, without rounding before the last product, a
// Rademacher W for four vectors at a time.
//
// It returns an error wrapping evidence.ErrParameter where len(data) is no
// multiple of p or unit is not in (0, 1/255], and where ctx ends.
func (w *Projection) ApplyBytes(ctx context.Context, data []byte, unit float64) ([]float64, error) {
	out := make([]float64, len(data)/w.p*w.k)
	return out, w.applyBytesInto(ctx, out, data, unit)
}

// applyBytesInto is ApplyBytes into numbers that are there: out needs n·k of them,
// or an error wraps evidence.ErrParameter. After any other error they hold nothing
// of use.
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
		t := newByteTables(w.k)
		for v := first; v < last; v += lanes {
			group := min(lanes, last-v)
			t.sum(w, data[v*w.p:(v+group)*w.p])
			for lane := range group {
				total := int32(0)
				for _, b := range data[(v+lane)*w.p : (v+lane+1)*w.p] {
					total += int32(b)
				}
				row := out[(v+lane)*w.k : (v+lane+1)*w.k]
				for j, plus := range t.wide[lane] {
					row[j] = float64(2*plus-total) * factor
				}
			}
		}
		return nil
	})
}

// byteTables hold, for eight groups of eight coordinates, the sums over every
// subset of the group: of four vectors side by side in the 16-bit lanes of a
// word.
type byteTables struct {
	table [8][256]uint64
	acc   []uint64       // sums over the rows with W_ij = +1, in lanes
	wide  [lanes][]int32 // the same, widened
}

func newByteTables(k int) *byteTables {
	t := &byteTables{acc: make([]uint64, k)}
	for lane := range t.wide {
		t.wide[lane] = make([]int32, k)
	}
	return t
}

// sum sets wide to Σ_{i: W_ij=+1} of the byte of coordinate i, for each of up to
// four vectors.
func (t *byteTables) sum(w *Projection, data []byte) {
	for lane := range t.wide {
		clear(t.wide[lane])
	}
	pending := 0 // rows summed since acc was widened: 256·255 fits 16 bits
	for b := 0; b*blockRows < w.p; b++ {
		first := b * blockRows
		rows := min(blockRows, w.p-first)
		groups := (rows + 7) / 8
		for g := range groups {
			var eight [8]uint64
			for i := range min(8, rows-8*g) {
				for lane := 0; lane*w.p < len(data); lane++ {
					eight[i] |= uint64(data[lane*w.p+first+8*g+i]) << (16 * lane)
				}
			}
			fillSubsets(&t.table[g], &eight)
		}
		t.add(w.signs(b), groups)
		if pending += rows; pending > 256-blockRows {
			t.widen()
			pending = 0
		}
	}
	t.widen()
}

// fillSubsets sets table[m] to the sum of the entries of eight in m.
func fillSubsets(table *[256]uint64, eight *[8]uint64) {
	var low, high [16]uint64
	for b := range 4 {
		n := 1 << b
		for m := range n {
			low[n+m] = low[m] + eight[b]
			high[n+m] = high[m] + eight[4+b]
		}
	}
	combine(table, &low, &high)
}

func (t *byteTables) add(words []uint64, groups int) {
	acc := t.acc
	words = words[:len(acc)]
	if groups == 8 {
		t0, t1, t2, t3, t4, t5, t6, t7 := &t.table[0], &t.table[1], &t.table[2], &t.table[3], &t.table[4], &t.table[5], &t.table[6], &t.table[7]
		for j, c := range words {
			acc[j] += t0[uint8(c)] + t1[uint8(c>>8)] + t2[uint8(c>>16)] + t3[uint8(c>>24)] +
				t4[uint8(c>>32)] + t5[uint8(c>>40)] + t6[uint8(c>>48)] + t7[uint8(c>>56)]
		}
		return
	}
	for g := range groups {
		table, shift := &t.table[g], uint(8*g)
		for j, c := range words {
			acc[j] += table[uint8(c>>shift)]
		}
	}
}

func (t *byteTables) widen() {
	w0, w1, w2, w3 := t.wide[0], t.wide[1], t.wide[2], t.wide[3]
	for j, v := range t.acc {
		w0[j] += int32(v & 0xffff)
		w1[j] += int32(v >> 16 & 0xffff)
		w2[j] += int32(v >> 32 & 0xffff)
		w3[j] += int32(v >> 48)
		t.acc[j] = 0
	}
}

// applyBytesPlainly turns the bytes into numbers, vector by vector.
func (w *Projection) applyBytesPlainly(ctx context.Context, out []float64, data []byte, unit float64) error {
	rows := make([][]float64, len(data)/w.p)
	if w.kind == OPORP || w.stored() != nil {
		return parallel.Chunks(ctx, len(rows), 64, func(first, last int) error {
			u, t, factor := make([]float64, w.p), new(tables), unit/w.scale()
			for v := first; v < last; v++ {
				fromBytes(u, data[v*w.p:(v+1)*w.p]) // whole numbers: bin sums do not round
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
