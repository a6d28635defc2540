package signrp

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Apply returns x = Wᵀu/√k, or the k bin sums for OPORP. It returns an error wrapping evidence.ErrParameter unless
// u has p entries in [−1, 1], or ctx's error if it ends.
func (w *Projection) Apply(ctx context.Context, u []float64) ([]float64, error) {
	if err := checkVector("u", u, w.p); err != nil {
		return nil, err
	}
	x := make([]float64, w.k)
	if err := w.dots(ctx, x, u, new(tables)); err != nil {
		return nil, err
	}
	w.scaleByRootK(x)
	return x, nil
}

// ApplyAll returns x for every vector of data, on all processors. Errors as
// Apply.
func (w *Projection) ApplyAll(ctx context.Context, data [][]float64) ([][]float64, error) {
	out := make([][]float64, len(data))
	flat := make([]float64, len(data)*w.k)
	for v := range out {
		out[v] = flat[v*w.k : (v+1)*w.k : (v+1)*w.k]
	}
	if err := w.ApplyInto(ctx, out, data); err != nil {
		return nil, err
	}
	return out, nil
}

// ApplyInto is ApplyAll into given rows: out needs one row of k numbers per vector, otherwise an error wraps
// evidence.ErrParameter. After any other error the contents of the rows are undefined.
func (w *Projection) ApplyInto(ctx context.Context, out, data [][]float64) error {
	if len(out) != len(data) {
		return parameter.Errorf("out has %d rows, want %d, one per vector", len(out), len(data))
	}
	for v, x := range out {
		if len(x) != w.k {
			return parameter.Errorf("out[%d] has %d entries, want k = %d", v, len(x), w.k)
		}
	}
	check := func(v int) error {
		if checkVector("u", data[v], w.p) == nil {
			return nil
		}
		return checkVector(fmt.Sprintf("u[%d]", v), data[v], w.p)
	}
	if w.kind == Rademacher || w.kind == OPORP || w.stored() != nil {
		return parallel.Chunks(ctx, len(data), 64, func(first, last int) error {
			t := new(tables)
			if w.kind == Rademacher {
				first = w.applyFours(out, data, first, last, check)
			}
			for ; first < last; first++ {
				if err := check(first); err != nil {
					return err
				}
				x, u := out[first], data[first]
				next := min(first+1, last-1)
				if w.kind == OPORP && w.bins().streams(len(data)) {
					w.bins().set(x, u, data[next])
					continue
				}
				clear(x)
				if w.kind == OPORP {
					w.bins().add(x, u, out[next], data[next])
					continue
				}
				if err := w.dots(ctx, x, u, t); err != nil {
					return err
				}
				w.scaleByRootK(x)
			}
			return nil
		})
	}
	for v := range data {
		if err := check(v); err != nil {
			return err
		}
		clear(out[v])
	}
	return w.applyBlocks(ctx, out, data)
}

// applyFours processes the vectors from index first up to last four at a time, and a remaining pair at the end. It
// returns the index of the first vector that it has not processed, or that fails the check.
func (w *Projection) applyFours(out, data [][]float64, first, last int, check func(v int) error) int {
	t, acc, root := new(fourTables), make([][4]float64, w.k), w.scale()
	for first+1 < last {
		count := min(last-first, 4) &^ 1
		for v := range count {
			if check(first+v) != nil {
				return first
			}
		}
		vectors := [4][]float64(append(data[first:first+count:first+count], data[first:first+2]...)[:4])
		w.dotsOfFour(acc, &vectors, t)
		for v := range count {
			x := out[first+v]
			for j := range acc {
				x[j] = acc[j][v] / root
			}
		}
		first += count
	}
	return first
}

