package workload

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/products"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// A decoding is a decoder of W from Cx, with bounds on the row norms of the decoder of least variance, WC⁺.
type decoding struct {
	matrix *mat.Dense
	rows   []ends
	exact  bool    // C has full column rank, and rows bounds WC⁺; otherwise rows bounds matrix
	off    float64 // a bound on the row norms of W − matrix·C
}

// multiply returns ab. Row i of the rounded product differs from the exact one by at most gamma(inner)·‖a_i‖·‖b‖_F in
// Euclidean norm, plus underflow.
func multiply(a, b *mat.Dense) *mat.Dense {
	r, _ := a.Dims()
	_, c := b.Dims()
	out := mat.NewDense(r, c, nil)
	products.Mul(out.RawMatrix(), a.RawMatrix(), b.RawMatrix())
	return out
}

// rowNorms returns upper bounds of the row norms, and of the Frobenius norm, of a.
func rowNorms(a *mat.Dense) (rows []float64, all float64) {
	r, _ := a.Dims()
	rows = make([]float64, r)
	for i := range rows {
		rows[i] = normUp(a.RawRowView(i))
	}
	return rows, normUp(rows)
}

// differences returns upper bounds of the row norms of x − yz. The entries of x, y and z count as exact.
func differences(x, y, z *mat.Dense) []float64 {
	r, inner := y.Dims()
	_, c := z.Dims()
	d := multiply(y, z)
	ys, _ := rowNorms(y)
	_, zs := rowNorms(z)
	g := gamma(inner + 2)
	out := make([]float64, r)
	for i := range out {
		row := d.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			row[j] = v - row[j]
		}
		n := normUp(row) // each difference is rounded once more
		lost := timesUp(timesUp(g, ys[i]), zs)
		out[i] = sumUp(timesUp(n, 1+4*interval.Unit), lost, float64(c*inner)*0x1p-1000)
	}
	return out
}

// leftInverse returns an approximation R of C⁺, and an upper bound of ‖C⁺‖₂ if it proves that C has full column rank,
// infinity otherwise: ‖I − RC‖_F = e < 1 gives ‖x‖ ≤ ‖R‖‖Cx‖ + e‖x‖, so that ‖C⁺‖ ≤ ‖R‖_F/(1 − e).
func leftInverse(c *mat.Dense) (r *mat.Dense, bound float64) {
	m, n := c.Dims()
	if m < n {
		return pseudoInverse(c), math.Inf(1)
	}
	r = mat.NewDense(n, m, nil)
	if m == n {
		if err := r.Inverse(c); err != nil {
			return pseudoInverse(c), math.Inf(1)
		}
	} else {
		var qr mat.QR
		qr.Factorize(c)
		ones := mat.NewDiagDense(m, nil)
		for i := range m {
			ones.SetDiag(i, 1)
		}
		if err := qr.SolveTo(r, false, ones); err != nil {
			return pseudoInverse(c), math.Inf(1)
		}
	}
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	e := normUp(differences(identity, r, c))
	_, size := rowNorms(r)
	if !(e < 0.5) || math.IsInf(size, 1) {
		return pseudoInverse(c), math.Inf(1)
	}
	return r, interval.Up(size / interval.Down(1-e))
}

// pseudoInverse returns C⁺ by singular values; those below 1e-11 of the largest count as 0.
func pseudoInverse(c *mat.Dense) *mat.Dense {
	m, n := c.Dims()
	var svd mat.SVD
	out := mat.NewDense(n, m, nil)
	if !svd.Factorize(c, mat.SVDThin) {
		return out
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for k, s := range svd.Values(nil) {
		if s > 1e-11*svd.Values(nil)[0] {
			left, right := u.ColView(k), v.ColView(k)
			out.RankOne(out, 1/s, right, left)
		}
	}
	return out
}

// decode returns the decoder WC⁺. It returns an error wrapping evidence.ErrParameter if C cannot answer W: a row of W
// is not a combination of rows of C.
func decode(ctx context.Context, w, c *mat.Dense) (*decoding, error) {
	n, cols := w.Dims()
	if _, own := c.Dims(); own != cols {
		return nil, parameter.Errorf("the encoder has %d columns, want %d, as the workload has", own, cols)
	}
	r, inverse := leftInverse(c)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := &decoding{matrix: multiply(w, r), exact: !math.IsInf(inverse, 1), rows: make([]ends, n)}
	left := differences(w, d.matrix, c)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, v := range left {
		if size := normUp(w.RawRowView(i)); !(v <= 1e-6*size) && size > 0 {
			return nil, parameter.Errorf("the encoder cannot answer row %d of the workload: "+
				"the nearest combination of the encoder's rows is %.3g of its length away", i, v/size)
		}
		d.off = max(d.off, v)
	}
	outside := make([]float64, n) // bounds on the distance of B's rows from the range of C, in which WC⁺ lies
	if rows, own := c.Dims(); d.exact && rows > own {
		x := multiply(d.matrix, mat.DenseCopyOf(r.T()))
		outside = differences(d.matrix, x, mat.DenseCopyOf(c.T()))
	}
	for i := range d.rows {
		e := norm(d.matrix.RawRowView(i))
		if !d.exact {
			d.rows[i] = e
			continue
		}
		off := timesUp(left[i], inverse)
		d.rows[i] = ends{max(0, interval.Down(e.lo-sumUp(off, outside[i]))), sumUp(e.hi, off)}
	}
	return d, nil
}

// errors encloses the largest row norm of the decoder, and the root of its mean squared row norm.
func (d *decoding) errors() (most, mean ends) {
	lo, hi := make([]float64, len(d.rows)), make([]float64, len(d.rows))
	for i, e := range d.rows {
		most = ends{max(most.lo, e.lo), max(most.hi, e.hi)}
		lo[i], hi[i] = e.lo, e.hi
	}
	root := interval.Int(int64(len(d.rows))).Sqrt()
	low, _ := interval.Float(normDown(lo)).Quo(root).Bounds()
	_, high := interval.Float(normUp(hi)).Quo(root).Bounds()
	return most, ends{low, high}
}

// method describes how the error was bounded, for evidence.
func (d *decoding) method() string {
	if d.exact {
		return "row norms of WC⁺, by a left inverse of C with a bound on its residual"
	}
	return fmt.Sprintf("row norms of the decoder B as computed; rows of W − BC have norm at most %.2g", d.off)
}