// applyBlocks adds Wᵀu to out for all vectors u of data. It generates every block of W only once.
func (w *Projection) applyBlocks(ctx context.Context, out, data [][]float64) error {
	for b := 0; b*blockRows < w.p; b++ {
		rows := w.block(b)
		err := parallel.Chunks(ctx, len(data), 8, func(first, last int) error {
			for v := first; v < last; v++ {
				addRows(out[v], data[v][b*blockRows:], rows)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, x := range out {
		w.scaleByRootK(x)
	}
	return nil
}

func (w *Projection) scaleByRootK(x []float64) {
	if w.kind == OPORP {
		return
	}
	root := w.scale()
	for j := range x {
		x[j] /= root
	}
}

// dots adds Wᵀu to acc. It returns ctx's error.
func (w *Projection) dots(ctx context.Context, acc, u []float64, t *tables) error {
	switch w.kind {
	case Rademacher:
		for b := 0; b*blockRows < w.p; b++ {
			if b%16 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			first := b * blockRows
			t.add(acc, u[first:min(first+blockRows, w.p)], w.signs(b))
		}
	case OPORP:
		w.bins().add(acc, u, acc, u)
	default:
		return w.eachBlock(ctx, func(first int, rows []float64) { addRows(acc, u[first:], rows) })
	}
	return nil
}

// addRows adds Σ u_i rows_i to acc.
func addRows(acc, u, rows []float64) {
	k := len(acc)
	for i := 0; len(rows) > 0; i, rows = i+1, rows[k:] {
		c := u[i]
		if c == 0 {
			continue
		}
		for j, v := range rows[:k] {
			acc[j] += float64(c * v)
		}
	}
}

// dotsError bounds the rounding error of dots in column j for a vector of the given ℓ1 norm. In any order, a sum of
// n terms has an error of at most (n−1)·2⁻⁵³·Σ|terms| to first order. Reading the vector as decimals adds
// 2⁻⁵³·Σ|terms|. Each product or sum that is subnormal adds half the smallest subnormal number.
func (w *Projection) dotsError(norm1 float64, j int) float64 {
	if norm1 == 0 {
		return 0
	}
	depth := float64(w.p)
	switch w.kind {
	case Rademacher: // depth counts two levels of sums of four, eight tables, and the blocks
		depth = 16 + float64(w.p)/blockRows
	case OPORP:
		depth = float64(w.p)/float64(w.k) + 1
	}
	largest := w.largests()[j]
	return (depth+5)*1.01*ulp*norm1*largest + float64(2*w.p+8)*math.SmallestNonzeroFloat64*math.Max(1, largest)
}

// tables holds the 256 signed sums of each of eight groups of eight coordinates (the method of four Russians). A
// byte of sign bits per group then costs one look-up per eight coordinates of a column of W.
type tables [8][256]float64

// add adds Wᵀu to acc for at most 64 rows of a Rademacher W. Bit i of words[j] is set if W_ij = +1.
func (t *tables) add(acc, u []float64, words []uint64) {
	groups := (len(u) + 7) / 8
	for g := range groups {
		var eight [8]float64
		copy(eight[:], u[8*g:])
		t.fill(g, &eight)
	}
	words = words[:len(acc)]
	if groups == 8 {
		t0, t1, t2, t3, t4, t5, t6, t7 := &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]
		for j, c := range words {
			a := t0[uint8(c)] + t1[uint8(c>>8)]
			b := t2[uint8(c>>16)] + t3[uint8(c>>24)]
			d := t4[uint8(c>>32)] + t5[uint8(c>>40)]
			e := t6[uint8(c>>48)] + t7[uint8(c>>56)]
			acc[j] += (a + b) + (d + e)
		}
		return
	}
	for g := range groups {
		table, shift := &t[g], uint(8*g)
		for j, c := range words {
			acc[j] += table[uint8(c>>shift)]
		}
	}
}

// fill computes table g for the eight coordinates u.
func (t *tables) fill(g int, u *[8]float64) {
	var low, high [16]float64
	quarterSums(&low, u[0], u[1], u[2], u[3])
	quarterSums(&high, u[4], u[5], u[6], u[7])
	combine(&t[g], &low, &high)
}

// quarterSums sets sums[m] to ±a ± b ± c ± d, with + where the bit of m is set.
func quarterSums(sums *[16]float64, a, b, c, d float64) {
	first := [4]float64{-a - b, a - b, b - a, a + b}
	second := [4]float64{-c - d, c - d, d - c, c + d}
	for h, s := range second {
		sums[4*h] = first[0] + s
		sums[4*h+1] = first[1] + s
		sums[4*h+2] = first[2] + s
		sums[4*h+3] = first[3] + s
	}
}
